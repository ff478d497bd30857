//! The extent and the depth of a value, with limits on what a server makes.
//!
//! The extent of `[1, 2]` is 2, that of `"abc"` is 3 octets, that of 255 is 8 bits; it takes constant time. It is limited because a
//! number that is squared again and again soon has more digits than there is memory. The [`Depth`] of a constructor is limited
//! because a walk through a value is recursive.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use super::Value;
use crate::scalar::{Int, Scalar};
use crate::term::{Kind, Term};

/// An integer that a server makes has at most this many bits, so that memory suffices.
pub const BITS_LIMIT: u64 = 1 << 20;
/// A text that a server makes has at most this many octets, a collection this many elements, so that memory suffices.
pub const LENGTH_LIMIT: usize = 1 << 24;
/// At most this many constructors that a server makes are nested, so that the stack suffices for a walk.
pub const DEPTH_LIMIT: u16 = 1_000;
/// In a collection of at most this many elements the depth of each counts; in a larger one, that of two.
const ELEMENTS: usize = 8;
/// A symbolic product or text that a server makes has at most this many nodes, counted as a tree.
const NODES_LIMIT: u32 = 1 << 20;

/// The extent of a value: the octets of a known text, the bits of a known integer, the elements of a collection; else 1.
#[must_use]
pub fn extent(value: &Value) -> usize {
    match value {
        Value::Scalar(Scalar::Int(value)) => value.bits() as usize,
        Value::Scalar(Scalar::Str(text)) => text.len(),
        Value::Scalar(Scalar::Bytes(octets)) => octets.len(),
        Value::List(list) => list.len(),
        Value::Open(list) => list.len(),
        Value::Map(map) => map.bound(),
        Value::Scalar(_) | Value::Term(_) | Value::Data { .. } | Value::Union(_) => 1,
        Value::Unknown(_) | Value::Any | Value::Absent => 1,
    }
}

/// The number of nested constructors of a value, at most 65,535: `Node { next: Node { next: Nil } }` has depth 3.
///
/// In a list of more than eight elements the first and the last count, in such a map or set one entry. All depths compare as equal:
/// a depth is computed from the fields, which are compared themselves.
#[derive(Clone, Copy, Debug)]
pub struct Depth(u16);

impl Depth {
    /// The depth of a constructor without fields.
    pub(super) const LEAF: Depth = Depth(1);

    /// The depth of a constructor with these fields.
    pub(super) fn above(fields: &[Value]) -> Depth {
        Depth(deepest(fields).saturating_add(1))
    }
}

impl PartialEq for Depth {
    fn eq(&self, _: &Depth) -> bool {
        true
    }
}

impl Eq for Depth {}

impl PartialOrd for Depth {
    fn partial_cmp(&self, other: &Depth) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Depth {
    fn cmp(&self, _: &Depth) -> Ordering {
        Ordering::Equal
    }
}

impl Hash for Depth {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

fn deepest<'v>(values: impl IntoIterator<Item = &'v Value>) -> u16 {
    values.into_iter().map(depth).max().unwrap_or(0)
}

fn depth(value: &Value) -> u16 {
    match value {
        Value::Data { depth, .. } => depth.0,
        Value::List(list) => depth_of_list(list.len(), list.iter()),
        Value::Open(list) => depth_of_list(list.len(), list.iter().filter_map(|item| item.look().value())),
        Value::Map(map) if map.bound() <= ELEMENTS => deepest(map.parts()),
        Value::Map(map) => deepest(map.parts().take(2)),
        Value::Union(alternatives) => deepest(alternatives.iter().map(|(_, value)| value)),
        Value::Scalar(_) | Value::Term(_) | Value::Unknown(_) | Value::Any | Value::Absent => 0,
    }
}

fn depth_of_list<'v>(length: usize, mut elements: impl DoubleEndedIterator<Item = &'v Value>) -> u16 {
    if length <= ELEMENTS {
        deepest(elements)
    } else {
        deepest(elements.next().into_iter().chain(elements.next_back()))
    }
}

/// Tests whether a value exceeds a limit on what a server makes.
#[must_use]
pub fn is_too_large(value: &Value) -> bool {
    match value {
        Value::Scalar(Scalar::Int(value)) => has_too_many_bits(value),
        Value::Term(term) => is_large_term(term),
        Value::Union(alternatives) => alternatives.iter().any(|(_, value)| is_too_large(value)),
        Value::Data { depth, .. } => depth.0 > DEPTH_LIMIT,
        other => extent(other) > LENGTH_LIMIT,
    }
}

fn has_too_many_bits(value: &Int) -> bool {
    !value.is_small() && value.bits() > BITS_LIMIT
}

/// Tests whether a symbolic scalar has a coefficient with too many bits, or is a product or text of too many nodes. Other terms
/// share their nodes, so they stay small in memory however many nodes they have as a tree.
fn is_large_term(term: &Term) -> bool {
    match term.kind() {
        Kind::Linear(sum) => sum.terms().iter().any(|(_, factor)| has_too_many_bits(factor)),
        Kind::Mul(..) | Kind::Text(..) => term.size() > NODES_LIMIT,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Sort;
    use crate::term::Var;
    use crate::value::{Arithmetic, add, arithmetic};

    /// The number of times that a value can be made larger before it is too large.
    fn steps(mut value: Value, grow: impl Fn(&Value) -> Value) -> usize {
        (0..100)
            .find(|_| {
                is_too_large(&value) || {
                    value = grow(&value);
                    false
                }
            })
            .unwrap_or(100)
    }

    #[test]
    fn what_doubles_is_soon_too_large() {
        let twice = |value: &Value| add(value, value).unwrap_or(Value::Absent);
        let squared = |value: &Value| arithmetic(Arithmetic::Mul, value, value);
        let open = |sort| Value::Term(Term::var(Var { id: 1, sort }));
        assert_eq!(steps(Value::from(2), squared), 20);
        assert_eq!(steps(Value::str("a"), twice), 25);
        assert_eq!(steps(Value::list([Value::from(1)]), twice), 25);
        assert_eq!(steps(open(Sort::Int), squared), 20);
        assert_eq!(steps(open(Sort::Str), twice), 20);
        assert_eq!(steps(open(Sort::Int), twice), 100);
    }
}
