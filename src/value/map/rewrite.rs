//! Rewriting what a map holds, and visiting it.
//!
//! Once `x` is known to be `"f"`, a write that was pending under `x` is put in its place.

use std::sync::Arc;

use super::{Contents, Entry, Map, Presence, Write, entry};
use crate::term::Term;
use crate::value::{Truth, Value};

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
        if scope == Scope::Everything && !self.0.entries_are_known() {
            for (key, entry) in self.0.entries.iter() {
                let (new_key, new_entry) = (rewrite(key), entry.rewrite(rewrite));
                if new_key.is_some() || new_entry.is_some() {
                    let entry = new_entry.unwrap_or_else(|| Some(entry.clone()));
                    changed.push((key.clone(), entry.map(|e| (new_key.unwrap_or_else(|| key.clone()), e))));
                }
            }
        }
        let asked = self.0.base.as_ref().is_some_and(|base| !base.touched.is_empty() || base.others.is_some());
        if changed.is_empty() && self.0.pending.is_empty() && !asked {
            return None;
        }
        let mut map = self.clone();
        let contents = Arc::make_mut(&mut map.0);
        let pending = std::mem::take(&mut contents.pending);
        if contents.base.is_none() {
            changed.iter().for_each(|(key, _)| contents.place(key.clone(), None));
        }
        changed.into_iter().for_each(|(key, new)| match new {
            Some((new_key, entry)) => contents.place(new_key, Some(entry)),
            None => contents.place(key, None),
        });
        contents.rewrite_base(rewrite);
        for write in pending {
            let key = rewrite(&write.key).unwrap_or(write.key);
            let entry = write.entry.and_then(|e| e.rewrite(rewrite).unwrap_or(Some(e)));
            if contents.is_settled_by(&key, entry.as_ref()) {
                contents.place(key, entry);
            } else {
                let differs = write.differs.into_iter().map(|d| rewrite(&d).unwrap_or(d)).collect();
                contents.pending.push(Write { key, entry, differs });
            }
        }
        Some(map)
    }

    /// Whether entries were written with conditions in them since this was asked last.
    #[must_use]
    pub fn is_doubtful(&self) -> bool {
        !self.0.doubtful.is_empty()
    }

    /// Looks again at the entries that were written with conditions in them, once each: whether they are there, where a
    /// function knows it, and what they are by another one.
    pub fn settle(
        &mut self,
        knows: &mut dyn FnMut(&Term) -> Option<bool>,
        rewrite: &mut dyn FnMut(&Value) -> Option<Value>,
    ) {
        let contents = Arc::make_mut(&mut self.0);
        for key in std::mem::take(&mut contents.doubtful) {
            let Some(old) = contents.entries.get(&key) else { continue };
            let there = match &old.presence {
                Presence::When(condition) => knows(condition).map_or_else(|| old.truth(), Truth::Known),
                Presence::Always | Presence::Never => old.truth(),
            };
            let value = rewrite(&old.value);
            if value.is_some() || there != old.truth() {
                let value = value.unwrap_or_else(|| old.value.clone());
                contents.place(key, entry(there, value));
            }
        }
        contents.doubtful.clear();
    }

    /// Rewrites one entry under a known key, where the map has it.
    pub fn rewrite_entry(&mut self, key: &Value, rewrite: &mut dyn FnMut(&Value) -> Option<Value>) {
        if let Some(changed) = self.entry_rewritten(key, rewrite) {
            *self = changed;
        }
    }

    /// The map with one entry under a known key rewritten; `None` where nothing changes.
    #[must_use]
    pub fn entry_rewritten(&self, key: &Value, rewrite: &mut dyn FnMut(&Value) -> Option<Value>) -> Option<Map> {
        let new = self.0.entries.get(key)?.rewrite(rewrite)?;
        let mut map = self.clone();
        Arc::make_mut(&mut map.0).place(key.clone(), new);
        Some(map)
    }

    /// The map with a function applied to each value.
    #[must_use]
    pub fn map_values(&self, change: &mut dyn FnMut(&Value) -> Value) -> Value {
        let mut entries = self.0.entries.iter().collect::<Vec<_>>();
        entries.sort();
        let changed: Vec<(Value, Entry)> = entries
            .into_iter()
            .map(|(key, entry)| (key.clone(), Entry { value: change(&entry.value), ..entry.clone() }))
            .collect();
        let mut map = self.clone();
        let contents = Arc::make_mut(&mut map.0);
        changed.into_iter().for_each(|(key, entry)| contents.place(key, Some(entry)));
        Value::Map(map)
    }

    /// Calls a function on every value inside in which something is not known.
    pub(in crate::value) fn visit(&self, visit: &mut dyn FnMut(&Value), presence: &mut dyn FnMut(&Term)) {
        let entries = Some(&self.0.entries).filter(|_| !self.0.entries_are_known());
        for (key, entry) in entries.into_iter().flatten() {
            visit(key);
            entry.visit(visit, presence);
        }
        if let Some(base) = self.base() {
            for (key, entry) in &base.touched {
                visit(key);
                entry.visit(visit, presence);
            }
            base.others.iter().for_each(&mut *presence);
        }
        for write in &self.0.pending {
            visit(&write.key);
            write.entry.iter().for_each(|entry| entry.visit(visit, presence));
        }
    }
}

impl Contents {
    /// Rewrites what was asked of the base. Where a key has become known it has an entry already, or gets its own.
    fn rewrite_base(&mut self, rewrite: &mut dyn FnMut(&Value) -> Option<Value>) {
        let Some(base) = &mut self.base else { return };
        if let Some(new) = base.others.as_ref().and_then(|others| rewrite(&Value::Term(others.clone()))) {
            base.others = new.as_term();
        }
        for (key, entry) in std::mem::take(&mut base.touched) {
            let key = rewrite(&key).unwrap_or(key);
            let entry = entry.rewrite(rewrite).unwrap_or(Some(entry));
            if !key.is_known() {
                if let Some(base) = &mut self.base {
                    base.touched.push((key, entry.unwrap_or(Entry::HIDDEN)));
                }
            } else if !self.entries.contains_key(&key) {
                self.place(key, entry);
            }
        }
    }
}

impl Entry {
    /// `None`: unchanged; `Some(None)`: it is never there any more.
    fn rewrite(&self, rewrite: &mut dyn FnMut(&Value) -> Option<Value>) -> Option<Option<Entry>> {
        let value = rewrite(&self.value);
        let presence = match &self.presence {
            Presence::Always | Presence::Never => None,
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
