//! A statement's condition: known, or a fork into those sides from which the observed answer can still come.
//!
//! Each side runs on to its next event before the constraints are copied. For example, where `NotStored` was observed, the other
//! side of `if !items.contains(key) { reply NotStored; }` comes to a choice from which it cannot answer so: then there is no
//! second candidate.

use super::candidate::{Alive, Candidate, State};
use super::frontier::Judge;
use super::goal::Goal;
use super::observe::Open;
use crate::process::{Event, Limit, Process};
use crate::solve::Store;
use crate::spec::Site;
use crate::spec::code::{Pc, Program};
use crate::term::{Condition, Term};
use crate::value::{Truth, Value};

/// What the copies of the paths of one request may cost together, in copied values.
pub(super) const COPY_LIMIT: usize = 20_000_000;
/// What a copy costs at least: [`PATH_LIMIT`](super::frontier::PATH_LIMIT) copies of small paths come to half the limit.
const FORK_COST: usize = 500;
/// So many copied values are as much work as a made term.
const COPIED: u64 = 10;
/// So many events are passed at most before a side is followed.
const AHEAD: usize = 16;

/// A statement's condition.
pub(super) struct Fork<'f> {
    pub(super) condition: &'f Condition,
    /// Where its two sides begin.
    pub(super) sides: Option<(Pc, Pc)>,
    pub(super) site: Site,
}

impl Judge {
    /// Follows the sides of a condition that can show what was observed.
    pub(super) fn branch(
        &mut self,
        program: &Program,
        candidate: &mut Candidate,
        fork: Fork<'_>,
        goal: Goal<'_>,
        open: &mut Vec<Open>,
    ) -> Alive {
        let Fork { condition, sides, .. } = fork;
        if let Some(known) = candidate.store.decide_condition(condition) {
            candidate.process.branch(known);
            return Alive::Yes;
        }
        let may = |pc: Pc| self.may_show(program, candidate, pc, goal);
        let (then, otherwise) = sides.map_or((true, true), |(then, otherwise)| (may(then), may(otherwise)));
        match (then, otherwise) {
            (false, false) => Alive::No,
            (true, false) => self.take(candidate, &fork, true),
            (false, true) => self.take(candidate, &fork, false),
            (true, true) => self.fork(program, candidate, &fork, goal, open),
        }
    }

    /// Follows both sides, as far as they can show what was observed.
    fn fork(
        &mut self,
        program: &Program,
        candidate: &mut Candidate,
        fork: &Fork<'_>,
        goal: Goal<'_>,
        open: &mut Vec<Open>,
    ) -> Alive {
        if self.pay(candidate) == Alive::No {
            return Alive::No;
        }
        let mut other = self.spares.beside(candidate);
        let State { process, store, .. } = &mut **candidate;
        process.branch(true);
        other.process.branch(false);
        let then = self.run_ahead(program, process, (store, fork.condition), goal);
        let otherwise = self.run_ahead(program, &mut other.process, (store, &fork.condition.opposite()), goal);
        if (then, otherwise) == (Alive::Yes, Alive::Yes) {
            other.copy_beside_process(candidate);
            return self.fork_facts(candidate, other, fork, open);
        }
        let holds = then == Alive::Yes;
        if !holds {
            std::mem::swap(process, &mut other.process);
        }
        self.spares.take(other);
        if otherwise == then { Alive::No } else { self.defer_side(candidate, fork, holds) }
    }

    /// The second half of a fork: what is known on each side.
    fn fork_facts(
        &mut self,
        candidate: &mut Candidate,
        mut other: Candidate,
        fork: &Fork<'_>,
        open: &mut Vec<Open>,
    ) -> Alive {
        if self.assume_side(candidate, fork, true) == Alive::No {
            std::mem::swap(candidate, &mut other);
            self.spares.take(other);
            return Alive::Yes;
        }
        match self.assume_side(&mut other, fork, false) {
            Alive::Yes => {
                self.count_fork(fork.site);
                open.push(Open::Running(other));
            }
            Alive::No => self.spares.take(other),
        }
        Alive::Yes
    }

    /// Runs a side on to the next event of which something must be known; whether it may still show what was observed.
    fn run_ahead(
        &mut self,
        program: &Program,
        process: &mut Process,
        known: (&Store, &Condition),
        goal: Goal<'_>,
    ) -> Alive {
        let Some(answer) = self.awaited(goal) else { return Alive::Yes };
        for _ in 0..AHEAD {
            let event = process.advance(program);
            self.worked += 1;
            match passes(program, process, &event, known, answer) {
                Some(Alive::Yes) => process.proceed(),
                Some(Alive::No) => return Alive::No,
                None => {
                    process.hold(event);
                    break;
                }
            }
        }
        Alive::Yes
    }

    /// Whether a path that has met a choice can still show what was observed.
    pub(super) fn may_still_show(&self, program: &Program, candidate: &Candidate, goal: Goal<'_>) -> bool {
        self.awaited(goal).is_none_or(|answer| candidate.process.may_still_reply(program, answer))
    }

