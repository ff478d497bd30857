//! All runs, one after another: a depth-first walk of the choice tree by re-running from the start.
//!
//! No state is saved: a run repeats the decided prefix and takes alternative 0 after it. [`Odometer::advance`] then increments the last
//! pick that has an alternative left, and resets the picks after it to 0, as an odometer turns. Every level stores the end of its
//! alternatives, so that a search can give some of them away ([`Strategy::split`]). The position of a search is a short text
//! ([`Odometer::save`]). So a search can be interrupted, resumed and divided.
//!
//! ```
//! use mayhap_choice::{Choices, Odometer, Strategy};
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
//! # Ok::<(), mayhap_choice::ChoiceError>(())
//! ```

use super::{panics, rerun};
use crate::error::differs;
use crate::label;
use crate::label::same;
use crate::token;
use crate::token::{Saved, TokenError};
use crate::{ChoiceError, Choices, Chooser, Label, Outcome, Step, Strategy};
use std::mem::take;

/// The number of steps for which a new part of a search reserves room, so that the parts of two threads do not share cache lines.
const ROOM: usize = 64;

/// The enumeration of the runs of a program in lexicographic order of their picks.
///
/// ```text
///   arity    4   3   2   5   2
///   end      3                     the first step's alternative 3 was given to another search
///
///   run      1   2   1 | 0   0     what is decided, then alternative 0
///   next     1   2   1   0   1 |   the last step that has an alternative left is counted up, and decided up to it
///     …      1   2   1   4   1 |   no step has one left but the first,
///   next     2 | 0   0   0   0     so it is counted up; after 2 2 1 4 1 this search is done
/// ```
///
/// Invariants:
/// 1. `position` is 0 between two runs; in a run it is the number of choices so far.
/// 2. Each pick is below the step's arity and its end; after the decided steps it is 0.
/// 3. `ends` is no longer than the decided prefix.
/// 4. No step is decided if `left` is `All` or `Nothing`.
#[derive(Clone, Debug, Default)]
pub struct Odometer {
    /// The present run; between two runs, the decided prefix of the next run, then the steps of earlier runs. The next run will usually ask
    /// for the same choices there: then the alternatives 0 need not be written again.
    run: Vec<Step>,
    decided: usize,
    /// The alternative at which this search ends, for each of the first steps; for later steps it is their arity.
    ends: Vec<usize>,
    position: usize,
    left: Left,
    /// A hash of all labels and arities of the first run, once there was one.
    shape: Option<u32>,
}

/// The runs that a search still has to visit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Left {
    /// All runs; none was visited.
    #[default]
    All,
    Runs,
    Nothing,
}

impl Odometer {
    /// The search before its first run, which always takes alternative 0.
    #[must_use]
    pub fn new() -> Odometer {
        Odometer::default()
    }

    /// The search for all runs with this prefix.
    #[must_use]
    pub fn below(prefix: Vec<Step>) -> Odometer {
        let ends = prefix.iter().map(|step| step.pick + 1).collect();
        Odometer { decided: prefix.len(), run: prefix, ends, left: Left::Runs, ..Odometer::default() }
    }

    /// Divides the rest of the search into this number of searches; each remaining run is visited by exactly one of them. Some are empty if
    /// too little of the rest is known yet.
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

