//! The judgement of the rejected event when only some answers are known.

use std::ops::ControlFlow;

use super::budget::Budget;
use crate::evidence::without_answer;
use crate::judge::{Exchange, Judge, Verdict};
use crate::limits;
use crate::validate::Recording;

/// The outcome of judging the rejected event when only some answers are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SuffixOutcome {
    /// No run explains the known answers and the event.
    Rejected,
    /// Some run explains the known answers and the event, perhaps one outside of the specification.
    Explained,
    /// The outcome was not found out.
    Undecided,
}

/// The exchanges from some position to the rejected one.
pub(super) struct Suffix<'s, R: ?Sized> {
    pub(super) recording: &'s R,
    /// The rejected exchange.
    pub(super) rejected: Exchange,
    /// The position of the rejected exchange.
    pub(super) at: usize,
}

/// The part of an exchange that is shown to a judge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shown {
    /// The request and the answer.
    Answer,
    /// The request, with a hole in the place of the answer.
    Hole,
}

impl<R: Recording + ?Sized> Suffix<'_, R> {
    /// Shows a judge the exchanges from a position on, with the answers at the positions `kept`, which are in order, and no
    /// others.
    pub(super) fn outcome(&self, judge: Judge, from: usize, kept: &[usize], budget: &mut Budget<'_>) -> SuffixOutcome {
        self.follow(judge, (from, limits::FOLLOWED), kept, budget)
    }

    fn follow(
        &self,
        mut judge: Judge,
        (from, candidates): (usize, usize),
        kept: &[usize],
        budget: &mut Budget<'_>,
    ) -> SuffixOutcome {
        judge.follow_at_most((2 * judge.candidates().len()).max(candidates), budget.left());
        self.run(judge, from, budget, &mut |at, _| shown(kept, at), &mut |_, _, _| {})
    }

    /// Shows a judge the exchanges from a position on as [`Self::outcome`] does, but with few candidates and within a small part
    /// of the budget; [`SuffixOutcome::Undecided`] if that does not suffice.
    pub(super) fn outcome_briefly(
        &self,
        judge: &Judge,
        from: usize,
        kept: &[usize],
        budget: &mut Budget<'_>,
    ) -> SuffixOutcome {
        budget.within(self.share(budget, limits::BRIEF_SHARE, from), |budget| {
            self.follow(judge.clone(), (from, limits::FOLLOWED_BRIEFLY), kept, budget)
        })
    }

    /// The share of the budget, one in `part`, but at least the units for each exchange from a position on.
    pub(super) fn share(&self, budget: &Budget<'_>, part: u64, from: usize) -> u64 {
        (budget.left() / part).max(limits::EXCHANGE_WORK as u64 * (self.at - from) as u64)
    }

    /// Shows a judge the exchanges from a position on, and then the rejected one. `show` chooses how each exchange before the
    /// rejected one is shown, and `behind` is called with the judge after each of them.
    pub(super) fn run(
        &self,
        mut judge: Judge,
        from: usize,
        budget: &mut Budget<'_>,
        show: &mut dyn FnMut(usize, &Exchange) -> Shown,
        after: &mut dyn FnMut(usize, &mut Judge, &mut Budget<'_>),
    ) -> SuffixOutcome {
        if budget.is_spent() {
            return SuffixOutcome::Undecided;
        }
        let mut at = from;
        if at < self.at {
            self.recording.read(from, &mut |exchange| {
                let alive = match show(at, exchange) {
                    Shown::Answer => budget.observe(&mut judge, exchange),
                    Shown::Hole => budget.observe(&mut judge, &without_answer(exchange)),
                };
                at += 1;
                let goes_on = alive && !budget.is_spent();
                if goes_on {
                    after(at, &mut judge, budget);
                }
                if goes_on && at < self.at { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
        }
        if at < self.at && budget.is_spent() {
            return SuffixOutcome::Undecided;
        }
        budget.observe(&mut judge, &self.rejected);
        match judge.verdict() {
            Verdict::Reject { .. } => SuffixOutcome::Rejected,
            Verdict::Accept { .. } | Verdict::Outside { .. } | Verdict::Fault(_) => SuffixOutcome::Explained,
            Verdict::Unknown { .. } => SuffixOutcome::Undecided,
        }
    }
}

/// The way to show the exchange at a position if only the answers at `kept` are known.
pub(super) fn shown(kept: &[usize], at: usize) -> Shown {
    if kept.binary_search(&at).is_ok() { Shown::Answer } else { Shown::Hole }
}
