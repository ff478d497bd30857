//! A breadth-first search for the shortest requests after which a mutant gives an answer that the specification forbids.
//!
//! ```text
//! requests so far   states of the mutant × what the specification may be in
//! 0                 n = 0 × n = 0
//! 1                 n = 2 × n is anything …       each request of few values, each choice of the mutant, judged
//! 2                 5 answered by 7: forbidden    the requests on the way there are a killing script
//! ```
//!
//! A pair of states that was met before is not followed again. If nothing is found, the result is the bound of the search: all sequences of
//! N requests whose scalars have M values, with the mutant's choices among K values.

use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::domain::SmallDomain;
use super::judged::{JudgedState, JudgedStates, JudgedStep};
use crate::choice::{Odometer, Random, Strategy};
use crate::judge::{Exchange, Observed, Verdict};
use crate::limits::end;
use crate::server::{Ranges, Reply, Server, Stop};
use crate::spec::Spec;
use crate::validate::Validator;
use crate::value::Value;

/// The largest number of requests that are tried in one state; a state with more of them ends the search.
const REQUESTS: usize = 2_000;
/// The largest number of ways in which one request is served.
const WAYS: usize = 64;
/// The number of random runs of a handler that has no run with small choices.
const DRAWN: u64 = 3;

/// The factor by which the work may exceed its limit within one state, in which thousands of requests may be tried.
const OVERRUN: u64 = 8;

/// The amount of judging that counts as one served request.
const EASY: u64 = 200;

/// The limits of one search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchBudget {
    /// The number of times that a mutant may serve a request; judging that takes long counts as further times.
    pub served: u64,
    /// The largest number of requests in a sequence.
    pub requests: usize,
    /// The largest number of values of a scalar.
    pub values: usize,
}

impl Default for SearchBudget {
    fn default() -> SearchBudget {
        SearchBudget { served: 15_000, requests: 8, values: 4 }
    }
}

/// The bound up to which no difference was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct SearchBound {
    /// The number of requests in a sequence; none if longer sequences lead to no new state.
    pub requests: Option<usize>,
    /// The number of values of a scalar.
    pub values: usize,
}

impl fmt::Display for SearchBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.requests {
            Some(requests) => write!(f, "up to {requests} requests × {} values", self.values),
            None => write!(f, "any number of requests × {} values", self.values),
        }
    }
}

/// The result of comparing a mutant with its specification.
#[derive(Clone, PartialEq, Debug)]
pub enum Equivalence {
    /// The specification forbids the last of these exchanges.
    Differs(Vec<Exchange>),
    /// All behaviours up to this bound are allowed.
    Refines(SearchBound),
    /// Not even the sequences of one request could be searched.
    Undecided,
}

/// Compares a mutant with its specification.
#[must_use]
pub fn classify(spec: &Arc<Spec>, mutant: &Arc<Spec>, budget: SearchBudget) -> Equivalence {
    Comparing::new(spec).classify(mutant, budget)
}

/// The comparison of mutants with one specification; its states are shared by all mutants.
pub struct Comparing {
    spec: Arc<Spec>,
    states: JudgedStates,
    integers: Vec<i64>,
}

/// A state of the mutant with a state of the specification, and the way to it.
struct ProductState {
    memory: Vec<Value>,
    tokens: usize,
    judged: JudgedState,
    /// The index of the previous state, and the exchange that led from it to this state.
    from: Option<(usize, Value, Option<Value>)>,
}

/// The result of serving a request in one way.
struct ServedOutcome {
    memory: Vec<Value>,
    tokens: usize,
    /// The reply, or an error for a fault. A missing answer is only allowed if the specification gives none either.
    reply: Result<Reply, ()>,
}

/// The result of extending all sequences by one request.
enum LayerEnd {
    Found(Vec<Exchange>),
    All,
    Budget,
}

