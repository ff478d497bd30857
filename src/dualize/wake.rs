//! What the server may have done by itself before a request (semantics 4: `step`).
//!
//! The candidates stand for all states that steps lead to from them; steps sleep. Before a request those classes of steps are
//! woken that it touches (`touch`), until no run of it touches another one: they are fired, one choice of each step after the
//! other, and what they lead to is put together with what was there, until nothing new comes. For example before `Touch("a")` the
//! sessions `["a", "b"]` lead to `["b"]`; together they are the sessions "b" and perhaps "a", which see the request.

use super::Observed;
use super::candidate::{Candidate, Logged};
use super::forms::Forms;
use super::frontier::Judge;
use super::goal::Goal;
use super::request::Received;
use super::subsume;
use super::touch::{Choices, Class, Wanted, Watch};
use crate::process::Limit;
use crate::spec::{Site, Spec};

/// The number of candidates before a request at which no more of them are followed.
pub const CLOSURE_LIMIT: usize = 4_096;
/// The number of candidates with variables before a request at which no more steps are followed.
const SYMBOLIC_LIMIT: usize = 256;
/// With more candidates than this, new ones are not compared with them one by one.
const GENERAL_LIMIT: usize = 64;
/// The cost of comparing a state, for each of its values, in made terms.
const LEARNED: u64 = 4;

/// The candidates before a request, and what is woken.
pub(super) struct Woken {
    pub(super) states: Vec<Candidate>,
    /// Their forms, where they are kept apart.
    forms: Forms,
    awake: Vec<Class>,
    /// From which state which step led to each, where they are kept apart.
    from: Vec<Option<(usize, Firing)>>,
    /// Set where what a step leads to is put together with what was there.
    unites: bool,
}

/// A step with what it chooses first; `None` is anything.
#[derive(Clone, Debug)]
pub(super) struct Firing {
    pub(super) step: usize,
    /// The component that the step is of.
    pub(super) component: u32,
    pub(super) wanted: Option<Wanted>,
}

impl Judge {
    /// The candidates that explain a request, after what the server may have done by itself.
    pub(super) fn respond_after_steps(
        &mut self,
        spec: &Spec,
        candidates: Vec<Candidate>,
        received: &Received<'_>,
    ) -> Vec<Candidate> {
        let lost = if *received.seen == Observed::Lost { candidates.clone() } else { Vec::new() };
        // A step that may be faulty comes before every request, so that no fault is missed.
        let faulty = (0..).zip(&spec.program.components).filter(|(_, component)| !component.faultless);
        let awake = faulty.map(|(component, _)| Class { component, key: None }).collect();
        let unites = self.may_unite() && candidates.iter().all(|candidate| candidate.is_plain());
        let mut woken = Woken { states: candidates, forms: Forms::default(), awake, from: Vec::new(), unites };
        if !woken.awake.is_empty() {
            self.wake(spec, &mut woken);
        }
        loop {
            let (results, touched) = self.respond_all(spec, &woken.states, received);
            let known = woken.awake.len();
            for class in touched {
                if !woken.awake.iter().any(|known| known.contains(&class)) {
                    woken.awake.push(class);
                }
            }
            let has_more = woken.awake.len() > known && !self.is_exhausted();
            if !has_more || !self.wake(spec, &mut woken) {
                self.note_states(&woken.states);
                let mut after = self.without_stepped(spec, &woken, results);
                after.extend(lost);
                return after;
            }
        }
    }

    /// The results of a request in all states, and the classes that its runs touch.
    fn respond_all(
        &mut self,
        spec: &Spec,
        states: &[Candidate],
        received: &Received<'_>,
    ) -> (Vec<Vec<Candidate>>, Vec<Class>) {
        self.watch = Some(Watch::default());
        let mut results = Vec::new();
        for state in states {
            if !results.is_empty() && self.is_exhausted() {
                break;
            }
            let (mut first, mut after) = (state.clone(), Vec::new());
            if self.respond(spec, &mut first, received, &mut after).is_ok() {
                after.push(first);
            }
            results.push(after);
        }
        let Watch(touched) = self.watch.take().unwrap_or_default();
        (results, touched)
    }

    /// Adds to the states what the steps that are awake lead to; whether there is anything new.
    fn wake(&mut self, spec: &Spec, woken: &mut Woken) -> bool {
        woken.states.iter_mut().for_each(|state| self.clear(state));
        if woken.unites {
            let before = woken.states.clone();
            let noted = self.noted();
            if let Some(is_new) = self.fire_together(spec, woken) {
                return is_new;
            }
            self.forget_notes(noted);
            self.take_apart(woken, before);
        }
        self.fire_apart(spec, woken)
    }

    /// Keeps states apart from here on: those before the steps were fired, by the values of their variables.
    fn take_apart(&mut self, woken: &mut Woken, before: Vec<Candidate>) {
        self.keeps_apart = true;
        woken.states = before.into_iter().flat_map(|state| self.split_all(state)).collect();
        woken.unites = false;
    }

