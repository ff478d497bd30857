//! All runs of a program, if there are few: the search gives up as soon as it knows of more than a limit.
//!
//! A visited run is known, and so is one run for each alternative that is left at its steps:
//!
//! ```text
//!   after run  1 1 0      known: 1 visited, and 2 + 1 + 3 = 6 to come
//!   of         4 3 4
//! ```
//!
//! So a space with many alternatives at its first choice is known to be large after one run.
//!
//! ```
//! use mayhap_choice::{Explore, Odometer};
//! let mut visited = 0;
//! let report = Explore::new(Odometer::new()).run_if_few(100, |c| {
//!     visited += 1;
//!     c.choose("digit", 200);
//! });
//! assert_eq!((report, visited), (None, 1));
//! ```

use super::panics;
use super::tally::Tally;
use super::{Allowance, visit};
use crate::{Explore, Odometer, Outcome, Report};
use std::ops::ControlFlow;

impl Explore<'_, Odometer> {
    /// Visits the runs in their order if there are at most `limit`; `None` as soon as more are known. A failure after which the exploration
    /// ends, a mistake, or the watch also ends this search.
    pub fn run_if_few<R: Outcome>(
        &mut self,
        limit: u64,
        mut program: impl FnMut(&mut crate::Chooser) -> R,
    ) -> Option<Report> {
        panics::unreported(|| {
            let (mut tally, mut signal) = (Tally::default(), ControlFlow::Continue(()));
            while !self.allowed.is_over(&tally) && signal.is_continue() {
                let Some(part) = self.parts.iter_mut().find(|part| part.known_left() > 0) else { break };
                let one = Allowance { runs: tally.visited() + 1, ..self.allowed };
                visit(part, one, &mut tally, &mut program, &mut |_| ControlFlow::Continue(()));
                let left = self.parts.iter().map(Odometer::known_left).fold(0, u64::saturating_add);
                if tally.visited().saturating_add(left) > limit {
                    return None;
                }
                signal = self.watch(tally.progress());
            }
            Some(self.finish(tally, signal, program))
        })
    }
}
