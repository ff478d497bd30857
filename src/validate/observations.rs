//! Traces of clients that do not wait for each other: single events, decoded under a specification's types.
//!
//! `{"c": 1, "q": 5}`, `{"c": 2, "q": 3}`, `{"c": 1, "a": 1}`, `{"c": 2, "lost": true}` is one of two clients. A line that is a whole
//! exchange is a request that is answered at once. What comes under a number behind the end of its connection is another one, of
//! another client; each call of a peer is its own exchange, though its number may come again.

use std::io::BufRead;

use rustc_hash::{FxHashMap, FxHashSet};

use super::stream::{decoded, observed};
use crate::diagnostic::suggest;
use crate::dualize::RecordedEvent;
use crate::json::JsonError;
use crate::network::{CallSeen, Observation};
use crate::process::Port;
use crate::spec::Spec;
use crate::trace::{EventKind, PeerEvent, PeerMessage, Raw, Response, TraceError, TraceLine, TraceReader};
use crate::value::Value;

/// Reads a trace of clients that do not wait for each other.
///
/// # Errors
/// Where a line is no event, or its values are not of the specification's types.
pub fn observations<R: BufRead>(spec: &Spec, reader: &mut TraceReader<R>) -> Result<Vec<RecordedEvent>, TraceError> {
    let mut numbering = Numbering { next: u64::MAX, ..Numbering::default() };
    let mut recorded = Vec::new();
    loop {
        let Some(line) = reader.next_line()? else { return Ok(recorded) };
        let (number, made) = (line.event.line, numbering.made(spec, &line));
        match made {
            Ok(made) => recorded.extend(made.into_iter().map(|observation| (number, observation))),
            Err(error) => return Err(reader.error_at(error.offset, error.to_string())),
        }
    }
}

/// The connections and exchanges that are open, by the numbers that the trace gives them. What has a number that was used before gets
/// one of its own.
#[derive(Default)]
struct Numbering {
    connections: FxHashMap<u64, Port>,
    exchanges: FxHashMap<u64, (u64, u32)>,
    used: FxHashSet<(bool, u64)>,
    next: u64,
}

impl Numbering {
    /// The one or two observations of a line.
    fn made(&mut self, spec: &Spec, line: &TraceLine<'_>) -> Result<Vec<Observation>, JsonError> {
        let client = line.event.client.unwrap_or(1);
        if let EventKind::Peer(event) = &line.event.kind {
            return Ok(vec![self.peer(spec, event)?]);
        }
        let port = self.port(client);
        let sent = |query: &Raw<'_>| Ok(Observation::Request(port, decoded(spec, spec.program.request, query)?));
        let answered = |answer: &Raw<'_>| {
            let seen = observed(decoded(spec, spec.program.response, answer)?);
            Ok(Observation::Answer(port, seen.answer().cloned()))
        };
        let made = match &line.event.kind {
            EventKind::Request(query) => vec![sent(query)?],
            EventKind::Answer(answer) => vec![answered(answer)?],
            EventKind::Lost => vec![Observation::Lost(port)],
            EventKind::Closed => vec![Observation::Closed(port)],
            EventKind::Exchange { query, reply: Response::Answer(answer) } => vec![sent(query)?, answered(answer)?],
            EventKind::Exchange { query, reply: Response::Lost } => vec![sent(query)?, Observation::Lost(port)],
            EventKind::Exchange { query, reply: Response::NotOwed } => vec![sent(query)?],
            EventKind::Peer(_) => Vec::new(),
        };
        if made.iter().any(|made| matches!(made, Observation::Lost(_) | Observation::Closed(_))) {
            self.connections.remove(&client);
        }
        Ok(made)
    }

    fn port(&mut self, client: u64) -> Port {
        if let Some(port) = self.connections.get(&client) {
            return *port;
        }
        let port = Port(self.number((false, client)));
        self.connections.insert(client, port);
        port
    }

    /// The number itself, or, where that was used before, another one.
    fn number(&mut self, (is_exchange, number): (bool, u64)) -> u64 {
        if self.used.insert((is_exchange, number)) {
            return number;
        }
        self.next -= 1;
        self.used.insert((is_exchange, self.next));
        self.next
    }

    /// The observation of a peer.
    fn peer(&mut self, spec: &Spec, event: &PeerEvent<Raw<'_>>) -> Result<Observation, JsonError> {
        let peers = &spec.program.peers;
        let Some(peer) = peers.iter().position(|peer| peer.name == event.peer) else {
            let near = suggest(&event.peer, peers.iter().map(|peer| peer.name.as_str()));
            let hint = near.map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
            return Err(JsonError::new(0, format!("the specification has no peer {:?}{hint}", event.peer)));
        };
        let declared = &peers[peer];
        match &event.message {
            PeerMessage::Call(query) => {
                let key = match (&event.key, declared.key) {
                    (Some(key), Some(ty)) => decoded(spec, ty, key)?,
                    (None, None) => Value::UNIT,
                    (Some(key), None) => {
                        return Err(JsonError::new(key.offset, format!("the peer {:?} has no key", event.peer)));
                    }
                    (None, Some(_)) => {
                        return Err(JsonError::new(
                            0,
                            format!("\"key\" is missing: which {:?} is called?", event.peer),
                        ));
                    }
                };
                let request = decoded(spec, declared.request, query)?;
                let exchange = self.number((true, event.exchange));
                if self.exchanges.insert(event.exchange, (exchange, peer as u32)).is_some() {
                    return Err(JsonError::new(
                        0,
                        format!("the exchange {} of this number is still open", event.exchange),
                    ));
                }
                Ok(Observation::Called(CallSeen { exchange, peer: peer as u32, key, request }))
            }
            PeerMessage::Answer(answer) => {
                let exchange = self.ended(event, peer as u32)?;
                Ok(Observation::CallAnswered(exchange, decoded(spec, declared.response, answer)?))
            }
            PeerMessage::Lost => Ok(Observation::CallLost(self.ended(event, peer as u32)?)),
        }
    }

    /// The exchange that a peer ends.
    fn ended(&mut self, event: &PeerEvent<Raw<'_>>, peer: u32) -> Result<u64, JsonError> {
        let open = self.exchanges.remove(&event.exchange).filter(|(_, called)| *called == peer);
        let missing = || JsonError::new(0, format!("no call of {:?} has the number {}", event.peer, event.exchange));
        open.map(|(exchange, _)| exchange).ok_or_else(missing)
    }
}
