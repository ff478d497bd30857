//! A section with symbols: in the place of choices, if drawn ones failed, and in the place of parts of the state that are not
//! known yet.
//!
//! Paths are tried in drawn order until one can be finished, as its conditions have a model. `let n = choose i: int where i > m;`
//! has one path, and a model of it gives `n`.

use rustc_hash::FxHashMap;

use super::draw::Drawing;
use super::{AtYield, Completion, Given, Reply, SectionDone, Stop};
use crate::choice::Choices;
use crate::limits::end;
use crate::process::{Event, Fault, Fresh, Limit, PeerCalls, Port};
use crate::solve::{Answer, Model, Solver};
use crate::spec::code::Program;
use crate::spec::{Site, Spec};
use crate::symbolic::{self, Chosen, Fork, Infeasible, Policy, drive, havoc};
use crate::term::{Term, made};
use crate::value::{Truth, Value};

/// The most paths that are tried for one section.
pub(super) const PATHS: usize = 10_000;
/// The most work of a search for a path, in made terms: a few seconds.
const WORK: u64 = 10_000_000;
/// The stop if an operation on unknown values has no symbolic form, or is undefined on the shown values.
pub(super) const UNDECIDED: Stop = Stop::Limit(Limit::Undecidable);

/// A path through a section, with its choices and the guard of each.
pub(super) type RunPath = symbolic::Path<(Given, Option<Term>)>;

/// The source of a path's choices.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Choosing {
    /// Choices are drawn.
    Drawn,
    /// Choices are symbols.
    Symbols,
}

/// A search for a path through a section.
pub(super) struct PathSearch<'s> {
    pub spec: &'s Spec,
    pub fresh: Fresh,
    pub solver: &'s mut Solver,
    pub drawing: &'s mut Drawing,
    pub source: &'s mut dyn Choices,
    /// The most paths that are tried.
    pub paths: usize,
    pub at_yield: AtYield,
}

/// The policy of a search: the source of choices, and the sides of conditions that were not taken.
struct Searching<'r, 's> {
    search: &'r mut PathSearch<'s>,
    choosing: Choosing,
    open: &'r mut Vec<RunPath>,
    /// The side of the current condition that is tried first.
    first: bool,
}

/// The end of a section.
pub(super) struct SectionEnd(pub Result<SectionDone, Stop>);

impl From<Stop> for SectionEnd {
    fn from(stop: Stop) -> SectionEnd {
        SectionEnd(Err(stop))
    }
}

impl From<Infeasible> for SectionEnd {
    fn from(_: Infeasible) -> SectionEnd {
        SectionEnd(Err(Stop::Limit(Limit::Undecidable)))
    }
}

