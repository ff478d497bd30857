//! Traces of concurrent clients: single events, decoded under a specification's types and put together to a history.
//!
//! `{"c": 1, "q": 5}`, `{"c": 2, "q": 3}`, `{"c": 1, "a": 1}`, `{"c": 2, "lost": true}` is one of two clients. A line that is a whole
//! exchange is a request that is answered at once.

use std::io::BufRead;

use super::stream::observed;
use crate::dualize::Observed;
use crate::json::{self, JsonError};
use crate::schedule::{Building, Happened, History};
use crate::spec::Spec;
use crate::trace::{EventKind, Raw, Response, TraceError, TraceLine, TraceReader};
use crate::value::Value;

/// Reads a trace of concurrent clients.
///
/// # Errors
/// Where a line is no event, or its values are not of the specification's types.
pub fn history<R: BufRead>(spec: &Spec, reader: &mut TraceReader<R>) -> Result<History, TraceError> {
    let mut building = Building::new(spec.program.names_clients);
    loop {
        let Some(line) = reader.next_line()? else { return Ok(building.finish()) };
        let (number, happened) = (line.event.line, happened(spec, &line));
        match happened {
            Ok(happened) => happened.into_iter().flatten().for_each(|happened| building.add(number, happened)),
            Err(error) => return Err(reader.error_at(error.offset, error.to_string())),
        }
    }
}

/// The one or two things that happened on a line.
fn happened(spec: &Spec, line: &TraceLine<'_>) -> Result<[Option<Happened>; 2], JsonError> {
    let client = line.event.client.unwrap_or(1);
    let request = |query: &Raw<'_>| -> Result<Option<Happened>, JsonError> {
        let decoded = json::decode_recorded(&spec.types, spec.program.request, query.text);
        Ok(Some(Happened::Sent(client, decoded.map_err(|error| error.behind(query.offset))?)))
    };
    let answer = |answer: &Raw<'_>| -> Result<Option<Happened>, JsonError> {
        let decoded = json::decode_recorded(&spec.types, spec.program.response, answer.text);
        let seen = observed(decoded.map_err(|error| error.behind(answer.offset))?);
        Ok(Some(Happened::Answered(client, value(seen))))
    };
    Ok(match &line.event.kind {
        EventKind::Request(query) => [request(query)?, None],
        EventKind::Answer(text) => [answer(text)?, None],
        EventKind::Lost => [Some(Happened::Lost(client)), None],
        EventKind::Closed => [Some(Happened::Closed(client)), None],
        EventKind::Exchange { query, reply: Response::Answer(text) } => [request(query)?, answer(text)?],
        EventKind::Exchange { query, reply: Response::Lost } => [request(query)?, Some(Happened::Lost(client))],
        EventKind::Exchange { query, reply: Response::NotOwed } => [request(query)?, None],
        EventKind::Peer(_) => return Err(JsonError::new(0, "calls to peers are not supported yet")),
    })
}

/// The answer that was seen, where it is known.
fn value(seen: Observed) -> Option<Value> {
    match seen {
        Observed::Answer(answer) => Some(answer),
        Observed::Any | Observed::Nothing | Observed::Lost => None,
    }
}
