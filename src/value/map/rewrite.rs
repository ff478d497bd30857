//! Rewriting what a map holds, and visiting it.
//!
//! Once `x` is known to be `"f"`, a write that was pending under `x` is put in its place.

use std::sync::Arc;

use super::{Entry, Map, Presence, Write, entry};
use crate::term::Term;
use crate::value::Value;

/// How much of a map is rewritten.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::value) enum Scope {
    /// Pending writes only, in time that does not grow with the map.
    Pending,
    /// Every entry.
    Everything,
}

impl Map {
    /// Applies a function to keys and entries; used by substitution. Nothing changes where it gives `None`.
    #[must_use]
    pub(in crate::value) fn rewrite(
        &self,
        rewrite: &mut dyn FnMut(&Value) -> Option<Value>,
        scope: Scope,
    ) -> Option<Map> {
        let mut changed: Vec<(Value, Option<(Value, Entry)>)> = Vec::new();
        if scope == Scope::Everything {
            for (key, entry) in self.0.entries.iter() {
                let (new_key, new_entry) = (rewrite(key), entry.rewrite(rewrite));
                if new_key.is_some() || new_entry.is_some() {
                    let entry = new_entry.unwrap_or_else(|| Some(entry.clone()));
                    changed.push((key.clone(), entry.map(|e| (new_key.unwrap_or_else(|| key.clone()), e))));
                }
            }
        }
        if changed.is_empty() && self.0.pending.is_empty() {
            return None;
        }
        let mut map = self.clone();
        let contents = Arc::make_mut(&mut map.0);
        let pending = std::mem::take(&mut contents.pending);
        changed.iter().for_each(|(key, _)| contents.place(key.clone(), None));
        changed.into_iter().filter_map(|(_, new)| new).for_each(|(key, entry)| contents.place(key, Some(entry)));
        for write in pending {
            let key = rewrite(&write.key).unwrap_or(write.key);
            let entry = write.entry.and_then(|e| e.rewrite(rewrite).unwrap_or(Some(e)));
            if contents.pending.is_empty() && contents.is_plain(&key) {
                contents.place(key, entry);
            } else {
                let differs = write.differs.into_iter().map(|d| rewrite(&d).unwrap_or(d)).collect();
                contents.pending.push(Write { key, entry, differs });
            }
        }
        Some(map)
    }

    /// Calls a function on every value inside.
    pub(in crate::value) fn visit(&self, visit: &mut dyn FnMut(&Value), presence: &mut dyn FnMut(&Term)) {
        for (key, entry) in self.0.entries.iter() {
            visit(key);
            entry.visit(visit, presence);
        }
        for write in &self.0.pending {
            visit(&write.key);
            write.entry.iter().for_each(|entry| entry.visit(visit, presence));
        }
    }
}

impl Entry {
    /// `None`: unchanged; `Some(None)`: it is never there any more.
    fn rewrite(&self, rewrite: &mut dyn FnMut(&Value) -> Option<Value>) -> Option<Option<Entry>> {
        let value = rewrite(&self.value);
        let presence = match &self.presence {
            Presence::Always => None,
            Presence::When(term) => rewrite(&Value::Term(term.clone())).map(|v| v.truth()),
        };
        if value.is_none() && presence.is_none() {
            return None;
        }
        let presence = presence.unwrap_or_else(|| self.truth());
        Some(entry(presence, value.unwrap_or_else(|| self.value.clone())))
    }

    fn visit(&self, visit: &mut dyn FnMut(&Value), presence: &mut dyn FnMut(&Term)) {
        visit(&self.value);
        if let Presence::When(term) = &self.presence {
            presence(term);
        }
    }
}
