//! The comparisons `==`, `<` and `<=`, lifted to symbolic values: a known truth value if possible, else a term.

use super::{
    Ask, Lifted, List, ListItem, ListItems, OpenItem, OpenList, Reach, Split, Truth, Unseen, Value, embed, open,
};
use crate::scalar::{Int, Scalar, Sort};
use crate::term::Term;
use smallvec::SmallVec;

/// The condition that two values of one type are equal.
///
/// # Errors
/// The condition on which to fork first (a map with a pending write).
#[inline]
pub fn equal(a: &Value, b: &Value) -> Lifted<Truth> {
    match (a, b) {
        (Value::Scalar(a), Value::Scalar(b)) => Ok(Truth::Known(a == b)),
        (Value::Data { tag: x, fields: None, .. }, Value::Data { tag: y, fields: None, .. }) => {
            Ok(Truth::Known(x == y))
        }
        (a, b) => equal_trees(a, b),
    }
}

fn equal_trees(a: &Value, b: &Value) -> Lifted<Truth> {
    match (a, b) {
        (Value::Scalar(a), Value::Scalar(b)) => Ok(Truth::Known(a == b)),
        (Value::Any, _) | (_, Value::Any) => Ok(Truth::Known(true)),
        (Value::Unknown(x), Value::Unknown(y)) if x == y => Ok(Truth::Known(true)),
        // No finite tree is a part of itself.
        (Value::Unknown(unknown), other) | (other, Value::Unknown(unknown)) if holds(other, unknown.id) => {
            Ok(Truth::Known(false))
        }
        (Value::Unknown(unknown), _) | (_, Value::Unknown(unknown)) => Err(Split::Ask(Ask::Node(*unknown))),
        (Value::Union(alternatives), other) | (other, Value::Union(alternatives)) => {
            let mut cases = Vec::with_capacity(alternatives.len());
            for (guard, value) in alternatives.iter() {
                cases.push(Truth::of(guard.clone()).and(equal(value, other)?).term());
            }
            Ok(Truth::of(Term::or_all(cases)))
        }
        (Value::Scalar(_) | Value::Term(_), Value::Scalar(_) | Value::Term(_)) => {
            Ok(a.as_term().zip(b.as_term()).map_or(Truth::Known(false), |(a, b)| Truth::of(Term::eq(&a, &b))))
        }
        (Value::Data { tag: x, .. }, Value::Data { tag: y, .. }) => {
            if x == y {
                all_equal(a.fields().iter().zip(b.fields()))
            } else {
                Ok(Truth::Known(false))
            }
        }
        (Value::List(x), Value::List(y)) => {
            if x.len() == y.len() {
                all_equal(x.iter().zip(y.iter()))
            } else {
                Ok(Truth::Known(false))
            }
        }
        (Value::Open(x), Value::Open(y)) => equal_lists(x, ListItems::Open(y), Reach::Unbounded),
        (Value::Open(x), Value::List(y)) | (Value::List(y), Value::Open(x)) => {
            equal_lists(x, ListItems::Known(y), Reach::Bounded)
        }
        (Value::Map(x), Value::Map(y)) => x.equals(y),
        _ => Ok(Truth::Known(false)),
    }
}

/// Tests whether two values may be equal, as far as their forms and known parts tell; conditions are not made. So an answer of which much
/// is unknown is compared only once, after each part that the comparison needs was looked at.
///
/// # Errors
/// The split that must come first, as for [`equal`].
pub fn may_be_equal(a: &Value, b: &Value) -> Lifted<bool> {
    match (a, b) {
        (Value::Scalar(x), Value::Scalar(y)) => Ok(x == y),
        (Value::Term(_), Value::Scalar(_) | Value::Term(_)) | (Value::Scalar(_), Value::Term(_)) => Ok(true),
        (Value::Data { tag: x, .. }, Value::Data { tag: y, .. }) if x == y => {
            all_may_be_equal(a.fields().iter().zip(b.fields()))
        }
        (Value::List(x), Value::List(y)) if x.len() == y.len() => all_may_be_equal(x.iter().zip(y.iter())),
        (Value::Union(alternatives), other) | (other, Value::Union(alternatives)) => {
            let mut may_be = false;
            for (_, value) in alternatives.iter() {
                may_be |= may_be_equal(value, other)?;
            }
            Ok(may_be)
        }
        // A stretch behind the last element of the known list matters at the end only.
        (Value::Open(x), Value::List(y)) | (Value::List(y), Value::Open(x))
            if x.iter().all(|item| item.look().presence().is_none()) && awaited(x, y).is_none() =>
        {
            all_may_be_equal(x.iter().zip(y.iter()).filter_map(|(item, y)| Some((item.look().value()?, y))))
        }
        (Value::Map(x), Value::Map(y)) => x.may_equal(y),
        (a, b) => Ok(!equal(a, b)?.is_false()),
    }
}

