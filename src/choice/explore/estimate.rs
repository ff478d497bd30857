//! Knuth's estimate of the number of all runs of a program, from some that were drawn.
//!
//! The tree of all runs is unknown, so runs cannot be drawn with equal probability: of the three runs of a program that stops or goes on, and
//! then chooses once more, the short one is drawn every other time. But a run that is drawn with probability p stands for 1/p runs: the mean of
//! 1/p over all draws is the number of runs (Knuth, *Estimating the efficiency of backtrack programs*, 1975).
//!
//! ```
//! use mayhap_choice::{Sampled, explore};
//! let report = explore(Sampled::new(1, 10_000), |c| {
//!     _ = c.choose("stop", 2) == 0 || c.choose("more", 2) == 0;
//! });
//! let estimate = report.estimate.unwrap();
//! assert!((estimate.runs - 3.0).abs() < 4.0 * estimate.error, "{estimate}");
//! ```

use std::fmt;

/// An estimate of the number of all runs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RunEstimate {
    /// The mean over all draws; runs that were cut are not counted.
    pub runs: f64,
    /// The standard error of the mean.
    pub error: f64,
}

impl fmt::Display for RunEstimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |number: f64| if number < 1e6 { format!("{number:.1}") } else { format!("{number:.2e}") };
        write!(f, "about {} runs in all (Knuth's estimate, standard error {})", shown(self.runs), shown(self.error))
    }
}

/// The sums over draws that give the estimate.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DrawSums {
    draws: u64,
    sum: f64,
    squares: f64,
}

impl DrawSums {
    /// Adds a draw: one divided by its probability, or 0 if the run did not come to its end.
    pub fn add(&mut self, inverse: f64) {
        self.draws += 1;
        self.sum += inverse;
        self.squares += inverse * inverse;
    }

    pub fn merge(&mut self, other: DrawSums) {
        self.draws += other.draws;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// The estimate, from two draws on.
    pub fn estimate(&self) -> Option<RunEstimate> {
        let draws = self.draws as f64;
        let runs = self.sum / draws;
        let variance = (self.squares / draws - runs * runs).max(0.0) * draws / (draws - 1.0);
        (self.draws > 1).then(|| RunEstimate { runs, error: (variance / draws).sqrt() })
    }
}
