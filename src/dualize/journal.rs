//! The steps that a server may have taken by itself before one request, for the witness of that exchange.
//!
//! Candidates do not tell their way where what steps lead to is put together. So each step that was fired is noted with the
//! states that it was fired from: for example from {"a", "b"}, of which each may expire, the step that drops "a"; and from
//! {"a" if #1, "b"} the one that drops "b". A state after a firing is one before it, or the step leads to it from one of these.

use super::candidate::Candidate;
use super::touch::Firing;

/// The steps that the server may have taken by itself before a request.
#[derive(Clone, Default, Debug)]
pub struct Before {
    /// The steps that were fired, in order.
    pub fired: Vec<Fired>,
    /// The states in which the server may have been when it took the request.
    pub states: Vec<Candidate>,
    /// The number of the last variable that these states may mention: what is chosen from there on has a greater one.
    pub(super) last: u64,
}

/// A step that was fired.
#[derive(Clone, Debug)]
pub struct Fired {
    /// The states that it was fired from.
    pub states: Vec<Candidate>,
    pub(super) firing: Firing,
}

/// The steps that are fired before a request, where they are noted.
#[derive(Clone, Default, Debug)]
pub(super) struct Journal(Option<Before>);

impl Journal {
    /// One in which steps are noted.
    pub(super) fn kept() -> Journal {
        Journal(Some(Before::default()))
    }

    /// Tests whether steps are noted.
    pub(super) fn is_kept(&self) -> bool {
        self.0.is_some()
    }

    /// All that was noted.
    pub(super) fn take(&mut self) -> Before {
        self.0.take().unwrap_or_default()
    }

    /// Notes a step that was fired from some states.
    pub(super) fn note_firing(&mut self, fired: impl FnOnce() -> Option<(Vec<Candidate>, Firing)>) {
        if let Some(journal) = &mut self.0 {
            journal.fired.extend(fired().map(|(states, firing)| Fired { states, firing }));
        }
    }

    /// Notes the states in which a request is taken.
    pub(super) fn note_states(&mut self, states: &[Candidate]) {
        if let Some(journal) = &mut self.0 {
            journal.states = states.to_vec();
        }
    }

    /// The number of firings that are noted.
    pub(super) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |journal| journal.fired.len())
    }

    /// Forgets all firings but the first ones.
    pub(super) fn truncate(&mut self, kept: usize) {
        if let Some(journal) = &mut self.0 {
            journal.fired.truncate(kept);
        }
    }
}
