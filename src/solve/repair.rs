//! The cached model: does it still satisfy, and if not, does changing one value mend it?
//!
//! Exact by evaluation: constraints that do not mention a changed variable keep their value. For example after `#1 != #2` a
//! fresh `#3 != #1`, `#3 != #2` takes a value that neither has, in one pass over the constraints of `#3`; and a fresh `#3 >= #2`
//! takes the value of `#2`.

use super::domain::{Domain, Narrowing};
use super::eliminate::inequality;
use super::facts::{Id, Rest, Touched, solve_for};
use super::store::Store;
use super::table::Table;
use crate::scalar::{Int, Scalar};
use crate::term::{Kind, Linear, Term, Var};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// Variables whose value is changed to repair a model.
const SUSPECTS: usize = 4;
/// Values tried for one of them, beside those known to be forbidden.
const REPAIRS: usize = 6;

impl Store {
    /// Whether the cached model satisfies what is new; variables without a value get one.
    pub(super) fn model_stays(&mut self, touched: &Touched) -> bool {
        let Some(rest) = &self.facts.rest else { return true };
        let mut fresh: SmallVec<[Var; 4]> = SmallVec::new();
        for term in touched.added.iter().filter_map(|id| rest.terms.get(id)) {
            term.vars(&mut |var| {
                if !rest.model.contains_key(var) {
                    fresh.push(var);
                }
            });
        }
        for var in fresh {
            let value = self.first_value(var);
            self.facts.rest_mut().model.insert(var, value);
        }
        self.model_holds(touched)
    }

    /// The first value of a variable that its domain and inequalities leave beside the values of the others.
    fn first_value(&self, var: Var) -> Scalar {
        let domain = self.facts.domain(var);
        let left = self.facts.rest.as_deref().and_then(|rest| window(domain, var, &rest.terms_of(var), &rest.model));
        left.as_ref().unwrap_or(domain).first(var)
    }

    /// Whether the cached model satisfies the touched constraints and domains.
    fn model_holds(&self, touched: &Touched) -> bool {
        let Some(rest) = &self.facts.rest else { return true };
        self.holds_under(rest, touched, &|var| rest.model.get(var).cloned())
    }

    /// Changes the value of one variable so that all its constraints hold again.
    pub(super) fn repair(&mut self, touched: &Touched) -> bool {
        let Some(rest) = &self.facts.rest else { return true };
        let of = |var: Var| rest.model.get(var).cloned();
        let mut suspects: BTreeSet<Var> =
            touched.vars.iter().copied().filter(|var| rest.of_var.contains_key(var)).collect();
        for term in touched.added.iter().filter_map(|id| rest.terms.get(id)).filter(|term| !holds(term, &of)) {
            term.vars(&mut |var| {
                suspects.insert(var);
            });
        }
        suspects.into_iter().rev().take(SUSPECTS).any(|var| self.repair_one(var, touched))
    }

    fn repair_one(&mut self, var: Var, touched: &Touched) -> bool {
        let Some(value) = self.mending(var, touched) else { return false };
        self.facts.rest_mut().model.insert(var, value);
        true
    }

    /// A value of one variable with which all its constraints hold, and all that is touched. Where inequalities bound it, what
    /// the others' values leave of its domain is tried.
    fn mending(&self, var: Var, touched: &Touched) -> Option<Scalar> {
        let rest = self.facts.rest.as_deref()?;
        let own = rest.terms_of(var);
        let window = window(self.facts.domain(var), var, &own, &rest.model)?;
        let forbidden = forbidden_values(&rest.model, var, &own);
        let fits = |value: &Scalar| {
            let of = |other: Var| if other == var { Some(value.clone()) } else { rest.model.get(other).cloned() };
            own.iter().all(|term| holds(term, &of)) && self.holds_under(rest, touched, &of)
        };
        let mut values = window.candidates(var).filter(|value| !forbidden.contains(value));
        values.by_ref().take(REPAIRS).find(fits)
    }

    /// Whether the touched constraints and domains hold under some values.
    fn holds_under(&self, rest: &Rest, touched: &Touched, of: &impl Fn(Var) -> Option<Scalar>) -> bool {
        let within = |var: &Var| of(*var).is_none_or(|value| self.facts.domain(*var).admits(&value));
        let kept = |id: &Id| rest.terms.get(id).is_none_or(|term| holds(term, of));
        touched.vars.iter().all(within) && touched.added.iter().all(kept)
    }
}

fn holds(term: &Term, of: &impl Fn(Var) -> Option<Scalar>) -> bool {
    term.eval(&mut |var| of(var)).and_then(|value| value.as_bool()) == Some(true)
}

/// What the inequalities of a variable leave of its domain, the other variables having their values; `None` if nothing.
fn window(domain: &Domain, var: Var, own: &[&Term], model: &Table<Scalar>) -> Option<Domain> {
    let mut window = domain.clone();
    for linear in own.iter().filter_map(|term| inequality(term)) {
        let Some((factor, others)) = beside(linear, var, model) else { continue };
        // factor·x + others <= 0
        let narrowed = match factor.signum() {
            1 => window.at_most(&others.neg().floor_div(&factor)),
            _ => window.at_least(&others.neg().floor_div(&factor.neg()).neg()),
        };
        if narrowed == Narrowing::Empty {
            return None;
        }
    }
    Some(window)
}

/// The coefficient of a variable in a sum, and the value of all else there.
fn beside(linear: &Linear, var: Var, model: &Table<Scalar>) -> Option<(Int, Int)> {
    let (mut factor, mut others) = (Int::ZERO, linear.constant().clone());
    for (atom, coefficient) in linear.terms() {
        if atom.as_var() == Some(var) {
            factor = coefficient.clone();
        } else {
            let value = atom.eval(&mut |other| if other == var { None } else { model.get(other).cloned() })?;
            others = others.add(&value.as_int()?.mul(coefficient));
        }
    }
    (!factor.is_zero()).then_some((factor, others))
}

/// Values that the disequalities of a variable forbid under the model.
fn forbidden_values(model: &Table<Scalar>, var: Var, own: &[&Term]) -> FxHashSet<Scalar> {
    let value = |term: &Term| term.eval(&mut |other| if other == var { None } else { model.get(other).cloned() });
    let apart = |term: &Term| match term.kind() {
        Kind::Not(inner) => match inner.kind() {
            Kind::Eq(a, b) if a.as_var() == Some(var) => value(b),
            Kind::Eq(a, b) if b.as_var() == Some(var) => value(a),
            Kind::Eq0(linear) => {
                let (_, other) = solve_for(linear, &|known| known == var)?;
                value(&other)
            }
            _ => None,
        },
        _ => None,
    };
    own.iter().filter_map(|term| apart(term)).collect()
}
