//! Linear normal form: a constant plus coefficients times atoms, as `2*#1 - #2 + 3`; sorted by atom, no coefficient zero.
//!
//! Atoms are integer terms that are not sums: variables, products, quotients, remainders, conditionals, tables, lengths.

use super::node::make;
use super::{Kind, Term};
use crate::scalar::{Int, Scalar, Sort};
use smallvec::{SmallVec, smallvec};
use std::cmp::Ordering;

/// A sum `constant + Σ coefficient · atom`.
#[derive(Clone, PartialEq, Eq)]
pub struct Linear {
    constant: Int,
    terms: SmallVec<[(Term, Int); 2]>,
}

impl Linear {
    /// The sum that is the constant `value`.
    pub fn constant_of(value: Int) -> Linear {
        Linear { constant: value, terms: SmallVec::new() }
    }

    /// The sum `coefficient · atom + constant`; the coefficient is not zero, and the atom no sum.
    pub(super) fn single(atom: Term, coefficient: Int, constant: Int) -> Linear {
        Linear { constant, terms: smallvec![(atom, coefficient)] }
    }

    /// The constant part.
    pub fn constant(&self) -> &Int {
        &self.constant
    }

    /// Atoms with their coefficients, in order; no coefficient is zero.
    pub fn terms(&self) -> &[(Term, Int)] {
        &self.terms
    }

    /// The linear form of an integer term.
    pub fn of(term: &Term) -> Linear {
        match term.kind() {
            Kind::Linear(linear) => (**linear).clone(),
            Kind::Const(Scalar::Int(value)) => Linear::constant_of(value.clone()),
            _ => Linear { constant: Int::ZERO, terms: smallvec![(term.clone(), Int::ONE)] },
        }
    }

    /// The coefficient of `atom`, zero if it does not occur.
    pub fn coefficient(&self, atom: &Term) -> Int {
        self.terms.iter().find(|(known, _)| known == atom).map_or(Int::ZERO, |(_, c)| c.clone())
    }

    /// Tests whether all atoms are variables.
    pub(super) fn is_plain(&self) -> bool {
        self.terms.iter().all(|(atom, _)| atom.as_var().is_some())
    }

    /// This sum plus `factor` times `other`.
    pub fn plus(&self, factor: &Int, other: &Linear) -> Linear {
        let mut terms: SmallVec<[(Term, Int); 2]> = SmallVec::new();
        let (mut i, mut j) = (0, 0);
        while i < self.terms.len() || j < other.terms.len() {
            let order = match (self.terms.get(i), other.terms.get(j)) {
                (Some((a, _)), Some((b, _))) => {
                    if a == b {
                        Ordering::Equal
                    } else {
                        a.cmp(b)
                    }
                }
                (Some(_), None) => Ordering::Less,
                (None, _) => Ordering::Greater,
            };
            let (atom, coefficient) = match order {
                Ordering::Less => (&self.terms[i].0, self.terms[i].1.clone()),
                Ordering::Greater => (&other.terms[j].0, other.terms[j].1.mul(factor)),
                Ordering::Equal => (&self.terms[i].0, self.terms[i].1.add(&other.terms[j].1.mul(factor))),
            };
            if !coefficient.is_zero() {
                terms.push((atom.clone(), coefficient));
            }
            i += usize::from(order != Ordering::Greater);
            j += usize::from(order != Ordering::Less);
        }
        Linear { constant: self.constant.add(&other.constant.mul(factor)), terms }
    }

    /// This sum plus a constant.
    pub fn plus_constant(mut self, value: &Int) -> Linear {
        self.constant = self.constant.add(value);
        self
    }

    /// This sum times `factor`.
    pub fn scaled(&self, factor: &Int) -> Linear {
        self.map(|c| c.mul(factor))
    }

    /// The negation.
    pub fn negated(&self) -> Linear {
        self.map(Int::neg)
    }

    /// This sum without the summand of `atom`.
    pub fn without(&self, atom: &Term) -> Linear {
        let terms = self.terms.iter().filter(|(known, _)| known != atom).cloned().collect();
        Linear { constant: self.constant.clone(), terms }
    }

    /// The greatest common divisor of the coefficients; zero if there are none.
    pub fn content(&self) -> Int {
        if let [(_, c)] = &self.terms[..] {
            return c.abs();
        }
        self.terms.iter().fold(Int::ZERO, |gcd, (_, c)| gcd.gcd(c))
    }

    /// The term of this sum.
    pub fn into_term(self) -> Term {
        match &self.terms[..] {
            [] => Term::constant(Scalar::Int(self.constant)),
            [(atom, one)] if *one == Int::ONE && self.constant.is_zero() => atom.clone(),
            _ => make(Kind::Linear(Box::new(self)), Sort::Int),
        }
    }

    /// This sum with constant and coefficients divided by `divisor`, each rounded towards minus infinity.
    pub(super) fn divided(&self, divisor: &Int) -> Linear {
        self.map(|c| c.floor_div(divisor))
    }

    /// This sum with `f` applied to the constant and to each coefficient; atoms whose coefficient becomes zero are dropped.
    pub(super) fn map(&self, f: impl Fn(&Int) -> Int) -> Linear {
        let terms = self.terms.iter().map(|(atom, c)| (atom.clone(), f(c))).filter(|(_, c)| !c.is_zero()).collect();
        Linear { constant: f(&self.constant), terms }
    }

    /// Tests whether both sums have the same constant and coefficients, whatever their atoms.
    pub(super) fn same_head(&self, other: &Linear) -> bool {
        self.constant == other.constant
            && self.terms.len() == other.terms.len()
            && self.terms.iter().zip(&other.terms).all(|((_, c), (_, d))| c == d)
    }
}
