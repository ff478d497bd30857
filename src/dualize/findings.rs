//! Things that sections met besides their results: faults, broken duties, limits.
//!
//! Findings are a value that is merged: of a fault at event 3 and one at event 5 the first stays, of two broken duties the last.

use super::candidate::Candidate;
use super::verdict::{FaultReport, Place};
use crate::process::Limit;

/// Findings of sections besides their results. Most sections meet nothing.
#[derive(Clone, Default, Debug)]
pub(super) struct Findings(Option<Box<Finding>>);

/// Something that was met.
#[derive(Clone, Default, Debug)]
pub(super) struct Finding {
    /// The first fault, and the state in which it is met.
    pub(super) fault: Option<(FaultReport, Candidate)>,
    /// The last event at which the client broke its duty on some path, of that event the first place, and the state in which it
    /// did: up to there another run explains the trace.
    pub(super) outside: Option<(Place, Candidate)>,
    /// The first place at which the specification may have been faulty; it was not decided whether it was.
    pub(super) perhaps_faulty: Option<Place>,
    /// The first place at which the client may have broken its duty; it was not decided whether it did.
    pub(super) perhaps_outside: Option<Place>,
    /// The first limit that cut paths off.
    pub(super) cut: Option<(Limit, Option<Place>)>,
}

impl Finding {
    /// The first place at which something may have been wrong, which was not decided.
    pub(super) fn perhaps_wrong(&self) -> Option<Place> {
        self.perhaps_faulty.or(self.perhaps_outside)
    }
}

impl Findings {
    /// All that was found, if there is anything.
    pub(super) fn found(&self) -> Option<&Finding> {
        self.0.as_deref()
    }

    /// Tests whether the specification is wrong.
    pub(super) fn has_fault(&self) -> bool {
        self.found().is_some_and(|found| found.fault.is_some())
    }

    /// Tests whether the client broke its duty at an event, or later.
    pub(super) fn has_breach(&self, event: u64) -> bool {
        let last = self.found().and_then(|found| found.outside.as_ref());
        last.is_some_and(|(last, _)| last.event >= event)
    }

    /// The first limit that cut paths off.
    pub(super) fn limit(&self) -> Option<(Limit, Option<Place>)> {
        self.found()?.cut
    }

    /// Notes that a limit cut paths off.
    pub(super) fn cut(&mut self, limit: Limit, at: Option<Place>) {
        self.add(Finding { cut: Some((limit, at)), ..Finding::default() });
    }

    /// Forgets that a limit cut paths off.
    pub(super) fn clear_cut(&mut self) {
        self.0.iter_mut().for_each(|found| found.cut = None);
    }

    /// Adds what was found later.
    pub(super) fn merge(&mut self, later: Findings) {
        if let Some(found) = later.0 {
            self.add(*found);
        }
    }

    /// Adds something that was met later.
    pub(super) fn add(&mut self, later: Finding) {
        let own = self.0.get_or_insert_default();
        own.outside = later.outside.or(own.outside.take());
        own.fault = own.fault.take().or(later.fault);
        own.perhaps_faulty = own.perhaps_faulty.or(later.perhaps_faulty);
        own.perhaps_outside = own.perhaps_outside.or(later.perhaps_outside);
        own.cut = own.cut.or(later.cut);
    }
}