impl Comparing {
    /// A comparison with this specification.
    #[must_use]
    pub fn new(spec: &Arc<Spec>) -> Comparing {
        let integers = spec.program.constants.iter().filter_map(|value| value.as_int()?.to_i64());
        let mut integers: Vec<i64> = integers.filter(|number| !(-1..=2).contains(number)).collect();
        integers.sort_unstable_by_key(|number| number.unsigned_abs());
        integers.truncate(1);
        Comparing { spec: spec.clone(), states: JudgedStates::new(spec), integers }
    }

    /// Compares a mutant.
    pub fn classify(&mut self, mutant: &Arc<Spec>, budget: SearchBudget) -> Equivalence {
        if mutant.program.is_asynchronous() {
            return Equivalence::Undecided;
        }
        let mut best: Option<SearchBound> = None;
        for values in 2..=budget.values {
            match self.search(mutant, budget, values) {
                Equivalence::Differs(script) if self.is_killing(&script) => return Equivalence::Differs(script),
                Equivalence::Refines(bound) if best.is_none_or(|best| is_better(bound, best)) => best = Some(bound),
                Equivalence::Refines(_) | Equivalence::Differs(_) | Equivalence::Undecided => {}
            }
        }
        best.map_or(Equivalence::Undecided, Equivalence::Refines)
    }

    /// Tests whether a fresh judge rejects the last exchange, and none before it.
    fn is_killing(&self, script: &[Exchange]) -> bool {
        let mut validator = Validator::new(&self.spec);
        script.iter().for_each(|exchange| _ = validator.observe_exchange(exchange));
        matches!(validator.verdict(), Verdict::Reject { event, .. } if event == script.len() as u64)
            || script.last().is_some_and(|last| last.observed == Observed::Lost)
    }

    fn search(&mut self, mutant: &Arc<Spec>, budget: SearchBudget, values: usize) -> Equivalence {
        let mut known = FxHashSet::default();
        let mut all = initial_states(mutant, values);
        all.retain(|state| known.insert((state.memory.clone(), state.judged)));
        let (mut layer, mut served, mut requests) = (0..all.len(), 0, 0);
        while !layer.is_empty() {
            if requests == budget.requests {
                break;
            }
            let next = all.len();
            match self.layer(mutant, layer, values, (&mut all, &mut known), (&mut served, budget.served)) {
                LayerEnd::Found(script) => return Equivalence::Differs(script),
                LayerEnd::All => {}
                LayerEnd::Budget if requests == 0 => return Equivalence::Undecided,
                LayerEnd::Budget => return Equivalence::Refines(SearchBound { requests: Some(requests), values }),
            }
            requests += 1;
            layer = next..all.len();
        }
        Equivalence::Refines(SearchBound { requests: Some(requests).filter(|_| !layer.is_empty()), values })
    }

    /// Serves all requests in all states of a layer, and adds the states after them.
    fn layer(
        &mut self,
        mutant: &Arc<Spec>,
        layer: std::ops::Range<usize>,
        values: usize,
        (all, known): (&mut Vec<ProductState>, &mut FxHashSet<(Vec<Value>, JudgedState)>),
        (served, most): (&mut u64, u64),
    ) -> LayerEnd {
        for at in layer {
            let (tokens, judged) = (all[at].tokens, all[at].judged);
            let domain = SmallDomain { types: &self.spec.types, values, tokens, integers: &self.integers };
            let Some(requests) = domain.all(self.spec.program.request, REQUESTS) else { return LayerEnd::Budget };
            for request in requests {
                if *served > most.saturating_mul(OVERRUN) || end::is_over() {
                    return LayerEnd::Budget;
                }
                for way in ways(mutant, &all[at], &request, values) {
                    *served += 1;
                    let before = self.states.work;
                    let answer = match &way.reply {
                        Ok(Reply::Answer(answer)) => Some(answer),
                        Ok(Reply::Nothing) | Err(()) => None,
                    };
                    let step = self.states.step(judged, &request, answer);
                    *served += (self.states.work - before) / EASY;
                    let after = match (step, answer) {
                        (JudgedStep::Allowed(after), Some(_)) => after,
                        (JudgedStep::Forbidden, Some(_)) | (JudgedStep::Allowed(_), None) => {
                            return LayerEnd::Found(script(all, at, &request, answer));
                        }
                        (JudgedStep::Forbidden, None) | (JudgedStep::Unjudged, _) => continue,
                    };
                    if known.insert((way.memory.clone(), after)) {
                        let from = Some((at, request.clone(), answer.cloned()));
                        all.push(ProductState { memory: way.memory, tokens: way.tokens, judged: after, from });
                    }
                }
            }
            if *served > most {
                return LayerEnd::Budget;
            }
        }
        LayerEnd::All
    }
}

