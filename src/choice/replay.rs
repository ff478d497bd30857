//! Writing a run down, and repeating one that was written down.
//!
//! A run is the list of its choices; replaying is strict, as exploration by re-running demands: other arities, too few
//! or too many choices are errors, because they show that something besides the choices decided what the program did.
//!
//! ```
//! use mayhap::choice::{Choice, ChoiceError, Choices, Replay};
//! let mut replay = Replay::new(vec![Choice { arity: 3, index: 2 }]);
//! assert_eq!(replay.choose(3), Ok(2));
//! assert_eq!(replay.choose(3), Err(ChoiceError::RunEnded { position: 1 }));
//! ```

use super::{Choice, ChoiceError, Choices};

/// Another source whose choices are written down as they are made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recorded<C> {
    source: C,
    run: Vec<Choice>,
}

impl<C: Choices> Recorded<C> {
    /// Records what `source` decides from now on.
    pub fn new(source: C) -> Recorded<C> {
        Recorded { source, run: Vec::new() }
    }

    /// The choices made so far; those among one alternative are not among them.
    pub fn run(&self) -> &[Choice] {
        &self.run
    }

    /// The choices made, given away.
    pub fn into_run(self) -> Vec<Choice> {
        self.run
    }
}

impl<C: Choices> Choices for Recorded<C> {
    fn branch(&mut self, arity: usize) -> Result<usize, ChoiceError> {
        let index = self.source.branch(arity)?;
        self.run.push(Choice { arity, index });
        Ok(index)
    }
}

/// The choices of a recorded run, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replay {
    run: Vec<Choice>,
    position: usize,
}

impl Replay {
    /// Repeats `run` from its beginning.
    #[must_use]
    pub fn new(run: Vec<Choice>) -> Replay {
        Replay { run, position: 0 }
    }

    /// Checks, at the end of the run, that the whole record was used.
    ///
    /// # Errors
    /// [`ChoiceError::Unused`] where recorded choices are left.
    pub fn finish(&self) -> Result<(), ChoiceError> {
        match self.run.len() - self.position {
            0 => Ok(()),
            left => Err(ChoiceError::Unused { left }),
        }
    }
}

impl Choices for Replay {
    fn branch(&mut self, asked: usize) -> Result<usize, ChoiceError> {
        let position = self.position;
        let &Choice { arity: recorded, index } = self.run.get(position).ok_or(ChoiceError::RunEnded { position })?;
        if recorded != asked {
            return Err(ChoiceError::NotDeterministic { position, recorded, asked });
        }
        if index >= recorded {
            return Err(ChoiceError::BadRecord { position });
        }
        self.position += 1;
        Ok(index)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Random;
    use super::*;

    #[test]
    fn a_recorded_run_replays() {
        let mut recorded = Recorded::new(Random::new(3));
        let arities = [2, 1, 9, 1_000_000, 1];
        let drawn: Vec<_> = arities.iter().map(|&n| recorded.choose(n)).collect();
        assert_eq!(recorded.run().len(), 3);
        let mut replay = Replay::new(recorded.into_run());
        assert_eq!(drawn, arities.iter().map(|&n| replay.choose(n)).collect::<Vec<_>>());
        assert_eq!(replay.finish(), Ok(()));
    }

    #[test]
    fn what_differs_from_the_record_is_an_error() {
        let replay = Replay::new(vec![Choice { arity: 2, index: 1 }, Choice { arity: 2, index: 2 }]);
        let refused = ChoiceError::NotDeterministic { position: 0, recorded: 2, asked: 3 };
        assert_eq!(replay.clone().choose(3), Err(refused));
        assert_eq!(replay.clone().choose(0), Err(ChoiceError::Empty));
        assert_eq!(replay.finish(), Err(ChoiceError::Unused { left: 2 }));
        let mut half = replay;
        assert_eq!(half.choose(2), Ok(1));
        assert_eq!(half.choose(2), Err(ChoiceError::BadRecord { position: 1 }));
    }
}
