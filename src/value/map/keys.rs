//! The keys of a map as one set of known scalars, shared by reference.
//!
//! A condition like `#1 in {1, 2, 3}` mentions the set as a whole, without a case for each element.

use std::ops::ControlFlow;

use super::Map;
use super::entry::{Entry, Presence};
use crate::scalar::Scalar;
use crate::term::{Identity, ScalarSet};
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
    fn has(&self, key: &Value, entry: &Entry) -> bool {
        matches!(key, Value::Scalar(_))
            && match self.which {
                Which::Certain => entry.presence == Presence::Always,
                Which::Hidden => entry.presence == Presence::Never,
            }
    }
}

impl ScalarSet for KnownKeys {
    fn contains(&self, scalar: &Scalar) -> bool {
        let key = Value::Scalar(scalar.clone());
        self.map.0.entries.get(&key).is_some_and(|entry| self.has(&key, entry))
    }

    fn len(&self) -> usize {
        let contents = &*self.map.0;
        match self.which {
            Which::Certain if contents.symbolic > 0 => {
                let symbolic = contents.with_unknown_keys().filter(|(_, entry)| entry.presence == Presence::Always);
                contents.entries.len() - contents.conditional - symbolic.count()
            }
            Which::Certain => contents.entries.len() - contents.conditional,
            Which::Hidden => contents.hidden,
        }
    }

    fn identity(&self) -> Option<Identity<'_>> {
        Some(((self.map.address() + self.which as usize, &[], &[]), None))
    }

    fn same(&self, other: &dyn ScalarSet) -> bool {
        let is_in_other = |key: &Value| matches!(key, Value::Scalar(scalar) if other.contains(scalar));
        let mut own = self.map.0.entries.iter().filter(|(key, entry)| self.has(key, entry));
        self.len() == other.len() && own.all(|(key, _)| is_in_other(key))
    }

    fn for_each(&self, visit: &mut dyn FnMut(&Scalar) -> ControlFlow<()>) {
        let keys = self.map.0.entries.iter().filter(|(key, entry)| self.has(key, entry));
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
