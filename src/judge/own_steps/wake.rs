//! Steps that the server may have taken by itself before a request.
//!
//! For example, before `Touch("a")` the sessions `["a", "b"]` lead to `["b"]`. Merged, they are the sessions "b" and perhaps "a", which
//! receive the request. In general, candidates stand for all states to which sleeping steps lead from them. A request wakes the classes
//! of steps that its runs touch, until no run touches another one. Awake steps are fired, with one choice after another, and their
//! results are merged with the states before, until there is no new one.

use super::fire::{self, EnabledSteps, LEARNED};
use super::merged_steps;
use super::{Class, Fired, Firing};
use crate::judge::Observed;
use crate::judge::candidate::Candidate;
use crate::judge::context::Context;
use crate::judge::normal_form::forms;
use crate::judge::normal_form::forms::MetForms;
use crate::judge::normal_form::{split, subsume, tidy};
use crate::judge::section::request;
use crate::judge::section::request::Received;
use crate::limits;
use crate::process::Limit;
use crate::spec::Spec;

/// The candidates that explain a request, after the steps that the server may have taken by itself.
pub(crate) fn respond(context: &mut Context, candidates: Vec<Candidate>, received: &Received<'_>) -> Vec<Candidate> {
    let spec = received.spec;
    let lost = if *received.seen == Observed::Lost { candidates.clone() } else { Vec::new() };
    // A step that may be faulty is fired before every request, so that no fault is missed.
    let faulty = (0..).zip(&spec.program.components).filter(|(_, component)| !component.faultless);
    let awake = faulty.map(|(component, _)| Class { component, key: None }).collect();
    let unites = context.may_unite() && candidates.iter().all(|candidate| candidate.is_plain());
    let mut woken = EnabledSteps { states: candidates, forms: MetForms::default(), awake, from: Vec::new(), unites };
    if !woken.awake.is_empty() {
        wake(context, spec, &mut woken);
    }
    loop {
        let (results, touched) = respond_all(context, &woken.states, received);
        let known = woken.awake.len();
        for class in touched {
            if !woken.awake.iter().any(|known| known.contains(&class)) {
                woken.awake.push(class);
            }
        }
        let has_more = woken.awake.len() > known && !context.is_exhausted();
        if !has_more || !wake(context, spec, &mut woken) {
            context.steps.journal.iter_mut().for_each(|journal| journal.states.clone_from(&woken.states));
            let mut after = without_stepped(context, spec, &woken, results);
            after.extend(lost);
            return after;
        }
    }
}

/// The results of a request in all states, and the classes that its runs touch.
fn respond_all(
    context: &mut Context,
    states: &[Candidate],
    received: &Received<'_>,
) -> (Vec<Vec<Candidate>>, Vec<Class>) {
    context.steps.touched = Some(Vec::new());
    let mut results = Vec::new();
    for state in states {
        if !results.is_empty() && context.is_exhausted() {
            break;
        }
        let (mut first, mut after) = (state.clone(), Vec::new());
        if request::respond(context, &mut first, received, &mut after).is_ok() {
            after.push(first);
        }
        results.push(after);
    }
    (results, context.steps.touched.take().unwrap_or_default())
}

/// Adds the results of the awake steps to the states; returns whether there is a new one.
fn wake(context: &mut Context, spec: &Spec, woken: &mut EnabledSteps) -> bool {
    woken.states.iter_mut().for_each(|state| tidy::for_comparing(context, state));
    if woken.unites {
        let before = woken.states.clone();
        let noted = context.steps.journal.as_ref().map_or(0, |journal| journal.fired.len());
        if let Some(is_new) = merged_steps::fire(context, spec, woken) {
            return is_new;
        }
        context.steps.journal.iter_mut().for_each(|journal| journal.fired.truncate(noted));
        take_apart(context, woken, before);
    }
    fire_apart(context, spec, woken)
}

/// Keeps states apart from here on: goes back to those before the steps were fired, split by the values of their variables.
fn take_apart(context: &mut Context, woken: &mut EnabledSteps, before: Vec<Candidate>) {
    context.steps.keeps_apart = true;
    woken.states = before.into_iter().flat_map(|state| split::wholly(context, state)).collect();
    woken.unites = false;
}

/// Fires all awake steps from each state, and from each new state, until there is no new one; returns whether there was any.
fn fire_apart(context: &mut Context, spec: &Spec, woken: &mut EnabledSteps) -> bool {
    let (before, limit) = (woken.states.len(), limits::CLOSURE_LIMIT.max(woken.states.len()));
    let (mut at, mut symbolic) = (0, 0);
    woken.list_forms();
    while at < woken.states.len() && !context.is_exhausted() {
        if at >= before {
            symbolic += usize::from(woken.states[at].process.memory.iter().any(|slot| !slot.is_known()));
        }
        if woken.states.len() > limit || symbolic > limits::SYMBOLIC_LIMIT {
            context.give_up(Limit::Steps);
            break;
        }
        for firing in woken.firings(spec) {
            let from = woken.states[at].clone();
            let next = fire::stepped(context, spec, &from, &firing);
            let fired = || Fired { states: vec![from], firing: firing.clone() };
            context.steps.note_firing(|| (!next.is_empty()).then(fired));
            next.into_iter().for_each(|next| add(context, woken, next, at, &firing));
        }
        at += 1;
    }
    woken.states.len() > before
}

/// Adds the pieces of a state that are new.
fn add(context: &mut Context, woken: &mut EnabledSteps, state: Candidate, from: usize, firing: &Firing) {
    let spec = context.spec.clone();
    for piece in split::by_slots(context, state, &spec.program.components[firing.component as usize].slots) {
        let form = forms::canonical(&piece);
        if woken.forms.stand_for(&form, &piece) {
            context.work.without_terms += LEARNED * u64::from(piece.growth.walked);
            context.counts.merges += 1;
        } else if !woken.covers(&piece, context) {
            woken.from.resize(woken.states.len(), None);
            woken.from.push(Some((from, firing.clone())));
            woken.forms.add(form, &piece);
            woken.states.push(piece);
        }
    }
}

/// The results of a request in all states. If a step led from a state to the next, a result in the next state is left out if the step
/// also leads to it from a result in the first state: the step commutes with the request, and sleeps on.
fn without_stepped(
    context: &mut Context,
    spec: &Spec,
    woken: &EnabledSteps,
    results: Vec<Vec<Candidate>>,
) -> Vec<Candidate> {
    let mut after = Vec::new();
    // Faults of steps that are taken after the request are found when they are fired then.
    let findings = context.findings.clone();
    for (at, of_state) in results.iter().enumerate() {
        let later = match woken.from.get(at) {
            Some(Some((from, firing))) if context.options.reduces() && !of_state.is_empty() => {
                results[*from].iter().flat_map(|result| fire::stepped(context, spec, result, firing)).collect()
            }
            _ => Vec::new(),
        };
        for result in of_state {
            if later.is_empty() || !is_covered(context, result, &later) {
                after.push(result.clone());
            }
        }
    }
    context.findings = findings;
    after
}

/// Tests whether a candidate is covered by one of others.
fn is_covered(context: &mut Context, candidate: &Candidate, others: &[Candidate]) -> bool {
    let mut cleared = candidate.clone();
    tidy::for_comparing(context, &mut cleared);
    let is_covered = others.iter().any(|other| subsume::covers(other, &cleared, &mut context.solver));
    context.counts.subsumptions += u64::from(is_covered);
    is_covered
}
