//! Naming live terms (rule 5 of *Forgetting, exactly*), so that what is computed from choices does not grow.
//!
//! For example a server that adds a hidden digit to `n` at every request has `n = #1 + #2 + …`; named, it is one variable with
//! two bounds.

use rustc_hash::{FxHashMap, FxHashSet};

use super::candidate::{Candidate, State};
use super::forget;
use super::frontier::Judge;
use super::verdict::Place;
use crate::process::Process;
use crate::scalar::Scalar;
use crate::solve::{name as naming, seen};
use crate::symbolic::Infeasible;
use crate::term::{Kind, Term, Var};
use crate::value::{Substitution, Truth};

/// The terms in which a variable is mentioned.
enum Mentioned {
    /// In this term alone, once or several times.
    In(Term),
    /// In several terms.
    Widely,
}

/// Names every term in memory whose variables occur nowhere else, where that makes them die.
pub(super) fn terms(judge: &mut Judge, candidate: &mut Candidate) {
    if !judge.options.name || judge.options.keep_answers {
        return;
    }
    let State { process, store, .. } = &mut **candidate;
    let mut names: FxHashMap<Term, Term> = FxHashMap::default();
    for term in separate_terms(process) {
        let fresh = judge.fresh.variable(term.sort());
        if let Some(named) = naming::name(store, &term, &fresh, &mut judge.solver) {
            names.insert(term, named);
        }
    }
    if !names.is_empty() {
        rewrite(process, &mut |term| names.get(term).cloned());
    }
}

/// Compares an answer that is one term with a known value, where that is a question about one variable or about what a term
/// may be; `None` where it is not.
pub(super) fn unify(
    judge: &mut Judge,
    candidate: &mut Candidate,
    (term, known): (&Term, &Scalar),
    at: Place,
) -> Option<Result<(), Infeasible>> {
    if let Some((var, value)) = seen::variable(&candidate.store, term, known) {
        candidate.process.rest();
        candidate.process.know(term, known);
        let stated = match is_last(judge, candidate, var) {
            true => {
                candidate.growth.count_seen();
                seen::admit_last(&mut candidate.store, (var, &value), &mut judge.solver)
            }
            false => seen::bind(&mut candidate.store, (var, value), &mut judge.solver),
        };
        return Some(stated.then_some(()).ok_or(Infeasible));
    }
    if !may_name(judge, candidate, term) {
        return None;
    }
    if let Some(stated) = naming::unify_range(&mut candidate.store, term, known) {
        candidate.process.rest();
        candidate.process.know(term, known);
        rewrite(&mut candidate.process, &mut |other| (other == term).then(|| Term::constant(known.clone())));
        term.vars(&mut |_| candidate.growth.count_seen());
        return Some(stated.then_some(()).ok_or(Infeasible));
    }
    let named = naming::name(&mut candidate.store, term, &judge.fresh.variable(term.sort()), &mut judge.solver)?;
    rewrite(&mut candidate.process, &mut |other| (other == term).then(|| named.clone()));
    candidate.growth.open = true;
    let truth = Truth::of(Term::eq(&named, &Term::constant(known.clone())));
    Some(candidate.require(truth, Some(at), &mut judge.solver))
}

/// Tests whether nothing but an answer mentions its variable any more, where that is soon seen.
fn is_last(judge: &Judge, candidate: &Candidate, var: Var) -> bool {
    forget::may_at_once(judge) && candidate.growth.is_soon_walked() && !is_mentioned(candidate, var)
}

/// Tests whether an answer is a sum of several unknowns that occur in no other term, so that it can be named.
fn may_name(judge: &Judge, candidate: &Candidate, term: &Term) -> bool {
    let compound = matches!(term.kind(), Kind::Linear(linear) if linear.terms().len() > 1);
    let named = judge.options.name && !judge.options.keep_answers && judge.spec.program.steps.is_empty();
    compound && named && candidate.growth.is_soon_walked() && is_separate(&candidate.process, term)
}

/// The terms in memory that are no variables and share theirs with no other term.
fn separate_terms(process: &Process) -> Vec<Term> {
    let (mut terms, mut met) = (Vec::new(), FxHashSet::default());
    let mut mentions: FxHashMap<Var, Mentioned> = FxHashMap::default();
    visit(process, &mut |term| {
        if term.as_var().is_none() && met.insert(term.clone()) {
            terms.push(term.clone());
        }
        term.vars(&mut |var| {
            let known = mentions.entry(var).or_insert_with(|| Mentioned::In(term.clone()));
            if !matches!(known, Mentioned::In(same) if same == term) {
                *known = Mentioned::Widely;
            }
        });
    });
    let separate = |term: &Term| !term.any_var(&mut |var| matches!(mentions.get(&var), Some(Mentioned::Widely)));
    terms.retain(separate);
    terms
}

/// Tests whether no other term in memory mentions a variable of this one.
fn is_separate(process: &Process, term: &Term) -> bool {
    let mut separate = true;
    visit(process, &mut |other| separate &= other == term || !other.any_var(&mut |var| term.mentions(var)));
    separate
}

/// Tests whether a value or a binding mentions a variable.
fn is_mentioned(candidate: &Candidate, var: Var) -> bool {
    let mut found = candidate.store.is_in_binding(var);
    visit(&candidate.process, &mut |term| found |= term.mentions(var));
    found
}

fn visit(process: &Process, visit: &mut dyn FnMut(&Term)) {
    process.roots().for_each(|value| value.visit_terms(visit));
}

fn rewrite(process: &mut Process, named: &mut dyn FnMut(&Term) -> Option<Term>) {
    let mut substitution = Substitution::everywhere(named);
    process.rewrite(&mut |value| substitution.apply(value));
}
