//! The evidence for whole exchanges that were judged one after another.
//!
//! ```text
//! line 3 answered 1 to 2; only 0 was possible, because
//!   line 2 answered 0 to 3, which means n >= 3
//! ```

use std::ops::ControlFlow;
use std::sync::Arc;

use super::explanation::stated;
use super::rejection::{FoundRejection, Recheck};
use super::{Proof, WitnessSearch, WitnessWay, served};
use crate::evidence::{Budget, witness_in_parts};
use crate::judge::{Exchange, Judge, Options, Verdict};
use crate::reading::Recording;
use crate::report::TraceReport;
use crate::report::history::{DrawnTrace, MOST_DRAWN, ServedRequests};
use crate::spec::Spec;
use crate::trace::Places;

/// Judged exchanges for which evidence is sought.
pub(in crate::session) struct ExchangesEvidence {
    pub(in crate::session) spec: Arc<Spec>,
    /// The exchanges, up to the rejected one if one was rejected.
    pub(in crate::session) recorded: Box<dyn Recording>,
    /// The judge that came to the verdict; it is dropped before a witness is looked for, as both take memory.
    pub(in crate::session) judge: Judge,
    pub(in crate::session) verdict: Verdict,
    pub(in crate::session) places: Places,
}

impl Proof for ExchangesEvidence {
    fn judge(&self) -> &Judge {
        &self.judge
    }

    fn verdict(&self) -> Verdict {
        self.verdict.clone()
    }

    fn places(&self) -> &Places {
        &self.places
    }

    fn recorded(&self) -> u64 {
        self.recorded.length() as u64
    }

    fn explained(&mut self, recheck: Recheck, budget: Budget<'_>) -> Result<FoundRejection, String> {
        let ExchangesEvidence { spec, recorded, judge, verdict, places } = self;
        if let Verdict::Reject { .. } = verdict {
            return FoundRejection::of_exchanges(spec, &**recorded, places, recheck, budget);
        }
        let stated = stated(judge, spec, places, &|line| on_line(&**recorded, line));
        Ok(FoundRejection::stating(stated))
    }

    fn witness(&mut self) -> WitnessWay<'_> {
        self.judge = Judge::new(self.spec.clone(), Options::default());
        let ExchangesEvidence { spec, recorded, .. } = self;
        let find: WitnessSearch<'_> = Box::new(|give| witness_in_parts(spec, &Options::default(), &**recorded, give));
        WitnessWay::Requests(recorded.length(), find)
    }

    fn drawn(&mut self, report: &TraceReport) -> Result<DrawnTrace, String> {
        let mut exchanges: Vec<Exchange> = Vec::new();
        self.recorded.read(0, &mut |exchange| {
            exchanges.push(exchange.clone());
            if exchanges.len() > MOST_DRAWN { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let spec = &self.spec;
        let find: WitnessSearch<'_> = Box::new(|give| witness_in_parts(spec, &Options::default(), &exchanges, give));
        let served = match exchanges.len() > MOST_DRAWN {
            true => ServedRequests::default(),
            false => served(report, find)?,
        };
        Ok(DrawnTrace::synchronous(spec, report, &exchanges, &served))
    }

    fn failure(&self) -> Option<String> {
        self.recorded.failure()
    }
}

/// The exchange on a line.
fn on_line(recorded: &dyn Recording, line: u64) -> Option<Exchange> {
    let mut found = None;
    recorded.read(0, &mut |exchange| {
        if exchange.line < line {
            return ControlFlow::Continue(());
        }
        found = Some(exchange.clone()).filter(|exchange| exchange.line == line);
        ControlFlow::Break(())
    });
    found
}
