//! The error that a line is no event: the place, what was expected, and the line with a caret.
//!
//! ```
//! use mayhap::trace::TraceReader;
//! let error = TraceReader::new("\n{\"q\": 5, \"a\" 1}".as_bytes()).next_line().and_then(|_| Ok(())).unwrap_err();
//! assert_eq!(error.render("t.ndjson"), "\
//! error: expected `:`, found a number
//!   --> t.ndjson:2:14
//!    |
//!  2 | {\"q\": 5, \"a\" 1}
//!    |              ^
//! ");
//! ```

use std::fmt;

/// The number of characters of a line that are shown before the place of an error, and also after it, so that long lines stay readable.
const SHOWN_AROUND: usize = 60;

/// The reason why a trace cannot be read further.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct TraceError {
    /// The line, from 1.
    pub line: u64,
    /// The character in the line, from 1; 0 if the line could not be read at all.
    pub column: u64,
    /// A description of what is wrong, with what was expected.
    pub message: String,
    /// The part of the line around the place; empty if the line could not be read.
    shown: String,
    /// The number of characters of `shown` before the place.
    before: usize,
    /// The name of the place, if it is no line: that of an entry.
    place: Option<String>,
}

impl TraceError {
    /// An error at a byte of a line.
    #[must_use]
    pub fn in_line(line: u64, text: &[u8], offset: usize, message: impl Into<String>) -> TraceError {
        let (left, right) = text.split_at(offset.min(text.len()));
        let (left, right) = (String::from_utf8_lossy(left), String::from_utf8_lossy(right));
        let column = left.chars().count();
        let before = column.min(SHOWN_AROUND);
        let visible = left.chars().skip(column - before).chain(right.chars().take(SHOWN_AROUND));
        let shown = visible.map(|c| if c.is_control() { ' ' } else { c }).collect();
        TraceError { line, column: column as u64 + 1, message: message.into(), shown, before, place: None }
    }

    /// The error for a line that has `columns` more characters before the text in which the error was found.
    #[must_use]
    pub fn shifted_by(self, columns: u64) -> TraceError {
        TraceError { column: self.column + columns, ..self }
    }

    /// The error for the line of this number.
    #[must_use]
    pub fn on_line(self, line: u64) -> TraceError {
        TraceError { line, ..self }
    }

    /// The error in a place that has this name, as its line says nothing.
    #[must_use]
    pub fn in_place(self, place: String) -> TraceError {
        TraceError { place: Some(place), ..self }
    }

    /// The error that a line cannot be read from its source.
    #[must_use]
    pub fn unreadable(line: u64, cause: &std::io::Error) -> TraceError {
        TraceError::in_all(line, format!("cannot read: {cause}"))
    }

    /// The error of a trace as a whole, or of a part that begins on this line.
    #[must_use]
    pub fn in_all(line: u64, message: impl Into<String>) -> TraceError {
        TraceError { line, column: 0, message: message.into(), shown: String::new(), before: 0, place: None }
    }

    /// The error as a message for people: the text, the place, and the line with a caret.
    #[must_use]
    pub fn render(&self, file: &str) -> String {
        if let Some(place) = &self.place {
            return format!("error: {}\n  --> {file}, {place}\n", self.message);
        }
        if self.column == 0 {
            return format!("error: {}\n  --> {file}:{}\n", self.message, self.line);
        }
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        format!(
            "error: {}\n {margin}--> {file}:{}:{}\n {margin} |\n {number} | {}\n {margin} | {}^\n",
            self.message,
            self.line,
            self.column,
            self.shown,
            " ".repeat(self.before)
        )
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            return write!(f, "{place}: {}", self.message);
        }
        write!(f, "line {}", self.line)?;
        if self.column > 0 {
            write!(f, ", column {}", self.column)?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for TraceError {}
