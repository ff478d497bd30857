//! Judging concurrent clients: the search for an order in which the server may have served their requests (linearizability).
//!
//! Each request is served at some moment between its sending and its answer. A request whose answer nobody saw is served at some
//! moment after its sending, or never. Requests of one connection are served in their order, those of different connections in any. If
//! each handler answers its request once, in one section, a network of connections allows exactly these orders.
//!
//! ```
//! use mayhap::network::Observation::{Answer, Request};
//! use mayhap::process::Port;
//! use mayhap::value::Value;
//! use mayhap::{Options, Spec, Verdict, search};
//! let spec = Spec::from_text("protocol counter {
//!     request bool;
//!     response int;
//!     var n: int = 0;
//!     on adds { if adds { n := n + 1; } reply n; }
//! }")?;
//! let ask = |client: u64, add: bool| Request(Port(client), Value::from(add));
//! let seen = |client: u64, n: i64| Answer(Port(client), Some(Value::from(n)));
//! let judge = |events: &[_]| search::judge(&spec, &search::history(&spec, events.iter().cloned()), &Options::default());
//! // Both add at once; a third client sees one of them alone.
//! let events = [ask(1, true), ask(2, true), ask(3, false), seen(3, 1), seen(1, 2), seen(2, 1)];
//! assert!(judge(&events).verdict.is_accept());
//! // Nobody counts to 3.
//! let events = [ask(1, true), ask(2, true), seen(1, 3)];
//! assert_eq!(judge(&events).verdict, Verdict::Reject { event: 3, event_from: None });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod backjump;
mod bits;
mod budget;
mod configuration;
mod forms;
mod history;
mod online;
mod open;
mod order_search;
mod pending;
mod rejudged;
mod rules;
mod serving;
mod states;
mod timeline;
mod turns;

use std::sync::Arc;

pub use history::{Building, History};
pub use online::idle::IdleHistory;
pub use online::online_history::OnlineHistory;
pub use rejudged::relaxed::{RelaxedOutcome, RelaxedStart};
pub use rejudged::{RejectedSearch, RejudgedHistory};
#[doc(hidden)]
pub use timeline::{LinearizationPoint, RequestSpan, Timeline};

use crate::judge::{Failures, Judge, Options, Verdict, least_above};
use crate::network::Observation;
use crate::process::Limit;
use crate::spec::Spec;
use crate::spec::analysis::partition::RequestKeys;
use crate::spec::analysis::pure::RequestFacts;
use budget::OrderBudget;
use forms::StateNumber;
use order_search::{OrderSearch, ResumePoint, SearchEnd};
use rules::OrderRules;
use rules::kinds::{HistoryFacts, changing_nothing, harmless};
use rules::unseen::{Likeness, UnseenTexts};
use states::States;

/// The judgement of a history.
#[derive(Debug)]
pub struct JudgedHistory {
    /// The verdict; its event is the line of an event.
    pub verdict: Verdict,
    /// The judge that came to the verdict.
    pub judge: Judge,
    /// An order in which the server may have served the requests, if the history is accepted: for each request, the line of the
    /// event after which it is served, and the line that sent it. Restarts are in the order, too, each after itself.
    pub order: Vec<(u64, u64)>,
    /// The search that found no order, if the history is rejected; the search of a changed history may go on from it.
    pub(crate) rejected: Option<RejectedSearch>,
}

/// Tests whether a search for an order can judge concurrent clients of a server with this specification: each handler answers once, in
/// one section.
#[must_use]
pub fn is_judged(spec: &Spec) -> bool {
    let program = &spec.program;
    let is_told = program.opens.is_some() || program.closes.is_some();
    program.answers_at_once() && !program.is_asynchronous() && !is_told
}

/// The history of these events, each on a line of its own.
pub fn history(spec: &Spec, happened: impl IntoIterator<Item = Observation>) -> History {
    let mut building = Building::new(spec.program.names_clients);
    (1..).zip(happened).for_each(|(line, happened)| building.add(line, happened));
    building.finish()
}

/// Judges a history.
#[must_use]
pub fn judge(spec: &Arc<Spec>, history: &History, options: &Options) -> JudgedHistory {
    let keys = RequestKeys::of(&spec.program).filter(|_| options.reduces());
    let parts = keys.and_then(|keys| history.parts(&keys)).unwrap_or_default();
    // A fault or a broken duty under one key would explain the events of every key.
    let decides = |judged: &JudgedHistory| judged.verdict.is_accept() || !may_fail(spec, history);
    by_key(spec, &parts, options).filter(decides).unwrap_or_else(|| judge_whole(spec, history, options))
}

/// Tests whether some request, or a restart, may be faulty or break the client's duty.
fn may_fail(spec: &Arc<Spec>, history: &History) -> bool {
    let (mut facts, mut failures) = (RequestFacts::new(&spec.program), Failures::new(spec));
    history
        .requests
        .iter()
        .for_each(|request| failures.note(&mut facts, request.exchange.client, &request.exchange.request));
    !history.restarts.is_empty() && facts.restart_may_fail() || failures.may_fail()
}

