//! The verdicts on a trace, and the limits beyond which it is undecided: *one request had more than 20000 possible paths*.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::limits;
use crate::process::{Fault, Limit};
use crate::solve::Why;
use crate::spec::Site;
use crate::value;

/// The judgement of the events observed so far.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// A clean candidate explains everything; a fault that another path met is a warning.
    Accept {
        /// A reachable fault of the specification that this trace did not need.
        warning: Option<FaultReport>,
    },
    /// No server that follows the specification behaves so.
    Reject {
        /// The first event (counted from 1) such that no behaviour shows the events up to it.
        event: u64,
        /// The event, if only a range is known, at which the last clean candidate died.
        event_from: Option<u64>,
    },
    /// Undecided.
    Unknown {
        /// The reason.
        doubt: Doubt,
        /// A reachable fault of the specification: it decides the verdict only if nothing else may explain the trace.
        warning: Option<FaultReport>,
    },
    /// Only runs that break the client's duty explain the trace, from this event on.
    Outside {
        /// The last event at which a run that explained the trace so far broke the duty.
        event: u64,
        /// The `expects`; or the protocol, if none of its handlers takes the request.
        site: Site,
    },
    /// The specification itself is wrong.
    Fault(FaultReport),
}

impl Verdict {
    /// Tests whether something clean explains the trace.
    #[must_use]
    pub fn is_accept(&self) -> bool {
        matches!(self, Verdict::Accept { .. })
    }

    /// The verdict with other numbers for its events.
    #[must_use]
    pub(crate) fn with_events(self, number: &dyn Fn(u64) -> u64) -> Verdict {
        let of_fault = |report: FaultReport| FaultReport { event: number(report.event), ..report };
        match self {
            Verdict::Accept { warning } => Verdict::Accept { warning: warning.map(of_fault) },
            Verdict::Reject { event, event_from } => {
                Verdict::Reject { event: number(event), event_from: event_from.map(number) }
            }
            Verdict::Unknown { doubt, warning } => Verdict::Unknown { doubt, warning: warning.map(of_fault) },
            Verdict::Outside { event, site } => Verdict::Outside { event: number(event), site },
            Verdict::Fault(report) => Verdict::Fault(of_fault(report)),
        }
    }
}

/// An event, and the node of the specification at which something happened then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Place {
    /// The event; 0 is the initial state.
    pub event: u64,
    /// The node.
    pub site: Site,
}

/// A reachable fault of the specification.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct FaultReport {
    /// The fault, and its node.
    pub fault: Fault,
    /// The event at which it was met.
    pub event: u64,
}

/// The reason why there is no verdict.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Doubt {
    /// The solver could not decide a question.
    Solver(Why),
    /// A limit cut paths off.
    Limit(Limit),
}

/// The verdict in a few words: `accept`, or `reject at event 3`.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Accept { .. } => f.write_str("accept"),
            Verdict::Reject { event, event_from: Some(from) } if from < event => {
                write!(f, "reject at event {event}, perhaps from event {from} on")
            }
            Verdict::Reject { event, .. } => write!(f, "reject at event {event}"),
            Verdict::Unknown { doubt, .. } => write!(f, "unknown: {doubt}"),
            Verdict::Outside { event, .. } => {
                write!(
                    f,
                    "outside the specification from event {event} on: only a client that broke its duty explains it"
                )
            }
            Verdict::Fault(report) => write!(f, "no verdict at event {}: {}", report.event, report.fault.kind),
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::Solver(why) => write!(f, "{why}"),
            Doubt::Limit(limit) => write!(f, "{limit}"),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Section => {
                write!(f, "a handler ran for more than {} instructions without an answer", limits::SECTION_LIMIT)
            }
            Limit::Calls => write!(f, "calls were nested more than {} levels deep", limits::CALL_LIMIT),
            Limit::Nodes => write!(
                f,
                "one request inspected more than {} nodes of recursive values that started unknown, or {} of one in an expression",
                limits::NODE_LIMIT,
                limits::GUARDED_NODE_LIMIT
            ),
            Limit::Stretch => write!(
                f,
                "one request inspected more than {} elements of a collection of unknown length",
                limits::STRETCH_LIMIT
            ),
            Limit::Pieces => {
                write!(f, "an unknown text was split into more than {} pieces", limits::PIECES_LIMIT)
            }
            Limit::Range => {
                write!(f, "a range of unknown length may have more than {} integers", limits::RANGE_LIMIT)
            }
            Limit::Extent => write!(
                f,
                "a number of more than {} bits was made, or a text or collection of more than {} bytes or elements, or a value of \
                 more than {} constructors within one another",
                value::BITS_LIMIT,
                value::LENGTH_LIMIT,
                value::DEPTH_LIMIT
            ),
            Limit::Undecidable => f.write_str("an operation on unknown values has no symbolic form"),
            Limit::Orders => f.write_str(
                "gave up: too many orders of concurrent requests, in some of which the specification may be faulty or the client \
                 break its duty",
            ),
            Limit::Steps => {
                write!(f, "the server can be in more than {} states before this event", limits::CLOSURE_LIMIT)
            }
            Limit::Effort => {
                f.write_str("following every possible explanation exceeded the work limit")
            }
            Limit::Memory(most) => write!(f, "possible explanations took more than {most} MiB of memory"),
            Limit::Ended => f.write_str("the time for it was over"),
            Limit::Paths => write!(f, "one request had more than {} possible paths", limits::PATH_LIMIT),
        }
    }
}

/// The least number above `low`, and at most `most`, for which a test holds; `None` if it does not hold for `most`. A test that holds for a
/// number holds for all larger ones.
///
/// The numbers that are tried go up from `low` by 1, 2, 4 … until the test holds, as the number is mostly near; the rest is bisected.
///
/// # Errors
/// Those of the test.
pub(crate) fn least_above<E>(
    mut low: usize,
    most: usize,
    mut holds: impl FnMut(usize) -> Result<bool, E>,
) -> Result<Option<usize>, E> {
    let mut step = 1;
    let mut high = loop {
        if low >= most {
            return Ok(None);
        }
        let at = low.saturating_add(step).min(most);
        if holds(at)? {
            break at;
        }
        (low, step) = (at, step.saturating_mul(2));
    };
    while low + 1 < high {
        let middle = low.midpoint(high);
        if holds(middle)? { high = middle } else { low = middle }
    }
    Ok(Some(high))
}

#[cfg(test)]
mod tests {
    use super::least_above;

    #[test]
    fn the_least_number_is_found() {
        for (low, most, least) in
            (0..6).flat_map(|low| (low..20).flat_map(move |most| (0..24).map(move |of| (low, most, of))))
        {
            let found = least_above(low, most, |n| Ok::<_, ()>(n >= least));
            let expected = (least <= most && most > low).then(|| least.max(low + 1));
            assert_eq!(found, Ok(expected), "above {low}, up to {most}: {least}");
        }
        assert_eq!(least_above(0, 9, |n| if n < 3 { Ok(false) } else { Err(n) }), Err(3));
    }
}
