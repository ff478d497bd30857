//! A history: the requests of concurrent clients, each with its answer.
//!
//! ```text
//! c1 ├── Write(1) ──┤ ok                      a request is under way from the event that sent it until its
//! c2    ├── Read ─────────┤ 1                 answer is seen; if nobody sees an answer, for ever
//! c3       ├── Write(2) ─ ─ ─ ─ lost
//! ```

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::judge::{Exchange, Observed};
use crate::network::Observation;
use crate::process::Port;
use crate::spec::analysis::partition::RequestKeys;
use crate::trace::Places;
use crate::value::Value;

/// A request of a history.
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// The request with the line that sent it, its client, and its answer; [`Observed::Any`] if nobody saw an answer.
    pub(super) exchange: Exchange,
    /// The number of its kind: requests are of one kind if they are equal, and their answers are. `unseen` is its kind without an answer.
    pub(super) kind: u32,
    pub(super) unseen: u32,
    /// The number of the request itself, whatever its answer.
    pub(super) asks: u32,
    /// The event at which its answer was seen, if it was.
    pub(super) answered: Option<usize>,
    /// The request before it on its connection, if that was still under way when it was sent.
    pub(super) before: Option<usize>,
    /// Its place in sets of requests under way.
    pub(super) place: usize,
    /// Set if another request was under way on its connection at the same time: these are served in their order.
    pub(super) chained: bool,
    /// The number of its connection in the trace.
    pub(super) connection: u64,
    /// The line on which its client gave up, if it did.
    pub(super) lost: Option<u64>,
}

impl Request {
    /// Tests whether its answer was seen among the first events, so that it must be served.
    pub(super) fn is_owed(&self, events: usize) -> bool {
        self.answered.is_some_and(|answered| answered < events)
    }

    /// The event at which its answer is seen, if that is among the first events; otherwise `usize::MAX`.
    pub(super) fn deadline(&self, events: usize) -> usize {
        self.answered.filter(|answered| *answered < events).unwrap_or(usize::MAX)
    }

    /// The number of its kind, without the answer if that was not seen among the first events.
    pub(super) fn kind(&self, events: usize) -> u32 {
        if self.is_owed(events) { self.kind } else { self.unseen }
    }
}

/// An event of a history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum HistoryEvent {
    /// A request was sent.
    Sent(usize),
    /// The answer to a request was seen.
    Answered(usize),
    /// A client gave up: no request needs to have been served before.
    GaveUp,
    /// The system was killed and started again: requests under way were served before, or never.
    Restarted,
    /// An event that no server shows that answers each request once.
    Impossible,
    /// The end of the events that are looked at. No order explains it, so all orders up to here are followed.
    Open,
}

/// Requests and events, in the order in which they were observed.
#[derive(Clone, Default, Debug)]
pub struct History {
    pub(super) requests: Vec<Request>,
    pub(super) events: Vec<HistoryEvent>,
    /// The line of each event.
    pub(super) lines: Vec<u64>,
    /// The number of kinds of requests.
    pub(super) kinds: usize,
    /// The line on which the server first ended a connection.
    pub(super) ended: Option<u64>,
    /// The lines of the restarts of the system.
    pub(super) restarts: Vec<u64>,
    /// The names of the events for people.
    pub(super) places: Places,
}

/// A history while it is read, with its open connections.
#[derive(Debug)]
pub struct Building {
    pub(super) history: History,
    pub(super) names_clients: bool,
    /// The connections, by their numbers.
    pub(super) open: FxHashMap<u64, Connection>,
    /// The number of each different request, with its client if the specification asks for it.
    pub(super) asks: FxHashMap<(Value, u64), u32>,
    /// The number of the last client.
    pub(super) clients: u64,
    /// The number of each kind: a request with its answer.
    pub(super) kinds: FxHashMap<(u32, Option<Value>), u32>,
    /// The free places; `places` is the number of all.
    pub(super) free: Vec<usize>,
    pub(super) places: usize,
}

/// A connection, from its first request until its client gives up.
#[derive(Default, Debug)]
pub(super) struct Connection {
    /// The number of its client; each connection has a client of its own.
    pub(super) client: u64,
    /// Its requests that have no answer yet, the earliest first.
    pub(super) waiting: VecDeque<usize>,
}

impl Building {
    /// An empty history; `names_clients` is set if the specification asks who sent a request.
    #[must_use]
    pub fn new(names_clients: bool) -> Building {
        Building {
            history: History::default(),
            names_clients,
            open: FxHashMap::default(),
            asks: FxHashMap::default(),
            clients: u64::MAX,
            kinds: FxHashMap::default(),
            free: Vec::new(),
            places: 0,
        }
    }