    /// Fires all steps that are awake from each state, and from those to which they lead, until there is none that is new; whether
    /// there was.
    fn fire_apart(&mut self, spec: &Spec, woken: &mut Woken) -> bool {
        let (before, limit) = (woken.states.len(), CLOSURE_LIMIT.max(woken.states.len()));
        let (mut at, mut symbolic) = (0, 0);
        woken.list_forms();
        while at < woken.states.len() && !self.is_exhausted() {
            if at >= before {
                symbolic += usize::from(woken.states[at].process.memory.iter().any(|slot| !slot.is_known()));
            }
            if woken.states.len() > limit || symbolic > SYMBOLIC_LIMIT {
                self.give_up(Limit::Steps);
                break;
            }
            for firing in woken.firings(spec) {
                let from = woken.states[at].clone();
                let next = self.stepped(spec, &from, &firing);
                self.note_firing(|| (!next.is_empty()).then(|| (vec![from], firing.clone())));
                next.into_iter().for_each(|next| self.add(woken, next, (at, &firing)));
            }
            at += 1;
        }
        woken.states.len() > before
    }

    /// Adds the pieces of a state that are new.
    fn add(&mut self, woken: &mut Woken, state: Candidate, (from, firing): (usize, &Firing)) {
        let spec = self.spec.clone();
        for piece in self.split(state, &spec.program.components[firing.component as usize].slots) {
            let form = subsume::canonical(&piece);
            if woken.forms.stand_for(&form, &piece) {
                self.work.without_terms += LEARNED * u64::from(piece.growth.walked);
                self.counts.merges += 1;
            } else if !self.is_known(woken, &piece) {
                woken.from.resize(woken.states.len(), None);
                woken.from.push(Some((from, firing.clone())));
                woken.forms.add(form, &piece);
                woken.states.push(piece);
            }
        }
    }

    /// Tests whether one of few states covers another one.
    pub(super) fn is_known(&mut self, woken: &Woken, state: &Candidate) -> bool {
        self.work.without_terms += LEARNED * u64::from(state.growth.walked);
        let mut known = woken.states.iter().take(GENERAL_LIMIT);
        let is_covered = known.any(|known| subsume::covers(known, state, &mut self.solver));
        self.counts.subsumptions += u64::from(is_covered);
        is_covered
    }

    /// The candidates to which a step leads from another one, in the form in which they are compared.
    pub(super) fn stepped(&mut self, spec: &Spec, from: &Candidate, firing: &Firing) -> Vec<Candidate> {
        let mut next = self.run_wanted(spec, from, firing);
        next.iter_mut().for_each(|candidate| self.clear(candidate));
        next
    }

    /// Brings a candidate into the form in which it is compared.
    pub(super) fn clear(&mut self, candidate: &mut Candidate) {
        self.tidy(candidate);
        self.forget(candidate);
    }

    /// The candidates to which a step leads from another one, with the choice that is wanted, where it stores something.
    pub(super) fn run_wanted(&mut self, spec: &Spec, from: &Candidate, firing: &Firing) -> Vec<Candidate> {
        self.wanted.clone_from(&firing.wanted);
        let mut next = self.run_step(spec, from, firing.step);
        self.wanted = None;
        next.retain(|candidate| changes(from, candidate));
        next
    }

    pub(super) fn run_step(&mut self, spec: &Spec, from: &Candidate, step: usize) -> Vec<Candidate> {
        let mut first = from.clone();
        self.log(&mut first, || Logged::Step(step));
        first.process.step(&spec.program, step);
        let mut next = Vec::new();
        if self.explore(spec, &mut first, Goal::Nothing, &mut next).first.is_ok() {
            next.push(first);
        }
        next
    }

    /// The results of a request in all states, without those to which the step that led to a state leads from the results in the
    /// state before it: that step sleeps on.
    fn without_stepped(&mut self, spec: &Spec, woken: &Woken, results: Vec<Vec<Candidate>>) -> Vec<Candidate> {
        let mut after = Vec::new();
        for (at, of_state) in results.iter().enumerate() {
            let later = match woken.from.get(at) {
                Some(Some((from, firing))) if self.options.merge && !of_state.is_empty() => {
                    results[*from].iter().flat_map(|result| self.stepped(spec, result, firing)).collect()
                }
                _ => Vec::new(),
            };
            for result in of_state {
                if later.is_empty() || !self.is_covered(result, &later) {
                    after.push(result.clone());
                }
            }
        }
        after
    }

    /// Tests whether one of others covers a candidate.
    fn is_covered(&mut self, candidate: &Candidate, others: &[Candidate]) -> bool {
        let mut cleared = candidate.clone();
        self.clear(&mut cleared);
        let is_covered = others.iter().any(|other| subsume::covers(other, &cleared, &mut self.solver));
        self.counts.subsumptions += u64::from(is_covered);
        is_covered
    }
}

impl Woken {
    /// The steps that are awake; those of a class of one key with that key.
    pub(super) fn firings(&self, spec: &Spec) -> Vec<Firing> {
        let mut firings = Vec::new();
        for Class { component, key } in &self.awake {
            for step in spec.program.components[*component as usize].steps.iter().copied() {
                let only = |site: Site| key.clone().map(|key| Wanted { site, choices: Choices::Only(key) });
                let wanted = spec.program.steps[step].choice.and_then(only);
                firings.push(Firing { step, component: *component, wanted });
            }
        }
        firings
    }

    /// Lists the forms of the states.
    fn list_forms(&mut self) {
        self.forms = Forms::default();
        self.states.iter().for_each(|state| self.forms.add(subsume::canonical(state), state));
    }
}

/// Tests whether a step stored something else than was there.
fn changes(from: &Candidate, to: &Candidate) -> bool {
    to.process.stored().iter().any(|slot| from.process.memory[slot as usize] != to.process.memory[slot as usize])
}
