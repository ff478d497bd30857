//! Lenient reading of edited steps as a run, by label, and recording of the run that results.
//!
//! Deleted or changed steps shift those after them. A place that asks takes the next step with its label if there is one within [`NEAR`]
//! steps, and skips those before it. If there is none, it takes alternative 0 and uses no step.

use super::super::label::same;
use super::super::{ChoiceError, Choices, Label, Step};
use crate::explore::report::shortlex;

/// The number of steps ahead among which a step with the right label is searched.
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
/// 2. Once `cut` names a choice, `made` does not change.
pub(super) struct Read<'s> {
    steps: &'s [Step],
    at: usize,
    /// The run before which the new one must come; and the largest number of steps.
    best: Option<&'s [Step]>,
    longest: usize,
    /// The run that was made.
    pub made: Vec<Step>,
    /// The label and the arity of the choice at which the run could not come before the best one any more.
    pub cut: Option<(Label, usize)>,
}

impl<'s> Read<'s> {
    /// A reader of any run.
    pub fn new(steps: &'s [Step]) -> Read<'s> {
        Read { steps, at: 0, best: None, longest: usize::MAX, made: Vec::new(), cut: None }
    }

    /// A reader of runs that come before this one.
    pub fn before(best: &'s [Step], steps: &'s [Step]) -> Read<'s> {
        Read { best: Some(best), ..Read::up_to(best.len(), steps) }
    }

    /// A reader of runs with at most the given number of steps.
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

    /// The number of steps of the run; that of the best run if it is cut.
    pub fn length(&self) -> usize {
        if self.cut.is_some() { self.longest } else { self.made.len() }
    }

    /// Tests whether the run, with one step more, cannot come before the best one.
    fn is_late(&self) -> bool {
        let made = self.made.len();
        let is_larger = |best: &[Step]| made + 1 == best.len() && shortlex(&self.made, &best[..made]).is_gt();
        made >= self.longest || self.best.is_some_and(is_larger)
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
