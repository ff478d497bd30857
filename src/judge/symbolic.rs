//! One step of a validator for every state, request and answer at once: what Figure 3.1 does to a candidate, path by path.
//!
//! The process is run from a state in which each variable has an unknown value, with an unknown request; its choices are
//! fresh variables. Each path to an answer is a [`Transition`]: the conditions on which it is taken, its choices, the state that
//! it leaves and the answer to compare. Infeasible paths are left out.
//!
//! For compare-and-reset there are two: `q <= n`, answer 0; and `n < q`, a fresh n, answer 1.

use crate::process::{Choice, Event, Fault, Fresh, Limit, Process};
use crate::solve::{Solver, Store};
use crate::spec::{Site, Spec, Type, TypeId};
use crate::symbolic::{self, Chosen, Fork, Infeasible, Policy, drive, havoc};
use crate::term::Term;
use crate::value::{Truth, Value};

/// The paths of a request that are explored, and the choices of each.
const PATHS: usize = 64;

/// A condition or choice that a path meets on its way.
#[derive(Clone, PartialEq, Debug)]
pub enum OnPath {
    /// A condition of a statement, which holds on this path.
    Holds(Term, Site),
    /// A condition of a statement, whose opposite holds on this path.
    Fails(Term, Site),
    /// An internal choice.
    Choice {
        /// The values that it ranges over.
        choice: Choice,
        /// Its value: fresh variables.
        value: Value,
        /// The conditions on them.
        restrictions: Vec<Term>,
        /// The node at which it is made.
        site: Site,
    },
    /// The branch of an `either` that is taken; it adds no condition.
    Way(usize, Site),
    /// A condition that every run satisfies.
    Assume(Truth, Site),
    /// A duty of the client, which is met on this path.
    Expects(Truth, Site),
    /// A condition on which this fault occurs; it fails on this path.
    NoFault(Truth, Fault),
    /// A condition on which this limit is reached; it fails on this path.
    Cut(Truth, Limit),
}

/// The end of a path.
#[derive(Clone, PartialEq, Debug)]
pub enum TransitionEnd {
    /// With this answer.
    Answer(Value, Site),
    /// Without an answer.
    Nothing,
    /// The client breaks its duty whatever the state: the trace is outside the specification.
    Outside(Site),
    /// The specification is wrong here.
    Faulty(Fault),
    /// At a limit, at which the path is cut.
    Cut,
}

/// A path through a handler.
#[derive(Clone, PartialEq, Debug)]
pub struct Transition {
    /// Conditions and choices, in order.
    pub met: Vec<OnPath>,
    /// The state that it leaves.
    pub memory: Vec<Value>,
    /// The end of the path.
    pub end: TransitionEnd,
}

/// The step of a validator for one kind of request.
#[derive(Clone, PartialEq, Debug)]
pub struct Symbolic {
    /// The state before: an unknown value for each variable, in their order.
    pub memory: Vec<Value>,
    /// The request, its parts unknown.
    pub request: Value,
    /// The paths through the handler.
    pub paths: Vec<Transition>,
    /// Set if the handler has more paths than these.
    pub more: bool,
}

/// A type in a specification's variables or requests whose values have no fixed number of scalars: a collection, or a type that
/// contains itself.
#[must_use]
pub fn unbounded(spec: &Spec) -> Option<TypeId> {
    let program = &spec.program;
    let state = program.slots.iter().take(program.state_slots()).map(|slot| slot.ty);
    let is_collection = |ty: &Type| matches!(ty, Type::List(_) | Type::Set(_) | Type::Map(..));
    let unbounded = |ty: TypeId| {
        let found = spec.types.find(ty, &mut { is_collection });
        found.or_else(|| spec.types.is_recursive(ty).then_some(ty))
    };
    state.chain([program.request]).find_map(unbounded)
}

/// The initial state; `None` if anything but choices decides what it is.
#[must_use]
pub fn initial(spec: &Spec) -> Option<Vec<Value>> {
    Explorer::new(spec).initial()
}

