//! The states that a server may be in, by number, and what a request makes of each: nothing is run twice.
//!
//! A state is a frontier: the candidates that explain what was served so far. Two frontiers that are equal up to the names of
//! variables are one state.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::history::Request;
use super::relations::Relations;
use super::rules::OrderRules;
use crate::dualize::{Candidate, CanonicalForm, Exchange, Judge, Observed};

/// The number of a state.
pub(super) type StateNumber = u32;

/// States and the ways between them.
pub(super) struct States {
    pub(super) judge: Judge,
    frontiers: Vec<Rc<[Candidate]>>,
    numbers: FxHashMap<Vec<(CanonicalForm, bool)>, StateNumber>,
    ways: FxHashMap<(StateNumber, u32), Option<StateNumber>>,
    /// The number of times that a way was asked for, and the most that it may be.
    looked_up: u64,
    most: u64,
    /// The relations that hold in every state, where they were asked for.
    relations: Option<Relations>,
}

impl States {
    /// The states of a judge that has seen nothing; the first is the initial one, if there is any.
    pub(super) fn new(mut judge: Judge) -> (States, Option<StateNumber>) {
        let initial = judge.take_candidates();
        let mut states = States {
            judge,
            frontiers: Vec::new(),
            numbers: FxHashMap::default(),
            ways: FxHashMap::default(),
            looked_up: 0,
            most: u64::MAX,
            relations: None,
        };
        let first = states.number(initial);
        (states, first)
    }

    /// The state that a request leads to where it is answered as was seen among the first events; none where it cannot be.
    pub(super) fn after(&mut self, state: StateNumber, request: &Request, events: usize) -> Option<StateNumber> {
        self.looked_up += 1;
        let way = (state, request.kind(events));
        if let Some(known) = self.ways.get(&way) {
            return *known;
        }
        let frontier = self.frontiers[state as usize].to_vec();
        let after = if request.is_owed(events) {
            self.judge.after(frontier, &request.exchange)
        } else {
            self.judge.after(frontier, &Exchange { observed: Observed::Any, ..request.exchange.clone() })
        };
        let after = self.number(after);
        self.ways.insert(way, after);
        after
    }

    /// The number of times that a way was asked for.
    pub(super) fn looked_up(&self) -> u64 {
        self.looked_up
    }

    /// Lets ways be asked for so many times from here on.
    pub(super) fn look_up_at_most(&mut self, times: u64) {
        self.most = self.looked_up.saturating_add(times);
    }

    /// Tests whether ways were asked for as often as they may be.
    pub(super) fn is_exhausted(&self) -> bool {
        self.looked_up >= self.most
    }

    /// The candidates of all states in which a request of this kind was served.
    pub(super) fn served(&self, kind: u32) -> Vec<Candidate> {
        let served = self.ways.iter().filter(|((_, own), after)| *own == kind && after.is_some());
        let mut states: Vec<StateNumber> = served.map(|((state, _), _)| *state).collect();
        states.sort_unstable();
        states.into_iter().flat_map(|state| self.frontiers[state as usize].to_vec()).collect()
    }

    fn number(&mut self, frontier: Vec<Candidate>) -> Option<StateNumber> {
        if frontier.is_empty() {
            return None;
        }
        let mut key: Vec<(CanonicalForm, bool)> =
            frontier.iter().map(|candidate| (candidate.form(), candidate.is_clean())).collect();
        if key.len() > 1 {
            key.sort_by(|a, b| (&a.0.1, &a.0.2).cmp(&(&b.0.1, &b.0.2)));
        }
        let next = self.frontiers.len() as StateNumber;
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.frontiers.push(frontier.into());
        }
        Some(number)
    }

    /// The number of requests that were run in states.
    pub(super) fn runs(&self) -> u64 {
        self.ways.len() as u64
    }

    /// The relations between requests that hold in every state, once so much was looked up that it pays to ask for them.
    pub(super) fn relations(&mut self, rules: OrderRules) -> Option<&mut Relations> {
        if self.looked_up < rules.patience || !(rules.never_again || rules.absorption) {
            return None;
        }
        Some(self.relations.get_or_insert_with(|| Relations::new(self.judge.spec().clone())))
    }

    /// Tests whether some candidate of a state is clean.
    pub(super) fn is_clean(&self, state: StateNumber) -> bool {
        self.frontiers[state as usize].iter().any(Candidate::is_clean)
    }

    pub(super) fn frontier(&self, state: StateNumber) -> &Rc<[Candidate]> {
        &self.frontiers[state as usize]
    }
}
