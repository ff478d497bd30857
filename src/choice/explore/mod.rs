//! Running a closure once for every run of a search, and reporting what was found.
//!
//! ```
//! use mayhap_choice::{Ended, Explore, Odometer};
//! let mut search = Explore::new(Odometer::new()).runs(100);
//! let report = search.run(|c| {
//!     let bits: Vec<bool> = (0..8).map(|_| c.flip("bit")).collect();
//!     assert_eq!(bits.len(), 8);
//! });
//! assert_eq!((report.runs, report.ended), (100, Ended::Runs));
//! // What is left goes on where it stopped; on all cores, as nothing in the closure is shared.
//! let rest = search.runs(u64::MAX).run_on(2, |c| (0..8).for_each(|_| _ = c.flip("bit")));
//! assert_eq!((rest.runs, rest.ended), (156, Ended::Exhausted));
//! ```

pub(crate) mod breadth;
pub(crate) mod counts;
pub(crate) mod estimate;
pub(crate) mod exhaustive;
pub(crate) mod few;
#[doc(hidden)]
pub mod panics;
pub(crate) mod report;
pub(crate) mod rerun;
pub(crate) mod rounds;
pub(crate) mod sampled;
pub(crate) mod strategy;
pub(crate) mod tally;

use super::shrink;
use super::{Chooser, Coverage, Ended, Failure, Flaky, Outcome, Progress, Replay, Report, Strategy};
use rerun::End;
use std::ops::ControlFlow;
use tally::Tally;

/// The number of failures that are shrunk if the search did not visit the shortest run of each.
const SHRUNK: usize = 10;

type Watch<'w> = dyn FnMut(Progress) -> ControlFlow<()> + 'w;

/// An exploration: a search with its bounds.
pub struct Explore<'w, S> {
    pub(super) parts: Vec<S>,
    pub(super) allowed: Allowance,
    /// The coverage that is reached when no part has a run left to visit.
    coverage: Coverage,
    watch: Option<Box<Watch<'w>>>,
}

/// The bounds of an exploration: the numbers of runs, of choices in a run, of failures, and of runs for shrinking.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    pub runs: u64,
    pub choices: usize,
    pub failures: u64,
    pub reruns: u64,
}

/// Visits every run of a search, in its order: the one-line form of [`Explore::run`].
pub fn explore<S: Strategy, R: Outcome>(strategy: S, program: impl FnMut(&mut Chooser) -> R) -> Report {
    Explore::new(strategy).run(program)
}

