//! A candidate: one symbolic state that explains what was observed, such as `n = #1` with `#1 >= 3`; and a pool of spare candidates.

use std::ops::{Deref, DerefMut};

use super::Observed;
use super::normal_form::growth::Growth;
use super::verdict::{Doubt, Place};
use crate::process::{Port, Process, SectionStart};
use crate::solve::{Answer, Past, Solver, Store};
use crate::spec::{Site, Spec};
use crate::symbolic::{Driven, Infeasible};
use crate::term::{Condition, Term};
use crate::value::{self, Conditions, Lifted, Truth, Value};

/// A boxed state: candidates are moved more often than their contents are read.
///
/// A candidate is a value: forking clones it, and nothing is undone.
#[derive(Clone, Debug)]
pub struct Candidate(Box<State>);

/// A process with symbolic memory, and the constraints on its variables.
///
/// 1. It stands for the states of `process` under the models of `store`. If it is clean, `store` has a model.
/// 2. If `growth` has no choices and is not open, all of the memory is known ([`Growth`]).
/// 3. The judge's steps know the first `noticed` parts that the section touched; `noticed` is 0 when a request begins.
/// 4. `log` and the trail of `store` are kept together, or neither is.
#[derive(Clone, Debug)]
pub struct State {
    /// The server's memory and tasks.
    pub process: Process,
    /// The constraints on the variables.
    pub store: Store,
    /// The first question about it that was too hard, and where it was asked; a doubtful candidate may be impossible.
    pub doubt: Option<(Doubt, Option<Place>)>,
    /// The growth since dead variables were last looked for.
    pub(super) growth: Growth,
    /// The number of parts that the section touched and that have been noticed.
    pub(super) noticed: usize,
    /// The node at which the last answer was given.
    pub replied: Option<Site>,
    /// The last answer, if any answer would do and answers are kept.
    pub answer: Option<Value>,
    /// The choices on the path to this state, if they are kept for a witness.
    pub log: Past<Log>,
}

impl Deref for Candidate {
    type Target = State;

    fn deref(&self) -> &State {
        &self.0
    }
}

impl DerefMut for Candidate {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.0
    }
}

impl Driven for Candidate {
    fn parts(&mut self) -> (&mut Process, &Store) {
        let state = &mut **self;
        (&mut state.process, &state.store)
    }
}

/// A choice that a path made, with its event.
#[derive(Clone, Debug)]
pub struct Log {
    /// The event (from 1; 0 is the initial state) in whose section the choice was made.
    pub event: u64,
    /// The choice.
    pub entry: Logged,
}

/// A choice that a path made.
#[derive(Clone, PartialEq, Debug)]
pub enum Logged {
    /// A value, made if the guard holds (`None`: always).
    Value {
        /// The chosen value, in terms of fresh variables.
        value: Value,
        /// The condition of the arm that it was chosen in.
        guard: Option<Term>,
    },
    /// One branch of an `either`.
    Way(usize),
    /// One element of a collection, picked if the guard holds (`None`: always).
    Element {
        /// The element.
        value: Value,
        /// The condition of the arm that it was picked in.
        guard: Option<Term>,
    },
    /// The request took effect: noted if it may also have none, or if a step of the server may precede it ([`notes_requests`]).
    Received,
    /// The request, if a part of it is not known.
    Request(Value),
    /// The server began this step by itself.
    Step(usize),
    /// The path began in the candidate with this number: choices were kept from then on only.
    Began(usize),
    /// The server began a section over a network.
    Section(SectionStart),
    /// The message that was seen, if it may be any of several messages under way.
    Seen(Value),
    /// A peer saw a call: that for which the task of this connection waits, or (`None`) one for which no task waits.
    Called(Option<Port>),
    /// The answers of peers to calls of these numbers have arrived, which the section begins with.
    Arrived(Vec<u64>),
    /// A duplicate delivery: the same request had arrived before.
    Copied,
    /// A message of the last section was dropped: the same one was under way already, or nobody sees it.
    Dropped(Port, Value),
    /// The last request of the connection that is given up is never read.
    NeverRead,
    /// The next event was observed over a network.
    Observed,
}

/// Tests whether a path notes that the request took effect: no note is needed if it certainly does, before any step of the server.
#[must_use]
pub fn notes_requests(spec: &Spec, seen: &Observed) -> bool {
    !spec.program.steps.is_empty() || matches!(seen, Observed::Lost)
}

