//! Limits on the work and memory that explanations take: beyond them the verdict is *unknown* instead of *reject*, in bounded time.
//!
//! For example, if each exchange doubles the number of explanations, in the end one exchange takes more than
//! [`EFFORT_LIMIT`](crate::limits::EFFORT_LIMIT), or several in a row do together. From then on few explanations are followed, which
//! together may take as much work again. Few are followed, too, if all candidates are doubtful.

use super::options::Options;
use crate::limits;
use crate::process::Limit;
use crate::solve::Solver;
use crate::term::made;

/// The memory in use is measured again after this much work, in made terms: each measurement is a system call.
const MEASURED: u64 = 200_000;
/// `MANY` instructions in a row take as long as making `OF_MANY` terms.
const MANY: u32 = 1024;
const OF_MANY: u32 = MANY / limits::VALUES_PER_TERM as u32;
/// Making one term takes as long as this many instructions that are not on the fast path.
const SLOW: u64 = 4;
/// After a limit was exceeded, at most this many candidates are followed, and at least [`limits::FEWEST`] if there are as many.
const MOST: usize = 32;

/// The explanations of an exchange that are followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Followed {
    All,
    /// Few, since a limit cut paths off before, or all candidates are doubtful.
    Few,
}

/// The work on a trace, in made terms, and what was taken of the limits on work and memory.
///
/// Work includes all terms that this thread has made, for any judge, so only differences within one exchange mean something.
#[derive(Clone, Copy, Debug)]
pub(super) struct WorkMeter {
    /// Work that made no terms: events that were met, values that were walked or copied.
    pub(super) without_terms: u64,
    /// The work that had been done when the current exchange began.
    begun: u64,
    /// The explanations that are followed in the current exchange.
    follows: Followed,
    /// The work that the current exchange may take: less than the limit if earlier exchanges took much.
    credit: u64,
    /// The work that all exchanges in which few explanations are followed may still take together.
    left: u64,
    /// The work that had been done when the memory was measured last.
    measured: u64,
    /// The memory in bytes that was in use at the beginning, or when it was measured anew: the explanations have taken what is in use beyond that.
    base: usize,
    /// Set if explanations took too much memory.
    full: bool,
    /// The number of candidates that are followed after a limit was exceeded.
    few: usize,
}

impl WorkMeter {
    /// A meter at the beginning, when there are no explanations yet. The memory that the process uses by now does not count.
    pub(super) fn of(options: &Options) -> WorkMeter {
        let base = if options.memory < usize::MAX { memory_in_use() } else { 0 };
        WorkMeter { base, ..WorkMeter::new(options.effort) }
    }

    fn new(effort: u64) -> WorkMeter {
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

    /// A meter that goes on counting from the work so far, and has taken nothing of the limits.
    pub(super) fn renewed(&self, effort: u64) -> WorkMeter {
        WorkMeter { without_terms: self.without_terms, base: self.base, ..WorkMeter::new(effort) }
    }

    /// Counts instructions that were carried out in a row; fewer than `MANY` do not count.
    pub(super) fn count_instructions(&mut self, carried_out: u32) {
        self.without_terms += u64::from(carried_out / MANY * OF_MANY);
    }

    /// Begins to count the work on an exchange.
    pub(super) fn begin(&mut self, follows: Followed, options: &Options, solver: &mut Solver) {
        (self.begun, self.follows) = (self.total(solver), follows);
        solver.last_made = Some(made().saturating_add(self.allowed(options)));
    }

    /// Takes the memory in use as the new `base`, if it was full or a measurement is due. Freed memory stays with the process, but is not
    /// taken by the few explanations that are followed.
    pub(super) fn measure_anew(&mut self, options: &Options) {
        if self.full || self.is_to_be_measured(self.begun, options) {
            (self.base, self.full) = (memory_in_use(), false);
        }
    }

    /// Goes on after another search, whose memory does not count; the explanations of this one have taken `taken` bytes.
    pub(super) fn resume(&mut self, taken: usize, options: &Options) {
        if options.memory < usize::MAX {
            (self.base, self.full) = (memory_in_use().saturating_sub(taken), false);
        }
    }

    /// The memory that explanations have taken, in bytes; 0 if memory is not limited.
    pub(super) fn taken(&self, options: &Options) -> usize {
        if options.memory < usize::MAX { memory_in_use().saturating_sub(self.base) } else { 0 }
    }

    /// Tests whether explanations took too much memory.
    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    /// Ends an exchange: its work is taken off what later exchanges may take.
    pub(super) fn end(&mut self, options: &Options, solver: &Solver) {
        let taken = self.of_exchange(solver);
        if self.follows == Followed::Few {
            self.left = self.left.saturating_sub(taken.saturating_sub(limits::SMALL_WORK));
        }
        let effort = options.effort;
        self.credit = self.credit.saturating_sub(taken).saturating_add(effort / limits::STEADY_SHARE).min(effort);
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

    /// The limit that was exceeded, if one was.
    pub(super) fn exceeded(&mut self, options: &Options, solver: &Solver) -> Option<Limit> {
        if limits::end::is_over() {
            return Some(Limit::Ended);
        }
        if self.of_exchange(solver) > self.allowed(options) {
            return Some(Limit::Effort);
        }
        if self.is_to_be_measured(self.total(solver), options) {
            self.full = memory_in_use().saturating_sub(self.base) > options.memory;
        }
        self.full.then_some(Limit::Memory(options.memory >> 20))
    }

    /// The number of slow instructions that the current exchange may still take.
    pub(super) fn instructions_left(&self, options: &Options, solver: &Solver) -> u64 {
        self.allowed(options).saturating_sub(self.of_exchange(solver)).saturating_mul(SLOW)
    }

    /// The work that the current exchange may take.
    fn allowed(&self, options: &Options) -> u64 {
        let left = match self.follows {
            Followed::All => self.credit,
            Followed::Few => self.left,
        };
        left.min(options.effort)
    }

    /// Tests whether memory is limited and much was done since it was measured; if so, counts it as measured now.
    fn is_to_be_measured(&mut self, work: u64, options: &Options) -> bool {
        let is_due = options.memory < usize::MAX && work.saturating_sub(self.measured) > MEASURED;
        if is_due {
            self.measured = work;
        }
        is_due
    }

    /// Tests whether the current exchange costs much for one in which few explanations are followed.
    pub(super) fn is_much(&self, solver: &Solver) -> bool {
        self.of_exchange(solver) > limits::SMALL_WORK + self.left / limits::TRIAL_SHARE
    }

    /// The number of candidates to follow after a limit was exceeded: halved if the exchange costs much, doubled otherwise.
    pub(super) fn few(&mut self, solver: &Solver) -> usize {
        self.few = if self.is_much(solver) { (self.few / 2).max(limits::FEWEST) } else { (self.few * 2).min(MOST) };
        self.few
    }
}

/// The memory of the process, in bytes; 0 if the system does not report it.
pub(crate) fn memory_in_use() -> usize {
    memory_stats::memory_stats().map_or(0, |stats| stats.physical_mem)
}
