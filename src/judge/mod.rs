//! Specifications turned inside out: the set of states that still explain what was observed (Figure 3.1 of Yishuai Li's
//! *Testing by Dualization*).
//!
//! A [`Candidate`] is a process whose memory may be symbolic, with the constraints on its variables. A [`Judge`] keeps all
//! candidates. Observing an exchange runs each candidate through its section, with internal choices as fresh variables and
//! the observed answer as a constraint. Candidates whose constraints are satisfiable are kept. When none is left, no server
//! that follows the specification could have answered so.

mod candidate;
mod decided;
mod failures;
mod findings;
mod frontier;
mod normal_form;
mod options;
mod own_steps;
mod resting;
mod section;
mod step;
mod symbolic;
mod tasks;
mod terms;
mod variants;
mod verdict;
mod work;

pub use candidate::Candidate;
pub use candidate::{BegunSection, Log, Logged, notes_requests};
pub use decided::Decided;
pub(crate) use failures::Failures;
pub use frontier::{Counts, Judge};
pub use normal_form::boxes::cells::Cell;
pub use normal_form::boxes::coupled::{coupled, differing};
pub(crate) use normal_form::forms::CanonicalForm;
pub use options::{EFFORT_LIMIT, Inspected, Options, Patience, Reductions};
pub use own_steps::{Before, Fired};
pub use resting::{RestingFrontier, RestingState};
pub use symbolic::{OnPath, Symbolic, Transition, TransitionEnd, initial, symbolic, symbolic_restart, unbounded};
pub use tasks::alternatives::possible_instead;
pub use tasks::recording::{judge_at_once, judge_recorded, judge_within, unanswered};
pub use tasks::wire::RecordedEvent;
pub(crate) use variants::FailedRuns;
pub(crate) use verdict::least_above;
pub use verdict::{Doubt, FaultReport, Place, Verdict};
pub(crate) use work::memory_in_use;

use rustc_hash::FxHashSet;

use crate::scalar::Scalar;
use crate::value::Value;

/// A request with its answer, or the lack of one; or a restart between two requests.
#[derive(Clone, PartialEq, Debug)]
pub struct Exchange {
    /// The exchange's line in the trace, or its number from 1.
    pub line: u64,
    /// The client that made the request.
    pub client: u64,
    /// The request; meaningless for a restart.
    pub request: Value,
    /// The answer, or the lack of one.
    pub observed: Observed,
}

impl Exchange {
    /// A restart of the system, at a line of the trace or with a number from 1.
    #[must_use]
    pub fn restart(line: u64) -> Exchange {
        Exchange { line, client: 0, request: Value::UNIT, observed: Observed::Restarted }
    }

    /// The scalars in the request and its answer, except truth values.
    pub(crate) fn scalars(&self) -> FxHashSet<&Scalar> {
        let mut found = FxHashSet::default();
        for value in [Some(&self.request), self.observed.answer()].into_iter().flatten() {
            value.visit_scalars(&mut |scalar| {
                if !matches!(scalar, Scalar::Bool(_)) {
                    found.insert(scalar);
                }
            });
        }
        found
    }

    /// Tests whether this is a restart.
    #[must_use]
    pub fn is_restart(&self) -> bool {
        matches!(self.observed, Observed::Restarted)
    }
}

impl Observed {
    /// The answer, if one was seen and is known.
    #[must_use]
    pub fn answer(&self) -> Option<&Value> {
        match self {
            Observed::Answer(answer) => Some(answer),
            Observed::Any | Observed::Nothing | Observed::Lost | Observed::Restarted => None,
        }
    }
}

/// The answer that a client saw to its request, or the lack of one.
#[derive(Clone, PartialEq, Debug)]
pub enum Observed {
    /// This answer.
    Answer(Value),
    /// Some answer that is not known: a hole.
    Any,
    /// The server owed no answer.
    Nothing,
    /// The client saw no answer, and stopped waiting: the request may have taken effect, or not.
    Lost,
    /// There was no request: the system was killed and started again.
    Restarted,
}
