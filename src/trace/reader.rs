//! A trace read as a stream: only the lines that have just arrived are in memory, however long the trace is.
//!
//! Blank lines are skipped but counted, lines may end in `\r\n`, and a byte order mark may come first. Lines that only control how a script
//! is run again, `{"wait": 1.1}` and `{"together": [7, 9]}`, are skipped too.
//!
//! ```
//! use mayhap::trace::TraceReader;
//! let mut reader = TraceReader::new("{\"mayhap\": 1, \"spec\": \"kv\"}\n\n{\"q\": 1, \"a\": 2}\r\n".as_bytes());
//! assert_eq!(reader.next_line()?.map(|line| line.event.line), Some(3));
//! assert_eq!(reader.header().and_then(|header| header.spec.as_deref()), Some("kv"));
//! assert_eq!(reader.next_line()?, None);
//! assert_eq!(reader.position().events, 1);
//! # Ok::<(), mayhap::trace::TraceError>(())
//! ```

use super::error::TraceError;
use super::line::{Header, Record, TraceLine, is_pause, parse};
use std::io::{self, BufRead, Read};
use std::ops::Range;

/// The largest number of bytes of a line, which bounds the memory; no recorded line comes near it.
pub const MAX_LINE_BYTES: usize = 1 << 28;

/// The largest number of arrived bytes that are read ahead at once.
const READ_AHEAD: usize = 1 << 12;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A reader of the events of a trace.
///
/// ```text
///   arrived  {"q": 1, "a": 2}\n{"q": 3, "a": 4}\n{"q": 5, "a": 6}\n      input  {"q": 7, "a"
///            passed over        among              ^ passed
/// ```
///
/// Invariants:
/// 1. `arrived` is empty or ends with the end of a line; `passed` is the beginning of a line in it, or its end.
/// 2. `among`, if there is one, is the line before `passed`, without its end; otherwise the line that was read last is `alone`.
/// 3. A line is read on its own only if all of `arrived` has been read.
#[derive(Debug)]
pub struct TraceReader<R> {
    input: R,
    /// Complete lines that have arrived.
    arrived: String,
    /// The number of bytes of `arrived` that have been read.
    passed: usize,
    /// The range in `arrived` of the line that was read last.
    among: Option<Range<usize>>,
    /// The line that was read last, if it was read on its own: it is not UTF-8, did not arrive at once, or has no end.
    alone: Vec<u8>,
    header: Option<Header>,
    /// The position after the line that was read last.
    at: TracePosition,
}

/// A position in a trace, before a line.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TracePosition {
    /// The number of bytes before it.
    pub bytes: u64,
    /// The number of lines before it.
    pub lines: u64,
    /// The number of events before it.
    pub events: u64,
}

/// An event that was read in one of two ways.
pub enum NextLine<'a, T> {
    /// An event as the caller reads it.
    Quick(T),
    /// An event that the reader parsed itself.
    Line(TraceLine<'a>),
}

impl<R: BufRead> TraceReader<R> {
    /// A reader before the first line of `input`.
    pub fn new(input: R) -> TraceReader<R> {
        TraceReader::resume(input, TracePosition::default())
    }

    /// A reader that continues at the position of another reader of the same trace; `input` begins there.
    pub fn resume(input: R, at: TracePosition) -> TraceReader<R> {
        TraceReader { input, arrived: String::new(), passed: 0, among: None, alone: Vec::new(), header: None, at }
    }

    /// The present position of the reader.
    pub fn position(&self) -> TracePosition {
        self.at
    }

