//! Lookups in variables that are maps, under keys that are not known yet.
//!
//! In `let t = tag; assume past.get_or(t, body) == body; reply t;` the answer determines the key. So a handler of events may let the
//! lookup wait for the answer: its result is a value of fresh variables. The [`WaitingLookup`]s of the process say what this value
//! must equal once the key is known.

use crate::spec::{Site, TypeId};
use crate::term::Term;
use crate::value::{Map, Truth, Value};

/// A lookup about which the handler is asked.
#[derive(Clone, PartialEq, Debug)]
pub struct Lookup {
    /// The map; all its keys are known, and each is present in every case.
    pub map: Map,
    /// The type of the map.
    pub ty: TypeId,
    /// The key.
    pub key: Term,
}

/// A lookup that waits for the answer: its result is a value of fresh variables.
#[derive(Clone, PartialEq, Debug)]
pub struct WaitingLookup {
    /// The map.
    pub map: Map,
    /// The key.
    pub key: Term,
    /// The value of fresh variables that stands for the entry of the map under the key, if there is one.
    pub value: Value,
    /// The syntax node.
    pub site: Site,
}

/// The answer of the handler for the current lookup.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum HowFound {
    /// The result is made from all entries at once.
    AtOnce,
    /// The entry is present if this condition holds, and has this value.
    As(Truth, Value),
}
