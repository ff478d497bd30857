//! A rejected history, judged again and again where less is known of it: the search for what makes it impossible asks here.
//!
//! `Write(1)` answered on line 2, `Write(2)` on line 4, `Read` answered 1 on line 6: rejected; without the answer on line 2, explained, as
//! then 1 may be written last.

use std::sync::Arc;

use super::budget::OrderBudget;
use super::forms::StateNumber;
use super::history::{History, HistoryEvent};
use super::kinds::{HistoryFacts, changing_nothing};
use super::may_fail;
use super::relaxed::RelaxedHistory;
use super::rules::OrderRules;
use super::search::{OrderSearch, SearchEnd};
use super::states::States;
use crate::dualize::{Candidate, Exchange, Judge, Observed, Options, Verdict};
use crate::spec::Spec;
use crate::spec::entries::RequestKeys;
use crate::value::Value;

/// The beginning of a relaxed history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RelaxedStart {
    /// An initial state, before the first event.
    Initial,
    /// Any state, before this event; of the requests under way there each may have been served.
    AnyState(usize),
}

/// The outcome of judging a relaxed history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RelaxedOutcome {
    /// No order explains it.
    Rejected,
    /// Some order does.
    Explained,
    /// It was not found out.
    Undecided,
}

/// A rejected history that is judged again and again.
pub struct RejudgedHistory {
    spec: Arc<Spec>,
    options: Options,
    history: History,
    /// By the kinds of requests: they change nothing.
    changes_nothing: Vec<bool>,
    /// The position of the rejected event.
    rejected: usize,
    /// The states from the initial one on, and from any.
    initial: Option<(States, StateNumber)>,
    any: Option<(States, StateNumber)>,
    /// The work of states that were dropped.
    dropped: u64,
}

impl RejudgedHistory {
    /// The history that is rejected at the event on a line: of its requests those under the same key, where keys decide. Nothing
    /// where no answer stands there.
    #[must_use]
    pub fn new(spec: &Arc<Spec>, history: &History, line: u64, options: &Options) -> Option<RejudgedHistory> {
        let of_key = RejudgedHistory::of_key(spec, history, line);
        let of_key = of_key.and_then(|part| RejudgedHistory::of(spec, part, line, options)).and_then(|mut found| {
            // Elsewhere it is the whole history that was rejected.
            let all = found.answers();
            let outcome = found.judge(RelaxedStart::Initial, &all, u64::MAX);
            (outcome == RelaxedOutcome::Rejected).then_some(found)
        });
        of_key.or_else(|| RejudgedHistory::of(spec, history.clone(), line, options))
    }

    fn of(spec: &Arc<Spec>, history: History, line: u64, options: &Options) -> Option<RejudgedHistory> {
        if may_fail(spec, &history) {
            // The search does not say what happens on the ways that it drops.
            return None;
        }
        let is_there =
            |at: &usize| history.lines[*at] == line && matches!(history.events[*at], HistoryEvent::Answered(_));
        let rejected = (0..history.events.len()).find(is_there)?;
        let (changes_nothing, spec, options) = (changing_nothing(spec, &history), spec.clone(), options.clone());
        let (initial, any) = (None, None);
        let mut found = RejudgedHistory { spec, options, history, changes_nothing, rejected, initial, any, dropped: 0 };
        found.initial = found.initial_states();
        found.any = found.any_states();
        Some(found)
    }

    /// The requests that have the key of the one that was answered on a line.
    fn of_key(spec: &Spec, history: &History, line: u64) -> Option<History> {
        let keys = RequestKeys::of(&spec.program).filter(|_| !may_fail(spec, history))?;
        history.parts(&keys)?.into_iter().find(|part| part.lines.contains(&line))
    }

    fn initial_states(&self) -> Option<(States, StateNumber)> {
        let (states, first) = States::new(Judge::new(self.spec.clone(), self.options.clone()));
        first.map(|first| (states, first))
    }

    fn any_states(&self) -> Option<(States, StateNumber)> {
        let options = Options { sink_choices: false, ..self.options.clone() };
        let judge = Judge::new(self.spec.clone(), options);
        let (states, first) = States::new(judge.knowing_only(&[], &self.spec.for_unknown_maps()));
        first.map(|first| (states, first))
    }

    /// The events at which answers were seen before the rejected one.
    #[must_use]
    pub fn answers(&self) -> Vec<usize> {
        let is_answer = |at: &usize| matches!(self.history.events[*at], HistoryEvent::Answered(_));
        (0..self.rejected).filter(is_answer).collect()
    }

