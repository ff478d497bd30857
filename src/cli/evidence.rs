//! Evidence for a verdict: the trace is read a second time, up to the event that decided it.
//!
//! For a rejection that is its reason, and with `--check-reason` the reason is judged again.

use super::files;
use super::gathered::Gathered;
use mayhap::dualize::{Doubt, Exchange, FaultReport, Judge, Options, Verdict};
use mayhap::evidence::{
    Budget, Initial, Minimality, Rechecked, Segment, WitnessError, check_reason, example, witness_in_parts,
};
use mayhap::process::Limit;
use mayhap::report::reason::explain_within;
use mayhap::report::sections::WitnessLines;
use mayhap::report::{INLINE, TraceReport, trouble};
use mayhap::spec::{Site, Spec};
use mayhap::validate::Recording;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// The evidence that is asked for.
#[derive(Clone, Copy)]
pub struct WantedEvidence<'o> {
    /// Says whether the reason of a rejection is judged again.
    pub recheck: Recheck,
    /// Says whether an accepted trace gets a witness, and where that goes.
    pub witness: WitnessWanted<'o>,
}

/// Says whether the reason of a rejection is judged again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Recheck {
    /// It is judged again.
    Yes,
    /// It is taken as found.
    No,
}

/// The place where a witness goes, if one is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum WitnessWanted<'o> {
    /// None is looked for.
    No,
    /// Into the report.
    Inline,
    /// Into this file, and into the report.
    File(&'o Path),
}

/// Adds to a report why it is as it is, which a look at the exchanges that were judged tells.
///
/// # Errors
/// The witness could not be written, or evidence did not hold when it was checked.
pub fn add<R: Recording>(
    report: &mut TraceReport,
    judge: Judge,
    spec: &Arc<Spec>,
    trace: &R,
    wanted: WantedEvidence<'_>,
    budget: Budget<'_>,
) -> Result<(), String> {
    let asked = |line| on_line(trace, line);
    match judge.verdict() {
        Verdict::Reject { .. } => rejection(report, spec, trace, wanted.recheck, budget),
        Verdict::Unknown { doubt, warning } => {
            report.explanation = undecided(&judge, spec, &doubt);
            report.explanation.extend(warning.iter().flat_map(|fault| warned(&judge, spec, fault, asked(fault.event))));
            Ok(())
        }
        Verdict::Outside { event, site } => {
            report.explanation = outside(&judge, spec, site, asked(event));
            Ok(())
        }
        Verdict::Fault(fault) => {
            report.explanation = faulty(&judge, spec, &fault, asked(fault.event));
            Ok(())
        }
        Verdict::Accept { warning } => {
            report.explanation.extend(warning.iter().flat_map(|fault| warned(&judge, spec, fault, asked(fault.event))));
            // What it knows takes no room beside what a witness needs.
            drop(judge);
            acceptance(report, spec, trace.length(), wanted.witness, &mut |give| {
                witness_in_parts(spec, &Options::default(), trace, give)
            })
        }
    }
}

/// Why there is no verdict, and the option that gives more of what was used up, where there is one.
pub fn undecided(judge: &Judge, spec: &Spec, doubt: &Doubt) -> Vec<String> {
    let at = judge.doubt().and_then(|(_, at)| at);
    let raised = match doubt {
        Doubt::Limit(Limit::Effort) => Some("  --exchange-time S allows the work of S seconds (the default is 1)"),
        Doubt::Limit(Limit::Memory(_)) => Some("  --memory MIB allows more"),
        _ => None,
    };
    let mut lines = trouble::unknown(spec, doubt, at, judge.event());
    lines.extend(raised.map(str::to_owned));
    lines
}

/// A fault that does not decide the verdict, and the exchange that meets it, where there is one.
pub fn warned(judge: &Judge, spec: &Arc<Spec>, fault: &FaultReport, asked: Option<Exchange>) -> Vec<String> {
    let stated = faulty(judge, spec, fault, asked).into_iter().map(|line| format!("  {line}"));
    std::iter::once("warning: another run of the specification meets a fault".to_owned()).chain(stated).collect()
}

/// A fault, with the values that lead to it.
pub fn faulty(judge: &Judge, spec: &Arc<Spec>, fault: &FaultReport, asked: Option<Exchange>) -> Vec<String> {
    let values = judge.faulty().map(|candidate| example(spec, candidate)).unwrap_or_default();
    trouble::fault(spec, fault, asked.as_ref(), &values)
}

/// A duty that the client broke, with the values that show it.
pub fn outside(judge: &Judge, spec: &Arc<Spec>, site: Site, asked: Option<Exchange>) -> Vec<String> {
    let state = judge.breached().map(|candidate| example(spec, candidate)).unwrap_or_default();
    trouble::outside(spec, site, asked.as_ref(), &state)
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

/// A search for a witness, which gives it part by part.
pub type WitnessSearch<'s> =
    &'s mut dyn FnMut(&mut dyn FnMut(Segment) -> ControlFlow<()>) -> Result<Initial, WitnessError>;

/// Adds the witness of an accepted trace of so many requests, where it is wanted.
///
/// # Errors
/// It could not be written, or does not replay.
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
    let mut gathered = Gathered::new(spec, file).map_err(|cause| format!("cannot keep the witness: {cause}"))?;
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

/// Says that a witness is not shown.
pub fn too_long() -> String {
    format!("the witness has more than {INLINE} steps or values: --witness FILE writes it")
}

fn rejection<R: Recording>(
    report: &mut TraceReport,
    spec: &Arc<Spec>,
    trace: &R,
    recheck: Recheck,
    budget: Budget<'_>,
) -> Result<(), String> {
    let Some(why) = explain_within(spec, trace, budget) else {
        report.explanation.push("no reason was found within the limits".into());
        return Ok(());
    };
    report.explanation = why.lines;
    report.reason = Some(why.because);
    report.requests = Some(why.requests).filter(|lines| !lines.is_empty());
    report.reason_before = why.and_before;
    if recheck == Recheck::Yes {
        let outcome = check_reason(spec, &Options::default(), trace, &why.reason);
        report.explanation.push(judged_again(outcome, why.reason.minimal)?.to_owned());
    }
    Ok(())
}

/// The outcome of judging a reason again, in words.
///
/// # Errors
/// It does not hold.
pub fn judged_again(outcome: Rechecked, minimal: Minimality) -> Result<&'static str, String> {
    match (outcome, minimal) {
        (Rechecked::Holds, Minimality::Minimal) => {
            Ok("the reason was judged again: it holds, and no answer in it can be left out")
        }
        (Rechecked::Holds, Minimality::CutOff) => Ok("the reason was judged again: it holds"),
        (Rechecked::Undecided, _) => Ok("the reason was judged again: this time it could not be decided"),
        (Rechecked::Fails, _) => {
            Err("bug in mayhap: the reason does not hold when it is judged again; please report it".into())
        }
    }
}
