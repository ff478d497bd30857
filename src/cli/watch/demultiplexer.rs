//! Requests that overlap on one connection, treated as requests of several clients.
//!
//! Live traffic can be judged event by event if each connection has one request under way. A second request before the answer to
//! the first counts as one of another client: for example client 1000003 in addition to client 3. As the server may serve it
//! first, a little more is accepted.

use super::window::WatchedEvent;
use mayhap::Spec;
use mayhap::trace::{EventKind, TraceEvent};
use std::collections::{BTreeMap, VecDeque};

/// The difference between the numbers of the clients that stand for one connection.
const APART: u64 = 1_000_000;

/// The requests under way, by connection, each with the client that it is assigned to.
pub struct Demultiplexer {
    under_way: BTreeMap<u64, VecDeque<u64>>,
    /// Set if the specification asks for its clients, so that each connection must be one client.
    is_one: bool,
}

impl Demultiplexer {
    /// A record without requests.
    pub fn new(spec: &Spec) -> Demultiplexer {
        Demultiplexer { under_way: BTreeMap::new(), is_one: spec.program.names_clients }
    }

    /// The events of clients for an event on a connection.
    pub fn take(&mut self, event: WatchedEvent) -> Vec<WatchedEvent> {
        if self.is_one {
            return vec![event];
        }
        let connection = event.client.unwrap_or_default();
        let under_way = self.under_way.entry(connection).or_default();
        let clients = match &event.kind {
            EventKind::Request(_) => {
                let numbers = (0..).map(|nth| connection + nth * APART);
                let client = numbers.into_iter().find(|client| !under_way.contains(client)).unwrap_or(connection);
                under_way.push_back(client);
                vec![client]
            }
            // An answer that nobody asked for belongs to the client of the connection.
            EventKind::Answer(_) => vec![under_way.pop_front().unwrap_or(connection)],
            _ if under_way.is_empty() => vec![connection],
            _ => under_way.drain(..).collect(),
        };
        let of_client = |client| TraceEvent { client: Some(client), ..event.clone() };
        clients.into_iter().map(of_client).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mayhap::value::Value;

    #[test]
    fn a_second_request_is_of_another_client() {
        let spec = Spec::from_text("protocol p { request int; response int; on q { reply q; } }").unwrap();
        let mut apart = Demultiplexer::new(&spec);
        let (request, answer) = (EventKind::Request(Value::NONE), EventKind::Answer(Value::NONE));
        let mut clients = |kind: &EventKind<Value>| -> Vec<u64> {
            let event = TraceEvent { line: 1, client: Some(3), kind: kind.clone() };
            apart.take(event).iter().filter_map(|event| event.client).collect()
        };
        assert_eq!(
            (clients(&request), clients(&request), clients(&request)),
            (vec![3], vec![1_000_003], vec![2_000_003])
        );
        assert_eq!((clients(&answer), clients(&request)), (vec![3], vec![3]));
        assert_eq!((clients(&EventKind::Lost), clients(&EventKind::Closed)), (vec![1_000_003, 2_000_003, 3], vec![3]));
    }
}
