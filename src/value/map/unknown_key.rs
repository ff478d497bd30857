//! The lookup of a key that is not known among the entries.
//!
//! Among few entries the lookup has one case for each key. Among many it is one term: `{"a": 1, "b": 5, …}[#1]`.

use super::dictionary::Entries;
use super::entry::{Entry, Presence, overlaid, present};
use super::open_key::OpenKey;
use super::{Contents, Map, removed_values};
use crate::term::Term;
use crate::value::one_of;
use crate::value::{Lifted, Truth, Value, equal, merge};

/// A lookup among at most this many entries has one case for each: with few cases the solver finds values sooner than with a set.
const FEW: usize = 16;

/// Tests whether a lookup among the entries is one term.
pub(super) fn are_many(contents: &Contents) -> bool {
    contents.entries.len() > FEW
}

/// The entry under a key, if any; `None` if it is open which entry has this key.
pub(super) fn decided_entry<'c>(contents: &'c Contents, key: &Value) -> Option<Option<&'c Entry>> {
    let exact = contents.entries.get(key);
    (exact.is_some() || (contents.symbolic == 0 && key.is_known())).then_some(exact)
}

/// The condition that some entry of a map has a key, and the value under that key; absent if no key equals it.
pub(super) fn found(map: &Map, key: &Value) -> Lifted<(Truth, Value)> {
    let contents = &*map.0;
    let Some(open) = OpenKey::of(key).filter(|_| are_many(contents)) else {
        return Ok((in_cases(contents, key)?, each(contents.those_that_may_have(key), key, Value::Absent)?));
    };
    let known = one_of::selected(&Entries { map, key: &open });
    let others = contents.with_unknown_keys();
    Ok((contains(map, key)?, each(others, key, known)?))
}

/// The presence and the value under a key in a map whose entries hide what is beneath them.
pub(super) fn found_above(map: &Map, key: &Value, beneath: (Truth, Value)) -> Lifted<(Truth, Value)> {
    let (mut found, mut others) = (beneath, entries_in_order(&map.0));
    if let Some(open) = OpenKey::of(key).filter(|_| are_many(&map.0)) {
        let entries = Entries { map, key: &open };
        let certain = (Truth::Known(true), one_of::selected(&entries));
        found = overlaid(&Truth::of(entries.are_certain()), certain, found);
        others.retain(|(_, entry)| entry.presence != Presence::Always);
    }
    for (other, entry) in others.into_iter().rev() {
        found = overlaid(&equal(other, key)?, present(Some(entry)), found);
    }
    Ok(found)
}

/// The presence of a key in a map whose entries hide what is beneath them.
pub(super) fn contains_above(map: &Map, key: &Value, beneath: Truth) -> Lifted<Truth> {
    let (mut found, mut others) = (beneath, entries_in_order(&map.0));
    if let Some(open) = OpenKey::of(key).filter(|_| are_many(&map.0)) {
        found = found.or(Truth::of(Entries { map, key: &open }.are_certain()));
        others.retain(|(_, entry)| entry.presence != Presence::Always);
    }
    for (other, entry) in others.into_iter().rev() {
        let same = equal(other, key)?;
        found = same.clone().and(entry.truth()).or(same.not().and(found));
    }
    Ok(found)
}

fn entries_in_order(contents: &Contents) -> Vec<(&Value, &Entry)> {
    let mut entries: Vec<_> = contents.entries.iter().collect();
    entries.sort_by(|a, b| a.0.cmp(b.0));
    entries
}

/// The condition that some entry of a map has a key.
pub(super) fn contains(map: &Map, key: &Value) -> Lifted<Truth> {
    let contents = &*map.0;
    let are_listed = (contents.symbolic, contents.conditional) == (0, 0) && matches!(key, Value::Term(_));
    let are_few = !are_many(contents) || contents.conditional == contents.entries.len();
    let Some(open) = OpenKey::of(key).filter(|_| are_listed || !are_few) else { return in_cases(contents, key) };
    let certain = Truth::of(Entries { map, key: &open }.are_certain());
    let others =
        contents.entries.open().filter(|(other, entry)| !other.is_known() || entry.presence != Presence::Always);
    Ok(certain.or(any(others, key)?))
}

/// The condition that some entry has a key, with a case for each.
fn in_cases(contents: &Contents, key: &Value) -> Lifted<Truth> {
    if let Some(entry) = decided_entry(contents, key) {
        return Ok(entry.map_or(Truth::Known(false), Entry::truth));
    }
    if let Value::Term(term) = key
        && let Some(found) = removed_values::contains(contents, term)
    {
        return Ok(found);
    }
    any(contents.those_that_may_have(key), key)
}

/// The condition that one of these entries has a key.
fn any<'e>(entries: impl Iterator<Item = (&'e Value, &'e Entry)>, key: &Value) -> Lifted<Truth> {
    let mut cases = Vec::new();
    for (other, entry) in entries {
        cases.push(equal(other, key)?.and(entry.truth()).term());
    }
    Ok(Truth::of(Term::or_all(cases)))
}

