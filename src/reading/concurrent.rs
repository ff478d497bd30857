//! Traces of concurrent clients: single events, put together to a history.
//!
//! `{"c": 1, "q": 5}`, `{"c": 2, "q": 3}`, `{"c": 1, "a": 1}`, `{"c": 2, "lost": true}` is a trace of two clients. A line with a
//! whole exchange is a request that is answered at once.

use std::io::BufRead;

use super::events::Events;
use super::observations::on_connection;
use crate::network::Observation;
use crate::process::Port;
use crate::search::{Building, History};
use crate::spec::Spec;
use crate::trace::{EventKind, TraceError, TraceEvent};
use crate::value::Value;

/// Reads a trace of concurrent clients: all of it, or at least its first `first` events.
///
/// # Errors
/// If a line is no event, or its values are not of the specification's types.
pub fn history<R: BufRead>(spec: &Spec, events: &mut Events<R>, first: Option<usize>) -> Result<History, TraceError> {
    let mut building = Building::new(spec.program.names_clients);
    while first.is_none_or(|first| building.so_far().len() < first) {
        let Some((line, happened)) = next(events)? else { break };
        happened.into_iter().flatten().for_each(|happened| building.add(line, happened));
    }
    Ok(building.finish().named(events.places()))
}

/// Reads each event with its line, until the trace ends or `see` wants no more.
///
/// # Errors
/// If a line is no event, or its values are not of the specification's types.
pub fn each_happening<R: BufRead>(
    events: &mut Events<R>,
    take: &mut dyn FnMut(u64, Observation) -> bool,
) -> Result<(), TraceError> {
    while let Some((line, happened)) = next(events)? {
        if !happened.into_iter().flatten().all(|happened| take(line, happened)) {
            break;
        }
    }
    Ok(())
}

/// A line with the one or two things that happened on it.
type OnLine = (u64, [Option<Observation>; 2]);

/// The one or two things that happened in the next event, with its line; `None` at the end of the trace.
fn next<R: BufRead>(events: &mut Events<R>) -> Result<Option<OnLine>, TraceError> {
    let Some(event) = events.next_event()? else { return Ok(None) };
    let line = event.line;
    if let EventKind::Peer(event) = event.kind {
        return Err(events.error_on(line, format!("the specification never calls {:?}", event.peer)));
    }
    Ok(Some((line, happened(event))))
}

/// The history of these events.
pub fn history_of(spec: &Spec, events: impl IntoIterator<Item = TraceEvent<Value>>) -> History {
    let mut building = Building::new(spec.program.names_clients);
    for event in events {
        let line = event.line;
        happened(event).into_iter().flatten().for_each(|happened| building.add(line, happened));
    }
    building.finish()
}

/// The one or two things that happened to a client in an event, on the connection of its number. What the server has noticed is nothing
/// that happens to a client.
#[must_use]
pub fn happened(event: TraceEvent<Value>) -> [Option<Observation>; 2] {
    let port = Port(event.client.unwrap_or(1));
    on_connection(port, event.kind).map(|seen| seen.filter(|seen| !matches!(seen, Observation::Noticed(_))))
}
