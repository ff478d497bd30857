//! Rewriting what a map holds, and visiting it.
//!
//! Once `x` is known to be `"f"`, a write that was pending under `x` is put in its place.

use std::sync::Arc;

use super::{Beneath, Contents, DOUBTFUL, Entry, Map, Presence, Write, entry};
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

/// The key of an entry, and the key and the entry that take its place; `None` where it is never there any more.
type Changed = (Value, Option<(Value, Entry)>);

impl Map {
    /// Applies a function to keys and entries; used by substitution. Nothing changes where it gives `None`.
    #[must_use]
    pub(in crate::value) fn rewrite(
        &self,
        rewrite: &mut dyn FnMut(&Value) -> Option<Value>,
        scope: Scope,
    ) -> Option<Map> {
        let changed = self.changed(rewrite, scope)?;
        let mut map = self.clone();
        map.change(changed, rewrite);
        Some(map)
    }

    /// The same in place: a map that nobody shares is not copied.
    pub(in crate::value) fn rewrite_in_place(
        &mut self,
        rewrite: &mut dyn FnMut(&Value) -> Option<Value>,
        scope: Scope,
    ) {
        if let Some(changed) = self.changed(rewrite, scope) {
            self.change(changed, rewrite);
        }
    }

    /// The entries that change, each with what it becomes; `None` where nothing is to be done, with pending writes and
    /// what was asked of the base neither.
    fn changed(&self, rewrite: &mut dyn FnMut(&Value) -> Option<Value>, scope: Scope) -> Option<Vec<Changed>> {
        let mut changed: Vec<Changed> = Vec::new();
        if scope == Scope::Everything {
            for (key, entry) in self.0.entries.open() {
                let (new_key, new_entry) = (rewrite(key), entry.rewrite(rewrite));
                if new_key.is_some() || new_entry.is_some() {
                    let entry = new_entry.unwrap_or_else(|| Some(entry.clone()));
                    changed.push((key.clone(), entry.map(|e| (new_key.unwrap_or_else(|| key.clone()), e))));
                }
            }
        }
        let asked = self.0.base.as_ref().is_some_and(|base| !base.touched.is_empty() || base.others.is_some());
        (!changed.is_empty() || !self.0.pending.is_empty() || asked).then_some(changed)
    }