    /// The header of the trace, if it has one and this has been read.
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// The next event; none at the end of the trace.
    ///
    /// # Errors
    /// The input cannot be read, or a line is no event: not UTF-8, not JSON, longer than [`MAX_LINE_BYTES`], a key
    /// twice, keys that do not go together, a header that is not the first line.
    pub fn next_line(&mut self) -> Result<Option<TraceLine<'_>>, TraceError> {
        let next: Option<NextLine<'_, ()>> = self.next_with(|_, _| None)?;
        Ok(next.and_then(|next| match next {
            NextLine::Line(line) => Some(line),
            NextLine::Quick(()) => None,
        }))
    }

    /// The next event, as `quick` reads it from the text of its line and the number of the line, or parsed here if `quick` cannot read it.
    ///
    /// # Errors
    /// As [`TraceReader::next_line`].
    pub fn next_with<T>(
        &mut self,
        quick: impl FnOnce(&str, u64) -> Option<T>,
    ) -> Result<Option<NextLine<'_, T>>, TraceError> {
        while self.fill()? {
            if !self.is_blank() && !self.is_header()? && !is_pause(self.text()?) {
                self.at.events += 1;
                return match quick(self.text()?, self.at.lines) {
                    Some(found) => Ok(Some(NextLine::Quick(found))),
                    None => self.event().map(|line| Some(NextLine::Line(line))),
                };
            }
        }
        Ok(None)
    }

    /// An error at a byte of the line that was read last, for flaws of an event that show later.
    #[must_use]
    pub fn error_at(&self, offset: usize, message: impl Into<String>) -> TraceError {
        TraceError::in_line(self.at.lines, self.octets(), offset, message)
    }

    /// Reads a line, without its end; false if the input has ended.
    fn fill(&mut self) -> Result<bool, TraceError> {
        if self.passed == self.arrived.len() {
            self.among = None;
            self.alone.clear();
            if !self.arrive().map_err(|cause| TraceError::unreadable(self.at.lines + 1, &cause))? {
                return Ok(false);
            }
        }
        let Some(length) = memchr::memchr(b'\n', &self.arrived.as_bytes()[self.passed..]) else {
            return self.fill_alone();
        };
        let mut start = self.passed;
        self.passed += length + 1;
        self.at.bytes += length as u64 + 1;
        self.at.lines += 1;
        if self.at.lines == 1 && self.arrived.as_bytes().starts_with(BYTE_ORDER_MARK) {
            start += BYTE_ORDER_MARK.len();
        }
        self.among = Some(start..self.passed - 1);
        Ok(true)
    }

    /// Takes the complete lines of UTF-8 that have arrived, up to a limit; false if the input has ended.
    #[cold]
    fn arrive(&mut self) -> io::Result<bool> {
        self.passed = 0;
        self.arrived.clear();
        let found = loop {
            match self.input.fill_buf() {
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
                found => break found?,
            }
        };
        let found = &found[..found.len().min(READ_AHEAD)];
        let is_more = !found.is_empty();
        let text = match std::str::from_utf8(found) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&found[..error.valid_up_to()]).unwrap_or_default(),
        };
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        self.arrived.push_str(&text[..whole]);
        self.input.consume(whole);
        Ok(is_more)
    }

    /// Reads a line on its own.
    #[cold]
    fn fill_alone(&mut self) -> Result<bool, TraceError> {
        self.at.lines += 1;
        // One byte more than a line may have shows that it is longer.
        let mut line = self.input.by_ref().take(MAX_LINE_BYTES as u64 + 1);
        let read = line.read_until(b'\n', &mut self.alone);
        let read = read.map_err(|cause| TraceError::unreadable(self.at.lines, &cause))?;
        self.at.bytes += read as u64;
        if self.alone.last() == Some(&b'\n') {
            self.alone.pop();
        } else if read > MAX_LINE_BYTES {
            return Err(self.error_at(0, format!("this line is longer than {MAX_LINE_BYTES} bytes")));
        }
        if self.at.lines == 1 && self.alone.starts_with(BYTE_ORDER_MARK) {
            self.alone.drain(..BYTE_ORDER_MARK.len());
        }
        self.at.lines -= u64::from(read == 0);
        Ok(read > 0)
    }

    /// The octets of the line that was read last.
    fn octets(&self) -> &[u8] {
        self.among.clone().and_then(|among| self.arrived.as_bytes().get(among)).unwrap_or(&self.alone)
    }

    fn is_blank(&self) -> bool {
        self.octets().iter().all(|b| matches!(b, b' ' | b'\t' | b'\r'))
    }

    /// Reads the line as the header, if it is one and no event is before it.
    fn is_header(&mut self) -> Result<bool, TraceError> {
        if self.at.events > 0 || self.header.is_some() {
            return Ok(false);
        }
        let (_, Record::Header(header)) = self.record()? else { return Ok(false) };
        self.header = Some(header);
        Ok(true)
    }

    fn event(&self) -> Result<TraceLine<'_>, TraceError> {
        match self.record()? {
            (text, Record::Event(event)) => Ok(TraceLine { event, text }),
            (_, Record::Header(_)) => Err(self.error_at(0, "the line that names the format must be the first line")),
        }
    }

    fn record(&self) -> Result<(&str, Record<'_>), TraceError> {
        let text = self.text()?;
        let record = parse(text, self.at.lines);
        record.map(|record| (text, record)).map_err(|error| self.error_at(error.offset, error.message.as_str()))
    }

    #[inline]
    fn text(&self) -> Result<&str, TraceError> {
        if let Some(text) = self.among.clone().and_then(|among| self.arrived.get(among)) {
            return Ok(text);
        }
        std::str::from_utf8(&self.alone)
            .map_err(|error| self.error_at(error.valid_up_to(), "this byte is not valid UTF-8"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{EventKind, PeerMessage, Response};
    use super::*;

    /// The events of a trace as they are written, and the error that ends it, as line, column and message.
    fn read(trace: &[u8]) -> (Vec<String>, Option<(u64, u64, String)>) {
        let mut reader = TraceReader::new(trace);
        let mut events = Vec::new();
        loop {
            match reader.next_line() {
                Ok(Some(line)) => events.push(format!("{} {}", line.event.line, line.event)),
                Ok(None) => return (events, None),
                Err(error) => return (events, Some((error.line, error.column, error.message))),
            }
        }
    }

    #[test]
    fn every_kind_of_event_is_read_and_written() {
        for line in [
            r#"{"q": 5, "a": 1}"#,
            r#"{"q": 5, "a": null}"#,
            r#"{"c": 3, "q": {"Put": [1, 2]}, "a": "Ok"}"#,
            r#"{"q": 5}"#,
            r#"{"q": 5, "lost": true}"#,
            r#"{"c": 1, "q": null}"#,
            r#"{"c": 1, "a": [{"x": "}"}]}"#,
            r#"{"c": 1, "lost": true}"#,
            r#"{"c": 18446744073709551615, "closed": true}"#,
            r#"{"c": 1, "left": true}"#,
            r#"{"restart": true}"#,
            r#"{"peer": "origin", "key": "k", "c": 7, "q": {}}"#,
            r#"{"peer": "a \"b\"", "c": 7, "a": 1}"#,
            r#"{"peer": "origin", "c": 7, "a": 1, "sent": true}"#,
            r#"{"peer": "origin", "c": 7, "lost": true}"#,
        ] {
            assert_eq!(read(line.as_bytes()), (vec![format!("1 {line}")], None));
        }
    }

    #[test]
    fn null_is_an_answer_and_a_missing_one_is_not() {
        let reply = |text: &str| match TraceReader::new(text.as_bytes()).next_line().unwrap().unwrap().event.kind {
            EventKind::Exchange { reply: Response::Answer(answer), .. } => answer.text.to_string(),
            EventKind::Exchange { reply: Response::NotOwed, .. } => "not owed".into(),
            EventKind::Exchange { reply: Response::Lost, .. } => "lost".into(),
            EventKind::Peer(event) if matches!(event.message, PeerMessage::Call(_)) => "call".into(),
            other => format!("{other:?}"),
        };
        assert_eq!(reply(r#"{"q": 5, "a": null}"#), "null");
        assert_eq!(reply(r#"{"q": 5}"#), "not owed");
        assert_eq!(reply(r#"{"q": 5, "lost": true}"#), "lost");
        assert_eq!(reply(r#"{"peer": "p", "c": 1, "q": 5}"#), "call");
    }

    #[test]
    fn lines_are_counted_whatever_stands_on_them() {
        let (events, error) = read(b"\xef\xbb\xbf{\"mayhap\":1}\r\n\n  \t\r\n{\"q\":1,\"a\":2}\r\n\n{\"q\":3}");
        assert_eq!((events, error), (vec![r#"4 {"q": 1, "a": 2}"#.into(), r#"6 {"q": 3}"#.into()], None));
        assert_eq!(read(b""), (vec![], None));
        assert_eq!(read(b"\n \r\n\n"), (vec![], None));
    }

    /// A source that is interrupted before each read.
    struct Interrupted<'a>(&'a [u8], bool);

    impl io::Read for Interrupted<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 { Err(io::ErrorKind::Interrupted.into()) } else { self.0.read(buffer) }
        }
    }

    #[test]
    fn a_line_is_whole_however_it_arrives() {
        let trace = b"\xef\xbb\xbf{\"q\": 1, \"a\": 2}\n\n{\"q\": \"\xc3\xa9\"}\r\n{\"q\": 3}";
        for at_once in 1..40 {
            let input = io::BufReader::with_capacity(at_once, Interrupted(trace, false));
            let mut reader = TraceReader::new(input);
            let mut read = Vec::new();
            while let Some(line) = reader.next_line().unwrap() {
                read.push(line.text.to_owned());
            }
            assert_eq!(read, ["{\"q\": 1, \"a\": 2}", "{\"q\": \"é\"}\r", "{\"q\": 3}"], "{at_once}");
            assert_eq!(reader.position(), TracePosition { bytes: trace.len() as u64, lines: 4, events: 3 });
        }
    }

    #[test]
    fn what_means_nothing_is_kept_for_showing() {
        let mut reader = TraceReader::new(br#"{"t": [1, {"q": 2}], "q": 1, "a": 2, "note": "x"}"#.as_slice());
        let line = reader.next_line().unwrap().unwrap();
        assert_eq!(line.notes(), [("t".to_string(), r#"[1, {"q": 2}]"#), ("note".to_string(), r#""x""#)]);
    }

    #[test]
    fn lines_that_are_no_events() {
        for (text, column, message) in [
            ("5", 1, "expected an event: an object on one line, such as {\"q\": 5, \"a\": 1}, found a number"),
            ("{", 2, "expected the rest of the event on the same line, found the end"),
            ("{\"q\": 5, \"a\": ", 15, "expected a value, found the end"),
            ("{\"q\": 5, \"a\": 1", 16, "expected `,` or `}` on the same line, found the end"),
            ("{\"q\": 5, \"a\": 1} {}", 18, "expected the end of the line after the event, found an object"),
            ("{\"q\": 5, \"q\": 6}", 15, "duplicate key \"q\""),
            ("{\"q\": 5, \"t\": 1, \"t\": 2}", 23, "duplicate key \"t\""),
            ("{\"é\": 5, \"\\u0071\": 1, \"q\": 2}", 28, "duplicate key \"q\""),
            (
                "{\"t\": 5}",
                8,
                "expected one of the keys \"q\" (a request), \"a\" (its answer), \"lost\", \"closed\", \"left\" and \"restart\"",
            ),
            ("{\"a\": 5}", 8, "an answer without its request needs its connection: the key \"c\""),
            ("{\"lost\": true}", 14, "a client that gave up needs its connection: the key \"c\""),
            ("{\"c\": 1, \"lost\": false}", 18, "expected `true`"),
            ("{\"c\": -1, \"q\": 1}", 7, "expected a number from 0 to 18446744073709551615"),
            ("{\"q\": 1, \"a\": 2, \"lost\": true}", 26, "an event cannot both have an answer (\"a\") and be \"lost\""),
            ("{\"c\": 1, \"q\": 1, \"closed\": true}", 28, "these keys cannot be combined on one line"),
            ("{\"restart\": 1}", 13, "expected `true`"),
            ("{\"restart\": true, \"c\": 1}", 24, "these keys cannot be combined on one line"),
            ("{\"mayhap\": 2}", 12, "unsupported version 2 of the trace format; this program reads version 1"),
            ("{\"peer\": \"p\", \"q\": 1}", 21, "a call to a peer needs its number: the key \"c\""),
            ("{\"peer\": 3, \"c\": 1, \"q\": 1}", 10, "expected a string, found a number"),
        ] {
            assert_eq!(read(text.as_bytes()), (vec![], Some((1, column, message.into()))), "{text}");
        }
    }

    #[test]
    fn a_header_comes_first_or_not_at_all() {
        let error = Some((2, 1, "the line that names the format must be the first line".into()));
        assert_eq!(read(b"{\"q\": 1}\n{\"mayhap\": 1}").1, error);
        assert_eq!(read(b"{\"mayhap\": 1}\n{\"mayhap\": 1}").1, error);
    }

    #[test]
    fn bytes_that_are_not_utf_8() {
        let error = (2, 7, "this byte is not valid UTF-8".into());
        assert_eq!(read(b"{\"q\": 1}\n{\"\xc3\xa9\": \xff}").1, Some(error));
    }

    #[test]
    fn a_long_line_is_shown_around_the_place() {
        let text = format!("{{\"q\": \"{}\", \"a\": }}", "x".repeat(10_000));
        let error = TraceReader::new(text.as_bytes()).next_line().unwrap_err();
        assert_eq!(error.column, 10_016);
        assert!(error.render("t").len() < 300, "{}", error.render("t"));
        assert!(error.render("t").lines().last().unwrap().ends_with('^'));
    }
}
