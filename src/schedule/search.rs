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

use rustc_hash::{FxHashMap, FxHashSet};

use super::bits::PlaceSet;
use super::history::{History, HistoryEvent, Request};
use super::states::{StateNumber, States};

/// A state of server and network: what the server's memory may be, and which of the requests under way it has served.
#[derive(Clone, Debug)]
pub(super) struct Configuration {
    pub(super) state: StateNumber,
    /// The places of requests that were served, and whose answer has not been seen.
    served: PlaceSet,
    /// The places of owed requests that may have been served, or not: both are stood for.
    perhaps: PlaceSet,
    /// The requests served on the way here, the last first.
    pub(super) order: Option<Rc<Served>>,
}

/// A request that was served, and those before it.
#[derive(Debug)]
pub(super) struct Served {
    pub(super) request: usize,
    before: Option<Rc<Served>>,
}

/// Drops a long list from its end, not by recursion.
impl Drop for Served {
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(mut served) = next.and_then(|rc| Rc::try_unwrap(rc).ok()) {
            next = served.before.take();
        }
    }
}

impl Configuration {
    /// The requests in the order in which they were served.
    pub(super) fn order(&self) -> Vec<usize> {
        let mut met = FxHashSet::default();
        let backwards = std::iter::successors(self.order.as_deref(), |served| served.before.as_deref());
        // What perhaps was served, and was later, was then.
        let mut order: Vec<usize> =
            backwards.map(|served| served.request).filter(|request| met.insert(*request)).collect();
        order.reverse();
        order
    }
}

/// The requests under way before an event.
#[derive(Clone, Default)]
pub(super) struct Moment {
    /// Those that were sent, whose answer was not seen, and that may still be served.
    under_way: Vec<usize>,
    /// The places of those among them that must be, or that are served in the order of their connection.
    bound: PlaceSet,
}

/// The configurations that were met in a state: the places of what was served, and of what perhaps was.
type MetBefore = Vec<(PlaceSet, PlaceSet)>;

/// The properties of a kind of request: a request with its answer, or without.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct RequestKind {
    /// It changes nothing in any state in which it is answered so.
    pub(super) changes_nothing: bool,
    /// Set where it can never be answered so any more once it cannot be.
    pub(super) stays_impossible: bool,
}

/// The end of a search.
pub(super) enum SearchEnd {
    /// A configuration that explains all events.
    Explained(Configuration),
    /// None does.
    Nothing(Last),
    /// Only configurations in which some question was too hard.
    Doubtful(Configuration),
    /// More would have been done than may be.
    GivenUp,
}

/// The configurations before the last event at which those for fewer events are the same, where none explains all events.
pub(super) struct Last {
    /// The event that none explains, with what was seen later.
    pub(super) deepest: usize,
    at: usize,
    configurations: Vec<Configuration>,
    moments: Vec<Rc<Moment>>,
}

/// A search in a history.
pub(super) struct OrderSearch<'h> {
    history: &'h History,
    /// The number of the first events that are looked at: answers behind them are not known.
    end: usize,
    kinds: &'h [RequestKind],
    /// The configurations that are still to be followed, by the event before which they are.
    open: BTreeMap<usize, Vec<Configuration>>,
    /// Those that were met there, by their states.
    met: BTreeMap<usize, FxHashMap<StateNumber, MetBefore>>,
    moments: Vec<Rc<Moment>>,
    /// The last event to which a configuration came.
    deepest: usize,
    /// The last event before which nothing depends on what is seen at `deepest` or later; what was met from there on is kept.
    apart: usize,
    /// The number of configurations that were followed, and the most that may be.
    followed: u64,
    limit: u64,
}

