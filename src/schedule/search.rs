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
use super::forms::StateNumber;
use super::history::HistoryEvent;
use super::kinds::HistoryFacts;
use super::moments::{Moment, Moments};
use super::pairs::MomentPairs;
use super::serving::Serving;
use super::states::States;
use crate::process::Limit;

/// The pairs of a moment are made of those of one so many events before it at most, or anew.
const NEAR: usize = 64;
/// The pairs of so many moments are kept.
const MOMENTS: usize = 256;
/// So many looks at a pair of requests are one unit of work.
const LOOKS: usize = 4;

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
    pub(super) configurations: Vec<Configuration>,
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

    /// The requests under way there.
    pub(super) fn moment(&self) -> &Moment {
        self.moments.made(self.at)
    }

    /// These configurations before the first event of a history that begins there, with these requests under way.
    pub(super) fn before_first(self, moment: Moment) -> Last {
        Last { deepest: 0, at: 0, moments: Moments::behind_first(moment), ..self }
    }
}

/// A configuration that is still to be followed.
struct OpenConfiguration {
    configuration: Configuration,
    /// Set where that request was served behind it whose answer is seen next: only others are.
    rest: bool,
}

/// A search for all configurations before an event, as far as it was begun.
pub(super) struct AdvanceSoFar {
    to: usize,
    halted: Option<Halted>,
}

/// The configurations at which it halted.
struct Halted {
    open: BTreeMap<usize, Vec<OpenConfiguration>>,
    met: BTreeMap<usize, FxHashMap<StateNumber, Vec<Settled>>>,
    moments: Moments,
}

impl AdvanceSoFar {
    /// One that looks for those before an event.
    pub(super) fn before(to: usize) -> AdvanceSoFar {
        AdvanceSoFar { to, halted: None }
    }

    /// The states in which it halted.
    pub(super) fn states(&self) -> impl Iterator<Item = StateNumber> {
        let met = |halted: &Halted| halted.met.values().flat_map(|met| met.keys().copied()).collect::<Vec<_>>();
        self.halted.iter().flat_map(met)
    }
}

/// A search in a history.
pub(super) struct OrderSearch<'h> {
    known: &'h HistoryFacts<'h>,
    serving: Serving<'h>,
    /// The number of the first events that are looked at: answers behind them are not known.
    end: usize,
    /// The configurations that are still to be followed, by the event before which they are.
    open: BTreeMap<usize, Vec<OpenConfiguration>>,
    /// Those that were met there, by their states.
    met: BTreeMap<usize, FxHashMap<StateNumber, Vec<Settled>>>,
    moments: Moments,
    /// The pairs of requests before an event.
    pairs: BTreeMap<usize, Rc<MomentPairs>>,
    /// The moments before this event are not needed any more.
    cleared: usize,
    /// The last event to which a configuration came.
    deepest: usize,
    /// The states that are needed whatever is open.
    begun: Vec<StateNumber>,
    /// The last event before which nothing depends on what is seen at `deepest` or later; what was met from there on is kept.
    apart: usize,
    /// The value of `deepest` for which that was found out.
    apart_from: Option<usize>,
    /// By the events up to there: the last one at which a request is answered that is under way before it.
    last_answers: Vec<Option<usize>>,
}

