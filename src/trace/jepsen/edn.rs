//! EDN read as a stream: the maps of a file, which is one vector or list of them, or has one after another.
//!
//! ```text
//!   arrived  [{:f :read} {:f :write, :value 3} {:f :re      input  ad} …]
//!                        ^ passed                           a map that has not arrived whole is read again with more
//! ```

use super::super::error::TraceError;
use super::super::reader::MAX_LINE_BYTES;
use crate::json::{Decoded, JsonError};
use clojure_reader::edn;
use clojure_reader::error::{Code, Error};
use std::io::{self, BufRead};

pub(super) use clojure_reader::edn::Edn;

/// The number of bytes at the end of what has arrived that may be the beginning of a longer word, and are read again with more.
const LONGEST_WORD: usize = 1 << 12;

/// The number of bytes that are taken from the input at once.
const CHUNK: usize = 1 << 18;

/// A map larger than this is read again only when twice as much of it has arrived.
const LARGE: usize = 1 << 20;

/// The number of characters of a line that has been read which are kept to be shown.
const SHOWN_BEFORE: usize = 80;

/// A value, with the byte at which it stands.
#[derive(Debug)]
pub(super) struct EdnForm<'a> {
    pub(super) value: Edn<'a>,
    pub(super) offset: usize,
}

/// A map of the file, its keys in the order in which they stand.
#[derive(Debug)]
pub(super) struct EdnMap<'a> {
    pub(super) fields: Vec<(EdnForm<'a>, EdnForm<'a>)>,
    /// The line at which it begins.
    pub(super) line: u64,
    /// The byte at which it begins.
    pub(super) offset: usize,
}

/// The form that a file has, as far as it is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FileShape {
    /// Nothing has been read.
    Start,
    /// Maps stand in brackets, of which this is the closing one.
    Within(char),
    /// Maps stand one after another.
    Maps,
    /// The closing bracket has been read.
    Closed,
}

/// The result of one step, with the byte after it.
enum Stepped<T> {
    Seen(T, usize),
    Shape(FileShape, usize),
    Blank,
    /// The text that has arrived is not EDN.
    Flaw(JsonError),
    /// The map is no operation that fits.
    Refused(JsonError),
}

/// Reads the maps of a file, one after another.
#[derive(Debug)]
pub(super) struct EdnMaps<R> {
    input: R,
    /// Text that has arrived.
    arrived: String,
    /// Bytes after it that are no text yet: a character in parts.
    partial: Vec<u8>,
    /// The number of bytes of `arrived` that have been read.
    passed: usize,
    /// The line at which they end, from 1.
    line: u64,
    /// The number of characters that stood before `arrived` in its first line.
    columns: u64,
    shape: FileShape,
    arrival: TextArrival,
}

/// Says what comes after the text that has arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TextArrival {
    /// Nothing has arrived: a byte order mark may.
    Begins,
    /// More, perhaps.
    Goes,
    /// Nothing.
    Ended,
    /// A byte that is not UTF-8.
    Broken,
}

/// The result of one step through a file.
enum MapStep<'a> {
    Map(EdnMap<'a>),
    Shape(FileShape),
    /// No text is left.
    Blank,
}

impl<R: BufRead> EdnMaps<R> {
    pub(super) fn new(input: R) -> EdnMaps<R> {
        let (arrived, partial) = (String::new(), Vec::new());
        let (shape, arrival) = (FileShape::Start, TextArrival::Begins);
        EdnMaps { input, arrived, partial, passed: 0, line: 1, columns: 0, shape, arrival }
    }

