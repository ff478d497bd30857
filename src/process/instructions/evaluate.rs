//! Operators on values: each gives a value, or an [`Obstacle`] such as a condition to be decided first.

use std::sync::Arc;

use crate::process::{Event, Limit};
use crate::scalar::{Int, Scalar, text};
use crate::spec::code::{Binary, Unary};
use crate::term::{Bound, Condition, Side, Term, TextOp, Var};
use crate::value::{
    self, Arithmetic, Ask, Entry, Lifted, ListItem, ListItems, Map, OpenList, Presence, Split, Truth, Value,
};

/// At most this many elements are taken off a list one by one; more are split off at once.
const FEW: usize = 8;

/// A number of more digits than this is not read, as it might exceed the limit of bits: a digit has more than three.
const DIGITS: usize = value::BITS_LIMIT as usize / 3;

/// A reason why an instruction cannot be executed yet.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Obstacle {
    /// A condition must be decided first.
    Decide(Term),
    /// A part of an unknown value is needed first.
    Ask(Ask),
    /// An unknown collection was counted.
    Uncounted,
    /// A limit is exceeded.
    Limit(Limit),
}

impl From<Split> for Obstacle {
    fn from(split: Split) -> Obstacle {
        match split {
            Split::On(condition) => Obstacle::Decide(condition),
            Split::Ask(ask) => Obstacle::Ask(ask),
            Split::Uncounted => Obstacle::Uncounted,
        }
    }
}

/// The outcome of an instruction.
pub(crate) enum Executed {
    /// The process goes on at the next instruction.
    Following,
    /// The process goes on at another instruction; frames may have changed.
    Moved,
    /// The process yields an event, and goes on after the instruction.
    Event(Event),
}

pub(crate) type Evaluated = Result<Value, Obstacle>;

pub(crate) fn unary(op: Unary, a: &Value) -> Evaluated {
    if matches!(op, Unary::Not | Unary::Neg | Unary::Text(_) | Unary::ToInt) {
        is_one(a)?;
    }
    Ok(match op {
        Unary::Not => match a {
            Value::Absent => Value::Absent,
            a => a.truth().not().into(),
        },
        Unary::Neg => value::negate(a),
        Unary::Len => value::len(a)?,
        Unary::Text(op) => value::text(op, &[a]),
        Unary::ToInt if value::extent(a) > DIGITS && is_written_number(a) => {
            return Err(Obstacle::Limit(Limit::Extent));
        }
        Unary::ToInt => to_int(a),
        Unary::Keys => over_map(a, keys)?.unwrap_or(Value::Absent),
        Unary::Values => over_map(a, values)?.unwrap_or(Value::Absent),
        Unary::Entries => over_map(a, entries)?.unwrap_or(Value::Absent),
        Unary::ToList => to_list(a)?,
    })
}

/// A comparison of two values by order: known, or a bound of a variable.
pub(crate) enum Ordered<'v> {
    Known(bool),
    /// The variable as a term and by itself, the side that is bounded, and the value at that end.
    Bound(&'v Term, Var, Side, Int),
}

/// Compares `a <= b` or `a < b`; a variable and a known number give a bound.
#[inline(always)] // It belongs to the loop of the fast path.
pub(crate) fn ordered<'v>(op: Binary, a: &'v Value, b: &'v Value) -> Option<Ordered<'v>> {
    let strictly = op == Binary::Lt;
    match (a, b) {
        (Value::Scalar(Scalar::Int(a)), Value::Scalar(Scalar::Int(b))) => {
            Some(Ordered::Known(if strictly { a < b } else { a <= b }))
        }
        (Value::Scalar(Scalar::Int(low)), Value::Term(term)) => {
            let least = if strictly { low.add(&Int::ONE) } else { low.clone() };
            Some(Ordered::Bound(term, term.as_var()?, Side::Least, least))
        }
        (Value::Term(term), Value::Scalar(Scalar::Int(high))) => {
            let most = if strictly { high.sub(&Int::ONE) } else { high.clone() };
            Some(Ordered::Bound(term, term.as_var()?, Side::Most, most))
        }
        _ => None,
    }
}

