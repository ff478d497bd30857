//! Errors about a JSON text: what is wrong, and where (an offset into the text, a path into the value), with what was expected.
//!
//! ```
//! use mayhap::json::Scanner;
//! let error = Scanner::new("[1, 2").skip().unwrap_err();
//! assert_eq!((error.offset, error.to_string().as_str()), (5, "expected `,` or `]`, found the end"));
//! ```

use crate::spec::TypeId;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// A thing that was read from a text, or why there is none.
pub type Decoded<T> = Result<T, JsonError>;

/// Why a text is no value of the type it should have. It takes as much room as a pointer beside what is mostly read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JsonError(Box<JsonFlaw>);

/// The content of a [`JsonError`]: what is wrong, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct JsonFlaw {
    /// The place, in bytes from the beginning of the text.
    pub offset: usize,
    /// The part of the value, as in `.Ok.tag[2]`; empty for the whole.
    pub path: String,
    /// A description of what is wrong, with what was expected.
    pub message: String,
}

impl JsonError {
    /// An error at a byte of the text, in the value as a whole.
    #[must_use]
    pub fn new(offset: usize, message: impl Into<String>) -> JsonError {
        JsonError(Box::new(JsonFlaw { offset, path: String::new(), message: message.into() }))
    }

    /// The error as one in a text that begins the given number of bytes before it.
    #[must_use]
    pub fn behind(mut self, bytes: usize) -> JsonError {
        self.offset += bytes;
        self
    }

    /// The error of a place in this text; if a hole is meant there, with how it is written.
    pub(super) fn about_holes(mut self, text: &str) -> JsonError {
        if text.get(self.offset..).is_some_and(|rest| rest.starts_with("\"$any\"")) {
            self.message.push_str(" (a hole is written {\"$any\": null})");
        }
        self
    }

    /// The error as seen from one level further out: `segment` is put in front of its path.
    #[must_use]
    pub fn within(mut self, segment: &str) -> JsonError {
        self.path.insert_str(0, segment);
        self
    }
}

impl Deref for JsonError {
    type Target = JsonFlaw;

    fn deref(&self) -> &JsonFlaw {
        &self.0
    }
}

impl DerefMut for JsonError {
    fn deref_mut(&mut self) -> &mut JsonFlaw {
        &mut self.0
    }
}

/// Says in words what a variant carries that has several fields, or named ones.
pub(super) fn carried(fields: &[(Option<String>, TypeId)]) -> String {
    match fields.first() {
        Some((Some(name), _)) => format!("an object, what this variant carries: {{{name:?}: …}}"),
        Some((None, _)) | None => format!("an array of {} values, what this variant carries", fields.len()),
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "at {}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for JsonError {}
