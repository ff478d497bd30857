//! The search for an order in which the server may have served the requests: following a configuration to the next ones.
//!
//! Before an answer, its request is served, or was served already; or another request is served first. The note
//! `proofs-notes/schedules.md` says why the requests that are not tried need not be.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::backjump::{self, DeadEnd};
use super::budget::OrderBudget;
use super::configuration::{Configuration, ServedSet};
use super::forms::StateNumber;
use super::history::HistoryEvent;
use super::open::{OpenConfiguration, OpenConfigurations, TakenFirst};
use super::pending::{PendingPerEvent, PendingRequests};
use super::rules::kinds::{FirstEvents, HistoryFacts};
use super::rules::pairs::AbsorbedPairs;
use super::serving::BeforeEvent;
use super::states::States;
use crate::limits;
use crate::process::Limit;

/// The events back from which pairs are carried on; older ones are made anew.
const NEAR: usize = 64;
/// The pairs before at most this many events are kept; at more, all are dropped.
const EVENTS: usize = 256;

/// Of the jumps for which no alternative is open, one in so many goes to an early configuration, and so begins anew.
const RESTARTS: u64 = 8;

/// The end of a search.
pub(super) enum SearchEnd {
    /// A configuration that explains all events.
    Explained(Configuration),
    /// No configuration explains all events.
    Nothing(ResumePoint),
    /// Only doubtful configurations explain all events, and this is one.
    Doubtful(Configuration),
    /// A limit was exceeded. The search had come to the event at this position, and not beyond it.
    GivenUp(Limit, usize),
}

/// The end of a search that found nothing: the configurations before the event `at`. A search of fewer events has the same ones there, so
/// it may begin at `at`, the latest such event.
pub(super) struct ResumePoint {
    /// The deepest event that was reached. The first event without an order may be a later one, as answers after it were known.
    pub(super) deepest: usize,
    at: usize,
    pub(super) configurations: Vec<Configuration>,
    pending: PendingPerEvent,
}

impl ResumePoint {
    /// One configuration before an event.
    pub(super) fn first(at: usize, configuration: Configuration) -> ResumePoint {
        ResumePoint { deepest: at, at, configurations: vec![configuration], pending: PendingPerEvent::new() }
    }

    /// The event before which the configurations are.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The requests under way before this event.
    pub(super) fn pending(&self) -> &PendingRequests {
        self.pending.made(self.at)
    }

    /// These configurations as those before the first event of a history that begins with their event, with these requests under way.
    pub(super) fn before_first(self, pending: PendingRequests) -> ResumePoint {
        ResumePoint { deepest: 0, at: 0, pending: PendingPerEvent::starting_with(pending), ..self }
    }
}

/// The kind of the request that is served next before an answer. Deepest first follows the last of these kinds first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ServedNext {
    Other,
    /// Another request, after which the answer can come.
    Helping,
    /// Another request, and at once with it the answered one.
    Both,
    /// The answered request, which perhaps was served before.
    Perhaps,
    /// The answered request.
    Answered,
}

/// A search for all configurations before an event, which may have halted on the way.
pub(super) struct PartialAdvance {
    to: usize,
    halted: Option<Box<Halted>>,
}

/// The configurations at which a search halted.
struct Halted {
    open: OpenConfigurations,
    met: BTreeMap<usize, FxHashMap<StateNumber, Vec<ServedSet>>>,
    pending: PendingPerEvent,
}

impl PartialAdvance {
    /// A search for the configurations before an event, which has not begun.
    pub(super) fn before(to: usize) -> PartialAdvance {
        PartialAdvance { to, halted: None }
    }

    /// The states of the configurations at which it halted.
    pub(super) fn states(&self) -> impl Iterator<Item = StateNumber> {
        let met = |halted: &Halted| halted.met.values().flat_map(|met| met.keys().copied()).collect::<Vec<_>>();
        self.halted.as_deref().into_iter().flat_map(met)
    }
}

/// A search for an order of service in a history.
pub(super) struct OrderSearch<'h> {
    pub(super) events: FirstEvents<'h>,
    pub(super) open: OpenConfigurations,
    /// The configurations that were met before each event, by their states.
    met: BTreeMap<usize, FxHashMap<StateNumber, Vec<ServedSet>>>,
    pending: PendingPerEvent,
    /// The pairs of requests before an event.
    pairs: BTreeMap<usize, Arc<AbsorbedPairs>>,
    /// The number of the event before which nothing is kept of pending requests.
    cleared: usize,
    /// The number of jumps back from dead ends.
    jumps: u64,
    /// The last event to which a configuration came.
    pub(super) deepest: usize,
    /// States that are kept, whatever configurations are open.
    pub(super) begun: Vec<StateNumber>,
    /// The last event before which no configuration depends on answers that are seen at `deepest` or later; configurations that were met
    /// from there on are kept.
    apart: usize,
    /// The event up to which `apart` was looked for.
    looked_at: usize,
    /// For each event up to there, the last event at which a request is answered that is under way before it.
    last_answers: Vec<Option<usize>>,
}