    /// The answer (`None`: that there is none) that a path must come to, where it ends if it cannot.
    fn awaited<'o>(&self, goal: Goal<'o>) -> Option<Option<&'o Value>> {
        if self.options.ahead && self.watch.is_none() { goal.only() } else { None }
    }

    /// Counts what a copy of a path costs, which deep recursion makes large; beyond the limit the path is cut off, and where
    /// the exchange has taken more than it may.
    pub(super) fn pay(&mut self, candidate: &Candidate) -> Alive {
        if self.is_exhausted() {
            return Alive::No;
        }
        let cost = FORK_COST + candidate.process.size();
        self.copied = self.copied.saturating_add(cost);
        self.worked = self.worked.saturating_add(cost as u64 / COPIED);
        if self.copied <= COPY_LIMIT {
            return Alive::Yes;
        }
        self.give_up(Limit::Paths);
        self.whole = false;
        Alive::No
    }

    fn take(&mut self, candidate: &mut Candidate, fork: &Fork<'_>, holds: bool) -> Alive {
        candidate.process.branch(holds);
        self.defer_side(candidate, fork, holds)
    }

    /// Assumes the condition of the only side that is followed, at the next event: where that is the answer, what it tells
    /// comes first, and most often decides the condition.
    fn defer_side(&mut self, candidate: &mut Candidate, fork: &Fork<'_>, holds: bool) -> Alive {
        let Condition::Term(term) = fork.condition else { return self.assume_side(candidate, fork, holds) };
        if !self.options.told_first || self.watch.is_some() {
            return self.assume_side(candidate, fork, holds);
        }
        let side = if holds { term.clone() } else { Term::not(term) };
        self.deferred = Some((side, self.place(fork.site)));
        Alive::Yes
    }

    /// Assumes what was deferred.
    #[inline(never)] // Most events come after no fork.
    pub(super) fn assume_deferred(&mut self, candidate: &mut Candidate) -> Alive {
        match self.deferred.take() {
            Some((condition, at)) => candidate.assume(&condition, Some(at), &mut self.solver),
            None => Alive::Yes,
        }
    }

    fn assume_side(&mut self, candidate: &mut Candidate, fork: &Fork<'_>, holds: bool) -> Alive {
        let at = Some(self.place(fork.site));
        match holds {
            true => candidate.assume_condition(fork.condition, at, &mut self.solver),
            false => candidate.assume_condition(&fork.condition.opposite(), at, &mut self.solver),
        }
    }
}

/// What an event means for a side: it goes on, or cannot show the answer any more; `None` where it is to be answered.
fn passes(
    program: &Program,
    process: &Process,
    event: &Event,
    (store, side): (&Store, &Condition),
    answer: Option<&Value>,
) -> Option<Alive> {
    let excluded = |wrong: &Truth| match wrong {
        Truth::Known(wrong) => !wrong,
        Truth::Term(wrong) => [wrong, &Term::and(&side.term(), wrong)].iter().any(|c| store.decide(c) == Some(false)),
    };
    match event {
        Event::Fault(wrong, _) => excluded(wrong).then_some(Alive::Yes),
        Event::Expects(duty, _) => excluded(&duty.clone().not()).then_some(Alive::Yes),
        Event::Choose { .. } | Event::Assume(..) => (!process.may_still_reply(program, answer)).then_some(Alive::No),
        Event::Branch { sides: Some((then, otherwise)), .. } => {
            let may = |pc: Pc| process.may_reply(program, pc, answer);
            (!may(*then) && !may(*otherwise)).then_some(Alive::No)
        }
        Event::Send(given, _) => answer.is_none_or(|answer| differ(given, answer)).then_some(Alive::No),
        Event::Recv | Event::End | Event::Yield | Event::Guard { .. } | Event::Branch { .. } => None,
        Event::Look { .. } | Event::Or { .. } | Event::Cut(..) => None,
    }
}

/// Whether two values certainly differ; what is not known of them is not looked at.
fn differ(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Scalar(a), Value::Scalar(b)) => a != b,
        (Value::Data { tag, .. }, Value::Data { tag: other, .. }) => {
            tag != other || a.fields().iter().zip(b.fields()).any(|(a, b)| differ(a, b))
        }
        (Value::List(a), Value::List(b)) => a.len() != b.len() || a.iter().zip(b.iter()).any(|(a, b)| differ(a, b)),
        _ => false,
    }
}

/// Which arm of a conditional expression is taken, if the other one cannot be on its path.
pub(super) fn decide_arm(store: &Store, condition: &Term, path: Option<&Term>) -> Option<bool> {
    store.decide(condition).or_else(|| {
        let path = path?;
        if store.decide(&Term::and(path, condition)) == Some(false) {
            return Some(false);
        }
        (store.decide(&Term::and(path, &Term::not(condition))) == Some(false)).then_some(true)
    })
}