/// Tests whether a bound is better than one with fewer values: it has as many requests, or at least three.
fn is_better(bound: SearchBound, than: SearchBound) -> bool {
    let requests = |bound: SearchBound| bound.requests.unwrap_or(usize::MAX);
    requests(bound) >= 3.min(requests(than))
}

/// The states in which a mutant may start.
fn initial_states(mutant: &Arc<Spec>, values: usize) -> Vec<ProductState> {
    let mut states = Vec::new();
    let mut choices = Odometer::new();
    for _ in 0..WAYS {
        if let Ok(server) = Server::explored(mutant.clone(), ranges(values), &mut choices) {
            let (memory, tokens) = (server.state().to_vec(), server.tokens());
            states.push(ProductState { memory, tokens, judged: 0, from: None });
        }
        if !choices.advance().unwrap_or(false) {
            break;
        }
    }
    states
}

fn ranges(values: usize) -> Ranges {
    Ranges { request: None, choose: Some((0, values as i64)) }
}

/// The distinct ways in which a mutant serves a request in a state.
fn ways(mutant: &Arc<Spec>, state: &ProductState, request: &Value, values: usize) -> Vec<ServedOutcome> {
    let mut server = Server::explored_at(mutant.clone(), ranges(values), state.memory.clone(), state.tokens);
    let start = server.mark();
    let mut found: Vec<ServedOutcome> = Vec::new();
    let mut is_stuck = false;
    let mut choices = Odometer::new();
    for _ in 0..WAYS {
        match server.handle(request, 1, &mut choices) {
            Ok(reply) => add(&mut found, &server, Ok(reply)),
            Err(Stop::Fault(_)) => add(&mut found, &server, Err(())),
            Err(Stop::Stuck(_)) => is_stuck = true,
            Err(Stop::Outside(_) | Stop::Limit(_) | Stop::Undecided(_) | Stop::Mismatch(_) | Stop::Choice(_)) => {}
        }
        server.return_to(start.clone());
        server.count_tokens(state.tokens);
        if !choices.advance().unwrap_or(false) {
            break;
        }
    }
    if found.is_empty() && is_stuck {
        for seed in 0..DRAWN {
            let mut server = Server::resumed(mutant.clone(), state.memory.clone());
            server.count_tokens(state.tokens);
            match server.handle(request, 1, &mut Random::new(seed)) {
                Ok(reply) => add(&mut found, &server, Ok(reply)),
                Err(Stop::Stuck(_) | Stop::Fault(_)) => add(&mut found, &server, Err(())),
                Err(_) => {}
            }
        }
    }
    found
}

fn add(found: &mut Vec<ServedOutcome>, server: &Server, reply: Result<Reply, ()>) {
    let memory = server.state().to_vec();
    if !found.iter().any(|way| way.memory == memory && way.reply == reply) {
        found.push(ServedOutcome { memory, tokens: server.tokens(), reply });
    }
}

/// The exchanges that lead to a state, and one more.
fn script(all: &[ProductState], at: usize, request: &Value, answer: Option<&Value>) -> Vec<Exchange> {
    let mut exchanges = vec![(request.clone(), answer.cloned())];
    let mut at = at;
    while let Some((from, request, answer)) = &all[at].from {
        exchanges.push((request.clone(), answer.clone()));
        at = *from;
    }
    let exchanges = exchanges.into_iter().rev().zip(1..);
    let exchange = |((request, answer), line): ((Value, Option<Value>), u64)| {
        let observed = answer.map_or(Observed::Lost, Observed::Answer);
        Exchange { line, client: 1, request, observed }
    };
    exchanges.map(exchange).collect()
}
