//! Forgetting dead variables: those that the process still mentions are marked, and the others are projected away.
//!
//! With `n = #1 + 1` and `#2 < #1`, the process does not mention `#2`: it is eliminated. A candidate may be searched for dead
//! variables at any time (`growth.rs` decides when).

use super::pending_writes;
use crate::judge::candidate::{Candidate, State};
use crate::judge::context::Context;
use crate::judge::terms;
use crate::judge::terms::changed;
use crate::judge::verdict::Place;
use crate::process::Live;
use crate::symbolic::Infeasible;
use crate::value::Truth;

/// Assumes a condition. If nothing but the condition mentions one of its variables, this variable is forgotten at once.
pub(crate) fn assume_last(
    context: &mut Context,
    candidate: &mut Candidate,
    condition: Truth,
    at: Place,
) -> Result<(), Infeasible> {
    if let Truth::Term(term) = &condition
        && let Some(var) =
            candidate.store.last_of(term).filter(|_| candidate.growth.is_soon_walked() && may_at_once(context))
        && !candidate.process.mentions(var)
        && let Some(answer) = candidate.store.assume_without(term, var, &mut context.solver)
    {
        return candidate.take_up(answer, Some(at));
    }
    candidate.require(condition, Some(at), &mut context.solver)
}

/// Tests whether only the process and the store of a candidate can mention its variables: no paths are kept, and there are no steps.
pub(crate) fn may_at_once(context: &Context) -> bool {
    context.options.reduces() && !context.options.keep_paths() && context.spec.program.steps.is_empty()
}

/// Substitutes the store's bindings into the process.
pub(crate) fn substitute_solved(candidate: &mut Candidate) {
    let State { process, store, .. } = &mut **candidate;
    if store.has_bindings() {
        terms::rewrite(process, &mut |term| changed(term, store.resolve(term)));
    }
}

/// Substitutes the store's bindings into the values that the running task has at hand.
pub(crate) fn substitute_in_task(candidate: &mut Candidate) {
    let State { process, store, .. } = &mut **candidate;
    if store.has_bindings() {
        terms::rewrite_task(process, &mut |term| changed(term, store.resolve(term)));
    }
}

/// Substitutes the store's bindings into the process, and projects away the variables that it does not mention any more.
pub(crate) fn dead(context: &mut Context, candidate: &mut Candidate) {
    context.counts.projections += 1;
    substitute_solved(candidate);
    pending_writes::place_waiting(candidate, &context.solver);
    let State { process, store, growth, .. } = &mut **candidate;
    if !context.options.keep_choices {
        process.prune_seen();
    }
    let Live { vars: live, walked } = process.live(growth.walked / 2);
    store.forget(&|var| live.contains(&var), &mut context.solver);
    growth.begin(walked);
    growth.open = !live.is_empty() || process.has_unknowns();
    context.work.without_terms += u64::from(walked);
    context.counts.walked += u64::from(walked);
}
