//! Maps after something became known: terms are rewritten, conditions decided, pending writes placed.
//!
//! For example once `x` is known to be `"f"`, a write that was pending under `x` is placed under `"f"`. The removal of `#1` in
//! `{1, 2} - {#1}` is pending until `#1 == 1` is decided; if `#1` turns out to be no element, the removal is dropped
//! (`proofs-notes/hidden-keys.md`).

use std::sync::Arc;

use super::Map;
use super::contents::Contents;
use super::entry::{Entry, Presence, PresenceBefore, Write, entry};
use crate::term::{Term, Var};
use crate::value::{Lifted, Split, Truth, Value, equal};

/// The presence of a key before its write is asked only if at most this many writes are pending before: each takes part in the
/// condition.
const ASKED: usize = 32;
/// In a map of more entries than this, an addition is not tested for changing nothing: all entries would be looked at.
const MANY: usize = 256;

/// The part of a map that is rewritten.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::value) enum Scope {
    /// Pending writes only, in time that does not grow with the map.
    Pending,
    /// Every entry.
    Everything,
}

/// The key of an entry, and the key and entry that replace it; `None` if it is never present any more.
type Changed = (Value, Option<(Value, Entry)>);

impl Map {
    /// The map with a function applied to keys and entries, which gives `None` for a value that stays; `None` if nothing is to be done.
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

    /// Applies a function to keys and entries in place: a map that is not shared is not copied.
    pub(in crate::value) fn rewrite_in_place(
        &mut self,
        rewrite: &mut dyn FnMut(&Value) -> Option<Value>,
        scope: Scope,
    ) {
        if let Some(changed) = self.changed(rewrite, scope) {
            self.change(changed, rewrite);
        }
    }

