//! Traces of concurrent clients: single events put together to a history.
//!
//! `{"c": 1, "q": 5}`, `{"c": 2, "q": 3}`, `{"c": 1, "a": 1}`, `{"c": 2, "lost": true}` is one of two clients. A line that is a whole
//! exchange is a request that is answered at once.

use std::io::BufRead;
use std::sync::Arc;

use super::events::Events;
use super::stream::observed;
use crate::dualize::{Options, Verdict};
use crate::schedule::{Building, Happened, History, Session};
use crate::spec::Spec;
use crate::trace::{EventKind, Response, TraceError, TraceEvent};
use crate::value::Value;

/// Reads a trace of concurrent clients.
///
/// # Errors
/// Where a line is no event, or its values are not of the specification's types.
pub fn history<R: BufRead>(spec: &Spec, events: &mut Events<R>) -> Result<History, TraceError> {
    let mut building = Building::new(spec.program.names_clients);
    read(events, &mut |line, happened| {
        building.add(line, happened);
        true
    })?;
    Ok(building.finish())
}

/// Reads a trace of concurrent clients while it is written, and judges each event: up to where nothing explains what was read. Where
/// that is too hard event by event, the rest is only read.
///
/// # Errors
/// Where a line up to there is no event, or its values are not of the specification's types.
pub fn history_while_explained<R: BufRead>(
    spec: &Arc<Spec>,
    events: &mut Events<R>,
    options: &Options,
) -> Result<History, TraceError> {
    let mut session = Session::new(spec, options.clone());
    read(events, &mut |line, happened| {
        if session.goes_on() {
            return !matches!(session.push(line, happened), Verdict::Reject { .. });
        }
        session.add(line, happened);
        true
    })?;
    Ok(session.history())
}

/// Reads what happened, until there is no more, or it is not wanted.
fn read<R: BufRead>(events: &mut Events<R>, take: &mut dyn FnMut(u64, Happened) -> bool) -> Result<(), TraceError> {
    while let Some(event) = events.next_event()? {
        let line = event.line;
        if let EventKind::Peer(event) = event.kind {
            return Err(events.error_on(line, format!("the specification never calls {:?}", event.peer)));
        }
        if !happened(event).into_iter().flatten().all(|happened| take(line, happened)) {
            break;
        }
    }
    Ok(())
}

/// The one or two things that happened in an event.
fn happened(event: TraceEvent<Value>) -> [Option<Happened>; 2] {
    let client = event.client.unwrap_or(1);
    let sent = |query| Some(Happened::Sent(client, query));
    let answered = |answer| Some(Happened::Answered(client, observed(answer).answer().cloned()));
    match event.kind {
        EventKind::Request(query) => [sent(query), None],
        EventKind::Answer(answer) => [answered(answer), None],
        EventKind::Lost => [Some(Happened::Lost(client)), None],
        EventKind::Closed => [Some(Happened::Closed(client)), None],
        EventKind::Exchange { query, reply: Response::Answer(answer) } => [sent(query), answered(answer)],
        EventKind::Exchange { query, reply: Response::Lost } => [sent(query), Some(Happened::Lost(client))],
        EventKind::Exchange { query, reply: Response::NotOwed } => [sent(query), None],
        EventKind::Peer(_) => [None, None],
    }
}
