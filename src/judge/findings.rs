//! Findings, which sections meet besides their results: faults, broken duties, limits.
//!
//! Findings are merged: of two faults at events 3 and 5 the first stays, of two broken duties the last. Failing runs that had sent
//! different messages are kept apart, since later observations may contradict one of them only (proofs-notes/tasks.md, *Failing runs*).

use super::candidate::Candidate;
use super::verdict::{FaultReport, Place};
use crate::process::{Limit, Sent};

/// The runs to a fault that are kept.
const RUNS: usize = 64;

/// The findings of some sections; `None` is nothing, as in most sections.
#[derive(Clone, Default, Debug)]
pub(super) struct Findings(Option<Box<Finding>>);

/// The findings of some sections, at least one.
#[derive(Clone, Default, Debug)]
pub(super) struct Finding {
    /// Faults in the order of events, each with the state in which it is met.
    pub(super) faults: Vec<(FaultReport, Candidate)>,
    /// Broken duties of the client in the order of events, each with the state in which it is met. The first one of the last event is
    /// reported: up to there another run explains the trace.
    pub(super) breaches: Vec<(Place, Candidate)>,
    /// The first place at which the specification may be faulty, undecided.
    pub(super) perhaps_faulty: Option<Place>,
    /// The first place at which the client may have broken its duty, undecided.
    pub(super) perhaps_outside: Option<Place>,
    /// The first limit that cut paths off.
    pub(super) cut: Option<(Limit, Option<Place>)>,
}

impl Finding {
    /// The first place at which the specification may be faulty; if there is none, that at which the client may have broken its duty.
    pub(super) fn perhaps_wrong(&self) -> Option<Place> {
        self.perhaps_faulty.or(self.perhaps_outside)
    }

    fn has_no_failure(&self) -> bool {
        self.faults.is_empty() && self.breaches.is_empty() && self.perhaps_wrong().is_none()
    }

    /// The first fault.
    pub(super) fn fault(&self) -> Option<&(FaultReport, Candidate)> {
        self.faults.first()
    }

    /// The first broken duty of the last event that has one.
    pub(super) fn breach(&self) -> Option<&(Place, Candidate)> {
        let last = self.breaches.last()?.0.event;
        self.breaches.iter().find(|(at, _)| at.event == last)
    }

    fn add_fault(&mut self, fault: (FaultReport, Candidate)) {
        let place = Place { event: fault.0.event, site: fault.0.fault.site };
        if !keep(&mut self.faults, fault, |report| report.event, |own, other| own <= other) {
            self.perhaps_faulty.get_or_insert(place);
        }
    }

    fn add_breach(&mut self, breach: (Place, Candidate)) {
        let place = breach.0;
        if !keep(&mut self.breaches, breach, |at| at.event, |own, other| own >= other) {
            self.perhaps_outside.get_or_insert(place);
        }
    }
}

/// Adds a failing run to others, which are in the order of events. A run stands for another one that it covers if `may_stand`
/// holds of their events: nothing is added if a known run stands for the new one, and the runs that the new one stands for are
/// dropped. Returns `false` if there are too many.
fn keep<R>(
    runs: &mut Vec<(R, Candidate)>,
    new: (R, Candidate),
    event: fn(&R) -> u64,
    may_stand: fn(u64, u64) -> bool,
) -> bool {
    let (at, sent) = (event(&new.0), new.1.process.sent());
    let is_known = |(own, state): &(R, Candidate)| may_stand(event(own), at) && covers(state.process.sent(), sent);
    if runs.iter().any(is_known) {
        return true;
    }
    runs.retain(|(own, state)| may_stand(event(own), at) || !covers(sent, state.process.sent()));
    if runs.len() < RUNS {
        let place = runs.partition_point(|(own, _)| event(own) <= at);
        runs.insert(place, new);
        return true;
    }
    false
}

/// Tests whether a failing run that had sent `own` explains everything that a failing run explains that had sent `other`.
fn covers(own: &[Sent], other: &[Sent]) -> bool {
    own.is_empty() || own == other && own.iter().all(|message| message.value.is_known())
}

