//! Rows that are lines of a recording: each is exactly one event.

use super::Refused;
use crate::errors::Kind;
use crate::text;
use mayhap::Spec;
use mayhap::reading::LineReader;
use mayhap::trace::{TraceError, TraceEvent};
use mayhap::value::Value;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use std::sync::Arc;

/// A reader of rows.
pub struct RowReader {
    lines: LineReader,
}

/// A row that is no event, or none that can be judged here.
pub struct Misread {
    /// The way to the part that is wrong, as an expression of Python.
    way: String,
    why: String,
}

impl From<Refused> for Misread {
    fn from(why: Refused) -> Misread {
        Misread { way: String::new(), why }
    }
}

impl Misread {
    fn of(line: &str, error: &TraceError) -> Misread {
        let (way, found) = text::at(line, error.column.saturating_sub(1) as usize);
        Misread { way, why: format!("{}\n{}", error.message, text::hint(found)).trim_end().to_owned() }
    }

    /// The exception; `name` makes the whole text of the row's own name, the way and the reason.
    pub fn raised<'py>(self, py: Python<'py>, name: &Bound<'py, PyAny>, row: impl IntoPyObject<'py>) -> PyErr {
        match row
            .into_bound_py_any(py)
            .and_then(|row| name.call1((row, self.way, self.why)))
            .and_then(|text| text.extract::<String>())
        {
            Ok(text) => Kind::Trace.error(py, &text),
            Err(error) => error,
        }
    }
}

impl RowReader {
    pub fn new(spec: &Arc<Spec>) -> RowReader {
        RowReader { lines: LineReader::new(spec) }
    }

    /// The event of a row.
    ///
    /// # Errors
    /// The row is no event of the specification.
    pub fn event(&mut self, line: &[u8]) -> Result<TraceEvent<Value>, Misread> {
        let text = text_of(line)?;
        self.lines.event(text).map_err(|error| Misread::of(text, &error))
    }

    /// The request with which a row in a common form begins; what follows it is not read.
    pub fn request(&mut self, line: &[u8]) -> Option<Value> {
        self.lines.request(text_of(line).ok()?)
    }
}

fn text_of(line: &[u8]) -> Result<&str, Misread> {
    str::from_utf8(line).map_err(|_| Misread::from("this row is not valid UTF-8".to_owned()))
}
