//! Sharpness: the share of answers of which the specification left only one possible.
//!
//! Of the answers of a run, one of eight is looked at: it is *forced* if none of the explanations before it gives another one. An answer
//! whose parts the specification chooses is not forced, unless what came before says what they are.

use crate::judge::{Candidate, Exchange, Judge, Observed};
use crate::solve::{Answer, Solver};
use crate::value::{Truth, Value, equal};

/// One answer in this number is looked at.
const SAMPLED: u64 = 8;
/// The most explanations that are looked at: if more are left, the answer counts as not forced.
const EXPLANATIONS: usize = 64;

/// The share of answers that were forced, among those that were looked at.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Sharpness {
    /// The number of answers that were forced.
    pub forced: u64,
    /// The number of answers that were forced, or whose constructor was: for example a `Fresh` of any token.
    pub shaped: u64,
    /// The number of answers that were looked at.
    pub looked_at: u64,
    seen: u64,
}

impl Sharpness {
    /// The share in percent, rounded down; `None` if no answer was looked at.
    #[must_use]
    pub fn percent(&self) -> Option<u64> {
        (self.forced * 100).checked_div(self.looked_at)
    }

    /// Takes up an exchange that a judge is to observe next.
    pub(super) fn observe(&mut self, judge: &Judge, exchange: &Exchange) {
        let Some(seen) = exchange.observed.answer() else { return };
        self.seen += 1;
        if self.seen % SAMPLED != 1 {
            return;
        }
        self.looked_at += 1;
        let forced = forced_part(judge, exchange, seen);
        self.forced += u64::from(forced == ForcedPart::Whole);
        self.shaped += u64::from(forced != ForcedPart::Nothing);
    }
}

/// The part of an answer that was the only one possible.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ForcedPart {
    Nothing,
    Constructor,
    Whole,
}

fn forced_part(judge: &Judge, exchange: &Exchange, seen: &Value) -> ForcedPart {
    let from = judge.candidates();
    if from.is_empty() || from.len() > EXPLANATIONS {
        return ForcedPart::Nothing;
    }
    let any = Exchange { observed: Observed::Any, ..exchange.clone() };
    let mut judge = judge.answering();
    let from = judge.candidates().to_vec();
    let after = judge.after(from, &any);
    let mut solver = Solver::default();
    if after.is_empty() || judge.is_cut() {
        ForcedPart::Nothing
    } else if after.iter().all(|candidate| is_only(candidate, seen, &mut solver)) {
        ForcedPart::Whole
    } else if after.iter().all(|candidate| has_constructor(candidate, seen)) {
        ForcedPart::Constructor
    } else {
        ForcedPart::Nothing
    }
}

/// Tests whether an explanation gives no answer with another constructor.
fn has_constructor(candidate: &Candidate, seen: &Value) -> bool {
    match (candidate.answer.as_ref(), seen) {
        (Some(Value::Data { tag, .. }), Value::Data { tag: other, .. }) => tag == other,
        _ => false,
    }
}

/// Tests whether an explanation gives this answer and no other one.
fn is_only(candidate: &Candidate, seen: &Value, solver: &mut Solver) -> bool {
    match candidate.answer.as_ref().map(|answer| equal(answer, seen)) {
        Some(Ok(Truth::Known(is_equal))) => is_equal,
        Some(Ok(truth)) => candidate.store.clone().assume(&truth.not().term(), solver) == Answer::Unsat,
        Some(Err(_)) | None => false,
    }
}
