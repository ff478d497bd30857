//! Evidence for a verdict: the trace is read a second time, up to the event that decided it.
//!
//! For a rejection that is its reason, and with `--check-reason` the reason is judged again.

use super::again::Once;
use super::files;
use crate::dualize::{Exchange, FaultReport, Judge, Options, Verdict};
use crate::evidence::{WitnessError, check_reason, example, witness};
use crate::report::reason::explain;
use crate::report::{INLINE, Report, trouble, witness as shown};
use crate::spec::Spec;
use crate::validate::Exchanges;
use std::path::Path;
use std::sync::Arc;

/// What evidence is asked for.
#[derive(Clone, Copy)]
pub struct Wanted<'o> {
    /// Whether the reason of a rejection is judged again.
    pub recheck: Recheck,
    /// Whether an accepted trace gets a witness.
    pub witness: WitnessWanted<'o>,
}

/// Whether the reason of a rejection is judged again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Recheck {
    /// It is.
    Yes,
    /// It is taken as found.
    No,
}

/// Where a witness goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum WitnessWanted<'o> {
    /// None is looked for.
    No,
    /// Into the report.
    Inline,
    /// Into this file, and into the report.
    File(&'o Path),
}

/// Adds to a report why it is as it is.
///
/// # Errors
/// The trace could not be read again, the witness could not be written, or evidence did not hold when it was checked.
pub fn add(
    report: &mut Report,
    judge: &Judge,
    spec: &Arc<Spec>,
    trace: Once,
    wanted: Wanted<'_>,
) -> Result<(), String> {
    match judge.verdict() {
        Verdict::Reject { event, .. } => rejection(report, spec, &exchanges(spec, trace, event)?, wanted.recheck),
        Verdict::Unknown(doubt) => {
            let at = judge.doubt().and_then(|(_, at)| at);
            report.explanation = trouble::unknown(spec, &doubt, at);
            Ok(())
        }
        Verdict::Outside { event, site } => {
            let exchanges = exchanges(spec, trace, event)?;
            report.explanation = trouble::outside(spec, site, exchanges.last());
            Ok(())
        }
        Verdict::Fault(fault) => {
            let exchanges = exchanges(spec, trace, fault.event)?;
            report.explanation = faulty(judge, spec, &fault, &exchanges);
            Ok(())
        }
        Verdict::Accept { warning } => {
            if warning.is_none() && wanted.witness == WitnessWanted::No {
                return Ok(());
            }
            let exchanges = exchanges(spec, trace, u64::MAX)?;
            if let Some(fault) = warning {
                report.explanation.push("warning: another run of the specification meets a fault".to_owned());
                let told = faulty(judge, spec, &fault, &exchanges);
                report.explanation.extend(told.into_iter().map(|line| format!("  {line}")));
            }
            acceptance(report, spec, &exchanges, wanted.witness)
        }
    }
}

/// A fault, with the values that lead to it.
fn faulty(judge: &Judge, spec: &Arc<Spec>, fault: &FaultReport, exchanges: &[Exchange]) -> Vec<String> {
    let values = judge.faulty().map(|candidate| example(spec, candidate)).unwrap_or_default();
    let met = exchanges.iter().find(|exchange| exchange.line == fault.event);
    trouble::fault(spec, fault, met, &values)
}

fn acceptance(
    report: &mut Report,
    spec: &Arc<Spec>,
    exchanges: &[Exchange],
    wanted: WitnessWanted<'_>,
) -> Result<(), String> {
    let file = match wanted {
        WitnessWanted::No => return Ok(()),
        WitnessWanted::Inline => None,
        WitnessWanted::File(path) => Some(path),
    };
    let found = match witness(spec, &Options::default(), exchanges) {
        Ok(found) => found,
        Err(WitnessError::DoesNotReplay { line, why }) => {
            return Err(WitnessError::DoesNotReplay { line, why }.to_string());
        }
        Err(error @ (WitnessError::NotAccepted | WitnessError::Undecided(_))) => {
            report.explanation.push(format!("no witness: {error}"));
            return Ok(());
        }
    };
    let steps = shown::steps(spec, &found);
    if let Some(path) = file {
        std::fs::write(path, shown::ndjson(&steps)).map_err(|cause| files::unwritable(path, &cause))?;
        report.explanation.push(format!("a witness, replayed, is in {}", path.display()));
    }
    report.explanation.extend(shown::own(spec, &found));
    let values: usize = steps.iter().map(shown::Step::values).sum();
    if steps.len().max(values) <= INLINE {
        report.witness = Some(steps);
    } else if file.is_none() {
        report.explanation.push(format!("the witness has {} steps: --witness FILE writes it", steps.len()));
    }
    Ok(())
}

/// The exchanges up to a line.
fn exchanges(spec: &Arc<Spec>, trace: Once, last: u64) -> Result<Vec<Exchange>, String> {
    let mut again = Exchanges::new(spec, trace.again()?);
    let mut exchanges = Vec::new();
    while let Some(exchange) = again.next_exchange().map_err(|error| format!("the trace changed: {error}"))? {
        let is_last = exchange.line >= last;
        exchanges.push(exchange);
        if is_last {
            break;
        }
    }
    Ok(exchanges)
}

fn rejection(report: &mut Report, spec: &Arc<Spec>, exchanges: &[Exchange], recheck: Recheck) -> Result<(), String> {
    let Some(why) = explain(spec, exchanges) else {
        report.explanation.push("no reason was found within the limits".into());
        return Ok(());
    };
    report.explanation = why.lines;
    report.reason = Some(why.because);
    if recheck == Recheck::Yes {
        if !check_reason(spec, &Options::default(), exchanges, &why.reason) {
            return Err("bug in mayhap: the reason does not hold when it is judged again; please report it".into());
        }
        report.explanation.push("the reason was judged again: it holds, and nothing in it can be left out".into());
    }
    Ok(())
}
