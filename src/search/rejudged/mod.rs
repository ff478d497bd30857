//! Judging a rejected history again with less known of it, for the search for the reason of the rejection.
//!
//! `Write(1)` is answered on line 2, `Write(2)` on line 4, and `Read` is answered 1 on line 6: rejected. Without the answer on line 2 the
//! history is explained, as 1 may be written last.

pub(crate) mod relaxed;
pub(crate) mod two_answers;

use std::sync::Arc;

use super::budget::OrderBudget;
use super::configuration::Configuration;
use super::forms::StateNumber;
use super::history::{History, HistoryEvent, Request};
use super::may_fail;
use super::order_search::{OrderSearch, ResumePoint, SearchEnd};
use super::rules::OrderRules;
use super::rules::kinds::{HistoryFacts, changing_nothing, harmless};
use super::states::States;
use crate::judge::{Candidate, Context, Exchange, Judge, Observed, Options};
use crate::limits;
use crate::spec::Spec;
use crate::spec::analysis::partition::RequestKeys;
use crate::value::Value;
use relaxed::{RelaxedHistory, RelaxedOutcome, RelaxedStart};
use two_answers::AnswerPairs;

/// The answers that share something with the rejected one, and are tried before others that are far from it.
const SHARING: usize = 64;

/// The end of a search that found no order of a history. A search of the same history with another last answer may go on from there.
pub struct RejectedSearch {
    states: States,
    last: ResumePoint,
    /// Set if only the requests with the key of the rejected answer were searched.
    pub(super) is_of_key: bool,
}

impl std::fmt::Debug for RejectedSearch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RejectedSearch").field("is_of_key", &self.is_of_key).finish_non_exhaustive()
    }
}

impl RejectedSearch {
    /// The end of a search; `None` if it united states that another answer may tell apart.
    pub(super) fn new(states: States, last: ResumePoint) -> Option<RejectedSearch> {
        let states = states.remembering(last.configurations.iter().map(|configuration| configuration.state))?;
        Some(RejectedSearch { states, last, is_of_key: false })
    }

    /// The beginning of a search of a whole history.
    fn initial(spec: &Arc<Spec>, options: &Options) -> Option<RejectedSearch> {
        let (states, first) = States::new(Judge::new(spec.clone(), options.clone()));
        first.map(|first| RejectedSearch {
            states,
            last: ResumePoint::first(0, Configuration::first(first)),
            is_of_key: false,
        })
    }
}

/// A rejected history that is judged again and again.
pub struct RejudgedHistory {
    spec: Arc<Spec>,
    options: Options,
    history: History,
    /// Set if requests may fail: a failing request explains all answers that were not given before it.
    fails: bool,
    rules: OrderRules,
    /// For each kind of request, `true` if it changes nothing and, if requests may fail, it does not.
    changes_nothing: Vec<bool>,
    /// The position of the rejected event.
    rejected: usize,
    /// The states from the initial one on; `any` has those from the state that stands for every one.
    initial: Option<(States, StateNumber)>,
    any: Option<(States, StateNumber)>,
    /// The search of the whole history, with another answer at the rejected event.
    whole: Option<RejectedSearch>,
    pairs: Option<AnswerPairs>,
    /// The number of lookups in states that were dropped.
    dropped: u64,
}

impl RejudgedHistory {
    /// The history that is rejected at the answer on a line, as a search found; only the requests with the key of this answer, if these
    /// alone are rejected. `None` if the line has no answer.
    #[must_use]
    pub fn new(
        spec: &Arc<Spec>,
        history: &History,
        line: u64,
        search: Option<RejectedSearch>,
        options: &Options,
    ) -> Option<RejudgedHistory> {
        let is_of_key = search.as_ref().is_none_or(|search| search.is_of_key);
        let of_key = if is_of_key { RejudgedHistory::of_key(spec, history, line) } else { None };
        let of_key = of_key.and_then(|part| RejudgedHistory::of(spec, part, line, options)).and_then(|mut found| {
            // Otherwise only the whole history is rejected.
            let all = found.answers();
            let is_rejected = |found: &mut RejudgedHistory| {
                found.judge(RelaxedStart::Initial, &all, u64::MAX) == RelaxedOutcome::Rejected
            };
            (search.is_some() || is_rejected(&mut found)).then_some(found)
        });
        let found = of_key.or_else(|| RejudgedHistory::of(spec, history.clone(), line, options))?;
        Some(RejudgedHistory { whole: search, ..found })
    }