impl<'h> OrderSearch<'h> {
    /// A search in the first events of a history.
    pub(super) fn new(history: &'h History, end: usize, kinds: &'h [RequestKind], limit: u64) -> OrderSearch<'h> {
        let moments = vec![Rc::default()];
        let (open, met) = (BTreeMap::new(), BTreeMap::new());
        OrderSearch { history, end, kinds, open, met, moments, deepest: 0, apart: 0, followed: 0, limit }
    }

    /// Searches from an initial state.
    pub(super) fn run(self, states: &mut States, initial: StateNumber) -> SearchEnd {
        self.run_from(states, (0, initial), PlaceSet::default())
    }

    /// Searches from a state before an event, where requests at these places were perhaps served.
    pub(super) fn run_from(
        mut self,
        states: &mut States,
        (at, state): (usize, StateNumber),
        perhaps: PlaceSet,
    ) -> SearchEnd {
        self.add(at, Configuration { state, served: PlaceSet::default(), perhaps, order: None });
        self.search(states)
    }

    /// Searches from where another search, of more events, ended.
    pub(super) fn resume(mut self, states: &mut States, last: &Last) -> SearchEnd {
        self.moments.clone_from(&last.moments);
        last.configurations.iter().for_each(|configuration| self.add(last.at, configuration.clone()));
        self.search(states)
    }

    fn search(mut self, states: &mut States) -> SearchEnd {
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
            self.followed += 1;
            if self.followed > self.limit || states.is_exhausted() {
                return SearchEnd::GivenUp;
            }
            self.follow(states, at, configuration);
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
        self.moments.truncate(at + 1);
        let of = |(state, met): (StateNumber, MetBefore)| {
            met.into_iter().map(move |(served, perhaps)| Configuration { state, served, perhaps, order: None })
        };
        let configurations = self.met.remove(&at).unwrap_or_default().into_iter().flat_map(of).collect();
        Last { deepest, at, configurations, moments: self.moments }
    }

    /// Forgets what was met before events to which no configuration will come any more, but for the last that is not told apart by what
    /// is seen from the deepest on.
    fn forget(&mut self) {
        let history = self.history;
        let is_apart = |request: &usize| history.requests[*request].answered.is_none_or(|at| at < self.deepest);
        let apart = (self.apart..=self.deepest).rev().find(|at| self.moments[*at].under_way.iter().all(is_apart));
        self.apart = apart.unwrap_or(self.apart);
        let first = self.open.first_key_value().map_or(usize::MAX, |(at, _)| *at).min(self.apart);
        while let Some(entry) = self.met.first_entry().filter(|entry| *entry.key() < first) {
            entry.remove();
        }
    }

    /// The requests that are under way before an event.
    fn moment(&mut self, at: usize) -> Rc<Moment> {
        while self.moments.len() <= at {
            let event = self.moments.len() - 1;
            let mut next = Moment::clone(&self.moments[event]);
            match self.history.events[event] {
                HistoryEvent::Sent(request) if self.matters(request) => {
                    next.under_way.push(request);
                    let Request { place, chained, .. } = self.history.requests[request];
                    if chained || self.history.requests[request].is_owed(self.end) {
                        next.bound.insert(place);
                    }
                }
                HistoryEvent::Answered(request) => {
                    next.under_way.retain(|other| *other != request);
                    next.bound.remove(self.history.requests[request].place);
                }
                HistoryEvent::Sent(_) | HistoryEvent::GaveUp | HistoryEvent::Impossible => {}
            }
            self.moments.push(Rc::new(next));
        }
        self.moments[at].clone()
    }

    /// Tests whether it matters that a request is served: not where nobody sees its answer and it changes nothing.
    fn matters(&self, request: usize) -> bool {
        let request = &self.history.requests[request];
        request.is_owed(self.end) || request.chained || !self.kinds[request.kind(self.end) as usize].changes_nothing
    }

    /// Adds a configuration before an event, unless one that was met there covers it.
    fn add(&mut self, at: usize, configuration: Configuration) {
        self.deepest = self.deepest.max(at);
        let moment = self.moment(at);
        let met = self.met.entry(at).or_default().entry(configuration.state).or_default();
        let own = (configuration.served.clone(), configuration.perhaps.clone());
        if met.iter().any(|other| covers(other, &own, &moment.bound)) {
            return;
        }
        met.retain(|other| !covers(&own, other, &moment.bound));
        met.push(own);
        self.open.entry(at).or_default().push(configuration);
    }

    /// Follows a configuration to the next event, or to where one more request was served.
    fn follow(&mut self, states: &mut States, at: usize, mut configuration: Configuration) {
        match self.history.events[at] {
            HistoryEvent::Impossible => {}
            HistoryEvent::GaveUp => self.add(at + 1, configuration),
            HistoryEvent::Sent(_) => {
                if self.serve_at_once(states, at + 1, &mut configuration) {
                    self.add(at + 1, configuration);
                }
            }
            HistoryEvent::Answered(request) => self.answer(states, at, configuration, request),
        }
    }

    fn answer(&mut self, states: &mut States, at: usize, mut configuration: Configuration, request: usize) {
        let place = self.history.requests[request].place;
        if configuration.served.contains(place) {
            configuration.served.remove(place);
            return self.add(at + 1, configuration);
        }
        let moment = self.moment(at);
        if configuration.perhaps.contains(place) {
            let mut served = configuration.clone();
            served.perhaps.remove(place);
            self.add(at + 1, served);
        }
        for other in moment.under_way.iter().copied() {
            if !self.may_serve(at, &configuration, other) || self.is_postponed(states, at, &configuration, other) {
                continue;
            }
            let Some(mut served) = self.serve(states, at, &configuration, other) else { continue };
            if !self.serve_at_once(states, at, &mut served) {
                continue;
            }
            if served.served.contains(place) {
                served.served.remove(place);
                self.add(at + 1, served);
            } else {
                self.add(at, served);
            }
        }
    }

    /// Tests whether a request may be served next: it was not, and the one before it on its connection was, or perhaps was.
    fn may_serve(&self, at: usize, configuration: &Configuration, request: usize) -> bool {
        let Request { place, before, .. } = self.history.requests[request];
        let is_before = |before: usize| {
            let place = self.history.requests[before].place;
            self.was_served(at, configuration, before) || configuration.perhaps.contains(place)
        };
        !configuration.served.contains(place) && before.is_none_or(is_before)
    }

    /// Tests whether the request before another one on its connection was served, for certain.
    fn is_first(&self, at: usize, configuration: &Configuration, request: usize) -> bool {
        self.history.requests[request].before.is_none_or(|before| self.was_served(at, configuration, before))
    }

    fn was_served(&self, at: usize, configuration: &Configuration, request: usize) -> bool {
        let Request { answered, place, .. } = self.history.requests[request];
        answered.is_some_and(|answered| answered < at) || configuration.served.contains(place) || !self.matters(request)
    }

    /// Tests whether an equal request, whose answer is seen earlier, may be served in its place.
    fn is_postponed(&self, states: &mut States, at: usize, configuration: &Configuration, request: usize) -> bool {
        let own = &self.history.requests[request];
        let under_way = &self.moments[at].under_way;
        !own.chained
            && under_way.iter().any(|other| {
                let equal = &self.history.requests[*other];
                let deadline = |request: &Request, number: usize| {
                    (request.answered.filter(|at| *at < self.end).unwrap_or(usize::MAX), number)
                };
                equal.asks == own.asks
                    && !equal.chained
                    && deadline(equal, *other) < deadline(own, request)
                    && (equal.kind(self.end) == own.kind(self.end) || !own.is_owed(self.end))
                    && !configuration.perhaps.contains(equal.place)
                    && self.may_serve(at, configuration, *other)
                    && states.after(configuration.state, equal, self.end).is_some()
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
        let about = &self.history.requests[request];
        let state = states.after(configuration.state, about, self.end)?;
        let mut after = configuration.clone();
        let mut before = about.before.filter(|before| !self.was_served(at, configuration, *before));
        while let Some(earlier) = before {
            // The one before it on its connection, which perhaps was, was; and so were those before that one.
            let Request { place, before: next, .. } = self.history.requests[earlier];
            after.perhaps.remove(place);
            after.served.insert(place);
            before = next.filter(|next| !self.was_served(at, configuration, *next));
        }
        after.state = state;
        after.perhaps.remove(about.place);
        after.served.insert(about.place);
        after.order = Some(Rc::new(Served { request, before: configuration.order.clone() }));
        Some(after)
    }

    /// Serves what can be served at once, as it changes nothing in any state and is answered here as it was; what changes nothing in
    /// this state may have been served. Tests whether no request waits in vain.
    fn serve_at_once(&mut self, states: &mut States, at: usize, configuration: &mut Configuration) -> bool {
        let moment = self.moment(at);
        for request in moment.under_way.iter().copied() {
            let about = &self.history.requests[request];
            let is_settled = configuration.served.contains(about.place) || configuration.perhaps.contains(about.place);
            if !about.is_owed(self.end) || is_settled {
                continue;
            }
            let after = states.after(configuration.state, about, self.end);
            if after.is_none() && self.kinds[about.kind(self.end) as usize].stays_impossible {
                return false;
            }
            if after != Some(configuration.state) || !self.is_first(at, configuration, request) {
                continue;
            }
            configuration.order = Some(Rc::new(Served { request, before: configuration.order.take() }));
            if self.kinds[about.kind(self.end) as usize].changes_nothing {
                configuration.served.insert(about.place);
            } else {
                configuration.perhaps.insert(about.place);
            }
        }
        true
    }
}

/// Tests whether what was served, and perhaps was, explains all that the same of another configuration in this state does: of the
/// requests that are bound it is the same, or perhaps; of the others no more were served.
fn covers(own: &(PlaceSet, PlaceSet), other: &(PlaceSet, PlaceSet), bound: &PlaceSet) -> bool {
    let ((served, perhaps), (theirs, their_perhaps)) = (own, other);
    their_perhaps.is_within(perhaps)
        && served.without(bound).is_within(&theirs.without(bound))
        && served.common(bound).without(perhaps) == theirs.common(bound).without(perhaps)
}
