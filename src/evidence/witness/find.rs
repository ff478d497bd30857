//! The search for a witness. The trace is judged again with its choices kept, and decided choices are replayed on the way
//! ([`super::forward`]). If too much stays undecided, the run is made backwards ([`super::backward`]).

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::{Initial, Segment, Witness, WitnessError};
use super::{backward, forward};
use crate::judge::Options;
use crate::limits;
use crate::spec::Spec;
use crate::validate::Recording;

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

/// Finds a witness of an accepted trace, and hands over its replayed parts. A part replaces earlier parts with the same
/// exchanges. The search ends if `give` answers with a break.
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
    match witness_forwards(spec, options, recording, limits::INTERVAL, give) {
        Err(error) if error == WitnessError::NotAccepted || error.is_doubt() => {
            witness_in_segments(spec, options, recording, limits::SEGMENT, give)
        }
        found => found,
    }
}

/// Finds a witness of an accepted trace from its first exchange on, and hands over its replayed parts. After at least `look`
/// exchanges it is tested which of them are decided. Gives up if too much stays undecided.
///
/// # Errors
/// If the trace is not accepted, the values could not be found, or the search gave up.
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

/// Finds a witness of an accepted trace from its last exchange back, and hands over its replayed parts. A part has at most
/// `longest` exchanges, unless only a longer part fits.
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
