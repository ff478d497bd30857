//! The check of the client's duty: a request that may break it, or that no handler takes, is not sent.
//!
//! `on Deposit { account, amount } { expects amount >= 0; … }` runs in the states that the server may be in, with symbols for its
//! choices. If some path may break the duty, a request that was drawn is drawn again, and a script ends before it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::aim::{RequestSymbol, Symbols, as_drawn, assigned};
use super::computed_constants;
use super::form::TypeForm;
use super::paths::{Duties, FIRST, RequestPath, RequestPathEnd, RequestPaths};
use crate::judge::Candidate;
use crate::limits::end;
use crate::process::{Choice, Fresh};
use crate::scalar::{Int, Scalar, Sort};
use crate::session::Session;
use crate::solve::{Answer, Solver, Store};
use crate::spec::analysis::pure::RequestFacts;
use crate::spec::{Site, Spec};
use crate::term::{Term, made};
use crate::value::Value;

/// The most paths through a handler that are followed.
const PATHS: usize = 64;
/// The most states in which a request is tried; if there are more, it is not sent.
const STATES: usize = 64;
/// The most work on a request, in made terms.
const WORK: u64 = 20_000;
/// The most requests with a remembered answer to the question whether they keep the duty in any state.
const REMEMBERED: usize = 4_096;
/// The most bytes of a text in a request that is remembered.
const SHORT: usize = 300;

/// The states in which a request keeps the client's duty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeptIn {
    /// All states.
    AnyState,
    /// All states that the server may be in now.
    TheseStates,
    /// Perhaps not all states that the server may be in now. The duty at this place may be broken; `None` if the question was too hard.
    Fewer(Option<Site>),
}

/// A state that a server may be in, with the constraints on its symbols.
#[derive(Clone, Debug)]
pub struct ServerState {
    memory: Vec<Value>,
    store: Store,
}

/// The knowledge of the server that gets the next request.
pub trait KnownServer {
    /// The memories of a few explanations, variable by variable, from which values are drawn.
    fn memories(&self) -> Vec<&[Value]>;

    /// The number by which the specification knows a client that sends its next request.
    fn number(&self, client: u64) -> u64 {
        client
    }

    /// The states that a request of a client meets if it is sent now, with the number by which the specification knows the client. `None`
    /// if not all of them are known.
    fn at_rest(&self, client: u64, request: &Value) -> Option<(u64, Vec<ServerState>)>;
}

impl KnownServer for Session {
    fn memories(&self) -> Vec<&[Value]> {
        self.states()
    }

    fn number(&self, client: u64) -> u64 {
        Session::number(self, client)
    }

    fn at_rest(&self, client: u64, request: &Value) -> Option<(u64, Vec<ServerState>)> {
        let state = |candidate: &Candidate| ServerState {
            memory: candidate.process.memory.clone(),
            store: candidate.store.clone(),
        };
        let (client, candidates) = Session::at_rest(self, client, request)?;
        Some((client, candidates.iter().map(state).collect()))
    }
}

/// A server that is in one of these states, whose symbols may be anything.
pub(super) struct InStates<'s>(pub &'s [&'s [Value]]);

impl KnownServer for InStates<'_> {
    fn memories(&self) -> Vec<&[Value]> {
        self.0.to_vec()
    }

    fn at_rest(&self, client: u64, _: &Value) -> Option<(u64, Vec<ServerState>)> {
        let state = |memory: &&[Value]| ServerState { memory: memory.to_vec(), store: Store::default() };
        (!self.0.is_empty()).then(|| (client, self.0.iter().map(state).collect()))
    }
}

/// The check of requests against the client's duty.
#[derive(Debug)]
pub struct DutyCheck {
    spec: Arc<Spec>,
    /// A mark, by the variant of the request, whether the request may break a duty at all.
    may_break: Vec<bool>,
    /// A mark, by variable, whether the server's own steps may change it.
    changed_by_steps: Vec<bool>,
    /// A state without known values.
    any_state: Vec<Value>,
    any_facts: Vec<Term>,
    /// The computed constants, which come after the variables.
    computed: Vec<Value>,
    /// The specification, compiled for states of which nothing is known.
    unknown: Arc<Spec>,
    solver: Solver,
    known: FxHashMap<Value, Option<DutyBroken>>,
    /// A mark, by function and instruction, whether a duty may come after it: in the specification, and in the one for unknown
    /// states.
    ahead: [Vec<Vec<bool>>; 2],
}

/// The duty that a request may break.
#[derive(Clone, Copy, Debug)]
struct DutyBroken {
    /// The place of the duty; `None` if the question was too hard.
    at: Option<Site>,
    /// Set if the request breaks it in every state in which the server may be.
    in_every_state: bool,
}

