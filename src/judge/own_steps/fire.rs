//! Firing steps of the server: the candidates before a request, what is awake, and what a step leads to.
//!
//! `step { sessions := drop(sessions, choose s in sessions); }` leads from the sessions "a" and "b" to `{"a"}` and `{"b"}`.

use super::{Class, Firing, FollowedChoices, WantedRuns};
use crate::judge::candidate::{Candidate, Logged};
use crate::judge::frontier::Judge;
use crate::judge::normal_form::forms;
use crate::judge::normal_form::forms::MetForms;
use crate::judge::normal_form::{subsume, tidy};
use crate::judge::section::{Goal, Section};
use crate::spec::{Site, Spec};

/// With more candidates than this, new ones are not compared with them one by one.
const GENERAL_LIMIT: usize = 64;
/// The cost of comparing a state, for each of its values, in made terms.
pub(crate) const LEARNED: u64 = 4;

/// The candidates before a request, and what is woken.
pub(crate) struct Woken {
    pub(crate) states: Vec<Candidate>,
    /// Their forms, if they are kept apart.
    pub(crate) forms: MetForms,
    pub(crate) awake: Vec<Class>,
    /// From which state which step led to each, if they are kept apart.
    pub(crate) from: Vec<Option<(usize, Firing)>>,
    /// Set if what a step leads to is put together with what was there.
    pub(crate) unites: bool,
}

impl Woken {
    /// The steps that are awake; those of a class of one key with that key.
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

    /// Tests whether one of few states covers another one.
    pub(crate) fn covers(&self, state: &Candidate, judge: &mut Judge) -> bool {
        judge.work.without_terms += LEARNED * u64::from(state.growth.walked);
        let mut known = self.states.iter().take(GENERAL_LIMIT);
        let is_covered = known.any(|known| subsume::covers(known, state, &mut judge.solver));
        judge.counts.subsumptions += u64::from(is_covered);
        is_covered
    }

    /// Lists the forms of the states.
    pub(crate) fn list_forms(&mut self) {
        self.forms = MetForms::default();
        self.states.iter().for_each(|state| self.forms.add(forms::canonical(state), state));
    }
}

/// The candidates to which a step leads from another one, in the form in which they are compared.
pub(crate) fn stepped(judge: &mut Judge, spec: &Spec, from: &Candidate, firing: &Firing) -> Vec<Candidate> {
    let mut next = run_wanted(judge, spec, from, firing);
    next.iter_mut().for_each(|candidate| tidy::for_comparing(judge, candidate));
    next
}

/// The candidates to which a step leads from another one, with the choice that is wanted, if it stores something.
pub(crate) fn run_wanted(judge: &mut Judge, spec: &Spec, from: &Candidate, firing: &Firing) -> Vec<Candidate> {
    judge.steps.wanted.clone_from(&firing.wanted);
    let mut next = run_step(judge, spec, from, firing.step);
    judge.steps.wanted = None;
    next.retain(|candidate| changes(from, candidate));
    next
}

/// The candidates to which a step leads from another one.
pub(crate) fn run_step(judge: &mut Judge, spec: &Spec, from: &Candidate, step: usize) -> Vec<Candidate> {
    let mut first = from.clone();
    // Steps that lead on for ever multiply states without a fork.
    let at = judge.place(spec.program.steps[step].site);
    judge.last_fork.get_or_insert(at);
    judge.log(&mut first, || Logged::Step(step));
    first.process.step(&spec.program, step);
    Section::new(judge, spec, Goal::Nothing).results(first)
}

/// Tests whether a step stored something else than was there.
fn changes(from: &Candidate, to: &Candidate) -> bool {
    to.process.stored().iter().any(|slot| from.process.memory[slot as usize] != to.process.memory[slot as usize])
}