impl Candidate {
    pub(super) fn new(process: Process) -> Candidate {
        Candidate(Box::new(State {
            process,
            store: Store::default(),
            doubt: None,
            growth: Growth::default(),
            noticed: 0,
            replied: None,
            answer: None,
            log: Past::default(),
        }))
    }

    /// Overwrites the candidate with a copy of another one, and reuses its allocations.
    pub(super) fn copy_from(&mut self, other: &Candidate) {
        self.process.copy_from(&other.process);
        self.copy_beside_process(other);
    }

    /// Copies everything but the process, which has taken its own branch already.
    pub(super) fn copy_beside_process(&mut self, other: &Candidate) {
        let State { process: _, store, doubt, growth, noticed, replied, answer, log } = &**other;
        let own = &mut *self.0;
        if !(own.store.is_new() && store.is_new()) {
            own.store.clone_from(store);
        }
        own.doubt.clone_from(doubt);
        (own.growth, own.noticed, own.replied) = (*growth, *noticed, *replied);
        own.answer.clone_from(answer);
        own.log.clone_from(log);
    }

    /// Drops the candidate's contents, and keeps their allocations.
    pub(super) fn empty(&mut self) {
        let own = &mut *self.0;
        own.process.empty();
        if !own.store.is_new() {
            own.store = Store::default();
        }
        (own.doubt, own.answer, own.log) = (None, None, Past::default());
    }

    /// Tests whether every question about the candidate was answered.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.doubt.is_none()
    }

    /// Tests whether the candidate is clean, all that is under way is known, and no value in its memory is unknown as a whole
    /// except the bases of maps with cells.
    pub(super) fn is_plain(&self) -> bool {
        self.is_clean() && self.process.is_pending_known() && !self.process.has_unknowns_beside_cells()
    }

    /// Tests whether all of the memory is known: it was when dead variables were last looked for, and nothing was chosen since.
    pub(super) fn is_known(&self) -> bool {
        self.growth.choices == 0 && !self.growth.open
    }

    /// Assumes each of some facts.
    pub(super) fn assume_each(
        &mut self,
        facts: &[Term],
        at: Option<Place>,
        solver: &mut Solver,
    ) -> Result<(), Infeasible> {
        facts.iter().try_for_each(|fact| self.assume(fact, at, solver))
    }

    pub(super) fn assume(
        &mut self,
        condition: &Term,
        at: Option<Place>,
        solver: &mut Solver,
    ) -> Result<(), Infeasible> {
        let answer = self.store.assume(condition, solver);
        self.take_up(answer, at)
    }

    /// Assumes the condition of a statement.
    pub(super) fn assume_condition(
        &mut self,
        condition: &Condition,
        at: Option<Place>,
        solver: &mut Solver,
    ) -> Result<(), Infeasible> {
        let answer = self.store.assume_condition(condition, solver);
        self.take_up(answer, at)
    }

    /// Unifies an answer with the observed one: assumes part by part that the two are equal.
    pub(super) fn shows(
        &mut self,
        answer: &Value,
        expected: &Value,
        at: Place,
        solver: &mut Solver,
    ) -> Lifted<Result<(), Infeasible>> {
        if !matches!(answer, Value::Data { fields: Some(_), .. } | Value::Union(_)) {
            return Ok(self.require(value::equal(answer, expected)?, Some(at), solver));
        }
        let mut conditions = Conditions::default();
        if !value::equal_where(answer, expected, &mut conditions)? {
            return Ok(Err(Infeasible));
        }
        Ok(match &conditions[..] {
            [] => Ok(()),
            [condition] => self.assume(condition, Some(at), solver),
            _ => {
                let answer = self.store.assume_all(conditions, solver);
                self.take_up(answer, Some(at))
            }
        })
    }

    /// Applies the solver's answer to an assumption: fails if it cannot hold; an unknown answer makes the candidate doubtful.
    pub(super) fn take_up(&mut self, answer: Answer, at: Option<Place>) -> Result<(), Infeasible> {
        match answer {
            Answer::Sat => {
                // The solver decided all constraints together, including those that it had left open before.
                self.doubt = None;
                Ok(())
            }
            Answer::Unsat => Err(Infeasible),
            Answer::Unknown(why) => {
                self.doubt.get_or_insert((Doubt::Solver(why), at));
                Ok(())
            }
        }
    }

    pub(super) fn require(
        &mut self,
        condition: Truth,
        at: Option<Place>,
        solver: &mut Solver,
    ) -> Result<(), Infeasible> {
        match condition {
            Truth::Known(true) => Ok(()),
            Truth::Known(false) => Err(Infeasible),
            Truth::Term(term) => self.assume(&term, at, solver),
        }
    }

    /// A copy of the candidate in which a condition holds; the condition must be possible.
    pub(super) fn where_holds(&self, condition: Truth, at: Place, solver: &mut Solver) -> Candidate {
        let mut state = self.clone();
        _ = state.require(condition, Some(at), solver);
        state
    }

    /// Checks whether a condition can hold in this candidate.
    pub(super) fn allows(&self, condition: &Truth, solver: &mut Solver) -> Answer {
        match condition {
            Truth::Known(true) => Answer::Sat,
            Truth::Known(false) => Answer::Unsat,
            Truth::Term(term) => self.store.check(term, solver),
        }
    }
}