    /// The entries that change, each with its replacement; `None` if nothing is to be done, not even with pending writes or the
    /// expanded part of the base.
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
        rewrite_base(contents, rewrite);
        // A later write may be placed once this one is decided.
        let mut is_decided = false;
        for write in pending {
            let (is_news, was_conditional) = (!write.key.is_known(), write.when.is_some());
            let key = rewrite(&write.key).unwrap_or(write.key);
            let entry = write.entry.and_then(|e| e.rewrite(rewrite).unwrap_or(Some(e)));
            let when = match write.when {
                None => Truth::Known(true),
                Some(when) => {
                    rewrite(&Value::Term(when.clone())).map_or(Truth::Term(when), |condition| condition.truth())
                }
            };
            let when = match when {
                Truth::Known(truth) => {
                    is_decided |= was_conditional;
                    if !truth {
                        continue;
                    }
                    None
                }
                Truth::Term(when) => Some(when),
            };
            if when.is_none() && contents.commutes_with_pending(&key, entry.as_ref()) {
                contents.place_at_once(key, entry);
            } else {
                let differs = write.differs.into_iter().map(|d| rewrite(&d).unwrap_or(d)).collect();
                let is_news = (is_decided && write.beneath == PresenceBefore::Open) || (is_news && key.is_known());
                let beneath = if is_news { PresenceBefore::Unasked } else { write.beneath };
                contents.pending.push(Write { key, entry, when, differs, beneath });
            }
        }
        contents.place_decided();
    }

    /// Tests whether entries with an open presence or value were written since the map was last normalized.
    #[must_use]
    pub fn is_doubtful(&self) -> bool {
        !self.0.doubtful.is_empty()
    }

    /// Simplifies the entries that were written with an open presence or value, once each: `knows` decides presences, `rewrite` changes
    /// values. If no variable was solved for since, certain entries with nothing but variables in them stay as they are.
    pub fn normalize(
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

    /// Rewrites one entry under a known key, if the map has it.
    pub fn rewrite_entry(&mut self, key: &Value, rewrite: &mut dyn FnMut(&Value) -> Option<Value>) {
        if let Some(new) = self.0.entries.get(key).and_then(|entry| entry.rewrite(rewrite)) {
            Arc::make_mut(&mut self.0).place(key.clone(), new);
        }
    }

    /// The map with one entry under a known key rewritten; `None` if nothing changes.
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

    /// The map with a function applied to the trees among its values.
    #[must_use]
    pub(in crate::value) fn with_values(self, change: &dyn Fn(&Value) -> Value) -> Map {
        let trees = self.0.entries.iter().filter(|(_, entry)| entry.value.as_term().is_none());
        let changed: Vec<(Value, Entry)> = trees
            .map(|(key, entry)| (key, entry, change(&entry.value)))
            .filter(|(_, entry, value)| *value != entry.value)
            .map(|(key, entry, value)| (key.clone(), Entry { value, ..entry.clone() }))
            .collect();
        let mut map = self;
        if !changed.is_empty() {
            let contents = Arc::make_mut(&mut map.0);
            changed.into_iter().for_each(|(key, entry)| contents.place(key, Some(entry)));
        }
        map
    }

    /// Calls a function on every key and value of the entries and pending writes that are not all known, and another one on the
    /// conditions of their presence.
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
            write.when.iter().for_each(&mut *presence);
            write.entry.iter().for_each(|entry| entry.visit(visit, presence));
        }
    }

    /// The first key that the first pending write may equal, and the condition that it does.
    fn first_open(&self) -> Option<(&Value, Lifted<Truth>)> {
        let write = self.0.pending.first()?;
        let mut others: Vec<_> = self.0.entries.keys().filter(|key| !write.differs.contains(key)).collect();
        others.sort();
        let mut compared = others.into_iter().map(|other| (other, equal(&write.key, other)));
        compared.find(|(_, same)| *same != Ok(Truth::Known(false)))
    }

    /// Checks that no write is pending; an error is the comparison to be decided first.
    pub(super) fn decided(&self) -> Lifted<()> {
        if self.0.base.is_some()
            && let Some(when) = self.0.pending.iter().find_map(|write| write.when.clone())
        {
            return Err(Split::On(when));
        }
        match self.first_open() {
            Some((_, same)) => Err(Split::On(same?.term())),
            None if self.0.pending.is_empty() => Ok(()),
            // It may equal any key of an unknown base.
            None => Err(Split::never()),
        }
    }

    /// The map after a condition was decided. If that is the first pending comparison, the write is placed or knows one more key from
    /// which it differs; else the condition may be one inside of a key.
    #[must_use]
    pub fn decide(&self, condition: &Term, truth: bool) -> Map {
        let Some((other, Ok(same))) = self.first_open() else { return self.with_keys_decided(condition, truth) };
        let same = match same {
            Truth::Known(same) => same,
            Truth::Term(open) if open == *condition => truth,
            Truth::Term(open) if open == Term::not(condition) => !truth,
            Truth::Term(_) => return self.with_keys_decided(condition, truth),
        };
        let other = other.clone();
        let mut map = self.clone();
        let contents = Arc::make_mut(&mut map.0);
        if same {
            contents.carry_out(0, other);
        } else {
            contents.pending[0].differs.push(other);
        }
        contents.place_decided();
        map
    }

    /// The map after a condition was decided on which keys that are trees themselves, such as sets, may depend.
    fn with_keys_decided(&self, condition: &Term, truth: bool) -> Map {
        let is_tree = |key: &Value| key.as_term().is_none() && !key.is_known();
        if self.0.base.is_some() || (self.0.symbolic == 0 && self.0.pending.is_empty()) {
            return self.clone();
        }
        let trees = self.0.entries.iter().filter(|(key, _)| is_tree(key));
        let decided: Vec<_> =
            trees.map(|(key, entry)| (key.clone(), key.decide(condition, truth), entry.clone())).collect();
        let mut map = self.clone();
        let contents = Arc::make_mut(&mut map.0);
        for (old, new, entry) in decided.into_iter().filter(|(old, new, _)| old != new) {
            contents.place(old, None);
            contents.place(new, Some(entry));
        }
        for write in &mut contents.pending {
            let keys = std::iter::once(&mut write.key).chain(&mut write.differs);
            keys.filter(|key| is_tree(key)).for_each(|key| *key = key.decide(condition, truth));
        }
        contents.place_decided();
        map
    }

    /// The variables that pending removals have as keys, except for writes since the map was last normalized.
    pub fn hidden_removals(&self) -> impl Iterator<Item = Var> {
        let known = self
            .0
            .pending
            .iter()
            .filter(|write| write.effect() == Some(false) && write.beneath != PresenceBefore::Unasked);
        known.filter_map(|write| write.key.as_term()?.as_var())
    }

    /// Makes pending writes be decided, from now on, as soon as the entries matter: if their keys occur nowhere else, only the elements
    /// that are left are of interest.
    pub fn decide_early(&mut self) {
        Arc::make_mut(&mut self.0).decides_early = true;
    }

    /// Tests whether there are pending writes since the map was last normalized.
    #[must_use]
    pub fn has_news(&self) -> bool {
        self.0.pending.iter().any(|write| write.beneath == PresenceBefore::Unasked)
    }

    /// Normalizes the pending writes that are new: a write that changes nothing is dropped, and one under a known key is placed if it
    /// commutes with all before it. The function decides conditions, if it can.
    pub fn normalize_pending(&mut self, knows: &mut dyn FnMut(&Term) -> Option<bool>) {
        let mut at = 0;
        while let Some(write) = self.0.pending.get(at) {
            if write.beneath != PresenceBefore::Unasked {
                at += 1;
                continue;
            }
            let beneath = self.asked_beneath(at, knows);
            let contents = Arc::make_mut(&mut self.0);
            contents.pending[at].beneath = beneath;
            if is_idle(contents, at) {
                contents.pending.remove(at);
            } else if !place_before(contents, at, knows) {
                at += 1;
            }
        }
        if !self.0.pending.is_empty() {
            Arc::make_mut(&mut self.0).place_decided();
        }
    }

    /// The presence of the key of a write before that write.
    fn asked_beneath(&self, at: usize, knows: &mut dyn FnMut(&Term) -> Option<bool>) -> PresenceBefore {
        if at > ASKED || self.0.base.is_some() {
            return PresenceBefore::Open;
        }
        let known = match self.contains_before(at, &self.0.pending[at].key) {
            Ok(Truth::Known(known)) => Some(known),
            Ok(Truth::Term(open)) => knows(&open),
            Err(_) => None,
        };
        known.map_or(PresenceBefore::Open, |there| if there { PresenceBefore::There } else { PresenceBefore::Missing })
    }
}

