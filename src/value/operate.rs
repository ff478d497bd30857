//! Arithmetic and text operations on scalars, known or symbolic.

use std::sync::Arc;

use super::alternatives::lift;
use super::{Lifted, ListItems, OpenItem, OpenList, Value};
use crate::scalar::{Int, Scalar};
use crate::term::{Term, TextOp};

/// The arithmetic operators other than `+`, which [`add`] lifts over more types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arithmetic {
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`, rounded towards minus infinity, 0 if b = 0
    Div,
    /// `a % b`, such that `a == b * (a / b) + a % b`
    Rem,
}

/// A list of at most this length is appended element by element, which touches only the end of the other list.
const SHORT: usize = 32;

/// The result of `a + b`: a sum of integers, a concatenation of strings, bytes or lists, or the union of two sets.
///
/// # Errors
/// The condition on which to fork first.
pub fn add(a: &Value, b: &Value) -> Lifted<Value> {
    match (a, b) {
        (Value::Scalar(Scalar::Int(x)), Value::Scalar(Scalar::Int(y))) => Ok(Value::Scalar(Scalar::Int(x.add(y)))),
        (Value::Scalar(Scalar::Int(known)), Value::Term(term))
        | (Value::Term(term), Value::Scalar(Scalar::Int(known))) => Ok(Value::of_term(term.plus(known))),
        (Value::List(x), Value::List(y)) => {
            let mut joined = x.clone();
            let list = Arc::make_mut(&mut joined);
            match y.len() <= SHORT {
                true => list.extend(y.iter().cloned()),
                false => list.append((**y).clone()),
            }
            Ok(Value::List(joined))
        }
        (Value::Open(_), Value::Open(_) | Value::List(_)) | (Value::List(_), Value::Open(_)) => {
            let lists = [a, b].into_iter().filter_map(ListItems::of).map(ListItems::to_open);
            Ok(Value::Open(Arc::new(lists.fold(OpenList::new(), |joined, more| joined + more))))
        }
        (Value::Map(_), Value::Map(_)) => super::collection::set_union(a, b),
        (Value::Union(alternatives), other) => {
            lift(alternatives.iter().map(|(guard, value)| (guard, add(value, other))))
        }
        (other, Value::Union(alternatives)) => {
            lift(alternatives.iter().map(|(guard, value)| (guard, add(other, value))))
        }
        _ => Ok(scalars(a, b, |x, y| match x.sort() {
            crate::scalar::Sort::Int => Term::add(x, y),
            _ => Term::text(TextOp::Concat, vec![x.clone(), y.clone()]),
        })),
    }
}

/// Appends an element to a list; returns false if `list` is none.
pub fn append_in_place(list: &mut Value, element: Value) -> bool {
    match list {
        Value::List(elements) => Arc::make_mut(elements).push_back(element),
        _ => return append_item_in_place(list, OpenItem::One(element)),
    }
    true
}

/// Appends an item to a list, which becomes open unless the item is a certain element; returns false if `list` is none.
pub fn append_item_in_place(list: &mut Value, item: OpenItem) -> bool {
    match (&mut *list, item) {
        (Value::List(elements), OpenItem::One(value)) => Arc::make_mut(elements).push_back(value),
        (Value::Open(items), item) => Arc::make_mut(items).push_back(item),
        (Value::List(elements), item) => {
            let mut items = ListItems::Known(elements).to_open();
            items.push_back(item);
            *list = Value::Open(Arc::new(items));
        }
        _ => return false,
    }
    true
}

/// The result of `a - b`, `a * b`, `a / b` or `a % b` on integers. Division rounds towards minus infinity, and `a / 0` is 0.
#[must_use]
pub fn arithmetic(op: Arithmetic, a: &Value, b: &Value) -> Value {
    if let (Value::Scalar(Scalar::Int(x)), Value::Scalar(Scalar::Int(y))) = (a, b) {
        return Value::Scalar(Scalar::Int(known(op, x, y)));
    }
    scalars(a, b, |x, y| match op {
        Arithmetic::Sub => Term::sub(x, y),
        Arithmetic::Mul => Term::mul(x, y),
        Arithmetic::Div => Term::div(x, y),
        Arithmetic::Rem => Term::rem(x, y),
    })
}

fn known(op: Arithmetic, x: &Int, y: &Int) -> Int {
    match op {
        Arithmetic::Sub => x.sub(y),
        Arithmetic::Mul => x.mul(y),
        Arithmetic::Div => x.floor_div(y),
        Arithmetic::Rem => x.modulo(y),
    }
}

fn scalars(a: &Value, b: &Value, operate: impl Fn(&Term, &Term) -> Term) -> Value {
    match (a.as_term(), b.as_term()) {
        (Some(x), Some(y)) => Value::of_term(operate(&x, &y)),
        _ => Value::Absent,
    }
}

/// The negation `-a` of an integer.
#[must_use]
pub fn negate(a: &Value) -> Value {
    match a {
        Value::Scalar(Scalar::Int(x)) => Value::Scalar(Scalar::Int(x.neg())),
        _ => a.as_term().map_or(Value::Absent, |term| Value::of_term(Term::neg(&term))),
    }
}

/// The result of a text operation on scalars; absent if an argument is none.
#[must_use]
pub fn text(op: TextOp, args: &[&Value]) -> Value {
    let known = match args {
        [Value::Scalar(a)] => op.apply_to(&[a]),
        [Value::Scalar(a), Value::Scalar(b)] => op.apply_to(&[a, b]),
        [Value::Scalar(a), Value::Scalar(b), Value::Scalar(c)] => op.apply_to(&[a, b, c]),
        _ => None,
    };
    if let Some(result) = known {
        return Value::Scalar(result);
    }
    match args.iter().map(|arg| arg.as_term()).collect::<Option<Vec<Term>>>() {
        Some(terms) => Value::of_term(Term::text(op, terms)),
        None => Value::Absent,
    }
}