/// At most this many emptied candidates are kept for reuse; more would only hold memory.
const KEPT: usize = 32;

/// A pool of candidates whose allocations are reused.
#[derive(Default, Debug)]
pub(super) struct Spares {
    /// Emptied candidates.
    emptied: Vec<Candidate>,
    /// A vector for the results of a request, empty between requests; kept so that no request allocates its own.
    pub(super) results: Vec<Candidate>,
}

impl Clone for Spares {
    /// An empty pool: spare candidates are allocations, not content.
    fn clone(&self) -> Spares {
        Spares::default()
    }
}

impl Spares {
    /// A copy of a candidate.
    pub(super) fn copy(&mut self, candidate: &Candidate) -> Candidate {
        match self.emptied.pop() {
            Some(mut spare) => {
                spare.copy_from(candidate);
                spare
            }
            None => candidate.clone(),
        }
    }

    /// A new candidate with a copy of another one's process; nothing else is copied.
    pub(super) fn beside(&mut self, candidate: &Candidate) -> Candidate {
        match self.emptied.pop() {
            Some(mut spare) => {
                spare.process.copy_from(&candidate.process);
                spare
            }
            None => Candidate::new(candidate.process.clone()),
        }
    }

    /// Empties a candidate that is not needed any more, and keeps it if there is room.
    pub(super) fn take(&mut self, mut candidate: Candidate) {
        if self.emptied.len() < KEPT && candidate.process.is_small() {
            candidate.empty();
            self.emptied.push(candidate);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Spares;
    use crate::judge::{Candidate, Exchange, Judge, Observed, Options, Reductions};
    use crate::spec::Spec;
    use crate::value::Value;

    const TEXT: &str = "protocol p { request int; response int; var n: int = 0; var m: map<int, int> = {};
        on q { m[q] := choose x: int where x < 9; either { n := choose int; } or { n := q; } reply 0; } }";

    /// Candidates that differ in all there is to copy.
    fn candidates() -> Vec<Candidate> {
        let spec = Spec::from_text(TEXT).unwrap_or_else(|error| panic!("{error}"));
        let options = Options { reductions: Reductions::None, keep_choices: true, ..Options::default() };
        let mut judge = Judge::new(Arc::clone(&spec), options);
        let mut met = judge.candidates().to_vec();
        for line in 1..=4 {
            let observed = if line == 4 { Observed::Any } else { Observed::Answer(Value::from(0)) };
            judge.observe(&Exchange { line, client: 1, request: Value::from(line as i64), observed });
            met.extend_from_slice(judge.candidates());
            met.extend(judge.candidates().iter().cloned().map(|mut candidate| {
                candidate.process.receive(&spec.program, &Value::from(7), 1);
                candidate.process.advance(&spec.program);
                candidate
            }));
        }
        met
    }

    #[test]
    fn a_copy_is_what_it_is_a_copy_of() {
        let met = candidates();
        assert!(met.len() > 20);
        for spare in &met {
            for candidate in &met {
                let mut spares = Spares::default();
                spares.take(spare.clone());
                let copy = spares.copy(candidate);
                assert!(spares.emptied.is_empty());
                assert_eq!(format!("{copy:?}"), format!("{candidate:?}"));
            }
        }
    }
}
