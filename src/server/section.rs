//! A section run with symbols: for choices of which the drawn ones failed, and for what is not known of the state yet.
//!
//! Paths are tried in drawn order, until one can be finished: its conditions have a model. `let n = choose i: int where
//! i > m;` has one path, and a model of it gives `n`.

use super::draw::Drawing;
use super::{Completion, Given, Reply, Stop};
use crate::choice::Choices;
use crate::process::{Choice, Event, Fresh, Limit, Process};
use crate::solve::{Answer, Solver, Store};
use crate::spec::{Site, Spec};
use crate::term::Term;
use crate::value::Truth;

/// The number of paths that are tried for a section that has begun.
pub(super) const PATHS: usize = 10_000;

/// A path through a section.
#[derive(Clone)]
pub(super) struct Path {
    pub process: Process,
    pub store: Store,
    /// What was chosen, and under which guard.
    pub made: Vec<(Given, Option<Term>)>,
}

/// Where a path's choices come from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Choosing {
    /// They are drawn.
    Drawn,
    /// They are symbols.
    Symbols,
}

/// What looking for a path needs.
pub(super) struct Search<'s> {
    pub spec: &'s Spec,
    pub fresh: Fresh,
    pub solver: &'s mut Solver,
    pub drawing: &'s mut Drawing,
    pub source: &'s mut dyn Choices,
    /// The number of paths that are tried.
    pub paths: usize,
}

impl Search<'_> {
    /// The first path with symbols that can be finished.
    ///
    /// # Errors
    /// Why there is none: the gravest of what stopped a path.
    pub fn first<T>(
        &mut self,
        start: Path,
        finish: &mut dyn FnMut(&mut Self, Path, Reply) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let mut open = vec![start];
        let mut gravest = Stop::Limit(Limit::Undecidable);
        for tried in 0..self.paths {
            let Some(mut path) = open.pop() else { return Err(gravest) };
            let ended = self.run(&mut path, Choosing::Symbols, &mut open).and_then(|reply| finish(self, path, reply));
            match ended {
                Ok(found) => return Ok(found),
                Err(Stop::Choice(error)) => return Err(Stop::Choice(error)),
                Err(stop) if tried == 0 || gravity(&stop) > gravity(&gravest) => gravest = stop,
                Err(_) => {}
            }
        }
        Err(Stop::Limit(Limit::Paths))
    }

    /// Runs a path to the end of its section; sides of conditions that it does not take are left open.
    ///
    /// # Errors
    /// Where it has no end.
    pub fn run(&mut self, path: &mut Path, choosing: Choosing, open: &mut Vec<Path>) -> Result<Reply, Stop> {
        loop {
            match path.process.advance(&self.spec.program) {
                Event::Choose { choice, site, guard } => self.choose(path, choosing, (&choice, site), guard)?,
                Event::Look { look, site } => {
                    let facts = path.process.look(&mut self.fresh, &self.spec.types, &look);
                    facts.iter().try_for_each(|fact| path.assume(fact, self.solver, Stop::Stuck(site)))?;
                }
                Event::Branch { condition, site, .. } => {
                    let first = self.draw("branch", 2)? == 0;
                    path.fork(&condition.term(), self.solver, open, first, site)?;
                }
                Event::Guard { condition, .. } => {
                    let decided = path.store.decide(&condition);
                    path.process.guard(decided);
                }
                Event::Or { ways, .. } => {
                    let first = self.draw("way", ways)?;
                    path.ways(ways, first, open);
                }
                Event::Assume(condition, site) => path.require(condition, self.solver, Stop::Stuck(site))?,
                Event::Expects(condition, site) => path.require(condition, self.solver, Stop::Outside(site))?,
                Event::Fault(condition, fault) => {
                    if choosing == Choosing::Drawn && path.allows(&condition, self.solver) {
                        return Err(Stop::Fault(fault));
                    }
                    path.require(condition.not(), self.solver, Stop::Fault(fault))?;
                }
                Event::Cut(condition, limit) => path.require(condition.not(), self.solver, Stop::Limit(limit))?,
                Event::Yield => path.process.proceed(),
                Event::Send(answer, _) => return Ok(Reply::Answer(answer)),
                Event::End => return Ok(Reply::Nothing),
                Event::Recv => return Err(Stop::Limit(Limit::Undecidable)),
            }
        }
    }

    fn choose(
        &mut self,
        path: &mut Path,
        choosing: Choosing,
        (choice, site): (&Choice, Site),
        guard: Option<Term>,
    ) -> Result<(), Stop> {
        if choosing == Choosing::Drawn {
            let drawn = self.drawing.choice(&self.spec.types, choice, self.source).map_err(Stop::Choice)?;
            path.process.resume(drawn.ok_or(Stop::Stuck(site))?);
            return Ok(());
        }
        let (value, restrictions) = self.fresh.havoc(&self.spec.types, choice);
        let guarded = |term: Term| guard.as_ref().map_or(term.clone(), |guard| Term::implies(guard, &term));
        path.process.resume(value.clone());
        let mut facts = restrictions.into_iter().map(guarded);
        facts.try_for_each(|fact| path.assume(&fact, self.solver, Stop::Stuck(site)))?;
        path.made.push((Given::Value(value), guard));
        Ok(())
    }

    pub(super) fn draw(&mut self, label: &'static str, arity: usize) -> Result<usize, Stop> {
        self.source.choose(label, arity).map_err(Stop::Choice)
    }

    /// The choices of a path, under a model of its conditions.
    ///
    /// # Errors
    /// Where no model was found.
    pub fn given(&mut self, path: &Path) -> Result<Vec<Given>, Stop> {
        let mut failed = None;
        let model = path.store.model(&[], self.solver, &mut |n| {
            self.source.choose("value of a symbol", n).unwrap_or_else(|error| {
                failed = Some(error);
                0
            })
        });
        if let Some(error) = failed {
            return Err(Stop::Choice(error));
        }
        let model = model.map_err(|answer| match answer {
            Answer::Unknown(why) => Stop::Undecided(why),
            Answer::Sat | Answer::Unsat => Stop::Limit(Limit::Undecidable),
        })?;
        let completion = Completion { types: &self.spec.types, model: &model, process: &path.process };
        Ok(path.made.iter().filter_map(|(made, guard)| made.under(&completion, guard.as_ref())).collect())
    }
}