    fn of(spec: &Arc<Spec>, mut history: History, line: u64, options: &Options) -> Option<RejudgedHistory> {
        let is_there = |at: &usize| history.lines[*at] == line && history.answered(*at).is_some();
        let rejected = (0..history.events.len()).find(is_there)?;
        history.events.truncate(rejected + 1);
        history.lines.truncate(rejected + 1);
        let fails = may_fail(spec, &history);
        let rules = OrderRules::of(options.reductions);
        let mut found = RejudgedHistory {
            spec: spec.clone(),
            options: options.clone(),
            fails,
            rules: if fails { rules.failing() } else { rules },
            changes_nothing: if fails { harmless(spec, &history) } else { changing_nothing(spec, &history) },
            history,
            rejected,
            initial: None,
            any: None,
            whole: None,
            pairs: None,
            dropped: 0,
        };
        found.initial = found.initial_states();
        found.any = found.any_states();
        found.pairs = found
            .any
            .as_ref()
            .map(|(states, first)| AnswerPairs::new(&states.context, states.frontier(*first).to_vec()));
        Some(found)
    }

    /// The history of the key of the event on a line, if keys are independent.
    fn of_key(spec: &Arc<Spec>, history: &History, line: u64) -> Option<History> {
        let keys = RequestKeys::of(&spec.program).filter(|_| !may_fail(spec, history))?;
        history.parts(&keys)?.into_iter().find(|part| part.lines.contains(&line))
    }

    fn initial_states(&self) -> Option<(States, StateNumber)> {
        let (states, first) = States::new(Judge::new(self.spec.clone(), self.options.clone()));
        first.map(|first| (self.noting(states), first))
    }

    fn noting(&self, states: States) -> States {
        let states = states.forgetting(OrderRules::of(self.options.reductions));
        if self.fails { states.noting_failures() } else { states }
    }

    fn any_states(&self) -> Option<(States, StateNumber)> {
        let (states, first) = States::from_any(Judge::of_any_state(&self.spec, &self.options));
        first.map(|first| (self.noting(states), first))
    }

    /// The events at which answers were seen before the rejected one.
    #[must_use]
    pub fn answers(&self) -> Vec<usize> {
        (0..self.rejected).filter(|event| self.history.answered(*event).is_some()).collect()
    }

    /// The answers before the rejected one, the last first. After the `near` last ones, some come first that share a scalar with the
    /// rejected answer or its request.
    #[must_use]
    pub fn likely_answers(&self, near: usize) -> Vec<usize> {
        let scalars = |event: usize| self.history.answered(event).map(|request| request.exchange.scalars());
        let own = scalars(self.rejected).unwrap_or_default();
        let shares = |event: &usize| scalars(*event).is_some_and(|other| !own.is_disjoint(&other));
        let mut answers = self.answers();
        answers.reverse();
        let mut far = answers.split_off(near.min(answers.len()));
        let sharing: Vec<usize> = far.iter().copied().filter(shares).take(SHARING).collect();
        far.retain(|answer| !sharing.contains(answer));
        [answers, sharing, far].concat()
    }

    /// The position of the rejected event.
    #[must_use]
    pub fn rejected(&self) -> usize {
        self.rejected
    }

    /// The rejected answer, if it is known.
    #[must_use]
    pub fn rejected_answer(&self) -> Option<Value> {
        let HistoryEvent::Answered(request) = self.history.events[self.rejected] else { return None };
        self.history.requests[request].exchange.observed.answer().cloned()
    }

    /// The event that sent the request that is answered at an event.
    #[must_use]
    pub fn sent(&self, answered: usize) -> Option<usize> {
        let HistoryEvent::Answered(request) = self.history.events[answered] else { return None };
        self.history.events[..answered].iter().rposition(|event| *event == HistoryEvent::Sent(request))
    }

    /// The line of an event.
    #[must_use]
    pub fn line(&self, event: usize) -> u64 {
        self.history.lines[event]
    }

