//! Operations on whole maps: join under a condition, equality, length, members.
//!
//! `{a} == {a, b if p}` is `!p`. `{1, 2} - {#1}` has the element 1 if `#1` is not 1, the element 2 if it is not 2, and
//! `2 - [#1 in {1, 2}]` elements. Pending writes need not be decided for that: each changes the length by the presence of its key
//! after it, minus that before it (`proofs-notes/hidden-keys.md`).

use std::sync::Arc;

use super::entry::{Entry, Presence, PresenceBefore, Write, entry, same_entry};
use super::{Map, removed_values};
use crate::scalar::Scalar;
use crate::term::{Term, count_walked};
use crate::value::{Ask, Base, Keys, Lifted, Split, Truth, Value, equal, may_be_equal, merge};

/// If more writes than this are pending, their comparisons are decided: conditions on all of them would be too large.
const CROWDED: usize = 64;

impl Map {
    /// The map `condition ? then : otherwise`, key by key; `None` if the bases differ, or keys may be equal that only one of both has.
    #[must_use]
    pub fn join(condition: &Term, then: &Map, otherwise: &Map) -> Option<Map> {
        let waits = then.0.pending.len() + otherwise.0.pending.len() > 0;
        if !have_like_bases(then, otherwise) {
            return None;
        }
        let keys = then.keys_that_may_differ(otherwise);
        if then.0.symbolic + otherwise.0.symbolic > 0 {
            let has_all = |map: &Map| keys.iter().all(|key| map.0.entries.contains_key(key));
            if !has_all(then) && !has_all(otherwise) {
                return None;
            }
        }
        let mut joined = otherwise.clone();
        let contents = Arc::make_mut(&mut joined.0);
        let negated = Term::not(condition);
        if waits {
            contents.pending = joined_writes([condition, &negated], [then, otherwise].map(|map| &map.0.pending[..]));
            contents.decides_early |= then.0.decides_early;
        }
        for key in keys {
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
        contents.place_decided();
        Some(joined)
    }

    /// The question for an entry that one of two maps on one base has and the other one has not.
    #[must_use]
    pub fn missing(&self, other: &Map) -> Option<Ask> {
        let (Some(own), Some(theirs)) = (self.base(), other.base()) else { return None };
        if own.unknown != theirs.unknown {
            return None;
        }
        let keys = self.keys_that_may_differ(other);
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

    /// The condition that both maps have the same entries.
    ///
    /// # Errors
    /// The condition on which to fork first.
    pub fn equals(&self, other: &Map) -> Lifted<Truth> {
        match (self.base(), other.base()) {
            (None, None) if self.is_same(other) => return Ok(Truth::Known(true)),
            (None, None) => {}
            (Some(base), None) => return equals_known(self, base, other),
            (None, Some(base)) => return equals_known(other, base, self),
            (Some(base), Some(_)) if base.unknown.is_hole => return Err(base.uncounted()),
            (Some(_), Some(base)) => return Err(base.uncounted()),
        }
        if (self.is_nothing() && removed_values::has_untaken(&other.0))
            || (other.is_nothing() && removed_values::has_untaken(&self.0))
        {
            return Ok(Truth::Known(false));
        }
        if !(self.0.pending.is_empty() && other.0.pending.is_empty()) {
            return self.equals_under_each_key(other);
        }
        let mut all = EntryConditions::default();
        for (key, own) in self.entries()? {
            let (there, value) = other.get(key)?;
            all.add(same_entry(own, there, &value)?);
        }
        for (key, theirs) in other.entries()? {
            if !self.0.entries.contains_key(key) {
                all.add(theirs.truth().not().or(self.contains(key)?));
            }
        }
        Ok(all.truth())
    }

    /// Tests whether both maps may have the same entries, as far as the forms and known parts of the entries tell; conditions are not made.
    ///
    /// # Errors
    /// The split that must come first, as for [`equals`](Map::equals).
    pub fn may_equal(&self, other: &Map) -> Lifted<bool> {
        let (map, base, known) = match (self.base(), other.base()) {
            (Some(base), None) => (self, base, other),
            (None, Some(base)) => (other, base, self),
            (None, None) | (Some(_), Some(_)) => return Ok(!self.equals(other)?.is_false()),
        };
        known.decided()?;
        let own = own_entries(map)?;
        for (key, entry) in known.entries()? {
            let (there, value) = map.get(key)?;
            let must_be = entry.presence == Presence::Always;
            if must_be && (there.is_false() || !may_be_equal(&entry.value, &value)?) {
                return Ok(false);
            }
        }
        asked_for_others(base, &own)?;
        Ok(true)
    }

    /// Tests whether the map is known to be empty.
    fn is_nothing(&self) -> bool {
        self.0.entries.is_empty() && self.0.pending.is_empty() && self.0.base.is_none()
    }

    /// The condition that both maps have the same entry under each key that either may have; for maps with pending writes.
    fn equals_under_each_key(&self, other: &Map) -> Lifted<Truth> {
        self.is_surveyable()?;
        other.is_surveyable()?;
        let keys = |map: &'_ Map| {
            let mut keys: Vec<Value> = map.0.entries.keys().cloned().collect();
            keys.sort();
            keys.extend(map.0.pending.iter().map(|write| write.key.clone()));
            keys
        };
        let mut all = EntryConditions::default();
        let only_in_other = keys(other).into_iter().filter(|key| !self.0.entries.contains_key(key));
        for key in keys(self).into_iter().chain(only_in_other) {
            let ((there, value), (also, theirs)) = (self.get(&key)?, other.get(&key)?);
            all.add(same_entry(&Entry::when(there, value), also, &theirs)?);
            if all.is_false {
                break;
            }
        }
        Ok(all.truth())
    }

    /// The number of entries: a term if presences are open, or writes pending.
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

    /// The number of keys that the pending writes add, minus the number that they remove.
    fn growth(&self) -> Lifted<Term> {
        let mut sum = Term::int(0);
        for (at, write) in self.0.pending.iter().enumerate() {
            let before = match write.beneath {
                PresenceBefore::There => Truth::Known(true),
                PresenceBefore::Missing => Truth::Known(false),
                PresenceBefore::Unasked | PresenceBefore::Open => self.contains_before(at, &write.key)?,
            };
            let now = write.entry.as_ref().map_or(Truth::Known(false), Entry::truth);
            let change = Term::sub(&bit(now), &bit(before));
            let change = write.when.as_ref().map_or(change.clone(), |when| Term::ite(when, &change, &Term::int(0)));
            sum = Term::add(&sum, &change);
        }
        Ok(sum)
    }

    /// All keys that the map may have, each with its presence, those of pending writes last. The key of a pending write may equal
    /// another one: then both are present, or none.
    ///
    /// # Errors
    /// The condition on which to fork first.
    pub(in crate::value) fn members(&self) -> Lifted<Vec<(Truth, &Value)>> {
        self.is_surveyable()?;
        let mut members: Vec<(Truth, &Value)> = Vec::with_capacity(self.bound());
        let waits = !self.0.pending.is_empty();
        for (key, entry) in self.0.entries.iter() {
            members.push((if waits { self.contains(key)? } else { entry.truth() }, key));
        }
        count_walked(members.len());
        members.sort_by_key(|(_, key)| *key);
        for write in &self.0.pending {
            members.push((self.contains(&write.key)?, &write.key));
        }
        Ok(members)
    }

    /// Checks that the keys can be listed without deciding the pending writes: the map stands on no base, and the writes are neither
    /// too many nor to be decided early.
    pub(in crate::value) fn is_surveyable(&self) -> Lifted<()> {
        self.countable()?;
        if self.0.decides_early || self.0.pending.len() > CROWDED { self.decided() } else { Ok(()) }
    }
}

/// The pending writes of both maps: those that are first in both, and the others under the condition of their map.
fn joined_writes(conditions: [&Term; 2], [own, theirs]: [&[Write]; 2]) -> Vec<Write> {
    let shared = own.iter().zip(theirs).take_while(|(own, theirs)| own == theirs).count();
    let mut writes = own[..shared].to_vec();
    for (when, others) in conditions.into_iter().zip([own, theirs]) {
        writes.extend(others[shared..].iter().cloned().map(|write| {
            let when = write.when.as_ref().map_or_else(|| when.clone(), |inner| Term::and(when, inner));
            Write { when: Some(when), beneath: PresenceBefore::Unasked, ..write }
        }));
    }
    writes
}

/// Tests whether both maps stand on no base, or on one base of which both have expanded the same part.
fn have_like_bases(a: &Map, b: &Map) -> bool {
    a.base() == b.base() && (a.base().is_none() || a.missing(b).is_none())
}

/// The condition that a map on a base has exactly the entries of a map without one.
fn equals_known(map: &Map, base: &Base, other: &Map) -> Lifted<Truth> {
    other.decided()?;
    let own = own_entries(map)?;
    let mut all = EntryConditions::default();
    for (key, theirs) in other.entries()? {
        let (there, value) = map.get(key)?;
        all.add(same_entry(theirs, there, &value)?);
        if all.is_false {
            return Ok(all.truth());
        }
    }
    for (key, entry) in &own {
        all.add(entry.truth().not().or(other.contains(key)?));
        if all.is_false {
            return Ok(all.truth());
        }
    }
    for (key, entry) in &base.touched {
        // An entry of the map itself under an equal key hides that of the base.
        let mut hidden = Truth::Known(false);
        for (other, _) in &own {
            hidden = hidden.or(equal(other, key)?);
        }
        all.add(entry.truth().not().or(hidden).or(other.contains(key)?));
    }
    let all = all.truth();
    // What is false as a whole is decided without further questions.
    if all.is_false() {
        return Ok(all);
    }
    asked_for_others(base, &own)?;
    Ok(base.others.iter().fold(all, |all, others| all.and(Truth::of(Term::not(others)))))
}

/// Tests that it is known whether a base has entries beside these, which the map has itself.
fn asked_for_others(base: &Base, own: &[(&Value, Entry)]) -> Lifted<()> {
    match (base.keys, &base.others) {
        (Keys::Covered, _) | (Keys::Endless, Some(_)) => Ok(()),
        (Keys::Endless, None) => {
            let mut keys: Vec<Value> = own.iter().map(|(key, _)| (*key).clone()).collect();
            keys.sort();
            Err(Split::Ask(Ask::Others(base.unknown, keys)))
        }
        (Keys::Finite, _) if base.unknown.is_hole => Err(base.uncounted()),
        (Keys::Finite, _) => Err(Split::never()),
    }
}

/// The conditions that entries are the same, of which the conjunction is made at once, in time proportional to its parts.
#[derive(Default)]
struct EntryConditions {
    parts: Vec<Term>,
    /// Set if one of the parts cannot hold.
    is_false: bool,
}

impl EntryConditions {
    fn add(&mut self, part: Truth) {
        match part {
            Truth::Known(holds) => self.is_false |= !holds,
            Truth::Term(part) => self.parts.push(part),
        }
    }