    /// The next map, as `see` makes it out; nothing at the end. An error's place is one in the text of the map.
    pub(super) fn next_with<T>(
        &mut self,
        mut see: impl FnMut(EdnMap<'_>) -> Decoded<T>,
    ) -> Result<Option<T>, TraceError> {
        loop {
            match self.stepped(&mut see) {
                Stepped::Seen(seen, at) => {
                    self.shape = if self.shape == FileShape::Start { FileShape::Maps } else { self.shape };
                    self.pass(at);
                    return Ok(Some(seen));
                }
                Stepped::Shape(shape, at) => {
                    self.shape = shape;
                    self.pass(at);
                }
                Stepped::Blank if self.is_more() => self.arrive_more()?,
                Stepped::Blank => return self.end().map(|()| None),
                Stepped::Flaw(flaw) if self.is_more() && flaw.offset + LONGEST_WORD > self.arrived.len() => {
                    self.arrive_more()?;
                }
                Stepped::Flaw(flaw) if flaw.offset >= self.arrived.len() && self.arrival == TextArrival::Broken => {
                    self.end()?;
                }
                Stepped::Flaw(flaw) | Stepped::Refused(flaw) => {
                    return Err(self.error_at(flaw.offset, &flaw.to_string()));
                }
            }
        }
    }

    fn stepped<T>(&self, see: &mut impl FnMut(EdnMap<'_>) -> Decoded<T>) -> Stepped<T> {
        let mut cursor = Cursor { text: &self.arrived, at: self.passed };
        match cursor.step(self.shape) {
            Ok(MapStep::Blank) => Stepped::Blank,
            Ok(MapStep::Shape(shape)) => Stepped::Shape(shape, cursor.at),
            Ok(MapStep::Map(map)) => {
                let line = self.line + newlines(&self.arrived[self.passed..map.offset]);
                see(EdnMap { line, ..map }).map_or_else(Stepped::Refused, |seen| Stepped::Seen(seen, cursor.at))
            }
            Err(flaw) => Stepped::Flaw(flaw),
        }
    }

    fn is_more(&self) -> bool {
        matches!(self.arrival, TextArrival::Begins | TextArrival::Goes)
    }

    /// Checks that a file may end where it does.
    fn end(&self) -> Result<(), TraceError> {
        match self.shape {
            _ if self.arrival == TextArrival::Broken => {
                Err(self.error_at(self.arrived.len(), "this byte is not valid UTF-8"))
            }
            FileShape::Within(close) => {
                let message = format!("expected an operation or `{close}`, found the end of the file");
                Err(self.error_at(self.arrived.len(), &message))
            }
            FileShape::Start | FileShape::Maps | FileShape::Closed => Ok(()),
        }
    }

    fn pass(&mut self, to: usize) {
        self.line += newlines(&self.arrived[self.passed..to]);
        self.passed = to;
    }

    /// Waits for more text after what has not been read.
    fn arrive_more(&mut self) -> Result<(), TraceError> {
        self.drop_passed();
        let left = self.arrived.len() - self.passed;
        if left > MAX_LINE_BYTES {
            return Err(self.error_at(self.passed, &format!("this operation is longer than {MAX_LINE_BYTES} bytes")));
        }
        let wanted = self.passed + if left > LARGE { 2 * left } else { left + 1 };
        while self.is_more() && self.arrived.len() < wanted {
            self.arrive().map_err(|cause| TraceError::unreadable(self.line, &cause))?;
        }
        Ok(())
    }

    /// Drops what has been read, but for the end of its last line, which an error shows.
    fn drop_passed(&mut self) {
        let gone = &self.arrived[..self.passed];
        let start = gone.rfind('\n').map(|end| end + 1);
        let end = gone.char_indices().rev().take(SHOWN_BEFORE).last().map_or(self.passed, |(at, _)| at);
        let kept = end.max(start.unwrap_or(0));
        let columns = gone[start.unwrap_or(0)..kept].chars().count() as u64;
        self.columns = columns + if start.is_none() { self.columns } else { 0 };
        self.arrived.drain(..kept);
        self.passed -= kept;
    }

    /// Takes what the input has.
    fn arrive(&mut self) -> io::Result<()> {
        let found = loop {
            match self.input.fill_buf() {
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
                found => break found?,
            }
        };
        let length = found.len().min(CHUNK);
        self.partial.extend_from_slice(&found[..length]);
        self.input.consume(length);
        let (valid, is_broken) = match std::str::from_utf8(&self.partial) {
            Ok(text) => (text, false),
            Err(error) => {
                let valid = std::str::from_utf8(&self.partial[..error.valid_up_to()]).unwrap_or_default();
                (valid, error.error_len().is_some() || length == 0)
            }
        };
        let text = if self.arrival == TextArrival::Begins { valid.trim_start_matches('\u{feff}') } else { valid };
        self.arrived.push_str(text);
        let read = valid.len();
        self.partial.drain(..read);
        self.arrival = match (is_broken, length) {
            (true, _) => TextArrival::Broken,
            (false, 0) => TextArrival::Ended,
            (false, _) if read == 0 => self.arrival,
            (false, _) => TextArrival::Goes,
        };
        Ok(())
    }

    /// An error at a byte of the text that has arrived.
    fn error_at(&self, offset: usize, message: &str) -> TraceError {
        let (before, behind) = self.arrived.split_at_checked(offset).unwrap_or((&self.arrived, ""));
        let line = self.line + newlines(before.get(self.passed..).unwrap_or_default());
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let end = before.len() + behind.find('\n').unwrap_or(behind.len());
        let shown = self.arrived[start..end].trim_end_matches('\r');
        let columns = if start == 0 { self.columns } else { 0 };
        TraceError::in_line(line, shown.as_bytes(), before.len() - start, message).behind(columns)
    }
}

fn newlines(text: &str) -> u64 {
    memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64
}

/// The values that a text is, which begins at a byte of its line.
pub(super) fn values(text: &str, offset: usize) -> Decoded<Vec<EdnForm<'_>>> {
    let mut cursor = Cursor { text, at: 0 };
    let mut forms = Vec::new();
    let mut next = || {
        cursor.blank()?;
        if cursor.rest().is_empty() { Ok(None) } else { cursor.form().map(Some) }
    };
    while let Some(form) = next().map_err(|error: JsonError| error.behind(offset))? {
        forms.push(EdnForm { offset: form.offset + offset, ..form });
    }
    Ok(forms)
}

/// A place in a text.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Passes over blanks, commas, comments, and what stands after `#_`.
    fn blank(&mut self) -> Decoded<()> {
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

    /// The value that comes next.
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

    fn step(&mut self, shape: FileShape) -> Decoded<MapStep<'a>> {
        self.blank()?;
        let Some(next) = self.rest().chars().next() else { return Ok(MapStep::Blank) };
        match (next, shape) {
            (_, FileShape::Closed) => {
                Err(JsonError::new(self.at, "expected the end of the file behind the closing bracket"))
            }
            ('[', FileShape::Start) => Ok(self.bracket(FileShape::Within(']'))),
            ('(', FileShape::Start) => Ok(self.bracket(FileShape::Within(')'))),
            (_, FileShape::Within(close)) if next == close => Ok(self.bracket(FileShape::Closed)),
            ('{' | '#', _) => self.map().map(MapStep::Map),
            (_, FileShape::Start | FileShape::Maps | FileShape::Within(_)) => Err(self.no_operation()),
        }
    }

