//! Lines that stand alone: each is read as one event, whatever came before it.
//!
//! ```
//! use mayhap::{Spec, reading::LineReader, trace::EventKind};
//! let spec = Spec::from_text("protocol p { request int; response int; on q { reply q; } }")?;
//! let mut reader = LineReader::new(&spec);
//! assert_eq!(reader.event(r#"{"c": 2, "q": 5}"#)?.client, Some(2));
//! assert!(reader.request(r#"{"q": 5, "a": 1}"#).is_some());
//! assert!(reader.event("").is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::sync::Arc;

use super::events::of_types;
use super::plain::PlainLines;
use crate::json::JsonError;
use crate::spec::Spec;
use crate::trace::{TraceError, TraceEvent, TraceReader};
use crate::value::Value;

/// A reader of single lines.
#[derive(Debug)]
pub struct LineReader {
    spec: Arc<Spec>,
    plain: PlainLines,
}

impl LineReader {
    /// A reader of events of a specification.
    #[must_use]
    pub fn new(spec: &Arc<Spec>) -> LineReader {
        LineReader { spec: spec.clone(), plain: PlainLines::new(&spec.types) }
    }

    /// The event of a line, which is its first.
    ///
    /// # Errors
    /// The line is no event, or its values are not of the specification's types.
    pub fn event(&mut self, text: &str) -> Result<TraceEvent<Value>, TraceError> {
        if let Some(event) = self.plain.event(&self.spec, text, 1) {
            return Ok(event);
        }
        // In JSON the end of a line is a space.
        let text = text.replace('\n', " ");
        let mut reader = TraceReader::new(text.as_bytes());
        let event = reader.next_line()?.map(|line| of_types(&self.spec, &line.event));
        let why = if reader.header().is_some() { HEADER } else { NOTHING };
        let event = event.unwrap_or_else(|| Err(JsonError::new(0, why)));
        event.map_err(|error| reader.error_at(error.offset, error.to_string()))
    }

    /// The request with which a line in a common form begins, without its client. What follows it is not read.
    pub fn request(&mut self, text: &str) -> Option<Value> {
        self.plain.request(&self.spec, text)
    }
}

/// The mistakes of the first line of a recording as an event, and of a line that is blank.
const HEADER: &str = "the line that names the format is no event: leave it out";
const NOTHING: &str = "this is no event, which is such as {\"q\": 5, \"a\": 1}";
