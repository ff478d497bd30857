//! Maps on an unknown base: a key without an entry of the map itself has that of the base.
//!
//! For example after `m["a"] := 1` on an unknown `m`, `m.get("a")` is `Some(1)`, and `m.get("b")` asks the base for its entry under
//! `"b"`. A removed key has an entry that is never present, so the base does not show there.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::entry::{Entry, Presence, PresenceBefore, Write, present, same_entry};
use super::keys::Which;
use super::lineage::Lineage;
use super::rewrite::Scope;
use super::{Map, unknown_key};
use crate::term::Term;
use crate::value::unknown::{Ask, Base, ExpandedPart, Keys, Unknown, View, is_about};
use crate::value::{Lifted, Split, Truth, Value, equal};

impl Map {
    /// An unknown map (or set), with these entries already expanded: one for each possible key, or none.
    #[must_use]
    pub fn unknown(unknown: Unknown, keys: Keys, entries: impl IntoIterator<Item = (Value, Entry)>) -> Map {
        let mut map = Map::default();
        let contents = Arc::make_mut(&mut map.0);
        contents.base = Some(Box::new(Base { unknown, keys, view: View::Whole, touched: Vec::new(), others: None }));
        entries.into_iter().for_each(|(key, entry)| contents.place(key, Some(entry)));
        map
    }

    /// The unknown base, if the map stands on one.
    #[must_use]
    pub fn base(&self) -> Option<&Base> {
        self.0.base.as_deref()
    }

    /// The set of the keys of the map, also if it stands on a base or has pending writes.
    #[must_use]
    pub fn keys(&self) -> Map {
        let unit = |entry: &mut Entry| {
            if entry.presence != Presence::Never {
                entry.value = Value::UNIT;
            }
        };
        let mut map = self.clone();
        let contents = Arc::make_mut(&mut map.0);
        for (key, entry) in self.0.entries.iter() {
            let mut key_only = entry.clone();
            unit(&mut key_only);
            contents.place(key.clone(), Some(key_only));
        }
        contents.lineage = Lineage::default();
        contents.pending.iter_mut().filter_map(|write| write.entry.as_mut()).for_each(unit);
        if let Some(base) = &mut contents.base {
            base.view = View::Keys;
            base.touched.iter_mut().for_each(|(_, entry)| unit(entry));
        }
        map
    }

    /// Checks that the entries can be counted and listed: not on an unknown base.
    pub(super) fn countable(&self) -> Lifted<()> {
        self.base().map_or(Ok(()), |base| Err(base.uncounted()))
    }

    /// The entry of the base under a key for which the map has no entry; a split if it was not asked for yet.
    pub(super) fn of_base<'m>(&'m self, base: &'m Base, key: &Value) -> Lifted<&'m Entry> {
        let touched = base.touched.iter().find(|(other, _)| other == key);
        touched.map(|(_, entry)| entry).ok_or_else(|| Split::Ask(Ask::Entry(base.unknown, key.clone())))
    }

    /// The map with an expanded part of its base, or of its entries, filled in; `None` if that changes nothing.
    pub(in crate::value) fn filled(&self, part: &ExpandedPart) -> Option<Map> {
        let mut map = self.clone();
        map.fill(part).then_some(map)
    }

    /// Fills in an expanded part of the base, or of the entries; returns whether anything changed. A map that is not shared is not
    /// copied.
    pub fn fill(&mut self, part: &ExpandedPart) -> bool {
        match (part, self.base()) {
            (ExpandedPart::Entry(_, key, entry), Some(base)) if is_about(part, &base.unknown) => {
                self.fill_entry(key, entry)
            }
            (ExpandedPart::Others(_, entries, others), Some(base)) if is_about(part, &base.unknown) => {
                let changed =
                    entries.iter().fold(false, |changed, (key, entry)| self.fill_entry(key, entry) || changed);
                // The condition is about keys other than these: a map with one more key of its own hides that one, too.
                if !self.has_keys_among(entries) {
                    return changed;
                }
                self.bind_others(others) || changed
            }
            (ExpandedPart::Whole(_, entries), Some(base)) if is_about(part, &base.unknown) => {
                let view = base.view;
                self.put_on(entries, view);
                true
            }
            _ => self.fill_values(part),
        }
    }

    /// Notes the condition that the base has keys for which the map has no entry; returns whether that is new.
    pub fn bind_others(&mut self, others: &Term) -> bool {
        match &mut Arc::make_mut(&mut self.0).base {
            Some(base) if base.others.as_ref() != Some(others) => base.others = Some(others.clone()),
            Some(_) | None => return false,
        }
        true
    }