impl<'w, S: Strategy> Explore<'w, S> {
    /// Explores by `strategy`, without a bound on the number of runs.
    pub fn new(strategy: S) -> Explore<'w, S> {
        Explore::of(vec![strategy])
    }

    /// Explores the rest of several searches, for example of saved ones.
    pub fn of(parts: Vec<S>) -> Explore<'w, S> {
        let shrink::Bounds { reruns, choices } = shrink::Bounds::default();
        let allowed = Allowance { runs: u64::MAX, choices, failures: u64::MAX, reruns };
        let less = parts.iter().map(Strategy::coverage).find(|coverage| *coverage != Coverage::All);
        Explore { coverage: less.unwrap_or(Coverage::All), parts, allowed, watch: None }
    }

    /// Sets the largest number of runs that are visited.
    #[must_use]
    pub fn runs(mut self, runs: u64) -> Explore<'w, S> {
        self.allowed.runs = runs;
        self
    }

    /// Sets the largest number of choices in a run; a run that asks for more is cut.
    #[must_use]
    pub fn choices(mut self, choices: usize) -> Explore<'w, S> {
        self.allowed.choices = choices;
        self
    }

    /// Ends the exploration when a run has failed.
    #[must_use]
    pub fn until_failure(mut self) -> Explore<'w, S> {
        self.allowed.failures = 1;
        self
    }

    /// Sets the largest number of runs for shrinking a failing run, which is needed if the search does not visit the smallest one itself.
    /// Before that, each failing run is repeated once, to check that it fails again. 0 switches off both.
    #[must_use]
    pub fn shrinking(mut self, reruns: u64) -> Explore<'w, S> {
        self.allowed.reruns = reruns;
        self
    }

    /// Calls `watch` with the progress after every run (in [`Explore::run_on`]: now and then); `Break` ends the exploration.
    #[must_use]
    pub fn watched(mut self, watch: impl FnMut(Progress) -> ControlFlow<()> + 'w) -> Explore<'w, S> {
        self.watch = Some(Box::new(watch));
        self
    }

    /// The searches for the rest of the runs, to save or to give away.
    pub fn rest(&self) -> &[S] {
        &self.parts
    }

    /// Returns the searches for the rest of the runs.
    pub fn into_rest(self) -> Vec<S> {
        self.parts
    }

    /// Visits the runs one after another, in the order of the search.
    pub fn run<R: Outcome>(&mut self, mut program: impl FnMut(&mut Chooser) -> R) -> Report {
        panics::unreported(|| {
            let mut tally = Tally::default();
            let mut signal = ControlFlow::Continue(());
            for part in &mut self.parts {
                visit(part, self.allowed, &mut tally, &mut program, &mut |tally| {
                    if tally.is_endless() {
                        return ControlFlow::Break(());
                    }
                    signal = self.watch.as_mut().map_or(ControlFlow::Continue(()), |watch| watch(tally.progress()));
                    signal
                });
                if self.allowed.is_over(&tally) || tally.is_endless() || signal.is_break() {
                    break;
                }
            }
            self.finish(tally, signal, program)
        })
    }

    pub(super) fn watch(&mut self, progress: Progress) -> ControlFlow<()> {
        self.watch.as_mut().map_or(ControlFlow::Continue(()), |watch| watch(progress))
    }

    /// The report; failures are shrunk if shorter runs than those visited may show them.
    pub(super) fn finish<R: Outcome>(
        &mut self,
        tally: Tally,
        signal: ControlFlow<()>,
        mut program: impl FnMut(&mut Chooser) -> R,
    ) -> Report {
        self.parts.retain(|part| !part.is_done());
        let ended = match self.coverage {
            _ if tally.mistake.is_some() => Ended::Mistake,
            _ if signal.is_break() || tally.interrupted => Ended::Interrupted,
            Coverage::Recorded if self.parts.is_empty() => Ended::Replayed,
            _ if tally.failed >= self.allowed.failures => Ended::Failure,
            _ if !self.parts.is_empty() && tally.is_endless() => Ended::Endless,
            Coverage::Recorded => Ended::Runs,
            _ if !self.parts.is_empty() => Ended::Runs,
            Coverage::Sample => Ended::Sampled,
            Coverage::All if tally.cut > 0 => Ended::Cut,
            Coverage::All => Ended::Exhausted,
        };
        let mut report = tally.report(ended);
        if self.allowed.reruns > 0 && ![Ended::Replayed, Ended::Interrupted].contains(&ended) {
            report.failures.iter_mut().for_each(|failure| repeat(failure, self.allowed.choices, &mut program));
            // A search that visited all runs has visited the smallest run for each kind of failure.
            if ended != Ended::Exhausted {
                let steady = report.failures.iter_mut().filter(|failure| failure.flaky.is_none());
                steady.take(SHRUNK).for_each(|failure| smaller(failure, self.allowed, &mut program));
            }
        }
        report
    }
}

/// Repeats a failing run, and notes if it ends differently.
fn repeat<R: Outcome>(failure: &mut Failure, bound: usize, program: &mut impl FnMut(&mut Chooser) -> R) {
    failure.flaky = match rerun::placed(&mut Replay::new(failure.run.clone()), bound, program) {
        End::Failed(failed) if failed.kind == failure.kind => None,
        End::Failed(failed) => Some(Flaky::Failed(failed.message)),
        End::Passed => Some(Flaky::Passed),
        End::Escaped(error) => Some(Flaky::Escaped(error)),
    };
}

fn smaller<R: Outcome>(failure: &mut Failure, allowed: Allowance, program: &mut impl FnMut(&mut Chooser) -> R) {
    let bounds = shrink::Bounds { reruns: allowed.reruns, choices: allowed.choices };
    if let Some(shrunk) = shrink::shrink_kind(&failure.run, &failure.kind, bounds, program) {
        (failure.run, failure.message) = (shrunk.run, shrunk.message);
    }
}

impl Allowance {
    /// Tests whether the findings end the search: a bound was reached, or the program made a mistake or interrupted the search.
    pub(super) fn is_over(self, found: &Tally) -> bool {
        found.mistake.is_some() || found.interrupted || found.failed >= self.failures || found.visited() >= self.runs
    }
}

/// Visits runs of one search until it is done, a bound is reached, the program makes a mistake, or the watch breaks.
pub(super) fn visit<S: Strategy, R: Outcome>(
    search: &mut S,
    allowed: Allowance,
    tally: &mut Tally,
    program: &mut impl FnMut(&mut Chooser) -> R,
    watch: &mut impl FnMut(&Tally) -> ControlFlow<()>,
) {
    while !search.is_done() && tally.visited() < allowed.runs && tally.failed < allowed.failures {
        let end = rerun::placed(search, allowed.choices, program);
        if let Some(inverse) = search.inverse_probability() {
            let is_whole = matches!(end, rerun::End::Passed | rerun::End::Failed(_));
            tally.estimate.add(if is_whole { inverse } else { 0.0 });
        }
        let whole = tally.note(end, search.run());
        if tally.interrupted {
            return search.restart();
        }
        if tally.mistake.is_some() {
            return;
        }
        if let Err(error) = search.advance() {
            return tally.mistaken(error, search.run());
        }
        if whole && watch(tally).is_break() {
            return;
        }
    }
}
