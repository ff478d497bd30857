//! Calls of peers without an answer: awaited ones, for which a task waits, and unawaited ones.
//!
//! ```text
//! let r = call any 2 of store(k) for k in 1..4, Get;
//!
//! open      wanted   answers
//! 1, 2, 3   2        {}
//! 1, 3      1        {2: a}             2 has answered
//!                                       so has 3: the task goes on with {2: a, 3: b}, and nobody waits for 1
//! ```
//!
//! An answer that a peer has sent may arrive later, after others that were sent after it. It waits at its call, and when the task goes
//! on it is chosen which ones of these answers were the first to arrive.

use super::event::{PeerCall, PeerCalls};
use crate::spec::code::Register;
use crate::value::{Entry, Value};

/// A call of a peer that has no answer yet.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct OpenCall {
    /// The peer, the key and the request. Once the peer has seen the call the request is absent, and so is the key if nobody reads it.
    pub(super) call: PeerCall,
    /// The number under which the peer has seen the call, if it has.
    pub(super) exchange: Option<u64>,
    /// The answer that the peer has sent, if it is not known whether it has arrived.
    pub(super) sent: Option<Value>,
}

/// The state of a call without an answer, without its values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CallState {
    /// The number of the peer in the specification.
    pub peer: u32,
    /// The number under which the peer has seen the call, if it has.
    pub exchange: Option<u64>,
    /// Set if the peer has sent an answer of which it is not known whether it has arrived.
    pub is_answer_sent: bool,
}

/// The place of a call among all calls without an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallPlace {
    /// The place of the task that waits for it, and its place among the calls of this task.
    Awaited(usize, usize),
    /// The place among the unawaited calls.
    Unawaited(usize),
}

/// The calls for which a task waits. The task goes on when there are enough answers, or no call is left that may be answered.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct AwaitedCalls {
    /// The calls that have no answer.
    pub(super) open: Vec<OpenCall>,
    /// The number of answers that are still wanted; after these the other calls become unawaited.
    pub(super) wanted: usize,
    /// The answers so far: an option, or a map of them by their keys.
    pub(super) answers: Value,
    /// The register of the innermost function that gets the answers.
    pub(super) result: Register,
}

impl OpenCall {
    pub(super) fn state(&self) -> CallState {
        CallState { peer: self.call.peer, exchange: self.exchange, is_answer_sent: self.sent.is_some() }
    }

    /// Tests whether a peer has seen the call under this number.
    pub(super) fn is(&self, exchange: u64) -> bool {
        self.exchange == Some(exchange)
    }

    /// Takes the call for a peer to see, under this number; nothing if a peer has seen it.
    pub(super) fn take(&mut self, exchange: u64) -> Option<PeerCall> {
        if self.exchange.is_some() {
            return None;
        }
        self.exchange = Some(exchange);
        let left = PeerCall { request: Value::Absent, ..self.call.clone() };
        Some(std::mem::replace(&mut self.call, left))
    }

    /// Forgets the key if a peer has seen the call: nobody reads the key.
    fn forget_key(&mut self) {
        if self.exchange.is_some() {
            self.call.key = Value::Absent;
        }
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &Value> {
        [&self.call.key, &self.call.request].into_iter().chain(&self.sent)
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        [&mut self.call.key, &mut self.call.request].into_iter().chain(&mut self.sent)
    }
}

impl AwaitedCalls {
    pub(super) fn of(PeerCalls { calls, wanted, unanswered }: PeerCalls, result: Register) -> AwaitedCalls {
        let open = calls.into_iter().map(|call| OpenCall { call, exchange: None, sent: None }).collect();
        AwaitedCalls { open, wanted, answers: unanswered, result }
    }

    /// Takes the call at this place for a peer to see.
    pub(super) fn take(&mut self, at: usize, exchange: u64) -> Option<PeerCall> {
        let call = self.open.get_mut(at)?;
        let taken = call.take(exchange);
        if !matches!(self.answers, Value::Map(_)) {
            call.forget_key();
        }
        taken
    }

    /// Adds the answer to a call, or that the peer failed (`None`); returns false if the call is none of these.
    pub(super) fn answer(&mut self, exchange: u64, answer: Option<&Value>) -> bool {
        let Some(at) = self.open.iter().position(|open| open.is(exchange)) else { return false };
        let PeerCall { key, .. } = self.open.remove(at).call;
        match answer {
            Some(answer) => self.add(&key, answer.clone()),
            None => self.take_needed(),
        }
        true
    }

    /// Notes that a peer has sent the answer to a call, which may arrive later; returns false if the call is none of these.
    pub(super) fn send_answer(&mut self, exchange: u64, answer: &Value) -> bool {
        let Some(open) = self.open.iter_mut().find(|open| open.is(exchange)) else { return false };
        open.sent = Some(answer.clone());
        self.take_needed();
        true
    }

    /// Takes the answer that was sent to a call, as it arrives.
    pub(super) fn arrive(&mut self, exchange: u64) {
        let Some(at) = self.open.iter().position(|open| open.is(exchange) && open.sent.is_some()) else { return };
        let OpenCall { call, sent, .. } = self.open.remove(at);
        sent.into_iter().for_each(|answer| self.add(&call.key, answer));
    }

    /// Takes the answers that were sent if all calls that are left are waited for: their order makes no difference then.
    fn take_needed(&mut self) {
        if self.open.len() <= self.wanted {
            self.sent().for_each(|exchange| self.arrive(exchange));
        }
    }

    /// The numbers of the calls whose answers were sent.
    pub(super) fn sent(&self) -> impl Iterator<Item = u64> + use<> {
        let sent = self.open.iter().filter(|open| open.sent.is_some()).filter_map(|open| open.exchange);
        sent.collect::<Vec<_>>().into_iter()
    }

    fn add(&mut self, key: &Value, answer: Value) {
        self.wanted -= 1;
        match &mut self.answers {
            Value::Map(map) => map.set_in_place(key, Some(Entry::always(answer))),
            only => *only = Value::some(answer),
        }
    }

    /// Tests whether the task can go on: enough peers have answered, or no call is left that may be answered.
    pub(super) fn is_enough(&self) -> bool {
        self.wanted == 0 || self.open.is_empty()
    }

    /// Takes the calls that are left, which become unawaited; those with an answer are over.
    pub(super) fn left(&mut self) -> impl Iterator<Item = OpenCall> {
        self.open.drain(..).filter(|call| call.sent.is_none()).map(|mut call| {
            call.forget_key();
            call
        })
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &Value> {
        self.open.iter().flat_map(OpenCall::values).chain([&self.answers])
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.open.iter_mut().flat_map(OpenCall::values_mut).chain([&mut self.answers])
    }
}
