//! Uniting candidates that differ in the order of hidden integers: two become one if the union of their constraints is a set of bounds
//! and differences again.
//!
//! For example a server filters hidden times by `t > now - 100`, and forks on whether the oldest one is still there. Once the oldest one
//! is forgotten, one side says that two others are at least 50 apart, and the other side that they are at most 50 apart.

use rustc_hash::FxHashMap;

use super::forget;
use super::forms::{self, CanonicalForm};
use crate::judge::candidate::Candidate;
use crate::judge::context::Context;
use crate::solve::{self, Differences, Zone};
use crate::term::{Kind, Term, Var};
use crate::value::Value;

/// A candidate with its bounds and differences of integers: `zone` is over `atoms`.
struct WithOrder {
    candidate: Candidate,
    atoms: Vec<Term>,
    zone: Zone,
    /// Set if `zone` has been united with others, so that the candidate's store allows less.
    grown: bool,
}

/// The shape, which must be equal in candidates to be united: the memory, the other constraints, and the positions of the ordered
/// integers among all variables that are mentioned.
type OrderShape = (CanonicalForm, Vec<usize>);

/// Unites candidates that differ only in bounds and differences of integers, if their union is a set of such bounds.
pub(crate) fn unite(context: &mut Context, candidates: &mut Vec<Candidate>) {
    let several = candidates.iter().filter(|candidate| is_ordered(candidate)).nth(1).is_some();
    if !context.options.rewrites_states() || context.options.keep_paths() || !several {
        return;
    }
    let mut shapes: FxHashMap<OrderShape, usize> = FxHashMap::default();
    let mut groups: Vec<Vec<WithOrder>> = Vec::new();
    let mut others = Vec::new();
    for mut candidate in candidates.drain(..) {
        if candidate.store.has_bindings() {
            forget::dead(context, &mut candidate);
        }
        match ordered(candidate) {
            Ok((shape, part)) => {
                let group = *shapes.entry(shape).or_insert(groups.len());
                if group == groups.len() {
                    groups.push(Vec::new());
                }
                add(&mut groups[group], part);
            }
            Err(candidate) => others.push(candidate),
        }
    }
    for part in groups.into_iter().flatten() {
        candidates.push(with_order(context, part));
    }
    candidates.append(&mut others);
}

fn with_order(context: &mut Context, part: WithOrder) -> Candidate {
    let mut candidate = part.candidate;
    if part.grown {
        solve::set_zone(&mut candidate.store, &part.atoms, &part.zone);
        if candidate.store.has_bindings() {
            forget::dead(context, &mut candidate);
        }
    }
    candidate
}

/// Adds a part to others of its shape; pairs are united as long as that is possible.
fn add(parts: &mut Vec<WithOrder>, part: WithOrder) {
    let mut next = Some(part);
    while let Some(part) = next.take() {
        if parts.iter().any(|other| other.zone.includes(&part.zone)) {
            return;
        }
        parts.retain(|other| !part.zone.includes(&other.zone));
        let united = parts.iter().enumerate().find_map(|(at, other)| Some((at, other.zone.union(&part.zone)?)));
        match united {
            Some((at, zone)) => next = Some(WithOrder { zone, grown: true, ..parts.remove(at) }),
            None => parts.push(part),
        }
    }
}

/// Tests whether a candidate may have bounds or differences of integers.
fn is_ordered(candidate: &Candidate) -> bool {
    candidate.is_clean() && Differences::may_be_in(&candidate.store)
}

/// A candidate with its shape, if it has bounds or differences of integers.
fn ordered(candidate: Candidate) -> Result<(OrderShape, WithOrder), Candidate> {
    let Some(all) = is_ordered(&candidate).then(|| atoms(&forms::numbered(&candidate))).flatten() else {
        return Err(candidate);
    };
    let Some(Differences { atoms, zone, others }) = Differences::of(&candidate.store, &all) else {
        return Err(candidate);
    };
    let places = atoms.iter().filter_map(|atom| all.iter().position(|other| other == atom)).collect();
    let shape = (forms::with_constraints(&candidate, &others), places);
    Ok((shape, WithOrder { candidate, atoms, zone, grown: false }))
}

/// The variables that values mention, in order; `None` if one is mentioned other than by itself or in a sum.
fn atoms(values: &[Value]) -> Option<Vec<Term>> {
    let (mut atoms, mut vars): (Vec<Term>, Vec<Var>) = (Vec::new(), Vec::new());
    let mut all = true;
    let mut note = |atom: &Term| match atom.as_var() {
        Some(var) if vars.contains(&var) => {}
        Some(var) => {
            vars.push(var);
            atoms.push(atom.clone());
        }
        None => all = false,
    };
    for value in values {
        value.visit_terms(&mut |term| match term.kind() {
            Kind::Linear(sum) => sum.terms().iter().for_each(|(atom, _)| note(atom)),
            Kind::Const(_) => {}
            _ => note(term),
        });
    }
    all.then_some(atoms)
}
