//! Firing steps so that what they lead to is put together with what was there: states do not multiply.
//!
//! Each step is fired with one choice after the other, from all states. What it leads to and is not covered is put beside the
//! state that it was taken from (`perhaps`, or the normal form), which then stands for more. This ends when nothing new comes.
//! For example from the sessions "a" and "b", of which each may expire, it leads to {"a" if #1, "b" if #2} in two firings, and the
//! next two come to nothing new.

use super::candidate::Candidate;
use super::focus;
use super::frontier::Judge;
use super::left::Left;
use super::perhaps::substitute_new;
use super::reduce::fewer;
use super::touch::{Choices, Wanted};
use super::wake::{Firing, Woken};
use crate::spec::{Site, Spec};
use crate::value::Value;

/// So often at most the steps are fired.
const ROUNDS: usize = 6;
/// The work that this may take, in made terms.
const WORK: u64 = 20_000;

/// A state to which a step leads, as it is and in the form in which states are compared.
struct Next {
    raw: Candidate,
    cleared: Candidate,
}

impl Judge {
    /// Adds to the states what the steps that are awake lead to; whether there is anything new. Nothing where that does not come
    /// to an end: what states are put into may grow for ever, where there are few states.
    pub(super) fn fire_together(&mut self, spec: &Spec, woken: &mut Woken) -> Option<bool> {
        let limit = self.work.total(&self.solver).saturating_add(WORK);
        for round in 0..ROUNDS {
            let mut is_new = false;
            for firing in woken.firings(spec) {
                for firing in self.with_each_choice(spec, &woken.states, firing) {
                    let before = self.journal.is_some().then(|| woken.states.clone());
                    let leads_on = self.fire(spec, woken, &firing);
                    self.note_firing(|| before.filter(|_| leads_on).map(|before| (before, firing)));
                    is_new |= leads_on;
                    if self.work.total(&self.solver) > limit {
                        return None;
                    }
                }
            }
            if !is_new || self.is_exhausted() {
                return Some(round > 0 || is_new);
            }
        }
        None
    }

    /// A step with each of its choices.
    fn with_each_choice(&mut self, spec: &Spec, states: &[Candidate], firing: Firing) -> Vec<Firing> {
        let choice = spec.program.steps[firing.step].choice;
        let Some(site) = choice.filter(|_| firing.wanted.is_none()) else { return vec![firing] };
        let Some(choices) = self.choices(spec, states, (firing.step, site)) else { return vec![firing] };
        if choices.is_empty() {
            return vec![firing];
        }
        let only =
            |choice: Value| Firing { wanted: Some(Wanted { site, choices: Choices::Only(choice) }), ..firing.clone() };
        choices.into_iter().map(only).collect()
    }

    /// The elements that a step may choose there in these states; nothing where some of it is not known.
    fn choices(&mut self, spec: &Spec, states: &[Candidate], (step, site): (usize, Site)) -> Option<Vec<Value>> {
        let mut all: Vec<Value> = Vec::new();
        for state in states {
            self.wanted = Some(Wanted { site, choices: Choices::Listed(Some(Vec::new())) });
            self.run_step(spec, state, step);
            let Some(Wanted { choices: Choices::Listed(listed), .. }) = self.wanted.take() else { return None };
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

    /// Puts what a step leads to together with the states that it is taken from; whether anything is new.
    fn fire(&mut self, spec: &Spec, woken: &mut Woken, firing: &Firing) -> bool {
        let mut is_new = false;
        for at in 0..woken.states.len() {
            let mut before = woken.states[at].clone();
            self.substitute_solved(&mut before);
            let last = self.fresh.last;
            let mut next = Vec::new();
            for mut raw in self.run_wanted(spec, &before, firing) {
                let mut cleared = raw.clone();
                substitute_new(&mut raw, last);
                self.clear(&mut cleared);
                if !self.is_known(woken, &cleared) {
                    next.push(Next { raw, cleared });
                }
            }
            if !next.is_empty() {
                is_new = true;
                self.add_together(woken, at, (&before, last), next);
            }
        }
        is_new
    }

    /// Puts what a step leads to together with the state that it was taken from.
    fn add_together(&mut self, woken: &mut Woken, at: usize, (before, last): (&Candidate, u64), next: Vec<Next>) {
        let mut joined = before.clone();
        if let [Next { raw, cleared }] = &next[..]
            && Left::of(before, raw).is_none()
            && self.is_one_with(&mut joined, cleared)
        {
            woken.states[at] = joined;
            return;
        }
        for Next { raw, cleared } in next {
            if !self.put_beside((before, last), &mut joined, raw) {
                woken.states.push(cleared);
            }
        }
        self.forget_and_name(&mut joined);
        woken.states[at] = joined;
    }

    /// Puts two states together, if their normal form is one; whether it is.
    fn is_one_with(&mut self, state: &mut Candidate, other: &Candidate) -> bool {
        let mut both = vec![state.clone(), other.clone()];
        if !focus::are_separable(&both) {
            return false;
        }
        self.put_together(&mut both, None, fewer);
        match &mut both[..] {
            [only] => {
                std::mem::swap(state, only);
                true
            }
            _ => false,
        }
    }
}
