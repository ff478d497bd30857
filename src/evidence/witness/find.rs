//! The search for a witness. The trace is judged again with its choices kept, and decided choices are replayed on the way
//! ([`super::forward`]). If too much stays undecided, the run is made backwards ([`super::backward`]).

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::backward::witness_in_segments;
use super::forward::witness_forwards;
use super::{Initial, Segment, Witness, WitnessError};
use crate::judge::Options;
use crate::limits;
use crate::reading::Recording;
use crate::spec::Spec;

/// The exchanges after which decided choices are looked for.
const LOOK: usize = 256;

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
    match witness_forwards(spec, options, recording, LOOK, give) {
        Err(error) if error == WitnessError::NotAccepted || error.is_doubt() => {
            witness_in_segments(spec, options, recording, limits::SEGMENT, give)
        }
        found => found,
    }
}
