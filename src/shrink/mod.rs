//! Smaller scripts that still fail for the same cause, found by running them.
//!
//! The order of what is tried, each candidate run afresh against the system:
//!
//! 1. *From the reason*: the requests of the minimal reason and what they refer to; then with the last writes that these depend on;
//!    with all writes of their keys; with all requests on these; with everything. The first that fails is adopted. Each is tried as
//!    a sequence over one connection first, and then as it was recorded.
//! 2. What came after the rejected event is left out. Requests go in chunks, then one by one; then waits, restarts, clients,
//!    concurrency, and the values of requests in the order that `values.rs` writes down.
//! 3. Candidates of one size are judged on the recorded answers first. That orders them, and excludes none.
//! 4. A candidate is adopted only if it fails for the same cause. Other causes are failures of their own ([`ShrunkScript::others`]).
//! 5. If a script that has failed does not fail again, the failure is *flaky*: each candidate is run until a sequential test decides
//!    whether it fails often enough ([`RatioTest`]).
//!
//! The end is a pass over all single deletions and simplifications that adopts none: the result is locally minimal.

mod edit;
mod odds;
mod parallel;
mod predict;
#[cfg(feature = "proptest")]
mod requests;
mod search;
mod stages;
#[cfg(test)]
mod tests;
mod values;

use std::sync::Arc;
use std::time::Instant;

use crate::script::Script;
use crate::spec::Spec;
use crate::sut::SutFailure;
use search::{Halt, ScriptSearch};

pub use odds::{FALSE_DROPPED, FALSE_KEPT, OddsVerdict, RatioTest};
#[cfg(feature = "proptest")]
pub use requests::requests;
#[cfg(feature = "proptest")]
pub use values::simplest_request;

/// A way to run scripts against the system, each from the beginning.
pub trait Trial {
    /// Runs a script; what came of it.
    fn run(&mut self, script: &Script) -> TrialOutcome;
}

/// The outcome of a run of a script.
#[derive(Clone, PartialEq, Debug)]
pub enum TrialOutcome {
    /// All that was observed can be explained, or it is not known whether it can.
    Passes,
    /// It cannot.
    Fails {
        /// The cause: equal texts are equal causes.
        cause: String,
        /// The run as it was observed, with the labels of the script, up to the event that cannot be explained.
        recorded: Script,
    },
    /// The run says nothing: the system or the adapter broke down.
    Error(SutFailure),
}

/// The bounds on the work of making a script smaller.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ShrinkBudget {
    /// The number of runs.
    pub runs: u64,
    /// The moment at which it ends.
    pub until: Option<Instant>,
    /// The number of runs by which the result is confirmed.
    pub confirm: u64,
}

impl Default for ShrinkBudget {
    fn default() -> ShrinkBudget {
        ShrinkBudget { runs: 500, until: None, confirm: 3 }
    }
}

/// A script that was made smaller.
#[derive(Clone, PartialEq, Debug)]
pub struct ShrunkScript {
    /// The smallest one that was found, as it was observed; its labels are 1, 3, 5 …
    pub script: Script,
    /// The number of runs that it took, those included that confirm it.
    pub runs: u64,
    /// The number of runs of this script that failed, and of all runs of it.
    pub fails: (u64, u64),
    /// Failures of other causes that were met, each with the first script that showed it.
    pub others: Vec<(String, Script)>,
    /// Set if no single deletion or simplification makes it smaller; false if the budget ended before that was known.
    pub minimal: bool,
    /// The failure of the system that ended the search, if one did.
    pub stopped: Option<SutFailure>,
}

/// Makes a failing run smaller. Its last step is the rejected event; the labels are those of the messages of the minimal reason.
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