/// The value under a key among these entries, else another one.
fn each<'e>(entries: impl Iterator<Item = (&'e Value, &'e Entry)>, key: &Value, otherwise: Value) -> Lifted<Value> {
    let mut entries: Vec<_> = entries.collect();
    entries.sort_by(|a, b| a.0.cmp(b.0));
    let mut found = otherwise;
    for (other, entry) in entries.into_iter().rev() {
        found = merge(&equal(other, key)?.term(), entry.value.clone(), found);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::numbers;
    use crate::scalar::{Scalar, Sort};
    use crate::term::Var;
    use crate::value::{Substitution, merge};

    /// The asked key, a written key, a number, a truth.
    const KEY: Var = Var { id: 1, sort: Sort::Int };
    const WRITTEN: Var = Var { id: 2, sort: Sort::Int };
    const NUMBER: Var = Var { id: 3, sort: Sort::Int };
    const TRUTH: Var = Var { id: 4, sort: Sort::Bool };

    /// A value of one of four types: numbers (known, or not), pairs of these, options of numbers, truths.
    fn value(ty: u64, next: &mut dyn FnMut(u64) -> u64) -> Value {
        let which = next(6);
        let mut number = || match next(12) {
            0 => Value::Term(Term::var(NUMBER)),
            n => Value::from(n as i64 % 3),
        };
        match (ty, which) {
            (0, _) => number(),
            (1, _) => Value::data(0, [number(), number()]),
            (2, 0 | 1) => Value::NONE,
            (2, _) => Value::some(number()),
            (_, which) => Value::Scalar(Scalar::Bool(which % 2 == 0)),
        }
    }

    fn with(value: &Value, world: [i64; 4]) -> Value {
        let known = |var: Var| match world[var.id as usize - 1] {
            n if var.sort == Sort::Bool => Term::from(n > 0),
            n => Term::int(n),
        };
        let mut known = |term: &Term| Some(term.substitute(&mut |var| Some(known(var))));
        Substitution::everywhere(&mut known).apply(value).unwrap_or_else(|| value.clone())
    }

    #[test]
    fn what_is_under_an_unknown_key_is_what_is_under_each() {
        let mut next = numbers(3);
        let mut short = 0;
        for round in 0..600 {
            let ty = round % 4;
            let mut map = Map::default();
            let last = 16 + next(20) as i64;
            for key in (0..last).filter(|_| round % 3 > 0) {
                let truth =
                    if round % 5 == 0 && next(9) == 0 { Truth::Term(Term::var(TRUTH)) } else { Truth::Known(true) };
                map.set_in_place(&Value::from(key), Some(Entry::when(truth, value(ty, &mut next))));
            }
            if round % 7 == 0 {
                let entry = (next(3) > 0).then(|| Entry::always(value(ty, &mut next)));
                map.set_in_place(&Value::Term(Term::var(WRITTEN)), entry);
            }
            let (there, found) = map.get(&Value::Term(Term::var(KEY))).expect("a value");
            let has = map.contains(&Value::Term(Term::var(KEY))).expect("a condition").term();
            let default = value(ty, &mut next);
            let or_default = merge(&there.clone().term(), found.clone(), default.clone());
            short += usize::from(map.bound() > FEW && or_default.as_term().is_some_and(|term| term.size() <= 2));
            for asked in -1..=last {
                let world = [asked, next(last as u64 + 1) as i64, next(3) as i64, next(2) as i64];
                let Value::Map(known) = with(&Value::Map(map.clone()), world) else { panic!("a map") };
                let (is_there, expected) = known.get(&Value::from(asked)).expect("a known map");
                for stated in [&has, &there.clone().term()] {
                    assert_eq!(
                        with(&Value::Term(stated.clone()), world),
                        is_there.clone().into(),
                        "{map:?} in {world:?}"
                    );
                }
                let under = if is_there.is_true() { expected } else { with(&default, world) };
                if is_there.is_true() {
                    assert_eq!(with(&found, world), under, "{map:?} in {world:?}");
                }
                assert_eq!(with(&or_default, world), under, "{map:?} or {default:?} in {world:?}: {or_default:?}");
            }
        }
        assert!(short > 5, "{short}");
    }

    #[test]
    fn a_comparison_among_many_entries_is_one_condition() {
        let map = Map::of((0..1_000).map(|key| (Value::str(&format!("k{key}")), Value::from(key % 3))));
        let key = Term::var(Var { id: 1, sort: Sort::Str });
        let (there, found) = map.get(&Value::Term(key.clone())).expect("a value");
        let default = |known: i64| merge(&there.clone().term(), found.clone(), Value::from(known));
        let is = |value: &Value, known: i64| equal(value, &Value::from(known)).map(Truth::term).expect("a condition");
        let holds = |term: &Term, key: &str| term.substitute(&mut |_| Some(Term::str(key))).as_bool();
        for known in 0..5 {
            let condition = is(&default(1), known);
            assert!(condition.size() <= 3, "{condition}");
            assert_eq!(holds(&condition, "other"), Some(known == 1));
            assert!((0..1_000).all(|key| holds(&condition, &format!("k{key}")) == Some(key % 3 == known)));
        }
        assert!(is(&default(7), 7).size() <= 3 && is(&default(7), 8).as_bool() == Some(false));
    }
}