    /// Adds what a client observed, or a restart, on a line of a trace. The requests of a client that gives up may take effect later, or
    /// never; those before a restart took effect before it, or never.
    pub fn add(&mut self, line: u64, happened: Observation) {
        let event = match happened {
            Observation::Request(Port(connection), request) => HistoryEvent::Sent(self.sent(line, connection, request)),
            Observation::Answer(Port(connection), answer) => self.answered(connection, answer),
            Observation::Lost(Port(connection)) => {
                let waiting = self.end(connection);
                waiting.iter().for_each(|request| self.history.requests[*request].lost = Some(line));
                HistoryEvent::GaveUp
            }
            Observation::Restart => {
                let waiting = self.end_all();
                waiting.into_iter().for_each(|request| self.history.requests[request].lost = Some(line));
                self.history.restarts.push(line);
                HistoryEvent::Restarted
            }
            Observation::Closed(_) => {
                self.history.ended.get_or_insert(line);
                HistoryEvent::Impossible
            }
            // No call is made, and that the server has taken notice of an end says nothing of its requests.
            _ => return,
        };
        self.history.events.push(event);
        self.history.lines.push(line);
    }

    /// Ends a connection, and returns its unanswered requests.
    pub(super) fn end(&mut self, number: u64) -> VecDeque<usize> {
        self.open.remove(&number).unwrap_or_default().waiting
    }

    /// Ends all connections, and returns their unanswered requests.
    pub(super) fn end_all(&mut self) -> Vec<usize> {
        self.open.drain().flat_map(|(_, connection)| connection.waiting).collect()
    }

    fn sent(&mut self, line: u64, number: u64, value: Value) -> usize {
        let at = self.history.requests.len();
        let connection = connection(&mut self.open, &mut self.clients, number);
        let client = if self.names_clients { connection.client } else { 0 };
        let before = connection.waiting.back().copied();
        connection.waiting.iter().for_each(|earlier| self.history.requests[*earlier].chained = true);
        connection.waiting.push_back(at);
        let next = self.asks.len() as u32;
        let asks = *self.asks.entry((value.clone(), client)).or_insert(next);
        let exchange = Exchange { line, client: connection.client, request: value, observed: Observed::Any };
        let kind = self.kind(asks, None);
        let place = self.free.pop().unwrap_or(self.places);
        self.places += usize::from(place == self.places);
        self.history.requests.push(Request {
            exchange,
            kind,
            unseen: kind,
            asks,
            answered: None,
            before,
            place,
            chained: before.is_some(),
            connection: number,
            lost: None,
        });
        at
    }

    fn answered(&mut self, number: u64, answer: Option<Value>) -> HistoryEvent {
        let waiting = self.open.get_mut(&number).and_then(|connection| connection.waiting.pop_front());
        let Some(at) = waiting else { return HistoryEvent::Impossible };
        let kind = self.kind(self.history.requests[at].asks, answer.clone());
        let request = &mut self.history.requests[at];
        request.answered = Some(self.history.events.len());
        request.exchange.observed = answer.map_or(Observed::Any, Observed::Answer);
        request.kind = kind;
        self.free.push(request.place);
        HistoryEvent::Answered(at)
    }

    /// The number of the client of a connection; 0 if the specification does not ask for clients.
    pub(super) fn client(&mut self, number: u64) -> u64 {
        if self.names_clients { connection(&mut self.open, &mut self.clients, number).client } else { 0 }
    }

    /// The number that the client of a connection has, or gets with its next request; 0 if the specification does not ask for clients.
    pub(super) fn named(&self, number: u64) -> u64 {
        let own = self.open.get(&number).map_or(self.clients.wrapping_sub(1), |connection| connection.client);
        if self.names_clients { own } else { 0 }
    }

    /// The number of a kind of request.
    fn kind(&mut self, asks: u32, answer: Option<Value>) -> u32 {
        let next = self.kinds.len() as u32;
        let kind = *self.kinds.entry((asks, answer)).or_insert(next);
        self.history.kinds = self.kinds.len();
        kind
    }

    /// The history so far.
    #[must_use]
    pub fn so_far(&self) -> &History {
        &self.history
    }

    /// The history, once it is read.
    #[must_use]
    pub fn finish(self) -> History {
        self.history
    }
}

/// The connection with a number; a new one gets a new client.
fn connection<'o>(open: &'o mut FxHashMap<u64, Connection>, clients: &mut u64, number: u64) -> &'o mut Connection {
    open.entry(number).or_insert_with(|| {
        *clients -= 1;
        Connection { client: *clients, ..Connection::default() }
    })
}

impl History {
    /// The history with the names of its events.
    #[must_use]
    pub fn named(self, places: Places) -> History {
        History { places, ..self }
    }

    /// The names of its events.
    #[must_use]
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// The number of events of the recording: a request and its answer may be one of them.
    #[must_use]
    pub fn recorded(&self) -> u64 {
        self.lines.chunk_by(|one, other| one == other).count() as u64
    }

    /// The number of requests, answers and other observations.
    #[must_use]
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Tests whether nothing happened.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// The request whose answer was seen at an event, if the event is an answer.
    pub(super) fn answered(&self, event: usize) -> Option<&Request> {
        match self.events[event] {
            HistoryEvent::Answered(request) => Some(&self.requests[request]),
            HistoryEvent::Sent(_)
            | HistoryEvent::GaveUp
            | HistoryEvent::Restarted
            | HistoryEvent::Impossible
            | HistoryEvent::Open => None,
        }
    }

