//! Traces as streams of exchanges, which are judged while they are read.

use std::io::BufRead;
use std::sync::Arc;

use super::plain::PlainLines;
use crate::json::{self, JsonError};
use crate::judge::{Exchange, Observed};
use crate::spec::Spec;
use crate::spec::types::TypeId;
use crate::trace::{EventKind, NextLine, Raw, Response, TraceError, TraceLine, TracePosition, TraceReader};
use crate::value::Value;

/// The exchanges of a trace, decoded under a specification's types.
#[derive(Debug)]
pub struct Exchanges<R> {
    spec: Arc<Spec>,
    plain: PlainLines,
    reader: TraceReader<R>,
}

impl<R: BufRead> Exchanges<R> {
    /// Reads a trace of a specification from its beginning.
    pub fn new(spec: &Arc<Spec>, input: R) -> Exchanges<R> {
        Exchanges::resume(spec, input, TracePosition::default())
    }

    /// Reads on from the position of another reader of the same trace.
    pub fn resume(spec: &Arc<Spec>, input: R, at: TracePosition) -> Exchanges<R> {
        Exchanges { spec: spec.clone(), plain: PlainLines::new(&spec.types), reader: TraceReader::resume(input, at) }
    }

    /// The position of the reader in the trace.
    pub fn position(&self) -> TracePosition {
        self.reader.position()
    }

    /// Passes over an exchange without looking at it; returns false if there is none.
    ///
    /// # Errors
    /// If the trace cannot be read.
    pub fn pass(&mut self) -> Result<bool, TraceError> {
        Ok(self.reader.next_with(|_, _| Some(()))?.is_some())
    }

    /// The next exchange; `None` at the end of the trace.
    ///
    /// # Errors
    /// If a line is no exchange, or its values are not of the specification's types.
    pub fn next_exchange(&mut self) -> Result<Option<Exchange>, TraceError> {
        let spec = &self.spec;
        let plain = |text: &str, line| {
            let (request, answer) = self.plain.exchange(spec, text)?;
            Some(Exchange { line, client: 1, request, observed: observed(answer) })
        };
        let decoded = match self.reader.next_with(plain)? {
            None => return Ok(None),
            Some(NextLine::Quick(exchange)) => return Ok(Some(exchange)),
            Some(NextLine::Line(line)) => exchange(spec, &line),
        };
        decoded.map(Some).map_err(|error| self.reader.error_at(error.offset, error.to_string()))
    }

    /// The optional first line, which names the specification of the trace, after it was read.
    pub fn header(&self) -> Option<&crate::trace::Header> {
        self.reader.header()
    }
}

impl<R: BufRead> Iterator for Exchanges<R> {
    type Item = Result<Exchange, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_exchange().transpose()
    }
}

/// The observation of an answer, which may be a hole.
pub(super) fn observed(answer: Value) -> Observed {
    if let Value::Any = answer { Observed::Any } else { Observed::Answer(answer) }
}

/// Decodes the value of a type in a line. An error has its place in the line.
pub(super) fn decoded(spec: &Spec, ty: TypeId, raw: &Raw) -> Result<Value, JsonError> {
    json::decode_recorded(&spec.types, ty, raw.text).map_err(|error| error.shifted_by(raw.offset))
}

/// The exchange on a line.
fn exchange(spec: &Spec, line: &TraceLine) -> Result<Exchange, JsonError> {
    if let EventKind::Restart = line.event.kind {
        return Ok(Exchange::restart(line.event.line));
    }
    let EventKind::Exchange { query, reply } = &line.event.kind else {
        let what = "expected a whole exchange, such as {\"q\": 5, \"a\": 1}: single events are judged with --net tcp";
        return Err(JsonError::new(0, what));
    };
    let request = decoded(spec, spec.program.request, query)?;
    let observed = match reply {
        Response::NotOwed => Observed::Nothing,
        Response::Lost => Observed::Lost,
        Response::Answer(answer) => observed(decoded(spec, spec.program.response, answer)?),
    };
    Ok(Exchange { line: line.event.line, client: line.event.client.unwrap_or(1), request, observed })
}
