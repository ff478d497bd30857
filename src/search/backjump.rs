//! Backjumping: after a dead end, a search goes on at the branch at which it put two requests in an order that led there.
//!
//! ```text
//! served so far    Push(1), Push(2)     a Pop that saw 2 would give 1 here: back to the branch at which Push(2) may come first
//! ```
//!
//! This is conflict-directed backjumping (Prosser 1993) with nothing left out: the alternatives that a jump passes by stay open, and are
//! followed last. So a guess that is wrong costs time, and changes no verdict.

use super::configuration::{Branch, Configuration};
use super::history::{History, Request};
use super::open::OpenConfigurations;
use super::pending::PendingRequests;
use super::rules::kinds::FirstEvents;
use super::states::States;
use crate::scalar::Scalar;
use crate::value::Value;

/// The most requests before a dead end that are looked at, of those that contain one of its scalars.
const SHOWING: usize = 8;
/// At most this many served requests are looked at, back from the last one.
const WALKED: usize = 512;
/// The work that a search for a target counts as.
pub(super) const WORK: usize = WALKED / 4;

/// A configuration before an answer, in which neither the answered request nor any other can be served.
pub(super) struct DeadEnd<'c> {
    pub(super) configuration: &'c Configuration,
    pub(super) request: usize,
}

/// The scalars in which two answers differ.
#[derive(Default)]
struct AnswerDifference {
    seen: Vec<Scalar>,
    given: Vec<Scalar>,
}

/// An open configuration in which two requests may be served in the other order than on the path to a dead end. One of the requests
/// shows a scalar of the answer that would be given there, the other one a scalar of the answer that was seen. Of several such pairs,
/// `guess` says which is chosen: the last one for the guesses with even numbers, and the first one for the others.
pub(super) fn target(
    events: FirstEvents<'_>,
    states: &mut States,
    open: &OpenConfigurations,
    pending: &PendingRequests,
    dead: &DeadEnd<'_>,
    guess: u64,
) -> Option<Branch> {
    let about = events.about(dead.request);
    let given = states.answer(dead.configuration.state, about)?;
    let mut difference = AnswerDifference::default();
    difference.add(about.exchange.observed.answer()?, &given);
    let showing = |scalars: &[Scalar]| showing(events, pending, dead, scalars);
    let (showing_given, mut showing_seen) = (showing(&difference.given), showing(&difference.seen));
    if showing_seen.is_empty() {
        showing_seen.push((usize::MAX, dead.request, None));
    }
    let mut best: Option<((usize, bool), Branch)> = None;
    for (given_at, given, branch) in &showing_given {
        for (seen_at, seen, own) in &showing_seen {
            if given == seen || !overlap(events.known.history, *given, *seen) {
                continue;
            }
            // The request that was served earlier is to be served after the other one.
            let (first, branch) = if seen_at < given_at { (*given, own) } else { (*seen, branch) };
            let Some(branch) = branch else { continue };
            for (place, alternative) in open.alternatives(*branch) {
                let is_served = alternative.configuration.done.served.contains(events.about(first).place);
                let at = if guess.is_multiple_of(2) { branch.at } else { usize::MAX - branch.at };
                let merit = (at, is_served);
                if best.as_ref().is_none_or(|(other, _)| *other < merit) {
                    best = Some((merit, place));
                }
            }
        }
    }
    best.map(|(_, place)| place)
}

/// A request, preceded by its place in the order of service, the later the greater; and the branch at which it was served, if it was.
type ServedAt = (usize, usize, Option<Branch>);

impl AnswerDifference {
    /// Adds the scalars in which an answer that was seen differs from one that would be given.
    fn add(&mut self, seen: &Value, given: &Value) {
        match (seen, given) {
            (Value::Data { tag, .. }, Value::Data { tag: other, .. }) if tag == other => {
                self.add_pairs(seen.fields().iter(), given.fields().iter());
            }
            (Value::List(seen), Value::List(given)) => self.add_pairs(seen.iter(), given.iter()),
            _ if seen == given => {}
            _ => {
                seen.visit_scalars(&mut |scalar| self.seen.push(scalar.clone()));
                given.visit_scalars(&mut |scalar| self.given.push(scalar.clone()));
            }
        }
    }

    /// Adds the differences of parts at equal positions; a part without a counterpart differs as a whole.
    fn add_pairs<'v>(&mut self, mut seen: impl Iterator<Item = &'v Value>, mut given: impl Iterator<Item = &'v Value>) {
        loop {
            match (seen.next(), given.next()) {
                (None, None) => return,
                (seen, given) => self.add(seen.unwrap_or(&Value::Absent), given.unwrap_or(&Value::Absent)),
            }
        }
    }
}

/// The requests before a dead end, the last first, that contain one of some scalars; if there are none, those whose answers do.
fn showing(
    events: FirstEvents<'_>,
    pending: &PendingRequests,
    dead: &DeadEnd<'_>,
    scalars: &[Scalar],
) -> Vec<ServedAt> {
    if scalars.is_empty() {
        return Vec::new();
    }
    let is_waiting =
        |request: &usize| *request != dead.request && !dead.configuration.done.contains(events.about(*request).place);
    let of = |shows: &dyn Fn(&Request) -> bool| {
        let waiting = pending.requests().filter(is_waiting).map(|request| (usize::MAX, request, None));
        let backwards = std::iter::successors(dead.configuration.order.as_deref(), |served| served.before());
        let late = (0..usize::MAX).rev();
        let served = backwards.zip(late).map(|(served, late)| (late, served.request, Some(served.branch)));
        let all = waiting.chain(served.take(WALKED));
        all.filter(|(_, request, _)| shows(events.about(*request))).take(SHOWING).collect::<Vec<ServedAt>>()
    };
    let asking = of(&|request| has_scalar(&request.exchange.request, scalars));
    if !asking.is_empty() {
        return asking;
    }
    of(&|request| request.exchange.observed.answer().is_some_and(|answer| has_scalar(answer, scalars)))
}

/// Tests whether one of some scalars is in a value.
fn has_scalar(value: &Value, scalars: &[Scalar]) -> bool {
    let mut has = false;
    value.visit_scalars(&mut |scalar| has |= scalars.contains(scalar));
    has
}

/// Tests whether two requests were under way at the same time.
fn overlap(history: &History, one: usize, other: usize) -> bool {
    let ends_behind = |one: usize, other: usize| {
        let start = history.requests[other].exchange.line;
        // An answer may come after the events that are looked at.
        let seen = history.requests[one].answered.and_then(|answered| history.lines.get(answered));
        seen.is_none_or(|seen| *seen > start)
    };
    ends_behind(one, other) && ends_behind(other, one)
}
