//! Bits: conditions counted in sums. The bit `[p]` is `if p { 1 } else { 0 }`.
//!
//! For example `[p] + [q] = 0` is `not p and not q`: a sum of bits that must be as small or as large as it can be fixes all of them.

use super::{Linear, Term};
use crate::scalar::Int;

impl Linear {
    /// The least and the largest value of a sum of bits, if these are independent; `None` if the sum has other atoms.
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

    /// The condition that a sum of bits has its least value.
    fn smallest(&self) -> Term {
        let literal = |(atom, coefficient): &(Term, Int)| {
            let condition = atom.as_bit()?;
            Some(if coefficient.signum() > 0 { Term::not(condition) } else { condition.clone() })
        };
        Term::and_all(self.terms().iter().filter_map(literal))
    }
}

/// The condition `sum <= 0`, if it fixes all bits, or none.
pub(super) fn at_most_zero(sum: &Linear) -> Option<Term> {
    let (least, largest) = sum.range_of_bits()?;
    match (least.signum(), largest.signum()) {
        (1, _) => Some(Term::falsity()),
        (_, 0 | -1) => Some(Term::truth()),
        (0, _) => Some(sum.smallest()),
        _ => None,
    }
}

/// The condition `sum = 0`, if it fixes all bits, or cannot hold.
pub(super) fn zero(sum: &Linear) -> Option<Term> {
    let (least, largest) = sum.range_of_bits()?;
    match (least.signum(), largest.signum()) {
        (1, _) | (_, -1) => Some(Term::falsity()),
        (0, _) => Some(sum.smallest()),
        (_, 0) => Some(sum.negated().smallest()),
        _ => None,
    }
}
