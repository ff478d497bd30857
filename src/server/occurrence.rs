//! The occurrences of a conversation: what clients and peers do and see, in order.
//!
//! ```text
//! 1 Write(1)?   2 Read   2 = nil   1 = Write(1)      a request that the server has not taken yet may still be replaced, so it and all
//!                                                    that follows are passed on only after it was taken
//! ```

use std::collections::VecDeque;

use crate::value::Value;

/// An occurrence at a client or a peer; clients have numbers from 1.
#[derive(Clone, PartialEq, Debug)]
pub enum Occurrence {
    /// A client sends a request.
    Sent(u64, Value),
    /// A client sees an answer, or a message that it did not ask for.
    Answered(u64, Value),
    /// A client gives up; what follows under its number belongs to another connection.
    Lost(u64),
    /// A client sees that the server has ended its connection; what follows under its number belongs to another connection.
    Closed(u64),
    /// A call of a peer begins or ends.
    Peer(PeerOccurrence),
}

/// The beginning or the end of a call of a peer.
#[derive(Clone, PartialEq, Debug)]
pub struct PeerOccurrence {
    /// The number of the peer in the specification.
    pub peer: u32,
    /// The number of the call.
    pub exchange: u64,
    /// The event.
    pub event: CallEvent,
}

/// The beginning or the end of a call.
#[derive(Clone, PartialEq, Debug)]
pub enum CallEvent {
    /// The peer sees the call: its key, which tells peers of one kind apart, and its request.
    Called(Value, Value),
    /// The peer answers.
    Answered(Value),
    /// The peer fails.
    Failed,
}

impl CallEvent {
    /// The end of a call, with the answer of the peer if there is one.
    #[must_use]
    pub fn ended(answer: Option<Value>) -> CallEvent {
        answer.map_or(CallEvent::Failed, CallEvent::Answered)
    }
}

/// An occurrence, which may not be final yet.
#[derive(Debug)]
struct Noted {
    occurrence: Occurrence,
    /// Set if the server has not taken the request, or the answer of the peer, so that another one may replace it.
    is_open: bool,
}

/// The occurrences that were not passed on yet.
#[derive(Debug, Default)]
pub(super) struct Journal {
    noted: VecDeque<Noted>,
    /// The number of occurrences that were passed on.
    passed: u64,
}

impl Journal {
    /// Adds a final occurrence.
    pub(super) fn note(&mut self, occurrence: Occurrence) {
        self.noted.push_back(Noted { occurrence, is_open: false });
    }

    /// Adds an occurrence that may still change, and returns its number.
    pub(super) fn note_open(&mut self, occurrence: Occurrence) -> u64 {
        self.noted.push_back(Noted { occurrence, is_open: true });
        self.passed + self.noted.len() as u64 - 1
    }

    /// Makes the request with this number final.
    pub(super) fn fix_request(&mut self, number: u64, request: Value) {
        if let Some(Occurrence::Sent(_, sent)) = self.fix(number) {
            *sent = request;
        }
    }

    /// Makes the answer to a call with this number final.
    pub(super) fn fix_answer(&mut self, number: u64, answer: Option<Value>) {
        if let Some(Occurrence::Peer(occurrence)) = self.fix(number) {
            occurrence.event = CallEvent::ended(answer);
        }
    }

    /// Makes the occurrence with this number final; `None` if it was passed on already.
    pub(super) fn fix(&mut self, number: u64) -> Option<&mut Occurrence> {
        let at = number.checked_sub(self.passed)?;
        let noted = self.noted.get_mut(at as usize)?;
        noted.is_open = false;
        Some(&mut noted.occurrence)
    }

    /// Takes the next occurrence, if it is final, or if nothing can change any more.
    pub(super) fn pass_on(&mut self, has_ended: bool) -> Option<Occurrence> {
        self.noted.front().filter(|noted| has_ended || !noted.is_open)?;
        self.passed += 1;
        self.noted.pop_front().map(|noted| noted.occurrence)
    }
}
