//! A run of the specification that shows exactly what was observed: the completeness of dualizing, made visible.
//!
//! The trace is judged again, with its choices kept; what is decided of them is replayed on the way ([`super::forward`]).
//! Where too much stays open for that, the run is made backwards ([`super::leg`]): what the judge knows is kept at a few
//! places; the last part ends in any state that is possible there, each other one in the state in which the part behind it begins.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::forward;
use super::leg::{self, Begin, Begun};
use crate::dualize::{Candidate, Judge, Options};
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
    /// With all choices kept, the limits on explanations were reached, and none that was followed lasted to the end.
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
/// No more places between the parts are kept; nor more than a few where states are large.
const PLACES: usize = 512;
const FEW: usize = 16;
/// What the states that are kept may have in all, in values.
const VALUES: usize = 1 << 18;

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
        Err(WitnessError::Undecided(_) | WitnessError::NotAccepted) => {
            witness_in_legs(spec, options, recording, LEG, give)
        }
        // Between the parts explanations are put together: in several of them they may stay few.
        Err(WitnessError::TooMany) if recording.length() > LEG => witness_in_legs(spec, options, recording, LEG, give),
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
    // A state at which two parts meet is told in full.
    let options = &Options { late: false, ..options.clone() };
    let mut runs = Runs { spec, options, recording, longest: longest.max(1), give };
    runs.run()
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
    give: &'r mut dyn FnMut(Leg) -> ControlFlow<()>,
}

impl<R: Recording + ?Sized> Runs<'_, R> {
    /// Runs the parts between the checkpoints, the last one first; what the whole run begins with.
    fn run(&mut self) -> Result<Initial, WitnessError> {
        let mut checkpoints = self.checkpoints()?;
        let (mut to, mut into) = (self.recording.length(), None);
        let mut failed = 0;
        while let Some(from) = checkpoints.pop() {
            // What did not fit is made twice as long at least: so nothing is judged again more than a few times.
            if from.at > 0 && to - from.at < 2 * failed {
                continue;
            }
            match self.run_leg(&from, to, into.as_deref()) {
                Ok(Begun::Initial(initial)) => return Ok(initial),
                Ok(Begun::State(state)) => (to, into, failed) = (from.at, Some(state), 0),
                // Where a part does not fit the one behind it, it may together with the one before it.
                Err(WitnessError::Undecided(_) | WitnessError::TooMany) if from.at > 0 => failed = to - from.at,
                // In the end the whole run is made at once, as if there were no parts.
                Err(WitnessError::Undecided(_)) if into.is_some() => {
                    (to, into) = (self.recording.length(), None);
                    checkpoints.push(from);
                }
                Err(error) => return Err(error),
            }
        }
        Err(WitnessError::NotAccepted)
    }

    /// What the judge knows at the beginning and at some places between. Where a part of the state was not looked at yet there
    /// is none: it would have to be known before it is asked for.
    fn checkpoints(&self) -> Result<Vec<Checkpoint>, WitnessError> {
        let mut judge = Judge::new(self.spec.clone(), self.options.clone());
        let mut kept = vec![Checkpoint { at: 0, judge: judge.clone() }];
        let (mut at, mut last, mut width) = (0, 0, self.longest);
        self.recording.read(0, &mut |exchange| {
            at += 1;
            if !judge.observe(exchange) {
                return ControlFlow::Break(());
            }
            let values = values(&judge);
            // A part is at least as long as what is compared at its ends is large.
            if at - last >= width.max(values) && !judge.candidates().iter().any(|one| one.process.has_unknowns()) {
                last = at;
                kept.push(Checkpoint { at, judge: judge.clone() });
                if kept.len() > PLACES || kept.len() > FEW && kept.len() * values > VALUES {
                    let mut number = 0;
                    kept.retain(|_| {
                        number += 1;
                        number % 2 == 1
                    });
                    width *= 2;
                }
            }
            ControlFlow::Continue(())
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
        match (self.give)(Leg { at: from.at, steps }) {
            ControlFlow::Continue(()) => Ok(begun),
            ControlFlow::Break(()) => Err(WitnessError::Stopped),
        }
    }
}

/// How many values the states of a judge have, about.
fn values(judge: &Judge) -> usize {
    let of = |candidate: &Candidate| candidate.process.memory.iter().map(Value::breadth).sum::<usize>();
    judge.candidates().iter().map(of).sum()
}
