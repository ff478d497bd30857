//! Unifying an answer with the observed one: its symbolic parts are assumed to be equal to the observed ones.
//!
//! `reply Pair(#1, 2)` if `Pair(5, 2)` was observed says `#1 = 5`; if `Pair(5, 3)` was, the path ends.

use super::{GivenAnswer, Goal, OpenPath, PathOutcome, Section};
use crate::judge::candidate::Candidate;
use crate::judge::normal_form::forget;
use crate::judge::tasks::wire::MessageFate;
use crate::process::{Answered, Fault, Limit};
use crate::spec::Site;
use crate::spec::code::FaultKind;
use crate::symbolic::{Infeasible, Policy};
use crate::term::Term;
use crate::value::{self, Ask, Split, Truth, Value};

/// Unifies an answer with the observed one, and settles the lookups that waited for it.
pub(crate) fn answer(
    section: &mut Section<'_>,
    candidate: &mut Candidate,
    given: GivenAnswer,
) -> Result<(), Infeasible> {
    let is_announced = section.goal == Goal::Section && !given.is_last;
    compare(section, candidate, given)?;
    if is_announced {
        // What follows looks at positions and keys that the answer shows.
        forget::substitute_in_task(candidate);
    }
    Ok(())
}

fn compare(section: &mut Section<'_>, candidate: &mut Candidate, mut given: GivenAnswer) -> Result<(), Infeasible> {
    let next;
    let expected = match section.goal {
        Goal::Answer(expected) => expected,
        Goal::Section if !given.is_last => match section.context.wire.fate_of_announced(&candidate.process) {
            Some(MessageFate::Is(answer)) => {
                next = answer;
                &next
            }
            Some(MessageFate::Impossible) => return Err(Infeasible),
            Some(MessageFate::Any | MessageFate::Unseen) | None => return Ok(()),
        },
        Goal::Section => {
            candidate.process.send(given.value, given.site);
            return Ok(());
        }
        Goal::Any | Goal::Lost => {
            candidate.answer = section.context.options.keep_answers.then_some(given.value);
            return Ok(());
        }
        Goal::Nothing => return Err(Infeasible),
    };
    let at = section.context.place(given.site);
    if let (Value::Scalar(answer), Value::Scalar(expected)) = (&given.value, expected)
        && answer == expected
    {
        return Ok(());
    }
    loop {
        let split = match candidate.shows(&given.value, expected, at, &mut section.context.solver) {
            Ok(shows) => return shows,
            Err(split) => split,
        };
        given = decided_apart(section, candidate, given, split)?;
        while let Err(split) = value::may_be_equal(&given.value, expected) {
            given = decided_apart(section, candidate, given, split)?;
        }
    }
}

/// The answer after a split, of which more is known, so that the comparison gets further.
fn decided_apart(
    section: &mut Section<'_>,
    candidate: &mut Candidate,
    given: GivenAnswer,
    split: Split,
) -> Result<GivenAnswer, Infeasible> {
    match split {
        Split::On(condition) if condition.as_bool().is_none() => fork_answer(section, candidate, &given, &condition),
        Split::On(_) => is_beyond(section, candidate, Limit::Undecidable, given.site),
        Split::Uncounted => {
            let fault = Fault { kind: FaultKind::Uncounted, site: given.site };
            _ = section.fault(candidate, Truth::Known(true), fault);
            Err(Infeasible)
        }
        Split::Ask(ask) => asked(section, candidate, given, &ask),
    }
}

/// The answer with an unknown value in it expanded.
fn asked(
    section: &mut Section<'_>,
    candidate: &mut Candidate,
    given: GivenAnswer,
    ask: &Ask,
) -> Result<GivenAnswer, Infeasible> {
    let spec = section.spec;
    match candidate.process.ask(&spec.program, ask) {
        Answered::Part(part) => match given.value.filled(&part) {
            Some(value) => Ok(GivenAnswer { value, ..given }),
            None => is_beyond(section, candidate, Limit::Undecidable, given.site),
        },
        Answered::Look(look) => match section.look(spec, candidate, &look, given.site) {
            Ok(()) => Ok(given),
            Err(PathOutcome::Shows | PathOutcome::Infeasible) => Err(Infeasible),
        },
        Answered::Branch(condition) => fork_answer(section, candidate, &given, &condition),
        Answered::Cut(limit) => is_beyond(section, candidate, limit, given.site),
    }
}

/// Ends a path at a limit.
fn is_beyond<T>(
    section: &mut Section<'_>,
    candidate: &mut Candidate,
    limit: Limit,
    site: Site,
) -> Result<T, Infeasible> {
    _ = section.cut(candidate, Truth::Known(true), limit, Some(site));
    Err(Infeasible)
}

/// Opens both sides of a condition on which an answer depends, in the place of their path, which ends.
fn fork_answer<T>(
    section: &mut Section<'_>,
    candidate: &Candidate,
    given: &GivenAnswer,
    condition: &Term,
) -> Result<T, Infeasible> {
    for holds in [true, false] {
        let mut side = section.context.spares.copy(candidate);
        side.process.branch(holds);
        let side_condition = if holds { condition.clone() } else { Term::not(condition) };
        let at = Some(section.context.place(given.site));
        if side.assume(&side_condition, at, &mut section.context.solver).is_ok() {
            let value = given.value.decide(condition, holds);
            section.open.push(OpenPath::Answering(side, GivenAnswer { value, ..*given }));
        }
    }
    Err(Infeasible)
}
