//! Traces of concurrent clients, event by event: the observations on connections and of calls.
//!
//! `{"c": 1, "q": 5}`, `{"c": 2, "q": 3}`, `{"c": 1, "a": 1}`, `{"c": 2, "lost": true}` is a trace of two clients. A line with a
//! whole exchange is a request that is answered at once. If a number comes again after the end of its connection, it stands for a
//! new connection of another client. Each call of a peer is an exchange of its own, even if its number comes again.

use std::collections::BTreeSet;
use std::io::BufRead;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::events::Events;
use super::stream::observed;
use crate::judge::RecordedEvent;
use crate::network::{CallSeen, Observation};
use crate::process::Port;
use crate::search::{Building, History};
use crate::spec::Spec;
use crate::trace::{EventKind, PeerEvent, PeerMessage, Places, Response, TraceError, TraceEvent};
use crate::value::Value;

/// A trace of concurrent clients.
#[derive(Clone, Default, Debug)]
pub struct Observations {
    /// The observations, with their lines.
    pub events: Vec<RecordedEvent>,
    /// The number in the trace, by connection, if the connection was renumbered because its number had been used before.
    clients: FxHashMap<u64, u64>,
    /// The number in the trace, by call, if the call was renumbered.
    exchanges: FxHashMap<u64, u64>,
    /// The names of the events for people.
    pub places: Places,
}

impl Observations {
    /// The observations of these events.
    ///
    /// # Errors
    /// A peer answers a call that was not made: the line, and the message.
    pub fn of(spec: &Spec, events: impl IntoIterator<Item = TraceEvent<Value>>) -> Result<Observations, (u64, String)> {
        let mut numbering = Numbering::new();
        for event in events {
            let line = event.line;
            let made = numbering.made(spec, event).map_err(|why| (line, why))?;
            numbering.made.events.extend(made.into_iter().map(|observation| (line, observation)));
        }
        Ok(numbering.made)
    }

    /// The requests and answers as a history.
    #[must_use]
    pub fn history(&self, spec: &Spec) -> History {
        let mut building = Building::new(spec.program.names_clients);
        for (line, observation) in &self.events {
            let mut observation = observation.clone();
            if let Some(port) = observation.port_mut() {
                *port = Port(self.client(*port));
            }
            building.add(*line, observation);
        }
        building.finish().named(self.places.clone())
    }

    /// The number of events of the recording: a request and its answer may be one of them.
    #[must_use]
    pub fn recorded(&self) -> u64 {
        self.events.chunk_by(|(one, _), (other, _)| one == other).count() as u64
    }

    /// The number that a trace gives to the client of a connection.
    #[must_use]
    pub fn client(&self, port: Port) -> u64 {
        self.clients.get(&port.0).copied().unwrap_or(port.0)
    }

    /// The number that a trace gives to a call.
    #[must_use]
    pub fn exchange(&self, number: u64) -> u64 {
        self.exchanges.get(&number).copied().unwrap_or(number)
    }
}

/// The one or two things that are observed on a connection; none for an event that is on none.
pub(super) fn on_connection(port: Port, kind: EventKind<Value>) -> [Option<Observation>; 2] {
    let sent = |query| Some(Observation::Request(port, query));
    let answered = |answer| Some(Observation::Answer(port, observed(answer).answer().cloned()));
    match kind {
        EventKind::Request(query) => [sent(query), None],
        EventKind::Answer(answer) => [answered(answer), None],
        EventKind::Lost => [Some(Observation::Lost(port)), None],
        EventKind::Closed => [Some(Observation::Closed(port)), None],
        EventKind::Left => [Some(Observation::Lost(port)), Some(Observation::Noticed(port))],
        EventKind::Exchange { query, reply: Response::Answer(answer) } => [sent(query), answered(answer)],
        EventKind::Exchange { query, reply: Response::Lost } => [sent(query), Some(Observation::Lost(port))],
        EventKind::Exchange { query, reply: Response::NotOwed } => [sent(query), None],
        EventKind::Restart => [Some(Observation::Restart), None],
        EventKind::Peer(_) => [None, None],
    }
}

/// Reads a trace of concurrent clients.
///
/// # Errors
/// If a line is no event, or its values are not of the specification's types.
pub fn observations<R: BufRead>(spec: &Spec, events: &mut Events<R>) -> Result<Observations, TraceError> {
    let mut numbering = Numbering::new();
    while let Some(event) = events.next_event()? {
        let line = event.line;
        match numbering.made(spec, event) {
            Ok(made) => numbering.made.events.extend(made.into_iter().map(|observation| (line, observation))),
            Err(why) => return Err(events.error_on(line, why)),
        }
    }
    Ok(Observations { places: events.places(), ..numbering.made })
}

/// The open connections and calls, by their numbers in the trace. A connection or call whose number was used before gets a new
/// number.
#[derive(Clone, Debug, Default)]
pub struct Numbering {
    connections: FxHashMap<u64, Port>,
    exchanges: FxHashMap<u64, (u64, u32)>,
    used: FxHashSet<(NumberKind, u64)>,
    next: u64,
    made: Observations,
}

