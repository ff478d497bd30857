//! The steps that a server may have taken by itself before one request, for the witness of that exchange.
//!
//! Candidates do not tell their way where what steps lead to is put together. So each step that was fired is noted with the
//! states that it was fired from: for example from {"a", "b"}, of which each may expire, the step that drops "a"; and from
//! {"a" if #1, "b"} the one that drops "b". A state after a firing is one before it, or the step leads to it from one of these.

use super::Exchange;
use super::candidate::Candidate;
use super::fired::{Before, Fired};
use super::frontier::Judge;
use super::limits::Patience;
use super::wake::Firing;

impl Judge {
    /// The steps that the server may have taken by itself before the request of an exchange.
    #[must_use]
    pub fn before(&self, exchange: &Exchange) -> Before {
        let mut judge = self.clone();
        judge.journal = Some(Before::default());
        judge.observe(exchange);
        judge.journal.take().unwrap_or_default()
    }

    /// A judge of what may follow on an exchange whose request is taken in one of these states, with choices kept from there on.
    #[must_use]
    pub fn after_request(&self, states: &[Candidate], exchange: &Exchange) -> Judge {
        let spec = self.spec.clone();
        let mut judge = self.knowing(states);
        judge.step(&spec, exchange, Judge::respond_each);
        judge
    }

    /// A judge of the states that a step which was fired before an exchange leads to, with choices kept from there on.
    #[must_use]
    pub fn after_step(&self, fired: &Fired, exchange: &Exchange) -> Judge {
        let spec = self.spec.clone();
        let mut judge = self.knowing(&fired.states);
        judge.event = exchange.line;
        judge.begin_exchange();
        let states = std::mem::take(&mut judge.candidates);
        judge.candidates = states.iter().flat_map(|from| judge.stepped(&spec, from, &fired.firing)).collect();
        judge
    }

    fn knowing(&self, states: &[Candidate]) -> Judge {
        let mut judge = self.clone();
        judge.candidates = states.to_vec();
        judge.keeping_choices(Patience::All)
    }

    /// Notes a step that was fired, where that is kept.
    pub(super) fn note_firing(&mut self, fired: impl FnOnce() -> Option<(Vec<Candidate>, Firing)>) {
        if let Some(journal) = &mut self.journal {
            journal.fired.extend(fired().map(|(states, firing)| Fired { states, firing }));
        }
    }

    /// Notes the states in which a request is taken, where that is kept.
    pub(super) fn note_states(&mut self, states: &[Candidate]) {
        if let Some(journal) = &mut self.journal {
            journal.states = states.to_vec();
        }
    }

    /// The number of firings that are noted.
    pub(super) fn noted(&self) -> usize {
        self.journal.as_ref().map_or(0, |journal| journal.fired.len())
    }

    /// Forgets all firings that were noted but the first ones.
    pub(super) fn forget_notes(&mut self, kept: usize) {
        if let Some(journal) = &mut self.journal {
            journal.fired.truncate(kept);
        }
    }
}
