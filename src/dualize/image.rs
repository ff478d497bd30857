//! Images of candidates: if each place of a state has few values, the description of the state does not grow with the trace.
//!
//! For example a server lets one of four nodes tell another one what it knows, and does not say which ones: each request adds a choice of
//! sixteen. What the nodes may know after a hundred requests is still a relation between a few bits.

use rustc_hash::{FxHashMap, FxHashSet};

use super::candidate::{Candidate, State};
use super::terms;
use crate::process::{Fresh, Process};
use crate::solve::{self, Connections, Solver, Store};
use crate::term::{Kind, Term, Var};
use crate::value::{self, Value};

/// The nodes of terms for each place up to which no image is taken.
const NODES: usize = 24;
/// A write under a hidden key of more values than this waits.
const KEYS: usize = 16;
/// No image is taken if memory has more terms.
const TERMS: usize = 256;

/// Terms in memory that share variables, or whose variables are connected.
struct TermGroup {
    vars: FxHashSet<Var>,
    terms: Vec<Term>,
}

/// Takes the image of what is large for the places that mention it, and of what goes on from an image.
pub(super) fn take(fresh: &mut Fresh, solver: &mut Solver, candidate: &mut Candidate) {
    let State { process, store, growth, .. } = &mut **candidate;
    if !growth.goes_on && is_small(process, store) {
        return;
    }
    let (mut all, goes_on) = (groups(process, store), growth.goes_on);
    growth.goes_on &= !all.is_empty();
    if !store.is_decided() || !all.iter().any(|group| group.is_due(store, goes_on)) {
        return;
    }
    if spread_writes(process, store) {
        all = groups(process, store);
    }
    let mut names: FxHashMap<Term, Term> = FxHashMap::default();
    for group in all {
        if group.is_due(store, goes_on) {
            let TermGroup { vars, terms } = &group;
            let image = solve::image::take(store, vars, terms, &mut |sort| fresh.variable(sort), solver);
            names.extend(image.unwrap_or_default());
        }
    }
    if !names.is_empty() {
        growth.goes_on = true;
        terms::rewrite(process, &mut |term| {
            let (inner, is_negated) = positive(term);
            let name = names.get(inner)?;
            Some(if is_negated { name.not() } else { name.clone() })
        });
    }
}

impl TermGroup {
    /// Tests whether its image is to be taken, if that of others was taken before, or was not.
    fn is_due(&self, store: &Store, goes_on: bool) -> bool {
        let is_computed = || self.terms.iter().any(|term| term.as_var().is_none());
        let has_more = self.vars.len() > self.terms.len() || is_computed();
        has_more && (goes_on || self.nodes(store) > NODES * (self.terms.len() + 2))
    }

    /// The number of nodes of its terms and of the constraints on its variables.
    fn nodes(&self, store: &Store) -> usize {
        let conditions: FxHashSet<&Term> = self.vars.iter().flat_map(|var| store.constraints_on(*var)).collect();
        let mut nodes = 0;
        conditions.into_iter().chain(&self.terms).for_each(|term| term.visit(&mut |_| nodes += 1));
        nodes
    }
}

/// Tests whether all groups are too small for their image to be taken: a term has [`NODES`] nodes, and all terms and
/// constraints together have few more.
fn is_small(process: &Process, store: &Store) -> bool {
    let mut more = 0;
    terms::visit(process, &mut |term: &Term| more += (term.size() as usize).saturating_sub(NODES));
    (2 * NODES).checked_sub(more).is_some_and(|left| store.is_small(left))
}

/// Spreads writes under hidden keys of few values over these; whether there were any.
fn spread_writes(process: &mut Process, store: &Store) -> bool {
    let mut any = false;
    for value in &mut process.memory {
        if let Value::Map(map) = value
            && let Some(spread) = value::spread(map, &mut |var| store.few_values(var, KEYS))
        {
            *value = Value::Map(spread);
            any = true;
        }
    }
    any
}

/// A condition without its negation, and whether it had one.
fn positive(term: &Term) -> (&Term, bool) {
    match term.kind() {
        Kind::Not(inner) => (inner, true),
        _ => (term, false),
    }
}

/// The terms in memory in groups that nothing connects, each in the order of the memory; none if they are many.
fn groups(process: &Process, store: &Store) -> Vec<TermGroup> {
    let (mut terms, mut met): (Vec<Term>, FxHashSet<Term>) = Default::default();
    let mut visit = |term: &Term| {
        let (term, _) = positive(term);
        if terms.len() <= TERMS && !term.is_ground() && met.insert(term.clone()) {
            terms.push(term.clone());
        }
    };
    terms::visit(process, &mut visit);
    if terms.len() > TERMS {
        return Vec::new();
    }
    let connections = Connections::of([store]);
    let mut groups: Vec<FxHashSet<Var>> = Vec::new();
    for term in &terms {
        let mut own = FxHashSet::default();
        term.vars(&mut |var| _ = own.insert(var));
        if !groups.iter().any(|vars| own.is_subset(vars)) {
            let mut all = connections.close(own);
            for vars in groups.extract_if(.., |vars| !vars.is_disjoint(&all)).collect::<Vec<_>>() {
                all.extend(vars);
            }
            groups.push(all);
        }
    }
    let of_group = |vars: FxHashSet<Var>| {
        let is_own = |term: &&Term| term.any_var(&mut |var| vars.contains(&var));
        let terms = terms.iter().filter(is_own).cloned().collect();
        TermGroup { vars, terms }
    };
    groups.into_iter().map(of_group).collect()
}
