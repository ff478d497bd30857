//! Merging values under guards: symbolic unions in the manner of Rosette (Torlak & Bodik 2014).
//!
//! Values of one shape are joined inside: scalars by if-then-else terms, constructors field by field, lists of one length element
//! by element, maps key by key. Values of different shapes become the alternatives of a [`Value::Union`].

use std::sync::Arc;

use super::{Ask, Map, OpenItem, OpenList, Value};
use crate::term::Term;

/// The value `condition ? then : otherwise`. If one of the two is absent, it is the other.
#[must_use]
pub fn merge(condition: &Term, then: Value, otherwise: Value) -> Value {
    match condition.as_bool() {
        Some(true) => return then,
        Some(false) => return otherwise,
        None => {}
    }
    if matches!(then, Value::Absent) || same(&then, &otherwise) {
        return otherwise;
    }
    if matches!(otherwise, Value::Absent) {
        return then;
    }
    match join(condition, &then, &otherwise) {
        Some(value) => value,
        None => union([(condition.clone(), then), (Term::not(condition), otherwise)]),
    }
}

/// The union of alternatives whose guards exclude each other; absent alternatives, and those under a false guard, are left out.
#[must_use]
pub fn union(alternatives: impl IntoIterator<Item = (Term, Value)>) -> Value {
    let mut shapes: Vec<(Term, Value)> = Vec::new();
    for (guard, value) in alternatives {
        if guard.as_bool() == Some(true) {
            // The guards of the other alternatives exclude this one.
            return value;
        }
        match value {
            Value::Absent => {}
            Value::Union(inner) => {
                inner.iter().for_each(|(own, value)| insert(&mut shapes, Term::and(&guard, own), value.clone()));
            }
            value => insert(&mut shapes, guard, value),
        }
    }
    match shapes.len() {
        0 => Value::Absent,
        1 => shapes.remove(0).1,
        _ => Value::Union(shapes.into_iter().collect()),
    }
}

fn insert(shapes: &mut Vec<(Term, Value)>, guard: Term, value: Value) {
    if guard.as_bool() == Some(false) {
        return;
    }
    for (other, present) in shapes.iter_mut() {
        if let Some(joined) = if same(&value, present) { Some(value.clone()) } else { join(&guard, &value, present) } {
            *other = Term::or(other, &guard);
            *present = joined;
            return;
        }
    }
    shapes.push((guard, value));
}

/// Joins two values of one shape; `None` if the shapes differ.
fn join(condition: &Term, then: &Value, otherwise: &Value) -> Option<Value> {
    match (then, otherwise) {
        (Value::Scalar(_) | Value::Term(_), Value::Scalar(_) | Value::Term(_)) => {
            Some(Value::of_term(Term::ite(condition, &then.as_term()?, &otherwise.as_term()?)))
        }
        (Value::Data { tag: a, fields: x, .. }, Value::Data { tag: b, fields: y, .. }) if a == b => {
            let (Some(x), Some(y)) = (x, y) else { return Some(then.clone()) };
            let fields: Arc<[Value]> =
                x.iter().zip(y.iter()).map(|(x, y)| merge(condition, x.clone(), y.clone())).collect();
            Some(Value::data(*a, fields))
        }
        (Value::List(x), Value::List(y)) if x.len() == y.len() => {
            Some(Value::list(x.iter().zip(y.iter()).map(|(x, y)| merge(condition, x.clone(), y.clone()))))
        }
        (Value::Open(x), Value::Open(y)) if x.len() == y.len() => {
            let joined: Option<OpenList> = x.iter().zip(y.iter()).map(|(x, y)| item(condition, x, y)).collect();
            joined.map(|list| Value::Open(Arc::new(list)))
        }
        (Value::Map(x), Value::Map(y)) => Map::join(condition, x, y).map(Value::Map),
        _ => None,
    }
}

/// Joins two elements of open lists with the same presence; `None` for stretches, or if the presences differ.
fn item(condition: &Term, then: &OpenItem, otherwise: &OpenItem) -> Option<OpenItem> {
    let ((there, then), (other, otherwise)) = (then.look().element()?, otherwise.look().element()?);
    if there == other { OpenItem::under(there, merge(condition, then.clone(), otherwise.clone())) } else { None }
}

/// Tests whether two values are the same, mostly by pointers: equal scalars, terms, unit variants or open lists, or a shared tree.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Scalar(a), Value::Scalar(b)) => a == b,
        (Value::Term(a), Value::Term(b)) => a == b,
        (Value::Data { tag: a, fields: None, .. }, Value::Data { tag: b, fields: None, .. }) => a == b,
        (Value::Data { fields: Some(a), .. }, Value::Data { fields: Some(b), .. }) => Arc::ptr_eq(a, b),
        (Value::List(a), Value::List(b)) => Arc::ptr_eq(a, b),
        (Value::Open(a), Value::Open(b)) => a == b,
        (Value::Map(a), Value::Map(b)) => a.is_same(b),
        (Value::Union(a), Value::Union(b)) => a.is_same(b),
        (Value::Unknown(a), Value::Unknown(b)) => a == b,
        _ => false,
    }
}

/// The question that must be answered before two values are joined: for the entry of an unknown base that one of two maps on it has
/// and the other one has not.
#[must_use]
pub fn before_joining(a: &Value, b: &Value) -> Option<Ask> {
    match (a, b) {
        (Value::Map(x), Value::Map(y)) => x.missing(y),
        (Value::Data { tag: x, .. }, Value::Data { tag: y, .. }) if x == y => {
            a.fields().iter().zip(b.fields()).find_map(|(a, b)| before_joining(a, b))
        }
        _ => None,
    }
}
