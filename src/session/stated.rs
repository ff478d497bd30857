//! The explanation, in words, of a verdict that is no rejection, and of a warning.
//!
//! ```text
//! line 1 asked 0; the specification looks up a key that may not be there
//!   (fault.may:1: `reply m[q];`)
//! ```

use std::iter::once;
use std::sync::Arc;

use crate::evidence::example;
use crate::judge::{Doubt, Exchange, FaultReport, Judge, Verdict};
use crate::process::Limit;
use crate::report::trouble;
use crate::spec::{Site, Spec};

/// The exchange on a line, if it is known.
pub type AskedOn<'a> = &'a dyn Fn(u64) -> Option<Exchange>;

/// The explanation of a verdict that is no rejection; empty for an acceptance without a warning.
#[must_use]
pub fn stated(judge: &Judge, spec: &Arc<Spec>, asked: AskedOn<'_>) -> Vec<String> {
    match judge.verdict() {
        Verdict::Unknown { doubt, warning } => {
            let mut lines = undecided(judge, spec, &doubt);
            lines.extend(warning.iter().flat_map(|fault| warned(judge, spec, fault, asked)));
            lines
        }
        Verdict::Outside { event, site } => outside(judge, spec, site, asked(event)),
        Verdict::Fault(fault) => faulty(judge, spec, &fault, asked),
        Verdict::Accept { warning } => warning.iter().flat_map(|fault| warned(judge, spec, fault, asked)).collect(),
        Verdict::Reject { .. } => Vec::new(),
    }
}

/// The explanation of an unknown verdict, and the option that raises the exhausted limit, if there is one.
fn undecided(judge: &Judge, spec: &Spec, doubt: &Doubt) -> Vec<String> {
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

/// The explanation of a fault that does not decide the verdict, with the exchange that meets it, if there is one.
fn warned(judge: &Judge, spec: &Arc<Spec>, fault: &FaultReport, asked: AskedOn<'_>) -> Vec<String> {
    let stated = faulty(judge, spec, fault, asked).into_iter().map(|line| format!("  {line}"));
    once("warning: another run of the specification meets a fault".to_owned()).chain(stated).collect()
}

/// The explanation of a fault, with values that lead to it.
fn faulty(judge: &Judge, spec: &Arc<Spec>, fault: &FaultReport, asked: AskedOn<'_>) -> Vec<String> {
    let values = judge.faulty().map(|candidate| example(spec, candidate)).unwrap_or_default();
    trouble::fault(spec, fault, asked(fault.event).as_ref(), &values)
}

/// The explanation of a broken duty of the client, with values that show it.
fn outside(judge: &Judge, spec: &Arc<Spec>, site: Site, asked: Option<Exchange>) -> Vec<String> {
    let state = judge.breached().map(|candidate| example(spec, candidate)).unwrap_or_default();
    trouble::outside(spec, site, asked.as_ref(), &state)
}
