//! All runs, one after another: a depth-first walk of the choice tree by re-running from the start.
//!
//! No state is saved: a run repeats the decided prefix and takes alternative 0 behind it; [`Odometer::advance`] then
//! counts the last choice that has an alternative left up by one and forgets what followed it, as an odometer turns.
//! Every level knows where its alternatives end, so that a search can give some of them away ([`Strategy::split`]), and
//! where it stands is a short text ([`Odometer::save`]): a search can be interrupted, resumed and divided at will.
//!
//! ```
//! use mayhap::choice::{Choices, Odometer, Strategy};
//! let mut odometer = Odometer::new();
//! let mut runs = Vec::new();
//! loop {
//!     let first = odometer.choose("first", 2)?;
//!     runs.push((first, if first == 0 { 0 } else { odometer.choose("second", 3)? }));
//!     if !odometer.advance()? {
//!         break;
//!     }
//! }
//! assert_eq!(runs, [(0, 0), (1, 0), (1, 1), (1, 2)]);
//! # Ok::<(), mayhap::choice::ChoiceError>(())
//! ```

use super::error::differs;
use super::label::same;
use super::token::{self, TokenError};
use super::{ChoiceError, Choices, Chooser, Coverage, Label, Outcome, Step, Strategy, quiet, rerun};

/// Enumerates the runs of a program in lexicographic order of their picks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Odometer {
    /// The next run, as far as it is decided; all of the run at hand.
    run: Vec<Step>,
    /// For the first steps, the alternative before which this search ends there; for the others it is their arity.
    ends: Vec<usize>,
    position: usize,
    left: Left,
    /// What the very first run asked, where there was one.
    shape: Option<u32>,
}

/// What a search has before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Left {
    /// All runs, none of which was visited.
    #[default]
    All,
    Runs,
    Nothing,
}

impl Odometer {
    /// Stands before the first run, the one that always takes alternative 0.
    #[must_use]
    pub fn new() -> Odometer {
        Odometer::default()
    }

    /// The search of all runs that begin with `prefix`.
    #[must_use]
    pub fn below(prefix: Vec<Step>) -> Odometer {
        let ends = prefix.iter().map(|step| step.pick + 1).collect();
        Odometer { run: prefix, ends, left: Left::Runs, ..Odometer::default() }
    }

    /// Divides what is left into that many searches, some of them empty where there is not enough to divide that is
    /// known already. Each run that is left is visited by exactly one of them.
    #[must_use]
    pub fn split_into(self, parts: usize) -> Vec<Odometer> {
        let mut all = vec![self];
        let mut at = 0;
        while all.len() < parts && at < all.len() {
            match all[at].split() {
                Some(other) => all.push(other),
                None => at += 1,
            }
        }
        let nothing = Odometer { left: Left::Nothing, ..Odometer::default() };
        all.resize(parts.max(all.len()), nothing);
        all
    }

