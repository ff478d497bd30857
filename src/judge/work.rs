//! The work and the memory that explanations take, and their limits: beyond them there is no rejection, but *unknown*, in bounded time.
//!
//! For example if each of n hidden states doubles what explains a trace, one exchange takes
//! [`EFFORT_LIMIT`](super::EFFORT_LIMIT) at last, or several in a row do together. Few explanations are followed from then on, which
//! together may take as much again. So it is if all that is left may be impossible.

use super::options::Options;
use crate::process::Limit;
use crate::solve::Solver;
use crate::term::made;

/// The work after which the memory in use is asked for.
const MEASURED: u64 = 200_000;
/// The part of the limit, one in N, that each exchange may always take; its work beyond that is taken from the exchanges after it.
const STEADY: u64 = 100;
/// An exchange costs much if it takes more work than `MUCH`, and more than one part in `PART` of what is left.
const MUCH: u64 = 2_000;
const PART: u64 = 64;
/// The instructions in a row that take as long as making `OF_MANY` terms.
const MANY: u32 = 1_024;
const OF_MANY: u32 = 128;
/// The most and the fewest candidates that are followed beyond a limit, if there are as many.
const MOST: usize = 32;
const LEAST: usize = 2;

/// The explanations of an exchange that are followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Followed {
    All,
    /// As something was cut off before, or all are doubtful.
    Few,
}

/// The work on a trace, in made terms, and what was taken of the limits on work and memory.
///
/// Work is counted with the terms that this thread made, so it is compared within an exchange only.
#[derive(Clone, Copy, Debug)]
pub(super) struct WorkMeter {
    /// Events that were met, values that were walked or copied: work that made no terms.
    pub(super) without_terms: u64,
    /// The work that had been done when the current exchange began.
    begun: u64,
    /// The explanations that are followed in it.
    follows: Followed,
    /// The work that the current exchange may take: less than the limit if those before it took much.
    credit: u64,
    /// The work that all exchanges that begin so may still take together.
    left: u64,
    /// The work that had been done when the memory was measured last.
    measured: u64,
    /// The memory that was in use when a single explanation was left, in bytes.
    base: usize,
    /// Set if explanations took too much memory.
    full: bool,
    /// The number of candidates that are followed beyond a limit.
    few: usize,
}

impl WorkMeter {
    pub(super) fn new(effort: u64) -> WorkMeter {
        let begun = made();
        let (credit, left, measured) = (effort, effort, begun);
        WorkMeter {
            without_terms: 0,
            begun,
            follows: Followed::All,
            credit,
            left,
            measured,
            base: 0,
            full: false,
            few: MOST,
        }
    }

    /// The work so far, of which nothing counts for the limits.
    pub(super) fn renewed(&self, effort: u64) -> WorkMeter {
        WorkMeter { without_terms: self.without_terms, ..WorkMeter::new(effort) }
    }

    /// Counts instructions that were carried out in a row, where they are many.
    pub(super) fn count_instructions(&mut self, carried_out: u32) {
        self.without_terms += u64::from(carried_out / MANY * OF_MANY);
    }

    /// Begins to count for an exchange.
    pub(super) fn begin(&mut self, follows: Followed, options: &Options, solver: &mut Solver) {
        (self.begun, self.follows) = (self.total(solver), follows);
        solver.last_made = Some(made().saturating_add(self.allowed(options)));
    }

    /// Measures the memory anew if it was full, or that is due: what was freed stays with the process, and the few explanations
    /// that are followed take none of it.
    pub(super) fn measure_anew(&mut self, options: &Options) {
        if self.full || self.is_to_be_measured(self.begun, options) {
            (self.base, self.full) = (memory_in_use(), false);
        }
    }

    /// Goes on after another search: what that has taken does not count.
    pub(super) fn resume(&mut self, taken: usize, options: &Options) {
        if options.memory < usize::MAX {
            (self.base, self.full) = (memory_in_use().saturating_sub(taken), false);
        }
    }

    /// The memory that was taken, in bytes.
    pub(super) fn taken(&self, options: &Options) -> usize {
        if options.memory < usize::MAX { memory_in_use().saturating_sub(self.base) } else { 0 }
    }

    /// Tests whether explanations took too much memory.
    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    /// Takes what an exchange that ends took from what the next ones may take.
    pub(super) fn end(&mut self, options: &Options, solver: &Solver) {
        let taken = self.of_exchange(solver);
        if self.follows == Followed::Few {
            self.left = self.left.saturating_sub(taken.saturating_sub(MUCH));
        }
        let effort = options.effort;
        self.credit = self.credit.saturating_sub(taken).saturating_add(effort / STEADY).min(effort);
    }

    /// The work so far.
    pub(super) fn total(&self, solver: &Solver) -> u64 {
        self.without_z3() + solver.statistics.z3_work()
    }

    /// The work so far, without questions to Z3.
    pub(super) fn without_z3(&self) -> u64 {
        self.without_terms + made()
    }

    /// The work on the current exchange so far.
    pub(super) fn of_exchange(&self, solver: &Solver) -> u64 {
        self.total(solver).saturating_sub(self.begun)
    }

    /// The limit that was exceeded.
    pub(super) fn exceeded(&mut self, options: &Options, solver: &Solver) -> Option<Limit> {
        if self.of_exchange(solver) > self.allowed(options) {
            return Some(Limit::Effort);
        }
        if self.is_to_be_measured(self.total(solver), options) {
            self.full = memory_in_use().saturating_sub(self.base) > options.memory;
        }
        self.full.then_some(Limit::Memory(options.memory >> 20))
    }

    /// The work that the current exchange may take.
    fn allowed(&self, options: &Options) -> u64 {
        let left = match self.follows {
            Followed::All => self.credit,
            Followed::Few => self.left,
        };
        left.min(options.effort)
    }

    /// Tests whether memory is limited, and much was done since it was measured.
    fn is_to_be_measured(&mut self, work: u64, options: &Options) -> bool {
        let is_due = options.memory < usize::MAX && work.saturating_sub(self.measured) > MEASURED;
        if is_due {
            self.measured = work;
        }
        is_due
    }

    /// Tests whether the current exchange costs much, for one of few explanations.
    pub(super) fn is_much(&self, solver: &Solver) -> bool {
        self.of_exchange(solver) > MUCH + self.left / PART
    }

    /// The number of candidates to follow beyond a limit: fewer if the exchange costs much, more if it does not.
    pub(super) fn few(&mut self, solver: &Solver) -> usize {
        self.few = if self.is_much(solver) { (self.few / 2).max(LEAST) } else { (self.few * 2).min(MOST) };
        self.few
    }
}

/// The memory of the process, in bytes; 0 if the system does not tell.
pub(crate) fn memory_in_use() -> usize {
    memory_stats::memory_stats().map_or(0, |stats| stats.physical_mem)
}
