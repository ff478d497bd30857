//! The reasons why a choice cannot be made: mistakes of the program, records that do not fit, and runs that end early.
//!
//! ```
//! use mayhap_choice::{ChoiceError, Choices, Random};
//! let nothing = Random::new(1).choose("which process", 0).unwrap_err();
//! assert_eq!(nothing.to_string(), "`which process` chooses from nothing: no alternative is there");
//! assert!(nothing.is_mistake());
//! ```

use super::Label;
use super::label::Unfit;
use std::fmt;

/// The number of characters of a bad label that are shown, so that a message stays readable.
const SHOWN: usize = 40;

/// The reason why a choice cannot be made.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ChoiceError {
    /// A choice between no alternatives.
    Empty {
        /// The place that asked.
        label: Label,
    },
    /// The recorded run has no choice at this position: the run asks for more than was recorded.
    RunEnded {
        /// The place that asked.
        label: Label,
        /// The number of choices that the record has.
        position: usize,
    },
    /// The recorded run has another choice here: the program is not a function of its choices.
    NotDeterministic(Box<Difference>),
    /// The record is invalid: a pick is not below its arity.
    BadRecord {
        /// Position in the record, from 0.
        position: usize,
    },
    /// The run ended before the record did.
    Unused {
        /// The first recorded choice that was not asked for.
        label: Label,
        /// The number of recorded choices that were never asked for.
        left: usize,
    },
    /// The program was told to end its run, and went on.
    Swallowed {
        /// The choice that the program asked for; or, if it returned normally, the place that had ended the run.
        label: Label,
    },
    /// A label that cannot be written in a token, or one of too many labels.
    BadLabel(Box<BadLabel>),
    /// The number of weights is not that of the alternatives, or no weight is positive.
    BadWeights {
        /// The place that asked.
        label: Label,
    },
    /// An `assume` does not hold: this run does not exist.
    Refused {
        /// The label of the condition that was assumed.
        label: Label,
    },
    /// A bound ended the run: the run asks for more choices than allowed, or the search holds more branch points than allowed.
    Cut {
        /// The place that asked.
        label: Label,
        /// The bound.
        bound: usize,
    },
    /// The program wants the search to end immediately.
    Interrupted,
    /// A breadth-first search will visit the alternatives of this choice later.
    Postponed {
        /// The place that asked.
        label: Label,
    },
}

/// A text that is no label.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct BadLabel {
    /// The text.
    pub text: String,
    /// The reason why the text is no label.
    pub unfit: Unfit,
}

/// A difference between a step and the recorded one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Difference {
    /// Position in the record, from 0.
    pub position: usize,
    /// The place and the arity in the record.
    pub recorded: (Label, usize),
    /// The place and the arity that the run asks for.
    pub asked: (Label, usize),
}

impl ChoiceError {
    /// Tests whether this is a mistake of the program or of the record; other errors merely end the run.
    #[must_use]
    pub fn is_mistake(&self) -> bool {
        !matches!(
            self,
            ChoiceError::Refused { .. }
                | ChoiceError::Cut { .. }
                | ChoiceError::Postponed { .. }
                | ChoiceError::Interrupted
        )
    }

    /// The place of the error; empty if it has none.
    #[must_use]
    pub fn label(&self) -> Label {
        match self {
            ChoiceError::Empty { label }
            | ChoiceError::RunEnded { label, .. }
            | ChoiceError::Unused { label, .. }
            | ChoiceError::Swallowed { label }
            | ChoiceError::BadWeights { label }
            | ChoiceError::Refused { label }
            | ChoiceError::Postponed { label }
            | ChoiceError::Cut { label, .. } => label,
            ChoiceError::NotDeterministic(difference) => difference.asked.0,
            ChoiceError::BadRecord { .. } | ChoiceError::BadLabel(_) | ChoiceError::Interrupted => "",
        }
    }
}

#[cold]
pub(super) fn differs(position: usize, recorded: (Label, usize), asked: (Label, usize)) -> ChoiceError {
    ChoiceError::NotDeterministic(Box::new(Difference { position, recorded, asked }))
}

impl fmt::Display for ChoiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChoiceError::Empty { label } => write!(f, "`{label}` chooses from nothing: no alternative is there"),
            ChoiceError::RunEnded { label, position } => {
                write!(f, "the run asks for `{label}` after {}", super::counted(*position as u64, "recorded choice"))
            }
            ChoiceError::NotDeterministic(difference) => difference.fmt(f),
            ChoiceError::BadRecord { position } => {
                write!(f, "recorded choice {position} has a pick that is not below its arity")
            }
            ChoiceError::Unused { label, left } => {
                let left = super::counted(*left as u64, "recorded choice");
                write!(f, "the run ended with {left} left, the first is `{label}`: something besides the choices ")?;
                write!(f, "decides what the program does, or the program has changed")
            }
            ChoiceError::Swallowed { label } => {
                write!(f, "the program was told to end its run and went on at `{label}`: it must not catch the escape")
            }
            ChoiceError::BadLabel(bad) => bad.fmt(f),
            ChoiceError::BadWeights { label } => {
                write!(f, "the weights of `{label}` are not one for each alternative, some positive")
            }
            ChoiceError::Refused { label } => write!(f, "`{label}` does not hold: this run does not exist"),
            ChoiceError::Cut { label, bound } => {
                write!(f, "`{label}` asks for more than {}", super::counted(*bound as u64, "choice"))
            }
            ChoiceError::Interrupted => write!(f, "the search was interrupted in this run"),
            ChoiceError::Postponed { label } => write!(f, "what follows `{label}` is visited later"),
        }
    }
}

impl fmt::Display for BadLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BadLabel { text, unfit } = self;
        let (begin, rest): (String, _) = (text.chars().take(SHOWN).collect(), text.chars().nth(SHOWN));
        write!(f, "the label {begin:?}{} {unfit}", if rest.is_some() { "…" } else { "" })
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { position, recorded, asked } = self;
        let number = position + 1;
        write!(f, "choice {number} was `{}` among {} when it was recorded, now it is ", recorded.0, recorded.1)?;
        write!(f, "`{}` among {}: something besides the choices decides ", asked.0, asked.1)?;
        write!(f, "what the program does, or the program has changed")
    }
}

impl std::error::Error for ChoiceError {}
