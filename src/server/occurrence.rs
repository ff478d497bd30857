//! The things that clients and peers of a server do and see, in the order in which they happen.
//!
//! ```text
//! 1 Write(1)?   2 Read   2 = nil   1 = Write(1)      a request that the server has not taken yet may still be another one: it is passed,
//!                                                    with all that comes after it, when it was taken
//! ```

use std::collections::VecDeque;

use crate::value::Value;

/// Something that a client or a peer of the server does or sees; clients have numbers from 1.
#[derive(Clone, PartialEq, Debug)]
pub enum Occurrence {
    /// A client sends a request.
    Sent(u64, Value),
    /// It sees an answer, or a message that it did not ask for.
    Answered(u64, Value),
    /// It gives up: what comes later under its number is another connection.
    Lost(u64),
    /// It sees that the server has ended its connection: what comes later under its number is another one.
    Closed(u64),
    /// Something happens to a call of a peer.
    Peer(PeerOccurrence),
}

/// Something that happens to a call of a peer.
#[derive(Clone, PartialEq, Debug)]
pub struct PeerOccurrence {
    /// The number of the peer in the specification.
    pub peer: u32,
    /// The number of the call.
    pub exchange: u64,
    /// The thing that happens.
    pub event: CallEvent,
}

/// The beginning or the end of a call.
#[derive(Clone, PartialEq, Debug)]
pub enum CallEvent {
    /// The peer sees the call: the key that says which of the peers of its name it is, and the request.
    Called(Value, Value),
    /// It answers.
    Answered(Value),
    /// It fails.
    Failed,
}

impl CallEvent {
    /// The end of a call, with the peer's answer, if it gives one.
    #[must_use]
    pub fn ended(answer: Option<Value>) -> CallEvent {
        answer.map_or(CallEvent::Failed, CallEvent::Answered)
    }
}

/// An occurrence, and the one thing that may still change about it.
#[derive(Debug)]
struct Noted {
    occurrence: Occurrence,
    /// Set if the server has not taken the request, or the answer of the peer, yet.
    is_open: bool,
}

/// The occurrences that were not passed yet.
#[derive(Debug, Default)]
pub(super) struct Journal {
    noted: VecDeque<Noted>,
    /// The number of those that were passed.
    passed: u64,
}

impl Journal {
    /// Notes what is known for good.
    pub(super) fn note(&mut self, occurrence: Occurrence) {
        self.noted.push_back(Noted { occurrence, is_open: false });
    }

    /// Notes what may still change; its number.
    pub(super) fn note_open(&mut self, occurrence: Occurrence) -> u64 {
        self.noted.push_back(Noted { occurrence, is_open: true });
        self.passed + self.noted.len() as u64 - 1
    }

    /// The request of this number is known for good.
    pub(super) fn fix_request(&mut self, number: u64, request: Value) {
        if let Some(Occurrence::Sent(_, sent)) = self.fix(number) {
            *sent = request;
        }
    }

    /// The answer to a call that has this number is known for good.
    pub(super) fn fix_answer(&mut self, number: u64, answer: Option<Value>) {
        if let Some(Occurrence::Peer(occurrence)) = self.fix(number) {
            occurrence.event = CallEvent::ended(answer);
        }
    }

    /// The occurrence of this number stays as it is, if it has not been passed on.
    pub(super) fn fix(&mut self, number: u64) -> Option<&mut Occurrence> {
        let at = number.checked_sub(self.passed)?;
        let noted = self.noted.get_mut(at as usize)?;
        noted.is_open = false;
        Some(&mut noted.occurrence)
    }

    /// The next occurrence, if it is known for good; or whatever it is, if nothing more can change.
    pub(super) fn pass_on(&mut self, has_ended: bool) -> Option<Occurrence> {
        self.noted.front().filter(|noted| has_ended || !noted.is_open)?;
        self.passed += 1;
        self.noted.pop_front().map(|noted| noted.occurrence)
    }
}
