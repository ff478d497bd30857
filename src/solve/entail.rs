//! Simplification of terms by what a store knows: for making values simpler, where not finding out does no harm.
//!
//! Implements no rule of its own: a condition follows where its parts do, or where its negation is refuted. For example beside
//! `!#1 || #2` and `!#1 || !#2` the condition `#1 && #3` is false.

use super::facts::Touched;
use super::search::{Outcome, Search};
use super::store::Store;
use super::{Solver, Tiers};
use crate::scalar::{Scalar, Sort};
use crate::term::{Kind, Term};

/// Conditions that the search for a counterexample may add.
const EFFORT: u32 = 16;
/// Larger conditions are not looked at.
const LARGEST: u32 = 64;

impl Store {
    /// The term with its variables resolved; for one that depends on conditions, the only value that it can have, where that was
    /// found out.
    #[must_use]
    pub fn simplified(&self, term: &Term, solver: &Solver) -> Term {
        let resolved = self.resolve(term);
        if solver.limits.tiers == Tiers::OnlyZ3 || !is_conditional(&resolved) {
            return resolved;
        }
        self.only_value(&resolved).unwrap_or(resolved)
    }

    /// Tests whether a condition on truth values follows (`Some(true)`), or its negation does (`Some(false)`); `None` also where
    /// that was not found out. Unlike [`Store::decide`] it may search, but never asks Z3.
    #[must_use]
    pub fn entails(&self, condition: &Term, solver: &Solver) -> Option<bool> {
        let resolved = self.resolve(condition);
        self.decide(&resolved).or_else(|| {
            if solver.limits.tiers == Tiers::OnlyZ3 || resolved.size() > LARGEST {
                return None;
            }
            if !is_logical(&resolved) {
                return self.entails_parts(&resolved, solver);
            }
            let likely = self.last_value(&resolved)?.as_bool()?;
            let other = if likely { resolved.not() } else { resolved };
            self.refutes(&other).then_some(likely)
        })
    }

    /// Tests whether a connective follows (`Some(true)`), or its negation does (`Some(false)`), by its parts, each by itself;
    /// `None` also where that was not found out.
    fn entails_parts(&self, condition: &Term, solver: &Solver) -> Option<bool> {
        let (parts, deciding) = match condition.kind() {
            Kind::And(parts) => (parts, false),
            Kind::Or(parts) => (parts, true),
            Kind::Not(inner) if inner.as_var().is_none() => return self.entails(inner, solver).map(|holds| !holds),
            _ => return None,
        };
        let mut is_complete = true;
        for part in parts.iter() {
            match self.entails(part, solver) {
                Some(holds) if holds == deciding => return Some(deciding),
                Some(_) => {}
                None => is_complete = false,
            }
        }
        is_complete.then_some(!deciding)
    }

    /// The value of a term by the last model.
    fn last_value(&self, term: &Term) -> Option<Scalar> {
        let model = &self.facts.rest.as_ref()?.model;
        let value = |var| model.get(var).cloned().unwrap_or_else(|| self.domain(var).first(var));
        term.eval(&mut |var| Some(value(var)))
    }

    /// The value that a term has by the last model, where it was found to have no other.
    fn only_value(&self, term: &Term) -> Option<Term> {
        let value = Term::constant(self.last_value(term)?);
        self.refutes(&Term::ne(term, &value)).then_some(value)
    }

    /// Tests whether a condition contradicts the store, as far as propagation and a small search find out.
    fn refutes(&self, condition: &Term) -> bool {
        let (mut with, mut touched) = (self.clone(), Touched::default());
        if with.facts.conjoin(condition.clone(), &mut touched).is_err() {
            return true;
        }
        let Some(rest) = with.facts.rest.clone() else { return false };
        let seeds = touched.vars.iter().filter_map(|var| Some(rest.of_var.get(var)?.first()?.0));
        let seeds: Vec<_> = touched.added.iter().copied().chain(seeds).collect();
        if seeds.is_empty() || rest.open.is_empty() && with.model_stays(&touched) {
            return false;
        }
        let component = with.facts.component(seeds);
        let hints = |var| rest.model.get(var).cloned();
        matches!(Search::new(EFFORT, &hints).run(with.facts.part(&component)), Outcome::Refuted)
    }
}

/// Tests whether a term is not just a variable, and all variables in it are truth values.
fn is_logical(term: &Term) -> bool {
    term.as_var().is_none() && !term.any_var(&mut |var| var.sort != Sort::Bool)
}

/// Tests whether a term is a choice between variables or constants, or a sum with such choices in it and no other computed terms.
fn is_conditional(term: &Term) -> bool {
    let plain = |term: &Term| term.as_var().is_some() || term.as_const().is_some();
    let choice = |term: &Term| matches!(term.kind(), Kind::Ite(_, yes, no) if plain(yes) && plain(no));
    match term.kind() {
        Kind::Linear(sum) => {
            sum.terms().iter().any(|(atom, _)| choice(atom))
                && sum.terms().iter().all(|(atom, _)| plain(atom) || choice(atom))
        }
        _ => choice(term),
    }
}