impl<'h> OrderSearch<'h> {
    /// A search in the first events of a history.
    pub(super) fn new(known: &'h HistoryFacts<'h>, end: usize) -> OrderSearch<'h> {
        OrderSearch {
            events: FirstEvents { known, end },
            open: OpenConfigurations::default(),
            met: BTreeMap::new(),
            pending: PendingPerEvent::new(),
            pairs: BTreeMap::new(),
            cleared: 0,
            jumps: 0,
            deepest: 0,
            begun: Vec::new(),
            apart: 0,
            looked_at: 0,
            last_answers: Vec::new(),
        }
    }

    /// All configurations before an event. None of them may depend on an answer after the first `end` events. The error is the limit that was
    /// exceeded, with the halted search.
    pub(super) fn all_before(
        mut self,
        states: &mut States,
        budget: &mut OrderBudget,
        last: &ResumePoint,
        begun: PartialAdvance,
    ) -> Result<ResumePoint, (Limit, PartialAdvance)> {
        let to = begun.to;
        match begun.halted {
            None => self.begin(states, budget, last),
            Some(halted) => {
                (self.open, self.met, self.pending) = (halted.open, halted.met, halted.pending);
                (self.cleared, self.apart) = (last.at, last.at);
            }
        }
        while self.open.first_event().is_some_and(|at| at < to) {
            let Some((at, open)) = self.open.take(TakenFirst::Earliest) else { break };
            while let Some(met) = self.met.first_entry().filter(|met| *met.key() < at) {
                met.remove();
            }
            self.follow(states, budget, at, open);
            if let Some(limit) = budget.exceeded(states) {
                let halted = Box::new(Halted { open: self.open, met: self.met, pending: self.pending });
                return Err((limit, PartialAdvance { to, halted: Some(halted) }));
            }
        }
        self.pending(to);
        self.apart = to;
        Ok(self.last())
    }

    /// This search, which forgets none of these states.
    pub(super) fn keeping(mut self, states: impl IntoIterator<Item = StateNumber>) -> OrderSearch<'h> {
        self.begun.extend(states);
        self
    }

    /// Begins with the configurations at the end of another search.
    pub(super) fn begin(&mut self, states: &mut States, budget: &mut OrderBudget, last: &ResumePoint) {
        self.pending = last.pending.clone();
        self.cleared = last.at;
        self.apart = last.at;
        self.begun.extend(last.configurations.iter().map(|configuration| configuration.state));
        for configuration in &last.configurations {
            self.add(states, budget, last.at, configuration.clone());
        }
    }

    /// The end of a search that found nothing.
    pub(super) fn last(mut self) -> ResumePoint {
        let OrderSearch { apart: at, deepest, .. } = self;
        self.pending.truncate(at);
        let of = |(state, met): (StateNumber, Vec<ServedSet>)| {
            met.into_iter().map(move |done| Configuration::of(state, done))
        };
        let configurations = self.met.remove(&at).unwrap_or_default().into_iter().flat_map(of).collect();
        ResumePoint { deepest, at, configurations, pending: self.pending }
    }

    /// Forgets the configurations that were met before events to which no open configuration can come any more, except those from `apart`
    /// on.
    pub(super) fn forget(&mut self) {
        let answered = |request: usize| self.events.known.history.requests[request].answered;
        let last = |at: usize| self.pending.made(at).requests().filter_map(answered).max();
        self.last_answers.extend((self.last_answers.len()..=self.deepest).map(last));
        let first = self.open.first_event().unwrap_or(self.deepest);
        // What was met before the first open event is forgotten, so it is looked for an event from which on more is kept only there.
        if first > self.looked_at {
            self.looked_at = first;
            self.move_apart(first);
        }
        self.forget_before(first.min(self.apart));
    }

    /// Moves `apart` to the latest such event up to this one.
    fn move_apart(&mut self, to: usize) {
        let is_apart = |at: &usize| self.last_answers[*at] < Some(self.deepest);
        self.apart = (self.apart..=to).rev().find(is_apart).unwrap_or(self.apart);
    }

    /// Forgets the configurations that were met before earlier events than this one.
    fn forget_before(&mut self, first: usize) {
        while let Some(entry) = self.met.first_entry().filter(|entry| *entry.key() < first) {
            entry.remove();
        }
        // The next pairs are made from the last ones, which are kept.
        let near = self.pairs.range(..=first).next_back().map_or(first, |(at, _)| *at);
        let first = near.max(first.saturating_sub(NEAR));
        if self.cleared < first {
            self.pending.clear(self.cleared, first);
            self.cleared = first;
            while let Some(entry) = self.pairs.first_entry().filter(|entry| *entry.key() < first) {
                entry.remove();
            }
        }
    }

    /// Forgets the states that the search does not need any more: no open or met configuration is in them.
    pub(super) fn forget_states(&self, states: &mut States) {
        if states.are_many() {
            let met = self.met.values().flat_map(|met| met.keys().copied());
            states.keep(met.chain(self.open.states()).chain(self.begun.iter().copied()));
        }
    }

    fn pending(&mut self, at: usize) -> Arc<PendingRequests> {
        self.pending.get(self.events.known, at, self.events.end)
    }

    /// Adds a configuration before an event, unless one that was met there covers it; returns whether it was added.
    fn add(&mut self, states: &mut States, budget: &mut OrderBudget, at: usize, configuration: Configuration) -> bool {
        self.deepest = self.deepest.max(at);
        let pending = self.pending(at);
        let met = self.met.entry(at).or_default().entry(states.first_like(configuration.state)).or_default();
        let own = &configuration.done;
        let covering = self.events.known.rules.uses_all_rules();
        let covers = |a: &ServedSet, b: &ServedSet| if covering { a.covers(b, &pending.bound) } else { a == b };
        budget.work(met.len() / limits::LOOKUPS_PER_TERM as usize);
        if met.iter().any(|other| covers(other, own)) {
            return false;
        }
        met.retain(|other| !covers(own, other));
        met.push(own.clone());
        self.open.add(at, configuration, false);
        true
    }

    /// Follows a configuration past its event, or to configurations in which one more request was served. Returns it if it is a
    /// dead end: before an answer, nothing can be served.
    pub(super) fn follow(
        &mut self,
        states: &mut States,
        budget: &mut OrderBudget,
        at: usize,
        open: OpenConfiguration,
    ) -> Option<Configuration> {
        let OpenConfiguration { mut configuration, rest, .. } = open;
        match self.events.known.history.events[at] {
            // Only an order that has failed before explains such an event.
            HistoryEvent::Impossible if states.notes_failures() => self.serve_each(states, budget, at, &configuration),
            HistoryEvent::Impossible | HistoryEvent::Open => {}
            HistoryEvent::Restarted => self.restart(states, budget, at, configuration),
            HistoryEvent::GaveUp => _ = self.add(states, budget, at + 1, configuration),
            HistoryEvent::Sent(request) => {
                // Only the new request can be served at once here: the others were tried when the server came to this state.
                if self.events.known.matters(request, self.events.end) {
                    self.events.serve_on_arrival(states, at + 1, &mut configuration, request);
                }
                self.add(states, budget, at + 1, configuration);
            }
            HistoryEvent::Answered(request) => {
                let place = self.events.about(request).place;
                if !configuration.done.served.contains(place) {
                    return self.answer(states, budget, at, configuration, rest, request);
                }
                configuration.done.served.remove(place);
                self.add(states, budget, at + 1, configuration);
            }
        }
        None
    }

    /// Follows a configuration past a restart, and to configurations in which one more request was served before it.
    fn restart(&mut self, states: &mut States, budget: &mut OrderBudget, at: usize, configuration: Configuration) {
        self.serve_each(states, budget, at, &configuration);
        if let Some(state) = states.restarted(configuration.state, self.events.known.history.lines[at]) {
            let done = ServedSet::default();
            self.add(states, budget, at + 1, Configuration { state, done, ..configuration });
        }
    }

    /// Follows a configuration to those in which one more request was served; no rule leaves a request out.
    fn serve_each(&mut self, states: &mut States, budget: &mut OrderBudget, at: usize, configuration: &Configuration) {
        for request in self.pending(at).requests() {
            budget.work(1);
            if let Some(served) = self.events.before_restart(states, at, configuration, request) {
                self.add(states, budget, at, served);
            }
        }
    }

    /// Follows a configuration before an answer whose request was not served, or only perhaps was.
    fn answer(
        &mut self,
        states: &mut States,
        budget: &mut OrderBudget,
        at: usize,
        configuration: Configuration,
        rest: bool,
        request: usize,
    ) -> Option<Configuration> {
        let (pending, pairs) = (self.pending(at), self.pairs(states, at));
        let (under_way, place) =
            (BeforeEvent { at, pending: &pending, pairs: &pairs }, self.events.about(request).place);
        let own = if rest { None } else { self.served(states, budget, under_way, &configuration, request) };
        let is_possible = rest || own.is_some();
        let mut next: Vec<(ServedNext, usize, Configuration)> = Vec::new();
        if own.is_some() {
            // The other requests are left to try: deepest first tries them if this one leads to nothing.
            self.open.add(at, configuration.clone(), true);
        } else {
            // Of these, one after which the answer can come is followed first, and then the one whose answer is seen first.
            for other in pending.requests().rev().filter(|other| *other != request) {
                let Some(served) = self.served(states, budget, under_way, &configuration, other) else { continue };
                let is_served = served.done.served.contains(place);
                let mut helps = || states.after(served.state, self.events.about(request), self.events.end).is_some();
                let kind = match is_served {
                    true => ServedNext::Both,
                    false if !is_possible && helps() => ServedNext::Helping,
                    false => ServedNext::Other,
                };
                next.push((kind, at + usize::from(is_served), served));
            }
        }
        if !rest && configuration.done.perhaps.contains(place) {
            next.push((ServedNext::Perhaps, at + 1, configuration.clone()));
        }
        next.extend(own.map(|served| (ServedNext::Answered, at + 1, served)));
        next.sort_by_key(|(kind, ..)| *kind);
        let mut is_dead = !is_possible;
        for (_, next_at, mut served) in next {
            if next_at > at {
                served.done.remove(place);
            }
            is_dead &= !self.add(states, budget, next_at, served);
        }
        is_dead.then_some(configuration)
    }

    /// Jumps back from a dead end: chooses the open configuration that is followed next, if there is a target.
    pub(super) fn jump(&mut self, states: &mut States, budget: &mut OrderBudget, at: usize, dead: &Configuration) {
        let HistoryEvent::Answered(request) = self.events.known.history.events[at] else { return };
        budget.work(backjump::WORK);
        let (pending, dead) = (self.pending(at), DeadEnd { configuration: dead, request });
        self.jumps += 1;
        let target = backjump::target(self.events, states, &self.open, &pending, &dead, self.jumps);
        // Event by event may have followed the alternatives, from which it came to one of the earliest open configurations.
        let others = self.jumps.is_multiple_of(RESTARTS).then_some(self.jumps);
        let target = target.or_else(|| self.open.earliest(others?));
        target.into_iter().for_each(|place| self.open.choose(place));
    }

    /// The configuration after one more request was served, and with it those that can be served at once; `None` if that is impossible, or
    /// needs not be tried.
    fn served(
        &self,
        states: &mut States,
        budget: &mut OrderBudget,
        under_way: BeforeEvent<'_>,
        configuration: &Configuration,
        request: usize,
    ) -> Option<Configuration> {
        budget.work(1);
        self.events.fail(states, under_way.at, configuration, request);
        if !self.events.is_tried(states, under_way.at, configuration, request) {
            return None;
        }
        let mut served = self.events.serve(states, under_way.at, configuration, request)?;
        budget.work(under_way.pending.under_way.len() / limits::LOOKUPS_PER_TERM as usize);
        self.events.serve_at_once(states, under_way, &mut served, request);
        Some(served)
    }

    /// The pairs of requests under way before an event.
    fn pairs(&mut self, states: &mut States, at: usize) -> Arc<AbsorbedPairs> {
        let knows = states.absorption(self.events.known.rules).is_some();
        let mut near = self.pairs.range(at.saturating_sub(NEAR)..=at).rev();
        let known = near.find(|(_, pairs)| pairs.knows_absorption == knows).map(|(from, pairs)| (*from, pairs.clone()));
        let (from, mut pairs) = known.unwrap_or_else(|| {
            let pending = self.pending.get(self.events.known, at, self.events.end);
            (at, Arc::new(AbsorbedPairs::of(self.events, states, &pending)))
        });
        for event in from..at {
            let pending = self.pending(event);
            pairs = match self.events.known.history.events[event] {
                HistoryEvent::Sent(request) if self.events.known.matters(request, self.events.end) => {
                    Arc::new(pairs.with(self.events, states, &pending, request))
                }
                HistoryEvent::Answered(request) => Arc::new(pairs.without(self.events.about(request).place)),
                HistoryEvent::Restarted => {
                    let pending = self.pending(event + 1);
                    Arc::new(AbsorbedPairs::of(self.events, states, &pending))
                }
                HistoryEvent::Sent(_) | HistoryEvent::GaveUp | HistoryEvent::Impossible | HistoryEvent::Open => pairs,
            };
        }
        if self.pairs.len() >= EVENTS {
            self.pairs.clear();
        }
        self.pairs.insert(at, pairs.clone());
        pairs
    }
}
