//! The states that a server may be in, by number, and the ways (transitions) between them: no request is run twice in a state.
//!
//! A state is a frontier: the candidates that explain what was served so far. Two frontiers that are equal up to the names of
//! variables are one state.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::forms::{StateForm, StateNumber, state_form};
use super::history::Request;
use super::rules::OrderRules;
use super::rules::absorption::Absorption;
use super::rules::unseen::{Likeness, UnseenTexts};
use crate::judge::{Candidate, Context, Exchange, FailedRuns, Judge, Observed};
use crate::limits;
use crate::term::made;
use crate::value::Value;

/// While there are fewer states than this, none is forgotten.
const ENOUGH: usize = 2048;

/// Running a request counts as one lookup of a way for each `SIZE` values in the state.
const SIZE: usize = 2;

/// The number of a restart's way, in the place of the kind of a request.
const RESTART: u32 = u32::MAX;

/// The ways on which runs fail.
struct FailingWays {
    ways: FxHashMap<(StateNumber, u32), FailedRuns>,
    /// The runs that fail before any way.
    first: FailedRuns,
}

/// States and the ways between them.
pub(super) struct States {
    pub(super) context: Context,
    /// The frontier of each state, by its number; empty if the state is forgotten.
    frontiers: Vec<Arc<[Candidate]>>,
    /// The state that stands for every one, if there is such a state.
    every: Option<StateNumber>,
    numbers: FxHashMap<StateForm, StateNumber>,
    ways: FxHashMap<(StateNumber, u32), Option<StateNumber>>,
    /// The number of requests that were run in states.
    runs: u64,
    /// Set if states that are not needed any more are forgotten: next at `enough` states, which are never fewer than `least`.
    forgets: bool,
    enough: usize,
    least: usize,
    /// The number of lookups of ways; `run` is the number that running requests counts as, and `most` limits both together.
    looked_up: u64,
    run: u64,
    most: u64,
    /// The terms of this thread after which no more are made for ways.
    last_made: u64,
    /// Which requests absorb others in every state, if that was asked for.
    absorption: Option<Absorption>,
    /// The texts that no answer shows, if states count as alike that differ only in these.
    unseen: Option<UnseenTexts>,
    /// The ways on which runs fail, if these are noted.
    failing: Option<FailingWays>,
    /// The context in which answers are asked for, made when it is first needed; `answers` are those that it gave.
    answering: Option<Context>,
    answers: FxHashMap<(StateNumber, u32), Option<Value>>,
}

impl States {
    /// The states of a judge that has seen nothing; the first is the initial one, if there is any.
    pub(super) fn new(judge: Judge) -> (States, Option<StateNumber>) {
        let (context, initial) = judge.into_parts();
        let mut states = States {
            context,
            frontiers: Vec::new(),
            every: None,
            numbers: FxHashMap::default(),
            ways: FxHashMap::default(),
            runs: 0,
            forgets: false,
            enough: ENOUGH,
            least: ENOUGH,
            looked_up: 0,
            run: 0,
            most: u64::MAX,
            last_made: u64::MAX,
            absorption: None,
            unseen: None,
            failing: None,
            answering: None,
            answers: FxHashMap::default(),
        };
        let first = states.number(initial);
        (states, first)
    }

    /// The states of a judge that knows nothing of the state; the first stands for every one.
    pub(super) fn from_any(judge: Judge) -> (States, Option<StateNumber>) {
        let (states, every) = States::new(judge);
        (States { every, ..states }, every)
    }

    /// These states, in which a failing run counts only once a request is served on its way ([`States::fail`]).
    pub(super) fn noting_failures(mut self) -> States {
        let first = self.context.take_failed();
        self.context.add_failed(first.clone());
        self.failing = Some(FailingWays { ways: FxHashMap::default(), first });
        self
    }

    /// Notes the runs that fail as a request is served in a state, before the event on a line; if failing runs are noted.
    pub(super) fn fail(&mut self, state: StateNumber, request: &Request, line: u64, events: usize) {
        self.after(state, request, events);
        self.add_failed((state, request.kind(events)), line);
    }

    /// Forgets the failing runs that were noted; returns whether there were any.
    pub(super) fn take_failed(&mut self) -> bool {
        let Some(failing) = &self.failing else { return false };
        let failed = self.context.take_failed();
        self.context.add_failed(failing.first.clone());
        !failed.is_empty()
    }

    /// Tests whether failing runs are noted.
    pub(super) fn notes_failures(&self) -> bool {
        self.failing.is_some()
    }

