//! Whole maps: joined under a condition, compared, counted, and their keys as one set.
//!
//! `{a} == {a, b if p}` is `!p`.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::{Entry, Map, Presence, entry};
use smallvec::SmallVec;

use crate::scalar::Scalar;
use crate::term::{ScalarSet, Term};
use crate::value::{Ask, Base, Lifted, Split, Truth, Value, equal, merge};

impl Map {
    /// What was last written or seen under each key, in the order of the keys, unless a later write may have been under the
    /// same one; nothing where the key is not there. It is not all: an unknown base has more.
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

    /// `condition ? then : otherwise`, key by key; `None` where a write is pending.
    #[must_use]
    pub fn join(condition: &Term, then: &Map, otherwise: &Map) -> Option<Map> {
        let plain = |map: &Map| map.0.pending.is_empty() && map.0.symbolic == 0;
        if !plain(then) || !plain(otherwise) || !Map::have_like_bases(then, otherwise) {
            return None;
        }
        let mut joined = otherwise.clone();
        let contents = Arc::make_mut(&mut joined.0);
        let negated = Term::not(condition);
        for key in Map::keys_that_may_differ(then, otherwise) {
            let joined = match (then.0.entries.get(key), otherwise.0.entries.get(key)) {
                (None, None) => continue,
                (Some(own), Some(other)) if own == other => continue,
                (None, Some(other)) => entry(Truth::of(negated.clone()).and(other.truth()), other.value.clone()),
                (Some(own), None) => entry(Truth::of(condition.clone()).and(own.truth()), own.value.clone()),
                (Some(own), Some(other)) => {
                    let there = Truth::of(Term::ite(condition, &own.truth().term(), &other.truth().term()));
                    entry(there, merge(condition, own.value.clone(), other.value.clone()))
                }
            };
            contents.place(key.clone(), joined);
        }
        Some(joined)
    }

