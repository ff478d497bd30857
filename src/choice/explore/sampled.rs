//! Some runs, drawn from a seed: each alternative equally likely, or by weights, or each *run* equally likely.
//!
//! The requested number of runs is drawn, with repetition. Every run has a source of its own, made from the seed and its
//! number, so that what is drawn depends neither on the runs before it nor on who draws it. A sample is never exhausted.
//! [`run_if_few`](crate::choice::Explore::run_if_few) first finds out whether there are few runs, and then visits all of them.
//!
//! ```
//! use mayhap::choice::{Chooser, Explore, Odometer, Report, SMALL, Sampled, explore};
//! fn coins(c: &mut Chooser, n: usize) {
//!     (0..n).for_each(|_| _ = c.flip("coin"));
//! }
//! let some = |n| explore(Sampled::new(1, 100), |c| coins(c, n)).to_string();
//! let all = |n| Explore::new(Odometer::new()).run_if_few(SMALL, |c| coins(c, n)).map(|report| report.to_string());
//! assert_eq!((all(3).as_deref(), some(3).as_str()), (Some("exhausted 8 of 8 runs, none failed"), "sampled 100 runs, none failed"));
//! assert_eq!((all(90), some(90).as_str()), (None, "sampled 100 runs, none failed"));
//! ```

use super::counts::EMPTY;
use crate::choice::{ChoiceError, Choices, Coverage, Label, Random, RunCounts, Step, Strategy};
use std::fmt;
use std::sync::Arc;

/// The number of runs up to which they are few: these are visited before others are drawn, to see whether they are all.
pub const SMALL: u64 = 1024;

/// The weights of the alternatives after a run, at a place, one for each; `None` if all are alike.
type Weigh = dyn Fn(&[Step], Label, usize) -> Option<Vec<u64>> + Send + Sync;

/// Draws runs from a seed.
///
/// Invariant: `run` is what was drawn of the run at hand, `draws` stands after what that took, and `at` after `run`.
#[derive(Clone)]
pub struct Sampled {
    seed: u64,
    /// The run at hand and the one before which this search ends, by number.
    numbers: (u64, u64),
    draws: Random,
    weigh: Option<Arc<Weigh>>,
    /// Numbers of runs, and the beginning among them that the run at hand is; `None` outside of what is known.
    counts: Option<Arc<RunCounts>>,
    at: Option<u32>,
    run: Vec<Step>,
}

impl Sampled {
    /// Draws that many runs.
    #[must_use]
    pub fn new(seed: u64, runs: u64) -> Sampled {
        Sampled {
            seed,
            numbers: (0, runs),
            draws: Random::of_run(seed, 0),
            weigh: None,
            counts: None,
            at: Some(EMPTY),
            run: Vec::new(),
        }
    }

    /// Draws by weights: `weigh` is given the steps so far, the label and the number of alternatives, and returns a
    /// weight for each alternative, or `None` if all are alike or the program itself has weights.
    ///
    /// ```
    /// use mayhap::choice::{Sampled, explore};
    /// let rarely = |_: &[_], label, _| (label == "crash").then(|| vec![99, 1]);
    /// let mut crashes = 0;
    /// explore(Sampled::new(1, 10_000).weighing(rarely), |c| {
    ///     crashes += (0..20).map(|_| c.choose("crash", 2)).sum::<usize>();
    /// });
    /// assert!((1_800..2_200).contains(&crashes), "{crashes} of 200,000");
    /// ```
    #[must_use]
    pub fn weighing(
        mut self,
        weigh: impl Fn(&[Step], Label, usize) -> Option<Vec<u64>> + Send + Sync + 'static,
    ) -> Sampled {
        self.weigh = Some(Arc::new(weigh));
        self
    }

    /// Draws every run with the same probability, if the number of runs after each choice is known.
    #[must_use]
    pub fn uniform(mut self, counts: RunCounts) -> Sampled {
        self.counts = Some(Arc::new(counts));
        self
    }

    /// The number of runs that are still to be drawn.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.numbers.1.saturating_sub(self.numbers.0)
    }

    /// Stands at the beginning of the run at hand.
    fn begin(&mut self) {
        self.run.clear();
        self.at = Some(EMPTY);
        self.draws = Random::of_run(self.seed, self.numbers.0);
    }
}

impl fmt::Debug for Sampled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sampled").field("seed", &self.seed).field("numbers", &self.numbers).finish_non_exhaustive()
    }
}

impl Choices for Sampled {
    fn branch(&mut self, label: Label, arity: usize, weights: Option<&[u64]>) -> Result<usize, ChoiceError> {
        let known = self.counts.as_ref().zip(self.at);
        let counted = known.and_then(|(counts, at)| counts.weights_at(at, arity));
        let own = counted.or_else(|| self.weigh.as_ref().and_then(|weigh| weigh(&self.run, label, arity)));
        let weights = own.as_deref().or(weights);
        if weights.is_some_and(|weights| weights.len() != arity) {
            return Err(ChoiceError::BadWeights { label });
        }
        let pick = self.draws.branch(label, arity, weights)?;
        self.at = known.and_then(|(counts, at)| counts.after(at, pick));
        self.run.push(Step { label, arity, pick });
        Ok(pick)
    }
}

impl Strategy for Sampled {
    fn run(&self) -> &[Step] {
        &self.run
    }

    fn advance(&mut self) -> Result<bool, ChoiceError> {
        self.numbers.0 += 1;
        self.begin();
        Ok(!self.is_done())
    }

    fn restart(&mut self) {
        self.begin();
    }

    fn is_done(&self) -> bool {
        self.left() == 0
    }

    fn coverage(&self) -> Coverage {
        Coverage::Sample
    }

    fn split(&mut self) -> Option<Sampled> {
        let (from, to) = self.numbers;
        if self.left() < 2 {
            return None;
        }
        let middle = from + (to - from) / 2;
        self.numbers.1 = middle;
        Some(Sampled { numbers: (middle, to), draws: Random::of_run(self.seed, middle), ..self.clone() })
    }
}
