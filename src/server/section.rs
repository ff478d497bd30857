//! A section whose drawn choices failed, run with symbols: the first path, in drawn order, that has a model.

use super::{Completion, Given};
use crate::choice::{ChoiceError, Choices};
use crate::process::{Event, Fresh, Process};
use crate::solve::{Answer, Solver, Store};
use crate::spec::Spec;
use crate::term::Term;
use crate::value::Truth;

/// The number of paths that are tried.
const PATHS: usize = 10_000;

/// A path that is not at its end yet.
#[derive(Clone)]
struct Path {
    process: Process,
    store: Store,
    /// What was chosen, and under which guard.
    made: Vec<(Given, Option<Term>)>,
}

/// Finds choices with which the section has a run; `None` where no path has a model.
pub(super) fn find(
    spec: &Spec,
    start: &Process,
    mut fresh: Fresh,
    solver: &mut Solver,
    source: &mut dyn Choices,
) -> Result<Option<Vec<Given>>, ChoiceError> {
    let mut open = vec![Path { process: start.clone(), store: Store::default(), made: Vec::new() }];
    let mut tried = 0;
    while let Some(mut path) = open.pop() {
        tried += 1;
        if tried > PATHS {
            return Ok(None);
        }
        if !run(spec, &mut path, &mut fresh, solver, &mut open, source)? {
            continue;
        }
        let mut failed = None;
        let model = path.store.model(&[], solver, &mut |n| {
            source.choose("value of a symbol", n).unwrap_or_else(|error| {
                failed = Some(error);
                0
            })
        });
        if let Some(error) = failed {
            return Err(error);
        }
        if let Ok(model) = model {
            let completion = Completion { types: &spec.types, model: &model, process: &path.process };
            let made = path.made.iter().filter_map(|(made, guard)| made.under(&completion, guard.as_ref()));
            return Ok(Some(made.collect()));
        }
    }
    Ok(None)
}

/// Runs a path to the end of its section; whether it got there.
fn run(
    spec: &Spec,
    path: &mut Path,
    fresh: &mut Fresh,
    solver: &mut Solver,
    open: &mut Vec<Path>,
    source: &mut dyn Choices,
) -> Result<bool, ChoiceError> {
    loop {
        let alive = match path.process.advance(&spec.program) {
            Event::Choose { choice, guard, .. } => {
                let (value, restrictions) = fresh.havoc(&spec.types, &choice);
                path.made.push((Given::Value(value.clone()), guard.clone()));
                path.process.resume(value);
                let guarded = |term: Term| guard.as_ref().map_or(term.clone(), |guard| Term::implies(guard, &term));
                restrictions.into_iter().all(|term| path.assume(&guarded(term), solver))
            }
            Event::Look { look, .. } => {
                let facts = path.process.look(fresh, &spec.types, &look);
                facts.iter().all(|fact| path.assume(fact, solver))
            }
            Event::Branch { condition, .. } => path.fork(&condition, solver, open, source.choose("branch", 2)? == 0),
            Event::Guard { condition, .. } => {
                let decided = path.store.decide(&condition);
                path.process.guard(decided);
                true
            }
            Event::Or { ways, .. } => {
                let first = source.choose("way", ways)?;
                path.ways(ways, first, open);
                true
            }
            Event::Assume(condition, _) | Event::Expects(condition, _) => {
                path.process.proceed();
                path.require(condition, solver)
            }
            Event::Fault(condition, _) | Event::Cut(condition, _) => {
                path.process.proceed();
                path.require(condition.not(), solver)
            }
            Event::Send(..) | Event::End => return Ok(true),
            Event::Recv => return Ok(false),
        };
        if !alive {
            return Ok(false);
        }
    }
}

impl Path {
    fn assume(&mut self, condition: &Term, solver: &mut Solver) -> bool {
        self.store.assume(condition, solver) != Answer::Unsat
    }

    fn require(&mut self, condition: Truth, solver: &mut Solver) -> bool {
        match condition {
            Truth::Known(known) => known,
            Truth::Term(term) => self.assume(&term, solver),
        }
    }

    fn fork(&mut self, condition: &Term, solver: &mut Solver, open: &mut Vec<Path>, first: bool) -> bool {
        if let Some(known) = self.store.decide(condition) {
            self.process.branch(known);
            return true;
        }
        let negated = Term::not(condition);
        let side = |holds: bool| if holds { condition } else { &negated };
        let mut other = self.clone();
        other.process.branch(!first);
        if other.assume(side(!first), solver) {
            open.push(other);
        }
        self.process.branch(first);
        self.assume(side(first), solver)
    }

    fn ways(&mut self, ways: usize, first: usize, open: &mut Vec<Path>) {
        for way in (0..ways).map(|at| (first + at) % ways).skip(1) {
            let mut other = self.clone();
            other.go(way);
            open.push(other);
        }
        self.go(first);
    }

    fn go(&mut self, way: usize) {
        let elements = self.process.elements();
        let made = elements.get(way).map_or(Given::Way(way), |element| Given::Element(element.clone()));
        self.made.push((made, self.process.path().cloned()));
        self.process.select(way);
    }
}
