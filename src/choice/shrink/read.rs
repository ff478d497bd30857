//! Reading edited steps as a run: by label, leniently, and writing down the run that comes of it.
//!
//! Steps that were deleted or changed shift what follows. A place that asks takes the next step of its label if there is
//! one within [`NEAR`] steps, passing over those of other labels; else it takes alternative 0 and nothing is used up.

use super::super::label::same;
use super::super::{ChoiceError, Choices, Label, Step};

/// How far ahead a step of the right label is looked for.
const NEAR: usize = 8;

/// A source of choices that follows edited steps.
pub(super) struct Read {
    steps: Vec<Step>,
    at: usize,
    /// A run of more steps is not wanted.
    longest: usize,
    /// The run that was made.
    pub made: Vec<Step>,
}

impl Read {
    pub fn new(steps: Vec<Step>, longest: usize) -> Read {
        Read { steps, at: 0, longest, made: Vec::new() }
    }

    fn next(&mut self, label: Label, arity: usize) -> usize {
        let ahead = self.steps[self.at..].iter().take(NEAR).position(|step| same(step.label, label));
        ahead.map_or(0, |ahead| {
            self.at += ahead + 1;
            self.steps[self.at - 1].pick.min(arity - 1)
        })
    }
}

impl Choices for Read {
    fn branch(&mut self, label: Label, arity: usize) -> Result<usize, ChoiceError> {
        if self.made.len() >= self.longest {
            return Err(ChoiceError::Cut { label, bound: self.longest });
        }
        let pick = self.next(label, arity);
        self.made.push(Step { label, arity, pick });
        Ok(pick)
    }
}
