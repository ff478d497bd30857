//! The single events of a trace in any format, decoded under a specification's types.
//!
//! ```
//! use mayhap::{Spec, trace::TraceFormat, reading::{Events, FormatRules}};
//! let spec = Spec::from_text("enum Q { Add(int) } protocol p { request Q; response Q; on Add(n) { reply Add(n); } }")?;
//! let trace = "[{:process 0, :type :invoke, :f :add, :value 3}]".as_bytes();
//! let mut events = Events::open(&spec, trace, TraceFormat::JepsenEdn, FormatRules::default());
//! assert_eq!(events.next_event()?.and_then(|event| event.client), Some(0));
//! assert!(events.next_event()?.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::io::BufRead;
use std::sync::Arc;

use super::peers;
use super::plain::PlainLines;
use super::stream::decoded;
use crate::json::{self, JsonError};
use crate::spec::Spec;
use crate::trace::{
    EventKind, ExchangePart, HarTrace, Header, JepsenRules, JepsenTrace, NextLine, Places, PorcupineTrace, Raw,
    Response, TraceError, TraceEvent, TraceFormat, TraceReader,
};
use crate::value::Value;

/// Reads the events of a trace, one after another.
#[derive(Debug)]
pub struct Events<R> {
    spec: Arc<Spec>,
    plain: PlainLines,
    source: EventSource<R>,
    /// Set if some event so far shows something that the server did.
    is_answered: bool,
}

/// The reader for the format of the trace.
#[derive(Debug)]
enum EventSource<R> {
    Ndjson(Box<TraceReader<R>>),
    Jepsen(Box<JepsenTrace<R, Value>>),
    Har(Box<HarTrace<R>>),
    Porcupine(Box<PorcupineTrace<R>>),
}

/// The options of the formats that have some.
#[derive(Clone, Default, Debug)]
pub struct FormatRules {
    /// The options of the Jepsen format.
    pub jepsen: JepsenRules,
    /// The prefix of the URLs in a HAR file that are not passed over.
    pub url: Option<String>,
}

impl<R: BufRead> Events<R> {
    /// Opens a trace of a specification in a format.
    pub fn open(spec: &Arc<Spec>, input: R, format: TraceFormat, rules: FormatRules) -> Events<R> {
        let source = match format {
            TraceFormat::Ndjson => EventSource::Ndjson(Box::new(TraceReader::new(input))),
            TraceFormat::Har => EventSource::Har(Box::new(HarTrace::open(spec, input, rules.url))),
            TraceFormat::Porcupine => EventSource::Porcupine(Box::new(PorcupineTrace::open(spec, input))),
            TraceFormat::JepsenEdn | TraceFormat::JepsenJson | TraceFormat::JepsenLog => {
                let rules = JepsenRules { spec: Some(spec.clone()), ..rules.jepsen };
                let of = spec.clone();
                let decode = move |part, text: &str| decoded_part(&of, part, text);
                EventSource::Jepsen(Box::new(JepsenTrace::decoded(input, format, rules, decode)))
            }
        };
        Events { spec: spec.clone(), plain: PlainLines::new(&spec.types), source, is_answered: false }
    }

    /// The next event; `None` at the end of the trace.
    ///
    /// # Errors
    /// If the trace cannot be read, or its values are not of the specification's types.
    pub fn next_event(&mut self) -> Result<Option<TraceEvent<Value>>, TraceError> {
        let event = self.read()?;
        self.is_answered |= event.as_ref().is_some_and(TraceEvent::is_of_server);
        Ok(event)
    }

    /// Tests whether one of the events so far shows something that the server did.
    pub fn is_answered(&self) -> bool {
        self.is_answered
    }