/// The step of a validator from an unknown state, for each kind of request; empty if some type is [`unbounded`].
#[must_use]
pub fn symbolic(spec: &Spec) -> Vec<Symbolic> {
    if unbounded(spec).is_some() {
        return Vec::new();
    }
    let mut explorer = Explorer::new(spec);
    let (memory, known) = explorer.any_state();
    explorer.requests().into_iter().map(|(request, of)| explorer.step(&memory, request, &known, &of)).collect()
}

/// The paths through the handler of restarts from an unknown state; the request in the result is meaningless. `None` if there is no such
/// handler, or some type is [`unbounded`].
#[must_use]
pub fn symbolic_restart(spec: &Spec) -> Option<Symbolic> {
    spec.program.restarts.filter(|_| unbounded(spec).is_none())?;
    let mut explorer = Explorer::new(spec);
    let (memory, known) = explorer.any_state();
    Some(explorer.ways(&memory, Value::UNIT, &known, |process| _ = process.restart(&spec.program)))
}

struct Explorer<'s> {
    spec: &'s Spec,
    fresh: Fresh,
    solver: Solver,
    /// Paths that are not at their end yet.
    open: Vec<LoggedPath>,
}

type LoggedPath = symbolic::Path<OnPath>;

/// The end of a path; `None` if it is infeasible.
struct PathStop(Option<TransitionEnd>);

impl From<Infeasible> for PathStop {
    fn from(_: Infeasible) -> PathStop {
        PathStop(None)
    }
}

impl<'s> Explorer<'s> {
    fn new(spec: &'s Spec) -> Explorer<'s> {
        Explorer { spec, fresh: Fresh::default(), solver: Solver::default(), open: Vec::new() }
    }

    /// A memory with an unknown value for each variable, and then the constants of the specification; with the facts about the unknowns.
    fn any_state(&mut self) -> (Vec<Value>, Vec<Term>) {
        let (spec, mut known) = (self.spec, Vec::new());
        let mut memory = self.initial().unwrap_or_else(|| vec![Value::Absent; spec.program.slots.len()]);
        for (value, slot) in memory.iter_mut().zip(&spec.program.slots).take(spec.program.state_slots()) {
            let (any, restrictions) = self.any(slot.ty);
            *value = any;
            known.extend(restrictions);
        }
        (memory, known)
    }

    /// The initial state; `None` if anything but choices decides what it is.
    fn initial(&mut self) -> Option<Vec<Value>> {
        let mut process = Process::new(&self.spec.program);
        process.boot(&self.spec.program);
        let mut path = LoggedPath::new(process);
        let end = drive(self.spec, self, &mut path).0?;
        let is_choice = |met: &OnPath| matches!(met, OnPath::Choice { .. });
        let is_only = self.open.drain(..).next().is_none() && path.log.iter().all(is_choice);
        (end == TransitionEnd::Nothing && is_only).then_some(path.process.memory)
    }

    fn any(&mut self, ty: TypeId) -> (Value, Vec<Term>) {
        self.fresh.havoc(&self.spec.types, &Choice::Type(ty))
    }

    /// An unknown request of each kind.
    fn requests(&mut self) -> Vec<(Value, Vec<Term>)> {
        self.fresh.each_kind(&self.spec.types, self.spec.program.request)
    }

    fn step(&mut self, memory: &[Value], request: Value, state: &[Term], of_request: &[Term]) -> Symbolic {
        let (known, program) = ([state, of_request].concat(), &self.spec.program);
        let received = request.clone();
        self.ways(memory, request, &known, |process| process.receive(program, &received, 1))
    }

    /// The paths from a memory, of which `known` holds, through the handler that `begin` starts.
    fn ways(&mut self, memory: &[Value], request: Value, known: &[Term], begin: impl FnOnce(&mut Process)) -> Symbolic {
        let mut process = Process::new(&self.spec.program);
        process.memory = memory.to_vec();
        let mut store = Store::default();
        for condition in known {
            store.assume(condition, &mut self.solver);
        }
        begin(&mut process);
        self.open.push(LoggedPath { process, store, log: Vec::new() });
        let mut paths = Vec::new();
        while let Some(mut path) = self.open.pop() {
            if paths.len() == PATHS {
                self.open.clear();
                return Symbolic { memory: memory.to_vec(), request, paths, more: true };
            }
            let PathStop(end) = drive(self.spec, self, &mut path);
            paths.extend(end.map(|end| Transition { met: path.log, memory: path.process.memory, end }));
        }
        Symbolic { memory: memory.to_vec(), request, paths, more: false }
    }

    /// Assumes a condition; logs it unless it is known to hold.
    fn require(&mut self, path: &mut LoggedPath, condition: Truth, met: OnPath) -> Result<(), PathStop> {
        let condition = condition.term();
        if path.store.decide(&condition) != Some(true) {
            path.log.push(met);
        }
        Ok(path.assume(&condition, &mut self.solver)?)
    }
}

impl Policy for Explorer<'_> {
    type Path = LoggedPath;
    type Stopped = PathStop;

