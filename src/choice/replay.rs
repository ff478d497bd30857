//! Recording a run, repeating a recorded one, and continuing after it.
//!
//! A run is the list of its steps. Replaying is strict: another label or arity, or too few or too many choices, are errors, because they
//! show that the run depends on something besides the choices.
//!
//! ```
//! use mayhap_choice::{ChoiceError, Choices, Replay, Step};
//! let mut replay = Replay::new(vec![Step { label: "die", arity: 3, pick: 2 }]);
//! assert_eq!(replay.choose("die", 3), Ok(2));
//! assert_eq!(replay.choose("die", 3), Err(ChoiceError::RunEnded { label: "die", position: 1 }));
//! ```

use super::error::differs;
use super::label::same;
use super::{ChoiceError, Choices, Coverage, Label, Step, Strategy};

/// A source that records the choices of another source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recorded<C> {
    source: C,
    run: Vec<Step>,
}

impl<C: Choices> Recorded<C> {
    /// Records the choices of `source` from now on.
    pub fn new(source: C) -> Recorded<C> {
        Recorded { source, run: Vec::new() }
    }

    /// The source of the choices.
    pub fn source(&mut self) -> &mut C {
        &mut self.source
    }

    /// The choices made so far, without those that had a single alternative.
    pub fn run(&self) -> &[Step] {
        &self.run
    }

    /// Returns the choices so far.
    pub fn into_run(self) -> Vec<Step> {
        self.run
    }
}

impl<C: Choices> Choices for Recorded<C> {
    fn branch(&mut self, label: Label, arity: usize, weights: Option<&[u64]>) -> Result<usize, ChoiceError> {
        let pick = self.source.branch(label, arity, weights)?;
        self.run.push(Step { label, arity, pick });
        Ok(pick)
    }
}

/// Returns the recorded pick at a position, `None` after the end of the record, and an error if the record does not fit.
pub(super) fn recorded(
    run: &[Step],
    position: usize,
    label: Label,
    arity: usize,
) -> Result<Option<usize>, ChoiceError> {
    match run.get(position) {
        None => Ok(None),
        Some(step) if !same(step.label, label) || step.arity != arity => {
            Err(differs(position, (step.label, step.arity), (label, arity)))
        }
        Some(step) if step.pick >= arity => Err(ChoiceError::BadRecord { position }),
        Some(step) => Ok(Some(step.pick)),
    }
}

/// Checks, at the end of a run, that the whole record was used.
pub(super) fn used(run: &[Step], position: usize) -> Result<(), ChoiceError> {
    let left = &run[position.min(run.len())..];
    left.first().map_or(Ok(()), |step| Err(ChoiceError::Unused { label: step.label, left: left.len() }))
}

/// The choices of a recorded run, in order. Invariant: the position in the run is at most its length.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replay {
    run: Vec<Step>,
    position: usize,
    done: bool,
}

impl Replay {
    /// Repeats `run` from its beginning.
    #[must_use]
    pub fn new(run: Vec<Step>) -> Replay {
        Replay { run, position: 0, done: false }
    }

    /// Checks, at the end of the run, that the whole record was used.
    ///
    /// # Errors
    /// [`ChoiceError::Unused`] if recorded choices are left.
    pub fn finish(&self) -> Result<(), ChoiceError> {
        used(&self.run, self.position)
    }
}

impl Choices for Replay {
    fn branch(&mut self, label: Label, arity: usize, _: Option<&[u64]>) -> Result<usize, ChoiceError> {
        let pick = recorded(&self.run, self.position, label, arity)?;
        let pick = pick.ok_or(ChoiceError::RunEnded { label, position: self.position })?;
        self.position += 1;
        Ok(pick)
    }
}

/// A replay is a search of one run.
impl Strategy for Replay {
    fn run(&self) -> &[Step] {
        &self.run[..self.position]
    }

    fn advance(&mut self) -> Result<bool, ChoiceError> {
        self.done = true;
        self.finish().map(|()| false)
    }

