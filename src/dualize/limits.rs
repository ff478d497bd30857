//! Less work where there is another way: keeping choices, and following few candidates beyond a limit.
//!
//! For example a witness is first looked for with an eighth of the work, and then with four times as much.

use super::candidate::{Candidate, Logged};
use super::frontier::Judge;
use super::options::Options;
use crate::solve::Past;

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
        judge.work = judge.work.renewed(judge.options.effort);
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
}