impl PathSearch<'_> {
    /// Finds the first path with symbols that can be finished.
    ///
    /// # Errors
    /// There is none: the gravest stop of a path.
    pub fn first<T>(
        &mut self,
        start: RunPath,
        finish: &mut dyn FnMut(&mut Self, RunPath, SectionDone) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let last = made().saturating_add(WORK);
        self.solver.last_made = Some(last);
        let found = self.first_within(last, start, finish);
        self.solver.last_made = None;
        found
    }

    /// Finds the first such path before the number of made terms exceeds `last`.
    fn first_within<T>(
        &mut self,
        last: u64,
        start: RunPath,
        finish: &mut dyn FnMut(&mut Self, RunPath, SectionDone) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let mut open = vec![start];
        let mut gravest = Stop::Limit(Limit::Undecidable);
        let asked = self.solver.statistics.z3_work();
        for tried in 0..self.paths {
            let Some(mut path) = open.pop() else { return Err(gravest) };
            if made() + (self.solver.statistics.z3_work() - asked) > last {
                return Err(Stop::Limit(Limit::Effort));
            }
            let ended = self.run(&mut path, Choosing::Symbols, &mut open).and_then(|done| finish(self, path, done));
            match ended {
                Ok(found) => return Ok(found),
                Err(Stop::Choice(error)) => return Err(Stop::Choice(error)),
                Err(stop) if tried == 0 || gravity(&stop) > gravity(&gravest) => gravest = stop,
                Err(_) => {}
            }
        }
        Err(Stop::Limit(Limit::Paths))
    }

    /// Runs a path to the end of its section. The sides of conditions that it does not take are added to `open`.
    ///
    /// # Errors
    /// The section does not end.
    pub fn run(
        &mut self,
        path: &mut RunPath,
        choosing: Choosing,
        open: &mut Vec<RunPath>,
    ) -> Result<SectionDone, Stop> {
        let spec = self.spec;
        drive(spec, &mut Searching { search: self, choosing, open, first: true }, path).0
    }

    pub(super) fn draw(&mut self, label: &'static str, arity: usize) -> Result<usize, Stop> {
        self.source.choose(label, arity).map_err(Stop::Choice)
    }

    /// Does some work in which the values of symbols are drawn.
    pub(super) fn drawing_values<T>(
        &mut self,
        work: impl FnOnce(&mut Solver, &mut dyn FnMut(usize) -> usize) -> T,
    ) -> Result<T, Stop> {
        let mut failed = None;
        let done = work(self.solver, &mut |n| {
            let drawn = self.source.choose("value of a symbol", n);
            drawn.unwrap_or_else(|error| {
                failed = Some(error);
                0
            })
        });
        failed.map_or(Ok(done), |error| Err(Stop::Choice(error)))
    }

    /// The choices of a path, under a model of its conditions.
    ///
    /// # Errors
    /// No model was found.
    pub fn given(&mut self, path: &RunPath) -> Result<Vec<Given>, Stop> {
        let model = self.drawing_values(|solver, draw| path.store.model(&[], solver, draw))?;
        let mut model = model.map_err(|answer| match answer {
            Answer::Unknown(why) => Stop::Undecided(why),
            Answer::Sat | Answer::Unsat => Stop::Limit(Limit::Undecidable),
        })?;
        if self.drawing.draws_unseen {
            self.draw_free(path, &mut model)?;
        }
        let mut drawn = FxHashMap::default();
        let completion = Completion { types: &self.spec.types, model: &model, process: &path.process };
        let mut made = Vec::with_capacity(path.log.len());
        for (given, guard) in &path.log {
            let given = match given {
                Given::Value(value) if self.drawing.draws_unseen => Given::Value(self.drawn(path, value, &mut drawn)?),
                other => other.clone(),
            };
            made.extend(given.under(&completion, guard.as_ref()));
        }
        Ok(made)
    }

    /// Draws the symbols of choices that no condition is about.
    fn draw_free(&mut self, path: &RunPath, model: &mut Model) -> Result<(), Stop> {
        let mut symbols = Vec::new();
        path.log.iter().filter_map(|(given, _)| given.value()).for_each(|value| {
            value.visit_variables(&mut |var| symbols.push(var));
        });
        for var in symbols {
            if model.get(var).is_none() && path.store.binding(var).is_none() {
                let mut draws = self.drawing.choosing(&self.spec.types, self.source);
                model.insert(var, draws.scalar(var.sort).map_err(Stop::Choice)?);
            }
        }
        Ok(())
    }
}

impl Policy for Searching<'_, '_> {
    type Path = RunPath;
    type Stopped = SectionEnd;

    fn fresh(&mut self) -> &mut Fresh {
        &mut self.search.fresh
    }

    fn advance(&mut self, spec: &Spec, path: &mut RunPath) -> Result<Event, SectionEnd> {
        // A single path may ask twice as many questions with each part of a value.
        if end::is_over() {
            return Err(Stop::Limit(Limit::Ended).into());
        }
        if self.search.solver.last_made.is_some_and(|last| made() > last) {
            return Err(Stop::Limit(Limit::Effort).into());
        }
        let event = path.process.advance(&spec.program);
        if matches!(event, Event::Branch { .. }) {
            // It is drawn even if the condition is decided, so that the draws do not depend on what the store can decide.
            self.first = self.search.draw("branch", 2)? == 0;
        }
        Ok(event)
    }

    fn restrict(&mut self, path: &mut RunPath, facts: Vec<Term>, _: u64, site: Site) -> Result<(), SectionEnd> {
        facts.iter().try_for_each(|fact| self.require(path, Truth::Term(fact.clone()), Stop::Stuck(site)))
    }

