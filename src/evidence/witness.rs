//! A run of the specification that shows exactly what was observed: the completeness of dualizing, made visible.
//!
//! The trace is judged again, and what the judge knows is kept at a few places. Then the run is made backwards from one such
//! place to the one before ([`super::leg`]): the last part ends in any state that is possible there, each other one in
//! the state in which the part behind it begins. A part that is long is divided again; so memory holds one short part
//! and a few of the judge's states, however long the trace is.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::leg::{self, Begin, Begun};
use crate::dualize::{Judge, Options};
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
    /// The run did not show what was observed: a bug of this program, to be reported.
    DoesNotReplay {
        /// The line of the exchange at which it differs.
        line: u64,
        /// How.
        why: String,
    },
}

impl fmt::Display for WitnessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WitnessError::NotAccepted => f.write_str("the trace is not accepted"),
            WitnessError::Undecided(_) => f.write_str("the solver could not find the values of the choices"),
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

/// The choices that made the initial state.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Initial {
    /// The choices.
    pub choices: Vec<Given>,
    /// The same as JSON.
    pub json: Vec<String>,
}

/// Exchanges whose run is made at once; what is longer is divided.
pub const LEG: usize = 1_024;
/// The number of parts into which a run is divided.
const PARTS: usize = 16;

/// Finds a witness of an accepted trace, and replays it.
///
/// # Errors
/// Where the trace is not accepted, or the values could not be found.
pub fn witness<R>(spec: &Arc<Spec>, options: &Options, recording: &R) -> Result<Witness, WitnessError>
where
    R: Recording + ?Sized,
{
    let mut legs: Vec<Leg> = Vec::new();
    let initial = witness_in_legs(spec, options, recording, LEG, &mut |leg| {
        legs.retain(|other| other.at >= leg.at + leg.steps.len());
        legs.push(leg);
    })?;
    let steps = legs.into_iter().rev().flat_map(|leg| leg.steps).collect();
    Ok(Witness { initial: initial.choices, initial_json: initial.json, steps })
}

/// Finds a witness of an accepted trace and replays it, part by part, the last one first; parts have so many exchanges. A part
/// stands for what was given of its exchanges before.
///
/// # Errors
/// Where the trace is not accepted, or the values could not be found.
pub fn witness_in_legs<R>(
    spec: &Arc<Spec>,
    options: &Options,
    recording: &R,
    longest: usize,
    give: &mut dyn FnMut(Leg),
) -> Result<Initial, WitnessError>
where
    R: Recording + ?Sized,
{
    // A state at which two parts meet is told in full.
    let options = &Options { late: false, ..options.clone() };
    let start = Checkpoint { at: 0, judge: Judge::new(spec.clone(), options.clone()) };
    let mut runs = Runs { spec, options, recording, longest: longest.max(1), give };
    match runs.run(&start, recording.length(), None)? {
        Begun::Initial(initial) => Ok(initial),
        Begun::State(_) => Err(WitnessError::NotAccepted),
    }
}

/// What a judge knows before the exchange at this position.
struct Checkpoint {
    at: usize,
    judge: Judge,
}

struct Runs<'r, R: ?Sized> {
    spec: &'r Arc<Spec>,
    options: &'r Options,
    recording: &'r R,
    longest: usize,
    give: &'r mut dyn FnMut(Leg),
}

impl<R: Recording + ?Sized> Runs<'_, R> {
    /// Runs the exchanges behind a checkpoint to a position, and into this state if one is given; what the run begins with.
    fn run(&mut self, from: &Checkpoint, to: usize, into: Option<&[Value]>) -> Result<Begun, WitnessError> {
        if to - from.at > self.longest {
            match self.run_parts(from, to, into) {
                // Where the parts do not fit together the whole may be run at once.
                Err(WitnessError::Undecided(_)) => {}
                begun => return begun,
            }
        }
        self.run_leg(from, to, into)
    }

    fn run_parts(&mut self, from: &Checkpoint, mut to: usize, into: Option<&[Value]>) -> Result<Begun, WitnessError> {
        let mut into: Option<Vec<Value>> = into.map(<[Value]>::to_vec);
        let checkpoints = self.checkpoints(from, to)?;
        if checkpoints.is_empty() {
            return self.run_leg(from, to, into.as_deref());
        }
        for checkpoint in checkpoints.iter().rev() {
            match self.run(checkpoint, to, into.as_deref())? {
                Begun::State(state) => (to, into) = (checkpoint.at, Some(state)),
                Begun::Initial(_) => return Err(WitnessError::NotAccepted),
            }
        }
        self.run(from, to, into.as_deref())
    }

    /// What the judge knows at a few places between. Where a part of the state was not looked at yet there is none: it would
    /// have to be known before it is asked for.
    fn checkpoints(&self, from: &Checkpoint, to: usize) -> Result<Vec<Checkpoint>, WitnessError> {
        let width = (to - from.at).div_ceil(PARTS);
        let (mut at, mut judge, mut kept) = (from.at, from.judge.clone(), Vec::new());
        self.recording.read(from.at, &mut |exchange| {
            at += 1;
            let goes_on = judge.observe(exchange) && at + width < to;
            let is_due = (at - from.at).is_multiple_of(width) && at < to;
            if is_due && !judge.candidates().iter().any(|candidate| candidate.process.has_unknowns()) {
                kept.push(Checkpoint { at, judge: judge.clone() });
            }
            if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if judge.candidates().is_empty() { Err(WitnessError::NotAccepted) } else { Ok(kept) }
    }

    fn run_leg(&mut self, from: &Checkpoint, to: usize, into: Option<&[Value]>) -> Result<Begun, WitnessError> {
        let mut exchanges = Vec::with_capacity(to - from.at);
        self.recording.read(from.at, &mut |exchange| {
            exchanges.push(exchange.clone());
            if exchanges.len() < to - from.at { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        let begin = if from.at == 0 { Begin::Initially(self.options) } else { Begin::At(&from.judge) };
        let (begun, steps) = leg::run(self.spec, begin, &exchanges, into)?;
        (self.give)(Leg { at: from.at, steps });
        Ok(begun)
    }
}
