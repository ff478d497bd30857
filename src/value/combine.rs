//! Operations on two collections: overlay of maps, intersection, subset, and prefix of lists.
//!
//! `{"a": 1, #1: 2} + {"a": 3}` has 3 under `"a"` whether `#1` is `"a"` or not; `{1, #1} & {2}` is `{2}` if `#1 = 2`.

use super::equal::{all_equal, choose_alternative};
use super::{Ask, Entry, Lifted, Map, Presence, Reach, Split, Truth, Value, equal, merge};
use super::{ListItems, has_at_least, open};

/// Checks that neither operand is a union; an error is the condition on which to fork first.
fn apart(a: &Value, b: &Value) -> Lifted<()> {
    match (a, b) {
        (Value::Union(alternatives), _) | (_, Value::Union(alternatives)) => Err(choose_alternative(alternatives)),
        _ => Ok(()),
    }
}

/// The union of two maps: a key that both have keeps its value of the second map.
///
/// # Errors
/// The condition on which to fork first.
pub fn overlay(under: &Value, over: &Value) -> Lifted<Value> {
    apart(under, over)?;
    let (Value::Map(under), Value::Map(over)) = (under, over) else { return Ok(Value::Absent) };
    if over.base().is_none() {
        let mut joined = under.clone();
        for (there, key) in over.members()? {
            lay(&mut joined, key, there, || over.get(key))?;
        }
        return Ok(Value::Map(joined));
    }
    // The second map is not known whole: the entries of the first one are added to it under the keys that it lacks.
    let mut joined = over.clone();
    for (there, key) in under.members()? {
        let uncovered = there.and(over.contains(key)?.not());
        lay(&mut joined, key, uncovered, || under.get(key))?;
    }
    Ok(Value::Map(joined))
}

/// Sets the entry under a key if a condition holds.
fn lay(map: &mut Map, key: &Value, when: Truth, found: impl FnOnce() -> Lifted<(Truth, Value)>) -> Lifted<()> {
    if when.is_false() {
        return Ok(());
    }
    let (_, value) = found()?;
    let entry = if when.is_true() {
        Entry::always(value)
    } else {
        let (had, old) = map.get(key)?;
        let value = merge(&when.clone().term(), value, old);
        Entry::when(when.or(had), value)
    };
    map.set_in_place(key, Some(entry));
    Ok(())
}

/// The intersection of two sets.
///
/// # Errors
/// The condition on which to fork first.
pub fn intersection(a: &Value, b: &Value) -> Lifted<Value> {
    apart(a, b)?;
    let (Value::Map(a), Value::Map(b)) = (a, b) else { return Ok(Value::Absent) };
    let is_first_listed = b.base().is_some() || (a.base().is_none() && a.bound() <= b.bound());
    let (listed, other) = if is_first_listed { (a, b) } else { (b, a) };
    let mut common = Map::default();
    for (there, key) in listed.members()? {
        if let Some(presence) = Presence::of(there.and(other.contains(key)?)) {
            common.set_in_place(key, Some(Entry { presence, value: Value::UNIT }));
        }
    }
    Ok(Value::Map(common))
}

/// The condition that a set is a subset of another one.
///
/// # Errors
/// The condition on which to fork first.
pub fn is_subset(a: &Value, b: &Value) -> Lifted<Truth> {
    apart(a, b)?;
    let (Value::Map(own), Value::Map(all)) = (a, b) else { return Ok(Truth::Known(false)) };
    if own.base().is_some() {
        return equal(a, &intersection(a, b)?);
    }
    let mut holds = Truth::Known(true);
    for (there, key) in own.members()? {
        holds = holds.and(there.not().or(all.contains(key)?));
        if holds.is_false() {
            break;
        }
    }
    Ok(holds)
}

/// The condition that a list begins with the elements of another one.
///
/// # Errors
/// The split that must come first: all places that are compared must be known.
pub fn begins_with(list: &Value, start: &Value) -> Lifted<Truth> {
    apart(list, start)?;
    let (Some(own), Some(first)) = (ListItems::of(list), ListItems::of(start)) else {
        return Ok(Truth::Known(false));
    };
    if let ListItems::Open(first) = first {
        let is_longer =
            matches!(list, Value::List(_)) && has_at_least(first, own.count() + 1) == Some(Truth::Known(true));
        if is_longer {
            return Ok(Truth::Known(false));
        }
        open::all_there(first, None)?;
        let reach = if let Value::List(_) = list { Reach::Bounded } else { Reach::Unbounded };
        if let Some(rest) = first.iter().find_map(|item| item.look().rest()) {
            return Err(Split::Ask(Ask::Item(rest.clone(), reach)));
        }
    }
    if let Some(last) = first.count().checked_sub(1) {
        own.plain(Some(last))?;
    }
    if own.count() < first.count() {
        return Ok(Truth::Known(false));
    }
    all_equal(own.iter().zip(first.iter()).filter_map(|(a, b)| a.value().zip(b.value())))
}
