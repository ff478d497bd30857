//! The check of the client's duty: a request that breaks it, or that no handler takes, is not sent.
//!
//! `on Deposit { account, amount } { expects amount >= 0; … }` runs in the known states, with symbols for its choices. If some
//! path may break the duty, the request is drawn again.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::paths::{FIRST, RequestPath, RequestPathEnd, RequestPaths};
use crate::process::{Choice, Fresh};
use crate::scalar::Scalar;
use crate::solve::Solver;
use crate::spec::Spec;
use crate::spec::analysis::pure::RequestFacts;
use crate::term::{Term, made};
use crate::value::Value;

/// The most paths through a handler that are followed.
const PATHS: usize = 64;
/// The most states in which a request is tried.
const STATES: usize = 4;
/// The most work on a request, in made terms.
const WORK: u64 = 20_000;
/// The most requests with a remembered answer to the question whether they keep the duty in any state.
const REMEMBERED: usize = 4_096;
/// The most bytes of a text in a request that is remembered.
const SHORT: usize = 300;

/// The states in which a request keeps the client's duty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum KeptIn {
    /// All states.
    AnyState,
    /// All given states.
    TheseStates,
    /// Perhaps not all given states.
    Fewer,
}

/// The check of requests against the client's duty.
#[derive(Debug)]
pub(super) struct DutyCheck {
    /// A mark, by the variant of the request, whether the request may break a duty at all.
    may_break: Vec<bool>,
    /// A state without known values.
    any_state: Vec<Value>,
    any_facts: Vec<Term>,
    /// The computed constants, which come after the variables.
    computed: Vec<Value>,
    /// The specification, compiled for states of which nothing is known.
    unknown: Arc<Spec>,
    solver: Solver,
    known: FxHashMap<Value, bool>,
    /// A mark, by function and instruction, whether a duty may come after it: in the specification, and in the one for unknown
    /// states.
    ahead: [Vec<Vec<bool>>; 2],
}

impl DutyCheck {
    /// The check for a specification whose requests have this number of variants, with its computed constants.
    pub fn of(spec: &Arc<Spec>, variants: usize, computed: &[Value]) -> DutyCheck {
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
        let (solver, known) = (Solver::default(), FxHashMap::default());
        DutyCheck { may_break, any_state, any_facts, computed: computed.to_vec(), unknown, solver, known, ahead }
    }

    /// Finds the states in which a request of a client keeps the duty.
    pub fn check(&mut self, spec: &Spec, request: &Value, client: u64, states: &[&[Value]]) -> KeptIn {
        let tag = if let Value::Data { tag, .. } = request { *tag as usize } else { 0 };
        if !self.may_break.get(tag).copied().unwrap_or(true) {
            return KeptIn::AnyState;
        }
        if self.is_kept_anywhere(request, client) {
            return KeptIn::AnyState;
        }
        let mut tried = states.iter().take(STATES);
        let is_kept = !states.is_empty()
            && tried.all(|state| {
                let whole = self.whole(spec, state);
                self.is_kept(spec, request, client, whole, &[])
            });
        if is_kept { KeptIn::TheseStates } else { KeptIn::Fewer }
    }

    /// The variables of a state, with the constants after them.
    pub fn whole(&self, spec: &Spec, state: &[Value]) -> Vec<Value> {
        let slots = spec.program.state_slots();
        let missing = std::iter::repeat_n(Value::Absent, slots.saturating_sub(state.len()));
        state.iter().take(slots).cloned().chain(missing).chain(self.computed.iter().cloned()).collect()
    }

    fn is_kept_anywhere(&mut self, request: &Value, client: u64) -> bool {
        let spec = self.unknown.clone();
        let is_remembered = is_short(request) && !spec.program.names_clients;
        if let Some(known) = self.known.get(request).filter(|_| is_remembered) {
            return *known;
        }
        let (state, facts) = (self.any_state.clone(), self.any_facts.clone());
        let is_kept = self.is_kept(&spec, request, client, state, &facts);
        if !is_remembered {
            return is_kept;
        }
        if self.known.len() >= REMEMBERED {
            self.known.clear();
        }
        self.known.insert(request.clone(), is_kept);
        is_kept
    }

    /// Tests whether no path of a request in a state breaks the duty.
    fn is_kept(&mut self, spec: &Spec, request: &Value, client: u64, state: Vec<Value>, facts: &[Term]) -> bool {
        let mut path = RequestPath::of(spec, state, request, client);
        let last = made().saturating_add(WORK);
        self.solver.last_made = Some(last);
        if facts.iter().any(|fact| path.assume(fact, &mut self.solver).is_err()) {
            return false;
        }
        let ahead = &self.ahead[usize::from(std::ptr::eq(spec, &*self.unknown))];
        let fresh = Fresh { last: FIRST * 2 };
        let mut paths = RequestPaths { types: &spec.types, fresh, solver: &mut self.solver, open: vec![path], ahead };
        for _ in 0..PATHS {
            let Some(mut path) = paths.open.pop() else { return true };
            if made() > last || paths.run(spec, &mut path) == RequestPathEnd::Broken {
                return false;
            }
        }
        paths.open.is_empty()
    }
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
