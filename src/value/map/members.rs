//! The keys that a map may have while writes wait, each with when it is there, and how many are.
//!
//! `{1, 2} - {#1}` has 1 where `#1` is not 1, 2 where it is not 2, and `2 - [#1 in {1, 2}]` elements. Nothing is compared before it
//! must be: a key counts where a write under it adds it, less where it was there before that. The note
//! `proofs-notes/hidden-keys.md` says why.

use std::sync::Arc;

use super::{Beneath, Contents, Entry, Map, Write};
use crate::scalar::Scalar;
use crate::term::{Term, Var, count_walked};
use crate::value::{Lifted, Truth, Value, equal};

/// With more writes that wait than this, the comparisons that they wait for are decided.
const CROWDED: usize = 64;
/// Behind more writes than this, whether a key was there before it was written is not asked.
const ASKED: usize = 32;
/// Among more entries than this, no write is looked for that changes nothing.
const MANY: usize = 256;

impl Map {
    /// All keys that it may have, each with when it is there, where nothing is unknown beneath. Keys under which writes wait may
    /// be equal to others: then both are there, or none.
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

    /// Splits where it cannot be said what it may have, or where deciding the writes that wait is better.
    pub(in crate::value) fn is_surveyable(&self) -> Lifted<()> {
        self.countable()?;
        if self.0.is_eager || self.0.pending.len() > CROWDED { self.settled() } else { Ok(()) }
    }

    /// The hidden keys that it takes away, but for those under which it was written since it was settled.
    pub fn hidden_removals(&self) -> impl Iterator<Item = Var> {
        let known = self.0.pending.iter().filter(|write| write.entry.is_none() && write.beneath != Beneath::Unasked);
        known.filter_map(|write| write.key.as_term()?.as_var())
    }

    /// Decides what waits, from now on, as soon as the entries matter. Keys that nobody else knows are not worth a name: which
    /// elements are left is.
    pub fn decide_early(&mut self) {
        Arc::make_mut(&mut self.0).is_eager = true;
    }

    /// The number of keys that the writes that wait add, less those that they take away.
    pub(super) fn growth(&self) -> Lifted<Term> {
        let mut sum = Term::int(0);
        for (at, write) in self.0.pending.iter().enumerate() {
            let before = match write.beneath {
                Beneath::There => Truth::Known(true),
                Beneath::Missing => Truth::Known(false),
                Beneath::Unasked | Beneath::Open => self.contains_before(at, &write.key)?,
            };
            let now = write.entry.as_ref().map_or(Truth::Known(false), Entry::truth);
            sum = Term::sub(&Term::add(&sum, &bit(now)), &bit(before));
        }
        Ok(sum)
    }

    /// Tests whether writes wait that were not looked at yet.
    #[must_use]
    pub fn has_news(&self) -> bool {
        self.0.pending.iter().any(|write| write.beneath == Beneath::Unasked)
    }

    /// Looks at the writes that wait and were not looked at yet, where a function knows of conditions: those that change nothing
    /// go, and those under known keys are placed where they commute with all before them.
    pub fn settle_pending(&mut self, knows: &mut dyn FnMut(&Term) -> Option<bool>) {
        let mut at = 0;
        while let Some(write) = self.0.pending.get(at) {
            if write.beneath != Beneath::Unasked {
                at += 1;
                continue;
            }
            let beneath = self.beneath(at, knows);
            let contents = Arc::make_mut(&mut self.0);
            contents.pending[at].beneath = beneath;
            if contents.is_idle(at) {
                contents.pending.remove(at);
            } else if !contents.place_before(at, knows) {
                at += 1;
            }
        }
        if !self.0.pending.is_empty() {
            Arc::make_mut(&mut self.0).place_decided();
        }
    }

    /// The presence of the key of a write before it.
    fn beneath(&self, at: usize, knows: &mut dyn FnMut(&Term) -> Option<bool>) -> Beneath {
        if at > ASKED || self.0.base.is_some() {
            return Beneath::Open;
        }
        let known = match self.contains_before(at, &self.0.pending[at].key) {
            Ok(Truth::Known(known)) => Some(known),
            Ok(Truth::Term(open)) => knows(&open),
            Err(_) => None,
        };
        known.map_or(Beneath::Open, |there| if there { Beneath::There } else { Beneath::Missing })
    }
}