    /// The position of the rejected event.
    #[must_use]
    pub fn rejected(&self) -> usize {
        self.rejected
    }

    /// The event at which the request was sent that is answered at an event.
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

    /// Judges the history up to the rejected event, of which the answer is known, with these answers and no others, which are in
    /// order; ways between states may be asked for so many times.
    pub fn judge(&mut self, start: RelaxedStart, seen: &[usize], limit: u64) -> RelaxedOutcome {
        let is_seen = |event: usize| event == self.rejected || seen.binary_search(&event).is_ok();
        let from = if let RelaxedStart::AnyState(from) = start { from } else { 0 };
        let relaxed = self.history.relaxed(from..self.rejected + 1, &is_seen);
        self.search(start, &relaxed, limit)
    }

    /// Judges the history up to the rejected event, with another answer there.
    pub fn judge_with(&mut self, answer: &Value, limit: u64) -> RelaxedOutcome {
        let mut relaxed = self.history.relaxed(0..self.rejected + 1, &|_| true);
        let kind = self.new_kind();
        relaxed.answer_otherwise(kind, Observed::Answer(answer.clone()));
        self.search(RelaxedStart::Initial, &relaxed, limit)
    }

    /// The judge that knows all states in which the request of the rejected answer may be served, whatever it is answered; and that
    /// request. Nothing where these were not all found within the limit.
    pub fn before_rejected(&mut self, limit: u64) -> Option<(Judge, Exchange)> {
        let mut relaxed = self.history.relaxed(0..self.rejected + 1, &|_| true);
        let kind = self.new_kind();
        let exchange = relaxed.answer_otherwise(kind, Observed::Any)?;
        // Nothing explains what comes then, so all orders are followed.
        relaxed.end_impossibly();
        if self.search(RelaxedStart::Initial, &relaxed, limit) != RelaxedOutcome::Rejected {
            return None;
        }
        let (states, _) = self.initial.as_ref()?;
        let candidates: Vec<Candidate> = states.served(kind);
        let mut judge = states.judge.clone();
        judge.verdict_of(candidates, exchange.line);
        Some((judge, exchange))
    }

    /// The number of a kind that nothing is known of.
    fn new_kind(&mut self) -> u32 {
        self.changes_nothing.push(false);
        self.changes_nothing.len() as u32 - 1
    }

    /// The number of times that a way between states was asked for.
    #[must_use]
    pub fn looked_up(&self) -> u64 {
        let of = |states: &Option<(States, StateNumber)>| states.as_ref().map_or(0, |(states, _)| states.looked_up());
        self.dropped + of(&self.initial) + of(&self.any)
    }

    /// The judges whose work it was.
    pub(crate) fn judges(&self) -> impl Iterator<Item = &Judge> {
        [&self.initial, &self.any].into_iter().flatten().map(|(states, _)| &states.judge)
    }

    fn search(&mut self, start: RelaxedStart, relaxed: &RelaxedHistory, limit: u64) -> RelaxedOutcome {
        let states = match start {
            RelaxedStart::Initial => &mut self.initial,
            RelaxedStart::AnyState(_) => &mut self.any,
        };
        let Some((states, first)) = states else { return RelaxedOutcome::Undecided };
        let RelaxedHistory { history, begins, perhaps } = relaxed;
        let known = HistoryFacts { history, changes_nothing: &self.changes_nothing, rules: OrderRules::default() };
        let mut budget = OrderBudget::new(&self.options, states);
        states.look_up_at_most(limit);
        let search = OrderSearch::new(&known, history.events.len());
        let end = search.run_from(states, &mut budget, (*begins, *first), perhaps.clone());
        match end {
            SearchEnd::Explained(_) => RelaxedOutcome::Explained,
            SearchEnd::Doubtful(_) | SearchEnd::GivenUp(_) => RelaxedOutcome::Undecided,
            SearchEnd::Nothing(_) => {
                // What was met in any earlier search may have been decisive in this one.
                let verdict = states.judge.verdict_of(Vec::new(), 1);
                if matches!(verdict, Verdict::Reject { .. }) {
                    return RelaxedOutcome::Rejected;
                }
                self.begin_anew(start);
                RelaxedOutcome::Undecided
            }
        }
    }

    /// Forgets the states of a start, as something was met among them that explains everything from there on; any state is not tried
    /// again.
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
