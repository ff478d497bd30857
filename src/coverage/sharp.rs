//! Sharpness: the share of answers for which the specification allowed only one value.
//!
//! One in eight answers of a run is examined. It is *forced* if no explanation before it gives another answer. An answer with parts that
//! the specification chooses is not forced, unless earlier exchanges determine these parts.

use crate::judge::{Candidate, Exchange, Judge, Observed};
use crate::network::Network;
use crate::process::Port;
use crate::solve::{Answer, Solver};
use crate::value::{Truth, Value, equal};

/// One in this number of answers is examined, to limit the time.
const SAMPLED: u64 = 8;
/// The largest number of explanations that are examined; if there are more, the answer counts as not forced.
const EXPLANATIONS: usize = 64;

/// The share of forced answers among the examined ones.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Sharpness {
    /// The number of answers that were forced.
    pub forced: u64,
    /// The number of answers that were forced, or whose constructor was forced: for example a `Fresh` with any token.
    pub shaped: u64,
    /// The number of answers that were examined.
    pub looked_at: u64,
    seen: u64,
}

impl Sharpness {
    /// The share in percent, rounded down; `None` if no answer was examined.
    #[must_use]
    pub fn percent(&self) -> Option<u64> {
        (self.forced * 100).checked_div(self.looked_at)
    }

    /// Examines an exchange that the judge will observe next.
    pub(super) fn observe(&mut self, judge: &Judge, exchange: &Exchange) {
        let Some(seen) = exchange.observed.answer() else { return };
        if self.is_sampled() {
            self.add(forced_part(judge, exchange, seen));
        }
    }

    /// Examines an answer that is observed next on a connection, over a network.
    pub(super) fn observe_over(&mut self, judge: &Judge, network: &dyn Network, (port, seen): (Port, &Value)) {
        if !self.is_sampled() {
            return;
        }
        let messages = judge.next_messages(network, port);
        let Some(messages) = messages.filter(|messages| (1..=EXPLANATIONS).contains(&messages.len())) else { return };
        let mut solver = Solver::default();
        let forced = if messages.iter().all(|(value, state)| is_only(Some(value), state, seen, &mut solver)) {
            ForcedPart::Whole
        } else if messages.iter().all(|(value, _)| has_constructor(Some(value), seen)) {
            ForcedPart::Constructor
        } else {
            ForcedPart::Nothing
        };
        self.add(forced);
    }

    /// Counts an answer; returns whether it is to be examined.
    fn is_sampled(&mut self) -> bool {
        self.seen += 1;
        self.seen % SAMPLED == 1
    }

    fn add(&mut self, forced: ForcedPart) {
        self.looked_at += 1;
        self.forced += u64::from(forced == ForcedPart::Whole);
        self.shaped += u64::from(forced != ForcedPart::Nothing);
    }
}

/// The part of an answer that only had one possible value.
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
    let mut context = judge.context().answering();
    let after = context.after(from.to_vec(), &any);
    let mut solver = Solver::default();
    if after.is_empty() || context.is_cut() {
        ForcedPart::Nothing
    } else if after.iter().all(|candidate| is_only(candidate.answer.as_ref(), candidate, seen, &mut solver)) {
        ForcedPart::Whole
    } else if after.iter().all(|candidate| has_constructor(candidate.answer.as_ref(), seen)) {
        ForcedPart::Constructor
    } else {
        ForcedPart::Nothing
    }
}

/// Tests whether an answer of an explanation certainly has the constructor of this one.
fn has_constructor(answer: Option<&Value>, seen: &Value) -> bool {
    match (answer, seen) {
        (Some(Value::Data { tag, .. }), Value::Data { tag: other, .. }) => tag == other,
        _ => false,
    }
}

/// Tests whether an answer of an explanation is certainly this one.
fn is_only(answer: Option<&Value>, candidate: &Candidate, seen: &Value, solver: &mut Solver) -> bool {
    match answer.map(|answer| equal(answer, seen)) {
        Some(Ok(Truth::Known(is_equal))) => is_equal,
        Some(Ok(truth)) => candidate.store.clone().assume(&truth.not().term(), solver) == Answer::Unsat,
        Some(Err(_)) | None => false,
    }
}
