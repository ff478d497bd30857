//! A map as its parts, from which an equal map can be made: for serialization.
//!
//! The map `{"a": 1}` with a pending write under `#1` has one entry and one write.

use std::sync::Arc;

use super::Map;
use super::entry::{Entry, PresenceBefore, Write};
use crate::value::{Base, Value};

/// The parts of a map.
#[derive(Clone, Debug)]
pub struct MapParts {
    /// The entries that are placed.
    pub entries: Vec<(Value, Entry)>,
    /// The pending writes, the earliest first: the key, the new entry (`None` for a removal), and keys from which the key is known to
    /// differ.
    pub waiting: Vec<(Value, Option<Entry>, Vec<Value>)>,
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
        let waiting = contents.pending.iter();
        let waiting = waiting.map(|write| (write.key.clone(), write.entry.clone(), write.differs.clone()));
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
        let write = |(key, entry, differs)| Write { key, entry, differs, beneath: PresenceBefore::Unasked };
        contents.pending = self.waiting.into_iter().map(write).collect();
        contents.decides_early = self.decides_early;
        map
    }
}
