//! Judges for evidence, which know less than another one or keep more; and the decided part of a run.

pub(crate) mod decided;
pub(crate) mod derived;
