//! Simplification of terms by what a store knows. A simplification that is not found does no harm: the term stays as it is.
//!
//! For example a store with `!#1 || #2` and `!#1 || !#2` makes the condition `#1 && #3` false. A condition follows if its parts
//! do, or if propagation and a small search refute its negation.

use super::domains::decide_all;
use super::facts::Touched;
use super::store::Store;
use super::tiers::repair;
use super::tiers::search::CaseSearch;
use super::{Solved, Solver, Tiers};
use crate::limits;
use crate::scalar::{Scalar, Sort};
use crate::term::{Kind, Term};

/// The nodes of a condition up to which it is looked for by cases.
const NODES: u32 = 64;

/// The term with its variables resolved. A conditional that is found to have one value only becomes this value.
#[must_use]
pub fn simplified(store: &Store, term: &Term, solver: &Solver) -> Term {
    let resolved = store.resolve(term);
    if solver.limits.tiers == Tiers::OnlyZ3 || !is_conditional(&resolved) {
        return resolved;
    }
    only_value(store, &resolved).unwrap_or(resolved)
}

/// Tests whether the store entails a condition (`Some(true)`) or its negation (`Some(false)`); `None` if it entails neither, or
/// that was not found out. Unlike [`Store::decide`] it may search; it never asks Z3.
#[must_use]
pub fn entails(store: &Store, condition: &Term, solver: &Solver) -> Option<bool> {
    let resolved = store.resolve(condition);
    store.decide(&resolved).or_else(|| {
        if solver.limits.tiers == Tiers::OnlyZ3 || resolved.size() > NODES {
            return None;
        }
        if !is_logical(&resolved) {
            return entails_parts(store, &resolved, solver);
        }
        let likely = last_value(store, &resolved)?.as_bool()?;
        let other = if likely { resolved.not() } else { resolved };
        refutes(store, &other).then_some(likely)
    })
}

/// Tests whether the store entails a connective or its negation, by asking about each part alone, as [`entails`] does.
fn entails_parts(store: &Store, condition: &Term, solver: &Solver) -> Option<bool> {
    let (parts, deciding) = match condition.kind() {
        Kind::And(parts) => (parts, false),
        Kind::Or(parts) => (parts, true),
        Kind::Not(inner) if inner.as_var().is_none() => return entails(store, inner, solver).map(|holds| !holds),
        _ => return None,
    };
    decide_all(parts, deciding, |part| entails(store, part, solver))
}

/// The value of a term by the last model.
fn last_value(store: &Store, term: &Term) -> Option<Scalar> {
    let model = &store.facts.rest.as_ref()?.model;
    term.eval(&mut |var| Some(model.get(var).cloned().unwrap_or_else(|| store.domain(var).first(var))))
}

/// The value of a term by the last model, if it was found to have no other.
fn only_value(store: &Store, term: &Term) -> Option<Term> {
    let value = Term::constant(last_value(store, term)?);
    refutes(store, &Term::ne(term, &value)).then_some(value)
}

/// Tests whether a condition contradicts the store, as far as propagation and a small search find out.
fn refutes(store: &Store, condition: &Term) -> bool {
    let (mut facts, mut touched) = (store.facts.clone(), Touched::default());
    if facts.conjoin(condition.clone(), &mut touched).is_err() {
        return true;
    }
    let Some(rest) = facts.rest.clone() else { return false };
    let seeds = touched.vars.iter().filter_map(|var| Some(rest.of_var.get(var)?.first()?.0));
    let seeds: Vec<_> = touched.added.iter().copied().chain(seeds).collect();
    if seeds.is_empty() || rest.open.is_empty() && repair::model_stays(&mut facts, &touched) {
        return false;
    }
    let part = facts.part(&facts.component(seeds));
    matches!(CaseSearch::new(limits::CASES as u32, u64::MAX).run(part), Some(Solved::Unsat))
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
