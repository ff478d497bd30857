//! The witness of a recording that is accepted event by event: the sections that the server ran, in their order. Each section has
//! its choices, the messages that it sent, and the events that show them.
//!
//! The recording is judged again with the choices of every path kept. A model of the remaining constraints gives each choice its
//! value, and the concrete server repeats the run ([`repeated`]).
//!
//! ```text
//! 1 {"c":1,"q":5}   2 {"c":2,"q":3}   3 {"c":2,"a":0}   4 {"c":1,"a":1}
//! {"line":1,"after":2,"choices":[7],"a":1,"seen":4}   {"line":2,"after":2,"choices":[],"a":0,"seen":3}
//! ```

pub(crate) mod network_witness;
pub(crate) mod reobserved;
pub(crate) mod repeated;

use network_witness::{NetworkRecording, NetworkWitness};

use super::witness::WitnessError;
use super::witness::script::ChoiceScript;
use super::witness::segment;
use crate::judge::{Patience, judge_at_once};
use crate::solve::Model;

/// Finds a run that explains a recording, and repeats it on the concrete server.
///
/// # Errors
/// The recording is not accepted, or the values could not be found.
pub fn witness_of_recording(recording: NetworkRecording<'_>) -> Result<NetworkWitness, WitnessError> {
    let NetworkRecording { spec, network, events, options } = recording;
    let mut judge = judge_at_once(spec, network, events, &options.keeping_choices(Patience::All));
    segment::accepted(&judge.verdict())?;
    let (candidate, model) = segment::explanation(&mut judge, None, &Model::default())?;
    let script = ChoiceScript::of(&spec.types, &candidate, &model);
    repeated::run(recording, script)
}
