//! `==` and `<`, lifted: a truth that is known where it can be, and a term otherwise.

use super::{Ask, Lifted, Reach, Split, Truth, Value, sequence};
use crate::scalar::{Int, Scalar, Sort};
use crate::term::Term;

/// Whether two values of one type are equal.
///
/// # Errors
/// The condition on which to fork first (a map with a pending write).
#[inline]
pub fn equal(a: &Value, b: &Value) -> Lifted<Truth> {
    match (a, b) {
        (Value::Scalar(a), Value::Scalar(b)) => Ok(Truth::Known(a == b)),
        (Value::Data { tag: x, fields: None }, Value::Data { tag: y, fields: None }) => Ok(Truth::Known(x == y)),
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
        (Value::Open(x), Value::Open(y)) => sequence::equal(x, y, Reach::Unbounded),
        (Value::Open(x), Value::List(y)) | (Value::List(y), Value::Open(x)) => sequence::equal(x, y, Reach::Bounded),
        (Value::Map(x), Value::Map(y)) => x.equals(y),
        _ => Ok(Truth::Known(false)),
    }
}

/// Whether a constructor certainly holds an unknown node.
fn holds(value: &Value, id: u64) -> bool {
    let direct = |field: &Value| matches!(field, Value::Unknown(unknown) if unknown.id == id) || holds(field, id);
    match value {
        Value::Data { .. } => value.fields().iter().any(direct),
        Value::List(list) => list.iter().any(direct),
        _ => false,
    }
}

pub(super) fn all_equal<'a>(pairs: impl Iterator<Item = (&'a Value, &'a Value)>) -> Lifted<Truth> {
    let mut all = Truth::Known(true);
    let mut split = None;
    for (a, b) in pairs {
        match equal(a, b) {
            Ok(truth) => all = all.and(truth),
            Err(condition) => split = split.or(Some(condition)),
        }
        if all.is_false() {
            return Ok(all);
        }
    }
    split.map_or(Ok(all), Err)
}

/// Whether `a < b`, of integers, strings (by code points) or bytes.
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

/// Whether `a <= b`, of integers, strings or bytes.
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

/// Forks on the first alternative of a union.
pub(super) fn choose_alternative(alternatives: &[(Term, Value)]) -> Split {
    Split::On(alternatives[0].0.clone())
}
