//! The events of a recording as values of a specification's types, and the forms in which engines take them: exchanges one after another, a
//! history, observations.

mod concurrent;
mod events;
mod lines;
mod observations;
mod peers;
mod plain;
mod recording;
mod stream;

pub use concurrent::{each_happening, happened, history, history_of};
pub use events::{Events, FormatRules, decoded_part};
pub use lines::LineReader;
pub use observations::{Numbering, NumberingParts, Observations, observations};
pub use peers::{decoded_message, number_of_peer};
pub use recording::{Recording, StoredTrace, exchange_at};
pub use stream::Exchanges;
