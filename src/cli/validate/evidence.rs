//! Evidence for a verdict, for which the trace is read a second time, up to the event that decided it.
//!
//! The evidence of a rejection is its reason; with `--check-reason` the reason is judged again.

use super::witness_parts::Gathered;
use crate::cli::terminal::files;
use mayhap::evidence::{Budget, Initial, Segment, WitnessError, witness_in_parts};
use mayhap::judge::{Exchange, Judge, Options, Verdict};
use mayhap::report::sections::WitnessLines;
use mayhap::report::{INLINE, TraceReport};
use mayhap::session::{FoundRejection, Recheck, stated};
use mayhap::spec::Spec;
use mayhap::validate::Recording;
use std::ops::ControlFlow;
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

/// Adds evidence from the judged exchanges to a report.
///
/// # Errors
/// The witness could not be written, or evidence did not hold in a second judgement.
pub fn add<R: Recording>(
    report: &mut TraceReport,
    judge: Judge,
    spec: &Arc<Spec>,
    trace: &R,
    wanted: WantedEvidence<'_>,
    budget: Budget<'_>,
) -> Result<(), String> {
    if let Verdict::Reject { .. } = judge.verdict() {
        FoundRejection::of_exchanges(spec, trace, &report.places, wanted.recheck, budget)?.add_to(report);
        return Ok(());
    }
    report.explanation = stated(&judge, spec, &report.places, &|line| on_line(trace, line));
    if !judge.verdict().is_accept() {
        return Ok(());
    }
    // The memory of the judge is freed before the search for a witness.
    drop(judge);
    acceptance(report, spec, trace.length(), wanted.witness, &mut |give| {
        witness_in_parts(spec, &Options::default(), trace, give)
    })
}

/// The exchange on a line of the trace.
fn on_line<R: Recording>(trace: &R, line: u64) -> Option<Exchange> {
    let mut found = None;
    trace.read(0, &mut |exchange| {
        if exchange.line < line {
            return ControlFlow::Continue(());
        }
        found = Some(exchange.clone()).filter(|exchange| exchange.line == line);
        ControlFlow::Break(())
    });
    found
}

/// A search for a witness, which hands over its parts.
pub type WitnessSearch<'s> =
    &'s mut dyn FnMut(&mut dyn FnMut(Segment) -> ControlFlow<()>) -> Result<Initial, WitnessError>;

/// Adds the witness of an accepted trace, if it is wanted.
///
/// # Errors
/// The witness could not be written, or does not replay.
pub fn acceptance(
    report: &mut TraceReport,
    spec: &Arc<Spec>,
    length: usize,
    wanted: WitnessWanted<'_>,
    search: WitnessSearch<'_>,
) -> Result<(), String> {
    let file = match wanted {
        WitnessWanted::No => return Ok(()),
        WitnessWanted::Inline => None,
        WitnessWanted::File(path) => Some(path),
    };
    let too_long = too_long();
    if file.is_none() && length > INLINE {
        report.explanation.push(too_long);
        return Ok(());
    }
    let mut gathered =
        Gathered::new(spec, &report.places, file).map_err(|cause| format!("cannot keep the witness: {cause}"))?;
    let initial = match search(&mut |segment| gathered.add(&segment)) {
        Ok(initial) => initial,
        Err(WitnessError::DoesNotReplay { line, why }) => {
            return Err(WitnessError::DoesNotReplay { line, why }.to_string());
        }
        Err(WitnessError::Stopped) => {
            report.explanation.push(too_long);
            return Ok(());
        }
        Err(error) => {
            report.explanation.push(format!("no witness: {error}"));
            return Ok(());
        }
    };
    if let Some(path) = file {
        gathered.write(&initial, path).map_err(|cause| files::unwritable(path, &cause))?;
        report.explanation.push(format!("a witness, replayed, is in {}", path.display()));
    }
    report.explanation.extend(gathered.own());
    report.witness = gathered.inline(&initial).map(WitnessLines::Requests);
    if report.witness.is_none() && file.is_none() {
        report.explanation.push(too_long);
    }
    Ok(())
}

/// The note that a witness is too long to be shown.
pub fn too_long() -> String {
    format!("the witness has more than {INLINE} steps or values: --witness FILE writes it")
}
