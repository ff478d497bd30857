//! Reading edited steps as a run: by label, leniently, and writing down the run that comes of it.
//!
//! Steps that were deleted or changed shift what follows. A place that asks takes the next step of its label if there is
//! one within [`NEAR`] steps, passing over those of other labels; else it takes alternative 0 and nothing is used up.

use super::super::label::same;
use super::super::{ChoiceError, Choices, Label, Step};
use crate::choice::explore::report::shortlex;

/// The number of steps ahead within which one of the right label is looked for.
const NEAR: usize = 8;

/// A source of choices that follows edited steps.
///
/// ```text
///   steps   more 1 | number 7 | more 0         the program asks for `number`, `more`:
///   at               ^                         7 is read, then 0; if it asks for `other` it gets 0, and nothing moves
/// ```
///
/// Invariants:
/// 1. `at` is at most the number of steps, and `made` has at most `longest`.
/// 2. Once `cut` says what was asked for, `made` does not change.
pub(super) struct Read<'s> {
    steps: &'s [Step],
    at: usize,
    /// A run that does not come before this one is not wanted; nor are more steps than the given number.
    best: Option<&'s [Step]>,
    longest: usize,
    /// The run that was made.
    pub made: Vec<Step>,
    /// The label and the arity that the program asked for if the run could not come before the best one any more.
    pub cut: Option<(Label, usize)>,
}

impl<'s> Read<'s> {
    /// Reads any run.
    pub fn new(steps: &'s [Step]) -> Read<'s> {
        Read { steps, at: 0, best: None, longest: usize::MAX, made: Vec::new(), cut: None }
    }

    /// Reads a run that may come before this one.
    pub fn before(best: &'s [Step], steps: &'s [Step]) -> Read<'s> {
        Read { best: Some(best), ..Read::up_to(best.len(), steps) }
    }

    /// Reads a run of at most the given number of steps.
    pub fn up_to(longest: usize, steps: &'s [Step]) -> Read<'s> {
        Read { longest, ..Read::new(steps) }
    }

    fn next(&mut self, label: Label, arity: usize) -> usize {
        let ahead = self.steps[self.at..].iter().take(NEAR).position(|step| same(step.label, label));
        ahead.map_or(0, |ahead| {
            self.at += ahead + 1;
            self.steps[self.at - 1].pick.min(arity - 1)
        })
    }

    /// Tests whether the run has more steps than the best one.
    pub fn is_longer(&self) -> bool {
        self.cut.is_some() && self.made.len() == self.longest
    }

    /// The number of steps that the run has; that of the best one if it is cut.
    pub fn length(&self) -> usize {
        if self.cut.is_some() { self.longest } else { self.made.len() }
    }

    /// Tests whether no run of one more step comes before the best one.
    fn is_late(&self) -> bool {
        let made = self.made.len();
        let is_behind = |best: &[Step]| made + 1 == best.len() && shortlex(&self.made, &best[..made]).is_gt();
        made >= self.longest || self.best.is_some_and(is_behind)
    }
}

impl Choices for Read<'_> {
    fn branch(&mut self, label: Label, arity: usize, _: Option<&[u64]>) -> Result<usize, ChoiceError> {
        if self.is_late() {
            self.cut = Some((label, arity));
            return Err(ChoiceError::Cut { label, bound: self.longest });
        }
        let pick = self.next(label, arity);
        self.made.push(Step { label, arity, pick });
        Ok(pick)
    }
}
