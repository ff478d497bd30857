//! The requests under way before each event.
//!
//! ```text
//! c1 ├──────────┤         before the third event: both requests
//! c2     ├──────────┤     before the fourth event: the request of c2
//! ```

use std::sync::Arc;

use super::bits::PlaceSet;
use super::history::{HistoryEvent, Request};
use super::rules::kinds::HistoryFacts;

/// The requests under way before an event.
#[derive(Clone, Default)]
pub(super) struct PendingRequests {
    /// The requests that were sent, whose answer was not seen yet, and that matter; in the order in which their answers will be seen, those
    /// without an answer last.
    pub(super) under_way: Vec<u32>,
    /// The places of the bound ones among them: they must be served, or are served in the order of their connection.
    pub(super) bound: PlaceSet,
}

impl PendingRequests {
    pub(super) fn requests(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        self.under_way.iter().map(|request| *request as usize)
    }

    /// The moment after an event, if the first `end` events are looked at.
    pub(super) fn after(&self, known: &HistoryFacts<'_>, event: usize, end: usize) -> PendingRequests {
        let mut next = self.clone();
        match known.history.events[event] {
            HistoryEvent::Sent(request) if known.matters(request, end) => {
                let requests = &known.history.requests;
                let deadline = |request: &u32| requests[*request as usize].deadline(end);
                let own = deadline(&(request as u32));
                let place = next.under_way.partition_point(|other| deadline(other) <= own);
                next.under_way.insert(place, request as u32);
                let Request { place, chained, .. } = known.history.requests[request];
                if chained || known.history.requests[request].is_owed(end) {
                    next.bound.insert(place);
                }
            }
            HistoryEvent::Answered(request) => {
                next.under_way.retain(|other| *other as usize != request);
                next.bound.remove(known.history.requests[request].place);
            }
            HistoryEvent::Restarted => return PendingRequests::default(),
            HistoryEvent::Sent(_) | HistoryEvent::GaveUp | HistoryEvent::Impossible | HistoryEvent::Open => {}
        }
        next
    }
}

/// The moments of a search, made when they are first asked for.
#[derive(Clone)]
pub(super) struct PendingPerEvent(Vec<Arc<PendingRequests>>);

impl PendingPerEvent {
    pub(super) fn new() -> PendingPerEvent {
        PendingPerEvent(vec![Arc::default()])
    }

    /// The moments of a search that begins with this one before the first event.
    pub(super) fn starting_with(first: PendingRequests) -> PendingPerEvent {
        PendingPerEvent(vec![Arc::new(first)])
    }

    pub(super) fn get(&mut self, known: &HistoryFacts<'_>, at: usize, end: usize) -> Arc<PendingRequests> {
        while self.0.len() <= at {
            let event = self.0.len() - 1;
            self.0.push(Arc::new(self.0[event].after(known, event, end)));
        }
        self.0[at].clone()
    }

    pub(super) fn made(&self, at: usize) -> &PendingRequests {
        &self.0[at]
    }

    /// Keeps the moments up to an event.
    pub(super) fn truncate(&mut self, at: usize) {
        self.0.truncate(at + 1);
    }

    /// Frees the memory of the moments from one event to before another one.
    pub(super) fn clear(&mut self, from: usize, to: usize) {
        self.0[from..to].fill(Arc::default());
    }
}
