//! The history of one key while it happens.
//!
//! ```text
//! forgotten │ base ───────────────────────────── now       all requests sent before `base` are answered by now, or given up:
//!           │   {state, served}, {state, served} …  witness   the configurations there are all from which a future can come
//! ```
//!
//! An answer that the witness explains costs one run of a handler. If the witness does not explain it, an order is searched anew, from
//! `base`.

pub(crate) mod forgetting;
pub(crate) mod idle;
pub(crate) mod online_history;
pub(crate) mod sequential;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::budget::OrderBudget;
use super::configuration::Configuration;
use super::history::{Building, HistoryEvent, Request};
use super::order_search::{OrderSearch, PartialAdvance, ResumePoint, SearchEnd};
use super::rules::OrderRules;
use super::rules::kinds::HistoryFacts;
use super::rules::unseen::{Likeness, UnseenTexts};
use super::states::States;
use crate::judge::{Candidate, Doubt, Failures, Judge, Options, Verdict};
use crate::limits;
use crate::network::Observation;
use crate::process::Limit;
use crate::spec::Spec;
use crate::spec::analysis::pure::RequestFacts;
use sequential::Alone;

/// The configurations of a base up to which its states are the states of the server.
const CONFIGURATIONS: usize = 8;

/// The verdict on the events of a key so far.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum PrefixVerdict {
    /// Some order explains them.
    Explained,
    /// No order explains them.
    Rejected,
    /// Neither is certain: a limit was exceeded, a question was too hard, or a failing run may explain them.
    Doubtful(Doubt),
}

impl PrefixVerdict {
    fn of_limit(limit: Limit) -> PrefixVerdict {
        PrefixVerdict::Doubtful(Doubt::Limit(limit))
    }
}

/// The base moves on once it may move by this many events.
const MOVED_AT_ONCE: usize = 32;
/// Moving the base takes at most `SLICE` work with each event. That doubles with each `LAGGING` events that the base is behind, at most
/// [`limits::DEPTH`] times.
const SLICE: u64 = 8000;
const LAGGING: usize = 128;

/// The history of a key, from the base on.
///
/// Invariants:
/// 1. `base` is all configurations before the first event from which a future can come.
/// 2. `witness` is a configuration after the last event that explains all events; `None` if none is known.
pub(crate) struct OnlinePart {
    spec: Arc<Spec>,
    options: Options,
    rules: OrderRules,
    /// At least this many events are kept. Other explanations of these are looked for only if the witness does not explain the next
    /// event.
    kept: usize,
    building: Building,
    states: States,
    /// For each kind of request, `true` if it changes nothing.
    facts: Vec<bool>,
    /// The requests so far that may fail; `restarts_may_fail` is set if a restart may.
    failures: RefCell<Failures>,
    restarts_may_fail: bool,
    base: Option<ResumePoint>,
    witness: Option<Configuration>,
    /// The requests that may still be answered, each after the event that sent it.
    unanswered: BTreeSet<(usize, usize)>,
    /// The search for the next base, if that has begun.
    begun: Option<PartialAdvance>,
}

/// The options of a history that is judged while it happens.
#[derive(Clone, Copy)]
pub(super) struct OnlineOptions<'o> {
    pub(super) options: &'o Options,
    /// At least this many events are kept.
    pub(super) kept: usize,
}

impl OnlinePart {
    /// A history that goes on from a judge's candidates, on open connections.
    pub(super) fn new(
        judge: Judge,
        building: Building,
        OnlineOptions { options, kept }: OnlineOptions<'_>,
    ) -> OnlinePart {
        let rules = OrderRules::of(options.reductions);
        let spec = judge.spec().clone();
        let failures = RefCell::new(Failures::new(&spec));
        let (states, initial) = States::new(judge);
        let first = initial.filter(|state| states.is_clean(*state)).map(Configuration::first);
        OnlinePart {
            spec,
            options: options.clone(),
            rules,
            kept,
            building,
            states: states.forgetting(rules),
            facts: Vec::new(),
            failures,
            restarts_may_fail: false,
            base: first.clone().map(|first| ResumePoint::first(0, first)),
            witness: first,
            unanswered: BTreeSet::new(),
            begun: None,
        }
    }

