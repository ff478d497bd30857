//! The goal of a section: the end that explains what was observed.

use super::Observed;
use crate::value::Value;

/// The end that a section must come to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Goal<'o> {
    /// This answer.
    Answer(&'o Value),
    /// Some answer.
    Any,
    /// Its end, without an answer.
    Nothing,
    /// Its end, with an answer that nobody sees, or without.
    Lost,
    /// The end of a section; what it sends is under way, and observed by itself.
    Section,
}

impl<'o> Goal<'o> {
    pub(super) fn of(observed: &'o Observed) -> Goal<'o> {
        match observed {
            Observed::Answer(answer) => Goal::Answer(answer),
            Observed::Any => Goal::Any,
            Observed::Nothing => Goal::Nothing,
            Observed::Lost => Goal::Lost,
        }
    }

    /// The only answer, or `None` for the lack of one, that it allows; nothing where it allows several.
    pub(super) fn only(self) -> Option<Option<&'o Value>> {
        match self {
            Goal::Answer(answer) => Some(Some(answer)),
            Goal::Nothing => Some(None),
            Goal::Any | Goal::Lost | Goal::Section => None,
        }
    }
}
