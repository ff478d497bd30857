//! Entries that are present unless their key is one of some hidden values: a set after removals.
//!
//! `{1, 2, 3}` without the hidden `#1` and `#2` has each element k with `k != #1 && k != #2`. So x is an element if
//! `x in {1, 2, 3} && x != #1 && x != #2`, without a case for each k. Two values cannot be all three elements, so the set is not empty.

use smallvec::SmallVec;

use super::contents::Contents;
use super::entry::{Entry, Presence};
use crate::scalar::Scalar;
use crate::term::{KeySet, Kind, Term};
use crate::value::{Truth, Value};

/// The rules of this file apply to at most this many removed values: each is compared with each key.
const VALUES: usize = 32;

/// The removed values, from which a key must differ.
type Taken = SmallVec<[Term; 8]>;

/// The removed values of a map whose entries are all present if and only if their known keys differ from these.
fn taken(contents: &Contents) -> Option<Taken> {
    if contents.symbolic > 0
        || contents.base.is_some()
        || contents.conditional < contents.entries.len()
        || contents.hidden > 0
    {
        return None;
    }
    let (key, entry) = contents.entries.iter().next()?;
    let taken = taken_by(key, &entry.presence)?;
    let is_alike = |(key, entry): (&Value, &Entry)| entry.presence == differs_from_all(key, &taken);
    contents.entries.iter().all(is_alike).then_some(taken)
}

/// The condition that a map has a symbolic key; `None` if its entries have other presences.
pub(super) fn contains(contents: &Contents, key: &Term) -> Option<Truth> {
    let taken = taken(contents)?;
    let known = |key: &Value| if let Value::Scalar(key) = key { Some(key.clone()) } else { None };
    let is_key = Term::member(key, &KeySet::of(contents.entries.keys().filter_map(known)));
    let differs = taken.iter().map(|value| Term::eq(value, key).not());
    Some(Truth::of(Term::and_all(std::iter::once(is_key).chain(differs))))
}

/// Tests whether the map is certainly not empty, because it has more entries than removed values.
pub(super) fn has_untaken(contents: &Contents) -> bool {
    contents.pending.is_empty() && taken(contents).is_some_and(|taken| contents.entries.len() > taken.len())
}

/// The presence of a key that must differ from the removed values.
fn differs_from_all(key: &Value, taken: &[Term]) -> Presence {
    let Some(key) = key.as_term() else { return Presence::Never };
    let differs = Term::and_all(taken.iter().map(|value| Term::eq(value, &key).not()));
    Presence::of(Truth::of(differs)).unwrap_or(Presence::Never)
}

/// The variables from which a key must differ, if its presence says just that.
fn taken_by(key: &Value, presence: &Presence) -> Option<Taken> {
    let (Value::Scalar(known), Presence::When(condition)) = (key, presence) else { return None };
    let conditions = match condition.kind() {
        Kind::And(parts) => &parts[..],
        _ => std::slice::from_ref(condition),
    };
    if conditions.len() > VALUES {
        return None;
    }
    conditions.iter().map(|condition| differs(condition, known)).collect()
}

/// The variable of a condition that says that it differs from a known scalar.
fn differs(condition: &Term, known: &Scalar) -> Option<Term> {
    let Kind::Not(equal) = condition.kind() else { return None };
    let mut var = None;
    equal.vars(&mut |own| var = Some(own));
    let var = Term::var(var.filter(|var| var.sort == known.sort())?);
    (Term::eq(&var, &Term::constant(known.clone())) == *equal).then_some(var)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::numbers;
    use crate::scalar::Sort;
    use crate::term::Var;
    use crate::value::Map;

    fn var(id: u64) -> Term {
        Term::var(Var { id, sort: Sort::Int })
    }

    /// The set of the elements of `0..n` that differ from the first values; the odd element, if any, has a condition of its own.
    fn left(n: i64, values: u64, odd: Option<i64>) -> Map {
        let mut set = Map::default();
        for key in 0..n {
            let differs = (1..=values).map(|id| Term::eq(&var(id), &Term::int(key)).not());
            let there = match odd == Some(key) {
                true => Term::eq(&var(1), &Term::int(key)),
                false => Term::and_all(differs),
            };
            set.set_in_place(&Value::from(key), Some(Entry::when(Truth::of(there), Value::UNIT)));
        }
        set
    }

    #[test]
    fn what_was_taken_away_is_as_if_each_key_were_asked() {
        let mut numbers = numbers(7);
        let mut next = |n: u64| numbers(n) as i64;
        let (mut stated, mut never_empty) = (0, 0);
        for _ in 0..2_000 {
            let (n, values) = (1 + next(4), 1 + next(3) as u64);
            let odd = (next(3) == 0).then(|| next(4));
            let set = left(n, values, odd);
            let known = [next(6) - 1, next(6) - 1, next(6) - 1, next(6) - 1];
            let mut value = |var: Var| Some(Scalar::Int(known[var.id as usize].into()));
            let is_there = |key: i64| match odd == Some(key) && key < n {
                true => known[1] == key,
                false => (0..n).contains(&key) && (1..=values as usize).all(|id| known[id] != key),
            };
            let found = set.contains(&Value::Term(var(0))).expect("a condition").term();
            assert_eq!(found.eval(&mut value), Some(Scalar::Bool(is_there(known[0]))), "{found:?} with {known:?}");
            let is_empty = set.equals(&Map::default()).expect("a condition").term();
            let none = !(0..n).any(is_there);
            assert_eq!(is_empty.eval(&mut value), Some(Scalar::Bool(none)), "{is_empty:?} with {known:?}");
            stated += u32::from(taken(&set.0).is_some());
            never_empty += u32::from(has_untaken(&set.0));
        }
        assert!(stated > 500 && never_empty > 100, "{stated}, {never_empty}");
    }
}
