//! Firing steps, and merging their results with the states before: states do not multiply.
//!
//! For example each of the sessions "a" and "b" may expire. Two firings lead to {"a" if #1, "b" if #2}, and the next two have no new
//! result. In general, each step is fired with one choice after another, from all states. A result that is not covered is merged into
//! the state that the step was taken from (`optional_step`, or the normal form), which then stands for more. This ends when there is no
//! new result.

use super::changed_place::ChangedPlace;
use super::fire::{self, EnabledSteps};
use super::optional_step::{put_beside, substitute_new};
use super::{Fired, Firing, FollowedChoices, WantedRuns};
use crate::judge::candidate::Candidate;
use crate::judge::context::Context;
use crate::judge::normal_form;
use crate::judge::normal_form::{forget, tidy};
use crate::limits;
use crate::spec::{Site, Spec};
use crate::value::Value;

/// If all steps were fired this many times and there are still new results, merging is taken not to end.
const ROUNDS: usize = 6;

/// A state to which a step leads, as it is and in the form in which states are compared.
struct SteppedState {
    raw: Candidate,
    cleared: Candidate,
}

/// Adds the results of the awake steps to the states; returns whether there is a new one. `None` if that does not seem to
/// end: merged states may grow for ever, even if there are few states.
pub(crate) fn fire(context: &mut Context, spec: &Spec, woken: &mut EnabledSteps) -> Option<bool> {
    let limit = context.work.total(&context.solver).saturating_add(limits::ATTEMPT);
    for round in 0..ROUNDS {
        let mut is_new = false;
        for firing in woken.firings(spec) {
            for firing in with_each_choice(context, spec, &woken.states, firing) {
                let before = context.steps.journal.is_some().then(|| woken.states.clone());
                let leads_on = fire_one(context, spec, woken, &firing);
                context.steps.note_firing(|| Some(Fired { states: before.filter(|_| leads_on)?, firing }));
                is_new |= leads_on;
                if context.work.total(&context.solver) > limit {
                    return None;
                }
            }
        }
        if !is_new || context.is_exhausted() {
            return Some(round > 0 || is_new);
        }
    }
    None
}

/// The firings of a step, one for each of its choices if these are known.
fn with_each_choice(context: &mut Context, spec: &Spec, states: &[Candidate], firing: Firing) -> Vec<Firing> {
    let choice = spec.program.steps[firing.step].choice;
    let Some(site) = choice.filter(|_| firing.wanted.is_none()) else { return vec![firing] };
    let Some(choices) = choices(context, spec, states, firing.step, site) else { return vec![firing] };
    if choices.is_empty() {
        return vec![firing];
    }
    let only = |choice: Value| Firing {
        wanted: Some(WantedRuns { site, choices: FollowedChoices::Only(choice) }),
        ..firing.clone()
    };
    choices.into_iter().map(only).collect()
}

/// The elements that a step may choose at a node in these states; `None` if some of them are not known.
fn choices(context: &mut Context, spec: &Spec, states: &[Candidate], step: usize, site: Site) -> Option<Vec<Value>> {
    let mut all: Vec<Value> = Vec::new();
    for state in states {
        context.steps.wanted = Some(WantedRuns { site, choices: FollowedChoices::Listed(Some(Vec::new())) });
        fire::run_step(context, spec, state, step);
        let Some(WantedRuns { choices: FollowedChoices::Listed(listed), .. }) = context.steps.wanted.take() else {
            return None;
        };
        for choice in listed? {
            if !choice.is_known() {
                return None;
            }
            if !all.contains(&choice) {
                all.push(choice);
            }
        }
    }
    Some(all)
}

/// Merges the results of a step with the states that it is taken from; returns whether there is a new one.
fn fire_one(context: &mut Context, spec: &Spec, woken: &mut EnabledSteps, firing: &Firing) -> bool {
    let mut is_new = false;
    for at in 0..woken.states.len() {
        let mut before = woken.states[at].clone();
        forget::substitute_solved(&mut before);
        let last = context.fresh.last;
        let mut next = Vec::new();
        for mut raw in fire::run_wanted(context, spec, &before, firing) {
            let mut cleared = raw.clone();
            substitute_new(&mut raw, last);
            tidy::for_comparing(context, &mut cleared);
            if !woken.covers(&cleared, context) {
                next.push(SteppedState { raw, cleared });
            }
        }
        if !next.is_empty() {
            is_new = true;
            woken.states[at] = joined(context, woken, &before, last, next);
        }
    }
    is_new
}

/// The state that a step was taken from, merged with the results of the step. Results that cannot be merged are added to the states.
fn joined(
    context: &mut Context,
    woken: &mut EnabledSteps,
    before: &Candidate,
    last: u64,
    next: Vec<SteppedState>,
) -> Candidate {
    let mut joined = before.clone();
    if let [SteppedState { raw, cleared }] = &next[..]
        && ChangedPlace::of(before, raw).is_none()
        && is_one_with(context, &mut joined, cleared)
    {
        return joined;
    }
    for SteppedState { raw, cleared } in next {
        if !put_beside(context, before, last, &mut joined, raw) {
            woken.states.push(cleared);
        }
    }
    tidy::forget_and_name(context, &mut joined);
    joined
}

/// Merges two states, if their normal form is one candidate; returns whether it is.
fn is_one_with(context: &mut Context, state: &mut Candidate, other: &Candidate) -> bool {
    let mut both = vec![state.clone(), other.clone()];
    if !normal_form::are_separable(&both) {
        return false;
    }
    normal_form::put_together(context, &mut both);
    match &mut both[..] {
        [only] => {
            std::mem::swap(state, only);
            true
        }
        _ => false,
    }
}