    fn restart(&mut self) {
        self.position = 0;
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn coverage(&self) -> Coverage {
        Coverage::Recorded
    }
}

/// A search among the runs with a recorded beginning, which every run repeats.
///
/// ```
/// use mayhap_choice::{Continued, Odometer, Step, explore};
/// let beginning = vec![Step { label: "first", arity: 6, pick: 5 }];
/// let report = explore(Continued::new(beginning, Odometer::new()), |c| {
///     assert_eq!(c.choose("first", 6), 5);
///     c.choose("second", 6);
/// });
/// assert_eq!((report.runs, report.failed), (6, 0));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Continued<S> {
    beginning: Vec<Step>,
    run: Vec<Step>,
    search: S,
}

impl<S: Strategy> Continued<S> {
    /// Repeats `beginning`; `search` makes the choices after it.
    pub fn new(beginning: Vec<Step>, search: S) -> Continued<S> {
        Continued { beginning, run: Vec::new(), search }
    }
}

impl<S: Strategy> Choices for Continued<S> {
    fn branch(&mut self, label: Label, arity: usize, weights: Option<&[u64]>) -> Result<usize, ChoiceError> {
        let pick = match recorded(&self.beginning, self.run.len(), label, arity)? {
            Some(pick) => pick,
            None => self.search.branch(label, arity, weights)?,
        };
        self.run.push(Step { label, arity, pick });
        Ok(pick)
    }
}

impl<S: Strategy> Strategy for Continued<S> {
    fn run(&self) -> &[Step] {
        &self.run
    }

    fn advance(&mut self) -> Result<bool, ChoiceError> {
        used(&self.beginning, self.run.len())?;
        self.run.clear();
        self.search.advance()
    }

    fn restart(&mut self) {
        self.run.clear();
        self.search.restart();
    }

    fn is_done(&self) -> bool {
        self.search.is_done()
    }

    fn coverage(&self) -> Coverage {
        self.search.coverage()
    }

    fn split(&mut self) -> Option<Continued<S>> {
        Some(Continued::new(self.beginning.clone(), self.search.split()?))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Random;
    use super::*;

    const LABEL: Label = "x";

    fn step(arity: usize, pick: usize) -> Step {
        Step { label: LABEL, arity, pick }
    }

    #[test]
    fn a_recorded_run_replays() {
        let mut recorded = Recorded::new(Random::new(3));
        let arities = [2, 1, 9, 1_000_000, 1];
        let drawn: Vec<_> = arities.iter().map(|&n| recorded.choose(LABEL, n)).collect();
        assert_eq!(recorded.run().len(), 3);
        let mut replay = Replay::new(recorded.into_run());
        assert_eq!(drawn, arities.iter().map(|&n| replay.choose(LABEL, n)).collect::<Vec<_>>());
        assert_eq!(replay.finish(), Ok(()));
    }

    #[test]
    fn what_differs_from_the_record_is_an_error() {
        let replay = Replay::new(vec![step(2, 1), step(2, 2)]);
        assert_eq!(replay.clone().choose(LABEL, 3), Err(differs(0, (LABEL, 2), (LABEL, 3))));
        assert_eq!(replay.clone().choose("y", 2), Err(differs(0, (LABEL, 2), ("y", 2))));
        assert_eq!(replay.clone().choose(LABEL, 0), Err(ChoiceError::Empty { label: LABEL }));
        assert_eq!(replay.finish(), Err(ChoiceError::Unused { label: LABEL, left: 2 }));
        let mut half = replay;
        assert_eq!(half.choose(LABEL, 2), Ok(1));
        assert_eq!(half.choose(LABEL, 2), Err(ChoiceError::BadRecord { position: 1 }));
    }

    #[test]
    fn a_record_ends_at_one_place_however_often_it_is_asked() {
        let mut replay = Replay::new(vec![step(2, 1)]);
        assert_eq!(replay.choose(LABEL, 2), Ok(1));
        for _ in 0..3 {
            assert_eq!(replay.choose(LABEL, 2), Err(ChoiceError::RunEnded { label: LABEL, position: 1 }));
        }
        assert_eq!((replay.run(), replay.finish()), (&[step(2, 1)][..], Ok(())));
    }
}
