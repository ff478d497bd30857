//! The search for an order in which the server may have served the requests.
//!
//! ```text
//! event by event    all that explains the first n events, then the first n + 1 …     ends early at a rejection
//! deepest first     one way as far as it goes, then another                          ends early at an acceptance
//! ```
//!
//! Both take turns, over one set of configurations and one memo. The rules are those of `proofs-notes/schedules.md`.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::bits::PlaceSet;
use super::budget::OrderBudget;
use super::configuration::{Configuration, Settled};
use super::history::{HistoryEvent, Request};
use super::kinds::HistoryFacts;
use super::moments::{Moment, Moments};
use super::states::{StateNumber, States};
use crate::process::Limit;

/// The end of a search.
pub(super) enum SearchEnd {
    /// A configuration that explains all events.
    Explained(Configuration),
    /// None does.
    Nothing(Last),
    /// Only configurations in which some question was too hard.
    Doubtful(Configuration),
    /// More would have been done than may be.
    GivenUp(Limit),
}

/// The configurations before the last event at which those for fewer events are the same, where none explains all events.
pub(super) struct Last {
    /// The event that none explains, with what was seen later.
    pub(super) deepest: usize,
    at: usize,
    configurations: Vec<Configuration>,
    moments: Moments,
}

impl Last {
    /// One configuration before an event.
    pub(super) fn first(at: usize, configuration: Configuration) -> Last {
        Last { deepest: at, at, configurations: vec![configuration], moments: Moments::new() }
    }

    /// The event before which they are.
    pub(super) fn at(&self) -> usize {
        self.at
    }
}

/// A search in a history.
pub(super) struct OrderSearch<'h> {
    known: &'h HistoryFacts<'h>,
    /// The number of the first events that are looked at: answers behind them are not known.
    end: usize,
    /// The configurations that are still to be followed, by the event before which they are.
    open: BTreeMap<usize, Vec<Configuration>>,
    /// Those that were met there, by their states.
    met: BTreeMap<usize, FxHashMap<StateNumber, Vec<Settled>>>,
    moments: Moments,
    /// The moments before this event are not needed any more.
    cleared: usize,
    /// The last event to which a configuration came.
    deepest: usize,
    /// The last event before which nothing depends on what is seen at `deepest` or later; what was met from there on is kept.
    apart: usize,
}

