//! States of few values, numbered: if the terms in memory have few values together, what describes them does not grow with the trace.
//!
//! A synchronizer sends each difference on, or misses it, and does not say which: each request adds choices to what it did before. What
//! its replicas may hold after a hundred requests is still one of a few states (`solve/numbered.rs`).

use rustc_hash::{FxHashMap, FxHashSet};

use super::groups;
use crate::judge::candidate::{Candidate, State};
use crate::judge::terms;
use crate::process::{Fresh, Process};
use crate::scalar::Sort;
use crate::solve::{self, Connections, Solver, Store};
use crate::term::{Kind, Term, Var};

/// The different terms in memory that are grouped.
const TERMS: usize = 256;
/// The nodes of terms for each place up to which states are not numbered.
const NODES: u64 = 24;

/// Terms in memory that nothing connects with others, and all variables that are connected with them.
type TermGroup = (Vec<Term>, FxHashSet<Var>);

/// Numbers the states of what is large, and of what goes on from numbered states.
pub(crate) fn number(fresh: &mut Fresh, solver: &Solver, candidate: &mut Candidate) {
    let State { process, store, growth, .. } = &mut **candidate;
    if !store.is_decided() {
        return;
    }
    let goes_on = growth.numbered;
    let mut columns: FxHashMap<Term, Term> = FxHashMap::default();
    let groups = groups(process, store);
    growth.numbered &= !groups.is_empty();
    for (terms, vars) in groups {
        if is_due(store, (&terms, &vars), goes_on) {
            let mut number = || fresh.variable(Sort::Int);
            columns.extend(solve::numbered::number(store, &vars, &terms, &mut number, solver).unwrap_or_default());
        }
    }
    if !columns.is_empty() {
        growth.numbered = true;
        terms::rewrite(process, &mut |term| {
            let (inner, is_negated) = positive(term);
            let column = columns.get(inner)?;
            Some(if is_negated { column.not() } else { column.clone() })
        });
    }
}

/// Tests whether the states of a group are to be numbered: it goes on from numbered ones, or is large.
fn is_due(store: &Store, (terms, vars): (&[Term], &FxHashSet<Var>), goes_on: bool) -> bool {
    let conditions: FxHashSet<&Term> = vars.iter().flat_map(|var| store.constraints_on(*var)).collect();
    if vars.len() == 1 && conditions.is_empty() {
        return false;
    }
    let nodes: u64 = conditions.into_iter().chain(terms).map(|term| u64::from(term.size())).sum();
    goes_on || nodes > NODES * (terms.len() as u64 + 2)
}

/// A condition without its negation, and whether it had one.
fn positive(term: &Term) -> (&Term, bool) {
    match term.kind() {
        Kind::Not(inner) => (inner, true),
        _ => (term, false),
    }
}

/// The terms in memory whose variables have few values, in groups that nothing connects; none if the terms are many.
fn groups(process: &Process, store: &Store) -> Vec<TermGroup> {
    let (mut all, mut met): (Vec<Term>, FxHashSet<Term>) = Default::default();
    terms::visit(process, &mut |term| {
        let (term, _) = positive(term);
        if all.len() <= TERMS && !term.is_ground() && met.insert(term.clone()) {
            all.push(term.clone());
        }
    });
    if all.len() > TERMS {
        return Vec::new();
    }
    let connections = Connections::of([store]);
    let with_vars = |term: Term| {
        let mut own = FxHashSet::default();
        term.vars(&mut |var| _ = own.insert(var));
        let vars = connections.close_among(own, |var| solve::numbered::has_few_values(store, var))?;
        Some((term, vars))
    };
    groups::sharing(all.into_iter().filter_map(with_vars))
}
