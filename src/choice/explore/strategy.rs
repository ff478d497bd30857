//! Searches: sources of choices that advance from one run to the next.
//!
//! ```
//! use mayhap_choice::{Choices, Odometer, Strategy};
//! let mut search = Odometer::new();
//! let mut runs = Vec::new();
//! loop {
//!     runs.push(search.choose("coin", 2)?);
//!     if !search.advance()? {
//!         break;
//!     }
//! }
//! assert_eq!(runs, [0, 1]);
//! # Ok::<(), mayhap_choice::ChoiceError>(())
//! ```

use crate::{ChoiceError, Choices, Step};

/// The set of runs that a search has visited when it has no next run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coverage {
    /// Every run was visited.
    All,
    /// The requested number of runs was drawn.
    Sample,
    /// The recorded run was repeated.
    Recorded,
}

/// A source of choices for one run after another.
pub trait Strategy: Choices {
    /// The steps of the present run so far.
    fn run(&self) -> &[Step];

    /// Ends the present run and advances to the next; false if that was the last one.
    ///
    /// # Errors
    /// [`ChoiceError::Unused`] if the run ended inside of the prefix that it repeated.
    fn advance(&mut self) -> Result<bool, ChoiceError>;

    /// Returns to the beginning of the present run.
    fn restart(&mut self);

    /// Tests whether no run is left, the present one included.
    fn is_done(&self) -> bool;

    /// The set of runs that this search has visited when there is no next run.
    fn coverage(&self) -> Coverage {
        Coverage::All
    }

    /// One divided by the probability with which the present run was drawn; none if it was not drawn.
    fn inverse_probability(&self) -> Option<f64> {
        None
    }

    /// Gives away about half of the runs that are left, if the search knows between two runs which these are. The two searches together
    /// visit exactly the runs that this one would have visited. The default gives away nothing.
    fn split(&mut self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }
}