    /// Keys beside which both have the same entries, where they are copies of one map and little was written since.
    pub(super) fn written_since_parted<'m>(&'m self, other: &'m Map) -> Option<SmallVec<[&'m Value; 8]>> {
        self.0.lineage.since_parted(&other.0.lineage)
    }

    /// Keys beside which both have the same entries: those written since they were one map, or else all.
    fn keys_that_may_differ<'m>(a: &'m Map, b: &'m Map) -> SmallVec<[&'m Value; 8]> {
        a.written_since_parted(b).unwrap_or_else(|| {
            let only_in_b = b.0.entries.keys().filter(|key| !a.0.entries.contains_key(key));
            a.0.entries.keys().chain(only_in_b).collect()
        })
    }

    /// The keys under which both have different entries; `None` where those may not be all in which they differ.
    #[must_use]
    pub fn differing_keys(&self, other: &Map) -> Option<Vec<Value>> {
        let entry = |map: &'_ Map, key: &Value| map.0.entries.get(key).cloned();
        let differ = |key: &&Value| entry(self, key) != entry(other, key);
        if !self.has_cells() || !other.has_cells() || self.base() != other.base() {
            return None;
        }
        let keys: Vec<Value> = Map::keys_that_may_differ(self, other).into_iter().filter(differ).cloned().collect();
        // What only one of them has of a base would be asked for first.
        let is_there = |key: &Value| entry(self, key).is_some() && entry(other, key).is_some();
        (self.base().is_none() || keys.iter().all(is_there)).then_some(keys)
    }

    /// Whether each entry under a known key is a cell by itself: no key is symbolic, no write is pending, and of an unknown base
    /// nothing was asked that is not among the entries.
    #[must_use]
    pub fn has_cells(&self) -> bool {
        let contents = &*self.0;
        let is_unasked = |base: &Base| base.touched.is_empty() && base.others.is_none();
        contents.symbolic == 0 && contents.pending.is_empty() && contents.base.as_deref().is_none_or(is_unasked)
    }

    /// What such a cell holds, if anything; `None` where there are none.
    #[must_use]
    pub fn cell(&self, key: &Value) -> Option<Option<&Entry>> {
        self.has_cells().then(|| self.0.entries.get(key).filter(|entry| entry.presence != Presence::Never))
    }

    /// Whether its entries are all that it has: no key is symbolic, no write is pending, and nothing is unknown beneath.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        let contents = &*self.0;
        contents.symbolic == 0 && contents.pending.is_empty() && contents.base.is_none()
    }

    /// The entries in which something is not known, with their keys.
    pub fn open_entries(&self) -> impl Iterator<Item = (&Value, &Entry)> {
        self.0.entries.open()
    }

    /// Whether both stand on no base, or on one base of which both have seen the same.
    fn have_like_bases(a: &Map, b: &Map) -> bool {
        a.base() == b.base() && (a.base().is_none() || a.missing(b).is_none())
    }

    /// What one of two maps on one base has an entry for and the other one does not: to be asked before they are joined.
    #[must_use]
    pub fn missing(&self, other: &Map) -> Option<Ask> {
        let (Some(own), Some(theirs)) = (self.base(), other.base()) else { return None };
        if own.unknown != theirs.unknown {
            return None;
        }
        let keys = Map::keys_that_may_differ(self, other);
        let has = |map: &Map, key: &Value| map.0.entries.contains_key(key);
        let lacks =
            |from: &Map, of: &Map| keys.iter().copied().filter(|key| has(of, key) && !has(from, key)).min().cloned();
        let touched = |from: &Base, of: &Base| {
            of.touched.iter().map(|(key, _)| key).find(|key| !from.touched.iter().any(|(k, _)| k == *key)).cloned()
        };
        let key = lacks(self, other).or_else(|| lacks(other, self));
        let key = key.or_else(|| touched(own, theirs)).or_else(|| touched(theirs, own))?;
        Some(Ask::Entry(own.unknown, key))
    }

    /// Whether both have the same entries.
    ///
    /// # Errors
    /// The condition on which to fork first.
    pub fn equals(&self, other: &Map) -> Lifted<Truth> {
        match (self.base(), other.base()) {
            (None, None) if self.is_same(other) => return Ok(Truth::Known(true)),
            (None, None) => {}
            (Some(base), None) => return self.equals_known(base, other),
            (None, Some(base)) => return other.equals_known(base, self),
            (Some(_), Some(_)) => return Err(Split::Uncounted),
        }
        if (self.is_nothing() && other.0.has_untaken()) || (other.is_nothing() && self.0.has_untaken()) {
            return Ok(Truth::Known(false));
        }
        if !(self.0.pending.is_empty() && other.0.pending.is_empty()) {
            return self.equals_under_each_key(other);
        }
        let mut all = Truth::Known(true);
        for (key, own) in self.entries()? {
            let (there, value) = other.get(key)?;
            all = all.and(same_entry(own, there, &value)?);
        }
        for (key, theirs) in other.entries()? {
            if !self.0.entries.contains_key(key) {
                all = all.and(theirs.truth().not().or(self.contains(key)?));
            }
        }
        Ok(all)
    }

    /// Tests whether it has no entry, in any case.
    fn is_nothing(&self) -> bool {
        self.0.entries.is_empty() && self.0.pending.is_empty() && self.0.base.is_none()
    }

    /// Tests whether both have the same under each key that either may have, where writes wait.
    fn equals_under_each_key(&self, other: &Map) -> Lifted<Truth> {
        self.is_surveyable()?;
        other.is_surveyable()?;
        let keys = |map: &'_ Map| {
            let mut keys: Vec<Value> = map.0.entries.keys().cloned().collect();
            keys.sort();
            keys.extend(map.0.pending.iter().map(|write| write.key.clone()));
            keys
        };
        let mut all = Truth::Known(true);
        let only_in_other = keys(other).into_iter().filter(|key| !self.0.entries.contains_key(key));
        for key in keys(self).into_iter().chain(only_in_other) {
            let ((there, value), (also, theirs)) = (self.get(&key)?, other.get(&key)?);
            all = all.and(same_entry(&Entry::when(there, value), also, &theirs)?);
            if all.is_false() {
                break;
            }
        }
        Ok(all)
    }

    /// The number of entries, as a term where presences are open, or writes wait.
    ///
    /// # Errors
    /// The condition on which to fork first.
    pub fn len(&self) -> Lifted<Value> {
        self.is_surveyable()?;
        let certain = self.0.entries.len() - self.0.conditional;
        let mut sum = Term::constant(Scalar::Int((certain as i64).into()));
        if self.0.conditional > 0 {
            let mut entries: Vec<_> = self.0.entries.iter().collect();
            entries.sort_by(|a, b| a.0.cmp(b.0));
            for (_, entry) in entries {
                if let Presence::When(condition) = &entry.presence {
                    sum = Term::add(&sum, &Term::bit(condition));
                }
            }
        }
        Ok(Value::of_term(if self.0.pending.is_empty() { sum } else { Term::add(&sum, &self.growth()?) }))
    }
}