    /// Judges the history up to the rejected event, with its answer and only these earlier answers, which are in order. Ways between states
    /// may be looked up `limit` times.
    pub fn judge(&mut self, start: RelaxedStart, seen: &[usize], limit: u64) -> RelaxedOutcome {
        let from = if let RelaxedStart::AnyState(from) = start { from } else { 0 };
        let is_later = |event: &usize| self.sent(*event).is_some_and(|sent| sent >= from);
        if let (RelaxedStart::AnyState(_), [] | [_]) = (start, seen)
            && seen.iter().chain([&self.rejected]).all(is_later)
        {
            let outcome = self.judge_pair(seen.first().copied(), limit.min(limits::ATTEMPT));
            if outcome != RelaxedOutcome::Undecided {
                return outcome;
            }
        }
        let is_seen = |event: usize| event == self.rejected || seen.binary_search(&event).is_ok();
        let relaxed = self.history.relaxed(from..self.rejected + 1, &is_seen);
        self.search(start, &relaxed, limit)
    }

    /// Judges the rejected answer with an earlier one, or alone, from any state before their requests, with any other requests between
    /// them; at most `effort` terms are made.
    pub fn judge_pair(&mut self, earlier: Option<usize>, effort: u64) -> RelaxedOutcome {
        if !self.history.restarts.is_empty() && self.spec.program.restarts.is_some() {
            // The effect of a restart on a state is not looked at.
            return RelaxedOutcome::Undecided;
        }
        let (Some(pairs), Some(last)) = (&self.pairs, self.history.answered(self.rejected)) else {
            return RelaxedOutcome::Undecided;
        };
        let Some((event, earlier)) = earlier.and_then(|event| Some((event, self.history.answered(event)?))) else {
            return if last.chained { RelaxedOutcome::Undecided } else { pairs.one(&last.exchange, effort) };
        };
        // The two requests may have to wait for others of their connections.
        if last.chained || earlier.chained {
            return RelaxedOutcome::Undecided;
        }
        let in_order = pairs.in_order(&earlier.exchange, &last.exchange, effort);
        let overlap = self.history.lines[event] > last.exchange.line;
        if in_order != RelaxedOutcome::Rejected || !overlap {
            return in_order;
        }
        pairs.in_order(&last.exchange, &earlier.exchange, effort)
    }

    /// Judges the history up to the rejected event, with another answer there.
    pub fn judge_with(&mut self, answer: &Value, limit: u64) -> RelaxedOutcome {
        let found = self.otherwise(Observed::Answer(answer.clone()), limit);
        found.map_or(RelaxedOutcome::Undecided, |(_, _, outcome)| outcome)
    }

    /// A judge of all states in which the request of the rejected answer may be served, whatever its answer; and this exchange. `None` if
    /// these states were not all found within the limit.
    pub fn before_rejected(&mut self, limit: u64) -> Option<(Judge, Exchange)> {
        // No order explains an open end, so all orders are followed.
        self.history.events.push(HistoryEvent::Open);
        let found = self.otherwise(Observed::Any, limit);
        self.history.events.pop();
        let (kind, exchange, RelaxedOutcome::Rejected) = found? else { return None };
        let states = &self.whole.as_ref()?.states;
        let candidates: Vec<Candidate> = states.served(kind);
        Some((Judge::with_left(states.context.clone(), candidates, exchange.line), exchange))
    }

    /// Judges the history with another observation at the rejected event; returns the new exchange, preceded by its kind, and the outcome.
    fn otherwise(&mut self, observed: Observed, limit: u64) -> Option<(u32, Exchange, RelaxedOutcome)> {
        let HistoryEvent::Answered(at) = self.history.events[self.rejected] else { return None };
        let kind = self.new_kind();
        let known = (self.history.requests[at].kind, self.history.requests[at].exchange.clone());
        let exchange = Exchange { observed, ..known.1.clone() };
        let of = |request: &mut Request, (kind, exchange)| (request.kind, request.exchange) = (kind, exchange);
        of(&mut self.history.requests[at], (kind, exchange.clone()));
        let outcome = self.search_whole(limit);
        of(&mut self.history.requests[at], known);
        Some((kind, exchange, outcome))
    }

