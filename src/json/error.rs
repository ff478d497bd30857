//! Errors about a JSON text: what was expected, the offset in the text, and the path into the value.
//!
//! ```
//! use mayhap::json::Scanner;
//! let error = Scanner::new("[1, 2").skip().unwrap_err();
//! assert_eq!((error.offset, error.to_string().as_str()), (5, "expected `,` or `]`, found the end"));
//! ```

use crate::spec::TypeId;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// The result of decoding.
pub type Decoded<T> = Result<T, JsonError>;

/// The error of decoding. It has the size of a pointer, as results mostly hold small values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JsonError(Box<JsonFlaw>);

/// The content of a [`JsonError`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct JsonFlaw {
    /// The place, in bytes from the beginning of the text.
    pub offset: usize,
    /// The path to the part of the value, as in `.Ok.tag[2]`; empty for the whole.
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

    /// The error for a longer text, which has `bytes` bytes before this text.
    #[must_use]
    pub fn shifted_by(mut self, bytes: usize) -> JsonError {
        self.offset += bytes;
        self
    }

    /// The error, with the way to write a hole if the text at its place looks like one.
    pub(super) fn about_holes(mut self, text: &str) -> JsonError {
        if text.get(self.offset..).is_some_and(|rest| rest.starts_with("\"$any\"")) {
            self.message.push_str(" (a hole is written {\"$any\": null})");
        }
        self
    }

    /// The error seen from one level further out: `segment` is put before its path.
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

/// Describes the content of a variant with several fields or with named ones.
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
