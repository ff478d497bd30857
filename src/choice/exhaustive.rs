//! All runs, one after another: a depth-first walk of the choice tree by re-running from the start.
//!
//! No state is saved: a run repeats the decided prefix and takes alternative 0 behind it; [`Odometer::advance`] then
//! counts the last choice that has an alternative left up by one and forgets what followed it, as an odometer turns.
//!
//! ```
//! use mayhap::choice::{Choices, Odometer};
//! let mut odometer = Odometer::new();
//! let mut runs = Vec::new();
//! loop {
//!     let first = odometer.choose(2)?;
//!     runs.push((first, if first == 0 { 0 } else { odometer.choose(3)? }));
//!     if !odometer.advance()? {
//!         break;
//!     }
//! }
//! assert_eq!(runs, [(0, 0), (1, 0), (1, 1), (1, 2)]);
//! # Ok::<(), mayhap::choice::ChoiceError>(())
//! ```

use super::{Choice, ChoiceError, Choices};

/// Enumerates the runs of a program in lexicographic order of their choices.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Odometer {
    run: Vec<Choice>,
    position: usize,
}

impl Odometer {
    /// Stands before the first run, the one that always takes alternative 0.
    #[must_use]
    pub fn new() -> Odometer {
        Odometer::default()
    }

    /// The choices of the run at hand, up to where it stands.
    #[must_use]
    pub fn run(&self) -> &[Choice] {
        &self.run[..self.position]
    }

    /// Ends the run at hand and goes to the next; false where that was the last.
    ///
    /// # Errors
    /// [`ChoiceError::Unused`] where the run ended inside the prefix that it repeated.
    pub fn advance(&mut self) -> Result<bool, ChoiceError> {
        match self.run.len() - self.position {
            0 => Ok(self.turn()),
            left => Err(ChoiceError::Unused { left }),
        }
    }

    fn turn(&mut self) -> bool {
        self.position = 0;
        while let Some(last) = self.run.last_mut() {
            last.index += 1;
            if last.index < last.arity {
                return true;
            }
            self.run.pop();
        }
        false
    }
}

impl Choices for Odometer {
    fn branch(&mut self, asked: usize) -> Result<usize, ChoiceError> {
        let position = self.position;
        if position == self.run.len() {
            self.run.push(Choice { arity: asked, index: 0 });
        }
        let Choice { arity: recorded, index } = self.run[position];
        if recorded != asked {
            return Err(ChoiceError::NotDeterministic { position, recorded, asked });
        }
        self.position += 1;
        Ok(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut program: impl FnMut(&mut Odometer)) -> usize {
        let mut odometer = Odometer::new();
        let mut runs = 0;
        loop {
            program(&mut odometer);
            runs += 1;
            if !odometer.advance().unwrap() {
                return runs;
            }
        }
    }

    #[test]
    fn every_run_once() {
        assert_eq!(all(|_| ()), 1);
        assert_eq!(all(|o| _ = o.choose(1)), 1);
        let mut seen = std::collections::HashSet::new();
        let runs = all(|o| assert!(seen.insert([o.choose(3), o.choose(1), o.choose(4)])));
        assert_eq!((runs, seen.len()), (12, 12));
    }

    #[test]
    fn a_program_that_is_not_deterministic_is_an_error() {
        let mut odometer = Odometer::new();
        odometer.choose(2).unwrap();
        odometer.advance().unwrap();
        assert_eq!(odometer.choose(3), Err(ChoiceError::NotDeterministic { position: 0, recorded: 2, asked: 3 }));
        assert_eq!(odometer.advance(), Err(ChoiceError::Unused { left: 1 }));
    }
}
