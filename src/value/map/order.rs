//! Maps are equal, ordered and hashed by their entries, whatever the order in which those were made.
//!
//! This is the order of the structure (for merging candidates), not `==` of the language.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::{Contents, Entry, Map, table};
use crate::value::Value;

impl PartialEq for Map {
    fn eq(&self, other: &Map) -> bool {
        self.is_same(other)
            || (self.0.entries.len() == other.0.entries.len()
                && self.0.base == other.0.base
                && self.0.pending == other.0.pending
                && self.has_entries_of(other))
    }
}

impl Eq for Map {}

impl PartialOrd for Map {
    fn partial_cmp(&self, other: &Map) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Map {
    fn cmp(&self, other: &Map) -> std::cmp::Ordering {
        self.sorted()
            .cmp(&other.sorted())
            .then_with(|| (&self.0.base, &self.0.pending).cmp(&(&other.0.base, &other.0.pending)))
    }
}

impl Hash for Map {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash().hash(state);
        self.0.base.hash(state);
        self.0.pending.hash(state);
    }
}

/// Equal maps hash alike whatever the order of insertion: the hashes of their entries, each with that of its key, are added.
pub(super) fn hash_of(key: u64, entry: &Entry) -> u64 {
    let mut hasher = FxHasher::default();
    (key, entry).hash(&mut hasher);
    hasher.finish()
}

impl Contents {
    /// The sum of the hashes of the entries, kept up by every write once it was asked for: most maps are compared with none.
    pub(super) fn hash(&self) -> u64 {
        let sum =
            || self.entries.iter().map(|(key, entry)| hash_of(table::hash(key), entry)).fold(0, u64::wrapping_add);
        *self.hash.get_or_init(sum)
    }
}

impl Map {
    /// Whether two maps of one size have the same entries.
    fn has_entries_of(&self, other: &Map) -> bool {
        match self.written_since_parted(other) {
            Some(keys) => keys.into_iter().all(|key| self.0.entries.get(key) == other.0.entries.get(key)),
            None => self.0.hash() == other.0.hash() && self.0.entries == other.0.entries,
        }
    }

    fn sorted(&self) -> Vec<(&Value, &Entry)> {
        let mut entries: Vec<_> = self.0.entries.iter().collect();
        entries.sort();
        entries
    }
}