/// The result of comparing two values by order: known or open.
pub(crate) enum Compared {
    Known(bool),
    Open(Condition),
}

/// Compares `a <= b` or `a < b`; a variable and a known number give a bound.
pub(crate) fn order(op: Binary, a: &Value, b: &Value) -> Result<Compared, Obstacle> {
    let bound = match ordered(op, a, b) {
        Some(Ordered::Known(known)) => return Ok(Compared::Known(known)),
        Some(Ordered::Bound(subject, _, side, end)) => Bound::of(subject, side, end),
        None => None,
    };
    Ok(match bound {
        Some(bound) => Compared::Open(Condition::Bound(bound)),
        None => match binary(op, a, b)?.truth() {
            Truth::Known(known) => Compared::Known(known),
            Truth::Term(condition) => Compared::Open(Condition::Term(condition)),
        },
    })
}

pub(crate) fn binary(op: Binary, a: &Value, b: &Value) -> Evaluated {
    if matches!(a, Value::Absent) || matches!(b, Value::Absent) {
        return Ok(match op {
            // A side without a value belongs to an arm that is not taken; the result is the other side.
            Binary::And | Binary::Or if matches!(a, Value::Absent) => b.clone(),
            Binary::And | Binary::Or => a.clone(),
            _ => Value::Absent,
        });
    }
    if op.takes_scalars() {
        is_one(a)?;
        is_one(b)?;
    }
    Ok(match op {
        Binary::Le => value::at_most(a, b).into(),
        Binary::Lt => value::less(a, b).into(),
        Binary::Eq => value::equal(a, b)?.into(),
        Binary::Ne => value::equal(a, b)?.not().into(),
        Binary::Add => bounded(value::add(a, b)?)?,
        Binary::Arithmetic(op) => bounded(value::arithmetic(op, a, b))?,
        Binary::Difference => value::set_difference(a, b)?,
        Binary::Overlay => bounded(value::overlay(a, b)?)?,
        Binary::Intersection => value::intersection(a, b)?,
        Binary::Subset => value::is_subset(a, b)?.into(),
        Binary::BeginsWith => value::begins_with(a, b)?.into(),
        Binary::In => value::member(a, b)?.into(),
        Binary::Get => over_map(a, |map| get(map, b))?.unwrap_or(Value::Absent),
        Binary::Remove => over_map(a, |map| Ok(Value::Map(map.set(b, None)?)))?.unwrap_or(Value::Absent),
        Binary::Text(op) => value::text(op, &[a, b]),
        Binary::Split => split_known(a, b),
        Binary::And => a.truth().and(b.truth()).into(),
        Binary::Or => a.truth().or(b.truth()).into(),
        Binary::RangeLen => range_len(a, b),
    })
}

/// The value that an operation made; an error if it is too large.
pub(crate) fn bounded(value: Value) -> Evaluated {
    if value::is_too_large(&value) { Err(Obstacle::Limit(Limit::Extent)) } else { Ok(value) }
}

/// Checks that a scalar is no union; an error forks on the first alternative.
fn is_one(scalar: &Value) -> Result<(), Obstacle> {
    match scalar {
        Value::Union(alternatives) => Err(Obstacle::Decide(alternatives[0].0.clone())),
        _ => Ok(()),
    }
}

/// The result of an operation on a map; nothing if the value is no map.
fn over_map<T>(value: &Value, operate: impl FnOnce(&Map) -> Lifted<T>) -> Lifted<Option<T>> {
    match value {
        Value::Map(map) => operate(map).map(Some),
        Value::Union(alternatives) => Err(Split::On(alternatives[0].0.clone())),
        _ => Ok(None),
    }
}

/// The condition that a map has a key, and the value under it; both are absent if `map` is none.
pub(crate) fn found(map: &Value, key: &Value) -> Lifted<(Value, Value)> {
    let found = over_map(map, |map| map.get(key))?;
    Ok(found.map_or((Value::Absent, Value::Absent), |(there, found)| (there.into(), found)))
}