    /// Puts the map on these entries, which are all that its base has.
    fn put_on(&mut self, entries: &[(Value, Entry)], view: View) {
        let mut all = Map::default();
        for (key, entry) in entries {
            let shown = if view == View::Keys { Value::UNIT } else { entry.value.clone() };
            all.set_in_place(key, Some(Entry { value: shown, ..entry.clone() }));
        }
        let is_there = |entry: &Entry| entry.presence != Presence::Never;
        let own = self.sorted().into_iter().map(|(key, entry)| (key, Some(entry.clone()).filter(is_there)));
        own.for_each(|(key, entry)| all.set_in_place(key, entry));
        let pending = self.0.pending.iter().cloned();
        let contents = Arc::make_mut(&mut all.0);
        contents.pending.extend(pending.map(|write| Write {
            entry: write.entry.filter(is_there),
            beneath: PresenceBefore::Unasked,
            ..write
        }));
        contents.place_decided();
        *self = all;
    }

    /// Tests whether all keys of the map itself, those of pending writes included, are among these sorted ones.
    fn has_keys_among(&self, entries: &[(Value, Entry)]) -> bool {
        let is_among = |key: &Value| entries.binary_search_by(|(other, _)| other.cmp(key)).is_ok();
        self.0.entries.keys().all(is_among) && self.0.pending.iter().all(|write| is_among(&write.key))
    }

    fn fill_entry(&mut self, key: &Value, entry: &Entry) -> bool {
        let Some(base) = self.base() else { return false };
        let known = key.is_known();
        let there =
            if known { self.0.entries.contains_key(key) } else { base.touched.iter().any(|(other, _)| other == key) };
        if there {
            return false;
        }
        let mut entry = entry.clone();
        if base.view == View::Keys && entry.presence != Presence::Never {
            entry.value = Value::UNIT;
        }
        let contents = Arc::make_mut(&mut self.0);
        if let Some(base) = &mut contents.base {
            base.others = None;
            if !known {
                base.touched.push((key.clone(), entry));
                return true;
            }
        }
        contents.place(key.clone(), Some(entry));
        true
    }

    /// Notes that the map has an entry for each key of its base.
    pub fn cover(&mut self) {
        if let Some(base) = &mut Arc::make_mut(&mut self.0).base {
            base.keys = Keys::Covered;
        }
    }

    /// Replaces a key under which the base was asked by one that it equals.
    pub fn rename_touched(&mut self, key: &Value, renamed: Value) {
        let base = Arc::make_mut(&mut self.0).base.as_mut();
        let touched = base.and_then(|base| base.touched.iter_mut().find(|(own, _)| own == key));
        touched.into_iter().for_each(|(own, _)| *own = renamed.clone());
    }

    fn fill_values(&mut self, part: &ExpandedPart) -> bool {
        let filled: Vec<(Value, Value)> =
            self.0.entries.iter().filter_map(|(key, entry)| Some((key.clone(), entry.value.filled(part)?))).collect();
        let key_changes = self.0.entries.keys().any(|key| key.filled(part).is_some());
        let pending = self.0.pending.iter().any(|write| {
            write.key.filled(part).is_some() || write.entry.as_ref().is_some_and(|e| e.value.filled(part).is_some())
        });
        if filled.is_empty() && !pending && !key_changes {
            return false;
        }
        let mut rewrite = |value: &Value| value.filled(part);
        if let Some(map) = self.rewrite(&mut rewrite, Scope::Everything) {
            *self = map;
        }
        true
    }

    /// Calls a function on the identity of the base, and of each unknown part in the entries.
    pub(in crate::value) fn visit_unknowns(&self, visit: &mut dyn FnMut(u64)) {
        if let Some(base) = self.base() {
            visit(base.unknown.id);
        }
        let visit = std::cell::RefCell::new(visit);
        self.visit(&mut |value| value.visit_unknowns(&mut **visit.borrow_mut()), &mut |_| {});
    }

    /// The map with other identities for its base and the unknown parts of its entries; `None` if it has none of these.
    pub(in crate::value) fn renumbered(&self, number: &dyn Fn(u64) -> u64) -> Option<Map> {
        let mut renumber = |value: &Value| value.renumbered(number);
        let inside = self.rewrite(&mut renumber, Scope::Everything);
        if inside.is_none() && self.base().is_none() {
            return None;
        }
        let mut map = inside.unwrap_or_else(|| self.clone());
        if let Some(base) = &mut Arc::make_mut(&mut map.0).base {
            base.unknown.id = number(base.unknown.id);
        }
        Some(map)
    }