    fn truth(self) -> Truth {
        if self.is_false { Truth::Known(false) } else { Truth::of(Term::and_all(self.parts)) }
    }
}

/// The entries of a map on a base that it has itself. A single pending write counts, if its key is known to differ from all others.
fn own_entries(map: &Map) -> Lifted<Vec<(&Value, Entry)>> {
    let pending = match map.0.pending.as_slice() {
        [write] if write.when.is_none() && map.0.entries.keys().all(|key| write.differs.contains(key)) => Some(write),
        _ => {
            map.decided()?;
            None
        }
    };
    let written = pending.map(|write| (&write.key, write.entry.clone().unwrap_or(Entry::HIDDEN)));
    Ok(map.0.entries.iter().map(|(key, entry)| (key, entry.clone())).chain(written).collect())
}

/// The bit of a condition: 1 if it holds, else 0.
fn bit(condition: Truth) -> Term {
    match condition {
        Truth::Known(holds) => Term::constant(Scalar::Int(i64::from(holds).into())),
        Truth::Term(condition) => Term::bit(&condition),
    }
}

#[cfg(test)]
mod tests {
    use super::super::contents::hash_of;
    use super::super::table;
    use super::*;
    use crate::choice::numbers;
    use crate::scalar::Sort;
    use crate::term::Var;
    use crate::value::{Substitution, add_to_set, set_difference};
    use std::collections::BTreeSet;

