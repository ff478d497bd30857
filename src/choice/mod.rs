//! The one source of bounded choices: every nondeterministic decision of a concrete run is drawn from a [`Choices`].
//!
//! A run is then a list of [`Choice`]s, pairs of an arity and an index, and nothing else decides what it does: it can be
//! drawn from a seed ([`Random`]), written down ([`Recorded`]), repeated ([`Replay`]) and enumerated ([`Odometer`]).
//! This is the `choose(n)` of choice trees: `choose(0)` is an error and never a silent prune, `choose(1)` is no branch
//! point and is not recorded, and a replay that meets another arity than the recorded one is an error, since then the
//! program under exploration is not deterministic.
//!
//! ```
//! use mayhap::choice::{Choice, Choices, Random, Recorded, Replay};
//!
//! let mut first = Recorded::new(Random::new(7));
//! let drawn = [first.choose(6)?, first.choose(1)?, first.choose(2)?];
//!
//! let mut again = Replay::new(first.run().to_vec());
//! assert_eq!(drawn, [again.choose(6)?, again.choose(1)?, again.choose(2)?]);
//! assert_eq!(first.run(), [Choice { arity: 6, index: drawn[0] }, Choice { arity: 2, index: drawn[2] }]);
//! # Ok::<(), mayhap::choice::ChoiceError>(())
//! ```

mod exhaustive;
mod random;
mod replay;

pub use exhaustive::Odometer;
pub use random::Random;
pub use replay::{Recorded, Replay};

use std::fmt;

/// One decision of a run: alternative `index` out of `arity`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Choice {
    /// How many alternatives there were; at least 2 in a recorded run.
    pub arity: usize,
    /// Which one was taken, in `0..arity`.
    pub index: usize,
}

/// Why a choice could not be made.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ChoiceError {
    /// A choice between no alternatives.
    Empty,
    /// The recorded run has no choice at this position: the run asks for more than was recorded.
    RunEnded {
        /// How many choices the record has.
        position: usize,
    },
    /// The recorded run has another choice here: the program is not a function of its choices.
    NotDeterministic {
        /// Position in the record, from 0.
        position: usize,
        /// The arity in the record.
        recorded: usize,
        /// The arity that the run asks for.
        asked: usize,
    },
    /// The record itself is no run: its index is not below its arity.
    BadRecord {
        /// Position in the record, from 0.
        position: usize,
    },
    /// The run ended before the record did.
    Unused {
        /// How many recorded choices were never asked for.
        left: usize,
    },
}

impl fmt::Display for ChoiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChoiceError::Empty => write!(f, "a choice between no alternatives"),
            ChoiceError::RunEnded { position } => {
                write!(f, "the run asks for more than the {position} recorded choices")
            }
            ChoiceError::NotDeterministic { position, recorded, asked } => {
                write!(
                    f,
                    "not deterministic: choice {position} was recorded among {recorded} alternatives, now there are {asked}"
                )
            }
            ChoiceError::BadRecord { position } => {
                write!(f, "recorded choice {position} has an index that is not below its arity")
            }
            ChoiceError::Unused { left } => write!(f, "the run ended with {left} recorded choices left"),
        }
    }
}

impl std::error::Error for ChoiceError {}

/// Where the decisions of a run come from.
pub trait Choices {
    /// Takes one of `arity` alternatives and returns its index, in `0..arity`.
    ///
    /// # Errors
    /// [`ChoiceError::Empty`] where `arity` is 0; a replay's errors where the run differs from its record.
    fn choose(&mut self, arity: usize) -> Result<usize, ChoiceError> {
        match arity {
            0 => Err(ChoiceError::Empty),
            1 => Ok(0),
            _ => self.branch(arity),
        }
    }

    /// Decides at a branch point: `arity` is at least 2. Call [`Choices::choose`] instead.
    ///
    /// # Errors
    /// A replay's errors where the run differs from its record.
    fn branch(&mut self, arity: usize) -> Result<usize, ChoiceError>;
}

impl<C: Choices + ?Sized> Choices for &mut C {
    fn branch(&mut self, arity: usize) -> Result<usize, ChoiceError> {
        (**self).branch(arity)
    }
}
