//! Traces of concurrent clients: single events, decoded under a specification's types and put together to a history.
//!
//! `{"c": 1, "q": 5}`, `{"c": 2, "q": 3}`, `{"c": 1, "a": 1}`, `{"c": 2, "lost": true}` is one of two clients. A line that is a whole
//! exchange is a request that is answered at once.

use std::io::BufRead;
use std::sync::Arc;

use super::stream::{decoded, observed};
use crate::dualize::{Options, Verdict};
use crate::json::JsonError;
use crate::schedule::{Building, Happened, History, Session};
use crate::spec::Spec;
use crate::trace::{EventKind, Raw, Response, TraceError, TraceLine, TraceReader};

/// Reads a trace of concurrent clients.
///
/// # Errors
/// Where a line is no event, or its values are not of the specification's types.
pub fn history<R: BufRead>(spec: &Spec, reader: &mut TraceReader<R>) -> Result<History, TraceError> {
    let mut building = Building::new(spec.program.names_clients);
    read(spec, reader, &mut |line, happened| {
        building.add(line, happened);
        true
    })?;
    Ok(building.finish())
}

/// Reads a trace of concurrent clients while it is written, and judges each event: up to where nothing explains what was read.
///
/// # Errors
/// Where a line up to there is no event, or its values are not of the specification's types.
pub fn history_while_explained<R: BufRead>(
    spec: &Arc<Spec>,
    reader: &mut TraceReader<R>,
    options: &Options,
) -> Result<History, TraceError> {
    let mut session = Session::new(spec, options.clone());
    read(spec, reader, &mut |line, happened| !matches!(session.push(line, happened), Verdict::Reject { .. }))?;
    Ok(session.history())
}

/// Reads what happened, until there is no more, or it is not wanted.
fn read<R: BufRead>(
    spec: &Spec,
    reader: &mut TraceReader<R>,
    take: &mut dyn FnMut(u64, Happened) -> bool,
) -> Result<(), TraceError> {
    while let Some(line) = reader.next_line()? {
        let (number, happened) = (line.event.line, happened(spec, &line));
        let happened = happened.map_err(|error| reader.error_at(error.offset, error.to_string()))?;
        if !happened.into_iter().flatten().all(|happened| take(number, happened)) {
            break;
        }
    }
    Ok(())
}

/// The one or two things that happened on a line.
fn happened(spec: &Spec, line: &TraceLine<'_>) -> Result<[Option<Happened>; 2], JsonError> {
    let client = line.event.client.unwrap_or(1);
    let sent = |query: &Raw<'_>| Ok(Some(Happened::Sent(client, decoded(spec, spec.program.request, query)?)));
    let answered = |answer: &Raw<'_>| {
        let seen = observed(decoded(spec, spec.program.response, answer)?);
        Ok(Some(Happened::Answered(client, seen.answer().cloned())))
    };
    Ok(match &line.event.kind {
        EventKind::Request(query) => [sent(query)?, None],
        EventKind::Answer(answer) => [answered(answer)?, None],
        EventKind::Lost => [Some(Happened::Lost(client)), None],
        EventKind::Closed => [Some(Happened::Closed(client)), None],
        EventKind::Exchange { query, reply: Response::Answer(answer) } => [sent(query)?, answered(answer)?],
        EventKind::Exchange { query, reply: Response::Lost } => [sent(query)?, Some(Happened::Lost(client))],
        EventKind::Exchange { query, reply: Response::NotOwed } => [sent(query)?, None],
        EventKind::Peer(_) => return Err(JsonError::new(0, "calls to peers are not supported yet")),
    })
}