    /// The counts and hashes that a map keeps are those that a walk over its entries finds, whatever was written.
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
            let hashes = map.0.entries.iter().map(|(key, entry)| hash_of(table::hash(key), entry));
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
        let mut random = numbers(3);
        let (mut stated, mut equals) = (0, 0);
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
            stated += 1;
            for world in 0..2 * 27 {
                let value = |var: Var| match var.sort {
                    Sort::Bool => Scalar::Bool(world % 2 == 1),
                    _ => Scalar::int(world / 2 / 3_i64.pow(var.id as u32 - 3) % 3),
                };
                let mut keys = BTreeSet::new();
                for (n, conditional) in first.iter().chain(&later) {
                    let known = key(*n).as_term().and_then(|key| key.eval(&mut |var| Some(value(var))));
                    // Later writes win.
                    keys.remove(&known);
                    if !conditional || world % 2 == 1 {
                        keys.insert(known);
                    }
                }
                let own: BTreeSet<Option<Scalar>> =
                    known.0.entries.keys().map(|key| key.as_term()?.as_const().cloned()).collect();
                let holds = same.clone().term().eval(&mut |var| Some(value(var)));
                assert_eq!(holds, Some(Scalar::Bool(own == keys)), "{known:?} {added:?} in world {world}");
                equals += usize::from(own == keys);
            }
        }
        assert!(stated > 100 && equals > 100, "{stated} told, {equals} equal");
    }

    const VARIABLES: u64 = 3;
    const VALUES: i64 = 4;

    /// Values of the variables, and the set that is meant under them.
    type Case = (Vec<i64>, BTreeSet<i64>);

    fn eval(term: &Term, values: &[i64]) -> Scalar {
        term.eval(&mut |var| Some(Scalar::int(values[var.id as usize]))).expect("every variable has a value")
    }

    fn under(key: &Value, values: &[i64]) -> i64 {
        let key = eval(&key.as_term().expect("a scalar"), values);
        key.as_int().and_then(|key| key.to_i64()).expect("a small integer")
    }

    fn holds(truth: Truth, values: &[i64]) -> bool {
        eval(&truth.term(), values) == Scalar::Bool(true)
    }

    /// All values of the variables, or some of them.
    fn cases(next: &mut dyn FnMut(u64) -> u64) -> Vec<Case> {
        let all =
            (0..VALUES.pow(VARIABLES as u32)).map(|n| [n % VALUES, n / VALUES % VALUES, n / VALUES / VALUES].to_vec());
        let one_of = 1 + next(4);
        let mut cases: Vec<Case> = all.filter(|_| next(one_of) == 0).map(|values| (values, BTreeSet::new())).collect();
        cases.push((vec![0, 1, 2], BTreeSet::new()));
        cases
    }

    fn key(next: &mut dyn FnMut(u64) -> u64) -> Value {
        match next(2) {
            0 => Value::from(next(VALUES as u64) as i64),
            _ => Value::Term(Term::var(Var { id: next(VARIABLES), sort: Sort::Int })),
        }
    }

    /// One operation on the set, and on what is meant in each case.
    fn change(set: &mut Map, cases: &mut [Case], next: &mut dyn FnMut(u64) -> u64) {
        let (key, other) = (key(next), key(next));
        match next(10) {
            0..3 => {
                set.set_in_place(&key, Some(Entry::always(Value::UNIT)));
                cases.iter_mut().for_each(|(values, meant)| _ = meant.insert(under(&key, values)));
            }
            3 | 4 => {
                set.set_in_place(&key, None);
                cases.iter_mut().for_each(|(values, meant)| _ = meant.remove(&under(&key, values)));
            }
            5 => {
                let there = Term::le(&other.as_term().expect("a scalar"), &Term::int(1));
                set.set_in_place(
                    &key,
                    Some(Entry::when(Truth::of(there.clone()), Value::UNIT)).filter(|entry| !entry.truth().is_false()),
                );
                for (values, meant) in cases {
                    let key = under(&key, values);
                    if eval(&there, values) == Scalar::Bool(true) {
                        meant.insert(key)
                    } else {
                        meant.remove(&key)
                    };
                }
            }
            6 => {
                let mut more = Map::default();
                for key in [&key, &other] {
                    more.set_in_place(key, Some(Entry::always(Value::UNIT)));
                }
                if !add_to_set(set, &more) {
                    let sum = crate::value::add(&Value::Map(set.clone()), &Value::Map(more)).expect("no key is a tree");
                    let Value::Map(sum) = sum else { panic!("a set") };
                    *set = sum;
                }
                cases.iter_mut().for_each(|(values, meant)| meant.extend([under(&key, values), under(&other, values)]));
            }
            7 | 8 => {
                // The one side adds a key or removes it, the other side may remove another one.
                let condition = Term::le(&other.as_term().expect("a scalar"), &Term::int(1));
                let [adds, removes_other] = [next(3) > 0, next(3) == 0];
                let (mut then, mut otherwise) = (set.clone(), set.clone());
                then.set_in_place(&key, adds.then(|| Entry::always(Value::UNIT)));
                if removes_other {
                    otherwise.set_in_place(&other, None);
                }
                let Value::Map(joined) = merge(&condition, Value::Map(then), Value::Map(otherwise)) else { return };
                *set = joined;
                for (values, meant) in cases {
                    let (key, other) = (under(&key, values), under(&other, values));
                    match eval(&condition, values) == Scalar::Bool(true) {
                        true if adds => _ = meant.insert(key),
                        true => _ = meant.remove(&key),
                        false if removes_other => _ = meant.remove(&other),
                        false => {}
                    }
                }
            }
            _ => {
                let mut fewer = Map::of([(Value::from(0), Value::UNIT), (Value::from(1), Value::UNIT)]);
                fewer.set_in_place(&key, None);
                let left = set_difference(&Value::Map(set.clone()), &Value::Map(fewer)).expect("no key is a tree");
                let Value::Map(left) = left else { panic!("a set") };
                *set = left;
                cases.iter_mut().for_each(|(values, meant)| meant.retain(|at| *at > 1 || *at == under(&key, values)));
            }
        }
    }

    fn check(set: &Map, cases: &[Case]) {
        let length = set.len().expect("it is counted").as_term().expect("an integer");
        let members = set.members().expect("nothing is compared");
        for (values, meant) in cases {
            assert_eq!(eval(&length, values), Scalar::int(meant.len() as i64), "{set:?} {values:?}");
            for at in 0..VALUES {
                let there = set.contains(&Value::from(at)).expect("a known key");
                assert_eq!(holds(there, values), meant.contains(&at), "{set:?} {values:?}");
            }
            let there = members.iter().filter(|(there, _)| holds(there.clone(), values));
            assert_eq!(&there.map(|(_, key)| under(key, values)).collect::<BTreeSet<_>>(), meant, "{set:?} {values:?}");
            let known = Map::of(meant.iter().map(|key| (Value::from(*key), Value::UNIT)));
            let mut value = |term: &Term| Some(Term::constant(eval(term, values)));
            let all_known = Substitution::everywhere(&mut value).apply(&Value::Map(set.clone()));
            assert_eq!(
                all_known.unwrap_or_else(|| Value::Map(set.clone())),
                Value::Map(known.clone()),
                "{set:?} {values:?}"
            );
            assert!(holds(set.equals(&known).expect("no key is a tree"), values), "{set:?} {values:?}");
            let more = Map::of((meant.iter().map(|key| key + 1)).map(|key| (Value::from(key), Value::UNIT)));
            assert_eq!(
                holds(more.equals(set).expect("no key is a tree"), values),
                meant.is_empty(),
                "{set:?} {values:?}"
            );
        }
    }

    #[test]
    fn what_waits_is_what_is_left() {
        let mut random = numbers(17);
        let mut next = |n: u64| random(n);
        let (mut waiting, mut decided) = (0, 0);
        for _ in 0..800 {
            let (mut set, mut cases) = (Map::default(), cases(&mut next));
            for _ in 0..10 {
                change(&mut set, &mut cases, &mut next);
                check(&set, &cases);
                if next(2) == 0 {
                    let before = set.0.pending.len();
                    set.normalize_pending(&mut |condition| {
                        let is_true = eval(condition, &cases[0].0) == Scalar::Bool(true);
                        cases
                            .iter()
                            .all(|(values, _)| eval(condition, values) == Scalar::Bool(is_true))
                            .then_some(is_true)
                    });
                    decided += before - set.0.pending.len();
                    check(&set, &cases);
                }
                waiting += set.0.pending.len();
            }
        }
        assert!(waiting > 3_000 && decided > 300, "{waiting} {decided}");
    }
}
