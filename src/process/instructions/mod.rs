//! The execution of instructions: the effect of each on a process, and the events that must come first.

pub(crate) mod arms;
pub(crate) mod bounded;
pub(crate) mod collect;
pub(crate) mod effects;
pub(crate) mod evaluate;
pub(crate) mod fast_path;
pub(crate) mod maps;
pub(crate) mod operands;
pub(crate) mod plain;
pub(crate) mod prices;