/// What is told where paths stop differently: that a run is wrong before that none exists.
fn gravity(stop: &Stop) -> u8 {
    match stop {
        Stop::Choice(_) => 5,
        Stop::Fault(_) => 4,
        Stop::Outside(_) => 3,
        Stop::Limit(_) | Stop::Undecided(_) => 2,
        Stop::Stuck(_) => 1,
        Stop::Mismatch(_) => 0,
    }
}

impl Path {
    /// Adds a condition.
    ///
    /// # Errors
    /// `stop`, where it cannot hold.
    pub fn assume(&mut self, condition: &Term, solver: &mut Solver, stop: Stop) -> Result<(), Stop> {
        if self.store.assume(condition, solver) == Answer::Unsat { Err(stop) } else { Ok(()) }
    }

    /// Goes on where a condition holds.
    pub fn require(&mut self, condition: Truth, solver: &mut Solver, stop: Stop) -> Result<(), Stop> {
        self.process.proceed();
        match condition {
            Truth::Known(true) => Ok(()),
            Truth::Known(false) => Err(stop),
            Truth::Term(term) => self.assume(&term, solver, stop),
        }
    }

    fn allows(&self, condition: &Truth, solver: &mut Solver) -> bool {
        match condition {
            Truth::Known(known) => *known,
            Truth::Term(term) => self.store.check(term, solver) == Answer::Sat,
        }
    }

    fn fork(
        &mut self,
        condition: &Term,
        solver: &mut Solver,
        open: &mut Vec<Path>,
        first: bool,
        site: Site,
    ) -> Result<(), Stop> {
        if let Some(known) = self.store.decide(condition) {
            self.process.branch(known);
            return Ok(());
        }
        let negated = Term::not(condition);
        let side = |holds: bool| if holds { condition } else { &negated };
        let mut other = self.clone();
        other.process.branch(!first);
        let is_open = other.store.assume(side(!first), solver) != Answer::Unsat;
        self.process.branch(first);
        match self.assume(side(first), solver, Stop::Stuck(site)) {
            Ok(()) if is_open => open.push(other),
            Ok(()) => {}
            Err(_) if is_open => *self = other,
            Err(stop) => return Err(stop),
        }
        Ok(())
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