impl<'h> OrderSearch<'h> {
    /// A search in the first events of a history.
    pub(super) fn new(known: &'h HistoryFacts<'h>, end: usize) -> OrderSearch<'h> {
        let (open, met) = (BTreeMap::new(), BTreeMap::new());
        OrderSearch { known, end, open, met, moments: Moments::new(), cleared: 0, deepest: 0, apart: 0 }
    }

    /// Searches from an initial state.
    pub(super) fn run(self, states: &mut States, budget: &mut OrderBudget, initial: StateNumber) -> SearchEnd {
        self.run_from(states, budget, (0, initial), PlaceSet::default())
    }

    /// Searches from a state before an event, where requests at these places were perhaps served.
    pub(super) fn run_from(
        self,
        states: &mut States,
        budget: &mut OrderBudget,
        (at, state): (usize, StateNumber),
        perhaps: PlaceSet,
    ) -> SearchEnd {
        let done = Settled { served: PlaceSet::default(), perhaps };
        self.resume(states, budget, &Last::first(at, Configuration { state, done, order: None }))
    }

    /// Searches from where another search, of more events, ended.
    pub(super) fn resume(mut self, states: &mut States, budget: &mut OrderBudget, last: &Last) -> SearchEnd {
        self.begin(budget, last);
        self.search(states, budget)
    }

    /// All configurations before an event, before which nothing depends on what is seen behind the first events.
    pub(super) fn all_before(
        mut self,
        states: &mut States,
        budget: &mut OrderBudget,
        last: &Last,
        to: usize,
    ) -> Result<Last, Limit> {
        self.begin(budget, last);
        while let Some(mut entry) = self.open.first_entry().filter(|entry| *entry.key() < to) {
            let at = *entry.key();
            match entry.get_mut().pop() {
                Some(configuration) => self.follow(states, budget, at, configuration),
                None => _ = entry.remove(),
            }
            if let Some(limit) = budget.exceeded(states) {
                return Err(limit);
            }
        }
        self.moment(to);
        self.apart = to;
        Ok(self.last())
    }

    fn begin(&mut self, budget: &mut OrderBudget, last: &Last) {
        self.moments = last.moments.clone();
        self.cleared = last.at;
        self.apart = last.at;
        last.configurations.iter().for_each(|configuration| self.add(last.at, configuration.clone(), budget));
    }

    fn search(mut self, states: &mut States, budget: &mut OrderBudget) -> SearchEnd {
        let (mut by_event, mut doubtful) = (true, None);
        while let Some(mut entry) = if by_event { self.open.first_entry() } else { self.open.last_entry() } {
            let at = *entry.key();
            let configuration = entry.get_mut().pop();
            if entry.get().is_empty() {
                entry.remove();
            }
            let Some(configuration) = configuration else { continue };
            if at == self.end {
                if states.is_clean(configuration.state) {
                    return SearchEnd::Explained(configuration);
                }
                doubtful = Some(configuration);
                continue;
            }
            if let Some(limit) = budget.exceeded(states) {
                return SearchEnd::GivenUp(limit);
            }
            self.follow(states, budget, at, configuration);
            if by_event {
                self.forget();
            }
            by_event = !by_event;
        }
        doubtful.map_or_else(|| SearchEnd::Nothing(self.last()), SearchEnd::Doubtful)
    }

    /// The end of a search that found nothing.
    fn last(mut self) -> Last {
        let OrderSearch { apart: at, deepest, .. } = self;
        self.moments.truncate(at);
        let of = |(state, met): (StateNumber, Vec<Settled>)| {
            met.into_iter().map(move |done| Configuration { state, done, order: None })
        };
        let configurations = self.met.remove(&at).unwrap_or_default().into_iter().flat_map(of).collect();
        Last { deepest, at, configurations, moments: self.moments }
    }

    /// Forgets what was met before events to which no configuration will come any more, but for the last that is not told apart by what
    /// is seen from the deepest on.
    fn forget(&mut self) {
        let history = self.known.history;
        let is_apart = |request: usize| history.requests[request].answered.is_none_or(|at| at < self.deepest);
        let apart = (self.apart..=self.deepest).rev().find(|at| self.moments.made(*at).requests().all(is_apart));
        self.apart = apart.unwrap_or(self.apart);
        let first = self.open.first_key_value().map_or(usize::MAX, |(at, _)| *at).min(self.apart);
        while let Some(entry) = self.met.first_entry().filter(|entry| *entry.key() < first) {
            entry.remove();
        }
        if self.cleared < first {
            self.moments.clear(self.cleared, first);
            self.cleared = first;
        }
    }

    fn moment(&mut self, at: usize) -> Rc<Moment> {
        self.moments.get(self.known, at, self.end)
    }

    fn about(&self, request: usize) -> &'h Request {
        &self.known.history.requests[request]
    }

    /// Adds a configuration before an event, unless one that was met there covers it.
    fn add(&mut self, at: usize, configuration: Configuration, budget: &mut OrderBudget) {
        self.deepest = self.deepest.max(at);
        let moment = self.moment(at);
        let met = self.met.entry(at).or_default().entry(configuration.state).or_default();
        let own = &configuration.done;
        let covering = self.known.rules.covering;
        let covers = |a: &Settled, b: &Settled| if covering { a.covers(b, &moment.bound) } else { a == b };
        budget.work(met.len());
        if met.iter().any(|other| covers(other, own)) {
            return;
        }
        met.retain(|other| !covers(own, other));
        met.push(own.clone());
        self.open.entry(at).or_default().push(configuration);
    }

    /// Follows a configuration to the next event, or to where one more request was served.
    fn follow(&mut self, states: &mut States, budget: &mut OrderBudget, at: usize, mut configuration: Configuration) {
        match self.known.history.events[at] {
            HistoryEvent::Impossible => {}
            HistoryEvent::GaveUp => self.add(at + 1, configuration, budget),
            HistoryEvent::Sent(request) => {
                // The others were looked at when the server came to this state.
                let is_new = self.known.matters(request, self.end).then_some(request);
                if self.serve_at_once(states, at + 1, &mut configuration, is_new, None) {
                    self.add(at + 1, configuration, budget);
                }
            }
            HistoryEvent::Answered(request) => self.answer(states, budget, at, configuration, request),
        }
    }

    fn answer(
        &mut self,
        states: &mut States,
        budget: &mut OrderBudget,
        at: usize,
        mut configuration: Configuration,
        request: usize,
    ) {
        let place = self.about(request).place;
        if configuration.done.served.contains(place) {
            configuration.done.served.remove(place);
            return self.add(at + 1, configuration, budget);
        }
        let moment = self.moment(at);
        if configuration.done.perhaps.contains(place) {
            let mut served = configuration.clone();
            served.done.perhaps.remove(place);
            self.add(at + 1, served, budget);
        }
        for other in moment.requests() {
            budget.work(1);
            // Of those that nobody waits for most cannot be served any more; the others can, or the configuration was dropped.
            let is_open = |states: &mut States| {
                self.about(other).is_owed(self.end)
                    || states.after(configuration.state, self.about(other), self.end).is_some()
            };
            if !self.may_serve(at, &configuration, other) || !is_open(states) {
                continue;
            }
            let is_left_out = self.kills_another(states, &moment, &configuration, other)
                || self.is_postponed(states, at, &configuration, other);
            if is_left_out {
                continue;
            }
            let Some(mut served) = self.serve(states, at, &configuration, other) else { continue };
            budget.work(moment.under_way.len());
            if !self.serve_at_once(states, at, &mut served, moment.requests(), Some(other)) {
                continue;
            }
            if served.done.served.contains(place) {
                served.done.served.remove(place);
                self.add(at + 1, served, budget);
            } else {
                self.add(at, served, budget);
            }
        }
    }

    /// Tests whether a request may be served next: it was not, and the one before it on its connection was, or perhaps was.
    fn may_serve(&self, at: usize, configuration: &Configuration, request: usize) -> bool {
        let Request { place, before, .. } = self.about(request);
        let is_before = |before: usize| {
            let place = self.about(before).place;
            self.was_served(at, configuration, before) || configuration.done.perhaps.contains(place)
        };
        !configuration.done.served.contains(*place) && before.is_none_or(is_before)
    }

    /// Tests whether the request before another one on its connection was served, for certain.
    fn is_first(&self, at: usize, configuration: &Configuration, request: usize) -> bool {
        self.about(request).before.is_none_or(|before| self.was_served(at, configuration, before))
    }

    fn was_served(&self, at: usize, configuration: &Configuration, request: usize) -> bool {
        let Request { answered, place, .. } = self.about(request);
        answered.is_some_and(|answered| answered < at)
            || configuration.done.served.contains(*place)
            || !self.known.matters(request, self.end)
    }

    /// Tests whether an equal request, whose answer is seen earlier, may be served in its place. Where nobody sees its own answer, that must
    /// lead to the same state: what the server chose for the answer that is seen may differ.
    fn is_postponed(&self, states: &mut States, at: usize, configuration: &Configuration, request: usize) -> bool {
        let own = self.about(request);
        !own.chained
            && self.known.rules.equal
            && self.moments.made(at).requests().any(|other| {
                let equal = self.about(other);
                let deadline = |request: &Request, number: usize| {
                    (request.answered.filter(|at| *at < self.end).unwrap_or(usize::MAX), number)
                };
                equal.asks == own.asks
                    && !equal.chained
                    && deadline(equal, other) < deadline(own, request)
                    && (equal.kind(self.end) == own.kind(self.end) || !own.is_owed(self.end))
                    && !configuration.done.perhaps.contains(equal.place)
                    && self.may_serve(at, configuration, other)
                    && states.after(configuration.state, equal, self.end).is_some_and(|after| {
                        equal.kind(self.end) == own.kind(self.end)
                            || states.after(configuration.state, own, self.end) == Some(after)
                    })
            })
    }

    /// Tests whether an answer that is still to come would never come behind a request.
    fn kills_another(
        &self,
        states: &mut States,
        moment: &Moment,
        configuration: &Configuration,
        request: usize,
    ) -> bool {
        let Some(relations) = states.relations(self.known.rules).filter(|_| self.known.rules.never_again) else {
            return false;
        };
        moment.requests().any(|other| {
            let about = self.about(other);
            let is_to_come = other != request && about.is_owed(self.end) && !configuration.done.contains(about.place);
            is_to_come && relations.pair(self.about(request), about, self.end).kills
        })
    }

    /// The configuration after a request was served.
    fn serve(
        &self,
        states: &mut States,
        at: usize,
        configuration: &Configuration,
        request: usize,
    ) -> Option<Configuration> {
        let about = self.about(request);
        let state = states.after(configuration.state, about, self.end)?;
        let mut after = configuration.clone();
        let Settled { served, perhaps } = &mut after.done;
        let mut before = about.before.filter(|before| !self.was_served(at, configuration, *before));
        while let Some(earlier) = before {
            // The one before it on its connection, which perhaps was, was; and so were those before that one.
            let Request { place, before: next, .. } = self.about(earlier);
            perhaps.remove(*place);
            served.insert(*place);
            before = next.filter(|next| !self.was_served(at, configuration, *next));
        }
        perhaps.remove(about.place);
        served.insert(about.place);
        after.state = state;
        after.note(request);
        Some(after)
    }

    /// Serves what can be served at once, as it changes nothing in any state and is answered here as it was; what changes nothing in
    /// this state, or nothing that the last request left, may have been served. Tests whether none of these requests waits in vain.
    fn serve_at_once(
        &self,
        states: &mut States,
        at: usize,
        configuration: &mut Configuration,
        requests: impl IntoIterator<Item = usize>,
        last: Option<usize>,
    ) -> bool {
        let rules = self.known.rules;
        let (mut absorbed, mut behind) = (Vec::new(), Vec::new());
        for request in requests {
            let about = self.about(request);
            if !about.is_owed(self.end) || configuration.done.contains(about.place) {
                continue;
            }
            let changes_nothing = self.known.changes_nothing(request, self.end);
            if let (Some(last), Some(relations), false) = (last, states.relations(rules), changes_nothing) {
                let facts = relations.pair(self.about(last), about, self.end);
                if facts.absorbs && rules.absorption && !about.chained {
                    configuration.done.perhaps.insert(about.place);
                    absorbed.push(request);
                    continue;
                }
                if facts.keeps && relations.always_changes(about, self.end) {
                    continue;
                }
            }
            let after = states.after(configuration.state, about, self.end);
            if after.is_none() && self.waits_in_vain(states, about) {
                return false;
            }
            if after != Some(configuration.state) || !self.is_first(at, configuration, request) {
                continue;
            }
            match (rules.at_once && changes_nothing, rules.perhaps) {
                (true, _) => configuration.done.served.insert(about.place),
                (false, true) => configuration.done.perhaps.insert(about.place),
                (false, false) => continue,
            }
            behind.push(request);
        }
        configuration.note_before_last(&absorbed);
        behind.into_iter().for_each(|request| configuration.note(request));
        true
    }

    /// Tests whether an answer that cannot come here never comes.
    fn waits_in_vain(&self, states: &mut States, request: &Request) -> bool {
        let relations = states.relations(self.known.rules).filter(|_| self.known.rules.never_again);
        relations.is_some_and(|relations| relations.stays_impossible(request, self.end))
    }
}