    fn read(&mut self) -> Result<Option<TraceEvent<Value>>, TraceError> {
        match &mut self.source {
            EventSource::Jepsen(trace) => Ok(trace.next_event()?.map(|found| found.event)),
            EventSource::Har(trace) => trace.next_event(),
            EventSource::Porcupine(trace) => trace.next_event(),
            EventSource::Ndjson(reader) => {
                let (spec, plain) = (&self.spec, &mut self.plain);
                let event = match reader.next_with(|text, line| plain.event(spec, text, line))? {
                    None => return Ok(None),
                    Some(NextLine::Quick(event)) => return Ok(Some(event)),
                    Some(NextLine::Line(line)) => of_types(spec, &line.event),
                };
                event.map(Some).map_err(|error| reader.error_at(error.offset, error.to_string()))
            }
        }
    }

    /// An error of the last event, whose number is this.
    pub fn error_on(&self, number: u64, message: String) -> TraceError {
        match &self.source {
            EventSource::Ndjson(reader) => reader.error_at(0, message),
            EventSource::Jepsen(_) | EventSource::Har(_) | EventSource::Porcupine(_) => {
                TraceError::in_all(number, message).in_place(self.places().at(number))
            }
        }
    }

    /// The places of the events so far.
    pub fn places(&self) -> Places {
        match &self.source {
            EventSource::Ndjson(_) => Places::default(),
            EventSource::Jepsen(trace) => trace.places().clone(),
            EventSource::Har(trace) => trace.places().clone(),
            EventSource::Porcupine(trace) => trace.places().clone(),
        }
    }

    /// The optional first line, which names the specification of the trace, after it was read.
    pub fn header(&self) -> Option<&Header> {
        match &self.source {
            EventSource::Ndjson(reader) => reader.header(),
            EventSource::Jepsen(_) | EventSource::Har(_) | EventSource::Porcupine(_) => None,
        }
    }

    /// The number of things that were read and are no events, in words.
    pub fn passed_over(&self) -> Option<String> {
        match &self.source {
            EventSource::Ndjson(_) | EventSource::Porcupine(_) => None,
            EventSource::Jepsen(trace) => trace.counts().passed_over(),
            EventSource::Har(trace) => trace.counts().passed_over(),
        }
    }

    /// Tests whether a trace without events has nothing else either. Only a Jepsen history may have operations that are no
    /// events.
    pub fn is_blank(&self) -> bool {
        match &self.source {
            EventSource::Ndjson(_) | EventSource::Har(_) | EventSource::Porcupine(_) => true,
            EventSource::Jepsen(trace) => trace.counts().is_empty(),
        }
    }
}

/// Decodes a part of an exchange.
///
/// # Errors
/// The JSON is no value of the specification's type.
pub fn decoded_part(spec: &Spec, part: ExchangePart, text: &str) -> Result<Value, JsonError> {
    let ty = match part {
        ExchangePart::Request => spec.program.request,
        ExchangePart::Answer => spec.program.response,
    };
    json::decode_recorded(&spec.types, ty, text)
}

/// The event of a line, with its values decoded.
pub(super) fn of_types(spec: &Spec, event: &TraceEvent<Raw<'_>>) -> Result<TraceEvent<Value>, JsonError> {
    let sent = |query: &Raw<'_>| decoded(spec, spec.program.request, query);
    let answered = |answer: &Raw<'_>| decoded(spec, spec.program.response, answer);
    let kind = match &event.kind {
        EventKind::Request(query) => EventKind::Request(sent(query)?),
        EventKind::Answer(answer) => EventKind::Answer(answered(answer)?),
        EventKind::Lost => EventKind::Lost,
        EventKind::Closed => EventKind::Closed,
        EventKind::Left => EventKind::Left,
        EventKind::Restart => EventKind::Restart,
        EventKind::Exchange { query, reply } => {
            let query = sent(query)?;
            let reply = match reply {
                Response::Answer(answer) => Response::Answer(answered(answer)?),
                Response::NotOwed => Response::NotOwed,
                Response::Lost => Response::Lost,
            };
            EventKind::Exchange { query, reply }
        }
        EventKind::Peer(event) => EventKind::Peer(peers::decoded_message(spec, event)?),
    };
    Ok(TraceEvent { line: event.line, client: event.client, kind })
}