    fn change(&mut self, changed: Vec<Changed>, rewrite: &mut dyn FnMut(&Value) -> Option<Value>) {
        let contents = Arc::make_mut(&mut self.0);
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
            let is_news = !write.key.is_known();
            let key = rewrite(&write.key).unwrap_or(write.key);
            let entry = write.entry.and_then(|e| e.rewrite(rewrite).unwrap_or(Some(e)));
            if contents.is_settled_by(&key, entry.as_ref()) {
                contents.place_settled(key, entry);
            } else {
                let differs = write.differs.into_iter().map(|d| rewrite(&d).unwrap_or(d)).collect();
                let beneath = if is_news && key.is_known() { Beneath::Unasked } else { write.beneath };
                contents.pending.push(Write { key, entry, differs, beneath });
            }
        }
        contents.place_decided();
    }

    /// Whether entries were written with something open in them since this was asked last.
    #[must_use]
    pub fn is_doubtful(&self) -> bool {
        !self.0.doubtful.is_empty()
    }

    /// Looks again at the entries that were written with something open in them, once each: whether they are there, where a
    /// function knows it, and what they are by another one. Where no variable was solved for since, those that only hold
    /// variables are what they were.
    pub fn settle(
        &mut self,
        solved: bool,
        knows: &mut dyn FnMut(&Term) -> Option<bool>,
        rewrite: &mut dyn FnMut(&Value) -> Option<Value>,
    ) {
        let contents = Arc::make_mut(&mut self.0);
        for key in std::mem::take(&mut contents.doubtful) {
            let Some(old) = contents.entries.get(&key) else { continue };
            if !solved && old.presence == Presence::Always && old.value.has_only_variables() {
                continue;
            }
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
        if let Some(new) = self.0.entries.get(key).and_then(|entry| entry.rewrite(rewrite)) {
            Arc::make_mut(&mut self.0).place(key.clone(), new);
        }
    }

    /// The map with one entry under a known key rewritten; `None` where nothing changes.
    #[must_use]
    pub fn entry_rewritten(&self, key: &Value, rewrite: &mut dyn FnMut(&Value) -> Option<Value>) -> Option<Map> {
        let mut map = self.clone();
        map.rewrite_entry(key, rewrite);
        (!map.is_same(self)).then_some(map)
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
        for (key, entry) in self.0.entries.open() {
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
    /// Notes that something is not known in what an entry under a known key becomes.
    pub(super) fn note_doubtful(&mut self, key: &Value) {
        if !self.doubtful.contains(key) {
            if self.doubtful.len() == DOUBTFUL {
                self.doubtful.remove(0);
            }
            self.doubtful.push(key.clone());
        }
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::{Sort, numbers};
    use crate::term::Var;
    use crate::value;
    use std::collections::BTreeSet;

    fn var(id: u64) -> Value {
        Value::Term(Term::var(Var { id, sort: Sort::Int }))
    }

    /// Every value that may be in an entry: known and unknown, short and long.
    fn values(id: u64) -> Vec<Option<Value>> {
        let known = Value::data(1, [Value::from(3), Value::str("x")]);
        let long = Value::list((0..100).map(|n| if n == 99 { var(id) } else { Value::from(n) }));
        let map = |inside: Value| Value::Map(Map::of([(Value::from(1), inside)]));
        let known_map = map(Value::from(2));
        let some = [known, var(id), Value::some(var(id)), long, map(var(id)), known_map, Value::list([var(id)])];
        some.into_iter().map(Some).chain([None]).collect()
    }

    /// What is live in a map, by a walk through all entries.
    fn live_by_walking_all(map: &Map) -> BTreeSet<Var> {
        let mut live = Vec::new();
        for (key, entry) in map.0.entries.iter() {
            [key, &entry.value].into_iter().for_each(|value| value.visit_variables(&mut |var| live.push(var)));
            if let Presence::When(term) = &entry.presence {
                term.vars(&mut |var| live.push(var));
            }
        }
        live.into_iter().collect()
    }

    #[test]
    fn what_is_open_is_found_without_what_is_known() {
        let (mut map, mut random) = (Map::default(), numbers(12_345));
        for id in 1..2_000 {
            let key = if random(20) == 0 { var(id % 7 + 5_000) } else { Value::from(random(40) as i64) };
            let value = values(id)[random(8) as usize].clone();
            let there = if random(4) == 0 { var(id + 10_000).truth() } else { Truth::Known(true) };
            Arc::make_mut(&mut map.0).place(key, value.map(|value| Entry::when(there, value)));
            let mut live = Vec::new();
            Value::Map(map.clone()).visit_variables(&mut |var| live.push(var));
            let live: BTreeSet<Var> = live.into_iter().collect();
            assert_eq!(live, live_by_walking_all(&map));
            assert_eq!(map.is_known(), live.is_empty() && map.0.conditional == 0);
        }
    }

    #[test]
    fn only_what_may_be_simpler_is_looked_at_again() {
        let guard = Term::var(Var { id: 9, sort: crate::scalar::Sort::Bool });
        let option = value::union([(guard.clone(), Value::NONE), (Term::not(&guard), Value::some(var(1)))]);
        let sum = Value::Term(Term::var(Var { id: 1, sort: Sort::Int }).add(&Term::int(1)));
        for (value, expected) in [(var(1), 0), (option, 0), (Value::some(sum), 1), (Value::list([var(1)]), 1)] {
            for solved in [false, true] {
                let mut map = Map::default();
                map.set_in_place(&Value::from(7), Some(Entry::always(value.clone())));
                let mut seen = 0;
                map.settle(solved, &mut |_| None, &mut |_| {
                    seen += 1;
                    None
                });
                assert_eq!(seen, if solved { 1 } else { expected }, "{value:?}");
                assert!(!map.is_doubtful());
            }
        }
    }

    #[test]
    fn what_is_known_is_not_walked() {
        let mut map = Map::of((0..1_000).map(|n| (Value::from(n), Value::some(Value::from(n)))));
        map.set_in_place(&Value::from(7), Some(Entry::always(var(1))));
        assert!(Value::Map(map).visit_leaves(&mut |_| {}) < 5);
    }
}
