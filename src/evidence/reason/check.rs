//! A second judgement of a reason, for `--check-reason`.
//!
//! It shares no step with the search. The trace is judged from its beginning, or from any state if the reason says so. All
//! answers outside the reason are holes. Then it is judged once more without each answer of the reason.

use std::sync::Arc;

use super::budget::Budget;
use super::outcome::Suffix;
use super::{Minimality, Reason, search_options};
use crate::judge::{Judge, Options};
use crate::limits;
use crate::reading::{Recording, exchange_at};
use crate::search::RelaxedOutcome;
use crate::spec::Spec;

/// The outcome of a second judgement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rechecked {
    /// The reason holds. If the reason claims to be minimal, no answer can be left out.
    Holds,
    /// The reason does not hold, or an answer can be left out although the reason claims to be minimal.
    Fails,
    /// A limit was reached.
    Undecided,
}

/// Checks that a set of answers is a reason, and is minimal if the set claims to be.
#[must_use]
pub fn check_reason<R>(spec: &Arc<Spec>, options: &Options, exchanges: &R, reason: &Reason) -> Rechecked
where
    R: Recording + ?Sized,
{
    let Some(rejected) = exchange_at(exchanges, reason.rejected) else { return Rechecked::Fails };
    let suffix = Suffix { recording: exchanges, rejected, at: reason.rejected };
    let mut budget = Budget::seconds(limits::CHECK_SECONDS);
    let start = match reason.from {
        Some(_) => Judge::of_any_state(spec, &search_options(options)),
        None => Judge::new(spec.clone(), search_options(options)),
    };
    let from = reason.from.unwrap_or(0);
    let before = 0..reason.and_before.unwrap_or(0);
    let all: Vec<usize> = before.chain(reason.because.iter().copied()).collect();
    recheck(reason.minimal, &all, &mut |answers| suffix.outcome(start.clone(), from, answers, &mut budget))
}

/// Judges again that an event is rejected with these answers. If they are claimed to be minimal, the event is not rejected without any
/// one of them.
pub(in crate::evidence) fn recheck(
    minimal: Minimality,
    answers: &[usize],
    judge: &mut dyn FnMut(&[usize]) -> RelaxedOutcome,
) -> Rechecked {
    let mut found = match judge(answers) {
        RelaxedOutcome::Rejected => Rechecked::Holds,
        RelaxedOutcome::Explained => return Rechecked::Fails,
        RelaxedOutcome::Undecided => Rechecked::Undecided,
    };
    let each = if minimal == Minimality::Minimal { answers.len() } else { 0 };
    for left_out in 0..each {
        match judge(&[&answers[..left_out], &answers[left_out + 1..]].concat()) {
            RelaxedOutcome::Rejected => return Rechecked::Fails,
            RelaxedOutcome::Undecided => found = Rechecked::Undecided,
            RelaxedOutcome::Explained => {}
        }
    }
    found
}
