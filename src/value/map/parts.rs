//! A map as its parts, from which an equal map can be made: for serialization.
//!
//! The map `{"a": 1}` with a pending write under `#1` has one entry and one write.

use std::sync::Arc;

use super::Map;
use super::entry::{Entry, PresenceBefore, Write};
use crate::term::Term;
use crate::value::{Base, Value};

/// A pending write of a map.
#[derive(Clone, Debug)]
pub struct PendingWrite {
    /// The key, which may equal others.
    pub key: Value,
    /// The new entry; `None` for a removal.
    pub entry: Option<Entry>,
    /// The condition under which anything is written; `None` in every case.
    pub when: Option<Term>,
    /// Keys from which the key is known to differ.
    pub differs: Vec<Value>,
}

/// The parts of a map.
#[derive(Clone, Debug)]
pub struct MapParts {
    /// The entries that are placed.
    pub entries: Vec<(Value, Entry)>,
    /// The pending writes, the earliest first.
    pub waiting: Vec<PendingWrite>,
    /// Set if pending writes are decided as soon as the entries matter.
    pub decides_early: bool,
    /// The unknown base, if the map stands on one.
    pub base: Option<Base>,
}

impl MapParts {
    /// The parts of a map, with the entries in the order of their keys.
    #[must_use]
    pub fn of(map: &Map) -> MapParts {
        let contents = &*map.0;
        let entries = contents.entries.iter().map(|(key, entry)| (key.clone(), entry.clone()));
        let mut entries: Vec<(Value, Entry)> = entries.collect();
        entries.sort();
        let waiting = contents.pending.iter().cloned();
        let waiting = waiting.map(|Write { key, entry, when, differs, .. }| PendingWrite { key, entry, when, differs });
        let base = contents.base.as_deref().cloned();
        MapParts { entries, waiting: waiting.collect(), decides_early: contents.decides_early, base }
    }

    /// The map with these parts.
    #[must_use]
    pub fn into_map(self) -> Map {
        let mut map = Map::default();
        let contents = Arc::make_mut(&mut map.0);
        contents.base = self.base.map(Box::new);
        self.entries.into_iter().for_each(|(key, entry)| contents.place(key, Some(entry)));
        let beneath = PresenceBefore::Unasked;
        let write = |PendingWrite { key, entry, when, differs }| Write { key, entry, when, differs, beneath };
        contents.pending = self.waiting.into_iter().map(write).collect();
        contents.decides_early = self.decides_early;
        map
    }
}
