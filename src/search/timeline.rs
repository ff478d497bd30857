//! The data for a picture of a history: each request with its connection, its lines, and the moment at which it was served.
//!
//! ```text
//! line   1   2   3   4
//! c1     ├── Write(1) ─●─┤ Ok         sent on line 1, answered on line 4, served after line 2 as the second
//! c2         ├●Read┤ 0                sent on line 2, answered on line 3, served after line 2 as the first
//! ```

use rustc_hash::FxHashMap;

use super::JudgedHistory;
use super::history::{History, Request};
use crate::judge::{Exchange, Observed, Verdict};
use crate::trace::Places;
use crate::value::Value;

/// A judged history, request by request.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// The requests, in the order in which they were sent.
    pub requests: Vec<RequestSpan>,
    /// The lines of the restarts of the system.
    pub restarts: Vec<u64>,
    /// The line of the event that no order explains, if the history is rejected.
    pub rejected: Option<u64>,
    /// The lines of the answers that cannot all be true, the rejected one among them, as far as evidence names them.
    pub conflict: Vec<u64>,
    /// The names of the events for people.
    pub places: Places,
}

/// A request of a history with its place in time.
#[derive(Clone, Debug)]
pub struct RequestSpan {
    /// The number of its connection in the trace.
    pub connection: u64,
    /// The line on which it was sent.
    pub sent: u64,
    /// The line on which its answer was seen, if it was.
    pub answered: Option<u64>,
    /// The line on which its client gave up, if it did.
    pub lost: Option<u64>,
    /// The request itself.
    pub request: Value,
    /// Its answer, if it was seen and is known.
    pub answer: Option<Value>,
    /// The moment at which it is served, in the order that explains an accepted history; `None` if it never is.
    pub served: Option<LinearizationPoint>,
}

/// The moment at which a request is served.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinearizationPoint {
    /// The line of the last event before the request is served.
    pub after: u64,
    /// Its place in the order of all served requests, from 0.
    pub place: usize,
}

impl History {
    /// The requests of a judged history, with their places in time; the caller adds its conflict.
    #[must_use]
    pub fn timeline(&self, judged: &JudgedHistory) -> Timeline {
        let pending =
            |(place, (after, line)): (usize, &(u64, u64))| (*line, LinearizationPoint { after: *after, place });
        let order = judged.order.iter().filter(|(_, line)| !self.is_restart(*line));
        let served: FxHashMap<u64, LinearizationPoint> = order.enumerate().map(pending).collect();
        let rejected = if let Verdict::Reject { event, .. } = judged.verdict { Some(event) } else { None };
        let requests = self.requests.iter().map(|request| RequestSpan {
            connection: request.connection,
            sent: request.exchange.line,
            answered: request.answered.map(|event| self.lines[event]),
            lost: request.lost,
            request: request.exchange.request.clone(),
            answer: request.exchange.observed.answer().cloned(),
            served: served.get(&request.exchange.line).copied(),
        });
        let (requests, restarts) = (requests.collect(), self.restarts.clone());
        Timeline { requests, restarts, rejected, conflict: Vec::new(), places: self.places().clone() }
    }

    /// The history of the events before a line.
    #[must_use]
    pub fn before(&self, line: u64) -> History {
        let end = self.lines.partition_point(|own| *own < line);
        let mut before = self.relaxed(0..end, &|_| true).history;
        let is_open = |request: &&mut Request| request.answered.is_none();
        before.requests.iter_mut().filter(is_open).for_each(|request| request.exchange.observed = Observed::Any);
        before
    }

    /// The exchange whose answer was seen on a line.
    #[must_use]
    pub fn answered_on(&self, line: u64) -> Option<Exchange> {
        let is_it = |request: &&Request| request.answered.is_some_and(|answered| self.lines[answered] == line);
        self.requests.iter().find(is_it).map(|request| request.exchange.clone())
    }

    /// The requests in the order in which they were sent, with their lines and answers.
    #[must_use]
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.requests.iter().map(|request| request.exchange.clone()).collect()
    }

    /// The requests and restarts in an order of service, as a trace of one request after another; its lines are the places in the order,
    /// from 1.
    #[must_use]
    pub fn in_order(&self, order: &[(u64, u64)]) -> Vec<Exchange> {
        let at: FxHashMap<u64, &Exchange> =
            self.requests.iter().map(|request| (request.exchange.line, &request.exchange)).collect();
        let places = (1..).zip(order);
        let exchange = |(place, (_, line)): (u64, &(u64, u64))| match self.is_restart(*line) {
            true => Some(Exchange::restart(place)),
            false => Some(Exchange { line: place, ..(*at.get(line)?).clone() }),
        };
        places.filter_map(exchange).collect()
    }
}
