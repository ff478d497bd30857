//! The answers that remain on each connection of a recording, and the requests that they need.
//!
//! ```text
//! c1 Get   c1 Get   c1 1   c1 Get   c1 2   c1 3       before `c1 1` two requests must be under way, as only one more is sent after it
//! ```
//!
//! States with fewer requests under way explain nothing, if each request is answered once at most (`proofs-notes/deepest.md`, *Requests
//! that are needed*).

use rustc_hash::FxHashMap;

use super::composition::Composition;
use super::wire::RecordedEvent;
use crate::network::Observation;
use crate::process::{Port, Situation};

/// The remaining answers on all connections.
pub(crate) struct RemainingAnswers {
    by_port: FxHashMap<Port, Vec<OwnEvent>>,
}

/// An event of a connection.
#[derive(Clone, Copy)]
struct OwnEvent {
    at: usize,
    /// The number of requests that must be under way on the connection before the event.
    needed: usize,
    /// The event, from this one on, at which the next answer is seen.
    answer: Option<usize>,
}

impl RemainingAnswers {
    pub(crate) fn of(composed: Composition<'_>, events: &[RecordedEvent]) -> RemainingAnswers {
        let mut by_port: FxHashMap<Port, Vec<OwnEvent>> = FxHashMap::default();
        let most = if composed.network.duplicates() { 1 } else { usize::MAX };
        for (at, (_, observation)) in events.iter().enumerate().rev() {
            let Some(port) = observation.port() else { continue };
            let own = by_port.entry(port).or_default();
            let (later, answer) = own.last().map_or((0, None), |event| (event.needed, event.answer));
            let (needed, answer) = match observation {
                Observation::Answer(..) => ((later + 1).min(most), Some(at)),
                Observation::Request(..) => (later.saturating_sub(1), answer),
                // After the end of a connection, its earlier requests are answered no more.
                _ => (0, answer),
            };
            own.push(OwnEvent { at, needed, answer });
        }
        by_port.values_mut().for_each(|own| own.reverse());
        RemainingAnswers { by_port }
    }

    /// The event, from the given one on, at which the next answer on a connection is seen.
    pub(crate) fn next(&self, port: Port, event: usize) -> Option<usize> {
        self.from(port, event).first()?.answer
    }

    /// Tests whether fewer requests are under way before an event than the answers from this event on need.
    pub(crate) fn are_too_many(&self, situation: &Situation, event: usize) -> bool {
        let Situation { arrived, suspended, sent, .. } = situation;
        let under_way = |port: Port| {
            let all = arrived.iter().chain(suspended.iter().map(|task| &task.port)).chain(sent);
            all.filter(|own| **own == port).count()
        };
        let needed = |port: Port| self.from(port, event).first().map_or(0, |own| own.needed);
        self.by_port.keys().any(|port| under_way(*port) < needed(*port))
    }

    /// The events of a connection from one on.
    fn from(&self, port: Port, event: usize) -> &[OwnEvent] {
        let own = self.by_port.get(&port).map_or(&[][..], Vec::as_slice);
        &own[own.partition_point(|own| own.at < event)..]
    }
}
