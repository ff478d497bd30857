//! The extent of a value, and the largest that a server makes: a number that is squared again and again soon has more digits than
//! there is memory, and a list that is appended to itself more elements.
//!
//! The extent of `[1, 2]` is 2, that of `"abc"` is 3 octets, that of 255 is 8 bits. It is looked up, never counted.

use super::Value;
use crate::scalar::{Int, Scalar};
use crate::term::{Kind, Term};

/// The most bits of an integer that a server makes.
pub const BITS_LIMIT: u64 = 1 << 20;
/// The most octets of a text, and elements of a collection, that a server makes.
pub const LENGTH_LIMIT: usize = 1 << 24;
/// The most nodes of a symbolic product or text that a server makes, counted as those of a tree.
const NODES_LIMIT: u32 = 1 << 20;

/// The octets of a known text, the bits of a known integer, the elements of a collection; 1 of everything else.
#[must_use]
pub fn extent(value: &Value) -> usize {
    match value {
        Value::Scalar(Scalar::Int(value)) => value.bits() as usize,
        Value::Scalar(Scalar::Str(text)) => text.len(),
        Value::Scalar(Scalar::Bytes(octets)) => octets.len(),
        Value::List(list) | Value::Open(list) => list.len(),
        Value::Map(map) => map.bound(),
        Value::Scalar(_) | Value::Term(_) | Value::Data { .. } | Value::Union(_) => 1,
        Value::Unknown(_) | Value::Rest(_) | Value::Maybe(_) | Value::Any | Value::Absent => 1,
    }
}

/// Tests whether a value is larger than what a server makes.
#[must_use]
pub fn is_too_large(value: &Value) -> bool {
    match value {
        Value::Scalar(Scalar::Int(value)) => has_too_many_bits(value),
        Value::Term(term) => is_large_term(term),
        Value::Union(alternatives) => alternatives.iter().any(|(_, value)| is_too_large(value)),
        other => extent(other) > LENGTH_LIMIT,
    }
}

fn has_too_many_bits(value: &Int) -> bool {
    !value.is_small() && value.bits() > BITS_LIMIT
}

/// Tests whether a symbolic scalar has numbers with too many bits in it, or is a product or text of too many nodes. Other terms share
/// their nodes: they stay small in memory however many these are.
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
