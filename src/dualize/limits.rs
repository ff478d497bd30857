//! Limits on the work and the memory that explanations take: beyond them there is no rejection, but *unknown*, in bounded time.
//!
//! For example where each of n hidden states doubles what explains a trace, one exchange takes
//! [`EFFORT_LIMIT`](super::EFFORT_LIMIT) at last, or several in a row do together. Few explanations are followed from then on, which
//! together may take as much again. So it is where all that is left may be impossible.

use super::candidate::{Candidate, Logged};
use super::few::MUCH;
use super::frontier::Judge;
use super::options::Options;
use super::spent::Spent;
use crate::process::Limit;
use crate::solve::Past;
use crate::term::made;

/// What a question to Z3 counts as, in made terms.
const ASKED: u64 = 50_000;
/// After so much work it is asked how much memory there is.
const MEASURED: u64 = 200_000;
/// Each exchange may take such a part of the limit for ever; what it takes beyond that, those behind it cannot take.
const STEADY: u64 = 100;
/// Keeping choices may take so many times the work, or such a part of it where few exchanges at once may do.
const KEEPING: u64 = 4;
const LITTLE: u64 = 8;
/// With choices kept no more candidates than this are followed where there is another way.
const MANY: usize = 256;
/// Nor more than this in a part of a trace, or so many times those that it begins with.
const MANY_IN_PART: usize = 16;
const TIMES: usize = 8;
/// So many candidates are followed beyond a limit.
const FOLLOWED: usize = 64;

/// The cost that keeping choices may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Patience {
    /// Less than judging, as there is another way.
    Little,
    /// Several times what judging may.
    All,
}

impl Options {
    /// These options for a witness: choices are kept.
    #[must_use]
    pub fn keeping_choices(&self, patience: Patience) -> Options {
        let (effort, candidates) = match patience {
            Patience::Little => (self.effort / LITTLE, MANY.min(self.candidates)),
            Patience::All => (self.effort.saturating_mul(KEEPING), self.candidates),
        };
        Options { keep_choices: true, effort, candidates, ..self.clone() }
    }
}

impl Judge {
    /// A judge that knows the same, and keeps choices and what is eliminated from here on: for the witness of what follows.
    #[must_use]
    pub fn keeping_choices(&self, patience: Patience) -> Judge {
        let mut judge = self.clone();
        judge.options = judge.options.keeping_choices(patience);
        if patience == Patience::Little {
            let begins_with = judge.candidates.len();
            judge.options.candidates = judge.options.candidates.min(MANY_IN_PART).max(TIMES * begins_with);
        }
        judge.spent = Spent::new(judge.options.effort);
        judge.findings.clear_cut();
        let mut candidates = std::mem::take(&mut judge.candidates);
        for (number, candidate) in candidates.iter_mut().enumerate() {
            candidate.store.keep_trail();
            candidate.log = Past::default();
            judge.log(candidate, || Logged::Began(number));
        }
        judge.candidates = candidates;
        judge
    }

    /// Begins to count for an exchange.
    pub(super) fn begin_exchange(&mut self) {
        let work = self.work();
        let is_doubtful = !self.candidates.is_empty() && !self.candidates.iter().any(Candidate::is_clean);
        (self.spent.begun, self.spent.follows_few) = (work, self.is_cut() || is_doubtful);
        self.solver.last_made = Some(made().saturating_add(self.allowed()));
        // What was freed stays with the process: the few that are followed take none of it.
        if self.spent.full || (self.candidates.len() < 2 && self.is_to_be_measured(work)) {
            self.spent = Spent { base: memory_in_use(), full: false, ..self.spent };
        }
    }

    /// Takes what an exchange that ends took from what the next ones may take.
    pub(super) fn end_exchange(&mut self) {
        let taken = self.exchange_work();
        if self.spent.follows_few {
            self.spent.left = self.spent.left.saturating_sub(taken.saturating_sub(MUCH));
        }
        let effort = self.options.effort;
        self.spent.credit = self.spent.credit.saturating_sub(taken).saturating_add(effort / STEADY).min(effort);
    }

    /// The work on the current exchange so far, in made terms.
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
        }
        limit.is_some()
    }

    /// The work that the current exchange may take.
    fn allowed(&self) -> u64 {
        let left = if self.spent.follows_few { self.spent.left } else { self.spent.credit };
        left.min(self.options.effort)
    }

    /// The limit that was exceeded.
    pub(super) fn exceeded(&mut self) -> Option<Limit> {
        if self.exchange_work() > self.allowed() {
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
        self.findings.cut(limit, self.forks.last());
    }
}

/// The memory of the process, in bytes; 0 where the system does not tell.
fn memory_in_use() -> usize {
    memory_stats::memory_stats().map_or(0, |stats| stats.physical_mem)
}