    fn fresh(&mut self) -> &mut Fresh {
        &mut self.fresh
    }

    fn advance(&mut self, spec: &Spec, path: &mut LoggedPath) -> Result<Event, PathStop> {
        if path.log.len() > PATHS {
            Err(PathStop(Some(TransitionEnd::Cut)))
        } else {
            Ok(path.process.advance(&spec.program))
        }
    }

    fn restrict(&mut self, path: &mut LoggedPath, facts: Vec<Term>, _: u64, _: Site) -> Result<(), PathStop> {
        Ok(facts.iter().try_for_each(|fact| path.assume(fact, &mut self.solver))?)
    }

    fn choose(&mut self, path: &mut LoggedPath, chosen: Chosen) -> Result<(), PathStop> {
        let (value, restrictions) = havoc(&mut self.fresh, &self.spec.types, &chosen);
        let Chosen { choice, site, .. } = chosen;
        path.process.resume(value.clone());
        path.log.push(OnPath::Choice { choice, value, restrictions: restrictions.clone(), site });
        self.restrict(path, restrictions, 0, site)
    }

    fn fork(&mut self, path: &mut LoggedPath, Fork { condition, site, .. }: Fork) -> Result<(), PathStop> {
        let condition = condition.term();
        let side = |holds: bool| if holds { OnPath::Holds } else { OnPath::Fails };
        let note = |path: &mut LoggedPath, holds: bool| path.log.push(side(holds)(condition.clone(), site));
        let other = path.fork(&condition, true, &mut self.solver, note)?;
        self.open.extend(other);
        Ok(())
    }

    fn select(&mut self, path: &mut LoggedPath, ways: usize, site: Site) -> Result<(), PathStop> {
        let take = |path: &mut LoggedPath, way: usize| {
            path.log.push(OnPath::Way(way, site));
            path.process.select(way);
        };
        for way in (1..ways).rev() {
            let mut other = path.clone();
            take(&mut other, way);
            self.open.push(other);
        }
        take(path, 0);
        Ok(())
    }

    fn assume(&mut self, path: &mut LoggedPath, condition: Truth, site: Site) -> Result<(), PathStop> {
        self.require(path, condition.clone(), OnPath::Assume(condition, site))
    }

    fn expects(&mut self, path: &mut LoggedPath, duty: Truth, site: Site) -> Result<(), PathStop> {
        match duty {
            Truth::Known(false) => Err(PathStop(Some(TransitionEnd::Outside(site)))),
            duty => self.require(path, duty.clone(), OnPath::Expects(duty, site)),
        }
    }

    fn fault(&mut self, path: &mut LoggedPath, wrong: Truth, fault: Fault) -> Result<(), PathStop> {
        match wrong {
            Truth::Known(true) => Err(PathStop(Some(TransitionEnd::Faulty(fault)))),
            wrong => self.require(path, wrong.clone().not(), OnPath::NoFault(wrong, fault)),
        }
    }

    fn cut(&mut self, path: &mut LoggedPath, reached: Truth, limit: Limit, _: Option<Site>) -> Result<(), PathStop> {
        match reached {
            Truth::Known(true) => Err(PathStop(Some(TransitionEnd::Cut))),
            reached => self.require(path, reached.clone().not(), OnPath::Cut(reached, limit)),
        }
    }

    fn end(&mut self, _: &mut LoggedPath, answer: Option<(Value, Site)>) -> PathStop {
        PathStop(Some(answer.map_or(TransitionEnd::Nothing, |(answer, site)| TransitionEnd::Answer(answer, site))))
    }
}