    fn search_whole(&mut self, limit: u64) -> RelaxedOutcome {
        if self.whole.is_none() {
            self.whole = RejectedSearch::initial(&self.spec, &self.options).map(|search| match self.fails {
                true => RejectedSearch { states: search.states.noting_failures(), ..search },
                false => search,
            });
        }
        let Some(RejectedSearch { states, last, .. }) = &mut self.whole else { return RelaxedOutcome::Undecided };
        let known = HistoryFacts { history: &self.history, changes_nothing: &self.changes_nothing, rules: self.rules };
        let mut budget = OrderBudget::new(&self.options, states);
        states.look_up_at_most(limit);
        let end = OrderSearch::new(&known, self.history.events.len()).resume(states, &mut budget, last);
        let outcome = found(end, states);
        if outcome.is_none() {
            self.dropped += states.looked_up();
            self.whole = None;
        }
        outcome.unwrap_or(RelaxedOutcome::Undecided)
    }

    /// The number of a new kind, of which no facts are known.
    fn new_kind(&mut self) -> u32 {
        self.changes_nothing.push(false);
        self.changes_nothing.len() as u32 - 1
    }

    /// The number of lookups of ways between states.
    #[must_use]
    pub fn looked_up(&self) -> u64 {
        let of = |states: &Option<(States, StateNumber)>| states.as_ref().map_or(0, |(states, _)| states.looked_up());
        let whole = self.whole.as_ref().map_or(0, |search| search.states.looked_up());
        self.dropped + of(&self.initial) + of(&self.any) + whole
    }

    /// The contexts in which work was done.
    pub(crate) fn contexts(&self) -> impl Iterator<Item = &Context> {
        let of_states = [&self.initial, &self.any].into_iter().flatten().map(|(states, _)| &states.context);
        let of_whole = self.whole.iter().map(|search| &search.states.context);
        of_states.chain(of_whole).chain(self.pairs.iter().map(AnswerPairs::context))
    }

    fn search(&mut self, start: RelaxedStart, relaxed: &RelaxedHistory, limit: u64) -> RelaxedOutcome {
        let states = match start {
            RelaxedStart::Initial => &mut self.initial,
            RelaxedStart::AnyState(_) => &mut self.any,
        };
        let Some((states, first)) = states else { return RelaxedOutcome::Undecided };
        let RelaxedHistory { history, begins, perhaps } = relaxed;
        let known = HistoryFacts { history, changes_nothing: &self.changes_nothing, rules: self.rules };
        let is_unseen = |at: &usize| history.requests[*at].answered.is_none();
        let unseen = (0..history.requests.len()).filter(is_unseen);
        if unseen.filter(|at| known.matters(*at, history.events.len())).count() > limits::UNSEEN_LIMIT {
            return RelaxedOutcome::Undecided;
        }
        let mut budget = OrderBudget::new(&self.options, states);
        states.look_up_at_most(limit);
        let search = OrderSearch::new(&known, history.events.len());
        let end = search.run_from(states, &mut budget, *begins, *first, perhaps.clone());
        let outcome = found(end, states);
        if outcome.is_none() {
            self.begin_anew(start);
        }
        outcome.unwrap_or(RelaxedOutcome::Undecided)
    }

    /// Forgets the states of a start, as a failing run or a limit was met among them that would leave every later search undecided.
    /// Searches from any state are not tried again.
    fn begin_anew(&mut self, start: RelaxedStart) {
        let renewed = match start {
            RelaxedStart::Initial => self.initial_states(),
            RelaxedStart::AnyState(_) => None,
        };
        let of_start = match start {
            RelaxedStart::Initial => &mut self.initial,
            RelaxedStart::AnyState(_) => &mut self.any,
        };
        self.dropped += std::mem::replace(of_start, renewed).map_or(0, |(states, _)| states.looked_up());
    }
}

/// The outcome of a search; `None` if a failing run or a limit was met among the states, which leaves every later search undecided.
fn found(end: SearchEnd, states: &mut States) -> Option<RelaxedOutcome> {
    match end {
        SearchEnd::Explained(_) => Some(RelaxedOutcome::Explained),
        SearchEnd::Doubtful(_) | SearchEnd::GivenUp(..) => Some(RelaxedOutcome::Undecided),
        SearchEnd::Nothing(_) if states.notes_failures() => {
            Some(if states.take_failed() { RelaxedOutcome::Explained } else { RelaxedOutcome::Rejected })
        }
        SearchEnd::Nothing(_) => {
            // The findings of an earlier search may matter to this one.
            states.context.rejects_the_rest().then_some(RelaxedOutcome::Rejected)
        }
    }
}
