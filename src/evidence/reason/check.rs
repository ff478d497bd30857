//! A second judgement of a reason, for `--check-reason`.
//!
//! It shares no step with the search. The trace is judged from its beginning, or from any state if the reason says so. All
//! answers outside the reason are holes. Then it is judged once more without each answer of the reason.

use std::sync::Arc;

use super::budget::Budget;
use super::outcome::{Suffix, SuffixOutcome};
use super::{Minimality, Reason, search_options};
use crate::judge::{Judge, Options};
use crate::limits;
use crate::spec::Spec;
use crate::validate::{Recording, exchange_at};

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
    let mut outcome = |answers: &[usize]| suffix.outcome(start.clone(), from, answers, &mut budget);
    let before = 0..reason.and_before.unwrap_or(0);
    let all: Vec<usize> = before.chain(reason.because.iter().copied()).collect();
    let mut found = match outcome(&all) {
        SuffixOutcome::Rejected => Rechecked::Holds,
        SuffixOutcome::Explained => Rechecked::Fails,
        SuffixOutcome::Undecided => Rechecked::Undecided,
    };
    if reason.minimal == Minimality::CutOff {
        return found;
    }
    for left_out in 0..all.len() {
        match outcome(&[&all[..left_out], &all[left_out + 1..]].concat()) {
            SuffixOutcome::Rejected => return Rechecked::Fails,
            SuffixOutcome::Undecided if found == Rechecked::Holds => found = Rechecked::Undecided,
            SuffixOutcome::Undecided | SuffixOutcome::Explained => {}
        }
    }
    found
}
