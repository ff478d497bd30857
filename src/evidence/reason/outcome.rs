//! The judgement of the rejected event when only some answers are known.

use std::ops::ControlFlow;

use super::budget::{Budget, Shown};
use crate::judge::{Exchange, Judge, Verdict};
use crate::limits;
use crate::reading::Recording;
use crate::search::RelaxedOutcome;

/// The exchanges from some position to the rejected one.
pub(super) struct Suffix<'s, R: ?Sized> {
    pub(super) recording: &'s R,
    /// The rejected exchange.
    pub(super) rejected: Exchange,
    /// The position of the rejected exchange.
    pub(super) at: usize,
}

impl<R: Recording + ?Sized> Suffix<'_, R> {
    /// Shows a judge the exchanges from a position on, with the answers at the positions `kept`, which are in order, and no
    /// others.
    pub(super) fn outcome(&self, judge: Judge, from: usize, kept: &[usize], budget: &mut Budget<'_>) -> RelaxedOutcome {
        self.follow(judge, from, limits::FOLLOWED, kept, budget)
    }

    fn follow(
        &self,
        mut judge: Judge,
        from: usize,
        candidates: usize,
        kept: &[usize],
        budget: &mut Budget<'_>,
    ) -> RelaxedOutcome {
        judge.follow_at_most((2 * judge.candidates().len()).max(candidates), budget.left());
        self.run(judge, from, budget, &mut |at, _| shown(kept, at), &mut |_, _, _| {})
    }

    /// Shows a judge the exchanges from a position on as [`Self::outcome`] does, but with few candidates and within a small part
    /// of the budget; [`RelaxedOutcome::Undecided`] if that does not suffice.
    pub(super) fn outcome_briefly(
        &self,
        judge: &Judge,
        from: usize,
        kept: &[usize],
        budget: &mut Budget<'_>,
    ) -> RelaxedOutcome {
        budget.within(self.share(budget, limits::BRIEF_SHARE, from), |budget| {
            self.follow(judge.clone(), from, limits::FOLLOWED_BRIEFLY, kept, budget)
        })
    }

    /// The share of the budget, one in `part`, but at least the units for each exchange from a position on.
    pub(super) fn share(&self, budget: &Budget<'_>, part: u64, from: usize) -> u64 {
        (budget.left() / part).max(limits::EXCHANGE_WORK as u64 * (self.at - from) as u64)
    }

    /// Shows a judge the exchanges from a position on, and then the rejected one. `show` chooses how each exchange before the
    /// rejected one is shown, and `after` is called with the judge after each of them.
    pub(super) fn run(
        &self,
        mut judge: Judge,
        from: usize,
        budget: &mut Budget<'_>,
        show: &mut dyn FnMut(usize, &Exchange) -> Shown,
        after: &mut dyn FnMut(usize, &mut Judge, &mut Budget<'_>),
    ) -> RelaxedOutcome {
        if budget.is_spent() {
            return RelaxedOutcome::Undecided;
        }
        let mut at = from;
        if at < self.at {
            self.recording.read(from, &mut |exchange| {
                let alive = budget.show(&mut judge, exchange, show(at, exchange));
                at += 1;
                let goes_on = alive && !budget.is_spent();
                if goes_on {
                    after(at, &mut judge, budget);
                }
                if goes_on && at < self.at { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
        }
        if at < self.at && budget.is_spent() {
            return RelaxedOutcome::Undecided;
        }
        budget.observe(&mut judge, &self.rejected);
        outcome_of(&judge.verdict())
    }
}

/// The outcome that a verdict stands for: some run explains the event, perhaps one outside of the specification.
pub(in crate::evidence) fn outcome_of(verdict: &Verdict) -> RelaxedOutcome {
    match verdict {
        Verdict::Reject { .. } => RelaxedOutcome::Rejected,
        Verdict::Accept { .. } | Verdict::Outside { .. } | Verdict::Fault(_) => RelaxedOutcome::Explained,
        Verdict::Unknown { .. } => RelaxedOutcome::Undecided,
    }
}

/// The way to show the exchange at a position if only the answers at `kept` are known.
pub(in crate::evidence) fn shown(kept: &[usize], at: usize) -> Shown {
    if kept.binary_search(&at).is_ok() { Shown::Answer } else { Shown::Hole }
}
