//! The history of one key while it happens.
//!
//! ```text
//! base ─────────────────────────────────── now       before `base` all that was sent is answered by now, or given up: the
//!   {state, served}, {state, served} …   witness     configurations there are all that any future can come from
//! ```
//!
//! An answer that the witness goes on with costs one run of a handler. Where it does not, an order is searched anew, from `base`.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::budget::OrderBudget;
use super::configuration::Configuration;
use super::history::{Building, Happened, HistoryEvent};
use super::kinds::HistoryFacts;
use super::rules::OrderRules;
use super::search::{Last, OrderSearch, SearchEnd};
use super::states::States;
use crate::dualize::{Judge, Options, Verdict};
use crate::process::Limit;
use crate::spec::Spec;
use crate::spec::pure::RequestFacts;

/// The verdict on what was observed so far of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SoFar {
    /// Some order explains it.
    Explained,
    /// None does.
    Rejected,
    /// It is not that simple.
    Doubtful,
}

/// The base moves on where it is so many events behind.
const BEHIND: usize = 32;
/// Moving it may take such a part of the work on a history, and searching anew such a one.
const MOVING: u64 = 256;
const SEARCHING: u64 = 64;

/// The history of a key.
///
/// Invariants:
/// 1. `base` are all configurations before its event that a future may come from.
/// 2. `witness` is a configuration after the last event that explains it; nothing where that is not known.
pub(super) struct OnlinePart {
    spec: Arc<Spec>,
    options: Options,
    rules: OrderRules,
    building: Building,
    states: States,
    /// By the kinds of requests: they change nothing.
    facts: Vec<bool>,
    /// Set where serving some request may be faulty, or break the client's duty.
    may_fail: bool,
    base: Option<Last>,
    witness: Option<Configuration>,
    /// The events that sent what may still be answered, and these requests.
    unanswered: BTreeSet<(usize, usize)>,
    /// The number of events behind which the base is moved next.
    behind: usize,
}

impl OnlinePart {
    pub(super) fn new(spec: &Arc<Spec>, options: &Options, rules: OrderRules) -> OnlinePart {
        let (states, initial) = States::new(Judge::new(spec.clone(), options.clone()));
        let first = initial.filter(|state| states.is_clean(*state)).map(Configuration::first);
        OnlinePart {
            spec: spec.clone(),
            options: options.clone(),
            rules,
            building: Building::new(spec.program.names_clients),
            states,
            facts: Vec::new(),
            may_fail: false,
            base: first.clone().map(|first| Last::first(0, first)),
            witness: first,
            unanswered: BTreeSet::new(),
            behind: BEHIND,
        }
    }

    /// Adds what happened.
    pub(super) fn push(&mut self, line: u64, happened: Happened) -> SoFar {
        self.building.add(line, happened);
        let events = &self.building.so_far().events;
        let (event, last) = (events.len() - 1, events.last().copied());
        match last {
            Some(HistoryEvent::Sent(request)) => {
                self.note_kinds(request);
                self.unanswered.insert((event, request));
            }
            Some(HistoryEvent::Answered(request)) => {
                self.note_kinds(request);
                self.unanswered.retain(|(_, other)| *other != request);
                return self.answered(line, event, request);
            }
            Some(HistoryEvent::GaveUp) => {
                let requests = &self.building.so_far().requests;
                self.unanswered.retain(|(_, request)| requests[*request].lost.is_none());
            }
            Some(HistoryEvent::Impossible) | None => return SoFar::Doubtful,
        }
        if self.witness.is_some() { SoFar::Explained } else { SoFar::Doubtful }
    }

    /// Finds out what is known of the kinds of a request.
    fn note_kinds(&mut self, request: usize) {
        let request = &self.building.so_far().requests[request];
        let mut facts = RequestFacts::new(&self.spec.program);
        let asked = &request.exchange.request;
        self.may_fail |= facts.may_fail(asked);
        for (kind, answer) in [(request.unseen, None), (request.kind, request.exchange.observed.answer())] {
            if kind as usize == self.facts.len() {
                self.facts.push(facts.changes_nothing(asked, answer));
            }
        }
    }

    /// The verdict where an answer is the last event.
    fn answered(&mut self, line: u64, event: usize, request: usize) -> SoFar {
        let end = event + 1;
        let witness = self.witness.take().and_then(|witness| self.gone_on(witness, request, end));
        let base = self.moved_base(end);
        if witness.is_some() {
            self.witness = witness;
            return SoFar::Explained;
        }
        let known = HistoryFacts { history: self.building.so_far(), changes_nothing: &self.facts, rules: self.rules };
        let mut budget = OrderBudget::part(&self.options, &self.states, SEARCHING);
        let Some(base) = self.base.as_ref().filter(|_| base.is_ok()) else { return SoFar::Doubtful };
        match OrderSearch::new(&known, end).resume(&mut self.states, &mut budget, base) {
            SearchEnd::Explained(found) => {
                self.witness = Some(Configuration { order: None, ..found });
                SoFar::Explained
            }
            SearchEnd::Nothing(_) if self.may_fail => SoFar::Doubtful,
            SearchEnd::Nothing(_) => match self.states.judge.verdict_of(Vec::new(), line) {
                Verdict::Reject { event_from: None, .. } => SoFar::Rejected,
                _ => SoFar::Doubtful,
            },
            SearchEnd::Doubtful(_) | SearchEnd::GivenUp(_) => SoFar::Doubtful,
        }
    }

    /// The witness behind an answer that it can still give.
    fn gone_on(&mut self, witness: Configuration, request: usize, end: usize) -> Option<Configuration> {
        let about = &self.building.so_far().requests[request];
        if witness.done.contains(about.place) {
            return None;
        }
        let state = self.states.after(witness.state, about, end)?;
        self.states.is_clean(state).then_some(Configuration { state, ..witness })
    }

    /// Moves the base up to where something was sent that may still be answered. What takes too long is tried again much later.
    fn moved_base(&mut self, end: usize) -> Result<(), Limit> {
        let to = self.unanswered.first().map_or(end, |(event, _)| *event);
        let Some(base) = self.base.as_ref().filter(|base| to >= base.at() + self.behind) else { return Ok(()) };
        let known = HistoryFacts { history: self.building.so_far(), changes_nothing: &self.facts, rules: self.rules };
        let mut budget = OrderBudget::part(&self.options, &self.states, MOVING);
        match OrderSearch::new(&known, end).all_before(&mut self.states, &mut budget, base, to) {
            Ok(base) => (self.base, self.behind) = (Some(base), BEHIND),
            Err(Limit::Memory(most)) => return Err(Limit::Memory(most)),
            Err(_) => self.behind *= 2,
        }
        Ok(())
    }
}