/// Rewrites the expanded part of the base. An entry whose key became known is placed, unless the map has one under that key.
fn rewrite_base(contents: &mut Contents, rewrite: &mut dyn FnMut(&Value) -> Option<Value>) {
    let Some(base) = &mut contents.base else { return };
    if let Some(new) = base.others.as_ref().and_then(|others| rewrite(&Value::Term(others.clone()))) {
        base.others = new.as_term();
    }
    for (key, entry) in std::mem::take(&mut base.touched) {
        let key = rewrite(&key).unwrap_or(key);
        let entry = entry.rewrite(rewrite).unwrap_or(Some(entry));
        if !key.is_known() {
            if let Some(base) = &mut contents.base {
                base.touched.push((key, entry.unwrap_or(Entry::HIDDEN)));
            }
        } else if !contents.entries.contains_key(&key) {
            contents.place(key, entry);
        }
    }
}

/// Places a pending write under a known key if it commutes with all before it; returns whether it did.
fn place_before(contents: &mut Contents, at: usize, knows: &mut dyn FnMut(&Term) -> Option<bool>) -> bool {
    let Write { key, beneath, .. } = contents.pending[at].clone();
    if at == 0 || contents.symbolic > 0 || !contents.has_before(at) {
        return false;
    }
    let effect = contents.pending[at].effect();
    let mut alike = Vec::new();
    for (before, write) in contents.pending[..at].iter().enumerate() {
        let differs = match write.writes_under(&key) {
            Ok(Truth::Known(same)) => !same,
            Ok(Truth::Term(same)) => knows(&same) == Some(false),
            Err(_) => false,
        };
        match differs {
            true => {}
            false if effect.is_some() && write.effect() == effect => alike.push(before),
            false => return false,
        }
    }
    // A removal of a key that was present after other removals is under another key than they are; an addition of a key that was
    // missing after other additions, too.
    let is_apart =
        matches!((effect, beneath), (Some(false), PresenceBefore::There) | (Some(true), PresenceBefore::Missing));
    if !is_apart {
        alike.into_iter().for_each(|before| contents.pending[before].beneath = PresenceBefore::Unasked);
    }
    contents.carry_out(at, key);
    true
}

/// Tests whether a pending write changes nothing.
fn is_idle(contents: &Contents, at: usize) -> bool {
    let write = &contents.pending[at];
    let is_unit = |entry: &Entry| entry.value == Value::UNIT;
    match write.beneath {
        PresenceBefore::There => {
            write.adds_element()
                && contents.entries.len() <= MANY
                && contents.entries.iter().all(|(_, entry)| is_unit(entry))
                && contents.pending[..at].iter().filter_map(|write| write.entry.as_ref()).all(is_unit)
        }
        PresenceBefore::Missing => write.entry.is_none(),
        PresenceBefore::Unasked | PresenceBefore::Open => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::numbers;
    use crate::scalar::Sort;
    use crate::value;
    use std::collections::BTreeSet;

    fn var(id: u64) -> Value {
        Value::Term(Term::var(Var { id, sort: Sort::Int }))
    }

    /// Values of every kind for an entry, known and symbolic, short and long; `None` for no entry.
    fn values(id: u64) -> Vec<Option<Value>> {
        let known = Value::data(1, [Value::from(3), Value::str("x")]);
        let long = Value::list((0..100).map(|n| if n == 99 { var(id) } else { Value::from(n) }));
        let map = |inside: Value| Value::Map(Map::of([(Value::from(1), inside)]));
        let known_map = map(Value::from(2));
        let some = [known, var(id), Value::some(var(id)), long, map(var(id)), known_map, Value::list([var(id)])];
        some.into_iter().map(Some).chain([None]).collect()
    }

    /// The variables that are live in a map, found by a walk through all entries.
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
                map.normalize(solved, &mut |_| None, &mut |_| {
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
