//! The search for smaller scripts that still fail for the same cause, by running them.
//!
//! Each candidate is run afresh against the system, in this order:
//!
//! 1. *From the reason*: the requests of the minimal reason, with the requests that they refer to; then also the requests that were
//!    under way together with these; the last writes that they depend on; all writes of their keys; all requests on these keys;
//!    everything. The first candidate that fails is adopted. Each is tried as a sequence over one connection first, and then as it
//!    was recorded.
//! 2. Everything after the rejected event is left out. Requests are removed in chunks, then one by one; then waits, restarts,
//!    clients and concurrency. Then values of requests are made simpler, in the order that `values.rs` defines.
//! 3. Candidates of one size are first judged on the recorded answers. This orders them, and excludes none.
//! 4. A candidate is adopted only if it fails for the same cause. A failure for another cause is kept apart
//!    ([`ShrunkScript::others`]).
//! 5. If a script that failed once does not always fail again, the failure is *flaky*. Then each candidate is run until a
//!    sequential test decides whether it fails often enough ([`RatioTest`]).
//!
//! The search ends after a pass over all single deletions and simplifications that adopts none: the result is locally minimal.

mod anchored;
mod edit;
mod odds;
mod parallel;
mod predict;
#[cfg(feature = "proptest")]
mod requests;
mod restated;
mod search;
mod stages;
#[cfg(test)]
mod tests;
mod values;

use std::sync::Arc;

use crate::script::Script;
use crate::spec::Spec;
use crate::sut::SutFailure;
use search::{Halt, ScriptSearch};

pub use odds::{FALSE_DROPPED, FALSE_KEPT, OddsVerdict, RatioTest};
#[cfg(feature = "proptest")]
pub use requests::requests;
#[cfg(feature = "proptest")]
pub use values::simplest_request;

/// A way to run scripts against the system, each from a fresh start.
pub trait Trial {
    /// Runs a script, and returns its outcome.
    fn run(&mut self, script: &Script) -> TrialOutcome;
}

/// The outcome of a run of a script.
#[derive(Clone, PartialEq, Debug)]
pub enum TrialOutcome {
    /// Everything that was observed is explained, or it is undecided.
    Passes,
    /// Something that was observed cannot be explained.
    Fails {
        /// The cause; causes are the same if their texts are equal.
        cause: String,
        /// The run as it was observed, with the labels of the script, up to the event that cannot be explained.
        recorded: Script,
    },
    /// Nobody needs a smaller script, so the search ends.
    Enough,
    /// The run says nothing: the system or the adapter broke down.
    Error(SutFailure),
}

/// The limits on the work of shrinking a script, besides the end that was entered ([`limits::end`](crate::limits::end)).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ShrinkBudget {
    /// The most runs.
    pub runs: u64,
    /// The number of runs that confirm the result.
    pub confirm: u64,
}

impl Default for ShrinkBudget {
    fn default() -> ShrinkBudget {
        ShrinkBudget { runs: 500, confirm: 3 }
    }
}

/// A script that was shrunk.
#[derive(Clone, PartialEq, Debug)]
pub struct ShrunkScript {
    /// The smallest script that was found, as it was observed; its labels are 1, 3, 5 …
    pub script: Script,
    /// The number of runs of the search, with the runs that confirm the result.
    pub runs: u64,
    /// The number of runs of this script that failed, and the number of all its runs.
    pub fails: (u64, u64),
    /// The failures for other causes, each with the first script that showed it.
    pub others: Vec<(String, Script)>,
    /// Set if no single deletion or simplification makes the script smaller; false if the budget ended before this was known.
    pub minimal: bool,
    /// The failure of the system that ended the search, if one did.
    pub stopped: Option<SutFailure>,
}

/// Shrinks a failing run. Its last step is the rejected event; `reason` has the labels of the messages of the minimal reason.
pub fn shrink(
    spec: &Arc<Spec>,
    failing: &Script,
    reason: &[u64],
    cause: &str,
    trial: &mut dyn Trial,
    budget: ShrinkBudget,
) -> ShrunkScript {
    let mut search = ScriptSearch::new(spec, failing, cause, trial, budget);
    let ended = search.whole(reason);
    let (minimal, stopped) = match ended {
        Ok(minimal) => (minimal, None),
        Err(Halt::Budget) => (false, None),
        Err(Halt::Failure(failure)) => (false, Some(failure)),
    };
    search.result(minimal, stopped)
}
