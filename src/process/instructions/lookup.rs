//! Lookups of variables that are maps, under keys that are not known yet.
//!
//! After `let t = tag; assume past.get_or(t, body) == body; reply t;` the answer tells what the key was. A handler of events may
//! let such a lookup wait for that: what is found is then a value of fresh variables, and what it must equal is told by the
//! [`WaitingLookup`]s of the process, later.

use crate::spec::TypeId;
use crate::term::Term;
use crate::value::{Map, Truth, Value};

/// A lookup that is asked for: in which map, and under which key.
#[derive(Clone, PartialEq, Debug)]
pub struct Lookup {
    /// The map: its keys are known, and all of them are there.
    pub map: Map,
    /// The type of the map.
    pub ty: TypeId,
    /// The key.
    pub key: Term,
}

/// A lookup whose result was given a value of fresh variables.
#[derive(Clone, PartialEq, Debug)]
pub struct WaitingLookup {
    /// The map.
    pub map: Map,
    /// The key.
    pub key: Term,
    /// The value that stands for what the map has under the key, if it has that.
    pub value: Value,
}

/// The way in which the lookup is made at which the process stands.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum HowFound {
    /// From all entries.
    AtOnce,
    /// It is there if this holds, and is this value.
    As(Truth, Value),
}
