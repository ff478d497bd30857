//! The evidence for a verdict: the same questions, whichever engine judged.

mod concurrent;
mod exchanges;
mod explanation;
mod networked;
mod rejection;

pub use concurrent::ConcurrentEvidence;
pub(super) use exchanges::ExchangesEvidence;
pub(super) use explanation::stated;
pub use networked::NetworkedEvidence;
pub use rejection::{FoundRejection, NamedStatement, Recheck};

use std::ops::ControlFlow;

use crate::evidence::{Budget, Initial, Segment, WitnessError};
use crate::judge::{Judge, Verdict};
use crate::report::TraceReport;
use crate::report::history::{DrawnTrace, MOST_DRAWN, ServedRequests};
use crate::trace::Places;

/// Judged events, with the judge that came to the verdict.
pub trait Proof {
    /// The judge.
    fn judge(&self) -> &Judge;

    /// The verdict; its event is the number of one.
    fn verdict(&self) -> Verdict;

    /// The names of the events.
    fn places(&self) -> &Places;

    /// The number of events of the recording: a request and its answer may be one of them.
    fn recorded(&self) -> u64;

    /// The reason of a rejection, or what is stated of another verdict.
    ///
    /// # Errors
    /// The reason did not hold in a second judgement.
    fn explained(&mut self, recheck: Recheck, budget: Budget<'_>) -> Result<FoundRejection, String>;

    /// The way to a witness of an acceptance.
    fn witness(&mut self) -> WitnessWay<'_>;

    /// The picture of the events, with what the report says of them.
    ///
    /// # Errors
    /// The witness does not replay.
    fn drawn(&mut self, report: &TraceReport) -> Result<DrawnTrace, String>;

    /// The reason why the events could not be read again as they were, if they could not: evidence is worthless then.
    fn failure(&self) -> Option<String> {
        None
    }
}

/// The search for a witness, which hands over its parts.
pub type WitnessSearch<'s> =
    Box<dyn FnMut(&mut dyn FnMut(Segment) -> ControlFlow<()>) -> Result<Initial, WitnessError> + 's>;

/// The way to a witness of an acceptance.
pub enum WitnessWay<'e> {
    /// One request after another: their number, and the search.
    Requests(usize, WitnessSearch<'e>),
    /// Sections of a run: the recording, which finds it.
    Sections(&'e mut NetworkedEvidence),
}

/// The choices and served requests of an accepted recording, from a witness that is replayed.
///
/// # Errors
/// The witness does not replay, which is a bug of this program.
pub(super) fn served(report: &TraceReport, mut search: WitnessSearch<'_>) -> Result<ServedRequests, String> {
    if report.verdict != "accept" {
        return Ok(ServedRequests::default());
    }
    let (mut served, mut count) = (ServedRequests::default(), 0);
    let found = search(&mut |segment| {
        served.add(&segment);
        count += segment.steps.len();
        if count > MOST_DRAWN { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    match found {
        Ok(_) | Err(WitnessError::Stopped) => Ok(served),
        Err(error @ WitnessError::DoesNotReplay { .. }) => Err(error.to_string()),
        Err(error) => Ok(ServedRequests::missing(error.to_string())),
    }
}
