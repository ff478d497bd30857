//! The reason of a rejection, as far as it was found: in words, and as data.
//!
//! ```text
//! line 3 answered 1 to 2; only 0 was possible, because
//!   line 2 answered 0 to 3, which means n >= 3
//! ```

use std::sync::Arc;

use crate::evidence::{Budget, Minimality, Rechecked, check_reason};
use crate::json::RawJson;
use crate::judge::Options;
use crate::reading::{Recording, exchange_at};
use crate::report::reason::explain_named;
use crate::report::{ConcurrentReason, TraceReport, located, no_short_reason};
use crate::spec::{Site, Spec};
use crate::trace::Places;

/// The choice whether the reason of a rejection is judged a second time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recheck {
    /// The reason is judged a second time.
    Yes,
    /// The reason is taken as found.
    No,
}

/// A statement of a specification that evidence names.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct NamedStatement {
    /// The file and the line, as in `kv.may:9`.
    pub place: String,
    /// The text of the line.
    pub text: String,
}

/// The reason of a rejection, as far as it was found.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct FoundRejection {
    /// The explanation in words, line by line.
    pub explanation: Vec<String>,
    /// The lines whose answers rule out the rejected event.
    pub because: Option<Vec<u64>>,
    /// The lines whose requests set the state that matters, whatever their answers.
    pub requests: Option<Vec<u64>>,
    /// The line before which all answers belong to `because`, if the search for them was cut off.
    pub and_before: Option<u64>,
    /// The additional parts for concurrent clients.
    pub concurrent: Option<ConcurrentReason>,
    /// Set if none of these lines can be left out.
    pub is_minimal: bool,
    /// The rejected answer, as JSON.
    pub answer: Option<String>,
    /// The answers that were possible instead, as JSON.
    pub possible: Vec<String>,
    /// The statements that the reason names.
    pub places: Vec<NamedStatement>,
}

impl FoundRejection {
    /// The statement on another verdict, in words.
    #[must_use]
    pub fn stating(explanation: Vec<String>) -> FoundRejection {
        FoundRejection { explanation, ..FoundRejection::default() }
    }

    /// The reason why the last of these exchanges is rejected.
    ///
    /// # Errors
    /// The reason did not hold in a second judgement.
    pub fn of_exchanges<R: Recording + ?Sized>(
        spec: &Arc<Spec>,
        trace: &R,
        places: &Places,
        recheck: Recheck,
        budget: Budget<'_>,
    ) -> Result<FoundRejection, String> {
        let Some(why) = explain_named(spec, trace, places, budget) else {
            let last = trace.length().checked_sub(1).and_then(|last| exchange_at(trace, last));
            let explanation = last.map(|last| no_short_reason(places, last.line)).into_iter().collect();
            return Ok(FoundRejection::stating(explanation));
        };
        let mut found = FoundRejection {
            explanation: why.lines,
            because: Some(why.because),
            requests: Some(why.requests).filter(|lines| !lines.is_empty()),
            and_before: why.and_before,
            concurrent: None,
            is_minimal: why.reason.minimal == Minimality::Minimal,
            answer: why.answer,
            possible: why.possible,
            places: named_statements(spec, &why.sites),
        };
        if recheck == Recheck::Yes {
            let outcome = check_reason(spec, &Options::default(), trace, &why.reason);
            found.explanation.push(judged_again(outcome, why.reason.minimal)?.to_owned());
        }
        Ok(found)
    }

    /// Adds the reason to a report.
    pub fn add_to(self, report: &mut TraceReport) {
        report.explanation = self.explanation;
        report.answer = self.answer.map(RawJson);
        if self.concurrent.is_none() {
            report.possible = self.possible.into_iter().map(RawJson).collect();
        }
        report.reason = self.because;
        report.requests = self.requests;
        report.reason_before = self.and_before;
        report.concurrent = self.concurrent;
    }
}

/// The statements at these places, each once.
pub(super) fn named_statements(spec: &Spec, sites: &[Site]) -> Vec<NamedStatement> {
    let at = |site: &Site| {
        let (place, text) = located(spec, *site);
        NamedStatement { place, text }
    };
    let mut places: Vec<NamedStatement> = sites.iter().map(at).collect();
    places.dedup();
    places
}

/// The outcome of a second judgement of a reason, in words.
///
/// # Errors
/// The reason does not hold.
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
