//! Evidence for a verdict, as it is wanted: an explanation, and the witness of an accepted recording in the report or in a file.

use super::witness_parts::Gathered;
use crate::cli::terminal::files;
use mayhap::evidence::{Budget, NetworkWitness, WitnessError};
use mayhap::report::sections::{self, WitnessLines};
use mayhap::report::{INLINE, TraceReport};
use mayhap::session::{JudgedRecording, NetworkedEvidence, Proof, Recheck, WitnessSearch, WitnessWay};
use mayhap::spec::Spec;
use std::path::Path;
use std::sync::Arc;

/// The evidence that a user asks for.
#[derive(Clone, Copy)]
pub struct WantedEvidence<'o> {
    /// The choice whether the reason of a rejection is judged again.
    pub recheck: Recheck,
    /// The choice whether an accepted trace gets a witness, and where it goes.
    pub witness: WitnessWanted<'o>,
}

/// The place for a witness.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum WitnessWanted<'o> {
    /// No witness is searched.
    No,
    /// The report.
    Inline,
    /// This file, and the report.
    File(&'o Path),
}

/// Adds evidence to the report of a recording.
///
/// # Errors
/// The witness could not be written, or evidence did not hold in a second judgement.
pub fn add(
    judged: &mut JudgedRecording,
    proof: &mut dyn Proof,
    wanted: WantedEvidence<'_>,
    budget: Budget<'_>,
) -> Result<(), String> {
    proof.explained(wanted.recheck, budget)?.add_to(&mut judged.report);
    if !judged.verdict.is_accept() || wanted.witness == WitnessWanted::No {
        return Ok(());
    }
    let file = if let WitnessWanted::File(path) = wanted.witness { Some(path) } else { None };
    let JudgedRecording { spec, report, .. } = judged;
    match proof.witness() {
        WitnessWay::Requests(length, _) if file.is_none() && length > INLINE => {
            report.explanation.push(too_long());
            Ok(())
        }
        WitnessWay::Requests(_, find) => requests(report, spec, file, find),
        WitnessWay::Sections(recording) => sections_of(recording, report, file),
    }
}

/// Adds the choices of each request.
fn requests(
    report: &mut TraceReport,
    spec: &Arc<Spec>,
    file: Option<&Path>,
    mut find: WitnessSearch<'_>,
) -> Result<(), String> {
    let mut gathered =
        Gathered::new(spec, &report.places, file).map_err(|cause| format!("cannot keep the witness: {cause}"))?;
    let found = find(&mut |segment| gathered.add(&segment));
    let Some(initial) = witness_or_why(report, found)? else { return Ok(()) };
    if let Some(path) = file {
        gathered.write(&initial, path).map_err(|cause| files::unwritable(path, &cause))?;
        report.explanation.push(written(path));
    }
    report.explanation.extend(gathered.own());
    report.witness = gathered.inline(&initial).map(WitnessLines::Requests);
    if report.witness.is_none() && file.is_none() {
        report.explanation.push(too_long());
    }
    Ok(())
}

/// Adds the sections of a run.
fn sections_of(recording: &mut NetworkedEvidence, report: &mut TraceReport, file: Option<&Path>) -> Result<(), String> {
    if file.is_none() && recording.observed.events.len() > INLINE {
        report.explanation.push(too_long());
        return Ok(());
    }
    let found = recording.run().clone();
    let Some(run): Option<NetworkWitness> = witness_or_why(report, found)? else { return Ok(()) };
    let lines = sections::lines(&recording.spec, &recording.observed, &run);
    if let Some(path) = file {
        let text: String = lines.iter().map(sections::line).collect();
        std::fs::write(path, text).map_err(|cause| files::unwritable(path, &cause))?;
        report.explanation.push(written(path));
    }
    report.explanation.extend(sections::own(&recording.spec, &recording.observed, &run));
    match run.values() <= INLINE {
        true => report.witness = Some(WitnessLines::Sections(lines)),
        false if file.is_none() => report.explanation.push(too_long()),
        false => {}
    }
    Ok(())
}

/// The witness that was found; otherwise the report says why there is none.
///
/// # Errors
/// The witness does not replay.
fn witness_or_why<W>(report: &mut TraceReport, found: Result<W, WitnessError>) -> Result<Option<W>, String> {
    match found {
        Ok(witness) => return Ok(Some(witness)),
        Err(error @ WitnessError::DoesNotReplay { .. }) => return Err(error.to_string()),
        Err(WitnessError::Stopped) => report.explanation.push(too_long()),
        Err(error) => report.explanation.push(format!("no witness: {error}")),
    }
    Ok(None)
}

fn written(path: &Path) -> String {
    format!("a witness, replayed, is in {}", path.display())
}

/// The note that a witness is too long to be shown.
fn too_long() -> String {
    format!("the witness has more than {INLINE} steps or values: --witness FILE writes it")
}
