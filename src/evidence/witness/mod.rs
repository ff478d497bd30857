//! A concrete run of the specification that shows exactly what was observed. It is the proof that an accepted trace is possible.
//!
//! For (5, 1), (3, 0) it is the run of compare-and-reset in which the first answer chose a number of at least 3.

pub(crate) mod backward;
pub(crate) mod find;
pub(crate) mod forward;
pub(crate) mod made;
pub(crate) mod scheduled;
pub(crate) mod script;
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
    /// The line of the exchange.
    pub line: u64,
    /// The line of the event after which the request was served, if clients are concurrent.
    pub after: Option<u64>,
    /// The internal steps that the server took before the request, in order.
    pub before: Vec<WitnessOwn>,
    /// The choices of the server while it handled the request.
    pub choices: Vec<Given>,
    /// The choices of the server while it handled the request, as JSON.
    pub json: Vec<String>,
    /// The request in full, if the recording has a hole in it.
    pub request: Option<Value>,
    /// The reply of the server; it fills a hole in the recording.
    pub reply: Reply,
    /// True if the request was lost before it had any effect.
    pub skipped: bool,
}

impl WitnessStep {
    /// The number of values of the exchange: its choices, its internal steps, and the choices of these.
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
    /// The place at which the step is declared.
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
    /// With all choices kept, there are too many explanations to follow.
    TooMany,
    /// The choices for the elements of a set were found, but not the order in which the server makes them.
    Disordered,
    /// The run did not show what was observed: a bug of this program, to be reported.
    DoesNotReplay {
        /// The line of the exchange at which the run differs.
        line: u64,
        /// The way in which the run differs, or the reason why the server stopped, in words.
        why: String,
    },
    /// The receiver of the parts wanted no more of them.
    Stopped,
}

impl WitnessError {
    /// Tests whether there may be a witness although none was found.
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
    /// The position of the part's first exchange.
    pub at: usize,
    /// Its exchanges, in order.
    pub steps: Vec<WitnessStep>,
}

impl Segment {
    /// Adds the part to a witness, and removes the parts whose exchanges it has, too.
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
