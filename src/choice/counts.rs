//! The numbers of runs behind every beginning of a run, as far as they were seen: with them runs are drawn uniformly.
//!
//! Drawing each alternative alike favours runs with few choices: of the three runs below, the short one is drawn every
//! other time. Drawing an alternative in proportion to the runs behind it draws each run with the same probability.
//!
//! ```
//! use mayhap::choice::{Chooser, Counts, Sampled, explore};
//! let program = |c: &mut Chooser| c.choose("stop", 2) == 0 || c.choose("more", 2) == 0;
//! let counts = Counts::of(|c| { program(c); }).expect("there are three runs");
//! assert_eq!(counts.weights(&[], 2), Some(vec![1, 2]));
//! ```

use super::{Chooser, Odometer, Outcome, Step, Strategy, rerun};
use std::collections::HashMap;

/// The number of beginnings that are held.
const MAX_BEGINNINGS: usize = 1 << 22;

/// Numbers of runs, by how they begin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Maps the number of a beginning and a pick to the number of the beginning that it becomes by that pick.
    next: HashMap<(u32, usize), u32>,
    /// The number of runs that begin with each beginning, in the order of the beginnings' numbers.
    runs: Vec<u64>,
}

impl Default for Counts {
    fn default() -> Counts {
        Counts { next: HashMap::new(), runs: vec![0] }
    }
}

impl Counts {
    /// Counts all runs of a program; `None` where there are too many, or a mistake ends one.
    pub fn of<R: Outcome>(mut program: impl FnMut(&mut Chooser) -> R) -> Option<Counts> {
        let (mut counts, mut search) = (Counts::default(), Odometer::new());
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

    /// Counts one more run; `None` where there are too many.
    #[must_use]
    pub fn add(&mut self, run: &[Step]) -> Option<()> {
        let mut at = 0;
        self.runs[at as usize] += 1;
        for step in run {
            let new = u32::try_from(self.runs.len()).ok().filter(|new| (*new as usize) < MAX_BEGINNINGS);
            at = match self.next.get(&(at, step.pick)) {
                Some(known) => *known,
                None => {
                    let new = new?;
                    self.next.insert((at, step.pick), new);
                    self.runs.push(0);
                    new
                }
            };
            self.runs[at as usize] += 1;
        }
        Some(())
    }

    /// The number of runs behind each of `arity` alternatives after a beginning; `None` where none is known.
    #[must_use]
    pub fn weights(&self, beginning: &[Step], arity: usize) -> Option<Vec<u64>> {
        let place = beginning.iter().try_fold(Place::default(), |place, step| self.after(place, step.pick));
        self.weights_at(place?, arity)
    }

    /// The place that a pick leads to.
    pub(super) fn after(&self, place: Place, pick: usize) -> Option<Place> {
        self.next.get(&(place.0, pick)).map(|next| Place(*next))
    }

    pub(super) fn weights_at(&self, place: Place, arity: usize) -> Option<Vec<u64>> {
        let runs = |pick| self.after(place, pick).map_or(0, |next| self.runs[next.0 as usize]);
        let weights: Vec<u64> = (0..arity).map(runs).collect();
        weights.iter().any(|weight| *weight > 0).then_some(weights)
    }
}

/// The place of a run among the beginnings: the number of the one that it has come to.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Place(u32);
