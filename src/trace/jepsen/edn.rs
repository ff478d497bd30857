//! EDN: values with their places, and the map of an operation.
//!
//! `{:f :write, :value 3}` has two fields; the `3` begins at byte 18.

use crate::json::{Decoded, JsonError};
use clojure_reader::edn;
use clojure_reader::error::{Code, Error};

pub(super) use clojure_reader::edn::Edn;

/// A value, with the byte at which it begins.
#[derive(Debug)]
pub(super) struct EdnForm<'a> {
    pub(super) value: Edn<'a>,
    pub(super) offset: usize,
}

/// A map of the file, with its keys in the order of the text.
#[derive(Debug)]
pub(super) struct EdnMap<'a> {
    pub(super) fields: Vec<(EdnForm<'a>, EdnForm<'a>)>,
    /// The line at which it begins.
    pub(super) line: u64,
    /// The number of the map among those that begin on this line, from 1.
    pub(super) nth: u32,
    /// The byte at which it begins.
    pub(super) offset: usize,
}

/// The number that a text denotes, if it is one.
pub(super) fn number(text: &str) -> Option<Edn<'_>> {
    edn::read(text).ok().filter(|(_, rest)| rest.is_empty()).map(|(number, _)| number)
}

/// The values in a text that begins at a byte of its line.
pub(super) fn values(text: &str, offset: usize) -> Decoded<Vec<EdnForm<'_>>> {
    let mut cursor = Cursor { text, at: 0 };
    let mut forms = Vec::new();
    let mut next = || {
        cursor.blank()?;
        if cursor.rest().is_empty() { Ok(None) } else { cursor.form().map(Some) }
    };
    while let Some(form) = next().map_err(|error: JsonError| error.shifted_by(offset))? {
        forms.push(EdnForm { offset: form.offset + offset, ..form });
    }
    Ok(forms)
}

/// A position in a text.
pub(super) struct Cursor<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Skips blanks, commas, comments, and values after `#_`.
    pub(super) fn blank(&mut self) -> Decoded<()> {
        loop {
            let rest = self.rest();
            let there = rest.trim_start_matches(|c: char| c == ',' || c.is_whitespace());
            self.at += rest.len() - there.len();
            if there.starts_with(';') {
                self.at += there.find(['\n', '\r']).unwrap_or(there.len());
            } else if there.starts_with("#_") {
                self.at += "#_".len();
                self.read()?;
            } else {
                return Ok(());
            }
        }
    }

    /// Reads the next value.
    fn form(&mut self) -> Decoded<EdnForm<'a>> {
        self.blank()?;
        let offset = self.at;
        Ok(EdnForm { value: self.read()?, offset })
    }

    fn read(&mut self) -> Decoded<Edn<'a>> {
        let (value, rest) = edn::read(self.rest()).map_err(|error| self.flaw(&error))?;
        self.at = self.text.len() - rest.len();
        Ok(value)
    }

    /// Reads a map, which may have a tag such as `#jepsen.history.Op`.
    pub(super) fn map(&mut self) -> Decoded<EdnMap<'a>> {
        let offset = self.at;
        if self.rest().starts_with('#') {
            let tag = self.rest().find(|c: char| c == '{' || c.is_whitespace()).unwrap_or(self.rest().len());
            if tag == 1 {
                return Err(no_operation(self.at));
            }
            self.at += tag;
            self.blank()?;
        }
        if !self.rest().starts_with('{') {
            return Err(no_operation(self.at));
        }
        self.at += 1;
        let mut fields = Vec::new();
        loop {
            self.blank()?;
            if self.rest().starts_with('}') {
                self.at += 1;
                return Ok(EdnMap { fields, line: 0, nth: 1, offset });
            }
            let key = self.form()?;
            self.blank()?;
            if self.rest().starts_with('}') {
                return Err(JsonError::new(self.at, "expected the value of the last key, found `}`"));
            }
            fields.push((key, self.form()?));
        }
    }

    /// The error of a text that is not EDN.
    fn flaw(&self, error: &Error) -> JsonError {
        let message = match &error.code {
            Code::HashMapDuplicateKey => "a key stands twice in this map".to_owned(),
            Code::SetDuplicateKey => "an element stands twice in this set".to_owned(),
            Code::InvalidChar => "expected a character, such as \\a or \\newline".to_owned(),
            Code::InvalidEscape => "expected \\t, \\r, \\n, \\\\ or \\\" in a string".to_owned(),
            Code::InvalidKeyword => "expected a name after `:`".to_owned(),
            Code::InvalidNumber | Code::InvalidRadix(_) | Code::NoFloatFeature => "expected a number".to_owned(),
            Code::InvalidTag => "expected a tag and its value after `#`".to_owned(),
            Code::UnmatchedDelimiter(found) => format!("expected a value, found `{found}`"),
            Code::UnexpectedEOF => "expected the rest of this, found the end".to_owned(),
            _ => format!("this is not EDN: {:?}", error.code),
        };
        let offset = error.ptr.map_or(self.text.len(), |ptr| (self.at + ptr).min(self.text.len()));
        JsonError::new(offset, message)
    }
}

/// The error that an operation was expected at a byte.
pub(super) fn no_operation(offset: usize) -> JsonError {
    let message = "expected an operation: a map such as {:process 0, :type :invoke, :f :read, :value nil}";
    JsonError::new(offset, message)
}
