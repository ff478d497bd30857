//! The keys of a map as one set of known scalars, shared by reference.
//!
//! A condition like `#1 in {1, 2, 3}` mentions the set as a whole, without a case for each element.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::Map;
use super::entry::{Entry, Presence};
use crate::scalar::Scalar;
use crate::term::ScalarSet;
use crate::value::Value;

/// The keys of a map that are elements of the set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Which {
    /// The keys of entries that are present in every case.
    Certain,
    /// The keys of entries that are never present, whatever an unknown base has.
    Hidden,
}

/// The certain, or the hidden, keys of a map as a set of known scalars; keys of entries under conditions are no elements.
#[derive(Debug)]
pub(super) struct KnownKeys {
    pub(super) map: Map,
    pub(super) which: Which,
}

impl KnownKeys {
    fn has(&self, entry: &Entry) -> bool {
        match self.which {
            Which::Certain => entry.presence == Presence::Always,
            Which::Hidden => entry.presence == Presence::Never,
        }
    }
}

impl ScalarSet for KnownKeys {
    fn contains(&self, scalar: &Scalar) -> bool {
        self.map.0.entries.get(&Value::Scalar(scalar.clone())).is_some_and(|entry| self.has(entry))
    }

    fn len(&self) -> usize {
        let contents = &*self.map.0;
        match self.which {
            Which::Certain => contents.entries.len() - contents.conditional,
            Which::Hidden => contents.hidden,
        }
    }

    fn address(&self) -> Option<usize> {
        Some(Arc::as_ptr(&self.map.0) as usize + self.which as usize)
    }

    fn same(&self, other: &dyn ScalarSet) -> bool {
        let is_in_other = |key: &Value| matches!(key, Value::Scalar(scalar) if other.contains(scalar));
        let mut own = self.map.0.entries.iter().filter(|(_, entry)| self.has(entry));
        self.len() == other.len() && own.all(|(key, _)| is_in_other(key))
    }

    fn for_each(&self, visit: &mut dyn FnMut(&Scalar) -> ControlFlow<()>) {
        let keys = self.map.0.entries.iter().filter(|(_, entry)| self.has(entry));
        let mut keys: Vec<&Value> = keys.map(|(key, _)| key).collect();
        keys.sort();
        for key in keys {
            if let Value::Scalar(scalar) = key
                && visit(scalar).is_break()
            {
                return;
            }
        }
    }
}
