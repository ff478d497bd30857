//! The source of a recording, and the information that comes with its events.
//!
//! A recording is judged while it is read, in bounded memory. What this leaves open is found by reading it again: one run of many, the
//! reason of a rejection, a witness.

use std::io::BufRead;

use crate::reading::Events;
use crate::trace::Header;

/// Opens a recording at a byte.
pub type OpenAt = Box<dyn Fn(u64) -> Result<Box<dyn BufRead>, String>>;

/// A recording that is read, and can be read again.
pub trait RecordingSource {
    /// The recording from its beginning, which is read first.
    fn input(&mut self) -> &mut dyn BufRead;

    /// Keeps no copy of what is read from now on, as it is not needed again.
    fn forget(&mut self);

    /// The number of bytes, if all of it is there and it can be read again however often.
    fn size(&self) -> Option<u64>;

    /// Opens the recording again at its beginning.
    ///
    /// # Errors
    /// The recording cannot be read again; the message has one line.
    fn anew(&mut self, part: TracePart) -> Result<Box<dyn BufRead>, String>;

    /// The part that was read, to be opened at any byte.
    fn reopened(self: Box<Self>) -> OpenAt;
}

/// The part of a recording that is read again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TracePart {
    /// The part that was read, perhaps with a little more.
    Read,
    /// The whole recording.
    All,
}

/// The information that comes with a recording besides its events.
#[derive(Clone, Debug)]
pub struct TraceNotes {
    /// The first line, which names the specification, if there is one.
    pub header: Option<Header>,
    /// A note on entries that the reader skipped, if any.
    pub passed_over: Option<String>,
    /// Set if something was answered, or if the recording has no events after the rules of its format.
    pub is_tested: bool,
}

impl TraceNotes {
    /// The notes on a recording that was read.
    ///
    /// # Errors
    /// There is nothing to judge; the message is ready to be shown.
    pub fn of<R: BufRead>(events: &Events<R>, name: &str, is_empty: bool) -> Result<TraceNotes, String> {
        let passed_over = events.passed_over();
        if is_empty && events.is_blank() {
            let passed_over = passed_over.map(|what| format!(" ({what})")).unwrap_or_default();
            return Err(format!("error: {name}: no events, so nothing was tested{passed_over}\n"));
        }
        let passed_over = passed_over.map(|what| format!("note: {name}: {what}\n"));
        let is_tested = is_empty || events.is_answered();
        Ok(TraceNotes { header: events.header().cloned(), passed_over, is_tested })
    }
}
