//! One step of a validator for every state, request and answer at once: what Figure 3.1 does to a candidate, path by path.
//!
//! The process is run from a state in which each variable has an unknown value, with an unknown request; its choices are
//! fresh variables. Each [`Path`] to an answer tells the conditions on which it is taken, what was chosen, the state that
//! it leaves and the answer to compare. Paths whose conditions exclude each other are left out.
//!
//! For compare-and-reset there are two: `q <= n`, answer 0; and `n < q`, a fresh n, answer 1.

use crate::process::{Choice, Event, Fault, Fresh, Limit, Process};
use crate::solve::{Answer, Solver, Store};
use crate::spec::{Site, Spec, Type, TypeId};
use crate::term::Term;
use crate::value::{Truth, Value};

/// More paths than this are not followed.
const PATHS: usize = 64;
/// A path with more conditions and choices than this is cut: a loop that nothing known ends.
const STEPS: usize = 64;

/// What a path meets on its way, in order.
#[derive(Clone, PartialEq, Debug)]
pub enum Met {
    /// A condition of a statement: it holds on this path, or its opposite does.
    Branch(Term, Side, Site),
    /// An internal choice.
    Choice {
        /// What it ranges over.
        choice: Choice,
        /// Its value: fresh variables.
        value: Value,
        /// What restricts them.
        restrictions: Vec<Term>,
        /// Where it is made.
        site: Site,
    },
    /// One of several ways; nothing is added.
    Way(usize, Site),
    /// A condition that every run satisfies.
    Assume(Truth, Site),
    /// The client's duty.
    Expects(Truth, Site),
    /// The path goes on only where this is no fault.
    NoFault(Truth, Fault),
    /// The path goes on only where no limit is reached.
    Cut(Truth, Limit),
}

/// The side of a condition that a path is on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// It holds.
    Holds,
    /// Its opposite does.
    Fails,
}

/// How a path ends.
#[derive(Clone, PartialEq, Debug)]
pub enum End {
    /// With this answer.
    Answer(Value, Site),
    /// Without an answer.
    Nothing,
    /// The client breaks its duty whatever the state: the trace is outside the specification.
    Outside(Site),
    /// The specification is wrong here.
    Faulty(Fault),
    /// It was followed no further.
    Cut,
}

/// A way through a handler.
#[derive(Clone, PartialEq, Debug)]
pub struct Path {
    /// Conditions and choices, in order.
    pub met: Vec<Met>,
    /// The state that it leaves.
    pub memory: Vec<Value>,
    /// Its end.
    pub end: End,
}

/// The step of a validator for one kind of request.
#[derive(Clone, PartialEq, Debug)]
pub struct Symbolic {
    /// The state before: an unknown value for each variable, in their order.
    pub memory: Vec<Value>,
    /// The request, its parts unknown.
    pub request: Value,
    /// The ways through the handler.
    pub paths: Vec<Path>,
    /// Whether there are more ways than are told.
    pub more: bool,
}

/// A type among those of a specification's variables and requests whose values are no fixed number of unknowns: a
/// collection, or a type that contains itself.
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

/// The initial state; nothing where a condition decides what it is.
#[must_use]
pub fn initial(spec: &Spec) -> Option<Vec<Value>> {
    let mut explorer = Explorer { spec, fresh: Fresh::default(), solver: Solver::default() };
    explorer.initial()
}

/// One step from every state: one for each kind of request. Nothing where some type is [`unbounded`].
#[must_use]
pub fn symbolic(spec: &Spec) -> Vec<Symbolic> {
    if unbounded(spec).is_some() {
        return Vec::new();
    }
    let mut explorer = Explorer { spec, fresh: Fresh::default(), solver: Solver::default() };
    let (memory, known) = explorer.any_state();
    explorer.requests().into_iter().map(|(request, of)| explorer.step(&memory, request, &known, &of)).collect()
}

struct Explorer<'s> {
    spec: &'s Spec,
    fresh: Fresh,
    solver: Solver,
}

/// A path that is not at its end yet.
#[derive(Clone)]
struct Open {
    process: Process,
    store: Store,
    met: Vec<Met>,
}

