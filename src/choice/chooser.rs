//! The [`Chooser`], which a program under exploration asks for choices: it returns a choice, or the run ends.
//!
//! Ending a run is *escaping*. [`Chooser::choose`] and similar methods escape by unwinding, so that a program reads as if it were
//! deterministic. [`Chooser::try_choose`] and similar methods return an error instead, for code that must not unwind. If a program catches
//! the escape and goes on, or returns as if nothing had happened, the report says so; if it fails after catching the escape, the run has
//! failed.
//!
//! ```
//! use mayhap_choice::{Chooser, Odometer, explore};
//!
//! fn program(c: &mut Chooser) -> Result<(), Box<dyn std::error::Error>> {
//!     let size = c.choose("size", 3);            // unwinds if the run ends here
//!     let first = c.try_choose("first", size)?;  // an error instead
//!     c.assume("first is even", first % 2 == 0);
//!     Ok(())
//! }
//!
//! let mistake = explore(Odometer::new(), program).mistake.expect("there is no first of none");
//! assert!(mistake.to_string().starts_with("`first` chooses from nothing"));
//! ```

use super::{ChoiceError, Choices, Label};
use std::fmt::Display;

/// The largest number of choices in a run by default: a run that asks for more is cut.
pub(super) const CHOICES: usize = 100_000;

/// Makes the choices of one run.
///
/// Invariants:
/// 1. `left` is at most `bound`; it is 0 if `escaped` gives the reason why the run has ended.
/// 2. If `unwound` is true or `swallowed` names a place, the run has ended.
pub struct Chooser<'s> {
    source: &'s mut dyn Choices,
    /// The number of choices that the run may still ask for.
    left: usize,
    bound: usize,
    pub(super) escaped: Option<ChoiceError>,
    /// True if the escape was by unwinding.
    pub(super) unwound: bool,
    /// The place that asked for a choice after the run had ended.
    pub(super) swallowed: Option<Label>,
}

/// The payload that unwinds through the program when a run ends.
pub(super) struct Escape;

impl<'s> Chooser<'s> {
    pub(super) fn new(source: &'s mut dyn Choices, bound: usize) -> Chooser<'s> {
        Chooser { source, left: bound, bound, escaped: None, unwound: false, swallowed: None }
    }

    /// Takes one of `arity` alternatives and returns its index, in `0..arity`.
    #[inline]
    pub fn choose(&mut self, label: Label, arity: usize) -> usize {
        match self.try_choose(label, arity) {
            Ok(pick) => pick,
            Err(_) => self.unwind(),
        }
    }

    /// Takes one alternative, by weights if choices are drawn; see [`Choices::weighted`].
    pub fn weighted(&mut self, label: Label, weights: &[u64]) -> usize {
        self.try_weighted(label, weights).unwrap_or_else(|_| self.unwind())
    }

    /// Takes one of the items.
    pub fn pick<'t, T>(&mut self, label: Label, items: &'t [T]) -> &'t T {
        &items[self.choose(label, items.len())]
    }

    /// Takes false or true, in this order.
    pub fn flip(&mut self, label: Label) -> bool {
        self.choose(label, 2) == 1
    }

    /// Assumes a condition: a run in which it is false does not exist.
    pub fn assume(&mut self, label: Label, condition: bool) {
        if self.try_assume(label, condition).is_err() {
            self.unwind();
        }
    }

    /// Takes one of `arity` alternatives as [`Chooser::choose`] does, without unwinding.
    ///
    /// # Errors
    /// If the run ends here: pass it on.
    #[inline]
    pub fn try_choose(&mut self, label: Label, arity: usize) -> Result<usize, ChoiceError> {
        self.ask(label, |source| source.choose(label, arity))
    }

    /// Takes one alternative by weights as [`Chooser::weighted`] does, without unwinding.
    ///
    /// # Errors
    /// If the run ends here: pass it on.
    pub fn try_weighted(&mut self, label: Label, weights: &[u64]) -> Result<usize, ChoiceError> {
        self.ask(label, |source| source.weighted(label, weights))
    }

    #[inline]
    fn ask(
        &mut self,
        label: Label,
        draw: impl FnOnce(&mut dyn Choices) -> Result<usize, ChoiceError>,
    ) -> Result<usize, ChoiceError> {
        if self.left == 0 {
            return Err(self.over(label));
        }
        self.left -= 1;
        draw(self.source).map_err(|error| self.escape(error))
    }

    /// Ends the run if the condition is false, as [`Chooser::assume`] does, without unwinding.
    ///
    /// # Errors
    /// If the condition is false: pass it on.
    pub fn try_assume(&mut self, label: Label, condition: bool) -> Result<(), ChoiceError> {
        match &self.escaped {
            Some(_) => Err(self.over(label)),
            None if condition => Ok(()),
            None => Err(self.escape(ChoiceError::Refused { label })),
        }
    }

    /// Ends the search immediately, in the middle of this run. The run is not counted, and the rest of the search begins with it. If the
    /// run has been ended already, its reason stays.
    ///
    /// ```
    /// use mayhap_choice::{Chooser, Ended, Explore, Odometer};
    /// let program = |c: &mut Chooser, enough: bool| {
    ///     let last = c.choose("digit", 10) == 7;
    ///     if last && enough { Err(c.interrupt()) } else { Ok(()) }
    /// };
    /// let mut search = Explore::new(Odometer::new());
    /// let begun = search.run(|c| program(c, true));
    /// assert_eq!((begun.runs, begun.ended), (7, Ended::Interrupted));
    /// assert_eq!(search.run(|c| program(c, false)).runs, 3);
    /// ```
    #[cold]
    pub fn interrupt(&mut self) -> ChoiceError {
        match &self.escaped {
            Some(error) => error.clone(),
            None => self.escape(ChoiceError::Interrupted),
        }
    }

    #[cold]
    fn escape(&mut self, error: ChoiceError) -> ChoiceError {
        self.left = 0;
        self.escaped = Some(error.clone());
        error
    }

    /// Returns the error for a choice beyond the bound, or after the end of the run.
    #[cold]
    fn over(&mut self, label: Label) -> ChoiceError {
        match &self.escaped {
            None => self.escape(ChoiceError::Cut { label, bound: self.bound }),
            Some(_) => {
                self.swallowed.get_or_insert(label);
                ChoiceError::Swallowed { label }
            }
        }
    }

    /// Ends the run by unwinding. A choice in a destructor, while the thread is unwinding already, only returns 0.
    #[cold]
    fn unwind(&mut self) -> usize {
        if std::thread::panicking() {
            return 0;
        }
        self.unwound = true;
        std::panic::resume_unwind(Box::new(Escape))
    }
}

/// A chooser can be handed to code that takes any source of choices.
impl Choices for Chooser<'_> {
    fn branch(&mut self, label: Label, arity: usize, weights: Option<&[u64]>) -> Result<usize, ChoiceError> {
        match weights {
            None => self.try_choose(label, arity),
            Some(weights) => self.try_weighted(label, weights),
        }
    }
}

/// The values that a program under exploration may return: nothing, or a result whose error is a failure.
pub trait Outcome {
    /// The reason why the run failed, if it did.
    fn failure(self) -> Option<String>;
}

impl Outcome for () {
    fn failure(self) -> Option<String> {
        None
    }
}

impl<E: Display> Outcome for Result<(), E> {
    fn failure(self) -> Option<String> {
        self.err().map(|error| error.to_string())
    }
}
