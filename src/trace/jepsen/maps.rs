//! Operations as a stream: the maps of a file of EDN or JSON, which is one list of maps, or one map after another.
//!
//! ```text
//!   arrived  [{:f :read} {:f :write, :value 3} {:f :re      input  ad} …]
//!                        ^ passed                           a map that has not arrived whole is read again with more
//! ```

use super::super::error::TraceError;
use super::super::reader::MAX_LINE_BYTES;
use super::edn::{Cursor, EdnForm, EdnMap, no_operation};
use super::objects;
use crate::json::{Decoded, JsonError};
use std::io::{self, BufRead};

/// The largest number of bytes of a word. An error this near to the end of the arrived text may be a cut word, so it is read again with
/// more.
const LONGEST_WORD: usize = 1 << 12;

/// The largest number of bytes that are taken from the input at once.
const CHUNK: usize = 1 << 18;

/// The size of an incomplete map, in bytes, from which it is only read again when twice as much of it has arrived.
const LARGE: usize = 1 << 20;

/// The number of characters before a map that are kept of its line, so that an error can show them.
const SHOWN_BEFORE: usize = 80;

/// The form of a file, as far as it is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FileShape {
    /// Nothing has been read.
    Start,
    /// The maps are in brackets; the closing one is this.
    Within(char),
    /// The maps follow each other without brackets.
    Maps,
    /// The closing bracket has been read.
    Closed,
}

/// The syntax of the maps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MapSyntax {
    Edn,
    Json,
}

/// The line on which a map begins, and the number of the map among those that begin there.
#[derive(Clone, Copy, Default, Debug)]
struct MapPlace {
    line: u64,
    nth: u32,
}

/// The result of one step, with the position after it.
enum Stepped<T> {
    Seen(T, usize, MapPlace),
    Shape(FileShape, usize),
    Blank,
    /// The text that has arrived is not EDN.
    Flaw(JsonError),
    /// The map is no operation that fits.
    Refused(JsonError),
}

/// A reader of the maps of a file.
#[derive(Debug)]
pub(super) struct EdnMaps<R> {
    input: R,
    syntax: MapSyntax,
    /// The text that has arrived.
    arrived: String,
    /// The bytes after it that are not text yet, as they begin a character.
    partial: Vec<u8>,
    /// The number of bytes of `arrived` that have been read.
    passed: usize,
    /// The line at which the read bytes end, from 1.
    line: u64,
    /// The place of the last map.
    last: MapPlace,
    /// The number of characters before `arrived` in its first line.
    columns: u64,
    shape: FileShape,
    arrival: TextArrival,
}

/// The part of the input after the text that has arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TextArrival {
    /// All of it: nothing has arrived, and it may begin with a byte order mark.
    Begins,
    /// Possibly more text.
    Goes,
    /// Nothing.
    Ended,
    /// A byte that is not UTF-8.
    Broken,
}

/// A token of the file's form, or a map.
enum MapStep<'a> {
    Map(EdnMap<'a>),
    Shape(FileShape),
    /// No text is left.
    Blank,
}

impl<R: BufRead> EdnMaps<R> {
    pub(super) fn new(input: R, syntax: MapSyntax) -> EdnMaps<R> {
        let (arrived, partial) = (String::new(), Vec::new());
        let (shape, arrival) = (FileShape::Start, TextArrival::Begins);
        EdnMaps {
            input,
            syntax,
            arrived,
            partial,
            passed: 0,
            line: 1,
            last: MapPlace::default(),
            columns: 0,
            shape,
            arrival,
        }
    }

