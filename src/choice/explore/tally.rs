//! The findings of an exploration so far; those of several threads are merged.
//!
//! ```
//! use mayhap_choice::{Odometer, explore};
//! let report = explore(Odometer::new(), |c| assert!(c.choose("die", 6) < 4));
//! assert_eq!((report.failed, report.failures.len()), (2, 1), "two runs fail in one way, the first is kept");
//! ```

use super::estimate::DrawSums;
use super::report::shortlex;
use super::rerun::{End, Failed};
use crate::{ChoiceError, Ended, Failure, Report, Step, Stopped};
use std::collections::BTreeMap;

/// The largest number of different failures that are kept, which bounds the memory; those with the shortest runs stay, and all are counted.
const MAX_FAILURES: usize = 100;

/// The number of cut runs after which the search gives up, if no run has come to its end.
const ENDLESS: u64 = 100;

/// The progress of an exploration: the runs visited so far, and those of them that failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Progress {
    /// Runs visited.
    pub runs: u64,
    /// Runs that failed.
    pub failed: u64,
}

/// A report under construction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub runs: u64,
    pub refused: u64,
    pub cut: u64,
    pub failed: u64,
    pub first_cut: Option<Stopped>,
    pub mistake: Option<Stopped>,
    /// True if the program has interrupted a run.
    pub interrupted: bool,
    /// The draws, for an estimate of the number of all runs.
    pub estimate: DrawSums,
    /// The failures, by kind.
    failures: BTreeMap<String, Failure>,
}

fn earlier(known: &mut Option<Stopped>, other: Stopped) {
    if known.as_ref().is_none_or(|known| shortlex(&other.run, &known.run).is_lt()) {
        *known = Some(other);
    }
}

impl Tally {
    /// Notes the end of a run; returns false if it was only the beginning of other runs.
    #[inline]
    pub fn note(&mut self, end: End, run: &[Step]) -> bool {
        match end {
            End::Passed => self.runs += 1,
            End::Failed(failed) => {
                (self.runs, self.failed) = (self.runs + 1, self.failed + 1);
                self.failure(failed, run);
            }
            End::Escaped(error) => return self.escaped(error, run),
        }
        true
    }

    fn escaped(&mut self, error: ChoiceError, run: &[Step]) -> bool {
        match error {
            ChoiceError::Postponed { .. } => return false,
            ChoiceError::Interrupted => {
                self.interrupted = true;
                return false;
            }
            ChoiceError::Refused { .. } => self.refused += 1,
            ChoiceError::Cut { .. } => {
                self.cut += 1;
                earlier(&mut self.first_cut, Stopped { error, run: run.to_vec() });
            }
            mistake => self.mistaken(mistake, run),
        }
        true
    }

    pub fn mistaken(&mut self, error: ChoiceError, run: &[Step]) {
        earlier(&mut self.mistake, Stopped { error, run: run.to_vec() });
    }

    fn failure(&mut self, Failed { kind, message, .. }: Failed, run: &[Step]) {
        if self.failures.get(&kind).is_none_or(|known| shortlex(run, &known.run).is_lt()) {
            self.failures.insert(kind.clone(), Failure { kind, message, run: run.to_vec(), flaky: None });
        }
        if self.failures.len() > MAX_FAILURES {
            let longest = self.failures.values().max_by(|a, b| shortlex(&a.run, &b.run)).map(|it| it.kind.clone());
            longest.map(|kind| self.failures.remove(&kind));
        }
    }

    /// Adds the findings of another part of the search.
    pub fn merge(&mut self, other: Tally) {
        self.runs += other.runs;
        self.refused += other.refused;
        self.cut += other.cut;
        self.failed += other.failed;
        self.interrupted |= other.interrupted;
        self.estimate.merge(other.estimate);
        other.first_cut.into_iter().for_each(|cut| earlier(&mut self.first_cut, cut));
        other.mistake.into_iter().for_each(|mistake| earlier(&mut self.mistake, mistake));
        for Failure { kind, message, run, flaky: _ } in other.failures.into_values() {
            self.failure(Failed::new(kind, message), &run);
        }
    }

    /// The number of visited runs, whatever their end.
    pub fn visited(&self) -> u64 {
        self.runs + self.refused + self.cut
    }

    pub fn progress(&self) -> Progress {
        Progress { runs: self.visited(), failed: self.failed }
    }

    /// Tests whether runs seem to be endless: many were cut, and none passed, failed or was refused.
    pub fn is_endless(&self) -> bool {
        self.cut >= ENDLESS && self.runs + self.refused == 0
    }

    pub fn report(self, ended: Ended) -> Report {
        let mut failures: Vec<Failure> = self.failures.into_values().collect();
        failures.sort_by(|a, b| shortlex(&a.run, &b.run).then_with(|| a.kind.cmp(&b.kind)));
        Report {
            runs: self.runs,
            refused: self.refused,
            cut: self.cut,
            first_cut: self.first_cut,
            failed: self.failed,
            failures,
            mistake: self.mistake,
            estimate: self.estimate.estimate(),
            ended,
        }
    }
}
