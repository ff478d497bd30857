//! The form of requests and answers on a connection, and the form of one JSON value on each line.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use crate::spec::Spec;
use crate::sut::lines::{LineBuffer, MAX_ANSWER_BYTES, is_blank};
use crate::sut::wire::{LineCodec, garbage, shown};
use crate::sut::{SutEventKind, SutFailure, SutFailureKind};
use crate::value::Value;

/// The events that the client of a connection sees, in order.
pub(crate) type SeenThings = VecDeque<Result<SutEventKind, SutFailure>>;

/// The form of requests and answers on a connection.
pub(crate) trait Dialect {
    /// The state of a connection.
    type Link: Default;
    /// The knowledge of a connection about a request.
    type Asked;

    /// Appends a request to the bytes to be written; `None` if the request has no form on the wire.
    fn write(&mut self, request: &Value, out: &mut Vec<u8>) -> Option<Self::Asked>;

    /// Notes that a request was sent on a connection, or that it has no form on the wire.
    fn ask(&mut self, link: &mut Self::Link, asked: Option<Self::Asked>, seen: &mut SeenThings);

    /// Handles bytes that were read.
    fn take(&mut self, link: &mut Self::Link, bytes: &[u8], seen: &mut SeenThings);

    /// Handles the end of the bytes of a connection, if it completes an answer.
    fn take_end(&mut self, _: &mut Self::Link, _: &mut SeenThings) {}

    /// Tests whether the client would see the end of the connection, if it came now.
    fn is_end_seen(&self, link: &Self::Link) -> bool;

    /// Tests whether the connection cannot be used any more, so that the next request needs another one.
    fn is_over(&self, link: &Self::Link) -> bool;

    /// Tests whether the client has left the connection, so that nothing more is read from it.
    fn is_left(&self, _: &Self::Link) -> bool {
        false
    }

    /// Tests whether content may follow that must not follow the last answer.
    fn is_late(&self, _: &Self::Link) -> bool {
        false
    }

    /// Tests whether a client can end its connection so that the system takes notice: connections have a meaning for the system.
    fn can_leave(&self) -> bool {
        false
    }

    /// The moment before which the system wants no requests, if it has asked for a pause.
    fn paused(&self) -> Option<Instant> {
        None
    }

    /// Handles the end of the connection of a system that lives on.
    fn end(&mut self, link: &mut Self::Link, seen: &mut SeenThings);
}

/// One JSON value on each line. The answers on a connection are in the order of its requests.
pub(crate) struct LineDialect {
    codec: LineCodec,
    line: String,
}

impl LineDialect {
    /// The form of one line for each value, with the values of a specification.
    pub(crate) fn new(spec: &Arc<Spec>) -> LineDialect {
        LineDialect { codec: LineCodec::new(spec), line: String::new() }
    }
}

impl Dialect for LineDialect {
    type Link = LineBuffer;
    type Asked = ();

    fn write(&mut self, request: &Value, out: &mut Vec<u8>) -> Option<()> {
        self.line.clear();
        self.codec.write_request(&mut self.line, request);
        self.line.push('\n');
        out.extend_from_slice(self.line.as_bytes());
        Some(())
    }

    fn ask(&mut self, _: &mut LineBuffer, _: Option<()>, _: &mut SeenThings) {}

    fn take(&mut self, input: &mut LineBuffer, bytes: &[u8], seen: &mut SeenThings) {
        input.take(bytes, |line| {
            if !is_blank(line) {
                seen.push_back(self.codec.answer(line).map(SutEventKind::Answer));
            }
        });
        if input.is_too_long() {
            let begun = shown(input.rest());
            let what = format!("a line of more than {MAX_ANSWER_BYTES} bytes is no answer; it begins {begun}");
            seen.push_back(Err(SutFailure::new(SutFailureKind::Garbage, what)));
            *input = LineBuffer::default();
        }
    }

    fn is_end_seen(&self, _: &LineBuffer) -> bool {
        true
    }

    fn can_leave(&self) -> bool {
        true
    }

    fn is_over(&self, _: &LineBuffer) -> bool {
        false
    }

    fn end(&mut self, input: &mut LineBuffer, seen: &mut SeenThings) {
        seen.push_back(match input.rest() {
            [] => Ok(SutEventKind::Closed),
            rest => Err(garbage(rest, "the connection ended in the middle of this line")),
        });
    }
}