/// Whether an entry is there just where another one is, with the same value.
pub(super) fn same_entry(own: &Entry, there: Truth, value: &Value) -> Lifted<Truth> {
    if own.presence == Presence::Never || there.is_false() {
        return Ok(own.truth().or(there).not());
    }
    let same_presence = match (own.truth(), there) {
        (Truth::Known(true), x) | (x, Truth::Known(true)) => x,
        (x, y) => Truth::of(Term::eq(&x.term(), &y.term())),
    };
    if same_presence.is_false() {
        return Ok(same_presence);
    }
    let absent = own.truth().not();
    Ok(same_presence.and(absent.or(equal(&own.value, value)?)))
}

/// Which keys of a map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Which {
    /// Those that are certainly there.
    Certain,
    /// Those that are certainly not there, whatever an unknown base has.
    Hidden,
}

/// The keys of a map as a set of known scalars, shared by reference; those of entries under conditions are left out.
#[derive(Debug)]
pub(super) struct Keys {
    pub(super) map: Map,
    pub(super) which: Which,
}

impl Keys {
    fn has(&self, entry: &Entry) -> bool {
        match self.which {
            Which::Certain => entry.presence == Presence::Always,
            Which::Hidden => entry.presence == Presence::Never,
        }
    }
}

impl ScalarSet for Keys {
    fn contains(&self, scalar: &Scalar) -> bool {
        self.map.0.entries.get(&Value::Scalar(scalar.clone())).is_some_and(|entry| self.has(entry))
    }

    fn len(&self) -> usize {
        let contents = &*self.map.0;
        match self.which {
            Which::Certain => contents.entries.len() - contents.conditional,
            Which::Hidden => contents.hidden,
        }
    }

    fn same(&self, other: &dyn ScalarSet) -> bool {
        let is_in_other = |key: &Value| matches!(key, Value::Scalar(scalar) if other.contains(scalar));
        let mut own = self.map.0.entries.iter().filter(|(_, entry)| self.has(entry));
        self.len() == other.len() && own.all(|(key, _)| is_in_other(key))
    }