impl Findings {
    /// All that was found, if there is anything.
    pub(super) fn found(&self) -> Option<&Finding> {
        self.0.as_deref()
    }

    /// Tests whether a fault or a broken duty was certainly met.
    pub(super) fn has_failure(&self) -> bool {
        self.found().is_some_and(|found| !(found.faults.is_empty() && found.breaches.is_empty()))
    }

    /// Tests whether later observations may contradict all failing runs that matter, the faulty ones or else those with a broken duty:
    /// each of them had sent something.
    pub(super) fn may_be_contradicted(&self) -> bool {
        let Some(found) = self.found() else { return false };
        let awaits = |state: &Candidate| !state.process.sent().is_empty();
        let (faults, breaches) = (&found.faults, &found.breaches);
        let all_await = faults.iter().all(|(_, state)| awaits(state))
            && (!faults.is_empty() || breaches.iter().all(|(_, state)| awaits(state)));
        self.has_failure() && all_await
    }

    /// Tests whether the client may have broken its duty.
    pub(super) fn may_be_outside(&self) -> bool {
        self.found().is_some_and(|found| !found.breaches.is_empty() || found.perhaps_outside.is_some())
    }

    /// Tests whether a known fault stands for the fault of a run that had sent these messages.
    pub(super) fn knows_fault(&self, sent: &[Sent]) -> bool {
        self.found().is_some_and(|found| found.faults.iter().any(|(_, other)| covers(other.process.sent(), sent)))
    }

    /// Tests whether a known broken duty stands for one at an event, in a run that had sent these messages.
    pub(super) fn knows_breach(&self, event: u64, sent: &[Sent]) -> bool {
        let is_last = |(own, other): &(Place, Candidate)| own.event >= event && covers(other.process.sent(), sent);
        self.found().is_some_and(|found| found.breaches.iter().any(is_last))
    }

    /// Sets the event of all faults and broken duties.
    pub(super) fn move_to(&mut self, event: u64) {
        let Some(found) = self.0.as_deref_mut() else { return };
        found.faults.iter_mut().for_each(|(report, _)| report.event = event);
        let places = found.breaches.iter_mut().map(|(at, _)| at);
        places.chain(&mut found.perhaps_faulty).chain(&mut found.perhaps_outside).for_each(|at| at.event = event);
    }

    /// Replaces the state of each failing run by the states that follow it; a run without any is dropped.
    pub(super) fn follow(&mut self, mut following: impl FnMut(Candidate) -> Vec<Candidate>) {
        let Some(found) = self.0.as_deref_mut() else { return };
        for (report, state) in std::mem::take(&mut found.faults) {
            following(state).into_iter().for_each(|state| found.add_fault((report.clone(), state)));
        }
        for (at, state) in std::mem::take(&mut found.breaches) {
            following(state).into_iter().for_each(|state| found.add_breach((at, state)));
        }
        if found.has_no_failure() && found.cut.is_none() {
            self.0 = None;
        }
    }

    /// Takes everything out except the limit that cut paths off.
    pub(super) fn take_failures(&mut self) -> Findings {
        let mut taken = std::mem::take(self);
        if let Some((limit, at)) = taken.limit() {
            self.cut(limit, at);
        }
        taken.clear_cut();
        taken.0 = taken.0.filter(|found| !found.has_no_failure());
        taken
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

    /// Adds the findings of later sections.
    pub(super) fn add(&mut self, later: Finding) {
        let own = self.0.get_or_insert_default();
        later.faults.into_iter().for_each(|fault| own.add_fault(fault));
        later.breaches.into_iter().for_each(|breach| own.add_breach(breach));
        own.perhaps_faulty = own.perhaps_faulty.or(later.perhaps_faulty);
        own.perhaps_outside = own.perhaps_outside.or(later.perhaps_outside);
        own.cut = own.cut.or(later.cut);
    }
}
