//! What a verdict says for itself: witnesses, reasons, conflicts, and how they are shown.

mod conflicts;
mod history_page;
mod holds;
mod possible;
mod random_recordings;
mod rejections;
mod reports;