    /// The result of `see` for the next map; none at the end. The place of an error of `see` is in the text of the map.
    pub(super) fn next_with<T>(
        &mut self,
        mut see: impl FnMut(EdnMap<'_>) -> Decoded<T>,
    ) -> Result<Option<T>, TraceError> {
        loop {
            match self.stepped(&mut see) {
                Stepped::Seen(seen, at, place) => {
                    self.last = place;
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
        match step(&mut cursor, self.syntax, self.shape) {
            Ok(MapStep::Blank) => Stepped::Blank,
            Ok(MapStep::Shape(shape)) => Stepped::Shape(shape, cursor.at),
            Ok(MapStep::Map(map)) => {
                let line = self.line + newlines(&self.arrived[self.passed..map.offset]);
                let nth = if line == self.last.line { self.last.nth.saturating_add(1) } else { 1 };
                let seen = see(EdnMap { line, nth, ..map });
                seen.map_or_else(Stepped::Refused, |seen| Stepped::Seen(seen, cursor.at, MapPlace { line, nth }))
            }
            Err(flaw) => Stepped::Flaw(flaw),
        }
    }

    fn is_more(&self) -> bool {
        matches!(self.arrival, TextArrival::Begins | TextArrival::Goes)
    }

    /// Checks that the file is complete at its end.
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

    /// Reads more of the input, for text that is incomplete.
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

    /// Drops the text that has been read, except the end of its last line, which an error shows.
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

    /// Takes the bytes that the input has.
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
        let (before, after) = self.arrived.split_at_checked(offset).unwrap_or((&self.arrived, ""));
        let line = self.line + newlines(before.get(self.passed..).unwrap_or_default());
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let end = before.len() + after.find('\n').unwrap_or(after.len());
        let shown = self.arrived[start..end].trim_end_matches('\r');
        let columns = if start == 0 { self.columns } else { 0 };
        TraceError::in_line(line, shown.as_bytes(), before.len() - start, message).shifted_by(columns)
    }
}

fn newlines(text: &str) -> u64 {
    memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64
}

/// Reads the next token or map of a file.
fn step<'a>(cursor: &mut Cursor<'a>, syntax: MapSyntax, shape: FileShape) -> Decoded<MapStep<'a>> {
    match syntax {
        MapSyntax::Edn => cursor.blank()?,
        MapSyntax::Json => {
            let rest = cursor.rest();
            cursor.at += rest.len() - rest.trim_start_matches(|c: char| c == ',' || c.is_whitespace()).len();
        }
    }
    let Some(next) = cursor.rest().chars().next() else { return Ok(MapStep::Blank) };
    match (next, shape) {
        (_, FileShape::Closed) => {
            Err(JsonError::new(cursor.at, "expected the end of the file after the closing bracket"))
        }
        ('[', FileShape::Start) => Ok(bracket(cursor, FileShape::Within(']'))),
        ('(', FileShape::Start) if syntax == MapSyntax::Edn => Ok(bracket(cursor, FileShape::Within(')'))),
        (_, FileShape::Within(close)) if next == close => Ok(bracket(cursor, FileShape::Closed)),
        ('{', _) if syntax == MapSyntax::Json => object(cursor).map(MapStep::Map),
        ('{' | '#', _) if syntax == MapSyntax::Edn => cursor.map().map(MapStep::Map),
        (_, FileShape::Start | FileShape::Maps | FileShape::Within(_)) => Err(match syntax {
            MapSyntax::Edn => no_operation(cursor.at),
            MapSyntax::Json => {
                let example = r#"{"process": 0, "type": "invoke", "f": "read", "value": null}"#;
                JsonError::new(cursor.at, format!("expected an operation: an object such as {example}"))
            }
        }),
    }
}

fn bracket<'a>(cursor: &mut Cursor<'a>, shape: FileShape) -> MapStep<'a> {
    cursor.at += 1;
    MapStep::Shape(shape)
}

/// Reads an operation that is a JSON object.
fn object<'a>(cursor: &mut Cursor<'a>) -> Decoded<EdnMap<'a>> {
    let offset = cursor.at;
    let (fields, length) = objects::fields(cursor.rest()).map_err(|error| error.shifted_by(offset))?;
    cursor.at += length;
    let placed = |form: EdnForm<'a>| EdnForm { offset: form.offset + offset, ..form };
    let fields = fields.into_iter().map(|(key, value)| (placed(key), placed(value))).collect();
    Ok(EdnMap { fields, line: 0, nth: 1, offset })
}