    /// Adds an event.
    pub(super) fn push(&mut self, line: u64, happened: Observation) -> PrefixVerdict {
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
            Some(HistoryEvent::Restarted) => {
                self.restarts_may_fail |= RequestFacts::new(&self.spec.program).restart_may_fail();
                self.unanswered.clear();
                let witness = self.witness.take().and_then(|witness| self.states.restarted(witness.state, line));
                self.witness = witness.filter(|state| self.states.is_clean(*state)).map(Configuration::first);
                return self.so_far(line, event);
            }
            Some(HistoryEvent::Impossible | HistoryEvent::Open) | None => return self.unexplained(line),
        }
        if self.witness.is_some() { PrefixVerdict::Explained } else { PrefixVerdict::of_limit(Limit::Orders) }
    }

    /// Finds the facts about the kinds of a request.
    fn note_kinds(&mut self, request: usize) {
        let request = &self.building.so_far().requests[request];
        let mut facts = RequestFacts::new(&self.spec.program);
        let asked = &request.exchange.request;
        self.failures.borrow_mut().note(&mut facts, request.exchange.client, asked);
        for (kind, answer) in [(request.unseen, None), (request.kind, request.exchange.observed.answer())] {
            if kind as usize == self.facts.len() {
                self.facts.push(facts.changes_nothing(asked, answer));
            }
        }
    }

    /// The verdict if an answer is the last event.
    fn answered(&mut self, line: u64, event: usize, request: usize) -> PrefixVerdict {
        let end = event + 1;
        self.witness = self.witness.take().and_then(|witness| self.gone_on(witness, request, end));
        self.so_far(line, event)
    }

    /// The verdict if an event is the last one; an order is searched anew if the witness does not go on.
    fn so_far(&mut self, line: u64, event: usize) -> PrefixVerdict {
        let end = event + 1;
        if let Err(limit) = self.move_base(end) {
            return PrefixVerdict::of_limit(limit);
        }
        if self.witness.is_some() {
            return PrefixVerdict::Explained;
        }
        let end = self.building.so_far().events.len();
        let known = HistoryFacts { history: self.building.so_far(), changes_nothing: &self.facts, rules: self.rules };
        let mut budget = OrderBudget::part(&self.options, &self.states, limits::TRIAL_SHARE);
        let Some(base) = self.base.as_ref() else { return PrefixVerdict::of_limit(Limit::Orders) };
        let kept = self.begun.iter().flat_map(PartialAdvance::states);
        let unseen = UnseenTexts::of(known.history, self.rules, Likeness::Covered);
        self.states.unite(unseen.filter(|_| !self.restarts_may_fail && !self.failures.borrow_mut().may_fail()));
        let found = OrderSearch::new(&known, end).keeping(kept).resume(&mut self.states, &mut budget, base);
        self.states.unite(None);
        if budget.done(&self.states) > SLICE {
            // A single explanation does not last for long in this history, so all are looked for from now on.
            self.kept = 0;
        }
        match found {
            SearchEnd::Explained(found) => {
                self.witness = Some(Configuration::of(found.state, found.done));
                PrefixVerdict::Explained
            }
            SearchEnd::Nothing(_) => self.unexplained(line),
            SearchEnd::Doubtful(_) => PrefixVerdict::of_limit(Limit::Orders),
            SearchEnd::GivenUp(limit, _) => PrefixVerdict::of_limit(limit),
        }
    }

    /// Tests whether a request or a restart so far may have been faulty, or have broken the client's duty.
    fn may_fail(&self) -> bool {
        self.restarts_may_fail || self.failures.borrow_mut().may_fail()
    }

    /// The verdict if nothing explains the last event.
    fn unexplained(&mut self, line: u64) -> PrefixVerdict {
        self.witness = None;
        match self.states.context.verdict_without_candidates(line) {
            Verdict::Reject { event_from: None, .. } if !self.may_fail() => PrefixVerdict::Rejected,
            Verdict::Unknown { doubt, .. } => PrefixVerdict::Doubtful(doubt),
            _ => PrefixVerdict::of_limit(Limit::Orders),
        }
    }

    /// The witness after an answer to a request that it serves now.
    fn gone_on(&mut self, witness: Configuration, request: usize, end: usize) -> Option<Configuration> {
        let about = &self.building.so_far().requests[request];
        if witness.done.contains(about.place) {
            return None;
        }
        let state = self.states.after(witness.state, about, end)?;
        self.states.is_clean(state).then_some(Configuration { state, ..witness })
    }

    /// The number of events after which the base moves on.
    fn soon(&self) -> usize {
        MOVED_AT_ONCE.min(self.rules.patience() as usize).max(self.kept)
    }

    /// Moves the base up to the first request that may still be answered; each event adds a slice of work, so that none takes long.
    fn move_base(&mut self, end: usize) -> Result<(), Limit> {
        let to = self.unanswered.first().map_or(end, |(event, _)| *event);
        let is_due = to >= self.soon() || self.unanswered.is_empty() && to >= self.kept;
        let begun = self.begun.take().or_else(|| is_due.then(|| PartialAdvance::before(to)));
        let (Some(base), Some(begun)) = (&self.base, begun) else { return Ok(()) };
        let known = HistoryFacts { history: self.building.so_far(), changes_nothing: &self.facts, rules: self.rules };
        let most = SLICE << (end / LAGGING).min(limits::DEPTH as usize);
        let mut budget = OrderBudget::slice(&self.options, &self.states, most);
        match OrderSearch::new(&known, end).all_before(&mut self.states, &mut budget, base, begun) {
            Ok(base) => self.forget_before(base),
            Err((Limit::Memory(most), _)) => return Err(Limit::Memory(most)),
            Err((_, begun)) => self.begun = Some(begun),
        }
        Ok(())
    }

    /// Takes a new base, and forgets the events before it.
    fn forget_before(&mut self, mut base: ResumePoint) {
        let requests = &self.building.so_far().requests;
        let mut pending = base.pending().clone();
        // A request without an answer that was served in each configuration does not matter any more.
        let is_served = |place: usize| base.configurations.iter().all(|own| own.done.served.contains(place));
        let is_gone = |Request { place, answered, .. }: &Request| answered.is_none() && is_served(*place);
        let (gone, left): (Vec<u32>, Vec<u32>) =
            pending.under_way.iter().partition(|request| is_gone(&requests[**request as usize]));
        for request in gone {
            let place = requests[request as usize].place;
            pending.bound.remove(place);
            let configurations = base.configurations.iter_mut().chain(&mut self.witness);
            configurations.for_each(|own| own.done.remove(place));
        }
        let before = base.at();
        let new = self.building.forget(before, left.iter().map(|request| *request as usize).collect());
        let number = |old: &usize| new.request(*old);
        pending.under_way = left.iter().filter_map(|old| number(&(*old as usize))).map(|new| new as u32).collect();
        let unanswered = std::mem::take(&mut self.unanswered);
        self.unanswered =
            unanswered.iter().filter_map(|(event, request)| Some((event - before, number(request)?))).collect();
        self.base = Some(base.before_first(pending));
        self.forget_kinds();
        self.forget_states();
    }

    fn forget_kinds(&mut self) {
        let Some(new) = self.building.forget_kinds(self.rules) else { return };
        let mut facts = vec![false; new.len()];
        new.iter().for_each(|(old, new)| facts[*new as usize] = self.facts[*old as usize]);
        self.facts = facts;
        self.states.renumber_kinds(&new);
    }

    fn forget_states(&mut self) {
        if self.states.are_many() {
            let base = self.base.iter_mut().flat_map(|base| &mut base.configurations);
            self.states.renumber(base.chain(&mut self.witness).map(|configuration| &mut configuration.state).collect());
        }
    }

    /// The judge of what comes, if nothing is under way any more and the states that the server may be in are few.
    pub(super) fn take_alone(&mut self) -> Option<Alone> {
        let judge = self.at_rest()?;
        Some(Alone::new(judge, self.building.connections()))
    }

    /// The judge of what comes, if nothing is under way any more and the states that the server may be in are few.
    pub(super) fn at_rest(&self) -> Option<Judge> {
        let is_decided = self.building.so_far().is_empty() && !self.states.context.is_cut() && !self.may_fail();
        let base = self.base.as_ref().filter(|_| is_decided)?;
        if !base.pending().under_way.is_empty() || base.configurations.len() > CONFIGURATIONS {
            return None;
        }
        let frontiers = base.configurations.iter().map(|configuration| self.states.frontier(configuration.state));
        let left: Vec<Candidate> = frontiers.flat_map(|frontier| frontier.to_vec()).collect();
        let context = self.states.context.clone();
        let line = context.event();
        Some(Judge::with_left(context, left, line))
    }

    /// The candidates of the witness; none if no witness is known.
    pub(super) fn candidates(&self) -> &[Candidate] {
        self.witness.as_ref().map_or(&[], |witness| self.states.frontier(witness.state))
    }

    /// Tests whether a witness explains all events so far.
    pub(super) fn is_explained(&self) -> bool {
        self.witness.is_some()
    }

    /// The judge after the last event, on a line, with the candidates of the witness.
    pub(super) fn into_judge(self, line: u64) -> Judge {
        let left = self.witness.map_or_else(Vec::new, |witness| self.states.frontier(witness.state).to_vec());
        Judge::with_left(self.states.context, left, line)
    }
}