/// The option `m.get(k)`.
fn get(map: &Map, key: &Value) -> Lifted<Value> {
    let (there, found) = map.get(key)?;
    Ok(option(there, found))
}

/// The option that is `Some` if a condition holds, else `None`.
pub(crate) fn option(there: Truth, found: Value) -> Value {
    match there {
        Truth::Known(true) => Value::some(found),
        Truth::Known(false) => Value::NONE,
        Truth::Term(term) => value::union([(term.clone(), Value::some(found)), (Term::not(&term), Value::NONE)]),
    }
}

fn is_written_number(a: &Value) -> bool {
    matches!(a, Value::Scalar(Scalar::Str(text)) if Int::is_written(text))
}

fn to_int(a: &Value) -> Value {
    match a {
        Value::Scalar(Scalar::Str(s)) => match text::to_int(s) {
            Some(int) => Value::some(Value::Scalar(Scalar::Int(int))),
            None => Value::NONE,
        },
        a => option(value::text(TextOp::IsInt, &[a]).truth(), value::text(TextOp::ToInt, &[a])),
    }
}

/// The keys of a map, as a set.
fn keys(map: &Map) -> Lifted<Value> {
    if !map.is_plain() {
        return Ok(Value::Map(map.keys()));
    }
    let mut set = Map::default();
    for (key, entry) in map.entries()? {
        set.set_in_place(key, Some(Entry { presence: entry.presence.clone(), value: Value::UNIT }));
    }
    Ok(Value::Map(set))
}

/// The values of a map in the order of its keys.
fn values(map: &Map) -> Lifted<Value> {
    let entries = map.entries()?;
    certain(entries.iter().map(|(_, entry)| &entry.presence))?;
    sorted(entries.iter().map(|(key, _)| *key))?;
    Ok(Value::list(entries.into_iter().map(|(_, entry)| entry.value.clone())))
}

/// The pairs of a map in the order of its keys.
fn entries(map: &Map) -> Lifted<Value> {
    let entries = map.entries()?;
    certain(entries.iter().map(|(_, entry)| &entry.presence))?;
    sorted(entries.iter().map(|(key, _)| *key))?;
    Ok(Value::list(entries.into_iter().map(|(key, entry)| Value::data(0, [key.clone(), entry.value.clone()]))))
}

/// The list of the elements of a set in their order; a list stays as it is.
fn to_list(a: &Value) -> Evaluated {
    let set = match a {
        Value::Map(set) => set,
        Value::Union(_) => return Err(value::elements(a).err().unwrap_or_else(Split::never).into()),
        _ => return Ok(a.clone()),
    };
    let entries = set.entries()?;
    certain(entries.iter().map(|(_, entry)| &entry.presence))?;
    sorted(entries.iter().map(|(element, _)| *element))?;
    Ok(Value::list(entries.into_iter().map(|(element, _)| element.clone())))
}

fn certain<'a>(presences: impl Iterator<Item = &'a Presence>) -> Lifted<()> {
    for presence in presences {
        if let Presence::When(condition) = presence {
            return Err(Split::On(condition.clone()));
        }
    }
    Ok(())
}

/// Checks that elements in structural order are in the order of their values: all must be known.
fn sorted<'a>(elements: impl Iterator<Item = &'a Value>) -> Lifted<()> {
    let elements: Vec<&Value> = elements.collect();
    if elements.len() < 2 || elements.iter().all(|element| element.is_known()) {
        return Ok(());
    }
    // No decision helps to order symbolic elements: the evaluator cuts the path at this constant condition.
    Err(Split::never())
}

/// The pieces of a known text at a known separator; other texts are split by their number of pieces (see `bounded::pieces`).
fn split_known(a: &Value, b: &Value) -> Value {
    match (a, b) {
        (Value::Scalar(s), Value::Scalar(t)) => {
            Value::list(text::split(s, t).unwrap_or_default().into_iter().map(Value::Scalar))
        }
        _ => Value::Absent,
    }
}

