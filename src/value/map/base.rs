//! Maps on an unknown base: what they lack is in the base, unless they have an entry, or a gap, of their own.
//!
//! An unknown `m`, and `m["a"] := 1`: `m.get("a")` is `Some(1)`; `m.get("b")` asks the base for its entry under `"b"`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Map;
use super::entry::{Entry, Presence, overlaid, present, same_entry};
use super::keys::Which;
use super::lineage::Lineage;
use super::rewrite::Scope;
use crate::term::Term;
use crate::value::unknown::{Ask, Base, ExpandedPart, Keys, Unknown, View, is_about};
use crate::value::{Lifted, Split, Truth, Value, equal};

impl Map {
    /// An unknown map (or set), of which these entries are there already; they cover all keys or none.
    #[must_use]
    pub fn unknown(unknown: Unknown, keys: Keys, entries: impl IntoIterator<Item = (Value, Entry)>) -> Map {
        let mut map = Map::default();
        let contents = Arc::make_mut(&mut map.0);
        contents.base = Some(Box::new(Base { unknown, keys, view: View::Whole, touched: Vec::new(), others: None }));
        entries.into_iter().for_each(|(key, entry)| contents.place(key, Some(entry)));
        map
    }

    /// The unknown base, if it has one.
    #[must_use]
    pub fn base(&self) -> Option<&Base> {
        self.0.base.as_deref()
    }

    /// The set of its keys, on an unknown base and under writes that wait, too.
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

    /// Splits where a map on an unknown base is asked what it cannot be: how many entries it has, and which.
    pub(super) fn countable(&self) -> Lifted<()> {
        if self.0.base.is_some() { Err(Split::Uncounted) } else { Ok(()) }
    }

    /// The entry of the base under a key that the map has no entry for.
    pub(super) fn of_base<'m>(&'m self, base: &'m Base, key: &Value) -> Lifted<&'m Entry> {
        let touched = base.touched.iter().find(|(other, _)| other == key);
        touched.map(|(_, entry)| entry).ok_or_else(|| Split::Ask(Ask::Entry(base.unknown, key.clone())))
    }

    /// The map with a part of its base, or of its entries, filled in; `None` if it is not concerned.
    pub(in crate::value) fn filled(&self, part: &ExpandedPart) -> Option<Map> {
        let mut map = self.clone();
        map.fill(part).then_some(map)
    }

    /// Fills in a part of the base, or of the entries; whether anything changed. A map that nobody shares changes in place.
    pub fn fill(&mut self, part: &ExpandedPart) -> bool {
        match (part, self.base()) {
            (ExpandedPart::Entry(_, key, entry), Some(base)) if is_about(part, &base.unknown) => {
                self.fill_entry(key, entry)
            }
            (ExpandedPart::Others(_, entries, others), Some(base)) if is_about(part, &base.unknown) => {
                let changed =
                    entries.iter().fold(false, |changed, (key, entry)| self.fill_entry(key, entry) || changed);
                // Others than these keys: a map that has one more of its own hides that one, too.
                if !self.has_keys_among(entries) {
                    return changed;
                }
                self.bind_others(others) || changed
            }
            _ => self.fill_values(part),
        }
    }

    /// Notes the condition that the base has keys beside those that the map has entries for; whether that is new.
    pub fn bind_others(&mut self, others: &Term) -> bool {
        match &mut Arc::make_mut(&mut self.0).base {
            Some(base) if base.others.as_ref() != Some(others) => base.others = Some(others.clone()),
            Some(_) | None => return false,
        }
        true
    }

    /// Tests whether all its own keys, those of pending writes included, are among these, which are sorted.
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

    /// Calls a function on the identity of the base, and of what is unknown in the entries.
    pub(in crate::value) fn visit_unknowns(&self, visit: &mut dyn FnMut(u64)) {
        if let Some(base) = self.base() {
            visit(base.unknown.id);
        }
        let visit = std::cell::RefCell::new(visit);
        self.visit(&mut |value| value.visit_unknowns(&mut **visit.borrow_mut()), &mut |_| {});
    }

    /// The map with other identities for its base and what is unknown in its entries; `None` if nothing is.
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

    /// The entries in the order of their keys, those of a base that were asked for included; `None` while a write is
    /// pending.
    #[must_use]
    pub fn decided_entries(&self) -> Option<Vec<(&Value, &Entry)>> {
        let mut entries: Vec<_> = self.looked_at().collect();
        entries.sort_by(|a, b| a.0.cmp(b.0));
        self.0.pending.is_empty().then_some(entries)
    }

    /// Writes whose key may or may not equal that of an entry, in order: later ones win. `None` is a removal.
    pub fn pending(&self) -> impl DoubleEndedIterator<Item = (&Value, Option<&Entry>)> {
        self.0.pending.iter().map(|write| (&write.key, write.entry.as_ref()))
    }

    pub(in crate::value) fn visit_bases<'m>(&'m self, visit: &mut dyn FnMut(u64, &'m Map)) {
        let pending = self.0.pending.iter().filter_map(|write| write.entry.as_ref());
        for entry in self.looked_at().map(|(_, entry)| entry).chain(pending) {
            entry.value.visit_bases(visit);
        }
        self.0.entries.keys().for_each(|key| key.visit_bases(visit));
    }

    /// The part of a base that was seen, without the entries that each of the maps on it hides by one of its own; `None` if
    /// nothing is left. As long as it matters which other keys there are, nothing is left out.
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

