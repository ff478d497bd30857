//! The lines of a trace for what is observed of a running specification.
//!
//! `{"c": 2, "q": "New", "a": {"Fresh": "t1"}}` is a request of client 2 and its answer.

use mayhap::json::encode_into;
use mayhap::judge::Observed;
use mayhap::server::{CallEvent, Occurrence, PeerOccurrence, Reply};
use mayhap::spec::Spec;
use mayhap::trace::{EventKind, PeerEvent, PeerMessage, Response, TraceEvent};
use mayhap::value::Value;

/// A reply, as its client sees it.
pub fn seen(reply: Reply) -> Observed {
    match reply {
        Reply::Answer(answer) => Observed::Answer(answer),
        Reply::Nothing => Observed::Nothing,
    }
}

/// Appends the line for an occurrence at one of several clients.
pub fn write_event(line: &mut String, spec: &Spec, occurrence: &Occurrence) {
    let (client, kind) = match occurrence {
        Occurrence::Sent(client, request) => (*client, EventKind::Request((spec.program.request, request))),
        Occurrence::Answered(client, answer) => (*client, EventKind::Answer((spec.program.response, answer))),
        Occurrence::Lost(client) => (*client, EventKind::Lost),
        Occurrence::Closed(client) => (*client, EventKind::Closed),
        Occurrence::Peer(occurrence) => return write_peer_event(line, spec, occurrence),
    };
    let event = TraceEvent { line: 0, client: Some(client), kind };
    event.write(line, &mut |out, (ty, value)| encode_into(out, &spec.types, *ty, value));
}

/// Appends the line for an event on a connection.
pub fn write_seen(line: &mut String, spec: &Spec, event: &TraceEvent<Value>) {
    let kind = match &event.kind {
        EventKind::Request(request) => EventKind::Request((spec.program.request, request)),
        EventKind::Answer(answer) => EventKind::Answer((spec.program.response, answer)),
        EventKind::Closed => EventKind::Closed,
        EventKind::Left => EventKind::Left,
        EventKind::Restart => EventKind::Restart,
        // There are no other events on a connection.
        _ => EventKind::Lost,
    };
    let event = TraceEvent { line: event.line, client: event.client, kind };
    event.write(line, &mut |out, (ty, value)| encode_into(out, &spec.types, *ty, value));
}

/// Appends the line for the beginning or the end of a call.
fn write_peer_event(line: &mut String, spec: &Spec, occurrence: &PeerOccurrence) {
    let peer = &spec.program.peers[occurrence.peer as usize];
    let (key, message) = match &occurrence.event {
        CallEvent::Called(key, request) => {
            let key = peer.key.map(|ty| (ty, key));
            (key, PeerMessage::Call((peer.request, request)))
        }
        CallEvent::Answered(answer) => (None, PeerMessage::Answer((peer.response, answer))),
        CallEvent::Failed => (None, PeerMessage::Lost),
    };
    let event = PeerEvent { peer: peer.name.clone(), key, exchange: occurrence.exchange, message };
    let event = TraceEvent { line: 0, client: None, kind: EventKind::Peer(event) };
    event.write(line, &mut |out, (ty, value)| encode_into(out, &spec.types, *ty, value));
}

/// Appends the line for a request and its outcome, with the number of the client if there are several.
///
/// A line with just a request and a client is a request whose answer is on a later line. So if no answer is owed, the number is
/// left out, unless the specification may ask for it. In that case the request is written as given up, which claims a little
/// less.
pub fn write(line: &mut String, spec: &Spec, client: Option<u64>, request: &Value, reply: &Reply) {
    let query = (spec.program.request, request);
    let (client, reply) = match reply {
        Reply::Answer(answer) => (client, Response::Answer((spec.program.response, answer))),
        Reply::Nothing if client.is_some() && spec.program.names_clients => (client, Response::Lost),
        Reply::Nothing => (None, Response::NotOwed),
    };
    let event = TraceEvent { line: 0, client, kind: EventKind::Exchange { query, reply } };
    event.write(line, &mut |out, (ty, value)| encode_into(out, &spec.types, *ty, value));
}
