//! Lines out of bytes as they come, in pieces of any length.
//!
//! ```
//! use mayhap::sut::tcp::lines::LineBuffer;
//! let (mut buffer, mut lines) = (LineBuffer::default(), Vec::new());
//! for piece in ["one\nt", "w", "o\nthr"] {
//!     buffer.take(piece.as_bytes(), |line| lines.push(String::from_utf8_lossy(line).into_owned()));
//! }
//! assert_eq!((lines, buffer.rest()), (vec!["one".to_owned(), "two".to_owned()], &b"thr"[..]));
//! ```

use std::io::{ErrorKind, Read, Write};

/// The longest line that is kept; a bound on the memory that a system can make us use.
pub const MAX_ANSWER_BYTES: usize = 1 << 26;

/// The beginning of a line, of which the rest has not come.
#[derive(Default, Debug)]
pub struct LineBuffer {
    begun: Vec<u8>,
}

impl LineBuffer {
    /// Hands out the lines that end in these bytes, without their ends, and keeps the rest.
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

    /// The beginning of a line.
    #[must_use]
    pub fn rest(&self) -> &[u8] {
        &self.begun
    }

    /// Tests whether a line is longer than any that is read.
    #[must_use]
    pub fn is_too_long(&self) -> bool {
        self.begun.len() > MAX_ANSWER_BYTES
    }
}

/// Lines that are written when there is room.
#[derive(Default, Debug)]
pub(crate) struct UnwrittenLines {
    bytes: Vec<u8>,
    /// The number of bytes that are written.
    written: usize,
}

impl UnwrittenLines {
    /// The bytes that wait before they are written without being asked for.
    const FULL: usize = 1 << 16;

    /// Adds whole lines.
    pub(crate) fn push(&mut self, lines: &[u8]) {
        self.bytes.extend_from_slice(lines);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Tests whether enough lines wait to be written now.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes.len() >= UnwrittenLines::FULL
    }

    /// Writes what can be written at once. All is dropped if nobody reads any more: the one who reads the answers notices.
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

/// The state of a stream after reading.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StreamState {
    /// More may come.
    Open,
    /// Nothing more comes.
    Ended,
}

/// Reads what is there, piece by piece, into a buffer, and hands it out.
pub(crate) fn read_from(input: &mut impl Read, chunk: &mut [u8], mut hand_out: impl FnMut(&[u8])) -> StreamState {
    loop {
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
}

/// Tests whether there is nothing but white space in a line.
#[must_use]
pub fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}
