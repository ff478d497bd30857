//! The events of a trace, and their form as lines.
//!
//! ```
//! use mayhap::trace::{EventKind, TraceEvent, Response};
//! let kind = EventKind::Exchange { query: "5", reply: Response::Answer("1") };
//! assert_eq!(TraceEvent { line: 1, client: None, kind }.to_string(), r#"{"q": 5, "a": 1}"#);
//! ```

use crate::json;
use std::fmt;

/// One observation; `V` is the type of a query, an answer or a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceEvent<V> {
    /// The number of the event, which is greater than that of the event before; it is not written. In a recording with one event a line
    /// it is the line, from 1, blank lines included. `Places` names the events of other files.
    pub line: u64,
    /// The connection (`"c"`), if the trace names one.
    pub client: Option<u64>,
    /// The observation itself.
    pub kind: EventKind<V>,
}

/// The content of an event: a whole exchange, a step of a connection, or a message between the server and a peer.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum EventKind<V> {
    /// A request and its outcome, on one line.
    Exchange {
        /// The request.
        query: V,
        /// The outcome.
        reply: Response<V>,
    },
    /// A connection sent a request.
    Request(V),
    /// A connection received an answer.
    Answer(V),
    /// A connection's client gave up: its unanswered request may take effect now, later, or never.
    Lost,
    /// The server ended a connection.
    Closed,
    /// A connection's client ended it, and saw that the server has taken notice of this.
    Left,
    /// The system was killed and started again, and its unfinished work is lost.
    Restart,
    /// The server and one of its peers, which the tester plays, exchanged a message.
    Peer(PeerEvent<V>),
}

/// The outcome of a request in an exchange.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Response<V> {
    /// An answer, which may be null.
    Answer(V),
    /// No answer, and none was expected: `{"q": 5}`.
    NotOwed,
    /// No answer, as the client gave up: the request may have had its effect or not.
    Lost,
}

/// One message between the server and a peer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PeerEvent<V> {
    /// The name of the peer in the specification.
    pub peer: String,
    /// The key that tells the peers of this name apart, if they have keys.
    pub key: Option<V>,
    /// The number (`"c"`) that connects a call with its answer.
    pub exchange: u64,
    /// The content of the message.
    pub message: PeerMessage<V>,
}

/// The content of a message between the server and a peer.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PeerMessage<V> {
    /// The server called.
    Call(V),
    /// The peer answered, and the server got the answer.
    Answer(V),
    /// The peer sent an answer, which the server gets at some later time, perhaps after answers that other peers send later.
    Sent(V),
    /// The peer failed.
    Lost,
}

/// A function that appends a query, an answer or a key to a line, as JSON.
type Show<'s, V> = &'s mut dyn FnMut(&mut String, &V);

impl<V> TraceEvent<V> {
    /// Tests whether the event shows an act of the server: an answer, a call of a peer, a connection that it ended. A recording of
    /// concurrent clients without such an event tests nothing.
    #[must_use]
    pub fn is_of_server(&self) -> bool {
        match &self.kind {
            EventKind::Exchange { reply, .. } => matches!(reply, Response::Answer(_)),
            EventKind::Answer(_) | EventKind::Closed => true,
            EventKind::Peer(event) => matches!(event.message, PeerMessage::Call(_)),
            EventKind::Request(_) | EventKind::Lost | EventKind::Left | EventKind::Restart => false,
        }
    }

    /// Appends the line of a trace, without its end.
    pub fn write(&self, out: &mut String, show: Show<'_, V>) {
        out.push('{');
        if let Some(client) = self.client {
            out.push_str("\"c\": ");
            out.push_str(itoa::Buffer::new().format(client));
            out.push_str(", ");
        }
        let mut named = |out: &mut String, name: &str, value: &V| {
            out.push_str(name);
            show(out, value);
        };
        match &self.kind {
            EventKind::Exchange { query, reply } => {
                named(out, "\"q\": ", query);
                match reply {
                    Response::Answer(answer) => named(out, ", \"a\": ", answer),
                    Response::NotOwed => {}
                    Response::Lost => out.push_str(", \"lost\": true"),
                }
            }
            EventKind::Request(query) => named(out, "\"q\": ", query),
            EventKind::Answer(answer) => named(out, "\"a\": ", answer),
            EventKind::Lost => out.push_str("\"lost\": true"),
            EventKind::Closed => out.push_str("\"closed\": true"),
            EventKind::Left => out.push_str("\"left\": true"),
            EventKind::Restart => out.push_str("\"restart\": true"),
            EventKind::Peer(event) => event.write(out, &mut named),
        }
        out.push('}');
    }
}

/// The line of a trace, without its end; `V` displays as JSON.
impl<V: fmt::Display> fmt::Display for TraceEvent<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = String::new();
        // Writing into a string cannot fail.
        self.write(&mut line, &mut |out, value| _ = fmt::Write::write_fmt(out, format_args!("{value}")));
        f.write_str(&line)
    }
}

impl<V> PeerEvent<V> {
    fn write(&self, out: &mut String, named: &mut dyn FnMut(&mut String, &str, &V)) {
        out.push_str("\"peer\": ");
        out.push_str(&json::quoted(&self.peer));
        self.key.iter().for_each(|key| named(out, ", \"key\": ", key));
        out.push_str(", \"c\": ");
        out.push_str(itoa::Buffer::new().format(self.exchange));
        match &self.message {
            PeerMessage::Call(query) => named(out, ", \"q\": ", query),
            PeerMessage::Answer(answer) => named(out, ", \"a\": ", answer),
            PeerMessage::Sent(answer) => {
                named(out, ", \"a\": ", answer);
                out.push_str(", \"sent\": true");
            }
            PeerMessage::Lost => out.push_str(", \"lost\": true"),
        }
    }
}