impl DutyBroken {
    const TOO_HARD: DutyBroken = DutyBroken { at: None, in_every_state: false };
}

impl DutyCheck {
    /// The check for a specification.
    #[must_use]
    pub fn new(spec: &Arc<Spec>) -> DutyCheck {
        let variants = TypeForm::of(&spec.types, spec.program.request).variants();
        DutyCheck::of(spec, variants, &computed_constants(spec))
    }

    /// The check for a specification whose requests have this number of variants, with its computed constants.
    pub(super) fn of(spec: &Arc<Spec>, variants: usize, computed: &[Value]) -> DutyCheck {
        let facts = RequestFacts::new(&spec.program);
        let may_break = (0..variants).map(|tag| facts.may_break_duty(&Value::unit(tag as u32))).collect();
        let mut fresh = Fresh { last: FIRST };
        let (mut any_state, mut any_facts) = (Vec::new(), Vec::new());
        for slot in &spec.program.slots[..spec.program.state_slots()] {
            let (any, facts) = fresh.havoc(&spec.types, &Choice::Type(slot.ty));
            any_state.push(any);
            any_facts.extend(facts);
        }
        any_state.extend_from_slice(computed);
        let unknown = spec.for_unknown_maps();
        let ahead = [spec.program.duties_ahead(), unknown.program.duties_ahead()];
        DutyCheck {
            spec: spec.clone(),
            may_break,
            changed_by_steps: spec.program.changed_by_steps(),
            any_state,
            any_facts,
            computed: computed.to_vec(),
            unknown,
            solver: Solver::default(),
            known: FxHashMap::default(),
            ahead,
        }
    }

    /// Tests whether some request may break a duty.
    #[must_use]
    pub fn may_be_broken(&self) -> bool {
        self.may_break.contains(&true)
    }

    /// Finds the states in which a request of a client keeps the duty, of all states and of those that `states` returns, with the number
    /// by which the specification knows the client.
    pub fn check(
        &mut self,
        request: &Value,
        client: u64,
        states: impl FnOnce() -> Option<(u64, Vec<ServerState>)>,
    ) -> KeptIn {
        let tag = request.variant() as usize;
        if !self.may_break.get(tag).copied().unwrap_or(true) {
            return KeptIn::AnyState;
        }
        let Some(broken) = self.broken_anywhere(request, client) else { return KeptIn::AnyState };
        if broken.in_every_state {
            return KeptIn::Fewer(broken.at);
        }
        let spec = self.spec.clone();
        match states() {
            Some((client, states)) if (1..=STATES).contains(&states.len()) => {
                let mut broken = states.into_iter().filter_map(|ServerState { memory, store }| {
                    let memory = self.whole(&memory);
                    self.broken(&spec, request, client, (memory, store), &[])
                });
                broken.next().map_or(KeptIn::TheseStates, |broken| KeptIn::Fewer(broken.at))
            }
            _ => KeptIn::Fewer(broken.at),
        }
    }

    /// The variables of a state, with the constants after them. Nothing is known of a variable that the server may change by itself.
    fn whole(&self, state: &[Value]) -> Vec<Value> {
        let value = |slot: usize| match self.changed_by_steps[slot] {
            true => self.any_state[slot].clone(),
            false => state.get(slot).cloned().unwrap_or(Value::Absent),
        };
        (0..self.spec.program.state_slots()).map(value).chain(self.computed.iter().cloned()).collect()
    }

    /// The duty that a request may break in some state; `None` if it keeps all duties in any state.
    fn broken_anywhere(&mut self, request: &Value, client: u64) -> Option<DutyBroken> {
        let spec = self.unknown.clone();
        let is_remembered = is_short(request) && !spec.program.names_clients;
        if let Some(known) = self.known.get(request).filter(|_| is_remembered) {
            return *known;
        }
        let (state, facts) = (self.any_state.clone(), self.any_facts.clone());
        let broken = self.broken(&spec, request, client, (state, Store::default()), &facts);
        // What was too hard as the time was over may be decided later.
        let is_too_hard = broken.is_some_and(|broken| broken.at.is_none());
        if !is_remembered || is_too_hard && end::is_over() {
            return broken;
        }
        if self.known.len() >= REMEMBERED {
            self.known.clear();
        }
        self.known.insert(request.clone(), broken);
        broken
    }

