//! The lookup of a symbolic key among the entries.
//!
//! Among few entries the lookup has one case for each key. Among many under integers like `1..=300` the value is that at a position
//! of a list.

use super::contents::Contents;
use super::entry::Entry;
use super::removed_values;
use crate::term::Term;
use crate::value::{Lifted, Truth, Value, equal, merge, one_of};

/// A lookup among at most this many entries has one case for each: with few cases the solver finds values sooner than with a set.
const FEW: usize = 16;

/// Tests whether a lookup has one case for each entry.
pub(super) fn is_small(contents: &Contents) -> bool {
    contents.entries.len() <= FEW
}

/// The entry under a key, if any; `None` if it is open which entry has this key.
pub(super) fn decided_entry<'c>(contents: &'c Contents, key: &Value) -> Option<Option<&'c Entry>> {
    let exact = contents.entries.get(key);
    (exact.is_some() || (contents.symbolic == 0 && key.is_known())).then_some(exact)
}

/// The value under a key that may equal the keys of several entries; absent if it equals none.
pub(super) fn value(contents: &Contents, key: &Value) -> Lifted<Value> {
    let mut entries: Vec<_> = contents.entries.iter().collect();
    entries.sort_by(|a, b| a.0.cmp(b.0));
    if let Value::Term(key) = key
        && let Some(found) = by_position(key, &entries)
    {
        return Ok(found);
    }
    let mut found = Value::Absent;
    for (other, entry) in entries.into_iter().rev() {
        found = merge(&equal(other, key)?.term(), entry.value.clone(), found);
    }
    Ok(found)
}

/// The condition that some entry has a key.
pub(super) fn contains(contents: &Contents, key: &Value) -> Lifted<Truth> {
    if let Some(entry) = decided_entry(contents, key) {
        return Ok(entry.map_or(Truth::Known(false), Entry::truth));
    }
    if let Value::Term(term) = key
        && let Some(found) = removed_values::contains(contents, term)
    {
        return Ok(found);
    }
    let mut cases = Vec::new();
    for (other, entry) in contents.entries.iter() {
        cases.push(equal(other, key)?.and(entry.truth()).term());
    }
    Ok(Truth::of(Term::or_all(cases)))
}

/// The value under a key as that at a position of a list, if the entries are many, under integers with few gaps.
fn by_position(key: &Term, entries: &[(&Value, &Entry)]) -> Option<Value> {
    let [(first, _), .., (last, _)] = entries else { return None };
    let first = first.as_int()?.to_i64().filter(|_| entries.len() > FEW)?;
    let span = last.as_int()?.to_i64()?.checked_sub(first)?;
    if span >= 2 * entries.len() as i64 {
        return None;
    }
    let mut values: Vec<Value> = Vec::with_capacity(span as usize + 1);
    for (key, entry) in entries {
        let gap = key.as_int()?.to_i64()? - first - values.len() as i64;
        // The value in a gap does not matter: the map has no key there.
        (0..=gap).for_each(|_| values.push(entry.value.clone()));
    }
    Some(one_of(&key.sub(&Term::int(first)), &values))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::numbers;
    use crate::scalar::{Int, Scalar, Sort};
    use crate::term::Var;
    use crate::value::Map;

    #[test]
    fn a_position_gives_what_the_key_has() {
        let key = Term::var(Var { id: 1, sort: Sort::Int });
        let mut numbers = numbers(3);
        let mut next = |n: u64| numbers(n) as i64;
        let mut by_positions = 0;
        for _ in 0..200 {
            let (first, n) = (next(9) - 4, 10 + next(20));
            let keys: Vec<i64> = (first..first + n).filter(|_| next(5) > 0).collect();
            let value = |key: i64| Value::data(0, [Value::from(key * key), Value::from(key % 3)]);
            let map = Map::of(keys.iter().map(|key| (Value::from(*key), value(*key))));
            let (there, found) = map.get(&Value::Term(key.clone())).expect("a value");
            let mut entries: Vec<_> = map.0.entries.iter().collect();
            entries.sort_by(|a, b| a.0.cmp(b.0));
            by_positions += u32::from(by_position(&key, &entries).is_some());
            for asked in first - 2..first + n + 2 {
                let mut known = |_: Var| Some(Scalar::Int(Int::from(asked)));
                let is_there = there.clone().term().eval(&mut known);
                assert_eq!(is_there, Some(Scalar::Bool(keys.contains(&asked))), "{keys:?} at {asked}");
                for part in (0..2).filter(|_| keys.contains(&asked)) {
                    let stated = found.field(0, part).as_term().and_then(|term| term.eval(&mut known));
                    assert_eq!(stated.map(Value::Scalar), Some(value(asked).field(0, part)), "{keys:?} at {asked}");
                }
            }
        }
        assert!(by_positions > 50, "{by_positions}");
    }
}
