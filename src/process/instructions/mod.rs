//! The instructions: what each does to a process, if its operands are known, and the events that it asks for otherwise.

pub(crate) mod arms;
pub(crate) mod bounded;
pub(crate) mod collect;
pub(crate) mod effects;
pub(crate) mod evaluate;
pub(crate) mod glide;
pub(crate) mod lookup;
pub(crate) mod maps;
pub(crate) mod operands;
pub(crate) mod plain;
pub(crate) mod prices;
