//! Things that sections met besides their results: faults, broken duties, limits.

use super::candidate::Candidate;
use super::verdict::{FaultReport, Place};
use crate::process::Limit;

/// Findings of sections besides their results. Most sections meet nothing.
#[derive(Clone, Debug)]
pub(super) struct Findings {
    found: Option<Box<Found>>,
    /// Set where every state that entered may leave with an answer.
    pub(super) is_exhaustive: bool,
}

/// Something that was met.
#[derive(Clone, Debug, Default)]
struct Found {
    /// The first fault, and the state in which it is met.
    fault: Option<(FaultReport, Candidate)>,
    /// The last event at which the client broke its duty on some path, of that event the first place, and the state in which it
    /// did: up to there another run explains the trace.
    outside: Option<(Place, Candidate)>,
    /// The first place at which something may have been wrong, which was not decided: the specification,
    perhaps_faulty: Option<Place>,
    /// and the client.
    perhaps_outside: Option<Place>,
    /// The first limit that cut paths off.
    cut: Option<(Limit, Option<Place>)>,
}

impl Default for Findings {
    /// Nothing.
    fn default() -> Findings {
        Findings { found: None, is_exhaustive: true }
    }
}

impl Findings {
    fn found(&mut self) -> &mut Found {
        self.found.get_or_insert_default()
    }

    fn has_fault(&self) -> bool {
        self.found.as_ref().is_some_and(|found| found.fault.is_some())
    }

    /// Notes that the specification is wrong, where that is new.
    pub(super) fn fault(&mut self, before: &Findings, report: FaultReport, state: impl FnOnce() -> Candidate) {
        if !before.has_fault() && !self.has_fault() {
            self.found().fault = Some((report, state()));
        }
    }

    /// Notes that the specification may be wrong.
    pub(super) fn perhaps_faulty(&mut self, at: Place) {
        self.found().perhaps_faulty.get_or_insert(at);
    }

    /// Tests whether the client broke its duty at an event, or later.
    fn has_breach(&self, event: u64) -> bool {
        let last = self.found.as_ref().and_then(|found| found.outside.as_ref());
        last.is_some_and(|(last, _)| last.event >= event)
    }

    /// Notes that the client breaks its duty, where that is new.
    pub(super) fn breach(&mut self, before: &Findings, at: Place, state: impl FnOnce() -> Candidate) {
        if !before.has_breach(at.event) && !self.has_breach(at.event) {
            self.found().outside = Some((at, state()));
        }
    }

    /// Notes that the client may break its duty.
    pub(super) fn perhaps_outside(&mut self, at: Place) {
        self.found().perhaps_outside.get_or_insert(at);
    }

    /// Notes that a limit cut paths off.
    pub(super) fn cut(&mut self, limit: Limit, at: Option<Place>) {
        self.found().cut.get_or_insert((limit, at));
    }

    /// Forgets that a limit cut paths off.
    pub(super) fn clear_cut(&mut self) {
        self.found.iter_mut().for_each(|found| found.cut = None);
    }

    /// The first limit that cut paths off.
    pub(super) fn limit(&self) -> Option<(Limit, Option<Place>)> {
        self.found.as_ref()?.cut
    }

    /// Adds what was found later.
    #[inline]
    pub(super) fn merge(&mut self, later: Findings) {
        if let Some(found) = later.found {
            self.add(*found);
        }
    }

    #[cold]
    fn add(&mut self, later: Found) {
        let own = self.found();
        own.outside = later.outside.or(own.outside.take());
        own.fault = own.fault.take().or(later.fault);
        own.perhaps_faulty = own.perhaps_faulty.or(later.perhaps_faulty);
        own.perhaps_outside = own.perhaps_outside.or(later.perhaps_outside);
        own.cut = own.cut.or(later.cut);
    }

    /// The first fault, with the state in which it is met.
    pub(super) fn faulty(&self) -> Option<&(FaultReport, Candidate)> {
        self.found.as_ref()?.fault.as_ref()
    }

    /// The last place at which the client broke its duty, with the state in which it did.
    pub(super) fn outside(&self) -> Option<&(Place, Candidate)> {
        self.found.as_ref()?.outside.as_ref()
    }

    /// The first places at which something may have been wrong, which was not decided: the specification, and the client.
    pub(super) fn perhaps(&self) -> [Option<Place>; 2] {
        self.found.as_ref().map_or([None, None], |found| [found.perhaps_faulty, found.perhaps_outside])
    }
}
