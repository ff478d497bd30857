//! Lines from bytes, which come in pieces of any length.
//!
//! ```
//! use mayhap::sut::lines::LineBuffer;
//! let (mut buffer, mut lines) = (LineBuffer::default(), Vec::new());
//! for piece in ["one\nt", "w", "o\nthr"] {
//!     buffer.take(piece.as_bytes(), |line| lines.push(String::from_utf8_lossy(line).into_owned()));
//! }
//! assert_eq!((lines, buffer.rest()), (vec!["one".to_owned(), "two".to_owned()], &b"thr"[..]));
//! ```

use std::io::{ErrorKind, Read, Write};

/// The most bytes of a line, as a bound on the memory that a system can make the tester use.
pub const MAX_ANSWER_BYTES: usize = 1 << 26;
/// The number of pieces that are read at once, so that a system that never stops sending does not keep the tester from the clock.
const MOST_PIECES: usize = 16;

/// The beginning of a line whose end has not come yet.
#[derive(Default, Debug)]
pub struct LineBuffer {
    begun: Vec<u8>,
}

impl LineBuffer {
    /// Hands out the lines that end in these bytes, without their line ends, and keeps the rest.
    pub fn take(&mut self, mut bytes: &[u8], mut hand_out: impl FnMut(&[u8])) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            if self.begun.is_empty() {
                hand_out(&bytes[..end]);
            } else {
                self.begun.extend_from_slice(&bytes[..end]);
                hand_out(&self.begun);
                self.begun.clear();
            }
            bytes = &bytes[end + 1..];
        }
        self.begun.extend_from_slice(bytes);
    }

    /// The beginning of the last line.
    #[must_use]
    pub fn rest(&self) -> &[u8] {
        &self.begun
    }

    /// Tests whether the last line is longer than allowed.
    #[must_use]
    pub fn is_too_long(&self) -> bool {
        self.begun.len() > MAX_ANSWER_BYTES
    }
}

/// Lines that wait to be written.
#[derive(Default, Debug)]
pub(crate) struct UnwrittenLines {
    bytes: Vec<u8>,
    /// The number of bytes that were written already.
    written: usize,
}

impl UnwrittenLines {
    /// The number of waiting bytes from which on they are written at once.
    const FULL: usize = 1 << 16;

    /// Adds whole lines.
    pub(crate) fn push(&mut self, lines: &[u8]) {
        self.bytes.extend_from_slice(lines);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Tests whether enough bytes wait to be written at once.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes.len() >= UnwrittenLines::FULL
    }

    /// Writes without waiting. If nobody reads any more, drops all bytes; the reader of the answers will notice.
    pub(crate) fn write_to(&mut self, output: &mut impl Write) {
        while self.written < self.bytes.len() {
            match output.write(&self.bytes[self.written..]) {
                Ok(written) => self.written += written,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        self.bytes.clear();
        self.written = 0;
    }
}

/// The state of a stream after a read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StreamState {
    /// More may come.
    Open,
    /// More may be there already.
    Unread,
    /// Nothing more comes.
    Ended,
}

/// Reads without waiting, piece by piece, and hands out the bytes.
pub(crate) fn read_from(input: &mut impl Read, chunk: &mut [u8], mut hand_out: impl FnMut(&[u8])) -> StreamState {
    for _ in 0..MOST_PIECES {
        match input.read(chunk) {
            Ok(0) => return StreamState::Ended,
            Ok(count) => {
                hand_out(&chunk[..count]);
                if count < chunk.len() {
                    return StreamState::Open;
                }
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => return StreamState::Open,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return StreamState::Ended,
        }
    }
    StreamState::Unread
}

/// Tests whether a line has only white space.
#[must_use]
pub fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}
