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
}

/// The state of a call without an answer, without its values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CallState {
    /// The number of the peer in the specification.
    pub peer: u32,
    /// The number under which the peer has seen the call, if it has.
    pub exchange: Option<u64>,
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
        CallState { peer: self.call.peer, exchange: self.exchange }
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
        [&self.call.key, &self.call.request].into_iter()
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        [&mut self.call.key, &mut self.call.request].into_iter()
    }
}

impl AwaitedCalls {
    pub(super) fn of(PeerCalls { calls, wanted, unanswered }: PeerCalls, result: Register) -> AwaitedCalls {
        let open = calls.into_iter().map(|call| OpenCall { call, exchange: None }).collect();
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
        let Some(answer) = answer else { return true };
        self.wanted -= 1;
        match &mut self.answers {
            Value::Map(map) => map.set_in_place(&key, Some(Entry::always(answer.clone()))),
            only => *only = Value::some(answer.clone()),
        }
        true
    }

    /// Tests whether the task can go on: enough peers have answered, or no call is left that may be answered.
    pub(super) fn is_enough(&self) -> bool {
        self.wanted == 0 || self.open.is_empty()
    }

    /// Takes the calls that are left, which become unawaited.
    pub(super) fn left(&mut self) -> impl Iterator<Item = OpenCall> {
        self.open.drain(..).map(|mut call| {
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
