//! A run of the specification that shows exactly what was observed: the completeness of dualizing, made visible.
//!
//! For (5, 1), (3, 0) it is the run of compare-and-reset in which the first answer chose a number of at least 3.

pub(crate) mod backward;
pub(crate) mod find;
pub(crate) mod forward;
pub(crate) mod made;
pub(crate) mod scheduled;
pub(crate) mod segment;
pub(crate) mod single;

use std::collections::BTreeMap;
use std::fmt;

use crate::server::{Given, Reply};
use crate::solve::Answer;
use crate::spec::Site;
use crate::value::Value;

/// A concrete run that explains a trace.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Witness {
    /// The choices that made the initial state.
    pub initial: Vec<Given>,
    /// The choices that made the initial state, as JSON.
    pub initial_json: Vec<String>,
    /// The exchanges, in order.
    pub steps: Vec<WitnessStep>,
}

/// One exchange of the run.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct WitnessStep {
    /// Its line.
    pub line: u64,
    /// The line of the event after which the request was served, if clients do not wait for each other.
    pub after: Option<u64>,
    /// The steps that the server took by itself before the request, in order.
    pub before: Vec<WitnessOwn>,
    /// The choices of the server while it handled the request.
    pub choices: Vec<Given>,
    /// The choices of the server while it handled the request, as JSON.
    pub json: Vec<String>,
    /// The request, if a part of it was not known.
    pub request: Option<Value>,
    /// The reply of the server (which fills a hole).
    pub reply: Reply,
    /// True if the request was lost before it had any effect.
    pub skipped: bool,
}

impl WitnessStep {
    /// The number of values that the exchange has: choices, and steps that the server took by itself, with theirs.
    #[must_use]
    pub fn values(&self) -> usize {
        self.choices.len() + self.before.iter().map(|own| 1 + own.choices.len()).sum::<usize>()
    }
}

/// An internal step that the server took: a `step` of its specification.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct WitnessOwn {
    /// The step's number, in the order of the declarations.
    pub step: usize,
    /// The place where it is declared.
    pub site: Site,
    /// The choices of the server in this step.
    pub choices: Vec<Given>,
    /// The choices of the server in this step, as JSON.
    pub json: Vec<String>,
}

/// The reason why there is no witness.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum WitnessError {
    /// The trace is not accepted.
    NotAccepted,
    /// A question about the values was too hard.
    Undecided(Answer),
    /// With all choices kept, there are too many explanations to follow them all.
    TooMany,
    /// The choices for the elements of a set were found, and not their order, which is that of the elements.
    Disordered,
    /// The run did not show what was observed: a bug of this program, to be reported.
    DoesNotReplay {
        /// The line of the exchange at which it differs.
        line: u64,
        /// The way in which it differs, or the reason why the server stopped, in words.
        why: String,
    },
    /// Whoever took its parts wanted no more of them.
    Stopped,
}

impl WitnessError {
    /// Tests whether there may be a witness that was not found.
    #[must_use]
    pub fn is_doubt(&self) -> bool {
        matches!(self, WitnessError::Undecided(_) | WitnessError::TooMany | WitnessError::Disordered)
    }
}

impl fmt::Display for WitnessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WitnessError::NotAccepted => f.write_str("the recording is not accepted"),
            WitnessError::Stopped => f.write_str("the rest of the witness was not wanted"),
            WitnessError::Undecided(_) => f.write_str("the solver could not find the values of the choices"),
            WitnessError::TooMany => {
                f.write_str("with their choices kept, there are too many explanations to follow them all")
            }
            WitnessError::Disordered => {
                f.write_str("choices are made for the elements of a set, and which of these comes first is not known")
            }
            WitnessError::DoesNotReplay { line, why } => {
                write!(f, "bug in mayhap: the witness does not replay at line {line}: {why}; please report it")
            }
        }
    }
}

impl std::error::Error for WitnessError {}

/// A part of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Segment {
    /// The position of its first exchange.
    pub at: usize,
    /// Its exchanges, in order.
    pub steps: Vec<WitnessStep>,
}

impl Segment {
    /// Replaces the parts of a witness whose exchanges it has, too.
    pub fn put(self, segments: &mut BTreeMap<usize, Segment>) {
        let end = self.at + self.steps.len();
        while let Some((at, to)) =
            segments.range(..end).next_back().map(|(at, segment)| (*at, at + segment.steps.len()))
        {
            if to <= self.at {
                break;
            }
            segments.remove(&at);
        }
        segments.insert(self.at, self);
    }
}

/// The choices that made the initial state.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Initial {
    /// The choices.
    pub choices: Vec<Given>,
    /// The choices that made the initial state, as JSON.
    pub json: Vec<String>,
}