    fn choose(&mut self, path: &mut RunPath, chosen: Chosen) -> Result<(), SectionEnd> {
        let PathSearch { spec, drawing, source, fresh, .. } = &mut *self.search;
        if self.choosing == Choosing::Drawn {
            let drawn = drawing.choosing(&spec.types, *source).choice(&chosen.choice).map_err(Stop::Choice)?;
            path.process.resume(drawn.ok_or(Stop::Stuck(chosen.site))?);
            return Ok(());
        }
        let (value, facts) = havoc(fresh, &spec.types, &chosen);
        path.process.resume(value.clone());
        self.restrict(path, facts, 0, chosen.site)?;
        path.log.push((Given::Value(value), chosen.guard));
        Ok(())
    }

    fn fork(&mut self, path: &mut RunPath, Fork { condition, site, .. }: Fork) -> Result<(), SectionEnd> {
        let other = path.fork(&condition.term(), self.first, self.search.solver, |_, _| {});
        self.open.extend(other.map_err(|_| Stop::Stuck(site))?);
        Ok(())
    }

    fn select(&mut self, path: &mut RunPath, ways: usize, _: Site) -> Result<(), SectionEnd> {
        let first = self.search.draw("way", ways)?;
        for way in (0..ways).map(|at| (first + at) % ways).skip(1) {
            let mut other = path.clone();
            go(&self.search.spec.program, &mut other, way);
            self.open.push(other);
        }
        go(&self.search.spec.program, path, first);
        Ok(())
    }

    fn assume(&mut self, path: &mut RunPath, condition: Truth, site: Site) -> Result<(), SectionEnd> {
        self.require(path, condition, Stop::Stuck(site))
    }

    fn expects(&mut self, path: &mut RunPath, duty: Truth, site: Site) -> Result<(), SectionEnd> {
        self.require(path, duty, Stop::Outside(site))
    }

    fn fault(&mut self, path: &mut RunPath, wrong: Truth, fault: Fault) -> Result<(), SectionEnd> {
        let is_met = match &wrong {
            Truth::Known(known) => *known,
            Truth::Term(term) => path.store.check(term, self.search.solver) == Answer::Sat,
        };
        if self.choosing == Choosing::Drawn && is_met {
            return Err(Stop::Fault(fault).into());
        }
        self.require(path, wrong.not(), Stop::Fault(fault))
    }

    fn cut(&mut self, path: &mut RunPath, reached: Truth, limit: Limit, _: Option<Site>) -> Result<(), SectionEnd> {
        self.require(path, reached.not(), Stop::Limit(limit))
    }

    fn pause(&mut self, path: &mut RunPath) -> Result<(), SectionEnd> {
        self.search.at_yield.meet(&mut path.process).map_or(Ok(()), |done| Err(SectionEnd(Ok(done))))
    }

    fn emit(&mut self, path: &mut RunPath, to: &Value, (message, site): (Value, Site)) -> Result<(), SectionEnd> {
        path.process.emit(Port::of(to).ok_or(UNDECIDED)?, message, site);
        path.process.proceed();
        Ok(())
    }

    fn close(&mut self, path: &mut RunPath, client: &Value, _: Site) -> Result<(), SectionEnd> {
        path.process.close(Port::of(client).ok_or(UNDECIDED)?);
        path.process.proceed();
        Ok(())
    }

    fn call(&mut self, path: &mut RunPath, calls: PeerCalls) -> Result<(), SectionEnd> {
        path.process.suspend_calling(calls);
        Err(SectionEnd(Ok(SectionDone::Suspended)))
    }

    fn end(&mut self, _: &mut RunPath, answer: Option<(Value, Site)>) -> SectionEnd {
        SectionEnd(Ok(SectionDone::Ended(answer.map_or(Reply::Nothing, |(answer, _)| Reply::Answer(answer)))))
    }
}

impl Searching<'_, '_> {
    fn require(&mut self, path: &mut RunPath, condition: Truth, stop: Stop) -> Result<(), SectionEnd> {
        Ok(path.require(condition, self.search.solver).map_err(|_| stop)?)
    }
}

/// Takes one of several ways.
fn go(program: &Program, path: &mut RunPath, way: usize) {
    let elements = path.process.elements();
    let made = elements.get(way).map_or(Given::Way(way), |element| Given::Element(element.clone()));
    let guard = path.process.picks_where(program, way);
    path.log.push((made, guard));
    path.process.select(way);
}

/// The rank of a stop; of the stops of several paths the highest is reported. A faulty run ranks above one that does not exist.
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
