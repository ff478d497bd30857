//! The paths of a request through its handler, from one state. Parts of the request may be symbols.
//!
//! From `data = {"a": 1}` the request `Get { key: #1 }` has two paths: in one #1 is "a", and in the other it is not.

use crate::limits::end;
use crate::process::{Event, Fault, Fresh, Limit, Process};
use crate::solve::{Answer, Solver, Store};
use crate::spec::{Site, Spec, Types};
use crate::symbolic::{self, Chosen, Driven, Fork, Infeasible, Policy, drive, havoc};
use crate::term::{Term, made};
use crate::value::{Truth, Value};

/// The number of the first variable that is made here; variables of states have smaller numbers.
pub(super) const FIRST: u64 = 1 << 40;

/// A path, with the constraints on its symbols.
pub(super) struct RequestPath(symbolic::Path<()>);

/// The outcome of a path.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum RequestPathEnd {
    /// The handler has ended, with this answer if it gives one.
    Ended(Option<Value>),
    /// No run takes this path, or nothing that matters comes on it.
    Nowhere,
    /// The client's duty may be broken at this place.
    Broken(Site),
    /// The path was not followed to its end, as that takes too much work or time.
    Abandoned,
}

impl From<Infeasible> for RequestPathEnd {
    fn from(_: Infeasible) -> RequestPathEnd {
        RequestPathEnd::Nowhere
    }
}

impl Driven for RequestPath {
    fn parts(&mut self) -> (&mut Process, &Store) {
        (&mut self.0.process, &self.0.store)
    }
}

impl RequestPath {
    /// The beginning of a request in a state, with the constraints on the symbols of the state.
    pub fn of(spec: &Spec, state: Vec<Value>, store: Store, request: &Value, client: u64) -> RequestPath {
        let mut process = Process::new(&spec.program);
        process.memory = state;
        process.receive(&spec.program, request, client);
        RequestPath(symbolic::Path { store, ..symbolic::Path::new(process) })
    }

    /// Adds a condition.
    ///
    /// # Errors
    /// The condition cannot hold.
    pub fn assume(&mut self, condition: &Term, solver: &mut Solver) -> Result<(), Infeasible> {
        self.0.assume(condition, solver)
    }

    /// The memory after the path, and the constraints on its symbols.
    pub fn ended(self) -> (Vec<Value>, Store) {
        (self.0.process.memory, self.0.store)
    }
}

/// The treatment of the client's duties on paths.
#[derive(Clone, Copy)]
pub(super) enum Duties<'s> {
    /// Paths are followed as long as a duty may come, by function and instruction, to find one that may be broken.
    AreChecked(&'s [Vec<bool>]),
    /// A path goes on if its duties can be kept, and they are.
    AreKept,
}

/// The paths of a request that were not followed yet, and the means to follow them.
pub(super) struct RequestPaths<'s> {
    pub types: &'s Types,
    pub fresh: Fresh,
    pub solver: &'s mut Solver,
    /// The paths that have not ended.
    pub open: Vec<RequestPath>,
    /// The most of them. A path that forks when there are as many goes nowhere: a loop may fork again and again.
    pub room: usize,
    pub duties: Duties<'s>,
    /// A path is abandoned after this number of made terms, as [`made`] counts them.
    pub last_made: u64,
    /// Set after a path went on in some states only, or may break a duty in some states only.
    pub is_of_some_states: bool,
}

impl RequestPaths<'_> {
    /// Tests whether no work is left for paths.
    pub fn is_over(&self) -> bool {
        made() > self.last_made || end::is_over()
    }

    /// Follows a path to its end. If it forks, the other sides are added to the open paths.
    pub fn run(&mut self, spec: &Spec, path: &mut RequestPath) -> RequestPathEnd {
        drive(spec, self, path)
    }

    fn require(&mut self, path: &mut RequestPath, condition: Truth) -> Result<(), RequestPathEnd> {
        self.is_of_some_states |= matches!(condition, Truth::Term(_));
        Ok(path.0.require(condition, self.solver)?)
    }
}

impl Policy for RequestPaths<'_> {
    type Path = RequestPath;
    type Stopped = RequestPathEnd;

    fn fresh(&mut self) -> &mut Fresh {
        &mut self.fresh
    }

    fn advance(&mut self, spec: &Spec, path: &mut RequestPath) -> Result<Event, RequestPathEnd> {
        if let Duties::AreChecked(ahead) = self.duties {
            let is_ahead = |function: u32, pc: u32| ahead[function as usize].get(pc as usize) == Some(&true);
            if !path.0.process.may_come(&is_ahead) {
                return Err(RequestPathEnd::Nowhere);
            }
        }
        if self.is_over() {
            return Err(RequestPathEnd::Abandoned);
        }
        Ok(path.0.process.advance(&spec.program))
    }

    fn restrict(&mut self, path: &mut RequestPath, facts: Vec<Term>, _: u64, _: Site) -> Result<(), RequestPathEnd> {
        Ok(facts.iter().try_for_each(|fact| path.assume(fact, self.solver))?)
    }

    fn choose(&mut self, path: &mut RequestPath, chosen: Chosen) -> Result<(), RequestPathEnd> {
        let (value, facts) = havoc(&mut self.fresh, self.types, &chosen);
        path.0.process.resume(value);
        self.restrict(path, facts, 0, chosen.site)
    }

    fn fork(&mut self, path: &mut RequestPath, Fork { condition, .. }: Fork) -> Result<(), RequestPathEnd> {
        if self.open.len() >= self.room {
            return Err(RequestPathEnd::Nowhere);
        }
        let other = path.0.fork(&condition.term(), true, self.solver, |_, _| {})?;
        self.open.extend(other.map(RequestPath));
        Ok(())
    }

    fn select(&mut self, path: &mut RequestPath, ways: usize, _: Site) -> Result<(), RequestPathEnd> {
        for way in 1..ways {
            let mut other = path.0.clone();
            other.process.select(way);
            self.open.push(RequestPath(other));
        }
        path.0.process.select(0);
        Ok(())
    }

    fn assume(&mut self, path: &mut RequestPath, condition: Truth, _: Site) -> Result<(), RequestPathEnd> {
        self.require(path, condition)
    }

    fn expects(&mut self, path: &mut RequestPath, duty: Truth, site: Site) -> Result<(), RequestPathEnd> {
        if matches!(self.duties, Duties::AreKept) {
            return self.require(path, duty);
        }
        let is_kept = match duty.not() {
            Truth::Known(is_broken) => !is_broken,
            Truth::Term(broken) => {
                self.is_of_some_states = true;
                path.0.store.clone().assume(&broken, self.solver) == Answer::Unsat
            }
        };
        if is_kept { Ok(()) } else { Err(RequestPathEnd::Broken(site)) }
    }

    fn fault(&mut self, path: &mut RequestPath, wrong: Truth, _: Fault) -> Result<(), RequestPathEnd> {
        self.require(path, wrong.not())
    }

    fn cut(&mut self, path: &mut RequestPath, reached: Truth, _: Limit, _: Option<Site>) -> Result<(), RequestPathEnd> {
        self.require(path, reached.not()).map_err(|_| RequestPathEnd::Abandoned)
    }

    fn end(&mut self, _: &mut RequestPath, answer: Option<(Value, Site)>) -> RequestPathEnd {
        RequestPathEnd::Ended(answer.map(|(answer, _)| answer))
    }
}
