//! Finding a witness: the trace is judged again, with its choices kept; decided choices are replayed on the way
//! ([`super::forward`]). The run is made backwards if too much stays open for that ([`super::backward`]).

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::{Initial, Segment, Witness, WitnessError};
use super::{backward, forward};
use crate::judge::Options;
use crate::spec::Spec;
use crate::validate::Recording;

/// Exchanges after which it is looked what is decided of them.
const LOOK: usize = 256;
/// Exchanges whose run is made at once at most, if it is made backwards; what is longer is divided.
pub const SEGMENT: usize = 1_024;

/// Finds a witness of an accepted trace, and replays it.
///
/// # Errors
/// If the trace is not accepted, or the values could not be found.
pub fn witness<R>(spec: &Arc<Spec>, options: &Options, recording: &R) -> Result<Witness, WitnessError>
where
    R: Recording + ?Sized,
{
    let mut segments: BTreeMap<usize, Segment> = BTreeMap::new();
    let initial = witness_in_parts(spec, options, recording, &mut |segment| {
        segment.put(&mut segments);
        ControlFlow::Continue(())
    })?;
    let steps = segments.into_values().flat_map(|segment| segment.steps).collect();
    Ok(Witness { initial: initial.choices, initial_json: initial.json, steps })
}

/// Finds a witness of an accepted trace and replays it, part by part. A part stands for what was given of its exchanges before.
/// No more of it is looked for once a part is answered with a break.
///
/// # Errors
/// If the trace is not accepted, or the values could not be found.
pub fn witness_in_parts<R>(
    spec: &Arc<Spec>,
    options: &Options,
    recording: &R,
    give: &mut dyn FnMut(Segment) -> ControlFlow<()>,
) -> Result<Initial, WitnessError>
where
    R: Recording + ?Sized,
{
    match witness_forwards(spec, options, recording, LOOK, give) {
        Err(error) if error == WitnessError::NotAccepted || error.is_doubt() => {
            witness_in_segments(spec, options, recording, SEGMENT, give)
        }
        found => found,
    }
}

/// Finds a witness of an accepted trace and replays it, part by part, forwards: after `look` exchanges at least it is checked
/// what is decided of them. Gives up if too much stays open.
///
/// # Errors
/// If the trace is not accepted, the values could not be found, or it was given up.
pub fn witness_forwards<R>(
    spec: &Arc<Spec>,
    options: &Options,
    recording: &R,
    look: usize,
    give: &mut dyn FnMut(Segment) -> ControlFlow<()>,
) -> Result<Initial, WitnessError>
where
    R: Recording + ?Sized,
{
    forward::run(spec, options, recording, look.max(1), give)
}

/// Finds a witness of an accepted trace and replays it, part by part, backwards: the last part first, of `longest` exchanges at
/// most, if that can be helped.
///
/// # Errors
/// If the trace is not accepted, or the values could not be found.
pub fn witness_in_segments<R>(
    spec: &Arc<Spec>,
    options: &Options,
    recording: &R,
    longest: usize,
    give: &mut dyn FnMut(Segment) -> ControlFlow<()>,
) -> Result<Initial, WitnessError>
where
    R: Recording + ?Sized,
{
    backward::run(spec, options, recording, longest.max(1), give)
}
