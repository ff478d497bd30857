//! A map as its parts, of which an equal one can be made: for a text that is read in again.
//!
//! `{"a": 1, #1: 2}` with a write that waits has two entries, and one write.

use std::sync::Arc;

use super::Map;
use super::entry::{Beneath, Entry, Write};
use crate::value::{Base, Value};

/// The parts of a map.
#[derive(Clone, Debug)]
pub struct MapParts {
    /// The entries that are placed.
    pub entries: Vec<(Value, Entry)>,
    /// The writes that wait, the earliest first: the key, what is written (nothing: a removal), and keys that it is known to differ from.
    pub waiting: Vec<(Value, Option<Entry>, Vec<Value>)>,
    /// Set if what waits is decided as soon as the entries matter.
    pub is_eager: bool,
    /// The unknown map that it was at first.
    pub base: Option<Base>,
}

impl MapParts {
    /// The parts of a map, the entries in the order of their keys.
    #[must_use]
    pub fn of(map: &Map) -> MapParts {
        let contents = &*map.0;
        let entries = contents.entries.iter().map(|(key, entry)| (key.clone(), entry.clone()));
        let mut entries: Vec<(Value, Entry)> = entries.collect();
        entries.sort();
        let waiting = contents.pending.iter();
        let waiting = waiting.map(|write| (write.key.clone(), write.entry.clone(), write.differs.clone()));
        let base = contents.base.as_deref().cloned();
        MapParts { entries, waiting: waiting.collect(), is_eager: contents.is_eager, base }
    }

    /// The map of these parts.
    #[must_use]
    pub fn into_map(self) -> Map {
        let mut map = Map::default();
        let contents = Arc::make_mut(&mut map.0);
        contents.base = self.base.map(Box::new);
        self.entries.into_iter().for_each(|(key, entry)| contents.place(key, Some(entry)));
        let write = |(key, entry, differs)| Write { key, entry, differs, beneath: Beneath::Unasked };
        contents.pending = self.waiting.into_iter().map(write).collect();
        contents.is_eager = self.is_eager;
        map
    }
}