/// Tests whether all pairs may be equal. As in [`all_equal`], a pair that cannot be equal decides before a split of another pair.
fn all_may_be_equal<'a>(pairs: impl Iterator<Item = (&'a Value, &'a Value)>) -> Lifted<bool> {
    let mut split = None;
    for (a, b) in pairs {
        match may_be_equal(a, b) {
            Ok(false) => return Ok(false),
            Ok(true) => {}
            Err(first) => split = split.or(Some(first)),
        }
    }
    split.map_or(Ok(true), Err)
}

/// Conditions whose conjunction says that two values are equal.
pub type Conditions = SmallVec<[Term; 8]>;

/// Adds the conditions whose conjunction says that two values are equal; returns false if they cannot be equal. For example
/// `Some((#1, 5))` and `Some((3, 5))` are equal if `#1 = 3`.
///
/// # Errors
/// The split that must come first, as for [`equal`].
pub fn equal_where(a: &Value, b: &Value, conditions: &mut Conditions) -> Lifted<bool> {
    match (a, b) {
        (Value::Data { tag: x, fields: Some(fields), .. }, Value::Data { tag: y, fields: Some(others), .. })
            if x == y =>
        {
            all_equal_where(fields.iter().zip(others.iter()), conditions)
        }
        (Value::Union(alternatives), Value::Data { tag, .. }) => {
            let fits = |value: &Value| !matches!(value, Value::Data { tag: own, .. } if own != tag);
            let mut fitting = alternatives.iter().filter(|(_, value)| fits(value));
            match (fitting.next(), fitting.next()) {
                (None, _) => Ok(false),
                (Some((guard, value)), None) => {
                    conditions.push(guard.clone());
                    equal_where(value, b, conditions)
                }
                (Some(_), Some(_)) => add(equal(a, b)?, conditions),
            }
        }
        (a, b) => add(equal(a, b)?, conditions),
    }
}

fn add(truth: Truth, conditions: &mut Conditions) -> Lifted<bool> {
    match truth {
        Truth::Known(known) => Ok(known),
        Truth::Term(term) => {
            conditions.push(term);
            Ok(true)
        }
    }
}

/// Adds the conditions that say that all pairs are equal; returns false if one cannot be. As in [`all_equal`], a pair that cannot be
/// equal decides before a split of another pair.
fn all_equal_where<'a>(
    pairs: impl Iterator<Item = (&'a Value, &'a Value)>,
    conditions: &mut Conditions,
) -> Lifted<bool> {
    let mut split = None;
    for (a, b) in pairs {
        match equal_where(a, b, conditions) {
            Ok(false) => return Ok(false),
            Ok(true) => {}
            Err(first) => split = split.or(Some(first)),
        }
    }
    split.map_or(Ok(true), Err)
}

/// Tests whether a value certainly has an unknown node inside.
fn holds(value: &Value, id: u64) -> bool {
    let direct = |field: &Value| matches!(field, Value::Unknown(unknown) if unknown.id == id) || holds(field, id);
    match value {
        Value::Data { .. } => value.fields().iter().any(direct),
        Value::List(list) => list.iter().any(direct),
        _ => false,
    }
}

pub(super) fn all_equal<'a>(pairs: impl Iterator<Item = (&'a Value, &'a Value)>) -> Lifted<Truth> {
    let mut conditions: SmallVec<[Term; 8]> = SmallVec::new();
    let mut split = None;
    for (a, b) in pairs {
        match equal(a, b) {
            Ok(Truth::Known(true)) => {}
            Ok(Truth::Known(false)) => return Ok(Truth::Known(false)),
            Ok(Truth::Term(condition)) => conditions.push(condition),
            Err(first) => split = split.or(Some(first)),
        }
    }
    let all = Truth::of(Term::and_all(conditions));
    if all.is_false() { Ok(all) } else { split.map_or(Ok(all), Err) }
}