/// The condition that a list has a length, exactly or at least, lifted over alternatives.
pub(crate) fn has_length(src: &Value, length: usize, exact: bool) -> Truth {
    match src {
        Value::Open(list) => open_length(src, list, length, exact),
        Value::List(list) => Truth::Known(if exact { list.len() == length } else { list.len() >= length }),
        Value::Union(alternatives) => {
            let fits = |(guard, value): &(Term, Value)| Truth::of(guard.clone()).and(has_length(value, length, exact));
            Truth::of(Term::or_all(alternatives.iter().map(|alternative| fits(alternative).term())))
        }
        _ => Truth::Known(false),
    }
}

fn open_length(list: &Value, elements: &OpenList, length: usize, exact: bool) -> Truth {
    let known = if exact { value::has_exactly(elements, length) } else { value::has_at_least(elements, length) };
    if let Some(truth) = known {
        return truth;
    }
    let (Ok(own), wanted) = (value::len(list), Value::from(length as i64)) else { return Truth::Known(false) };
    if exact { value::equal(&own, &wanted).unwrap_or(Truth::Known(false)) } else { value::at_most(&wanted, &own) }
}

/// Checks that the first places of a list are known, in every alternative.
pub(crate) fn places(src: &Value, count: usize) -> Lifted<()> {
    match src {
        Value::Open(_) if count > 0 => value::index(src, &Value::from(count as i64 - 1)).map(|_| ()),
        Value::Union(alternatives) => alternatives.iter().try_for_each(|(_, value)| places(value, count)),
        _ => Ok(()),
    }
}

/// Applies a function to the lists among the alternatives.
pub(crate) fn over_lists(src: &Value, operate: &dyn Fn(ListItems<'_>) -> Value) -> Value {
    match src {
        Value::List(list) => operate(ListItems::Known(list)),
        Value::Open(list) => operate(ListItems::Open(list)),
        Value::Union(alternatives) => {
            value::union(alternatives.iter().map(|(guard, value)| (guard.clone(), over_lists(value, operate))))
        }
        _ => Value::Absent,
    }
}

/// A list without its first elements.
pub(crate) fn tail(src: &Value, from: usize) -> Value {
    match src {
        Value::List(list) if from > list.len() => Value::Absent,
        Value::Open(list) if from > list.len() => Value::Absent,
        Value::List(list) => Value::List(Arc::new(without_first(list, from))),
        Value::Open(list) => Value::sequence(without_first(list, from)),
        Value::Union(alternatives) => {
            value::union(alternatives.iter().map(|(guard, value)| (guard.clone(), tail(value, from))))
        }
        _ => Value::Absent,
    }
}

/// The element at a position of a list.
pub(crate) fn nth(src: &Value, at: usize) -> Value {
    over_lists(src, &|list| list.get(at).and_then(ListItem::value).cloned().unwrap_or(Value::Absent))
}

/// The element at a position of a list, counted from the back; 0 is the last.
pub(crate) fn nth_last(src: &Value, at: usize) -> Value {
    over_lists(src, &|list| {
        let place = list.count().checked_sub(at + 1);
        place.and_then(|place| list.get(place)).and_then(ListItem::value).cloned().unwrap_or(Value::Absent)
    })
}

/// A list without its last elements.
pub(crate) fn without_last(src: &Value, count: usize) -> Value {
    over_lists(src, &|list| match (list, list.count().checked_sub(count)) {
        (ListItems::Known(list), Some(kept)) => Value::List(Arc::new(list.take(kept))),
        _ => Value::Absent,
    })
}

/// The list without its first elements. Taking off a few touches only the beginning of a long list.
fn without_first<T: Clone>(list: &im::Vector<T>, count: usize) -> im::Vector<T> {
    let mut rest = list.clone();
    if count > FEW {
        return rest.split_off(count);
    }
    (0..count).for_each(|_| drop(rest.pop_front()));
    rest
}

/// The number of integers of a range, `len(a..b)`.
fn range_len(from: &Value, to: &Value) -> Value {
    let difference = value::arithmetic(Arithmetic::Sub, to, from);
    value::merge(&value::at_most(to, from).term(), Value::from(0), difference)
}
