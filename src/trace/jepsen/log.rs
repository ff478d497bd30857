//! The lines of `jepsen.log` as operations: `INFO  jepsen.util - 3 :invoke :write 4`.
//!
//! The words of a line are the logger's prefix, the process, the type and the function; the value follows, and possibly an error. Lines of
//! other parts of Jepsen do not have this form and are skipped.

use super::super::error::TraceError;
use super::super::format::TraceFormat;
use super::super::reader::MAX_LINE_BYTES;
use super::edn::values;
use super::operation::{Invoker, JepsenRecord, Operation, OperationKind, pair};
use crate::json::{Decoded, JsonError};
use std::borrow::Cow;
use std::io::{BufRead, Read};

/// A reader of the lines of a log.
#[derive(Debug)]
pub(super) struct LogLines<R> {
    input: R,
    /// The line that was read last.
    line: Vec<u8>,
    /// Its number, from 1.
    number: u64,
    /// The first line that is not blank, with its number, if it is EDN.
    edn: Option<(u64, Vec<u8>)>,
    is_begun: bool,
}

impl<R: BufRead> LogLines<R> {
    pub(super) fn new(input: R) -> LogLines<R> {
        LogLines { input, line: Vec::new(), number: 0, edn: None, is_begun: false }
    }

    /// The result of `see` for the next line; none at the end. The place of an error of `see` is in the line.
    pub(super) fn next_with<T>(&mut self, see: impl FnOnce(&str, u64) -> Decoded<T>) -> Result<Option<T>, TraceError> {
        self.number += 1;
        self.line.clear();
        let mut input = self.input.by_ref().take(MAX_LINE_BYTES as u64 + 1);
        let read = input.read_until(b'\n', &mut self.line);
        let read = read.map_err(|cause| TraceError::unreadable(self.number, &cause))?;
        let error = |offset, message: &str| Err(TraceError::in_line(self.number, &self.line, offset, message));
        if read == 0 {
            return Ok(None);
        }
        if read > MAX_LINE_BYTES {
            return error(0, &format!("this line is longer than {MAX_LINE_BYTES} bytes"));
        }
        if !self.is_begun && !self.line.trim_ascii().is_empty() {
            self.is_begun = true;
            let is_edn = TraceFormat::sniffed(&self.line) == TraceFormat::JepsenEdn;
            self.edn = is_edn.then(|| (self.number, self.line.clone()));
        }
        let text = match std::str::from_utf8(&self.line) {
            Ok(text) => text.trim_end_matches(['\n', '\r']),
            Err(invalid) => return error(invalid.valid_up_to(), "this byte is not valid UTF-8"),
        };
        see(text, self.number).map(Some).or_else(|flaw| error(flaw.offset, &flaw.to_string()))
    }
}

impl<R> LogLines<R> {
    /// The error that the file is EDN and no log, if its first line is.
    pub(super) fn edn_instead(&self) -> Option<TraceError> {
        let message = "expected the lines of jepsen.log, found EDN: --from jepsen-edn reads it";
        self.edn.as_ref().map(|(number, line)| TraceError::in_line(*number, line.trim_ascii_end(), 0, message))
    }
}

/// A word of a line, with the byte at which it begins.
#[derive(Clone, Copy)]
struct LogWord<'a> {
    text: &'a str,
    offset: usize,
}

/// The words of a line, separated by white space.
fn words(line: &str) -> impl Iterator<Item = LogWord<'_>> {
    let offset = |text: &str| text.as_ptr().addr() - line.as_ptr().addr();
    line.split_whitespace().map(move |text| LogWord { text, offset: offset(text) })
}

/// The words for the process and the type of an operation, if the line records one: they are found by the first word that begins with a
/// colon.
fn begin(line: &str) -> Option<(LogWord<'_>, LogWord<'_>)> {
    let is_name = |word: &LogWord<'_>| word.text.strip_prefix(':').is_some_and(|name| !name.is_empty());
    let mut before = None;
    let mut words = words(line);
    let first = words.find(|word| {
        let found = is_name(word);
        before = if found { before } else { Some(*word) };
        found
    })?;
    let second = words.next().filter(is_name);
    let is_kind = |word: LogWord<'_>| OperationKind::of(&word.text[1..], word.offset).is_ok();
    match (before, second) {
        (Some(process), _) if is_kind(first) => Some((process, first)),
        (_, Some(kind)) if is_kind(kind) => Some((first, kind)),
        // The type is unknown; reading the operation will report that.
        (Some(process), Some(_)) if process.text.parse::<u64>().is_ok() => Some((process, first)),
        _ => None,
    }
}

/// The record of a line.
pub(super) fn record(line: &str, number: u64) -> Decoded<JepsenRecord<'_>> {
    let Some((process, kind)) = begin(line) else { return Ok(JepsenRecord::Nothing) };
    if process.text.starts_with(':') {
        return Ok(JepsenRecord::NoClient);
    }
    let offset = process.offset;
    let Invoker::Client(process) = Invoker::numbered(process.text, offset)? else { return Ok(JepsenRecord::NoClient) };
    let after = kind.offset + kind.text.len();
    let kind = OperationKind::of(&kind.text[1..], kind.offset)?;
    let mut forms = values(&line[after..], after)?.into_iter();
    let missing = |what| move || JsonError::new(line.len(), format!("expected {what}, found the end of the line"));
    let function = forms.next().ok_or_else(missing("a function, such as :read"))?;
    let value = forms.next().ok_or_else(missing("a value, such as nil"))?;
    let error = forms.next();
    if let Some(more) = forms.next() {
        return Err(JsonError::new(more.offset, "expected the end of the line after the error"));
    }
    Ok(JepsenRecord::Operation(Operation {
        line: number,
        nth: 1,
        offset,
        process: Some(process),
        kind,
        function: Some(Operation::named(&function)?),
        key: None,
        value: pair(value),
        notes: error.into_iter().map(|error| (Cow::Borrowed("error"), error)).collect(),
    }))
}