    /// Tests whether the system was restarted on a line.
    #[must_use]
    pub fn is_restart(&self, line: u64) -> bool {
        self.restarts.binary_search(&line).is_ok()
    }

    /// Tests whether an answer to a request was seen on a line.
    #[must_use]
    pub fn is_answer(&self, line: u64) -> bool {
        let own = |(event, own): (&HistoryEvent, &u64)| *own == line && matches!(event, HistoryEvent::Answered(_));
        self.events.iter().zip(&self.lines).any(own)
    }

    /// Tests whether the server first ended a connection on a line.
    #[must_use]
    pub fn is_end(&self, line: u64) -> bool {
        self.ended == Some(line)
    }

    /// The lines of the requests that were under way before the event on a line.
    #[must_use]
    pub fn under_way(&self, line: u64) -> Vec<u64> {
        let at = self.lines.iter().position(|own| *own == line).unwrap_or(self.events.len());
        let restart = self.restarts.iter().copied().take_while(|restart| *restart < line).last().unwrap_or_default();
        let is_open = |request: &&Request| {
            (restart..line).contains(&request.exchange.line) && request.answered.is_none_or(|answered| answered >= at)
        };
        self.requests.iter().filter(is_open).map(|request| request.exchange.line).collect()
    }

    /// The requests in an order of service, with the restarts: for each, the line of the earliest event after which it can be served in
    /// this order, and its own line.
    pub(super) fn timed(&self, order: &[usize]) -> Vec<(u64, u64)> {
        let mut lines: Vec<u64> = order.iter().map(|request| self.requests[*request].exchange.line).collect();
        for restart in &self.restarts {
            // The requests that were sent before a restart are served before it, and no others.
            lines.insert(lines.iter().position(|line| line > restart).unwrap_or(lines.len()), *restart);
        }
        let after = |latest: &mut u64, line: u64| {
            *latest = line.max(*latest);
            Some((*latest, line))
        };
        lines.into_iter().scan(0, after).collect()
    }

    /// The history of each key; `None` if a key is not known, a connection has several requests under way, an event is impossible, or
    /// several entries have to do with each other at a restart.
    pub(super) fn parts(&self, keys: &RequestKeys) -> Option<Vec<History>> {
        let mut numbers: FxHashMap<Option<Value>, usize> = FxHashMap::default();
        let mut of: Vec<(usize, usize)> = Vec::with_capacity(self.requests.len());
        let mut parts: Vec<History> = Vec::new();
        if keys.meet_at_restarts() && !self.restarts.is_empty() {
            return None;
        }
        for request in &self.requests {
            let key = keys.key(&request.exchange.request).ok().filter(|_| !request.chained)?;
            let part = *numbers.entry(key).or_insert(parts.len());
            if part == parts.len() {
                parts.push(History::default());
            }
            of.push((part, parts[part].requests.len()));
            parts[part].requests.push(Request { before: None, ..request.clone() });
        }
        for (event, line) in self.events.iter().zip(&self.lines) {
            let (part, event) = match event {
                HistoryEvent::Sent(request) => (of[*request].0, HistoryEvent::Sent(of[*request].1)),
                HistoryEvent::Answered(request) => (of[*request].0, HistoryEvent::Answered(of[*request].1)),
                HistoryEvent::GaveUp => continue,
                HistoryEvent::Restarted => {
                    parts.iter_mut().for_each(|part| part.restart(*line));
                    continue;
                }
                HistoryEvent::Impossible | HistoryEvent::Open => return None,
            };
            if let HistoryEvent::Answered(request) = event {
                parts[part].requests[request].answered = Some(parts[part].events.len());
            }
            parts[part].events.push(event);
            parts[part].lines.push(*line);
        }
        Some(parts.into_iter().map(History::arranged).collect())
    }

    /// Adds a restart on a line.
    fn restart(&mut self, line: u64) {
        self.events.push(HistoryEvent::Restarted);
        self.lines.push(line);
        self.restarts.push(line);
    }

    /// Gives requests their places, and numbers their kinds.
    fn arranged(mut self) -> History {
        let mut kinds: FxHashMap<(u32, Option<Value>), u32> = FxHashMap::default();
        for request in &mut self.requests {
            let answer = request.exchange.observed.answer().cloned();
            [request.kind, request.unseen] = [answer, None].map(|answer| {
                let next = kinds.len() as u32;
                *kinds.entry((request.asks, answer)).or_insert(next)
            });
        }
        self.kinds = kinds.len();
        self.with_places()
    }

    /// Gives requests their places.
    pub(super) fn with_places(mut self) -> History {
        let (mut free, mut places): (Vec<usize>, usize) = (Vec::new(), 0);
        for event in &self.events {
            match event {
                HistoryEvent::Sent(request) => {
                    self.requests[*request].place = free.pop().unwrap_or(places);
                    places += usize::from(self.requests[*request].place == places);
                }
                HistoryEvent::Answered(request) => free.push(self.requests[*request].place),
                HistoryEvent::GaveUp | HistoryEvent::Restarted | HistoryEvent::Impossible | HistoryEvent::Open => {}
            }
        }
        self
    }
}
