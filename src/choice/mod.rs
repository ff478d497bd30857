//! The one source of bounded choices: every nondeterministic decision of a concrete run is drawn from a [`Choices`].
//!
//! This is the `choose(n)` of choice trees. A run is a list of [`Step`]s, each with the label of the place that asked, the number of
//! alternatives and the pick; nothing else determines the run. So a run can be drawn from a seed ([`Random`]), recorded ([`Recorded`],
//! [`token`]), repeated ([`Replay`]) and shrunk ([`shrink`]), and all runs can be enumerated ([`Odometer`], [`BreadthFirst`]). Enumeration
//! re-runs from the start: there are no snapshots.
//!
//! The rules: a choice from nothing is an error that names the place, never a silent prune. A choice with one alternative is no branch
//! point and is not recorded. A repeated step must have the same label and arity as before, since otherwise the program depends on
//! something besides the choices. Runs that a bound cuts are counted.
//!
//! | task | items |
//! |---|---|
//! | run a closure once for every run | [`explore()`], [`Explore`] with bounds, the [`Chooser`] that the closure gets |
//! | select the runs | [`Odometer`]: all; [`BreadthFirst`]: short ones first; [`Sampled`]: some; [`Replay`], [`Continued`]: known ones |
//! | read the findings | [`Report`], [`Ended`], [`Failure`], [`Flaky`], [`Stopped`] |
//! | keep a run, and shrink it | [`Step`], [`token`], [`shrink`] |
//! | draw paths of a graph uniformly | [`paths::PathDrawing`] |
//! | choose without exploring | [`Choices`], [`Random`], [`Recorded`] |
//! | explore by a strategy of one's own | [`Strategy`], [`Coverage`] |
//!
//! ```
//! use mayhap_choice::{Odometer, explore};
//!
//! let mut sums = std::collections::BTreeSet::new();
//! let report = explore(Odometer::new(), |c| {
//!     let first = c.choose("first die", 6) + 1;
//!     let second = c.choose("second die", 6) + 1;
//!     sums.insert(first + second);
//!     assert!(first + second != 12, "double six");
//! });
//! assert_eq!(sums.len(), 11);
//! assert_eq!(report.failures[0].token(), "c1:first+die,second+die:0.6.5_1.6.5:eb3e55");
//! assert!(report.to_string().starts_with("exhausted 36 of 36 runs, 1 failed"));
//! ```

#![warn(missing_docs)]

mod chooser;
mod error;
#[doc(hidden)]
pub mod explore;
mod label;
pub mod paths;
mod random;
mod replay;
pub mod shrink;
pub mod token;

pub use chooser::{Chooser, Outcome};
pub use error::{BadLabel, ChoiceError, Difference};
pub use explore::breadth::BreadthFirst;
pub use explore::counts::RunCounts;
pub use explore::estimate::RunEstimate;
pub use explore::exhaustive::Odometer;
#[doc(hidden)]
pub use explore::report::counted;
pub use explore::report::{Ended, Failure, Flaky, Report, Stopped, shortlex, shown};
pub use explore::sampled::{SMALL, Sampled};
pub use explore::strategy::{Coverage, Strategy};
pub use explore::tally::Progress;
pub use explore::{Explore, explore};
pub use label::{Label, Unfit, label};
pub use random::Random;
#[doc(hidden)]
pub use random::numbers;
pub use replay::{Continued, Recorded, Replay};

/// One decision of a run: alternative `pick` of `arity`, at the place called `label`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Step {
    /// The place in the program that asked.
    pub label: Label,
    /// The number of alternatives; at least 2 in a recorded run.
    pub arity: usize,
    /// The alternative that was taken, in `0..arity`.
    pub pick: usize,
}

/// A source of the decisions of a run.
///
/// ```
/// use mayhap_choice::{Choices, Random, Recorded, Replay};
///
/// fn roll(choices: &mut dyn Choices) -> Result<usize, mayhap_choice::ChoiceError> {
///     Ok(choices.choose("die", 6)? + 1)
/// }
///
/// let mut first = Recorded::new(Random::new(7));
/// let drawn = [roll(&mut first)?, roll(&mut first)?];
/// let mut again = Replay::new(first.into_run());
/// assert_eq!(drawn, [roll(&mut again)?, roll(&mut again)?]);
/// # Ok::<(), mayhap_choice::ChoiceError>(())
/// ```
pub trait Choices {
    /// Takes one of `arity` alternatives and returns its index, in `0..arity`.
    ///
    /// # Errors
    /// [`ChoiceError::Empty`] if `arity` is 0; [`ChoiceError::BadLabel`] if a run with the label could not be written
    /// as a token; another error if the source ends the run.
    #[inline]
    fn choose(&mut self, label: Label, arity: usize) -> Result<usize, ChoiceError> {
        match arity {
            0 => Err(ChoiceError::Empty { label }),
            1 => Ok(0),
            _ => {
                label::fits(label)?;
                self.branch(label, arity, None)
            }
        }
    }

    /// Takes one alternative, with a probability in proportion to its weight if choices are drawn. For any strategy, an alternative of
    /// weight 0 does not exist. If each weight is the number of runs after the alternative, all runs are equally likely.
    ///
    /// # Errors
    /// As [`Choices::choose`]; [`ChoiceError::Empty`] if no weight is positive.
    fn weighted(&mut self, label: Label, weights: &[u64]) -> Result<usize, ChoiceError> {
        match weights {
            _ if weights.contains(&0) => {
                let there: Vec<usize> = (0..weights.len()).filter(|&at| weights[at] > 0).collect();
                let positive: Vec<u64> = there.iter().map(|&at| weights[at]).collect();
                Ok(there[self.weighted(label, &positive)?])
            }
            [] | [_] => self.choose(label, weights.len()),
            _ => {
                label::fits(label)?;
                self.branch(label, weights.len(), Some(weights))
            }
        }
    }

    /// Decides at a branch point: `arity` is at least 2, and `weights`, if there are any, are `arity` positive numbers. Programs call
    /// [`Choices::choose`] or [`Choices::weighted`] instead.
    ///
    /// # Errors
    /// If the source ends the run.
    fn branch(&mut self, label: Label, arity: usize, weights: Option<&[u64]>) -> Result<usize, ChoiceError>;
}

impl<C: Choices + ?Sized> Choices for &mut C {
    #[inline]
    fn branch(&mut self, label: Label, arity: usize, weights: Option<&[u64]>) -> Result<usize, ChoiceError> {
        (**self).branch(label, arity, weights)
    }
}
