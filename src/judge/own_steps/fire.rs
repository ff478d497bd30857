//! Firing steps of the server: the candidates before a request, the steps that are awake, and the candidates to which a step leads.
//!
//! `step { sessions := drop(sessions, choose s in sessions); }` leads from the sessions "a" and "b" to `{"a"}` and `{"b"}`.

use super::{Class, Firing, FollowedChoices, WantedRuns};
use crate::judge::candidate::{Candidate, Logged};
use crate::judge::context::Context;
use crate::judge::normal_form::forms;
use crate::judge::normal_form::forms::MetForms;
use crate::judge::normal_form::{subsume, tidy};
use crate::judge::section::{Goal, Section};
use crate::spec::{Site, Spec};

/// The states with which a new one is compared.
const COMPARED: usize = 64;
/// Comparing a state costs this many made terms for each of its values.
pub(crate) const LEARNED: u64 = 4;

/// The states in which the server may be before a request, and the classes of steps that the request has woken.
pub(crate) struct EnabledSteps {
    pub(crate) states: Vec<Candidate>,
    /// The forms of the states, if these are kept apart.
    pub(crate) forms: MetForms,
    pub(crate) awake: Vec<Class>,
    /// For each state, the state before it and the step that led to it, if states are kept apart.
    pub(crate) from: Vec<Option<(usize, Firing)>>,
    /// Set if the results of a step are merged with the states before it.
    pub(crate) unites: bool,
}

impl EnabledSteps {
    /// The firings of the awake steps; a class with a key fires its steps with that key as their choice.
    pub(crate) fn firings(&self, spec: &Spec) -> Vec<Firing> {
        let mut firings = Vec::new();
        for Class { component, key } in &self.awake {
            for step in spec.program.components[*component as usize].steps.iter().copied() {
                let only = |site: Site| key.clone().map(|key| WantedRuns { site, choices: FollowedChoices::Only(key) });
                let wanted = spec.program.steps[step].choice.and_then(only);
                firings.push(Firing { step, component: *component, wanted });
            }
        }
        firings
    }

    /// Tests whether one of the first states covers another one.
    pub(crate) fn covers(&self, state: &Candidate, context: &mut Context) -> bool {
        context.work.without_terms += LEARNED * u64::from(state.growth.walked);
        let mut known = self.states.iter().take(COMPARED);
        let is_covered = known.any(|known| subsume::covers(known, state, &mut context.solver));
        context.counts.subsumptions += u64::from(is_covered);
        is_covered
    }

    /// Lists the forms of the states.
    pub(crate) fn list_forms(&mut self) {
        self.forms = MetForms::default();
        self.states.iter().for_each(|state| self.forms.add(forms::canonical(state), state));
    }
}

/// The changed candidates to which a firing leads from another one, in the form in which they are compared.
pub(crate) fn stepped(context: &mut Context, spec: &Spec, from: &Candidate, firing: &Firing) -> Vec<Candidate> {
    let mut next = run_wanted(context, spec, from, firing);
    next.iter_mut().for_each(|candidate| tidy::for_comparing(context, candidate));
    next
}

/// The changed candidates to which a firing leads from another one.
pub(crate) fn run_wanted(context: &mut Context, spec: &Spec, from: &Candidate, firing: &Firing) -> Vec<Candidate> {
    context.steps.wanted.clone_from(&firing.wanted);
    let mut next = run_step(context, spec, from, firing.step);
    context.steps.wanted = None;
    next.retain(|candidate| changes(from, candidate));
    next
}

/// The candidates to which a step leads from another one.
pub(crate) fn run_step(context: &mut Context, spec: &Spec, from: &Candidate, step: usize) -> Vec<Candidate> {
    let mut first = from.clone();
    // Steps that lead on for ever multiply states without a fork.
    let at = context.place(spec.program.steps[step].site);
    context.last_fork.get_or_insert(at);
    context.log(&mut first, || Logged::Step(step));
    first.process.step(&spec.program, step);
    Section::new(context, spec, Goal::Nothing).results(first)
}

/// Tests whether a step stored a value that differs from the one before.
fn changes(from: &Candidate, to: &Candidate) -> bool {
    to.process.stored().iter().any(|slot| from.process.memory[slot as usize] != to.process.memory[slot as usize])
}