    /// The entries in the order of their keys, with those of the base that were asked for; `None` if a write is pending.
    #[must_use]
    pub fn decided_entries(&self) -> Option<Vec<(&Value, &Entry)>> {
        let mut entries: Vec<_> = self.looked_at().collect();
        entries.sort_by(|a, b| a.0.cmp(b.0));
        self.0.pending.is_empty().then_some(entries)
    }

    /// The pending writes, the earliest first (later ones win): the key, the new entry (`None` for a removal), and the condition under
    /// which anything is written.
    pub fn pending(&self) -> impl DoubleEndedIterator<Item = (&Value, Option<&Entry>, Truth)> {
        let when = |write: &Write| write.when.clone().map_or(Truth::Known(true), Truth::Term);
        self.0.pending.iter().map(move |write| (&write.key, write.entry.as_ref(), when(write)))
    }

    pub(in crate::value) fn visit_bases<'m>(&'m self, visit: &mut dyn FnMut(u64, &'m Map)) {
        let pending = self.0.pending.iter().filter_map(|write| write.entry.as_ref());
        for entry in self.looked_at().map(|(_, entry)| entry).chain(pending) {
            entry.value.visit_bases(visit);
        }
        self.0.entries.keys().for_each(|key| key.visit_bases(visit));
    }

    /// The expanded part of a base, without the entries that each of the maps on it hides by one of its own; `None` if nothing is left.
    /// If a map was asked for the other keys of the base, no entry is left out.
    #[must_use]
    pub fn without_entries_of_all(&self, holders: &[&Map]) -> Option<Map> {
        let asked = |map: &Map| map.base().is_some_and(|base| base.others.is_some());
        if asked(self) || holders.iter().any(|map| asked(map)) {
            return Some(self.clone());
        }
        let hidden = |key: &&Value| holders.iter().all(|map| map.0.entries.contains_key(key));
        let hidden: Vec<Value> = self.0.entries.keys().filter(hidden).cloned().collect();
        let mut map = self.clone();
        let contents = Arc::make_mut(&mut map.0);
        let base = contents.base.take();
        hidden.into_iter().for_each(|key| contents.place(key, None));
        contents.base = base;
        let touched = contents.base.as_ref().is_some_and(|base| !base.touched.is_empty());
        (touched || !contents.entries.is_empty()).then_some(map)
    }

    /// All entries, with those of the base under symbolic keys. Of the base itself these are all entries that were expanded.
    pub fn looked_at(&self) -> impl Iterator<Item = (&Value, &Entry)> {
        self.0.entries.iter().chain(self.touched())
    }

    /// The entries of the base that were asked for under symbolic keys.
    fn touched(&self) -> impl Iterator<Item = (&Value, &Entry)> {
        self.0.base.iter().flat_map(|base| base.touched.iter().map(|(key, entry)| (key, entry)))
    }

    /// The entry under a key: that of the map, or that of the base if it was asked for under this very key.
    #[must_use]
    pub fn seen_entry(&self, key: &Value) -> Option<&Entry> {
        if key.is_known() {
            return self.0.entries.get(key);
        }
        self.base()?.touched.iter().find(|(other, _)| other == key).map(|(_, entry)| entry)
    }

    /// The entries whose keys may turn out to equal this one: those under symbolic keys, and all if this key is symbolic.
    fn possibly_equal(&self, key: &Value) -> impl Iterator<Item = (&Value, &Entry)> {
        self.entries_that_may_be(key).into_iter().chain(self.touched())
    }

    /// The last entry under each key, in the order of the keys; `None` if the key is not there. Keys are left out under which a later
    /// write may have been, and those that only an unknown base has.
    #[must_use]
    pub fn last_seen(&self, may_be_equal: &dyn Fn(&Value, &Value) -> bool) -> Vec<(&Value, Option<&Entry>)> {
        let mut seen: BTreeMap<&Value, Option<&Entry>> =
            self.looked_at().map(|(key, entry)| (key, Some(entry))).collect();
        for write in &self.0.pending {
            seen.retain(|key, _| write.differs.contains(key) || !may_be_equal(key, &write.key));
            if write.when.is_none() {
                seen.insert(&write.key, write.entry.as_ref());
            } else {
                seen.remove(&write.key);
            }
        }
        let there = |entry: &&Entry| entry.presence != Presence::Never;
        seen.into_iter().map(|(key, entry)| (key, entry.filter(there))).collect()
    }