    /// Where the search stands, between two runs, as a text without spaces.
    ///
    /// ```
    /// use mayhap::choice::{Choices, Odometer, Strategy};
    /// let mut search = Odometer::new();
    /// search.choose("coin", 2)?;
    /// search.advance()?;
    /// let saved = search.save();
    /// let mut resumed = Odometer::resume(&saved, 100, |c| _ = c.choose("coin", 2))?;
    /// assert_eq!(resumed.choose("coin", 2), Ok(1));
    /// assert!(Odometer::resume(&saved, 100, |c| _ = c.choose("coin", 3)).is_err(), "another program");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn save(&self) -> String {
        let ends: Vec<usize> = (0..self.run.len()).map(|at| self.end(at)).collect();
        token::write_search(&self.run, &ends, self.shape, self.is_done())
    }

    /// The search that stands where it was saved. Of the program, whose runs have at most `choices` choices, the first
    /// run is run once more, to see that it is the one whose search was saved.
    ///
    /// # Errors
    /// Where the text is none that [`Odometer::save`] gave, or the first run asks for something else than it did.
    pub fn resume<R: Outcome>(
        saved: &str,
        choices: usize,
        mut program: impl FnMut(&mut Chooser) -> R,
    ) -> Result<Odometer, TokenError> {
        let (run, ends, shape, done) = token::read_search(saved)?;
        if let Some(shape) = shape {
            let mut first = Odometer::new();
            quiet::quietly(|| _ = rerun::once(&mut first, choices, &mut program));
            if token::shape(first.run()) != shape {
                return Err(TokenError::OtherProgram);
            }
        }
        let left = match (done, run.is_empty()) {
            (true, _) => Left::Nothing,
            (false, true) => Left::All,
            (false, false) => Left::Runs,
        };
        Ok(Odometer { run, ends, position: 0, left, shape })
    }

    #[cold]
    fn begun(&mut self) {
        (self.left, self.shape) = (Left::Runs, Some(token::shape(&self.run)));
    }

    #[inline]
    fn turn(&mut self) -> bool {
        self.position = 0;
        while self.run.len() > self.ends.len() {
            let at = self.run.len() - 1;
            let last = &mut self.run[at];
            last.pick += 1;
            if last.pick < last.arity {
                return true;
            }
            self.run.truncate(at);
        }
        if !turn_first(&mut self.run, &mut self.ends) {
            self.left = Left::Nothing;
        }
        self.left == Left::Runs
    }

    /// The alternative before which this search ends at a step.
    fn end(&self, at: usize) -> usize {
        self.ends.get(at).copied().unwrap_or(self.run[at].arity)
    }
}

/// Turns where only steps are left that have ends of their own. What is seldom done takes parts of the search, not the
/// search, so that the rest of it can stay in registers.
#[cold]
fn turn_first(run: &mut Vec<Step>, ends: &mut Vec<usize>) -> bool {
    while let (Some(last), Some(end)) = (run.last_mut(), ends.last()) {
        last.pick += 1;
        if last.pick < *end {
            return true;
        }
        run.pop();
        ends.pop();
    }
    false
}

impl Choices for Odometer {
    #[inline]
    fn branch(&mut self, label: Label, arity: usize) -> Result<usize, ChoiceError> {
        let position = self.position;
        self.position += 1;
        let Some(step) = self.run.get(position) else {
            self.run.push(Step { label, arity, pick: 0 });
            return Ok(0);
        };
        let literal = (step.label.as_ptr() == label.as_ptr()) & (step.label.len() == label.len());
        if literal & (step.arity == arity) {
            return Ok(step.pick);
        }
        repeated(*step, position, label, arity).inspect_err(|_| self.position = position)
    }
}

/// The pick of a step that is not asked for by the same literal: it may have the same text, or is another one.
#[cold]
fn repeated(step: Step, position: usize, label: Label, arity: usize) -> Result<usize, ChoiceError> {
    match same(step.label, label) && step.arity == arity {
        true => Ok(step.pick),
        false => Err(differs(position, (step.label, step.arity), (label, arity))),
    }
}

impl Strategy for Odometer {
    fn run(&self) -> &[Step] {
        &self.run[..self.position]
    }

    #[inline]
    fn advance(&mut self) -> Result<bool, ChoiceError> {
        match self.run.get(self.position) {
            None => {
                if self.left == Left::All {
                    self.begun();
                }
                Ok(self.turn())
            }
            Some(step) => Err(ChoiceError::Unused { label: step.label, left: self.run.len() - self.position }),
        }
    }

    fn is_done(&self) -> bool {
        self.left == Left::Nothing
    }

    fn coverage(&self) -> Coverage {
        Coverage::All
    }

    /// The outermost choice that has alternatives left gives away the upper half of them, the most that can be given.
    fn split(&mut self) -> Option<Odometer> {
        let at = (0..self.run.len()).find(|&at| self.run[at].pick + 1 < self.end(at))?;
        let (pick, end) = (self.run[at].pick, self.end(at));
        let from = end - (end - pick) / 2;
        self.ends.extend((self.ends.len()..=at).map(|at| self.run[at].arity).collect::<Vec<_>>());
        self.ends[at] = from;
        let mut other = Odometer::below(self.run[..=at].to_vec());
        other.run[at].pick = from;
        other.ends[at] = end;
        other.shape = self.shape;
        Some(other)
    }
}