/// The condition that an open list equals another list.
fn equal_lists(open: &OpenList, other: ListItems<'_>, reach: Reach) -> Lifted<Truth> {
    if let ListItems::Open(other) = other
        && open == other
    {
        return Ok(Truth::Known(true));
    }
    let a = ListItems::Open(open);
    let are = |test: fn(ListItem<'_>) -> bool| a.iter().chain(other.iter()).any(test);
    if are(|item| item.presence().is_some()) {
        if !are(|item| item.rest().is_some()) {
            return embed::equal_lists(a, other, equal);
        }
        if equal(&open::length(a.iter()), &open::length(other.iter()))?.is_false() {
            return Ok(Truth::Known(false));
        }
        open::all_there(open, None)?;
        if let ListItems::Open(other) = other {
            open::all_there(other, None)?;
        }
    }
    if let ListItems::Known(known) = other
        && let Some(awaited) = awaited(open, known)
    {
        return apart(a, other, Ask::Item(awaited, reach));
    }
    let pairs = || a.iter().zip(other.iter());
    let stretch = pairs().enumerate().find_map(|(at, (x, y))| Some((at, stretch(x, y)?)));
    let fronts = pairs().take(stretch.as_ref().map_or(usize::MAX, |(at, _)| *at));
    let fronts = all_equal(fronts.filter_map(|(x, y)| x.value().zip(y.value())))?;
    match stretch {
        _ if fronts.is_false() => return Ok(fronts),
        Some((_, rest)) => return apart(a, other, Ask::Item(rest.clone(), reach)),
        None => {}
    }
    // The elements of one list beyond the end of the other must be empty stretches.
    let (longer, shorter) = if a.count() > other.count() { (a, other) } else { (other, a) };
    let after = open::length(longer.iter().skip(shorter.count()));
    Ok(fronts.and(equal(&after, &Value::from(0))?))
}

/// The stretch among two items at the same place, unless both are the same stretch.
fn stretch<'v>(x: ListItem<'v>, y: ListItem<'v>) -> Option<&'v Unseen> {
    match (x.rest(), y.rest()) {
        (Some(x), Some(y)) if x.unknown == y.unknown => None,
        (x, y) => x.or(y),
    }
}

/// The stretch to expand before an open list can be compared with one of known length. An unknown list that is observed whole is
/// expanded element by element first and compared once at the end. `None` if no stretch comes before two scalars that differ.
fn awaited(open: &OpenList, known: &List) -> Option<Unseen> {
    for pair in open.iter().zip(known.iter()) {
        match pair {
            (OpenItem::Rest(rest), _) => return Some(Unseen::clone(rest)),
            (OpenItem::One(Value::Scalar(x)), Value::Scalar(y)) if x != y => return None,
            _ => {}
        }
    }
    None
}

/// The comparison of two lists before a stretch is expanded: false if their lengths certainly differ, else the question.
fn apart(a: ListItems<'_>, b: ListItems<'_>, ask: Ask) -> Lifted<Truth> {
    if equal(&open::length(a.iter()), &open::length(b.iter()))?.is_false() {
        Ok(Truth::Known(false))
    } else {
        Err(Split::Ask(ask))
    }
}

/// The condition `a < b` on integers, strings (by code points) or bytes.
#[must_use]
pub fn less(a: &Value, b: &Value) -> Truth {
    match (a, b) {
        (Value::Scalar(a), Value::Scalar(b)) => Truth::Known(a < b),
        (Value::Scalar(Scalar::Int(low)), Value::Term(b)) => Truth::of(Term::at_least(b, &low.add(&Int::ONE))),
        (Value::Term(a), Value::Scalar(Scalar::Int(high))) => Truth::of(Term::at_most(a, &high.sub(&Int::ONE))),
        (Value::Term(a), Value::Term(b)) if a.sort() == Sort::Int => Truth::of(Term::lt(a, b)),
        _ => texts(a, b),
    }
}

/// The condition `a <= b` on integers, strings or bytes.
#[must_use]
pub fn at_most(a: &Value, b: &Value) -> Truth {
    match (a, b) {
        (Value::Scalar(a), Value::Scalar(b)) => Truth::Known(a <= b),
        (Value::Scalar(Scalar::Int(low)), Value::Term(b)) => Truth::of(Term::at_least(b, low)),
        (Value::Term(a), Value::Scalar(Scalar::Int(high))) => Truth::of(Term::at_most(a, high)),
        (Value::Term(a), Value::Term(b)) if a.sort() == Sort::Int => Truth::of(Term::le(a, b)),
        _ => texts(b, a).not(),
    }
}

fn texts(a: &Value, b: &Value) -> Truth {
    match (a.as_term(), b.as_term()) {
        (Some(a), Some(b)) => Truth::of(Term::less(&a, &b)),
        _ => Truth::Known(false),
    }
}

/// The split on the guard of the first alternative of a union.
pub(super) fn choose_alternative(alternatives: &[(Term, Value)]) -> Split {
    Split::On(alternatives[0].0.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::numbers;
    use crate::term::Var;
    use crate::value::map::Entry;
    use crate::value::{Keys, Map, Unknown, union};
    use std::sync::Arc;

    fn var(id: u64, sort: Sort) -> Term {
        Term::var(Var { id, sort })
    }

    /// A value: a number or a variable, a constructor, or one of two under a condition.
    fn value(next: &mut dyn FnMut(u64) -> u64, depth: u32) -> Value {
        match next(if depth == 0 { 2 } else { 6 }) {
            0 => Value::from(next(2) as i64),
            1 => Value::Term(var(next(2), Sort::Int)),
            2 | 3 => {
                let (tag, count) = (next(3) as u32, next(3));
                Value::data(tag, (0..count).map(|_| value(next, depth - 1)).collect::<Vec<_>>())
            }
            _ => {
                let guard = var(2 + next(2), Sort::Bool);
                let [a, b] = [(); 2].map(|()| value(next, depth - 1));
                union([(guard.clone(), a), (Term::not(&guard), b)])
            }
        }
    }

    /// A value that may be observed for this one, or almost.
    fn observed(value: &Value, next: &mut dyn FnMut(u64) -> u64) -> Value {
        match value {
            Value::Term(_) => Value::from(next(2) as i64),
            Value::Data { tag, fields: Some(fields), .. } => {
                Value::data(*tag, fields.iter().map(|field| observed(field, next)).collect::<Vec<_>>())
            }
            Value::Union(alternatives) => observed(&alternatives[next(2) as usize].1, next),
            known if next(10) == 0 => Value::some(known.clone()),
            known => known.clone(),
        }
    }

    /// A value with unknown parts: a node, a list with a stretch at its end, or a map on a base with some entries.
    fn with_unknowns(next: &mut dyn FnMut(u64) -> u64, depth: u32) -> Value {
        let unknown = |id| Unknown { id, ty: 0, is_hole: false };
        let few = |next: &mut dyn FnMut(u64) -> u64| {
            let count = next(3);
            (0..count).map(|_| with_unknowns(next, depth - 1)).collect::<Vec<_>>()
        };
        match next(if depth == 0 { 2 } else { 7 }) {
            0 => value(next, depth),
            1 => Value::Unknown(unknown(next(3))),
            2 => Value::data(next(2) as u32, few(next)),
            3 => Value::list(few(next)),
            4 => {
                let rest = Unseen { unknown: unknown(10 + next(2)), length: var(4, Sort::Int) };
                let few = few(next).into_iter().map(OpenItem::One);
                Value::sequence(few.chain([OpenItem::Rest(Arc::new(rest))]).collect())
            }
            5 => {
                let entries = few(next).into_iter().enumerate();
                let entries = entries.map(|(key, value)| (Value::from(key as i64), Entry::always(value)));
                Value::Map(Map::unknown(unknown(20), Keys::Endless, entries))
            }
            _ => {
                let entries = few(next).into_iter().enumerate();
                let known = entries.map(|(key, value)| (Value::from(key as i64), value));
                Value::Map(
                    known.fold(Map::default(), |map, (key, value)| map.set(&key, Some(Entry::always(value))).unwrap()),
                )
            }
        }
    }

    #[test]
    fn values_may_be_equal_unless_they_are_not() {
        let mut next = numbers(2);
        let (mut apart, mut split, mut compared) = (0, 0, 0);
        for _ in 0..50_000 {
            let (a, b) = (with_unknowns(&mut next, 3), with_unknowns(&mut next, 3));
            let b = if next(2) == 0 { b } else { a.clone() };
            match (may_be_equal(&a, &b), equal(&a, &b)) {
                (Ok(false), Ok(Truth::Known(false))) => apart += 1,
                // Conditions that exclude each other are found when they are made.
                (Err(_), Ok(Truth::Known(false))) => {}
                (Err(first), Err(other)) if first == other => split += 1,
                (Ok(true), Ok(_)) => compared += 1,
                (may_be, are) => panic!("{a:?} and {b:?}: {may_be:?}, {are:?}"),
            }
        }
        assert!(apart > 500 && split > 500 && compared > 500, "{apart} apart, {split} split, {compared} compared");
    }

    fn holds(condition: &Term, assignment: u64) -> bool {
        let bit = |var: Var| (assignment >> var.id) & 1;
        let mut value = |var: Var| match var.sort {
            Sort::Bool => Some(Scalar::Bool(bit(var) == 1)),
            _ => Some(Scalar::int(bit(var) as i64)),
        };
        condition.eval(&mut value).and_then(|scalar| scalar.as_bool()) == Some(true)
    }

    #[test]
    fn the_parts_of_an_equation_are_the_equation() {
        let mut next = numbers(1);
        let (mut several, mut never) = (0, 0);
        for _ in 0..20_000 {
            let a = value(&mut next, 3);
            let b = if next(2) == 0 { value(&mut next, 3) } else { observed(&a, &mut next) };
            let (mut parts, whole) = (Conditions::default(), equal(&a, &b).unwrap().term());
            let possible = equal_where(&a, &b, &mut parts).unwrap();
            for assignment in 0..16 {
                let together = possible && parts.iter().all(|part| holds(part, assignment));
                assert_eq!(together, holds(&whole, assignment), "{a:?} and {b:?}: {parts:?} for {whole}");
            }
            several += usize::from(parts.len() > 1);
            never += usize::from(!possible);
        }
        assert!(several > 500 && never > 500, "{several} in several parts, {never} never equal");
    }
}
