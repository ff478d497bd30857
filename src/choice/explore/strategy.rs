//! Searches: sources of choices that go from one run to the next.
//!
//! ```
//! use mayhap::choice::{Choices, Odometer, Strategy};
//! let mut search = Odometer::new();
//! let mut runs = Vec::new();
//! loop {
//!     runs.push(search.choose("coin", 2)?);
//!     if !search.advance()? {
//!         break;
//!     }
//! }
//! assert_eq!(runs, [0, 1]);
//! # Ok::<(), mayhap::choice::ChoiceError>(())
//! ```

use crate::choice::{ChoiceError, Choices, Step};

/// The runs that a search has visited when it has no next run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coverage {
    /// Every run was visited.
    All,
    /// As many as were asked for were drawn.
    Sample,
    /// The one that was recorded was repeated.
    Recorded,
}

/// A source of choices for one run after another.
pub trait Strategy: Choices {
    /// The steps of the run at hand, up to where it stands.
    fn run(&self) -> &[Step];

    /// Ends the run at hand and goes to the next; false if that was the last.
    ///
    /// # Errors
    /// [`ChoiceError::Unused`] if the run ended inside the prefix that it repeated.
    fn advance(&mut self) -> Result<bool, ChoiceError>;

    /// Goes back to the beginning of the run at hand, as if it had not begun.
    fn restart(&mut self);

    /// Tests whether there is no run left, not even the one at hand.
    fn is_done(&self) -> bool;

    /// The runs that this search has visited when there is no next run.
    fn coverage(&self) -> Coverage {
        Coverage::All
    }

    /// Gives away about half of the runs that are left, if the search knows between two runs which these are. Together the
    /// two searches visit exactly the runs that this one would have visited. The default gives away nothing.
    fn split(&mut self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }
}