impl<'h> OrderSearch<'h> {
    /// A search in the first events of a history.
    pub(super) fn new(known: &'h HistoryFacts<'h>, end: usize) -> OrderSearch<'h> {
        OrderSearch {
            known,
            serving: Serving { known, end },
            end,
            open: BTreeMap::new(),
            met: BTreeMap::new(),
            moments: Moments::new(),
            pairs: BTreeMap::new(),
            cleared: 0,
            deepest: 0,
            begun: Vec::new(),
            apart: 0,
            apart_from: None,
            last_answers: Vec::new(),
        }
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
        self.begin(states, budget, last);
        self.search(states, budget)
    }

    /// All configurations before an event, before which nothing depends on what is seen behind the first events; or, where that takes too
    /// much, how far it came.
    pub(super) fn all_before(
        mut self,
        states: &mut States,
        budget: &mut OrderBudget,
        last: &Last,
        begun: AdvanceSoFar,
    ) -> Result<Last, (Limit, AdvanceSoFar)> {
        let to = begun.to;
        match begun.halted {
            None => self.begin(states, budget, last),
            Some(halted) => {
                (self.open, self.met, self.moments) = (halted.open, halted.met, halted.moments);
                (self.cleared, self.apart) = (last.at, last.at);
            }
        }
        while let Some(mut entry) = self.open.first_entry().filter(|entry| *entry.key() < to) {
            let at = *entry.key();
            let Some(open) = entry.get_mut().pop() else {
                entry.remove();
                self.met.retain(|event, _| *event > at);
                continue;
            };
            self.follow(states, budget, at, open);
            if let Some(limit) = budget.exceeded(states) {
                let halted = Halted { open: self.open, met: self.met, moments: self.moments };
                return Err((limit, AdvanceSoFar { to, halted: Some(halted) }));
            }
        }
        self.moment(to);
        self.apart = to;
        Ok(self.last())
    }

    /// This search, which forgets none of these states.
    pub(super) fn keeping(mut self, states: impl IntoIterator<Item = StateNumber>) -> OrderSearch<'h> {
        self.begun.extend(states);
        self
    }

    fn begin(&mut self, states: &mut States, budget: &mut OrderBudget, last: &Last) {
        self.moments = last.moments.clone();
        self.cleared = last.at;
        self.apart = last.at;
        self.begun.extend(last.configurations.iter().map(|configuration| configuration.state));
        last.configurations.iter().for_each(|configuration| self.add(states, budget, last.at, configuration.clone()));
    }

    fn search(mut self, states: &mut States, budget: &mut OrderBudget) -> SearchEnd {
        // Whichever has done less so far takes the next turn, so that all takes twice as long as the better one at most.
        let (mut by_event, mut work, mut doubtful) = (true, [0, 0], None);
        while let Some(mut entry) = if by_event { self.open.first_entry() } else { self.open.last_entry() } {
            let at = *entry.key();
            let open = entry.get_mut().pop();
            if entry.get().is_empty() {
                entry.remove();
            }
            let Some(open) = open else { continue };
            if at == self.end {
                let configuration = open.configuration;
                if states.is_clean(configuration.state) {
                    return SearchEnd::Explained(configuration);
                }
                self.begun.push(configuration.state);
                doubtful = Some(configuration);
                continue;
            }
            if let Some(limit) = budget.exceeded(states) {
                return SearchEnd::GivenUp(limit);
            }
            let before = budget.done(states);
            self.follow(states, budget, at, open);
            if by_event {
                self.forget();
                self.forget_states(states);
            }
            work[usize::from(by_event)] += budget.done(states) - before + 1;
            by_event = work[1] <= work[0];
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
        if self.apart_from != Some(self.deepest) {
            let answered = |request: usize| self.known.history.requests[request].answered;
            let last = |at: usize| self.moments.made(at).requests().filter_map(answered).max();
            self.last_answers.extend((self.last_answers.len()..=self.deepest).map(last));
            let is_apart = |at: &usize| self.last_answers[*at] < Some(self.deepest);
            let apart = (self.apart..=self.deepest).rev().find(is_apart);
            (self.apart, self.apart_from) = (apart.unwrap_or(self.apart), Some(self.deepest));
        }
        let first = self.open.first_key_value().map_or(usize::MAX, |(at, _)| *at).min(self.apart);
        while let Some(entry) = self.met.first_entry().filter(|entry| *entry.key() < first) {
            entry.remove();
        }
        // The next pairs are made of the last ones.
        let near = self.pairs.range(..=first).next_back().map_or(first, |(at, _)| *at);
        let first = near.max(first.saturating_sub(NEAR));
        if self.cleared < first {
            self.moments.clear(self.cleared, first);
            self.cleared = first;
            while let Some(entry) = self.pairs.first_entry().filter(|entry| *entry.key() < first) {
                entry.remove();
            }
        }
    }

    /// Forgets the states in which no configuration is that is followed yet, or was met where one may still come to.
    fn forget_states(&self, states: &mut States) {
        if states.are_many() {
            let open = self.open.values().flatten().map(|open| open.configuration.state);
            let met = self.met.values().flat_map(|met| met.keys().copied());
            states.keep(open.chain(met).chain(self.begun.iter().copied()));
        }
    }

    fn moment(&mut self, at: usize) -> Rc<Moment> {
        self.moments.get(self.known, at, self.end)
    }

    /// Adds a configuration before an event, unless one that was met there covers it.
    fn add(&mut self, states: &mut States, budget: &mut OrderBudget, at: usize, configuration: Configuration) {
        self.deepest = self.deepest.max(at);
        let moment = self.moment(at);
        let met = self.met.entry(at).or_default().entry(states.first_like(configuration.state)).or_default();
        let own = &configuration.done;
        let covering = self.known.rules.covering;
        let covers = |a: &Settled, b: &Settled| if covering { a.covers(b, &moment.bound) } else { a == b };
        budget.work(met.len() / LOOKS);
        if met.iter().any(|other| covers(other, own)) {
            return;
        }
        met.retain(|other| !covers(own, other));
        met.push(own.clone());
        self.open.entry(at).or_default().push(OpenConfiguration { configuration, rest: false });
    }

    /// Follows a configuration to the next event, or to where one more request was served.
    fn follow(&mut self, states: &mut States, budget: &mut OrderBudget, at: usize, open: OpenConfiguration) {
        let OpenConfiguration { mut configuration, rest } = open;
        match self.known.history.events[at] {
            HistoryEvent::Impossible => {}
            HistoryEvent::GaveUp => self.add(states, budget, at + 1, configuration),
            HistoryEvent::Sent(request) => {
                // The others were looked at when the server came to this state.
                let is_new = self.known.matters(request, self.end).then_some(request);
                let is_possible = |request| self.serving.arrive(states, at + 1, &mut configuration, request);
                if is_new.is_none_or(is_possible) {
                    self.add(states, budget, at + 1, configuration);
                }
            }
            HistoryEvent::Answered(request) => {
                self.answer(states, budget, at, OpenConfiguration { configuration, rest }, request);
            }
        }
    }

    fn answer(
        &mut self,
        states: &mut States,
        budget: &mut OrderBudget,
        at: usize,
        open: OpenConfiguration,
        request: usize,
    ) {
        let OpenConfiguration { mut configuration, rest } = open;
        let place = self.serving.about(request).place;
        if configuration.done.served.contains(place) {
            configuration.done.served.remove(place);
            return self.add(states, budget, at + 1, configuration);
        }
        if configuration.done.perhaps.contains(place) && !rest {
            let mut served = configuration.clone();
            served.done.perhaps.remove(place);
            self.add(states, budget, at + 1, served);
        }
        let (moment, pairs) = (self.moment(at), self.pairs(states, at));
        let known = (at, &*moment, &*pairs);
        if !rest && let Some(mut served) = self.served(states, budget, known, &configuration, request) {
            served.done.served.remove(place);
            self.add(states, budget, at + 1, served);
            // Deepest first the others are looked at where that leads to nothing.
            return self.open.entry(at).or_default().push(OpenConfiguration { configuration, rest: true });
        }
        let mut helping = Vec::new();
        // The last one that is added is followed first: one behind which the answer can come, and the one whose answer is seen first.
        for other in moment.requests().rev().filter(|other| *other != request) {
            let Some(mut served) = self.served(states, budget, known, &configuration, other) else { continue };
            if served.done.served.contains(place) {
                served.done.served.remove(place);
                self.add(states, budget, at + 1, served);
            } else if !rest && states.after(served.state, self.serving.about(request), self.end).is_some() {
                helping.push(served);
            } else {
                self.add(states, budget, at, served);
            }
        }
        helping.into_iter().for_each(|served| self.add(states, budget, at, served));
    }

    /// The configuration in which one more request was served, if that is tried.
    fn served(
        &self,
        states: &mut States,
        budget: &mut OrderBudget,
        (at, moment, pairs): (usize, &Moment, &MomentPairs),
        configuration: &Configuration,
        request: usize,
    ) -> Option<Configuration> {
        budget.work(1);
        if !self.serving.is_tried(states, at, (moment, pairs), configuration, request) {
            return None;
        }
        let mut served = self.serving.serve(states, at, configuration, request)?;
        budget.work(moment.under_way.len() / LOOKS);
        self.serving.serve_at_once(states, at, &mut served, (moment, pairs), request).then_some(served)
    }

    /// The pairs of requests under way before an event.
    fn pairs(&mut self, states: &mut States, at: usize) -> Rc<MomentPairs> {
        let knows = states.relations(self.known.rules).is_some();
        let mut near = self.pairs.range(at.saturating_sub(NEAR)..=at).rev();
        let known = near.find(|(_, pairs)| pairs.knows_relations == knows).map(|(from, pairs)| (*from, pairs.clone()));
        let (from, mut pairs) = known.unwrap_or_else(|| {
            let moment = self.moments.get(self.known, at, self.end);
            (at, Rc::new(MomentPairs::of((self.known, self.end), states, &moment)))
        });
        for event in from..at {
            let moment = self.moment(event);
            pairs = match self.known.history.events[event] {
                HistoryEvent::Sent(request) if self.known.matters(request, self.end) => {
                    Rc::new(pairs.with((self.known, self.end), states, &moment, request))
                }
                HistoryEvent::Answered(request) => Rc::new(pairs.without(self.serving.about(request).place)),
                HistoryEvent::Sent(_) | HistoryEvent::GaveUp | HistoryEvent::Impossible => pairs,
            };
        }
        if self.pairs.len() >= MOMENTS {
            self.pairs.clear();
        }
        self.pairs.insert(at, pairs.clone());
        pairs
    }
}