impl Contents {
    /// Forgets what a write with this effect, which was taken away, had to do with what is known of writes from a position on.
    pub(super) fn outdate(&mut self, from: usize, effect: Option<bool>) {
        for write in &mut self.pending[from..] {
            let may_change = match write.beneath {
                Beneath::There => effect != Some(false),
                Beneath::Missing => effect != Some(true),
                Beneath::Unasked | Beneath::Open => false,
            };
            if may_change {
                write.beneath = Beneath::Unasked;
            }
        }
    }

    /// Places a write under a known key that commutes with all before it; whether it could be done.
    fn place_before(&mut self, at: usize, knows: &mut dyn FnMut(&Term) -> Option<bool>) -> bool {
        let Write { key, entry, beneath, .. } = self.pending[at].clone();
        if at == 0 || self.base.is_some() || self.symbolic > 0 || !key.is_known() {
            return false;
        }
        let effect = self.pending[at].effect();
        let mut alike = Vec::new();
        for (before, write) in self.pending[..at].iter().enumerate() {
            let differs = match equal(&write.key, &key) {
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
        self.pending.remove(at);
        // What a write takes away that was there behind others is under another key than theirs; so is what it adds that was not.
        let is_apart = matches!((effect, beneath), (Some(false), Beneath::There) | (Some(true), Beneath::Missing));
        if !is_apart {
            alike.into_iter().for_each(|before| self.pending[before].beneath = Beneath::Unasked);
        }
        self.place(key, entry);
        true
    }

    /// Tests whether a write changes nothing.
    fn is_idle(&self, at: usize) -> bool {
        let write = &self.pending[at];
        let is_unit = |entry: &Entry| entry.value == Value::UNIT;
        match write.beneath {
            Beneath::There => {
                write.adds_element()
                    && self.entries.len() <= MANY
                    && self.entries.iter().all(|(_, entry)| is_unit(entry))
                    && self.pending[..at].iter().filter_map(|write| write.entry.as_ref()).all(is_unit)
            }
            Beneath::Missing => write.entry.is_none(),
            Beneath::Unasked | Beneath::Open => false,
        }
    }
}

impl Write {
    /// The effect that it has in every case: it adds an element (`true`), or takes a key away; nothing where it does neither.
    pub(super) fn effect(&self) -> Option<bool> {
        match &self.entry {
            None => Some(false),
            Some(_) => self.adds_element().then_some(true),
        }
    }
}

/// A condition, counted.
pub(super) fn bit(condition: Truth) -> Term {
    match condition {
        Truth::Known(holds) => Term::constant(Scalar::Int(i64::from(holds).into())),
        Truth::Term(condition) => Term::bit(&condition),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::{Sort, numbers};
    use crate::value::{add_to_set, set_difference};
    use std::collections::BTreeSet;

    const VARIABLES: u64 = 3;
    const VALUES: i64 = 4;

    /// The values of the variables, and the set that is meant under them.
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
        match next(8) {
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
        let (mut waiting, mut settled) = (0, 0);
        for _ in 0..800 {
            let (mut set, mut cases) = (Map::default(), cases(&mut next));
            for _ in 0..10 {
                change(&mut set, &mut cases, &mut next);
                check(&set, &cases);
                if next(2) == 0 {
                    let before = set.0.pending.len();
                    set.settle_pending(&mut |condition| {
                        let is_true = eval(condition, &cases[0].0) == Scalar::Bool(true);
                        cases
                            .iter()
                            .all(|(values, _)| eval(condition, values) == Scalar::Bool(is_true))
                            .then_some(is_true)
                    });
                    settled += before - set.0.pending.len();
                    check(&set, &cases);
                }
                waiting += set.0.pending.len();
            }
        }
        assert!(waiting > 3_000 && settled > 300, "{waiting} {settled}");
    }
}
