//! Lines out of bytes as they come, in pieces of any length.
//!
//! ```
//! use mayhap::sut::lines::LineBuffer;
//! let (mut buffer, mut lines) = (LineBuffer::default(), Vec::new());
//! for piece in ["one\nt", "w", "o\nthr"] {
//!     buffer.take(piece.as_bytes(), |line| lines.push(String::from_utf8_lossy(line).into_owned()));
//! }
//! assert_eq!((lines, buffer.rest()), (vec!["one".to_owned(), "two".to_owned()], &b"thr"[..]));
//! ```

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

/// Tests whether there is nothing but white space in a line.
#[must_use]
pub fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}
