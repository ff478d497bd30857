//! The client's duty: a request that breaks it, or that no handler takes, is not sent.
//!
//! `on Deposit { account, amount } { expects amount >= 0; … }` is run on the states at hand, with symbols for what is chosen; where a
//! path may break the duty, the request is drawn again.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::process::{Choice, Event, Fault, Fresh, Limit, Process};
use crate::solve::{Answer, Solver};
use crate::spec::pure::RequestFacts;
use crate::spec::{Site, Spec, Types};
use crate::symbolic::{self, Chosen, Fork, Infeasible, Policy, drive, havoc};
use crate::term::{Term, made};
use crate::value::{Truth, Value};

/// The number of paths through a handler that are followed.
const PATHS: usize = 64;
/// The number of states that a request is tried on.
const STATES: usize = 4;
/// The work on a request, in made terms.
const WORK: u64 = 20_000;
/// Variables of states have smaller numbers than those that are made here.
const FIRST: u64 = 1 << 40;
/// The number of requests of which it is known whether they keep their duty in any state.
const REMEMBERED: usize = 4_096;

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
    /// The specification for such states.
    unknown: Arc<Spec>,
    solver: Solver,
    known: FxHashMap<Value, bool>,
}

impl DutyCheck {
    /// The check for a specification whose requests have so many variants, and whose constants are these.
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
        DutyCheck { may_break, any_state, any_facts, unknown, solver: Solver::default(), known: FxHashMap::default() }
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
        let is_kept = !states.is_empty() && tried.all(|state| self.is_kept(spec, request, client, state.to_vec(), &[]));
        if is_kept { KeptIn::TheseStates } else { KeptIn::Fewer }
    }

    fn is_kept_anywhere(&mut self, request: &Value, client: u64) -> bool {
        let spec = self.unknown.clone();
        // Whose request it is matters to few handlers, and to them in some state only.
        if let Some(known) = self.known.get(request).filter(|_| !spec.program.names_clients) {
            return *known;
        }
        let (state, facts) = (self.any_state.clone(), self.any_facts.clone());
        let is_kept = self.is_kept(&spec, request, client, state, &facts);
        if self.known.len() >= REMEMBERED {
            self.known.clear();
        }
        self.known.insert(request.clone(), is_kept);
        is_kept
    }

    /// Tests whether no path of a request from a state breaks the duty.
    fn is_kept(&mut self, spec: &Spec, request: &Value, client: u64, state: Vec<Value>, facts: &[Term]) -> bool {
        let mut process = Process::new(&spec.program);
        process.memory = state;
        process.receive(&spec.program, request, client);
        let mut path = DutyPath::new(process);
        let last = made().saturating_add(WORK);
        self.solver.last_made = Some(last);
        if facts.iter().any(|fact| path.assume(fact, &mut self.solver).is_err()) {
            return false;
        }
        let fresh = Fresh { last: FIRST * 2 };
        let mut run = DutyRun { types: &spec.types, fresh, solver: &mut self.solver, open: vec![path] };
        for _ in 0..PATHS {
            let Some(mut path) = run.open.pop() else { return true };
            if made() > last || drive(spec, &mut run, &mut path) == DutyEnd::Broken {
                return false;
            }
        }
        run.open.is_empty()
    }
}

type DutyPath = symbolic::Path<()>;

/// The end of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DutyEnd {
    /// The duty was kept, or nothing comes this way.
    Kept,
    /// It may have been broken.
    Broken,
}

impl From<Infeasible> for DutyEnd {
    fn from(_: Infeasible) -> DutyEnd {
        DutyEnd::Kept
    }
}

/// The paths of a request.
struct DutyRun<'s> {
    types: &'s Types,
    fresh: Fresh,
    solver: &'s mut Solver,
    open: Vec<DutyPath>,
}

impl Policy for DutyRun<'_> {
    type Path = DutyPath;
    type Stopped = DutyEnd;

    fn fresh(&mut self) -> &mut Fresh {
        &mut self.fresh
    }

    fn advance(&mut self, spec: &Spec, path: &mut DutyPath) -> Result<Event, DutyEnd> {
        Ok(path.process.advance(&spec.program))
    }

    fn restrict(&mut self, path: &mut DutyPath, facts: Vec<Term>, _: u64, _: Site) -> Result<(), DutyEnd> {
        Ok(facts.iter().try_for_each(|fact| path.assume(fact, self.solver))?)
    }

    fn choose(&mut self, path: &mut DutyPath, chosen: Chosen) -> Result<(), DutyEnd> {
        let (value, facts) = havoc(&mut self.fresh, self.types, &chosen);
        path.process.resume(value);
        self.restrict(path, facts, 0, chosen.site)
    }

    fn fork(&mut self, path: &mut DutyPath, Fork { condition, .. }: Fork) -> Result<(), DutyEnd> {
        let other = path.fork(&condition.term(), true, self.solver, |_, _| {})?;
        self.open.extend(other);
        Ok(())
    }

    fn select(&mut self, path: &mut DutyPath, ways: usize, _: Site) -> Result<(), DutyEnd> {
        for way in 1..ways {
            let mut other = path.clone();
            other.process.select(way);
            self.open.push(other);
        }
        path.process.select(0);
        Ok(())
    }

    fn assume(&mut self, path: &mut DutyPath, condition: Truth, _: Site) -> Result<(), DutyEnd> {
        Ok(path.require(condition, self.solver)?)
    }

    fn expects(&mut self, path: &mut DutyPath, duty: Truth, _: Site) -> Result<(), DutyEnd> {
        let is_kept = match duty.not() {
            Truth::Known(is_broken) => !is_broken,
            Truth::Term(broken) => path.clone().store.assume(&broken, self.solver) == Answer::Unsat,
        };
        if is_kept { Ok(()) } else { Err(DutyEnd::Broken) }
    }

    fn fault(&mut self, path: &mut DutyPath, wrong: Truth, _: Fault) -> Result<(), DutyEnd> {
        Ok(path.require(wrong.not(), self.solver)?)
    }

    fn cut(&mut self, path: &mut DutyPath, reached: Truth, _: Limit, _: Option<Site>) -> Result<(), DutyEnd> {
        Ok(path.require(reached.not(), self.solver)?)
    }

    fn end(&mut self, _: &mut DutyPath, _: Option<(Value, Site)>) -> DutyEnd {
        DutyEnd::Kept
    }
}
