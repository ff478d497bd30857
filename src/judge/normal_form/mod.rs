//! Keeping few candidates: equal ones merge, covered ones are dropped, others are put together.
//!
//! For example two paths that both lead to `n = 5` become one candidate. Candidates whose memory is known are compared as they
//! are, which costs next to nothing; those with variables are brought into a canonical form first. Comparing is never necessary:
//! if no candidate was added, they are compared once the exchanges since the last time have cost as much as comparing.

pub(crate) mod boxes;
pub(crate) mod forget;
pub(crate) mod forms;
pub(crate) mod groups;
pub(crate) mod growth;
pub(crate) mod keep_few;
pub(crate) mod numbered;
pub(crate) mod order;
pub(crate) mod pending_writes;
pub(crate) mod split;
pub(crate) mod subsume;
pub(crate) mod sums;
pub(crate) mod tidy;

use super::candidate::Candidate;
use super::context::Context;
use boxes::cells::Cell;
use boxes::focus::{CommonPart, Coupled};
use boxes::unordered;
use growth::LastComparison;

use crate::limits;
use crate::value::Value;

/// Up to this many candidates, the known ones are compared each with each; equal ones among more are found by hashing.
const COMPARED: usize = 32;

/// Merges equal candidates and drops covered ones, now and then: if a comparison is due after the last one.
pub(super) fn now_and_then(context: &mut Context, candidates: &mut Vec<Candidate>) {
    let before = candidates.len();
    let known = candidates.iter().all(Candidate::is_known);
    if candidates.len() <= COMPARED {
        let kept = known_apart(candidates);
        candidates.drain(kept..).for_each(|candidate| context.spares.take(candidate));
    }
    if candidates.len() > 1
        && !(known && candidates.len() <= limits::FEWEST)
        && context.compared.is_due(candidates.len())
    {
        compare(context, candidates);
    }
    context.counts.merges += before.saturating_sub(candidates.len()) as u64;
}

/// Merges equal candidates, unites others and drops covered ones. If putting candidates together gained little last time, it is tried
/// again once they are twice as many.
fn compare(context: &mut Context, candidates: &mut Vec<Candidate>) {
    let (unites, before) = (context.may_unite(), candidates.len());
    let mut stuck = context.compared.stuck;
    if unites && before >= 2 * stuck && are_separable(candidates) {
        put_together(context, candidates);
        stuck = if 2 * candidates.len() > before && candidates.len() > limits::FEWEST { candidates.len() } else { 0 };
    } else {
        tidy::each(context, candidates, if unites { forget::dead } else { tidy::forget_and_name });
        drop_redundant(context, candidates);
    }
    let values = candidates.iter().flat_map(|candidate| candidate.process.roots());
    let walked = values.map(Value::breadth).sum();
    context.counts.compared += walked as u64;
    context.compared = LastComparison { left: candidates.len(), walked, spent: 0, stuck };
}

/// Moves each known candidate that equals an earlier one to the end, and returns the number of candidates before these. Of two equal
/// candidates, a clean one is kept rather than a doubtful one.
fn known_apart(candidates: &mut [Candidate]) -> usize {
    let is_same = |a: &Candidate, b: &Candidate| a.is_known() && a.process.holds_the_same(&b.process);
    let mut kept = 0;
    for at in 0..candidates.len() {
        let new = &candidates[at];
        match (0..kept).find(|known| new.is_known() && is_same(&candidates[*known], new)) {
            Some(known) if new.is_clean() && !candidates[known].is_clean() => candidates.swap(known, at),
            Some(_) => {}
            None => {
                candidates.swap(kept, at);
                kept += 1;
            }
        }
    }
    kept
}

/// Drops candidates that are equal to others, or covered by them, and unites those that differ in the order of hidden integers:
/// `{n: #1}` with `#1 > 3` covers `{n: 5}`.
fn drop_redundant(context: &mut Context, candidates: &mut Vec<Candidate>) {
    if candidates.len() > 1 {
        forms::merge_equal(candidates);
        order::unite(context, candidates);
    }
    let before = candidates.len();
    subsume::drop_covered(candidates, &mut context.solver);
    context.counts.subsumptions += (before - candidates.len()) as u64;
}

/// Puts candidates together that differ in few cells: each group of n into at most n / 2, or not at all. Candidates must be
/// separable ([`are_separable`]).
pub(super) fn put_together(context: &mut Context, candidates: &mut Vec<Candidate>) {
    let spec = context.spec.clone();
    unordered::to_sets(candidates, &spec.program.unordered);
    // Candidates of one group have the same under way, so only their memories differ.
    let mut alike: Vec<Vec<Candidate>> = Vec::new();
    for candidate in candidates.drain(..) {
        match alike.iter_mut().find(|others| others[0].process.has_same_pending(&candidate.process)) {
            Some(others) => others.push(candidate),
            None => alike.push(vec![candidate]),
        }
    }
    for mut group in alike {
        let coupled = Coupled::of(&group);
        if !coupled.left {
            // All variables are in the coupled cells: the parts would be no smaller than the candidates.
            into_normal_form(context, &mut group, &coupled.cells);
            candidates.append(&mut group);
            continue;
        }
        let common = CommonPart::of(&group[0], coupled);
        let mut parts = group.iter().map(|candidate| common.part(candidate)).collect();
        into_normal_form(context, &mut parts, &common.cells);
        candidates.extend(parts.iter().map(|part| common.with(part)));
    }
    unordered::to_lists(candidates, &spec.program.unordered);
}

/// Brings n parts, which hold something in these cells only, into normal form if that leaves at most n / 2:
///
/// ```text
/// {a: 1, b: 0}  {a: #1, b: 0}  {a: #2, b: 1}     with 1 to 2 for #1 and #2, which is #3 - 4
/// drop       #3, which nothing mentions
/// subsume    {a: 1 to 2, b: 0}  {a: 1 to 2, b: 1}      the first one is in the second
/// unite      {a: 1 to 2, b: 0 to 1}                    they differ in b alone
/// split      {a: 1 to 2} x {b: 0 to 1}                 a and b are independent
/// ```
fn into_normal_form(context: &mut Context, parts: &mut Vec<Candidate>, cells: &[Cell]) {
    tidy::each(context, parts, forget::dead);
    let is_normal = boxes::subsume_unite_split(context, parts, cells, parts.len() / 2);
    // Boxes in normal form do not cover each other.
    if !is_normal || !parts.iter().all(|part| part.store.has_only_domains()) {
        drop_redundant(context, parts);
    }
}

/// Tests whether each candidate can be taken apart into a common part and the rest.
pub(super) fn are_separable(candidates: &[Candidate]) -> bool {
    candidates.iter().all(|candidate| candidate.is_plain() && candidate.store.is_separable())
}
