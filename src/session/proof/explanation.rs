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
use crate::report::trouble::{self, AskedEvent};
use crate::spec::{Site, Spec};
use crate::trace::Places;

/// The exchange on a line, if it is known.
pub type AskedOn<'a> = &'a dyn Fn(u64) -> Option<Exchange>;

/// The explanation of a verdict that is no rejection; empty for an acceptance without a warning.
#[must_use]
pub fn stated(judge: &Judge, spec: &Arc<Spec>, places: &Places, asked: AskedOn<'_>) -> Vec<String> {
    let judged = JudgedEvents { judge, spec, places, asked };
    match judge.verdict() {
        Verdict::Unknown { doubt, warning } => {
            let mut lines = judged.undecided(&doubt);
            lines.extend(warning.iter().flat_map(|fault| judged.warned(fault)));
            lines
        }
        Verdict::Outside { event, site } => judged.outside(site, event),
        Verdict::Fault(fault) => judged.faulty(&fault),
        Verdict::Accept { warning } => warning.iter().flat_map(|fault| judged.warned(fault)).collect(),
        Verdict::Reject { .. } => Vec::new(),
    }
}

/// A judge, with what is known of the events that it judged.
struct JudgedEvents<'a> {
    judge: &'a Judge,
    spec: &'a Arc<Spec>,
    places: &'a Places,
    asked: AskedOn<'a>,
}

impl JudgedEvents<'_> {
    /// The explanation of an unknown verdict, and the option that raises the exhausted limit, if there is one.
    fn undecided(&self, doubt: &Doubt) -> Vec<String> {
        let at = self.judge.doubt().and_then(|(_, at)| at);
        let raised = match doubt {
            Doubt::Limit(Limit::Effort) => Some("  --exchange-time S allows the work of S seconds (the default is 1)"),
            Doubt::Limit(Limit::Memory(_)) => Some("  --memory MIB allows more"),
            _ => None,
        };
        let mut lines = trouble::unknown(self.spec, self.places, doubt, at, self.judge.event());
        lines.extend(raised.map(str::to_owned));
        lines
    }

    /// The explanation of a fault that does not decide the verdict, with the exchange that meets it, if there is one.
    fn warned(&self, fault: &FaultReport) -> Vec<String> {
        let stated = self.faulty(fault).into_iter().map(|line| format!("  {line}"));
        once("warning: another run of the specification meets a fault".to_owned()).chain(stated).collect()
    }

    /// The explanation of a fault, with values that lead to it.
    fn faulty(&self, fault: &FaultReport) -> Vec<String> {
        let values = self.judge.faulty().map(|candidate| example(self.spec, candidate)).unwrap_or_default();
        let exchange = (self.asked)(fault.event);
        let asked = exchange.as_ref().map(|exchange| AskedEvent { exchange, places: self.places });
        trouble::fault(self.spec, fault, asked, &values)
    }

    /// The explanation of a broken duty of the client, with values that show it.
    fn outside(&self, site: Site, event: u64) -> Vec<String> {
        let state = self.judge.breached().map(|candidate| example(self.spec, candidate)).unwrap_or_default();
        let exchange = (self.asked)(event);
        let asked = exchange.as_ref().map(|exchange| AskedEvent { exchange, places: self.places });
        trouble::outside(self.spec, site, asked, &state)
    }
}
