//! Limits on the work and the memory that explanations take: beyond them there is no rejection, but *unknown*, in bounded time.
//!
//! For example where each of n hidden states doubles what explains a trace, one exchange takes [`EFFORT_LIMIT`] at last. Few
//! explanations are followed from then on, which together may take as much again.

use super::candidate::Candidate;
use super::few::{Few, MUCH};
use super::frontier::{Judge, Options};
use crate::process::Limit;
use crate::term::made;

/// The work on one exchange beyond which the judge gives up on further explanations, in made terms: about a second.
pub const EFFORT_LIMIT: u64 = 3_000_000;
/// What a question to Z3 counts as, in made terms.
const ASKED: u64 = 50_000;
/// After so much work it is asked how much memory there is.
const MEASURED: u64 = 200_000;
/// Keeping choices may take so many times the work.
const KEEPING: u64 = 4;
/// So many candidates are followed beyond a limit.
const FOLLOWED: usize = 64;

/// What was taken of the limits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spent {
    /// The work that had been done when the current exchange began.
    begun: u64,
    /// Whether something had been cut off when it began.
    follows_few: bool,
    /// What all exchanges that begin so may still take together.
    pub(super) left: u64,
    /// The work that had been done when the memory was measured last.
    measured: u64,
    /// The memory that was in use when a single explanation was left, in bytes.
    base: usize,
    /// Whether explanations took too much memory.
    full: bool,
    /// How many candidates are followed beyond a limit.
    pub(super) few: Few,
}

impl Spent {
    pub(super) fn new(effort: u64) -> Spent {
        Spent {
            begun: made(),
            follows_few: false,
            left: effort,
            measured: made(),
            base: 0,
            full: false,
            few: Few::default(),
        }
    }
}

impl Options {
    /// The same for a witness: choices are kept, which may take several times the work.
    #[must_use]
    pub fn keeping_choices(&self) -> Options {
        Options { keep_choices: true, effort: self.effort.saturating_mul(KEEPING), ..self.clone() }
    }
}

impl Judge {
    /// Begins to count for an exchange.
    pub(super) fn begin_exchange(&mut self) {
        let work = self.work();
        if self.spent.follows_few {
            let taken = self.exchange_work().saturating_sub(MUCH);
            self.spent.left = self.spent.left.saturating_sub(taken);
        }
        (self.spent.begun, self.spent.follows_few) = (work, self.cut.is_some());
        self.solver.last_made = Some(made().saturating_add(self.options.effort));
        // What was freed stays with the process: the few that are followed take none of it.
        if self.spent.full || (self.candidates.len() < 2 && self.is_to_be_measured(work)) {
            self.spent = Spent { base: memory_in_use(), full: false, ..self.spent };
        }
    }

    /// What was done for the current exchange, in made terms.
    pub(super) fn exchange_work(&self) -> u64 {
        self.work().saturating_sub(self.spent.begun)
    }

    /// What was done so far, in made terms; to be compared within an exchange only.
    pub(super) fn work(&self) -> u64 {
        self.worked + made() + self.solver.statistics.z3_checks * ASKED
    }

    /// Events that were met, and terms that were made by this thread, so far.
    pub(crate) fn worked(&self) -> u64 {
        self.worked + made()
    }

    /// Tests whether more was done for the current exchange than the judge takes on; then the verdict is no rejection.
    pub(super) fn is_exhausted(&mut self) -> bool {
        let limit = self.exceeded();
        if let Some(limit) = limit {
            self.give_up(limit);
            self.whole = false;
        }
        limit.is_some()
    }

    /// The limit that was exceeded.
    fn exceeded(&mut self) -> Option<Limit> {
        let allowed =
            if self.spent.follows_few { self.spent.left.min(self.options.effort) } else { self.options.effort };
        if self.exchange_work() > allowed {
            return Some(Limit::Effort);
        }
        if self.is_to_be_measured(self.work()) {
            self.spent.full = memory_in_use().saturating_sub(self.spent.base) > self.options.memory;
        }
        self.spent.full.then_some(Limit::Memory(self.options.memory >> 20))
    }

    /// Tests whether memory is limited, and much was done since it was measured.
    fn is_to_be_measured(&mut self, work: u64) -> bool {
        let is_due = self.options.memory < usize::MAX && work.saturating_sub(self.spent.measured) > MEASURED;
        if is_due {
            self.spent.measured = work;
        }
        is_due
    }

    /// Does this to each candidate, as long as the effort lasts; then few of them are followed.
    pub(super) fn tidy_each(&mut self, candidates: &mut Vec<Candidate>, tidy: fn(&mut Judge, &mut Candidate)) {
        let mut kept = 0;
        candidates.retain_mut(|candidate| {
            let followed = kept < FOLLOWED || !self.is_exhausted();
            if followed {
                tidy(self, candidate);
                kept += 1;
            }
            followed
        });
    }

    /// Notes that a limit cut paths off, and the statement that multiplied them last.
    pub(super) fn give_up(&mut self, limit: Limit) {
        self.cut.get_or_insert((limit, self.forks.last()));
    }
}

/// The memory of the process, in bytes; 0 where the system does not tell.
fn memory_in_use() -> usize {
    memory_stats::memory_stats().map_or(0, |stats| stats.physical_mem)
}
