//! The lines on the wire, one JSON value each, and the refusal for a client whose line is no request.
//!
//! `{"$error": "malformed", "message": "expected int, found `true`", "line": 3, "column": 1}` is a [`Refusal`]. Its key begins
//! with `$`, like those of holes and literals, so that no answer of a specification looks like it by chance.

use mayhap::json;
use std::fmt;
use std::io::{self, BufRead, Read};

/// The most bytes of a request, as a bound on the memory that one client can take. The help of `serve` names it.
pub const MAX_REQUEST_BYTES: usize = 1 << 24;

/// The next piece of a client's input.
#[derive(PartialEq, Eq, Debug)]
pub enum Arrival {
    /// A line, without its end.
    Line(Vec<u8>),
    /// A line of more than [`MAX_REQUEST_BYTES`], the rest of which is skipped.
    TooLong,
    /// The beginning of a line whose end did not come before the end of the input.
    CutOff,
    /// The end of the input.
    End,
}

/// The lines of a client, with any length and line ends.
pub struct Lines<R> {
    input: R,
    line: u64,
    at: LinePlace,
}

/// The position of [`Lines`] in the input.
enum LinePlace {
    LineStart,
    /// Within a line that is too long.
    InLongLine,
}

impl<R: BufRead> Lines<R> {
    /// The lines of an input, from its beginning.
    pub fn new(input: R) -> Lines<R> {
        Lines { input, line: 0, at: LinePlace::LineStart }
    }

    /// The number of the last line, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The next line that is not blank. At most [`MAX_REQUEST_BYTES`] of it are in memory.
    pub fn next_piece(&mut self) -> io::Result<Arrival> {
        if let LinePlace::InLongLine = std::mem::replace(&mut self.at, LinePlace::LineStart) {
            self.input.skip_until(b'\n')?;
        }
        let mut text = Vec::new();
        loop {
            text.clear();
            self.line += 1;
            (&mut self.input).take(MAX_REQUEST_BYTES as u64 + 1).read_until(b'\n', &mut text)?;
            if text.pop_if(|last| *last == b'\n').is_some() {
                if !is_blank(&text) {
                    return Ok(Arrival::Line(text));
                }
            } else if text.len() > MAX_REQUEST_BYTES {
                self.at = LinePlace::InLongLine;
                return Ok(Arrival::TooLong);
            } else {
                return Ok(if is_blank(&text) { Arrival::End } else { Arrival::CutOff });
            }
        }
    }
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}

/// The reason why a line gets no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unanswered {
    /// The line is no value of the request's type.
    Malformed,
    /// The line is longer than [`MAX_REQUEST_BYTES`].
    TooLong,
    /// The line has no end.
    CutOff,
    /// The request breaks the client's duty.
    Outside,
    /// The specification is at fault.
    Fault,
    /// No run of the server answers the request.
    Stuck,
    /// A limit was reached.
    Limit,
    /// There are too many connections.
    Busy,
    /// The server is shutting down.
    Stopping,
}

impl Unanswered {
    fn word(self) -> &'static str {
        match self {
            Unanswered::Malformed => "malformed",
            Unanswered::TooLong => "too_long",
            Unanswered::CutOff => "cut_off",
            Unanswered::Outside => "outside",
            Unanswered::Fault => "fault",
            Unanswered::Stuck => "stuck",
            Unanswered::Limit => "limit",
            Unanswered::Busy => "busy",
            Unanswered::Stopping => "stopping",
        }
    }
}

/// A message in the place of an answer. It displays as one line of JSON, without a line end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The kind of the trouble.
    pub kind: Unanswered,
    /// The trouble in words, for people.
    pub message: String,
    /// The number of the client's line, from 1.
    pub line: Option<u64>,
    /// The character within the line, from 1.
    pub column: Option<u64>,
}

impl Refusal {
    /// A refusal that is about no particular line.
    pub fn new(kind: Unanswered, message: impl Into<String>) -> Refusal {
        Refusal { kind, message: message.into(), line: None, column: None }
    }

    /// The refusal, as one about the client's line with this number.
    pub fn of_line(self, line: u64) -> Refusal {
        Refusal { line: Some(line), ..self }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = json::quoted(&self.message);
        write!(f, "{{\"$error\": \"{}\", \"message\": {message}", self.kind.word())?;
        for (key, number) in [("line", self.line), ("column", self.column)] {
            if let Some(number) = number {
                write!(f, ", \"{key}\": {number}")?;
            }
        }
        f.write_str("}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(input: &[u8]) -> Vec<(u64, Arrival)> {
        let mut lines = Lines::new(input);
        let mut found = Vec::new();
        loop {
            match lines.next_piece().unwrap() {
                Arrival::End => return found,
                piece => found.push((lines.line(), piece)),
            }
        }
    }

    fn line(text: &str) -> Arrival {
        Arrival::Line(text.into())
    }

    #[test]
    fn lines_end_in_a_line_feed_and_blank_ones_only_count() {
        assert_eq!(pieces(b""), []);
        assert_eq!(pieces(b"\n \r\n\t"), []);
        assert_eq!(pieces(b"5\n\n 6\r\n"), [(1, line("5")), (3, line(" 6\r"))]);
        assert_eq!(pieces(b"5\n6"), [(1, line("5")), (2, Arrival::CutOff)]);
    }

    #[test]
    fn a_long_line_is_passed_over_and_the_next_one_read() {
        let longest = "x".repeat(MAX_REQUEST_BYTES);
        let input = format!("{longest}\n{longest}x\n5\n{}", longest.repeat(3));
        assert_eq!(
            pieces(input.as_bytes()),
            [(1, line(&longest)), (2, Arrival::TooLong), (3, line("5")), (4, Arrival::TooLong)]
        );
        assert_eq!(pieces(longest.as_bytes()), [(1, Arrival::CutOff)]);
    }

    #[test]
    fn a_refusal_is_one_line_of_json() {
        let refusal = Refusal::new(Unanswered::Malformed, "a \"b\"\n").of_line(3);
        let text = r#"{"$error": "malformed", "message": "a \"b\"\n", "line": 3, "column": 7}"#;
        assert_eq!(Refusal { column: Some(7), ..refusal }.to_string(), text);
        assert_eq!(Refusal::new(Unanswered::Busy, "x").to_string(), r#"{"$error": "busy", "message": "x"}"#);
    }
}
