//! The condition of a statement: known, or a fork into the sides from which the observed answer can still come.
//!
//! Each side runs on to its next event before the constraints are copied. For example, if `NotStored` was observed, the other
//! side of `if !items.contains(key) { reply NotStored; }` comes to a choice after which it cannot give this answer: then there is
//! no second candidate.

use super::{OpenPath, Section};
use crate::judge::candidate::{Candidate, State};
use crate::process::{Event, Process};
use crate::solve::Store;
use crate::spec::code::{Pc, Program};
use crate::symbolic::{Fork, Infeasible};
use crate::term::{Condition, Term};
use crate::value::{Truth, Value};

/// Each side runs ahead by at most this many events before its constraints are copied.
const AHEAD: usize = 16;

/// Follows the sides of a condition that can show what was observed.
pub(crate) fn follow(section: &mut Section<'_>, candidate: &mut Candidate, fork: &Fork) -> Result<(), Infeasible> {
    let may = |pc: Pc| section.may_show(candidate, pc);
    let (then, otherwise) = fork.sides.map_or((true, true), |(then, otherwise)| (may(then), may(otherwise)));
    let holds = match (then, otherwise) {
        (true, true) => return follow_both(section, candidate, fork),
        (false, false) => return Err(Infeasible),
        (holds, _) => holds,
    };
    candidate.process.branch(holds);
    assume_side(section, candidate, fork, holds)
}

/// Follows both sides, as far as they can show what was observed.
fn follow_both(section: &mut Section<'_>, candidate: &mut Candidate, fork: &Fork) -> Result<(), Infeasible> {
    section.pay(candidate)?;
    let mut other = section.context.spares.beside(candidate);
    let State { process, store, .. } = &mut **candidate;
    process.branch(true);
    other.process.branch(false);
    let then = runs_ahead(section, process, store, &fork.condition);
    let otherwise = runs_ahead(section, &mut other.process, store, &fork.condition.opposite());
    if (then, otherwise) == (Ok(()), Ok(())) {
        other.copy_beside_process(candidate);
        return assume_both(section, candidate, other, fork);
    }
    if then.is_err() {
        std::mem::swap(process, &mut other.process);
    }
    section.context.spares.take(other);
    then.or(otherwise)?;
    assume_side(section, candidate, fork, then.is_ok())
}

/// Assumes the condition on one side and its opposite on the other; a side on which that fails is dropped.
fn assume_both(
    section: &mut Section<'_>,
    candidate: &mut Candidate,
    mut other: Candidate,
    fork: &Fork,
) -> Result<(), Infeasible> {
    if assume_side(section, candidate, fork, true).is_err() {
        // The path is feasible, so the other side is.
        std::mem::swap(candidate, &mut other);
        section.context.spares.take(other);
        return Ok(());
    }
    match assume_side(section, &mut other, fork, false) {
        Ok(()) => {
            section.context.count_fork(fork.site);
            section.open.push(OpenPath::Running(other));
        }
        Err(Infeasible) => section.context.spares.take(other),
    }
    Ok(())
}

/// Runs a side on to the next event that needs its constraints; fails once it cannot show the observed answer.
fn runs_ahead(
    section: &mut Section<'_>,
    process: &mut Process,
    store: &Store,
    side: &Condition,
) -> Result<(), Infeasible> {
    let Some(answer) = section.awaited() else { return Ok(()) };
    for _ in 0..AHEAD {
        let event = process.advance(&section.spec.program);
        section.context.work.without_terms += 1;
        if !passes(&section.spec.program, process, &event, store, side, answer)? {
            process.hold(event);
            break;
        }
        process.proceed();
    }
    Ok(())
}

fn assume_side(
    section: &mut Section<'_>,
    candidate: &mut Candidate,
    fork: &Fork,
    holds: bool,
) -> Result<(), Infeasible> {
    let at = Some(section.context.place(fork.site));
    let opposite = (!holds).then(|| fork.condition.opposite());
    candidate.assume_condition(opposite.as_ref().unwrap_or(&fork.condition), at, &mut section.context.solver)
}

/// Tests whether a side can go on after an event without more constraints; fails if it cannot show the answer any more.
fn passes(
    program: &Program,
    process: &Process,
    event: &Event,
    store: &Store,
    side: &Condition,
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
        Event::Announce(given, _) | Event::Send(given, _) => answer.is_some_and(|answer| !differ(given, answer)),
        Event::Recv | Event::End | Event::Yield | Event::Guard { .. } | Event::Branch { .. } => true,
        Event::Look { .. } | Event::Or { .. } | Event::Cut(..) => true,
        Event::Emit { .. } | Event::Close { .. } | Event::Call(_) => true,
    };
    if may_show { Ok(false) } else { Err(Infeasible) }
}

/// Tests whether two values certainly differ; unknown parts are ignored.
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
