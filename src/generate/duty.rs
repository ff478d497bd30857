//! The client's duty: a request that breaks it, or that no handler takes, is not sent.
//!
//! `on Deposit { account, amount } { expects amount >= 0; … }` is run on the states at hand, with symbols for what is chosen; if a
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

/// The number of paths through a handler that are followed.
const PATHS: usize = 64;
/// The number of states that a request is tried on.
const STATES: usize = 4;
/// The work on a request, in made terms.
const WORK: u64 = 20_000;
/// The number of requests of which it is known whether they keep their duty in any state.
const REMEMBERED: usize = 4_096;
/// Requests with longer texts are not remembered.
const SHORT: usize = 300;

/// The states in which a request keeps its client's duty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum KeptIn {
    /// All of them.
    AnyState,
    /// Those at hand.
    TheseStates,
    /// Perhaps not all of those at hand.
    Fewer,
}

/// Checks requests against the client's duty.
#[derive(Debug)]
pub(super) struct DutyCheck {
    /// By the variant of the request: whether it may break a duty at all.
    may_break: Vec<bool>,
    /// A state of which nothing is known.
    any_state: Vec<Value>,
    any_facts: Vec<Term>,
    /// The constants that are computed, which stand after the variables.
    computed: Vec<Value>,
    /// The specification for such states.
    unknown: Arc<Spec>,
    solver: Solver,
    known: FxHashMap<Value, bool>,
    /// By function and position, whether a duty may be met from there on: for the specification, and for the one of any state.
    ahead: [Vec<Vec<bool>>; 2],
}

impl DutyCheck {
    /// The check for a specification whose requests have `variants` variants, with its computed constants.
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

    /// Finds out in which states a request of a client keeps the duty.
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

    /// The variables of a state, and the constants after them.
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

    /// Tests whether no path of a request from a state breaks the duty.
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

/// Tests whether the texts of a value are short, so that it is remembered cheaply.
fn is_short(value: &Value) -> bool {
    match value {
        Value::Scalar(Scalar::Str(text)) => text.len() <= SHORT,
        Value::Scalar(Scalar::Bytes(octets)) => octets.len() <= SHORT,
        Value::Data { .. } => value.fields().iter().all(is_short),
        Value::List(list) => list.iter().all(is_short),
        _ => true,
    }
}
