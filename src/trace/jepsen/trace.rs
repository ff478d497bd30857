//! A Jepsen history as a stream of events.
//!
//! ```
//! use mayhap::trace::{JepsenRules, JepsenTrace, TraceFormat};
//! let log = "INFO  jepsen.util - 0\t:invoke\t:write\t4\nINFO  jepsen.util - 0\t:ok\t:write\t4\n";
//! let mut trace = JepsenTrace::texts(log.as_bytes(), TraceFormat::JepsenLog, JepsenRules::default());
//! assert_eq!(trace.next_event()?.unwrap().to_string(), r#"{"c": 0, "q": {"Write": 4}}"#);
//! assert_eq!(trace.next_event()?.unwrap().to_string(), r#"{"c": 0, "a": {"Write": 4}}"#);
//! assert!(trace.next_event()?.is_none());
//! # Ok::<(), mayhap::trace::TraceError>(())
//! ```

use super::super::error::TraceError;
use super::super::format::TraceFormat;
use super::super::places::Places;
use super::event::{ExchangePart, JepsenCounts, JepsenEvent};
use super::log::{self, LogLines};
use super::maps::{EdnMaps, MapSyntax};
use super::names::is_same;
use super::operation::Operation;
use super::pairing::{DecodePart, Pairing};
use super::rules::JepsenRules;
use crate::json::Decoded;
use std::fmt;
use std::io::BufRead;

/// A reader of the operations of a history, in one of the formats.
enum OperationSource<R> {
    Maps(EdnMaps<R>),
    Log(LogLines<R>),
}

/// A reader of the events of a history; `V` is the type of a request or an answer.
pub struct JepsenTrace<R, V> {
    source: OperationSource<R>,
    pairing: Pairing<V>,
    /// The number of the last event.
    last: u64,
    places: Places,
}

impl<R: BufRead> JepsenTrace<R, String> {
    /// A history whose requests and answers are JSON texts, with the other keys of operations as notes.
    pub fn texts(input: R, format: TraceFormat, rules: JepsenRules) -> JepsenTrace<R, String> {
        JepsenTrace::new(input, format, rules, true, Box::new(|_, text| Ok(text)))
    }

    /// A history as [`JepsenTrace::texts`] reads it, with a check of each request and answer.
    pub fn checked(
        input: R,
        format: TraceFormat,
        rules: JepsenRules,
        check: impl Fn(ExchangePart, &str) -> Decoded<()> + Send + 'static,
    ) -> JepsenTrace<R, String> {
        JepsenTrace::new(input, format, rules, true, Box::new(move |part, text| check(part, &text).map(|()| text)))
    }
}

impl<R: BufRead, V> JepsenTrace<R, V> {
    /// A history whose requests and answers are decoded.
    pub fn decoded(
        input: R,
        format: TraceFormat,
        rules: JepsenRules,
        decode: impl Fn(ExchangePart, &str) -> Decoded<V> + Send + 'static,
    ) -> JepsenTrace<R, V> {
        JepsenTrace::new(input, format, rules, false, Box::new(move |part, text| decode(part, &text)))
    }

    fn new(input: R, format: TraceFormat, rules: JepsenRules, keeps_notes: bool, decode: DecodePart<V>) -> Self {
        let source = match format {
            TraceFormat::JepsenLog => OperationSource::Log(LogLines::new(input)),
            TraceFormat::JepsenJson => OperationSource::Maps(EdnMaps::new(input, MapSyntax::Json)),
            TraceFormat::JepsenEdn | TraceFormat::Ndjson | TraceFormat::Har | TraceFormat::Porcupine => {
                OperationSource::Maps(EdnMaps::new(input, MapSyntax::Edn))
            }
        };
        JepsenTrace { source, pairing: Pairing::new(rules, keeps_notes, decode), last: 0, places: Places::default() }
    }

    /// The next event; none at the end of the history.
    ///
    /// # Errors
    /// The input cannot be read or does not have the format, an operation is impossible for its process, or its values cannot be decoded.
    pub fn next_event(&mut self) -> Result<Option<JepsenEvent<V>>, TraceError> {
        loop {
            if let Some(event) = self.pairing.next() {
                return Ok(Some(self.numbered(event)));
            }
            let pairing = &mut self.pairing;
            let read = match &mut self.source {
                OperationSource::Maps(maps) => maps.next_with(|map| pairing.add(&Operation::of_map(map)?))?,
                OperationSource::Log(lines) => {
                    lines.next_with(|line, number| pairing.add(&log::record(line, number)?))?
                }
            };
            if read.is_none() {
                if let OperationSource::Log(lines) = &self.source
                    && self.pairing.counts.operations == 0
                    && let Some(error) = lines.edn_instead()
                {
                    return Err(error);
                }
                self.pairing.end();
                return Ok(self.pairing.next().map(|event| self.numbered(event)));
            }
        }
    }

    /// The event with its number: its line, unless the event before has that number, as several operations may begin on one line.
    fn numbered(&mut self, mut event: JepsenEvent<V>) -> JepsenEvent<V> {
        self.last = event.event.line.max(self.last.saturating_add(1));
        event.event.line = self.last;
        self.places.note(self.last, event.place.clone());
        event
    }

    /// The places of the events so far.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// The first function in [`JepsenRules::fail_of`] that no operation had so far, with the functions that operations had.
    pub fn unmet_function(&self) -> Option<(&str, Vec<&str>)> {
        let Pairing { rules, functions, .. } = &self.pairing;
        let is_met = |name: &str| functions.iter().any(|function| is_same(name, function));
        let (unmet, _) = rules.fail_of.iter().find(|(name, _)| !is_met(name))?;
        Some((unmet, functions.iter().map(String::as_str).collect()))
    }

    /// The numbers of records so far.
    pub fn counts(&self) -> JepsenCounts {
        self.pairing.counts
    }
}

impl<R, V> fmt::Debug for JepsenTrace<R, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JepsenTrace").field("counts", &self.pairing.counts).finish_non_exhaustive()
    }
}
