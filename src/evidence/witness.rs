//! A run of the specification that shows exactly what was observed: the completeness of dualizing, made visible.
//!
//! The trace is judged again, with its choices kept; what is decided of them is replayed on the way ([`super::forward`]).
//! The run is made backwards where too much stays open for that ([`super::backward`]).

use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::{backward, forward};
use crate::dualize::Options;
use crate::server::{Given, Reply};
use crate::solve::Answer;
use crate::spec::{Site, Spec};
use crate::validate::Recording;
use crate::value::Value;

/// A concrete run that explains a trace.
#[derive(Clone, PartialEq, Debug)]
pub struct Witness {
    /// The choices that made the initial state.
    pub initial: Vec<Given>,
    /// The same as JSON.
    pub initial_json: Vec<String>,
    /// The exchanges, in order.
    pub steps: Vec<WitnessStep>,
}

/// One exchange of the run.
#[derive(Clone, PartialEq, Debug)]
pub struct WitnessStep {
    /// Its line.
    pub line: u64,
    /// What the server did by itself before the request, in order.
    pub before: Vec<WitnessOwn>,
    /// What the server chose.
    pub choices: Vec<Given>,
    /// The same as JSON.
    pub json: Vec<String>,
    /// The request, where a part of it was not known.
    pub request: Option<Value>,
    /// What it replied (which fills a hole).
    pub reply: Reply,
    /// Whether the request was lost before it had any effect.
    pub skipped: bool,
}

impl WitnessStep {
    /// How many values it has: choices, and what the server did by itself.
    #[must_use]
    pub fn values(&self) -> usize {
        self.choices.len() + self.before.iter().map(|own| 1 + own.choices.len()).sum::<usize>()
    }
}

/// Something that the server did by itself: a `step` of its specification.
#[derive(Clone, PartialEq, Debug)]
pub struct WitnessOwn {
    /// The step's number, in the order of the declarations.
    pub step: usize,
    /// Where it is declared.
    pub site: Site,
    /// What the server chose.
    pub choices: Vec<Given>,
    /// The same as JSON.
    pub json: Vec<String>,
}

/// Why there is no witness.
#[derive(Clone, PartialEq, Debug)]
pub enum WitnessError {
    /// The trace is not accepted.
    NotAccepted,
    /// A question about the values was too hard.
    Undecided(Answer),
    /// With all choices kept, there are too many explanations to follow them all.
    TooMany,
    /// The run did not show what was observed: a bug of this program, to be reported.
    DoesNotReplay {
        /// The line of the exchange at which it differs.
        line: u64,
        /// How.
        why: String,
    },
    /// Whoever took its parts wanted no more of them.
    Stopped,
}

impl fmt::Display for WitnessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WitnessError::NotAccepted => f.write_str("the trace is not accepted"),
            WitnessError::Stopped => f.write_str("the rest of the witness was not wanted"),
            WitnessError::Undecided(_) => f.write_str("the solver could not find the values of the choices"),
            WitnessError::TooMany => {
                f.write_str("with their choices kept, there are too many explanations to follow them all")
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
pub struct Leg {
    /// The position of its first exchange.
    pub at: usize,
    /// Its exchanges, in order.
    pub steps: Vec<WitnessStep>,
}

impl Leg {
    /// Puts it in the place of those with exchanges that it has, too.
    pub fn put(self, legs: &mut BTreeMap<usize, Leg>) {
        let end = self.at + self.steps.len();
        while let Some((at, to)) = legs.range(..end).next_back().map(|(at, leg)| (*at, at + leg.steps.len())) {
            if to <= self.at {
                break;
            }
            legs.remove(&at);
        }
        legs.insert(self.at, self);
    }
}

/// The choices that made the initial state.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Initial {
    /// The choices.
    pub choices: Vec<Given>,
    /// The same as JSON.
    pub json: Vec<String>,
}

/// Exchanges after which it is looked what is decided of them.
const LOOK: usize = 256;
/// Exchanges whose run is made at once at most, where it is made backwards; what is longer is divided.
pub const LEG: usize = 1_024;

/// Finds a witness of an accepted trace, and replays it.
///
/// # Errors
/// Where the trace is not accepted, or the values could not be found.
pub fn witness<R>(spec: &Arc<Spec>, options: &Options, recording: &R) -> Result<Witness, WitnessError>
where
    R: Recording + ?Sized,
{
    let mut legs: BTreeMap<usize, Leg> = BTreeMap::new();
    let initial = witness_in_parts(spec, options, recording, &mut |leg| {
        leg.put(&mut legs);
        ControlFlow::Continue(())
    })?;
    let steps = legs.into_values().flat_map(|leg| leg.steps).collect();
    Ok(Witness { initial: initial.choices, initial_json: initial.json, steps })
}

/// Finds a witness of an accepted trace and replays it, part by part. A part stands for what was given of its exchanges before.
/// No more of it is looked for once a part is answered with a break.
///
/// # Errors
/// Where the trace is not accepted, or the values could not be found.
pub fn witness_in_parts<R>(
    spec: &Arc<Spec>,
    options: &Options,
    recording: &R,
    give: &mut dyn FnMut(Leg) -> ControlFlow<()>,
) -> Result<Initial, WitnessError>
where
    R: Recording + ?Sized,
{
    match witness_forwards(spec, options, recording, LOOK, give) {
        Err(WitnessError::Undecided(_) | WitnessError::NotAccepted | WitnessError::TooMany) => {
            witness_in_legs(spec, options, recording, LEG, give)
        }
        found => found,
    }
}

/// The same forwards: after so many exchanges at least it is looked what is decided of them. It is given up where too much
/// stays open.
///
/// # Errors
/// Where the trace is not accepted, the values could not be found, or it was given up.
pub fn witness_forwards<R>(
    spec: &Arc<Spec>,
    options: &Options,
    recording: &R,
    look: usize,
    give: &mut dyn FnMut(Leg) -> ControlFlow<()>,
) -> Result<Initial, WitnessError>
where
    R: Recording + ?Sized,
{
    forward::run(spec, options, recording, look.max(1), give)
}

/// The same backwards: the last part first, of so many exchanges.
///
/// # Errors
/// Where the trace is not accepted, or the values could not be found.
pub fn witness_in_legs<R>(
    spec: &Arc<Spec>,
    options: &Options,
    recording: &R,
    longest: usize,
    give: &mut dyn FnMut(Leg) -> ControlFlow<()>,
) -> Result<Initial, WitnessError>
where
    R: Recording + ?Sized,
{
    backward::run(spec, options, recording, longest.max(1), give)
}