    /// Treats states as alike, from here on, if they differ only in these texts.
    pub(super) fn unite(&mut self, unseen: Option<UnseenTexts>) {
        self.unseen = unseen.map(|texts| texts.after(self.runs));
    }

    /// The first state that is like this one: the rest of the history is explained from both, or from neither.
    pub(super) fn first_like(&mut self, state: StateNumber) -> StateNumber {
        let Some(unseen) = self.unseen.as_mut().filter(|unseen| unseen.is_due(self.runs)) else { return state };
        unseen.first_like(self.context.spec(), state, &self.frontiers[state as usize])
    }

    /// These states, which are forgotten from here on once a search does not need them any more.
    pub(super) fn forgetting(self, rules: OrderRules) -> States {
        let enough = ENOUGH.min(rules.patience() as usize);
        States { forgets: true, least: enough, enough, ..self }
    }

    /// The needed ones of these states, of which none is forgotten from here on. `None` if states were united that the answers of another
    /// history may tell apart.
    pub(super) fn remembering(mut self, needed: impl IntoIterator<Item = StateNumber>) -> Option<States> {
        if self.unseen.take().is_some_and(|unseen| unseen.has_united) {
            return None;
        }
        self.keep(needed);
        Some(States { forgets: false, ..self })
    }

    /// Tests whether the states are many enough that it pays to look which are not needed any more.
    pub(super) fn are_many(&self) -> bool {
        self.forgets && self.numbers.len() >= self.enough
    }

    /// Forgets all states but these.
    pub(super) fn keep(&mut self, needed: impl IntoIterator<Item = StateNumber>) {
        let mut is_needed = vec![false; self.frontiers.len()];
        needed.into_iter().for_each(|state| is_needed[state as usize] = true);
        let is_needed = |state: StateNumber| is_needed[state as usize];
        self.numbers.retain(|_, state| is_needed(*state));
        self.ways.retain(|(from, _), to| is_needed(*from) && to.is_none_or(is_needed));
        self.answers.retain(|(from, _), _| is_needed(*from));
        self.failing.iter_mut().for_each(|failing| failing.ways.retain(|(from, _), _| is_needed(*from)));
        if let Some(unseen) = &mut self.unseen {
            unseen.keep(is_needed);
        }
        let none: Arc<[Candidate]> = Arc::new([]);
        let forgotten = self.frontiers.iter_mut().zip(0..).filter(|(_, state)| !is_needed(*state));
        forgotten.for_each(|(frontier, _)| frontier.clone_from(&none));
        self.enough = self.least.max(2 * self.numbers.len());
    }

    /// Forgets all states but these, which get new numbers.
    pub(super) fn renumber(&mut self, needed: Vec<&mut StateNumber>) {
        let mut new: FxHashMap<StateNumber, StateNumber> = FxHashMap::default();
        let mut frontiers = Vec::new();
        for state in needed {
            let number = new.entry(*state).or_insert_with(|| {
                frontiers.push(self.frontiers[*state as usize].clone());
                frontiers.len() as StateNumber - 1
            });
            *state = *number;
        }
        self.frontiers = frontiers;
        self.answers.clear();
        self.numbers.retain(|_, state| new.get(state).map(|number| *state = *number).is_some());
        let of = |state: StateNumber| new.get(&state).copied();
        let ways = std::mem::take(&mut self.ways).into_iter().filter_map(|((from, kind), to)| {
            let to = to.map_or(Some(None), |to| of(to).map(Some))?;
            Some(((of(from)?, kind), to))
        });
        self.ways = ways.collect();
        self.enough = self.least.max(2 * self.numbers.len());
    }

    /// Gives the kinds of requests new numbers; kinds without a new number are forgotten.
    pub(super) fn renumber_kinds(&mut self, new: &FxHashMap<u32, u32>) {
        self.answers.clear();
        let ways = std::mem::take(&mut self.ways).into_iter();
        self.ways = ways.filter_map(|((from, kind), to)| Some(((from, *new.get(&kind)?), to))).collect();
        if let Some(absorption) = &mut self.absorption {
            absorption.forget_kinds();
        }
    }

