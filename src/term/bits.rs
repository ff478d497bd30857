//! Bits: conditions counted in sums, as `if p { 1 } else { 0 }`, here written `[p]`.
//!
//! A sum of bits that comes out as small or as large as it can decides all of them: `[p] + [q] = 0` is `not p and not q`.

use super::{Linear, Term};
use crate::scalar::Int;

impl Linear {
    /// The least and the largest value of a sum of nothing but bits, each taken by itself.
    #[must_use]
    pub fn range_of_bits(&self) -> Option<(Int, Int)> {
        let (mut least, mut largest) = (self.constant().clone(), self.constant().clone());
        for (atom, coefficient) in self.terms() {
            atom.as_bit()?;
            let end = if coefficient.signum() > 0 { &mut largest } else { &mut least };
            *end = end.add(coefficient);
        }
        Some((least, largest))
    }

    /// The condition on which each bit is as a sum needs it to come out smallest.
    fn smallest(&self) -> Term {
        let literal = |(atom, coefficient): &(Term, Int)| {
            let condition = atom.as_bit()?;
            Some(if coefficient.signum() > 0 { Term::not(condition) } else { condition.clone() })
        };
        Term::and_all(self.terms().iter().filter_map(literal))
    }
}

/// `sum <= 0`, if that decides all bits or none.
pub(super) fn at_most_zero(sum: &Linear) -> Option<Term> {
    let (least, largest) = sum.range_of_bits()?;
    match (least.signum(), largest.signum()) {
        (1, _) => Some(Term::falsity()),
        (_, 0 | -1) => Some(Term::truth()),
        (0, _) => Some(sum.smallest()),
        _ => None,
    }
}

/// `sum = 0`, if that decides all bits.
pub(super) fn zero(sum: &Linear) -> Option<Term> {
    let (least, largest) = sum.range_of_bits()?;
    match (least.signum(), largest.signum()) {
        (1, _) | (_, -1) => Some(Term::falsity()),
        (0, _) => Some(sum.smallest()),
        (_, 0) => Some(sum.negated().smallest()),
        _ => None,
    }
}
