//! Lists, sets and maps as collections: length, indexing, slices, elements, union and difference.

use super::alternatives::lift;
use super::equal::choose_alternative;
use super::{Entry, Lifted, List, ListItems, Map, OpenItem, OpenList, Presence, Truth, Value, equal, one_of, open};
use crate::scalar::{Int, Scalar};
use crate::term::{Term, TextOp};
use std::sync::Arc;

/// The elements of a collection, each with its presence.
pub type Elements = Vec<(Presence, Value)>;

/// The length `len(x)` of a collection or text.
///
/// # Errors
/// The condition on which to fork first.
pub fn len(value: &Value) -> Lifted<Value> {
    match value {
        Value::List(list) => Ok(Value::from(list.len() as i64)),
        Value::Open(list) => Ok(open::length(ListItems::Open(list).iter())),
        Value::Map(map) => map.len(),
        Value::Union(alternatives) => lift(alternatives.iter().map(|(guard, value)| (guard, len(value)))),
        Value::Scalar(_) | Value::Term(_) => Ok(super::text(TextOp::Len, &[value])),
        Value::Data { .. } | Value::Unknown(_) | Value::Any | Value::Absent => Ok(Value::Absent),
    }
}

/// The elements of a list in order, or of a set (the keys of a map) in the order of values, those of pending writes last. A symbolic
/// element of a set may be equal to another one: then both are present, or none.
///
/// # Errors
/// The condition on which to fork first.
pub fn elements(value: &Value) -> Lifted<Elements> {
    match value {
        Value::Open(list) => {
            open::looked_at(list, None)?;
            Ok(list.iter().filter_map(present).collect())
        }
        Value::List(list) => Ok(list.iter().map(|value| (Presence::Always, value.clone())).collect()),
        Value::Map(map) => {
            let members = map.members()?.into_iter();
            Ok(members.filter_map(|(there, key)| Some((Presence::of(there)?, key.clone()))).collect())
        }
        Value::Union(alternatives) => Err(choose_alternative(alternatives)),
        Value::Scalar(_) | Value::Term(_) | Value::Data { .. } => Ok(Elements::new()),
        Value::Unknown(_) | Value::Any | Value::Absent => Ok(Elements::new()),
    }
}

fn present(item: &OpenItem) -> Option<(Presence, Value)> {
    let (there, value) = item.look().element()?;
    Some((Presence::of(there)?, value.clone()))
}

/// Checks that membership in a collection can be expressed as a condition.
///
/// # Errors
/// The condition on which to fork first.
pub fn decided(value: &Value) -> Lifted<()> {
    match value {
        Value::Map(map) if map.base().is_none() => map.is_surveyable(),
        Value::Open(list) => open::looked_at(list, None),
        Value::Union(alternatives) if alternatives.iter().all(|(_, inner)| is_collection(inner)) => {
            alternatives.iter().try_for_each(|(_, inner)| decided(inner))
        }
        Value::Union(alternatives) => Err(choose_alternative(alternatives)),
        Value::Map(_) | Value::List(_) | Value::Scalar(_) | Value::Term(_) | Value::Data { .. } => Ok(()),
        Value::Unknown(_) | Value::Any | Value::Absent => Ok(()),
    }
}

fn is_collection(value: &Value) -> bool {
    matches!(value, Value::Map(_) | Value::List(_) | Value::Open(_))
}

/// Checks that the element at every place of a list is known, in every alternative.
///
/// # Errors
/// The split that must come first.
pub fn all_places(value: &Value) -> Lifted<()> {
    match value {
        Value::Open(list) => open::plain(list, None),
        Value::Union(alternatives) => alternatives.iter().try_for_each(|(_, value)| all_places(value)),
        _ => Ok(()),
    }
}

/// Checks that each element of a set or map is listed only once.
///
/// # Errors
/// The condition on which to fork first.
pub fn decided_apart(value: &Value) -> Lifted<()> {
    if let Value::Map(map) = value {
        map.entries()?;
    }
    Ok(())
}

