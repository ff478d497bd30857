//! Conditions as they are asked: bounds of variables, for which no term is made until one is needed, and other terms.
//!
//! For example `5 <= n` is the bound `n >= 5`. Most exchanges ask such a question, `q <= n` for a known q and an unknown n, and most
//! often the domain of n answers it.

use super::{Term, Var};
use crate::scalar::Int;

/// A condition that decides how a statement goes on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    /// Any condition.
    Term(Term),
    /// A bound of a variable.
    Bound(Bound),
}

/// A bound of an integer variable: `#1 >= 5`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bound {
    /// The variable.
    subject: Term,
    /// Its number and sort.
    var: Var,
    side: Side,
    end: Int,
}

/// The side of a variable's values that a bound limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The bound is the smallest value.
    Least,
    /// The bound is the largest value.
    Most,
}

impl Bound {
    /// The bound of a term, if that is a variable.
    #[must_use]
    pub fn of(subject: &Term, side: Side, end: Int) -> Option<Bound> {
        let var = subject.as_var()?;
        Some(Bound { subject: subject.clone(), var, side, end })
    }

    /// The variable.
    #[must_use]
    pub fn var(&self) -> Var {
        self.var
    }

    /// The side that is bounded, and the value at that end.
    #[must_use]
    pub fn end(&self) -> (Side, &Int) {
        (self.side, &self.end)
    }

    /// The condition as a term.
    #[must_use]
    pub fn term(&self) -> Term {
        match self.side {
            Side::Least => Term::at_least(&self.subject, &self.end),
            Side::Most => Term::at_most(&self.subject, &self.end),
        }
    }

    /// The bound that holds if this one does not.
    #[must_use]
    pub fn opposite(&self) -> Bound {
        let (side, end) = match self.side {
            Side::Least => (Side::Most, self.end.sub(&Int::ONE)),
            Side::Most => (Side::Least, self.end.add(&Int::ONE)),
        };
        Bound { side, end, ..self.clone() }
    }
}

impl Condition {
    /// The condition as a term.
    #[must_use]
    pub fn term(&self) -> Term {
        match self {
            Condition::Term(term) => term.clone(),
            Condition::Bound(bound) => bound.term(),
        }
    }

    /// The condition that holds if this one does not.
    #[must_use]
    pub fn opposite(&self) -> Condition {
        match self {
            Condition::Term(term) => Condition::Term(Term::not(term)),
            Condition::Bound(bound) => Condition::Bound(bound.opposite()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Sort;

    #[test]
    fn a_bound_is_the_comparison() {
        let n = Term::var(Var { id: 1, sort: Sort::Int });
        for end in [-1, 0, 7, i64::MIN, i64::MAX].map(Int::from) {
            let known = Term::int(end.clone());
            for (side, whole) in [(Side::Least, Term::le(&known, &n)), (Side::Most, Term::le(&n, &known))] {
                let bound = Bound::of(&n, side, end.clone()).unwrap();
                assert_eq!(bound.term(), whole);
                assert_eq!(bound.opposite().term(), whole.not());
                assert_eq!(Condition::Bound(bound.clone()).opposite().term(), whole.not());
            }
        }
        assert_eq!(Bound::of(&n.add(&Term::int(Int::ONE)), Side::Least, Int::ZERO), None);
    }
}