    fn bracket(&mut self, shape: FileShape) -> MapStep<'a> {
        self.at += 1;
        MapStep::Shape(shape)
    }

    fn no_operation(&self) -> JsonError {
        let message = "expected an operation: a map such as {:process 0, :type :invoke, :f :read, :value nil}";
        JsonError::new(self.at, message)
    }

    /// A map, which may have a tag, such as `#jepsen.history.Op`.
    fn map(&mut self) -> Decoded<EdnMap<'a>> {
        let offset = self.at;
        if self.rest().starts_with('#') {
            let tag = self.rest().find(|c: char| c == '{' || c.is_whitespace()).unwrap_or(self.rest().len());
            if tag == 1 {
                return Err(self.no_operation());
            }
            self.at += tag;
            self.blank()?;
        }
        if !self.rest().starts_with('{') {
            return Err(self.no_operation());
        }
        self.at += 1;
        let mut fields = Vec::new();
        loop {
            self.blank()?;
            if self.rest().starts_with('}') {
                self.at += 1;
                return Ok(EdnMap { fields, line: 0, offset });
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
            Code::InvalidKeyword => "expected a name behind `:`".to_owned(),
            Code::InvalidNumber | Code::InvalidRadix(_) | Code::NoFloatFeature => "expected a number".to_owned(),
            Code::InvalidTag => "expected a tag and its value behind `#`".to_owned(),
            Code::UnmatchedDelimiter(found) => format!("expected a value, found `{found}`"),
            Code::UnexpectedEOF => "expected the rest of this, found the end".to_owned(),
            _ => format!("this is not EDN: {:?}", error.code),
        };
        let offset = error.ptr.map_or(self.text.len(), |ptr| (self.at + ptr).min(self.text.len()));
        JsonError::new(offset, message)
    }
}
