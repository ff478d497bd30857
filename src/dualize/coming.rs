//! The answers that are still to come on each connection of a recording, and the requests that they need.
//!
//! ```text
//! c1 Get   c1 Get   c1 1   c1 Get   c1 2   c1 3       before `c1 1` two requests must be under way, as only one more is sent behind it
//! ```
//!
//! Where each request is answered once at most, states with fewer explain nothing (`proofs-notes/deepest.md`, *Requests that are needed*).

use rustc_hash::FxHashMap;

use super::candidate::Candidate;
use super::composed::Composed;
use super::possible::PossibleAnswers;
use super::wire::RecordedEvent;
use crate::network::Observation;
use crate::process::{Port, Situation};
use crate::value::Value;

/// So many events of a connection are looked at for answers that no request is there for.
const LOOKED_AT: usize = 16;

/// The answers to come on all connections.
pub(super) struct AnswersToCome<'r> {
    events: &'r [RecordedEvent],
    by_port: FxHashMap<Port, Vec<OwnEvent>>,
    /// Set where it is looked at whether there are requests enough.
    counts: bool,
    /// The answers that requests may have, where requests may be lost to make room.
    possible: Option<PossibleAnswers>,
}

/// An event of a connection.
#[derive(Clone, Copy)]
struct OwnEvent {
    at: usize,
    /// The number of requests that must be under way before it.
    needed: usize,
}

impl<'r> AnswersToCome<'r> {
    pub(super) fn of(
        composed: Composed<'_>,
        events: &'r [RecordedEvent],
        possible: Option<PossibleAnswers>,
    ) -> AnswersToCome<'r> {
        let mut by_port: FxHashMap<Port, Vec<OwnEvent>> = FxHashMap::default();
        let most = if composed.network.duplicates() { 1 } else { usize::MAX };
        for (at, (_, observation)) in events.iter().enumerate().rev() {
            let Some(port) = observation.port() else { continue };
            let own = by_port.entry(port).or_default();
            let later = own.last().map_or(0, |event| event.needed);
            let needed = match observation {
                Observation::Answer(..) => (later + 1).min(most),
                Observation::Request(..) => later.saturating_sub(1),
                // What was sent before says nothing of what comes behind it.
                _ => 0,
            };
            own.push(OwnEvent { at, needed });
        }
        by_port.values_mut().for_each(|own| own.reverse());
        AnswersToCome { events, by_port, counts: composed.counts_requests, possible }
    }

    /// The event, from one on, at which the next answer on a connection is seen.
    pub(super) fn next(&self, port: Port, event: usize) -> Option<usize> {
        let is_answer = |own: &&OwnEvent| matches!(self.events[own.at].1, Observation::Answer(..));
        self.from(port, event).iter().find(is_answer).map(|own| own.at)
    }

    /// Tests whether the requests that are there are too few, or the wrong ones, for the answers that are seen from an event on.
    pub(super) fn lack_requests(&mut self, candidate: &Candidate, situation: &Situation, event: usize) -> bool {
        if !self.counts {
            return false;
        }
        let Situation { arrived, suspended, sent, .. } = situation;
        let under_way = |port: Port| {
            let all = arrived.iter().chain(suspended.iter().map(|task| &task.port)).chain(sent);
            all.filter(|own| **own == port).count()
        };
        let needed = |port: Port| self.from(port, event).first().map_or(0, |own| own.needed);
        if self.by_port.keys().any(|port| under_way(*port) < needed(*port)) {
            return true;
        }
        let Some(mut possible) = self.possible.take() else { return false };
        let lacks = |port: &Port| self.lacks_one(&mut possible, candidate, *port, event);
        let lack = self.by_port.keys().any(lacks);
        self.possible = Some(possible);
        lack
    }

    /// Tests whether an answer is seen soon on a connection that neither a message nor a request may lead to.
    fn lacks_one(&self, possible: &mut PossibleAnswers, candidate: &Candidate, port: Port, event: usize) -> bool {
        let process = &candidate.process;
        let arrived = (0..process.arrived_count()).map(|at| process.arrived(at));
        let mut requests: Vec<&Value> = arrived.filter(|(own, _)| *own == port).map(|(_, request)| request).collect();
        let sent = || process.sent().iter().filter(|message| message.port == port);
        for own in self.from(port, event).iter().take(LOOKED_AT) {
            match &self.events[own.at].1 {
                Observation::Request(_, request) => requests.push(request),
                Observation::Answer(_, None) => {}
                Observation::Answer(_, Some(answer)) => {
                    let is_sent = sent().any(|message| message.value == *answer || !message.value.is_known());
                    if !is_sent && !requests.iter().any(|request| possible.may_be(request, answer)) {
                        return true;
                    }
                }
                _ => return false,
            }
        }
        false
    }

    /// The events of a connection from one on.
    fn from(&self, port: Port, event: usize) -> &[OwnEvent] {
        let own = self.by_port.get(&port).map_or(&[][..], Vec::as_slice);
        &own[own.partition_point(|own| own.at < event)..]
    }
}
