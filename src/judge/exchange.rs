//! An exchange: a request, and what its client saw of the answer. `q 5, a 1` is one of compare-and-set; a restart stands between two of them.

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
