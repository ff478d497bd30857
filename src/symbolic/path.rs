//! A path: a process, its path condition, and a log of what it met.

use crate::process::Process;
use crate::solve::{Answer, Solver, Store};
use crate::term::Term;
use crate::value::Truth;

/// The path condition cannot hold: no run comes this way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Infeasible;

/// A run that is under way, as [`drive`](fn@super::drive) sees it.
pub trait Driven {
    /// The process and its path condition.
    fn parts(&mut self) -> (&mut Process, &Store);
}

/// A run whose values may be symbols.
#[derive(Clone, Debug)]
pub struct Path<L> {
    /// The server's memory and task.
    pub process: Process,
    /// The path condition.
    pub store: Store,
    /// The log of what the path met.
    pub log: Vec<L>,
}

impl<L> Driven for Path<L> {
    fn parts(&mut self) -> (&mut Process, &Store) {
        (&mut self.process, &self.store)
    }
}

impl<L: Clone> Path<L> {
    /// The path that begins with a process, with nothing assumed.
    #[must_use]
    pub fn new(process: Process) -> Path<L> {
        Path { process, store: Store::default(), log: Vec::new() }
    }

    /// Adds a condition.
    ///
    /// # Errors
    /// If it cannot hold.
    pub fn assume(&mut self, condition: &Term, solver: &mut Solver) -> Result<(), Infeasible> {
        if self.store.assume(condition, solver) == Answer::Unsat { Err(Infeasible) } else { Ok(()) }
    }

    /// Adds a condition that may be known.
    ///
    /// # Errors
    /// If it cannot hold.
    pub fn require(&mut self, condition: Truth, solver: &mut Solver) -> Result<(), Infeasible> {
        match condition {
            Truth::Known(true) => Ok(()),
            Truth::Known(false) => Err(Infeasible),
            Truth::Term(term) => self.assume(&term, solver),
        }
    }

    /// Takes the first side of an open condition if it can hold, else the other one; returns the other side if both can. Each side
    /// is noted before its condition is added.
    ///
    /// # Errors
    /// If neither can hold.
    pub fn fork(
        &mut self,
        condition: &Term,
        first: bool,
        solver: &mut Solver,
        note: impl Fn(&mut Path<L>, bool),
    ) -> Result<Option<Path<L>>, Infeasible> {
        let negated = Term::not(condition);
        let mut take = |path: &mut Path<L>, holds: bool| {
            note(path, holds);
            path.process.branch(holds);
            path.assume(if holds { condition } else { &negated }, solver)
        };
        let mut other = self.clone();
        let is_open = take(&mut other, !first);
        match (take(self, first), is_open) {
            (Ok(()), is_open) => Ok(is_open.is_ok().then_some(other)),
            (Err(Infeasible), Ok(())) => {
                *self = other;
                Ok(None)
            }
            (Err(Infeasible), Err(Infeasible)) => Err(Infeasible),
        }
    }
}