    /// Every entry of the base that was looked at: the map as it was at first, as far as it is known.
    pub fn looked_at(&self) -> impl Iterator<Item = (&Value, &Entry)> {
        self.0.entries.iter().chain(self.touched())
    }

    /// The entries of the base that were asked for under symbolic keys.
    fn touched(&self) -> impl Iterator<Item = (&Value, &Entry)> {
        self.0.base.iter().flat_map(|base| base.touched.iter().map(|(key, entry)| (key, entry)))
    }

    /// The entry of the base under a key, as far as it was asked for it and the map has no other entry under it.
    #[must_use]
    pub fn seen_entry(&self, key: &Value) -> Option<&Entry> {
        if key.is_known() {
            return self.0.entries.get(key);
        }
        self.base()?.touched.iter().find(|(other, _)| other == key).map(|(_, entry)| entry)
    }

    /// The entries that a key may turn out to equal: those under symbolic keys and, if it is symbolic, all.
    fn possibly_equal(&self, key: &Value) -> impl Iterator<Item = (&Value, &Entry)> {
        self.entries_that_may_be(key).into_iter().chain(self.touched())
    }

    /// The entries that were last written or seen under each key, in the order of the keys, unless a later write may have been under the
    /// same one; nothing if the key is not there. It is not all: an unknown base has more.
    #[must_use]
    pub fn last_seen(&self, may_be_equal: &dyn Fn(&Value, &Value) -> bool) -> Vec<(&Value, Option<&Entry>)> {
        let mut seen: BTreeMap<&Value, Option<&Entry>> =
            self.looked_at().map(|(key, entry)| (key, Some(entry))).collect();
        for write in &self.0.pending {
            seen.retain(|key, _| write.differs.contains(key) || !may_be_equal(key, &write.key));
            seen.insert(&write.key, write.entry.as_ref());
        }
        let there = |entry: &&Entry| entry.presence != Presence::Never;
        seen.into_iter().map(|(key, entry)| (key, entry.filter(there))).collect()
    }

    /// The facts that make an unknown map a function: an entry under a key that equals another one is the same entry.
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
        facts.extend(own.chain(self.touched()).filter_map(|(other, theirs)| agree((other, theirs), (key, entry))));
        facts.into_iter().map(Truth::term).filter(|fact| fact.as_bool() != Some(true)).collect()
    }

    /// Tests whether a key differs from all that the base was asked for.
    #[must_use]
    pub fn differs_from_all(&self, key: &Value) -> Truth {
        let differ = |(other, _): (&Value, &Entry)| equal(other, key).map_or(Truth::Known(true), Truth::not);
        self.possibly_equal(key).map(differ).fold(Truth::Known(true), Truth::and)
    }

    /// The entry of a map on an unknown base under a key, as far as its own entries and what was asked of the base say.
    pub(super) fn get_on_base(&self, base: &Base, key: &Value) -> Lifted<(Truth, Value)> {
        if let Some(entry) = self.0.entries.get(key) {
            return Ok((entry.truth(), entry.value.clone()));
        }
        let mut found = match base.keys {
            Keys::Covered => present(None),
            Keys::Finite | Keys::Endless => present(Some(self.of_base(base, key)?)),
        };
        for (other, entry) in self.entries_that_may_be(key) {
            let same = equal(other, key)?;
            found = overlaid(&same, (entry.truth(), entry.value.clone()), found);
        }
        Ok(found)
    }

    /// Tests whether a map on an unknown base has a key.
    pub(super) fn contains_on_base(&self, base: &Base, key: &Value) -> Lifted<Truth> {
        if let Some(entry) = self.0.entries.get(key) {
            return Ok(entry.truth());
        }
        let mut found = match base.keys {
            Keys::Covered => Truth::Known(false),
            Keys::Finite | Keys::Endless => self.of_base(base, key)?.truth(),
        };
        let is_open = |entry: &Entry| matches!(entry.presence, Presence::When(_));
        let scalar = matches!(key, Value::Term(_));
        let open_entries = !scalar || self.0.conditional > self.0.hidden;
        let others = if open_entries { self.entries_that_may_be(key) } else { Vec::new() };
        for (other, entry) in others.into_iter().filter(|(_, e)| !scalar || is_open(e)) {
            let same = equal(other, key)?;
            found = same.clone().and(entry.truth()).or(same.not().and(found));
        }
        let Value::Term(term) = key else { return Ok(found) };
        let keys = self.without_pending();
        let hidden = keys.clone().has_among(term, Which::Hidden);
        Ok(keys.has_among(term, Which::Certain).or(hidden.not().and(found)))
    }

    /// Own entries whose keys a key may equal, in their order.
    fn entries_that_may_be(&self, key: &Value) -> Vec<(&Value, &Entry)> {
        if key.is_known() {
            return Vec::new();
        }
        let mut entries: Vec<_> = self.0.entries.iter().collect();
        entries.sort_by(|a, b| b.0.cmp(a.0));
        entries
    }
}

/// That an entry is the same as another one if their keys are equal.
fn agree((other, theirs): (&Value, &Entry), (key, entry): (&Value, &Entry)) -> Option<Truth> {
    let same = equal(other, key).ok()?;
    let alike = match same_entry(theirs, entry.truth(), &entry.value) {
        Ok(alike) => alike,
        // Such keys are told apart before an entry is made.
        Err(_) => Truth::Known(false),
    };
    Some(same.not().or(alike))
}
