//! Some runs, drawn from a seed: each alternative equally likely, or by weights, or each *run* equally likely.
//!
//! The requested number of runs is drawn, with repetition. Every run has its own source, made from the seed and the run's number, so a
//! drawn run does not depend on earlier runs or on the thread. A sample is never exhausted.
//! [`run_if_few`](crate::Explore::run_if_few) tests whether there are few runs, and visits all of them if so.
//!
//! ```
//! use mayhap_choice::{Chooser, Explore, Odometer, Report, SMALL, Sampled, explore};
//! fn coins(c: &mut Chooser, n: usize) {
//!     (0..n).for_each(|_| _ = c.flip("coin"));
//! }
//! let some = |n| explore(Sampled::new(1, 100), |c| coins(c, n)).to_string();
//! let all = |n| Explore::new(Odometer::new()).run_if_few(SMALL, |c| coins(c, n)).map(|report| report.to_string());
//! assert_eq!((all(3).as_deref(), some(3).as_str()), (Some("exhausted 8 of 8 runs, none failed"), "sampled 100 runs, none failed"));
//! assert_eq!((all(90), some(90).as_str()), (None, "sampled 100 runs, none failed"));
//! ```

use super::counts::EMPTY;
use crate::{ChoiceError, Choices, Coverage, Label, Random, RunCounts, Step, Strategy};
use std::fmt;
use std::sync::Arc;

/// The number of runs up to which a program has few: these are all visited instead of drawn.
pub const SMALL: u64 = 1024;

/// A function that returns the weights of the alternatives after some steps, at a place; `None` if all are equal.
type Weigh = dyn Fn(&[Step], Label, usize) -> Option<Vec<u64>> + Send + Sync;

/// A search that draws runs from a seed.
///
/// Invariant: `run` has the steps drawn so far, `draws` is the generator after them, and `at` the number of the beginning `run`.
#[derive(Clone)]
pub struct Sampled {
    seed: u64,
    /// The number of the present run, and the number at which this search ends.
    numbers: (u64, u64),
    draws: Random,
    weigh: Option<Arc<Weigh>>,
    /// The known numbers of runs; `at` is the beginning of the present run among them, or `None` if it is unknown there.
    counts: Option<Arc<RunCounts>>,
    at: Option<u32>,
    run: Vec<Step>,
    /// One divided by the probability of the steps drawn so far.
    inverse: f64,
}

impl Sampled {
    /// A search that draws `runs` runs.
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
            inverse: 1.0,
        }
    }

    /// Draws by weights: `weigh` gets the steps so far, the label and the number of alternatives. It returns a weight for each alternative,
    /// or `None` if all are equal or the program itself gives weights.
    ///
    /// ```
    /// use mayhap_choice::{Sampled, explore};
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

    /// Draws every run with the same probability, as far as the number of runs after each choice is known.
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

    /// Starts the present run from its beginning.
    fn begin(&mut self) {
        self.run.clear();
        self.inverse = 1.0;
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
        self.inverse *= match weights {
            Some(weights) => weights.iter().map(|weight| *weight as f64).sum::<f64>() / weights[pick] as f64,
            None => arity as f64,
        };
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

    fn inverse_probability(&self) -> Option<f64> {
        Some(self.inverse)
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