    /// The position of the search between two runs, as a text without spaces.
    ///
    /// ```
    /// use mayhap_choice::{Choices, Odometer, Strategy};
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
        let ends = (0..self.decided).map(|at| self.end(at)).collect();
        token::write_search(Saved { run: self.decided().to_vec(), ends, shape: self.shape, done: self.is_done() })
    }

    /// The search at the position in a text of [`Odometer::save`]. It runs the first run of the program again, with at most `choices`
    /// choices, to check that the program is the one whose search was saved.
    ///
    /// # Errors
    /// The text is not from [`Odometer::save`], or the first run asks for other choices than it did then.
    pub fn resume<R: Outcome>(
        saved: &str,
        choices: usize,
        mut program: impl FnMut(&mut Chooser) -> R,
    ) -> Result<Odometer, TokenError> {
        let Saved { run, ends, shape, done } = token::read_search(saved)?;
        if let Some(shape) = shape {
            let mut first = Odometer::new();
            let end = panics::unreported(|| rerun::once(&mut first, choices, &mut program));
            if matches!(end, rerun::End::Escaped(ChoiceError::Interrupted)) {
                return Err(TokenError::Interrupted);
            }
            if token::shape(first.run()) != shape {
                return Err(TokenError::OtherProgram);
            }
        }
        let left = match (done, run.is_empty()) {
            (true, _) => Left::Nothing,
            (false, true) => Left::All,
            (false, false) => Left::Runs,
        };
        Ok(Odometer { decided: run.len(), run, ends, position: 0, left, shape })
    }

    /// The decided prefix of the next run.
    fn decided(&self) -> &[Step] {
        &self.run[..self.decided]
    }

    /// Increments the last step that has an alternative left. Rare cases take the search by value, here and below: a loop of runs then
    /// keeps the search in registers, which makes it a third faster.
    #[expect(clippy::inline_always, reason = "as a call it would borrow the search")]
    #[inline(always)]
    fn turn(&mut self) -> bool {
        let mut at = take(&mut self.position);
        while at > self.ends.len() {
            at -= 1;
            let step = &mut self.run[at];
            step.pick += 1;
            if step.pick < step.arity {
                self.decided = at + 1;
                return true;
            }
            step.pick = 0;
        }
        let (search, next) = take(self).turn_first();
        *self = search;
        next
    }

    /// Increments the last step that has an alternative left, if all decided steps have entries in `ends`; returns the search, and whether
    /// it has a next run.
    #[cold]
    #[inline(never)]
    fn turn_first(mut self) -> (Odometer, bool) {
        while let Some(end) = self.ends.last() {
            let step = &mut self.run[self.ends.len() - 1];
            step.pick += 1;
            if step.pick < *end {
                self.decided = self.ends.len();
                return (self, true);
            }
            step.pick = 0;
            self.ends.pop();
        }
        (self.decided, self.left) = (0, Left::Nothing);
        (self, false)
    }

    /// Ends a run in the rare cases: it was too short, it was the first one, or there is none.
    #[cold]
    #[inline(never)]
    fn advance_slow(mut self) -> (Odometer, Result<bool, ChoiceError>) {
        if let Some(step) = self.decided().get(self.position) {
            let unused = ChoiceError::Unused { label: step.label, left: self.decided - self.position };
            return (self, Err(unused));
        }
        if self.left == Left::All {
            (self.left, self.shape) = (Left::Runs, Some(token::shape(self.run())));
        }
        let next = self.left == Left::Runs && self.turn();
        (self, Ok(next))
    }

    /// The pick of a step that differs from the previous run: the step is new, its label is equal but another literal, or it is another
    /// step. The last is allowed only if the step is not decided.
    #[cold]
    #[inline(never)]
    fn choose_slow(mut self, label: Label, arity: usize) -> (Odometer, Result<usize, ChoiceError>) {
        if let Some(error) = label::fits(label).err().filter(|_| arity > 1) {
            return (self, Err(error));
        }
        let pick = match (arity, self.run.get_mut(self.position)) {
            (0, _) => return (self, Err(ChoiceError::Empty { label })),
            (1, _) => return (self, Ok(0)),
            (_, None) => {
                self.run.push(Step { label, arity, pick: 0 });
                0
            }
            (_, Some(step)) => {
                let repeats = same(step.label, label) && step.arity == arity;
                if self.position < self.decided && !repeats {
                    let error = differs(self.position, (step.label, step.arity), (label, arity));
                    return (self, Err(error));
                }
                (step.label, step.arity) = (label, arity);
                step.pick
            }
        };
        self.position += 1;
        (self, Ok(pick))
    }

    /// A lower bound on the number of runs that are left between two runs: the next one, and one for each alternative that is left at its
    /// steps.
    pub(crate) fn known_left(&self) -> u64 {
        let others = |at: usize| (self.end(at) - self.run[at].pick - 1) as u64;
        match self.left {
            Left::Nothing => 0,
            Left::All | Left::Runs => (0..self.decided).map(others).fold(1, u64::saturating_add),
        }
    }

    /// The alternative at which this search ends at a step.
    fn end(&self, at: usize) -> usize {
        self.ends.get(at).copied().unwrap_or(self.run[at].arity)
    }
}

/// Two searches are equal if the same runs are left to visit.
impl PartialEq for Odometer {
    fn eq(&self, other: &Odometer) -> bool {
        let all = |search: &Odometer| (search.ends.clone(), search.position, search.left, search.shape);
        self.decided() == other.decided() && all(self) == all(other)
    }
}

impl Eq for Odometer {}

impl Choices for Odometer {
    /// The common case, a repeated step, is tested first; such a step has at least two alternatives.
    #[inline]
    fn choose(&mut self, label: Label, arity: usize) -> Result<usize, ChoiceError> {
        if let Some(step) = self.run.get(self.position) {
            let literal = (step.label.as_ptr() == label.as_ptr()) & (step.label.len() == label.len());
            if literal & (step.arity == arity) {
                self.position += 1;
                return Ok(step.pick);
            }
        }
        let (search, pick) = take(self).choose_slow(label, arity);
        *self = search;
        pick
    }

    fn branch(&mut self, label: Label, arity: usize, _: Option<&[u64]>) -> Result<usize, ChoiceError> {
        self.choose(label, arity)
    }
}

impl Strategy for Odometer {
    fn run(&self) -> &[Step] {
        &self.run[..self.position]
    }

    #[expect(clippy::inline_always, reason = "as a call it would borrow the search")]
    #[inline(always)]
    fn advance(&mut self) -> Result<bool, ChoiceError> {
        if self.position < self.decided || self.left != Left::Runs {
            let (search, next) = take(self).advance_slow();
            *self = search;
            return next;
        }
        Ok(self.turn())
    }

    fn restart(&mut self) {
        self.position = 0;
    }

    fn is_done(&self) -> bool {
        self.left == Left::Nothing
    }

    /// The first step with alternatives left gives away the upper half of them, the largest part that can be given away.
    fn split(&mut self) -> Option<Odometer> {
        let at = (0..self.decided).find(|&at| self.run[at].pick + 1 < self.end(at))?;
        let (pick, end) = (self.run[at].pick, self.end(at));
        let from = end - (end - pick) / 2;
        self.ends.extend((self.ends.len()..=at).map(|at| self.run[at].arity).collect::<Vec<_>>());
        self.ends[at] = from;
        let mut prefix = Vec::with_capacity(ROOM.max(at + 1));
        prefix.extend_from_slice(&self.run[..=at]);
        let mut other = Odometer::below(prefix);
        other.run[at].pick = from;
        other.ends[at] = end;
        other.shape = self.shape;
        Some(other)
    }
}
