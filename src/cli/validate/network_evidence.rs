//! The evidence for a trace that was judged event by event: the sections of a run that explains it, or the reason why none does.

use super::evidence::{self, WantedEvidence, WitnessWanted};
use crate::cli::terminal::files;
use mayhap::evidence::{Budget, NetworkWitness, WitnessError};
use mayhap::judge::Verdict;
use mayhap::report::history::{DrawnTrace, MOST_DRAWN, ServedRequests};
use mayhap::report::sections::{self, WitnessLines};
use mayhap::report::{INLINE, TraceReport};
use mayhap::session::{NetworkedEvidence, stated};
use std::path::Path;

/// Adds evidence to a report.
///
/// # Errors
/// Evidence did not hold in a second judgement.
pub fn add(
    recording: &mut NetworkedEvidence,
    report: &mut TraceReport,
    wanted: WantedEvidence<'_>,
    budget: Budget<'_>,
) -> Result<(), String> {
    if let Verdict::Reject { event, .. } = recording.judge.verdict() {
        recording.rejection(event, wanted.recheck, budget)?.add_to(report);
        return Ok(());
    }
    report.explanation = stated(&recording.judge, &recording.spec, &report.places, &|_| None);
    match recording.judge.verdict().is_accept() {
        true => acceptance(recording, report, wanted.witness),
        false => Ok(()),
    }
}

/// Adds the witness of an accepted trace, if it is wanted.
fn acceptance(
    recording: &mut NetworkedEvidence,
    report: &mut TraceReport,
    wanted: WitnessWanted<'_>,
) -> Result<(), String> {
    let file = match wanted {
        WitnessWanted::No => return Ok(()),
        WitnessWanted::Inline if recording.observed.events.len() > INLINE => {
            report.explanation.push(evidence::too_long());
            return Ok(());
        }
        WitnessWanted::Inline => None,
        WitnessWanted::File(path) => Some(path),
    };
    match recording.witness().clone() {
        Ok(found) => show(recording, report, &found, file),
        Err(error @ WitnessError::DoesNotReplay { .. }) => Err(error.to_string()),
        Err(error) => {
            report.explanation.push(format!("no witness: {error}"));
            Ok(())
        }
    }
}

/// Draws the recording.
///
/// # Errors
/// The run that explains it does not replay.
pub fn draw(recording: &mut NetworkedEvidence, report: &TraceReport) -> Result<DrawnTrace, String> {
    let is_drawn = report.verdict == "accept" && recording.observed.events.len() <= MOST_DRAWN;
    let found = if is_drawn { Some(recording.witness().clone()) } else { None };
    let (witness, missing) = match found {
        Some(Ok(witness)) => (Some(witness), None),
        Some(Err(error @ WitnessError::DoesNotReplay { .. })) => return Err(error.to_string()),
        Some(Err(error)) => (None, Some(error.to_string())),
        None => (None, None),
    };
    let network = recording.net.to_string();
    let drawn = DrawnTrace::networked(&recording.spec, report, &network, &recording.observed, witness.as_ref());
    Ok(match missing {
        Some(why) => drawn.noting(&ServedRequests::missing(why)),
        None => drawn,
    })
}

fn show(
    recording: &NetworkedEvidence,
    report: &mut TraceReport,
    found: &NetworkWitness,
    file: Option<&Path>,
) -> Result<(), String> {
    let lines = sections::lines(&recording.spec, &recording.observed, found);
    if let Some(path) = file {
        let text: String = lines.iter().map(sections::line).collect();
        std::fs::write(path, text).map_err(|cause| files::unwritable(path, &cause))?;
        report.explanation.push(format!("a witness, replayed, is in {}", path.display()));
    }
    report.explanation.extend(sections::own(&recording.spec, &recording.observed, found));
    match found.values() <= INLINE {
        true => report.witness = Some(WitnessLines::Sections(lines)),
        false if file.is_none() => report.explanation.push(evidence::too_long()),
        false => {}
    }
    Ok(())
}