/// The element `list[i]` or the entry `map[k]`: the condition that there is one, and its value.
///
/// # Errors
/// The condition on which to fork first.
pub fn index(value: &Value, at: &Value) -> Lifted<(Truth, Value)> {
    match value {
        Value::Map(map) => map.get(at),
        Value::List(list) => Ok(element(list, at)),
        Value::Open(list) => {
            open::plain(list, at.as_int().map(|at| at.to_i64().unwrap_or(i64::MAX).max(0) as usize))?;
            let found = position(at).and_then(|at| list.get(at)).and_then(|item| item.look().value());
            Ok(found.map_or((Truth::Known(false), Value::Absent), |value| (Truth::Known(true), value.clone())))
        }
        Value::Union(alternatives) => Err(choose_alternative(alternatives)),
        Value::Scalar(_) | Value::Term(_) | Value::Data { .. } => Ok((Truth::Known(false), Value::Absent)),
        Value::Unknown(_) | Value::Any | Value::Absent => Ok((Truth::Known(false), Value::Absent)),
    }
}

/// The element at a position of a list (0-based): the condition that there is one, and its value.
#[must_use]
pub fn element(list: &Arc<List>, at: &Value) -> (Truth, Value) {
    if let Some(at) = at.as_int() {
        let Some(at) = at.to_i64().and_then(|at| usize::try_from(at).ok()) else {
            return (Truth::Known(false), Value::Absent);
        };
        return list.get(at).map_or((Truth::Known(false), Value::Absent), |value| (Truth::Known(true), value.clone()));
    }
    let Some(term) = at.as_term() else { return (Truth::Known(false), Value::Absent) };
    let inside = Term::and(&Term::le(&int(0), &term), &Term::lt(&term, &int(list.len())));
    (Truth::of(inside), one_of::at(&term, list))
}

fn int(value: usize) -> Term {
    Term::constant(Scalar::Int(Int::from(value as i64)))
}

/// The slice `x[from..to]` of a list, a string or bytes: the condition that it is in range, and its value. For lists the ends must be
/// known.
///
/// # Errors
/// The condition on which to fork first.
pub fn slice(value: &Value, from: &Value, to: &Value) -> Lifted<(Truth, Value)> {
    match value {
        Value::List(list) => Ok(slice_list(list, from, to)),
        Value::Open(list) => slice_open(list, from, to),
        Value::Union(alternatives) => Err(choose_alternative(alternatives)),
        Value::Scalar(_) | Value::Term(_) => Ok(slice_text(value, from, to)),
        Value::Data { .. } | Value::Map(_) => Ok((Truth::Known(false), Value::Absent)),
        Value::Unknown(_) | Value::Any | Value::Absent => Ok((Truth::Known(false), Value::Absent)),
    }
}

fn position(bound: &Value) -> Option<usize> {
    bound.as_int().and_then(Int::to_i64).and_then(|bound| usize::try_from(bound).ok())
}

fn before(list: &OpenList, end: usize) -> Lifted<()> {
    end.checked_sub(1).map_or(Ok(()), |last| open::plain(list, Some(last)))
}

/// The values of the first items, at most `count`, that are certain elements.
fn known_front(list: &OpenList, count: usize) -> List {
    list.iter()
        .take(count)
        .map_while(|item| if let OpenItem::One(value) = item { Some(value.clone()) } else { None })
        .collect()
}

/// The slice of an open list: up to its end, or between known positions.
fn slice_open(list: &OpenList, from: &Value, to: &Value) -> Lifted<(Truth, Value)> {
    match (position(from), position(to)) {
        (Some(from), _) if *to == open::length(ListItems::Open(list).iter()) => {
            before(list, from)?;
            let rest = list.iter().skip(from).cloned().collect();
            Ok((Truth::Known(true), Value::sequence(rest)))
        }
        (Some(_), Some(reached)) => {
            before(list, reached)?;
            Ok(slice_list(&known_front(list, reached), from, to))
        }
        _ => open::plain(list, None).map(|()| (Truth::Known(false), Value::Absent)),
    }
}

fn slice_list(list: &List, from: &Value, to: &Value) -> (Truth, Value) {
    match (position(from), position(to)) {
        (Some(from), Some(to)) if from <= to && to <= list.len() => {
            (Truth::Known(true), Value::list(list.iter().skip(from).take(to - from).cloned()))
        }
        _ => (Truth::Known(false), Value::Absent),
    }
}

fn slice_text(value: &Value, from: &Value, to: &Value) -> (Truth, Value) {
    let (Some(low), Some(high), Some(length)) =
        (from.as_term(), to.as_term(), super::text(TextOp::Len, &[value]).as_term())
    else {
        return (Truth::Known(false), Value::Absent);
    };
    let zero = int(0);
    let inside = Term::and_all([Term::le(&zero, &low), Term::le(&low, &high), Term::le(&high, &length)]);
    match Truth::of(inside) {
        Truth::Known(false) => (Truth::Known(false), Value::Absent),
        inside => (inside, super::text(TextOp::Slice, &[value, from, to])),
    }
}

