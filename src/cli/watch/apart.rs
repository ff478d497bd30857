//! Requests that are under way on one connection at once, as those of several clients.
//!
//! The judge follows live traffic event by event if each connection has one request under way. A second one, sent before the first is
//! answered, counts as one of another client (client 1000003 beside client 3). The server then may serve it first: a little more is accepted.

use super::window::WatchedEvent;
use mayhap::Spec;
use mayhap::trace::{EventKind, TraceEvent};
use std::collections::{BTreeMap, VecDeque};

/// The difference between the numbers of the clients that one connection stands for.
const APART: u64 = 1_000_000;

/// The requests that are under way, by connection, each with the client that it counts as.
pub struct RequestsApart {
    under_way: BTreeMap<u64, VecDeque<u64>>,
    /// Set if the specification asks who its clients are: then each connection is one.
    is_one: bool,
}

impl RequestsApart {
    /// Nothing is under way.
    pub fn new(spec: &Spec) -> RequestsApart {
        RequestsApart { under_way: BTreeMap::new(), is_one: spec.program.names_clients }
    }

    /// The events that the event of a connection counts as.
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
            // Nobody asked: it is an answer of the connection itself.
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
        let mut apart = RequestsApart::new(&spec);
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
