//! The work and the memory that a search may take: beyond them the verdict is *unknown*.
//!
//! If 50 clients compare and swap one register, more orders explain the answers so far than anybody can follow.

use super::states::States;
use crate::judge::{Options, memory_in_use};
use crate::limits;
use crate::process::Limit;

/// Running a handler counts as this much work; looking up or comparing a configuration counts as 1.
const RUN: u64 = 32;
/// The memory in use is measured again after this much work.
const MEASURED: u64 = 400_000;

/// The work and the memory that a search has taken, and their limits.
pub(super) struct OrderBudget {
    done: u64,
    most: u64,
    /// The number of runs of handlers before the search.
    runs: u64,
    measured: u64,
    /// The memory that was in use at the beginning, and how much more may be, in bytes.
    base: usize,
    memory: usize,
    /// The memory that was in use when it was last measured, in bytes more than at the beginning.
    used: usize,
}

impl OrderBudget {
    pub(super) fn new(options: &Options, states: &States) -> OrderBudget {
        let base = if options.memory < usize::MAX { memory_in_use() } else { 0 };
        let most = options.effort.saturating_mul(limits::HISTORY_EFFORT);
        OrderBudget { done: 0, most, runs: states.runs(), measured: 0, base, memory: options.memory, used: 0 }
    }

    /// A budget of this much work.
    pub(super) fn slice(options: &Options, states: &States, most: u64) -> OrderBudget {
        OrderBudget { most, ..OrderBudget::new(options, states) }
    }

    /// One part in `part` of the budget of a history.
    pub(super) fn part(options: &Options, states: &States, part: u64) -> OrderBudget {
        let whole = OrderBudget::new(options, states);
        OrderBudget { most: whole.most / part, ..whole }
    }

    /// Counts work.
    pub(super) fn work(&mut self, done: usize) {
        self.done += done as u64;
    }

    /// The work that was done.
    pub(super) fn done(&self, states: &States) -> u64 {
        self.done + (states.runs() - self.runs) * RUN
    }

    /// The limit that was exceeded, if one was.
    pub(super) fn exceeded(&mut self, states: &States) -> Option<Limit> {
        if limits::end::is_over() {
            return Some(Limit::Ended);
        }
        let work = self.done(states);
        if work > self.most || states.is_exhausted() {
            return Some(Limit::Effort);
        }
        let is_due = self.memory < usize::MAX && work.saturating_sub(self.measured) > MEASURED;
        if is_due {
            self.measured = work;
            self.used = memory_in_use().saturating_sub(self.base);
        }
        (self.used > self.memory).then_some(Limit::Memory(self.memory >> 20))
    }

    /// Tests whether less than half of the allowed memory was in use when it was last measured.
    pub(super) fn has_room(&self) -> bool {
        self.used < self.memory / 2
    }
}