    /// The facts that make an unknown map a function: if the key of a new entry equals another one, both entries are the same.
    #[must_use]
    pub fn agreement(&self, key: &Value, entry: &Entry) -> Vec<Term> {
        let mut facts = Vec::new();
        if let Value::Term(term) = key {
            let hidden = self.clone().has_among(term, Which::Hidden);
            facts.push(hidden.and(entry.truth()).not());
            if entry.value == Value::UNIT {
                facts.push(self.clone().has_among(term, Which::Certain).not().or(entry.truth()));
            }
        }
        let by_one = |theirs: &Entry| match (&theirs.presence, key) {
            (Presence::When(_), _) => true,
            (Presence::Always, Value::Term(_)) => entry.value != Value::UNIT,
            (Presence::Never, Value::Term(_)) => false,
            (Presence::Always | Presence::Never, _) => true,
        };
        let certain = matches!(key, Value::Term(_)) && entry.value == Value::UNIT;
        let own =
            if certain && self.0.conditional == self.0.hidden { Vec::new() } else { self.entries_that_may_be(key) };
        let own = own.into_iter().filter(|(_, theirs)| by_one(theirs));
        facts.extend(own.chain(self.touched()).filter_map(|(other, theirs)| agree(other, theirs, key, entry)));
        facts.into_iter().map(Truth::term).filter(|fact| fact.as_bool() != Some(true)).collect()
    }

    /// The condition that a key differs from all keys for which the base was asked.
    #[must_use]
    pub fn differs_from_all(&self, key: &Value) -> Truth {
        let differ = |(other, _): (&Value, &Entry)| equal(other, key).map_or(Truth::Known(true), Truth::not);
        self.possibly_equal(key).map(differ).fold(Truth::Known(true), Truth::and)
    }

    /// The presence and value under a key of a map on a base; a split if the base must be asked for its entry first.
    pub(super) fn get_on_base(&self, base: &Base, key: &Value) -> Lifted<(Truth, Value)> {
        if let Some(entry) = self.0.entries.get(key) {
            return Ok((entry.truth(), entry.value.clone()));
        }
        let beneath = match base.keys {
            Keys::Covered => present(None),
            Keys::Finite | Keys::Endless => present(Some(self.of_base(base, key)?)),
        };
        if key.is_known() { Ok(beneath) } else { unknown_key::found_above(&self.without_pending(), key, beneath) }
    }

    /// The condition that a map on a base has a key.
    pub(super) fn contains_on_base(&self, base: &Base, key: &Value) -> Lifted<Truth> {
        if let Some(entry) = self.0.entries.get(key) {
            return Ok(entry.truth());
        }
        let mut found = match base.keys {
            Keys::Covered => Truth::Known(false),
            Keys::Finite | Keys::Endless => self.of_base(base, key)?.truth(),
        };
        let keys = self.without_pending();
        let Value::Term(term) = key else {
            return if key.is_known() { Ok(found) } else { unknown_key::contains_above(&keys, key, found) };
        };
        let is_open = |entry: &Entry| matches!(entry.presence, Presence::When(_));
        let has_open = self.0.conditional > self.0.hidden;
        let others = if has_open { self.entries_that_may_be(key) } else { Vec::new() };
        for (other, entry) in others.into_iter().filter(|(_, entry)| is_open(entry)) {
            let same = equal(other, key)?;
            found = same.clone().and(entry.truth()).or(same.not().and(found));
        }
        let hidden = keys.clone().has_among(term, Which::Hidden);
        Ok(keys.has_among(term, Which::Certain).or(hidden.not().and(found)))
    }

    /// The entries of the map itself whose keys may equal a symbolic key: all, the last in the order of keys first.
    fn entries_that_may_be(&self, key: &Value) -> Vec<(&Value, &Entry)> {
        if key.is_known() {
            return Vec::new();
        }
        let mut entries: Vec<_> = self.0.entries.iter().collect();
        entries.sort_by(|a, b| b.0.cmp(a.0));
        entries
    }
}

impl Base {
    /// The step before the entries are counted: a look at all of them, if the base is that of a hole; else it is a fault.
    pub(super) fn uncounted(&self) -> Split {
        if self.unknown.is_hole { Split::Ask(Ask::Whole(self.unknown)) } else { Split::Uncounted }
    }
}

/// The fact that two entries are the same if their keys are equal; `None` if the keys cannot be compared yet.
fn agree(other: &Value, theirs: &Entry, key: &Value, entry: &Entry) -> Option<Truth> {
    let same = equal(other, key).ok()?;
    let alike = match same_entry(theirs, entry.truth(), &entry.value) {
        Ok(alike) => alike,
        // Entries that cannot be compared: their keys are told apart before an entry is made.
        Err(_) => Truth::Known(false),
    };
    Some(same.not().or(alike))
}