impl Explorer<'_> {
    /// A state of unknowns, behind them the constants of the specification.
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

    /// The initial state; nothing where more than unrestricted choices decides what it is.
    fn initial(&mut self) -> Option<Vec<Value>> {
        let mut process = Process::new(&self.spec.program);
        process.boot(&self.spec.program);
        loop {
            match process.advance(&self.spec.program) {
                Event::Choose { choice, .. } => process.resume(self.fresh.havoc(&self.spec.types, &choice).0),
                Event::Guard { .. } => process.guard(None),
                Event::Look { look, .. } => drop(process.look(&mut self.fresh, &self.spec.types, &look)),
                Event::Branch { .. } | Event::Or { .. } | Event::Assume(..) => return None,
                Event::Expects(..) | Event::Fault(..) | Event::Cut(..) => return None,
                Event::Yield => process.proceed(),
                Event::Send(..) | Event::End | Event::Recv => return Some(process.memory),
            }
        }
    }

    fn any(&mut self, ty: TypeId) -> (Value, Vec<Term>) {
        self.fresh.havoc(&self.spec.types, &Choice::Type(ty))
    }

    /// An unknown request of each kind: each variant of an enum is one.
    fn requests(&mut self) -> Vec<(Value, Vec<Term>)> {
        let (types, ty) = (&self.spec.types, self.spec.program.request);
        let Type::Enum(at) = types.get(ty) else { return vec![self.any(ty)] };
        let mut requests = Vec::new();
        for (tag, variant) in types.enums[*at as usize].variants.iter().enumerate() {
            let (fields, known): (Vec<Value>, Vec<Vec<Term>>) =
                variant.fields.iter().map(|(_, ty)| self.any(*ty)).unzip();
            requests.push((Value::data(tag as u32, fields), known.concat()));
        }
        requests
    }

    fn step(&mut self, memory: &[Value], request: Value, state: &[Term], of_request: &[Term]) -> Symbolic {
        let mut process = Process::new(&self.spec.program);
        process.memory = memory.to_vec();
        let mut store = Store::default();
        for condition in state.iter().chain(of_request) {
            store.assume(condition, &mut self.solver);
        }
        process.receive(&self.spec.program, &request, 1);
        let mut open = vec![Open { process, store, met: Vec::new() }];
        let mut paths = Vec::new();
        while let Some(path) = open.pop() {
            if paths.len() == PATHS {
                return Symbolic { memory: memory.to_vec(), request, paths, more: true };
            }
            paths.extend(self.follow(path, &mut open));
        }
        Symbolic { memory: memory.to_vec(), request, paths, more: false }
    }

    /// Follows a path to its end; nothing where its conditions exclude each other.
    fn follow(&mut self, mut path: Open, open: &mut Vec<Open>) -> Option<Path> {
        loop {
            if path.met.len() > STEPS {
                return Some(path.end(End::Cut));
            }
            let possible = match path.process.advance(&self.spec.program) {
                Event::Choose { choice, site, guard } => {
                    let (value, restrictions) = self.fresh.havoc(&self.spec.types, &choice);
                    let under = |term: &Term| guard.as_ref().map_or(term.clone(), |guard| Term::implies(guard, term));
                    let restrictions: Vec<Term> = restrictions.iter().map(under).collect();
                    path.process.resume(value.clone());
                    path.met.push(Met::Choice { choice, value, restrictions: restrictions.clone(), site });
                    restrictions.iter().all(|term| self.assume(&mut path, term))
                }
                Event::Look { look, .. } => {
                    let facts = path.process.look(&mut self.fresh, &self.spec.types, &look);
                    facts.iter().all(|fact| self.assume(&mut path, fact))
                }
                Event::Branch { condition, site, .. } => self.branch(&mut path, &condition.term(), site, open),
                Event::Guard { condition, .. } => {
                    path.process.guard(path.store.decide(&condition));
                    true
                }
                Event::Or { ways, site } => {
                    let others = (1..ways).rev().map(|way| path.clone().way(way, site));
                    open.extend(others);
                    path = path.way(0, site);
                    true
                }
                Event::Yield => {
                    path.process.proceed();
                    true
                }
                Event::Assume(truth, site) => self.require(&mut path, truth.clone(), Met::Assume(truth, site)),
                Event::Expects(Truth::Known(false), site) => return Some(path.end(End::Outside(site))),
                Event::Fault(Truth::Known(true), fault) => return Some(path.end(End::Faulty(fault))),
                Event::Cut(Truth::Known(true), _) => return Some(path.end(End::Cut)),
                Event::Expects(truth, site) => self.require(&mut path, truth.clone(), Met::Expects(truth, site)),
                Event::Fault(truth, fault) => self.require(&mut path, truth.clone().not(), Met::NoFault(truth, fault)),
                Event::Cut(truth, limit) => self.require(&mut path, truth.clone().not(), Met::Cut(truth, limit)),
                Event::Send(answer, site) => return Some(path.end(End::Answer(answer, site))),
                Event::End | Event::Recv => return Some(path.end(End::Nothing)),
            };
            if !possible {
                return None;
            }
        }
    }

    /// Both sides of a condition: the other one is left open.
    fn branch(&mut self, path: &mut Open, condition: &Term, site: Site, open: &mut Vec<Open>) -> bool {
        if let Some(known) = path.store.decide(condition) {
            path.process.branch(known);
            return true;
        }
        let mut other = path.clone();
        other.process.branch(false);
        other.met.push(Met::Branch(condition.clone(), Side::Fails, site));
        if self.assume(&mut other, &Term::not(condition)) {
            open.push(other);
        }
        path.process.branch(true);
        path.met.push(Met::Branch(condition.clone(), Side::Holds, site));
        self.assume(path, condition)
    }

    /// Goes on where a condition holds.
    fn require(&mut self, path: &mut Open, condition: Truth, met: Met) -> bool {
        path.process.proceed();
        let condition = condition.term();
        if path.store.decide(&condition) != Some(true) {
            path.met.push(met);
        }
        self.assume(path, &condition)
    }

    fn assume(&mut self, path: &mut Open, condition: &Term) -> bool {
        path.store.assume(condition, &mut self.solver) != Answer::Unsat
    }
}

impl Open {
    fn way(mut self, way: usize, site: Site) -> Open {
        self.met.push(Met::Way(way, site));
        self.process.select(way);
        self
    }

    fn end(self, end: End) -> Path {
        Path { met: self.met, memory: self.process.memory, end }
    }
}
