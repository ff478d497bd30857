//! A statement's condition: known, or a fork into those sides from which the observed answer can still come.
//!
//! Each side runs on to its next event before the constraints are copied. For example, where `NotStored` was observed, the other
//! side of `if !items.contains(key) { reply NotStored; }` comes to a choice from which it cannot answer so: then there is no
//! second candidate.

use super::candidate::{Candidate, State};
use super::section::{COPY_LIMIT, Open, Section};
use crate::process::{Event, Limit, Process};
use crate::solve::Store;
use crate::spec::code::{Pc, Program};
use crate::symbolic::{Fork, Infeasible};
use crate::term::{Condition, Term};
use crate::value::{Truth, Value};

/// What a copy costs at least: [`PATH_LIMIT`](super::section::PATH_LIMIT) copies of small paths come to half the limit.
const FORK_COST: usize = 500;
/// So many copied values are as much work as a made term.
const COPIED: u64 = 10;
/// So many events are passed at most before a side is followed.
const AHEAD: usize = 16;

impl<'j> Section<'j> {
    /// Follows the sides of a condition that can show what was observed.
    pub(super) fn follow(&mut self, candidate: &mut Candidate, fork: &Fork) -> Result<(), Infeasible> {
        let may = |pc: Pc| self.may_show(candidate, pc);
        let (then, otherwise) = fork.sides.map_or((true, true), |(then, otherwise)| (may(then), may(otherwise)));
        let holds = match (then, otherwise) {
            (true, true) => return self.follow_both(candidate, fork),
            (false, false) => return Err(Infeasible),
            (holds, _) => holds,
        };
        candidate.process.branch(holds);
        self.assume_side(candidate, fork, holds)
    }

    /// Follows both sides, as far as they can show what was observed.
    fn follow_both(&mut self, candidate: &mut Candidate, fork: &Fork) -> Result<(), Infeasible> {
        self.pay(candidate)?;
        let mut other = self.judge.spares.beside(candidate);
        let State { process, store, .. } = &mut **candidate;
        process.branch(true);
        other.process.branch(false);
        let then = self.runs_ahead(process, store, &fork.condition);
        let otherwise = self.runs_ahead(&mut other.process, store, &fork.condition.opposite());
        if (then, otherwise) == (Ok(()), Ok(())) {
            other.copy_beside_process(candidate);
            return self.assume_both(candidate, other, fork);
        }
        if then.is_err() {
            std::mem::swap(process, &mut other.process);
        }
        self.judge.spares.take(other);
        then.or(otherwise)?;
        self.assume_side(candidate, fork, then.is_ok())
    }

    /// The second half of a fork: what is known on each side.
    fn assume_both(&mut self, candidate: &mut Candidate, mut other: Candidate, fork: &Fork) -> Result<(), Infeasible> {
        if self.assume_side(candidate, fork, true).is_err() {
            // The conditions of a path can hold, so one of the two sides can be taken.
            std::mem::swap(candidate, &mut other);
            self.judge.spares.take(other);
            return Ok(());
        }
        match self.assume_side(&mut other, fork, false) {
            Ok(()) => {
                self.judge.count_fork(fork.site);
                self.open.push(Open::Running(other));
            }
            Err(Infeasible) => self.judge.spares.take(other),
        }
        Ok(())
    }

    /// Runs a side on to the next event of which something must be known; fails where it cannot show what was observed any more.
    fn runs_ahead(&mut self, process: &mut Process, store: &Store, side: &Condition) -> Result<(), Infeasible> {
        let Some(answer) = self.awaited() else { return Ok(()) };
        for _ in 0..AHEAD {
            let event = process.advance(&self.spec.program);
            self.judge.work.without_terms += 1;
            if !passes(&self.spec.program, process, &event, (store, side), answer)? {
                process.hold(event);
                break;
            }
            process.proceed();
        }
        Ok(())
    }

    /// Whether a path that has met a choice can still show what was observed.
    pub(super) fn may_still_show(&self, candidate: &Candidate) -> bool {
        self.awaited().is_none_or(|answer| candidate.process.may_still_reply(&self.spec.program, answer))
    }

    /// The answer (`None`: that there is none) that a path must come to, where it ends if it cannot.
    fn awaited(&self) -> Option<Option<&'j Value>> {
        if self.judge.options.ahead && self.judge.watch.is_none() { self.goal.only() } else { None }
    }

    /// Counts what a copy of a path costs, which deep recursion makes large; beyond the limit the path is cut off, and where
    /// the exchange has taken more than it may.
    pub(super) fn pay(&mut self, candidate: &Candidate) -> Result<(), Infeasible> {
        if self.is_exhausted() {
            return Err(Infeasible);
        }
        let cost = FORK_COST + candidate.process.size();
        self.copied = self.copied.saturating_add(cost);
        self.judge.work.without_terms = self.judge.work.without_terms.saturating_add(cost as u64 / COPIED);
        if self.copied <= COPY_LIMIT {
            return Ok(());
        }
        self.give_up(Limit::Paths);
        Err(Infeasible)
    }

    fn assume_side(&mut self, candidate: &mut Candidate, fork: &Fork, holds: bool) -> Result<(), Infeasible> {
        let at = Some(self.judge.place(fork.site));
        match holds {
            true => candidate.assume_condition(&fork.condition, at, &mut self.judge.solver),
            false => candidate.assume_condition(&fork.condition.opposite(), at, &mut self.judge.solver),
        }
    }
}

/// Tests whether a side goes on behind an event as it is; fails where it cannot show the answer any more.
fn passes(
    program: &Program,
    process: &Process,
    event: &Event,
    (store, side): (&Store, &Condition),
    answer: Option<&Value>,
) -> Result<bool, Infeasible> {
    let excluded = |wrong: &Truth| match wrong {
        Truth::Known(wrong) => !wrong,
        Truth::Term(wrong) => [wrong, &Term::and(&side.term(), wrong)].iter().any(|c| store.decide(c) == Some(false)),
    };
    let may_show = match event {
        Event::Fault(wrong, _) => return Ok(excluded(wrong)),
        Event::Expects(duty, _) => return Ok(excluded(&duty.clone().not())),
        Event::Choose { .. } | Event::Assume(..) => process.may_still_reply(program, answer),
        Event::Branch { sides: Some((then, otherwise)), .. } => {
            [then, otherwise].iter().any(|pc| process.may_reply(program, **pc, answer))
        }
        Event::Send(given, _) => answer.is_some_and(|answer| !differ(given, answer)),
        Event::Recv | Event::End | Event::Yield | Event::Guard { .. } | Event::Branch { .. } => true,
        Event::Look { .. } | Event::Or { .. } | Event::Cut(..) => true,
    };
    if may_show { Ok(false) } else { Err(Infeasible) }
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