    /// The state to which a request leads, with its answer if that was seen among the first events; `None` if it cannot be answered so.
    pub(super) fn after(&mut self, state: StateNumber, request: &Request, events: usize) -> Option<StateNumber> {
        self.looked_up += 1;
        let way = (state, request.kind(events));
        if let Some(known) = self.ways.get(&way) {
            return *known;
        }
        self.runs += 1;
        let frontier = self.frontiers[state as usize].to_vec();
        let size: usize = frontier.iter().flat_map(|candidate| candidate.process.roots()).map(Value::breadth).sum();
        self.run += (size / SIZE) as u64;
        let exchange = match request.is_owed(events) {
            true => request.exchange.clone(),
            false => Exchange { observed: Observed::Any, ..request.exchange.clone() },
        };
        let after = self.run(way, frontier, &exchange);
        let after = self.number(after);
        let stands_for_all = self.unseen.as_ref().is_some_and(|unseen| unseen.likeness == Likeness::One);
        let after = if stands_for_all { after.map(|state| self.first_like(state)) } else { after };
        self.ways.insert(way, after);
        after
    }

    /// The state after a restart, on a line, of a server that was killed in a state; `None` if it does not start.
    pub(super) fn restarted(&mut self, state: StateNumber, line: u64) -> Option<StateNumber> {
        if self.context.spec().program.restarts.is_none() {
            return Some(state);
        }
        let way = (state, RESTART);
        let after = self.ways.get(&way).copied().unwrap_or_else(|| {
            self.runs += 1;
            let after = self.run(way, self.frontiers[state as usize].to_vec(), &Exchange::restart(line));
            let after = self.number(after);
            self.ways.insert(way, after);
            after
        });
        self.add_failed(way, line);
        after
    }

    /// The candidates after an exchange; its failing runs are kept with the way, if they are noted.
    fn run(&mut self, way: (StateNumber, u32), from: Vec<Candidate>, exchange: &Exchange) -> Vec<Candidate> {
        let Some(failing) = &mut self.failing else { return self.context.after(from, exchange) };
        let before = self.context.take_failed();
        let after = self.context.after(from, exchange);
        let found = self.context.take_failed();
        self.context.add_failed(before);
        if !found.is_empty() {
            failing.ways.insert(way, found);
        }
        after
    }

    /// Notes the runs that fail on a way, before the event on a line.
    fn add_failed(&mut self, way: (StateNumber, u32), line: u64) {
        if let Some(failed) = self.failing.as_ref().and_then(|failing| failing.ways.get(&way)) {
            self.context.add_failed(failed.clone().at(line));
        }
    }

    /// An answer that would be given to a request in a state.
    pub(super) fn answer(&mut self, state: StateNumber, request: &Request) -> Option<Value> {
        if let Some(known) = self.answers.get(&(state, request.unseen)) {
            return known.clone();
        }
        self.runs += 1;
        let frontier = self.frontiers[state as usize].to_vec();
        let exchange = Exchange { observed: Observed::Any, ..request.exchange.clone() };
        let answering = self.answering.get_or_insert_with(|| self.context.answering());
        let answer = answering.answer_from(&self.context, frontier, &exchange);
        self.answers.insert((state, request.unseen), answer.clone());
        answer
    }

    /// The number of lookups of ways; running a request in a large state counts as several.
    pub(super) fn looked_up(&self) -> u64 {
        self.looked_up + self.run
    }

    /// Allows this many lookups of ways from here on, and as many made terms.
    pub(super) fn look_up_at_most(&mut self, times: u64) {
        self.most = self.looked_up().saturating_add(times);
        self.last_made = made().saturating_add(times);
    }

    /// Tests whether the allowed lookups, or made terms, are used up.
    pub(super) fn is_exhausted(&self) -> bool {
        self.looked_up() >= self.most || made() > self.last_made || limits::end::is_over()
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
        let next = self.frontiers.len() as StateNumber;
        let number = *self.numbers.entry(state_form(&frontier)).or_insert(next);
        if number == next {
            self.frontiers.push(frontier.into());
        }
        Some(number)
    }

    /// The number of requests that were run in states.
    pub(super) fn runs(&self) -> u64 {
        self.runs
    }

    /// Which requests absorb others in every state, once enough was looked up that it pays to ask.
    pub(super) fn absorption(&mut self, rules: OrderRules) -> Option<&mut Absorption> {
        if self.looked_up < rules.patience() || !rules.uses_all_rules() {
            return None;
        }
        Some(self.absorption.get_or_insert_with(|| Absorption::new(self.context.spec().clone())))
    }

    /// Tests whether a state stands for every one.
    pub(super) fn is_every(&self, state: StateNumber) -> bool {
        self.every == Some(state)
    }

    /// Tests whether some candidate of a state is clean.
    pub(super) fn is_clean(&self, state: StateNumber) -> bool {
        self.frontiers[state as usize].iter().any(Candidate::is_clean)
    }

    pub(super) fn frontier(&self, state: StateNumber) -> &Arc<[Candidate]> {
        &self.frontiers[state as usize]
    }
}