    /// Makes a request of a client that keeps the duty on some path in one of these states, or in some state if they are not known, out of
    /// a drawn one: numbers and texts of it are others where these break it. Such a
    /// number is greater by `beyond` than it need be, if it may be.
    pub(super) fn kept_like(
        &mut self,
        drawn: &Value,
        mut symbols: Symbols<'_>,
        client: u64,
        states: Option<(u64, Vec<ServerState>)>,
        beyond: usize,
    ) -> Option<Value> {
        let request = symbols.instead(0, drawn);
        let Symbols { fresh, found, .. } = symbols;
        let known = states.and_then(|(client, states)| Some((client, states.into_iter().next()?)));
        let (spec, client, state, facts) = match known {
            Some((client, ServerState { memory, store })) => {
                (self.spec.clone(), client, (self.whole(&memory), store), Vec::new())
            }
            None => {
                let any = (self.any_state.clone(), Store::default());
                (self.unknown.clone(), client, any, self.any_facts.clone())
            }
        };
        let mut path = RequestPath::of(&spec, state.0, state.1, &request, client);
        let last_made = made().saturating_add(WORK);
        self.solver.last_made = Some(last_made);
        facts.iter().try_for_each(|fact| path.assume(fact, &mut self.solver)).ok()?;
        let (types, solver, duties) = (&spec.types, &mut self.solver, Duties::AreKept);
        let mut paths = RequestPaths {
            types,
            fresh,
            solver,
            open: vec![path],
            room: PATHS,
            duties,
            last_made,
            is_of_some_states: false,
        };
        for _ in 0..PATHS {
            let mut path = paths.open.pop()?;
            if let RequestPathEnd::Ended(_) = paths.run(&spec, &mut path) {
                let store = as_drawn(&found, path.ended().1, paths.solver);
                let store = greater(&found, store, beyond, paths.solver)?;
                return assigned(drawn, &found, &store, paths.solver);
            }
        }
        None
    }

    /// The duty that some path of a request in a state may break; `None` if no path breaks any.
    fn broken(
        &mut self,
        spec: &Spec,
        request: &Value,
        client: u64,
        (state, store): (Vec<Value>, Store),
        facts: &[Term],
    ) -> Option<DutyBroken> {
        let mut path = RequestPath::of(spec, state, store, request, client);
        let last_made = made().saturating_add(WORK);
        self.solver.last_made = Some(last_made);
        if facts.iter().any(|fact| path.assume(fact, &mut self.solver).is_err()) {
            return Some(DutyBroken::TOO_HARD);
        }
        let duties = Duties::AreChecked(&self.ahead[usize::from(std::ptr::eq(spec, &*self.unknown))]);
        let fresh = Fresh { last: FIRST * 2 };
        let mut paths = RequestPaths {
            types: &spec.types,
            fresh,
            solver: &mut self.solver,
            open: vec![path],
            room: usize::MAX,
            duties,
            last_made,
            is_of_some_states: false,
        };
        for number in 0..PATHS {
            let mut path = paths.open.pop()?;
            match paths.run(spec, &mut path) {
                RequestPathEnd::Broken(site) => {
                    let is_only = number == 0 && paths.open.is_empty();
                    let in_every_state = is_only && !paths.is_of_some_states;
                    return Some(DutyBroken { at: Some(site), in_every_state });
                }
                RequestPathEnd::Abandoned => return Some(DutyBroken::TOO_HARD),
                RequestPathEnd::Ended(_) | RequestPathEnd::Nowhere => {}
            }
        }
        (!paths.open.is_empty()).then_some(DutyBroken::TOO_HARD)
    }
}

/// The constraints, with those that each number is greater by `beyond` than in the first model, if it may be; `None` if they have no model.
fn greater(symbols: &[RequestSymbol], mut store: Store, beyond: usize, solver: &mut Solver) -> Option<Store> {
    let model = store.model(&[], solver, &mut |_| 0).ok()?;
    for symbol in symbols.iter().filter(|symbol| symbol.var.sort == Sort::Int) {
        let Some(Scalar::Int(least)) = model.get(symbol.var) else { continue };
        let bound = Term::constant(Scalar::Int(least.add(&Int::from(beyond))));
        let mut with = store.clone();
        if with.assume(&Term::le(&bound, &Term::var(symbol.var)), solver) == Answer::Sat {
            store = with;
        }
    }
    Some(store)
}

/// Tests whether all texts of a value are short, so that remembering it is cheap.
fn is_short(value: &Value) -> bool {
    match value {
        Value::Scalar(Scalar::Str(text)) => text.len() <= SHORT,
        Value::Scalar(Scalar::Bytes(octets)) => octets.len() <= SHORT,
        Value::Data { .. } => value.fields().iter().all(is_short),
        Value::List(list) => list.iter().all(is_short),
        _ => true,
    }
}