/// Judges the history of each key alone; `None` if the verdict on the whole does not follow from these verdicts.
fn by_key(spec: &Arc<Spec>, parts: &[History], options: &Options) -> Option<JudgedHistory> {
    let mut order = Vec::new();
    let mut first: Option<(u64, JudgedHistory)> = None;
    for part in parts {
        let mut judged = judge_whole(spec, part, options);
        let event = match judged.verdict {
            Verdict::Accept { warning: None } => u64::MAX,
            Verdict::Reject { event, event_from: None } => event,
            _ => return None,
        };
        order.append(&mut judged.order);
        if first.as_ref().is_none_or(|(earliest, _)| event < *earliest) {
            judged.rejected.iter_mut().for_each(|search| search.is_of_key = true);
            first = Some((event, judged));
        }
    }
    let (_, mut judged) = first?;
    if judged.verdict.is_accept() {
        // The sort is stable, so requests of one key stay in their order: a later one is served after no earlier event.
        order.sort_by_key(|(after, _)| *after);
        // Each restart is in the history of each key.
        order.dedup();
        judged.order = order;
    }
    Some(judged)
}

/// Judges a history as a whole.
fn judge_whole(spec: &Arc<Spec>, history: &History, options: &Options) -> JudgedHistory {
    let rules = OrderRules::of(options.reductions);
    let (states, initial) = States::new(Judge::new(spec.clone(), options.clone()));
    let mut states = states.forgetting(rules);
    states.unite(UnseenTexts::of(history, rules, Likeness::One).filter(|_| !may_fail(spec, history)));
    let facts = changing_nothing(spec, history);
    let known = HistoryFacts { history, changes_nothing: &facts, rules };
    let mut budget = OrderBudget::new(options, &states);
    let line = |event: usize| history.lines.get(event).copied().unwrap_or_default();
    let last = line(history.lines.len().saturating_sub(1));
    let Some(initial) = initial else { return states.judged(None, last, Vec::new()) };
    match OrderSearch::new(&known, history.events.len()).run(&mut states, &mut budget, initial) {
        SearchEnd::Explained(configuration) => {
            let order = history.timed(&configuration.order());
            states.judged(Some(configuration.state), last, order)
        }
        SearchEnd::Doubtful(configuration) => states.judged(Some(configuration.state), last, Vec::new()),
        SearchEnd::GivenUp(limit, event) => states.given_up(limit, line(event.min(known.history.lines.len() - 1))),
        SearchEnd::Nothing(_) if may_fail(spec, history) => judge_failing(spec, history, options),
        SearchEnd::Nothing(found) => match first_unexplained(&known, &mut states, &mut budget, &found) {
            Ok(event) => states.rejected(line(event), found),
            Err(limit) => states.given_up(limit, last),
        },
    }
}

/// Judges a history that no clean order explains: an order in which a request fails may explain it.
fn judge_failing(spec: &Arc<Spec>, history: &History, options: &Options) -> JudgedHistory {
    let rules = OrderRules::of(options.reductions);
    let (states, initial) = States::new(Judge::new(spec.clone(), options.clone()));
    let mut states = states.forgetting(rules).noting_failures();
    let harmless = harmless(spec, history);
    let known = HistoryFacts { history, changes_nothing: &harmless, rules: rules.failing() };
    let mut budget = OrderBudget::new(options, &states);
    let last = history.lines.last().copied().unwrap_or_default();
    let Some(initial) = initial else { return states.judged(None, last, Vec::new()) };
    match OrderSearch::new(&known, history.events.len()).run(&mut states, &mut budget, initial) {
        SearchEnd::Nothing(_) if !states.context.rejects_the_rest() => states.judged(None, last, Vec::new()),
        SearchEnd::Nothing(found) => match first_unexplained(&known, &mut states, &mut budget, &found) {
            Ok(event) => states.rejected(history.lines[event], found),
            Err(_) => states.given_up(Limit::Orders, last),
        },
        SearchEnd::Explained(_) | SearchEnd::Doubtful(_) | SearchEnd::GivenUp(..) => {
            states.given_up(Limit::Orders, last)
        }
    }
}

/// The first event that nothing explains together with those before it, if later answers are not known; found by bisection, as the
/// search knew later answers and may have given up earlier. The error is the limit that was exceeded.
fn first_unexplained(
    known: &HistoryFacts<'_>,
    states: &mut States,
    budget: &mut OrderBudget,
    last: &ResumePoint,
) -> Result<usize, Limit> {
    let mut explains = |events: usize| {
        let end = OrderSearch::new(known, events).resume(states, budget, last);
        // A failing order explains the first events, but must not count in the verdict on all of them.
        let has_failed = states.take_failed();
        match end {
            SearchEnd::Explained(_) | SearchEnd::Doubtful(_) => Ok(true),
            SearchEnd::Nothing(_) => Ok(has_failed),
            SearchEnd::GivenUp(limit, _) => Err(limit),
        }
    };
    let all = known.history.events.len();
    let is_unexplained = |events: usize| Ok(events == all || !explains(events)?);
    Ok(least_above(last.deepest, all, is_unexplained)?.map_or(last.deepest, |events| events - 1))
}

impl States {
    /// The judgement if the candidates of a state, or none, are left after the event on a line.
    fn judged(self, state: Option<StateNumber>, line: u64, order: Vec<(u64, u64)>) -> JudgedHistory {
        let left = state.map_or_else(Vec::new, |state| self.frontier(state).to_vec());
        let judge = Judge::with_left(self.context, left, line);
        JudgedHistory { verdict: judge.verdict(), judge, order, rejected: None }
    }

    /// The judgement if a search found that no candidate is left after the event on a line.
    fn rejected(self, line: u64, last: ResumePoint) -> JudgedHistory {
        let judge = Judge::with_left(self.context.clone(), Vec::new(), line);
        JudgedHistory { verdict: judge.verdict(), judge, order: Vec::new(), rejected: RejectedSearch::new(self, last) }
    }

    /// The judgement if a limit was exceeded.
    fn given_up(mut self, limit: Limit, line: u64) -> JudgedHistory {
        self.context.give_up(limit);
        self.judged(None, line, Vec::new())
    }
}
