//! The numbers of runs with each beginning, as far as they are known, for drawing runs uniformly.
//!
//! Drawing each alternative with the same probability favours runs with few choices: of the three runs below, the short one is drawn every
//! other time. Drawing an alternative in proportion to the number of its runs draws each run with the same probability.
//!
//! ```
//! use mayhap_choice::{Chooser, RunCounts, Sampled, explore};
//! let program = |c: &mut Chooser| c.choose("stop", 2) == 0 || c.choose("more", 2) == 0;
//! let counts = RunCounts::of(|c| { program(c); }).expect("there are three runs");
//! assert_eq!(counts.weights(&[], 2), Some(vec![1, 2]));
//! ```

use super::rerun;
use crate::{Chooser, Odometer, Outcome, Step, Strategy};
use std::collections::hash_map::{Entry, HashMap};

/// The largest number of beginnings that are held, which bounds the memory.
const MAX_BEGINNINGS: usize = 1 << 22;
/// The number of the empty beginning.
pub(crate) const EMPTY: u32 = 0;

/// The numbers of runs, by beginning.
///
/// ```text
///   ()  3 runs ─0─▶ (stop = 0)  1
///              ─1─▶ (stop = 1)  2 ─0─▶ (stop = 1, more = 0)  1
///                                 ─1─▶ (stop = 1, more = 1)  1
/// ```
///
/// Beginnings are numbered in the order in which they were first seen; the empty one is 0. Invariant: `next` has an entry for each
/// beginning except the empty one, and its value is less than the length of `runs`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunCounts {
    /// Maps the number of a beginning and a pick to the number of the beginning that is longer by this pick.
    next: HashMap<(u32, usize), u32>,
    /// The number of runs with each beginning, by the number of the beginning.
    runs: Vec<u64>,
}

impl Default for RunCounts {
    fn default() -> RunCounts {
        RunCounts { next: HashMap::new(), runs: vec![0] }
    }
}

impl RunCounts {
    /// Counts all runs of a program; `None` if there are too many, or if a mistake ends one.
    pub fn of<R: Outcome>(mut program: impl FnMut(&mut Chooser) -> R) -> Option<RunCounts> {
        let (mut counts, mut search) = (RunCounts::default(), Odometer::new());
        loop {
            match rerun::once(&mut search, MAX_BEGINNINGS, &mut program) {
                rerun::End::Passed | rerun::End::Failed(_) => counts.add(search.run())?,
                rerun::End::Escaped(error) if error.is_mistake() => return None,
                rerun::End::Escaped(_) => {}
            }
            if !search.advance().ok()? {
                return Some(counts);
            }
        }
    }

    /// Counts one more run; `None` if there are too many.
    #[must_use]
    pub fn add(&mut self, run: &[Step]) -> Option<()> {
        let mut at = EMPTY;
        self.runs[at as usize] += 1;
        for step in run {
            let new = self.runs.len();
            at = match self.next.entry((at, step.pick)) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(_) if new == MAX_BEGINNINGS => return None,
                Entry::Vacant(unseen) => {
                    self.runs.push(0);
                    *unseen.insert(new as u32)
                }
            };
            self.runs[at as usize] += 1;
        }
        Some(())
    }

    /// The number of runs after each of `arity` alternatives that follow a beginning; `None` if no such run is known.
    #[must_use]
    pub fn weights(&self, beginning: &[Step], arity: usize) -> Option<Vec<u64>> {
        self.weights_at(beginning.iter().try_fold(EMPTY, |at, step| self.after(at, step.pick))?, arity)
    }

    /// The number of the beginning that is longer by a pick.
    pub(crate) fn after(&self, beginning: u32, pick: usize) -> Option<u32> {
        self.next.get(&(beginning, pick)).copied()
    }

    pub(crate) fn weights_at(&self, beginning: u32, arity: usize) -> Option<Vec<u64>> {
        let runs = |pick| self.after(beginning, pick).map_or(0, |next| self.runs[next as usize]);
        let weights: Vec<u64> = (0..arity).map(runs).collect();
        weights.iter().any(|weight| *weight > 0).then_some(weights)
    }
}