/// The content of a [`Numbering`] without open calls, in a form that can be saved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NumberingParts {
    /// The numbers of the open connections in the trace, each with the number of the connection here.
    pub open: Vec<(u64, u64)>,
    /// The numbers of connections that were used.
    pub clients: BTreeSet<u64>,
    /// The numbers of calls that were used.
    pub exchanges: BTreeSet<u64>,
    /// The next new number is one less than this.
    pub next: u64,
}

/// The kind of thing that a trace numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum NumberKind {
    Client,
    Exchange,
}

impl Numbering {
    /// A numbering with nothing open.
    #[must_use]
    pub fn new() -> Numbering {
        Numbering { next: u64::MAX, ..Numbering::default() }
    }

    /// The number of connections and calls so far.
    #[must_use]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.used.len()
    }

    /// The content in a form that can be saved; `None` if a call is open.
    #[must_use]
    pub fn parts(&self) -> Option<NumberingParts> {
        let used = |kind| {
            let own = self.used.iter().filter(|(own, _)| *own == kind).map(|(_, number)| *number);
            own.collect::<BTreeSet<u64>>()
        };
        let mut open: Vec<(u64, u64)> = self.connections.iter().map(|(client, port)| (*client, port.0)).collect();
        open.sort_unstable();
        let [clients, exchanges] = [NumberKind::Client, NumberKind::Exchange].map(used);
        self.exchanges.is_empty().then_some(NumberingParts { open, clients, exchanges, next: self.next })
    }

    /// The numbering with this content.
    #[must_use]
    pub fn of_parts(parts: NumberingParts) -> Numbering {
        let clients = parts.clients.into_iter().map(|number| (NumberKind::Client, number));
        let exchanges = parts.exchanges.into_iter().map(|number| (NumberKind::Exchange, number));
        Numbering {
            connections: parts.open.into_iter().map(|(client, port)| (client, Port(port))).collect(),
            used: clients.chain(exchanges).collect(),
            next: parts.next,
            ..Numbering::new()
        }
    }

    /// Turns an event into its one or two observations.
    ///
    /// # Errors
    /// A peer answers a call that was not made.
    pub fn made(&mut self, spec: &Spec, event: TraceEvent<Value>) -> Result<Vec<Observation>, String> {
        let client = event.client.unwrap_or(1);
        let kind = match event.kind {
            EventKind::Peer(event) => return Ok(vec![self.peer(spec, event)?]),
            EventKind::Restart => {
                self.connections.clear();
                self.exchanges.clear();
                return Ok(vec![Observation::Restart]);
            }
            kind => kind,
        };
        let made: Vec<Observation> = on_connection(self.port(client), kind).into_iter().flatten().collect();
        if made.iter().any(|made| matches!(made, Observation::Lost(_) | Observation::Closed(_))) {
            self.connections.remove(&client);
        }
        Ok(made)
    }

    fn port(&mut self, client: u64) -> Port {
        if let Some(port) = self.connections.get(&client) {
            return *port;
        }
        let port = Port(self.number(NumberKind::Client, client));
        self.connections.insert(client, port);
        port
    }

    /// The number itself, or a new one if it was used before.
    fn number(&mut self, kind: NumberKind, number: u64) -> u64 {
        if self.used.insert((kind, number)) {
            return number;
        }
        self.next -= 1;
        self.used.insert((kind, self.next));
        let renumbered = match kind {
            NumberKind::Client => &mut self.made.clients,
            NumberKind::Exchange => &mut self.made.exchanges,
        };
        renumbered.insert(self.next, number);
        self.next
    }

    /// The observation of a call, or of its end.
    fn peer(&mut self, spec: &Spec, event: PeerEvent<Value>) -> Result<Observation, String> {
        let peer = spec.program.peers.iter().position(|peer| peer.name == event.peer).unwrap_or_default() as u32;
        let exchange = event.exchange;
        match event.message {
            PeerMessage::Call(request) => {
                let number = self.number(NumberKind::Exchange, exchange);
                if self.exchanges.insert(exchange, (number, peer)).is_some() {
                    return Err(format!("the exchange {exchange} of this number is still open"));
                }
                let key = event.key.unwrap_or(Value::UNIT);
                Ok(Observation::Called(CallSeen { exchange: number, peer, key, request }))
            }
            PeerMessage::Answer(answer) => {
                Ok(Observation::CallAnswered(self.ended(&event.peer, exchange, peer)?, answer))
            }
            PeerMessage::Sent(answer) => Ok(Observation::AnswerSent(self.ended(&event.peer, exchange, peer)?, answer)),
            PeerMessage::Lost => Ok(Observation::CallLost(self.ended(&event.peer, exchange, peer)?)),
        }
    }

    /// The number of the call that a peer ends.
    fn ended(&mut self, name: &str, exchange: u64, peer: u32) -> Result<u64, String> {
        let open = self.exchanges.remove(&exchange).filter(|(_, called)| *called == peer);
        let missing = || format!("no call of {name:?} has the number {exchange}");
        open.map(|(exchange, _)| exchange).ok_or_else(missing)
    }
}