/// The condition that a value is an element of a list or set, or a key of a map.
///
/// # Errors
/// The condition on which to fork first.
pub fn member(value: &Value, collection: &Value) -> Lifted<Truth> {
    match collection {
        Value::Map(map) => map.contains(value),
        Value::List(list) => {
            let mut cases = Vec::new();
            for element in list.iter() {
                cases.push(equal(element, value)?.term());
            }
            Ok(Truth::of(Term::or_all(cases)))
        }
        Value::Open(list) => {
            open::looked_at(list, None)?;
            let mut cases = Vec::new();
            for (there, element) in list.iter().filter_map(|item| item.look().element()) {
                cases.push(there.and(equal(element, value)?).term());
            }
            Ok(Truth::of(Term::or_all(cases)))
        }
        Value::Union(alternatives) => {
            let mut cases = Vec::new();
            for (guard, inner) in alternatives.iter() {
                cases.push(Truth::of(guard.clone()).and(member(value, inner)?).term());
            }
            Ok(Truth::of(Term::or_all(cases)))
        }
        Value::Scalar(_) | Value::Term(_) | Value::Data { .. } => Ok(Truth::Known(false)),
        Value::Unknown(_) | Value::Any | Value::Absent => Ok(Truth::Known(false)),
    }
}

/// The condition that a value is an element of a collection, by a comparison with each element. Unlike for [`member`], the value may
/// be a union.
///
/// # Errors
/// The condition on which to fork first.
pub fn among(value: &Value, collection: &Value) -> Lifted<Truth> {
    let mut cases = Vec::new();
    if let Value::Union(alternatives) = collection {
        for (guard, inner) in alternatives.iter() {
            cases.push(Truth::of(guard.clone()).and(among(value, inner)?).term());
        }
    } else {
        for (there, element) in elements(collection)? {
            cases.push(there.truth().and(equal(&element, value)?).term());
        }
    }
    Ok(Truth::of(Term::or_all(cases)))
}

/// The union of two sets.
pub(super) fn set_union(a: &Value, b: &Value) -> Lifted<Value> {
    let (Value::Map(a), Value::Map(b)) = (a, b) else { return Ok(Value::Absent) };
    let first = b.base().is_none() && (a.base().is_some() || a.bound() >= b.bound());
    let (mut large, small) = if first { (a.clone(), b) } else { (b.clone(), a) };
    if small.has_only_certain() {
        large.add_all(small);
        return Ok(Value::Map(large));
    }
    for (there, key) in small.members()?.into_iter().filter(|(there, _)| !there.is_false()) {
        let there = if there.is_true() { there } else { there.or(large.contains(key)?) };
        large.set_in_place(key, Presence::of(there).map(|presence| Entry { presence, value: Value::UNIT }));
    }
    Ok(Value::Map(large))
}

/// Adds the elements of a set to another one in place, if `more` is not larger and all its elements are certain; returns whether it
/// did.
pub fn add_to_set(set: &mut Map, more: &Map) -> bool {
    let larger = more.base().is_none() && (set.base().is_some() || set.bound() >= more.bound());
    let adds = larger && more.has_only_certain();
    if adds {
        set.add_all(more);
    }
    adds
}

/// The difference of two sets.
///
/// # Errors
/// The condition on which to fork first.
pub fn set_difference(a: &Value, b: &Value) -> Lifted<Value> {
    let (Value::Map(a), Value::Map(b)) = (a, b) else {
        return match (a, b) {
            (Value::Union(alternatives), _) | (_, Value::Union(alternatives)) => Err(choose_alternative(alternatives)),
            _ => Ok(Value::Absent),
        };
    };
    let mut left = a.clone();
    if b.base().is_some() {
        for (there, key) in a.members()? {
            let there = there.and(b.contains(key)?.not());
            left.set_in_place(key, Presence::of(there).map(|presence| Entry { presence, value: Value::UNIT }));
        }
        return Ok(Value::Map(left));
    }
    for (there, key) in b.members()? {
        let there = if there.is_true() { there.not() } else { left.contains(key)?.and(there.not()) };
        left.set_in_place(key, Presence::of(there).map(|presence| Entry { presence, value: Value::UNIT }));
    }
    Ok(Value::Map(left))
}