    fn for_each(&self, visit: &mut dyn FnMut(&Scalar) -> ControlFlow<()>) {
        let keys = self.map.0.entries.iter().filter(|(_, entry)| self.has(entry));
        let mut keys: Vec<&Value> = keys.map(|(key, _)| key).collect();
        keys.sort();
        for key in keys {
            if let Value::Scalar(scalar) = key
                && visit(scalar).is_break()
            {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Sort;
    use crate::term::Var;

    /// What is known without a look at the entries is what a look at them tells, whatever was written.
    #[test]
    fn a_map_knows_what_is_known_of_it() {
        let open = |id: u64| Value::Term(Term::var(Var { id, sort: Sort::Int }));
        let maybe = Truth::Term(Term::var(Var { id: 9, sort: Sort::Bool }));
        let entries = [
            Some(Entry::always(Value::from(1))),
            Some(Entry::always(Value::some(open(1)))),
            Some(Entry::when(maybe, Value::from(2))),
            None,
        ];
        let keys = [Value::from(1), Value::from(2), open(2)];
        let mut map = Map::default();
        for at in 0..entries.len() * keys.len() * 40 {
            map.set_in_place(&keys[at * at % 7 % keys.len()], entries[at % 11 % entries.len()].clone());
            let mut terms = 0;
            Value::Map(map.clone()).visit_terms(&mut |_| terms += 1);
            let own = map.0.entries.iter();
            let inside = own.filter(|(key, entry)| !(key.is_known() && entry.is_known())).count();
            assert_eq!(map.is_known(), inside + map.0.pending.len() == 0, "{map:?}");
            assert_eq!(terms == 0, map.is_known(), "{map:?}");
            let hashes = map
                .0
                .entries
                .iter()
                .map(|(key, entry)| super::super::order::hash_of(super::super::table::hash(key), entry));
            assert_eq!(map.0.hash(), hashes.fold(0, u64::wrapping_add), "{map:?}");
        }
    }

    #[test]
    fn only_what_no_later_write_may_have_changed_is_last_seen() {
        let open = Value::Term(Term::var(Var { id: 1, sort: Sort::Int }));
        let mut map = Map::default();
        for (key, value) in [(Value::from(1), 10), (Value::from(2), 20), (open.clone(), 30), (Value::from(2), 21)] {
            map.set_in_place(&key, Some(Entry::always(Value::from(value))));
        }
        map.set_in_place(&Value::from(3), None);
        let seen = |may_be_equal| -> Vec<(Value, Option<Value>)> {
            let seen = map.last_seen(&|_, _| may_be_equal);
            seen.into_iter().map(|(key, entry)| (key.clone(), entry.map(|entry| entry.value.clone()))).collect()
        };
        let entry = |key: i64, value: Option<i64>| (Value::from(key), value.map(Value::from));
        assert_eq!(seen(true), [entry(3, None)]);
        let apart = seen(false);
        for known in [entry(1, Some(10)), entry(2, Some(21)), entry(3, None), (open, Some(Value::from(30)))] {
            assert!(apart.contains(&known), "{known:?} in {apart:?}");
        }
        assert_eq!(apart.len(), 4);
    }

    #[test]
    fn a_known_set_is_compared_with_open_keys_at_once() {
        let var = |id: u64, sort: Sort| Term::var(Var { id, sort });
        let key = |n: u64| if n < 3 { Value::from(n as i64) } else { Value::Term(var(n, Sort::Int)) };
        let mut random = crate::scalar::numbers(3);
        let (mut told, mut equals) = (0, 0);
        for _ in 0..400 {
            let known = Map::of((0..3).filter(|_| random(2) == 0).map(|n| (Value::from(n), Value::UNIT)));
            let there =
                |conditional: bool| if conditional { Truth::Term(var(9, Sort::Bool)) } else { Truth::Known(true) };
            // Known keys and one open one, some under a condition, then others that are added.
            let first: Vec<(u64, bool)> = (0..random(3)).map(|_| (random(3), random(3) == 0)).collect();
            let later: Vec<(u64, bool)> = (0..random(4)).map(|_| (random(6), random(8) == 0)).collect();
            let mut added = Map::default();
            for (n, conditional) in first.iter().chain(&later) {
                added.set_in_place(&key(*n), Some(Entry::when(there(*conditional), Value::UNIT)));
            }
            let Ok(same) = known.equals(&added) else { continue };
            told += 1;
            for world in 0..2 * 27 {
                let value = |var: Var| match var.sort {
                    Sort::Bool => Scalar::Bool(world % 2 == 1),
                    _ => Scalar::int(world / 2 / 3_i64.pow(var.id as u32 - 3) % 3),
                };
                let mut keys = std::collections::BTreeSet::new();
                for (n, conditional) in first.iter().chain(&later) {
                    let known = key(*n).as_term().and_then(|key| key.eval(&mut |var| Some(value(var))));
                    // Later writes win.
                    keys.remove(&known);
                    if !conditional || world % 2 == 1 {
                        keys.insert(known);
                    }
                }
                let own: std::collections::BTreeSet<Option<Scalar>> =
                    known.0.entries.keys().map(|key| key.as_term()?.as_const().cloned()).collect();
                let holds = same.clone().term().eval(&mut |var| Some(value(var)));
                assert_eq!(holds, Some(Scalar::Bool(own == keys)), "{known:?} {added:?} in world {world}");
                equals += usize::from(own == keys);
            }
        }
        assert!(told > 100 && equals > 100, "{told} told, {equals} equal");
    }
}
