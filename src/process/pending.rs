//! Everything that is pending between two sections: requests that have arrived, suspended tasks, sent messages, and connections that
//! begin or end.
//!
//! ```text
//! arrived: c2 Take(3)      suspended: c1, after its `yield`      sent: c3 Taken      closed: c4
//! ```
//!
//! Requests and messages of one port are in the order in which they came. A network without an order between ports sorts them by
//! port.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::calls::{AwaitedCalls, CallPlace, CallState, OpenCall};
use super::event::PeerCall;
use super::task::{Frame, Port};
use crate::spec::Site;
use crate::spec::analysis::section_ahead::CodePlace;
use crate::value::Value;

/// A task between two of its sections.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Suspended {
    /// The connection that the task answers.
    pub(super) port: Port,
    /// The frames, the outermost first.
    pub(super) frames: Vec<Frame>,
    pub(super) registers: Vec<Value>,
    /// The calls for whose answers the task waits.
    pub(super) awaited: Option<AwaitedCalls>,
}

/// A list of connections for which the server's `on open` or `on close` has not run yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConnectionList {
    /// Connections that have begun.
    Opening,
    /// Connections that have ended.
    Leaving,
}

/// The control state of a suspended task: its port, its calls, and its frames.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Stack {
    /// The connection that the task answers.
    pub port: Port,
    /// The states of the calls for which the task waits.
    pub calls: Vec<CallState>,
    /// The number of answers for which the task waits.
    pub wanted: usize,
    pub(super) frames: Vec<Frame>,
}

/// A message that was sent to a client and not observed yet.
#[derive(Clone, PartialEq, Debug)]
pub struct Sent {
    /// The connection of the client.
    pub port: Port,
    /// The message; absent if it is known to equal the one that was observed.
    pub value: Value,
    /// The statement that sent it.
    pub site: Site,
    /// Set if the message stands for any number of equal ones: the server may have sent it again and again.
    pub is_endless: bool,
}

/// Everything that is pending between two sections.
#[derive(Clone, PartialEq, Default, Debug)]
pub(super) struct Pending {
    /// The requests that have arrived, shared with copies of the process. Requests that may be read again stay.
    pub(super) arrived: Arc<Vec<(Port, Value)>>,
    pub(super) suspended: Vec<Suspended>,
    pub(super) sent: Vec<Sent>,
    /// Connections that the server has ended, whose end was not observed yet.
    pub(super) closed: Vec<Port>,
    /// Connections that have begun, for which `on open` has not run.
    pub(super) opening: Vec<Port>,
    /// Connections that have ended, for which `on close` has not run.
    pub(super) leaving: Vec<Port>,
    /// The unawaited calls, sorted: those that no peer has seen come first.
    pub(super) unawaited: Vec<OpenCall>,
}

/// The control state of everything that is pending, without its values: candidates with different situations never merge.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Situation {
    /// The ports of the requests that have arrived.
    pub arrived: Vec<Port>,
    /// The places at which the suspended tasks go on.
    pub suspended: Vec<Stack>,
    /// The ports of the messages that were sent.
    pub sent: Vec<Port>,
    /// The positions in `sent` of the messages that stand for any number of equal ones.
    pub endless: Vec<usize>,
    /// The connections that the server has ended, whose end was not observed yet.
    pub closed: Vec<Port>,
    /// The connections that have begun, for which `on open` has not run.
    pub opening: Vec<Port>,
    /// The connections that have ended, for which `on close` has not run.
    pub leaving: Vec<Port>,
    /// The states of the unawaited calls.
    pub unawaited: Vec<CallState>,
}

impl Suspended {
    fn stack(&self) -> Stack {
        let open = self.awaited.iter().flat_map(|awaited| &awaited.open);
        let wanted = self.awaited.as_ref().map_or(0, |awaited| awaited.wanted);
        Stack { port: self.port, calls: open.map(OpenCall::state).collect(), wanted, frames: self.frames.clone() }
    }

    /// Ends the waiting if there are enough answers; returns the calls that become unawaited.
    fn stop_waiting(&mut self) -> Vec<OpenCall> {
        let Some(mut awaited) = self.awaited.take_if(|awaited| awaited.is_enough()) else { return Vec::new() };
        let base = self.frames.last().map_or(0, |frame| frame.base);
        let left = awaited.left().collect();
        self.registers[(base + awaited.result) as usize].put(awaited.answers);
        left
    }

    fn values(&self) -> impl Iterator<Item = &Value> {
        self.registers.iter().chain(self.awaited.iter().flat_map(AwaitedCalls::values))
    }

    fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.registers.iter_mut().chain(self.awaited.iter_mut().flat_map(AwaitedCalls::values_mut))
    }
}

impl Stack {
    /// Tests whether the task can be resumed: it waits for no call, or enough answers were sent.
    #[must_use]
    pub fn may_go_on(&self) -> bool {
        self.calls.is_empty() || self.calls.iter().filter(|call| call.is_answer_sent).count() >= self.wanted
    }

    /// The places at which the functions go on, the outermost first.
    pub fn places(&self) -> impl Iterator<Item = CodePlace> {
        self.frames.iter().map(|frame| (frame.function, frame.pc))
    }
}

impl Situation {
    /// Tests whether a task of a port is suspended.
    #[must_use]
    pub fn is_busy(&self, port: Port) -> bool {
        self.suspended.iter().any(|task| task.port == port)
    }

    /// The states of all calls that have no answer.
    pub fn calls(&self) -> impl Iterator<Item = &CallState> {
        self.suspended.iter().flat_map(|task| &task.calls).chain(&self.unawaited)
    }

    /// The states of the calls that no peer has seen.
    pub fn unseen_calls(&self) -> impl Iterator<Item = &CallState> {
        self.calls().filter(|call| call.exchange.is_none())
    }

    /// The places of the first request that has arrived on each port.
    pub fn first_arrived(&self) -> impl Iterator<Item = usize> {
        let mut met = FxHashSet::default();
        (0..self.arrived.len()).filter(move |at| met.insert(self.arrived[*at]))
    }
}

impl Pending {
    pub(super) fn situation(&self) -> Situation {
        Situation {
            arrived: self.arrived.iter().map(|(port, _)| *port).collect(),
            suspended: self.suspended.iter().map(Suspended::stack).collect(),
            sent: self.sent.iter().map(|message| message.port).collect(),
            endless: (0..self.sent.len()).filter(|at| self.sent[*at].is_endless).collect(),
            closed: self.closed.clone(),
            opening: self.opening.clone(),
            leaving: self.leaving.clone(),
            unawaited: self.unawaited.iter().map(OpenCall::state).collect(),
        }
    }

    pub(super) fn suspend(&mut self, mut suspended: Suspended) {
        let left = suspended.stop_waiting();
        let at = self.suspended.partition_point(|other| other.port <= suspended.port);
        self.suspended.insert(at, suspended);
        self.add_unawaited(left);
    }

    fn add_unawaited(&mut self, calls: Vec<OpenCall>) {
        if !calls.is_empty() {
            self.unawaited.extend(calls);
            self.order_unawaited();
        }
    }

    fn order_unawaited(&mut self) {
        let order = |call: &OpenCall| (call.exchange, call.call.peer);
        self.unawaited.sort_by(|a, b| order(a).cmp(&order(b)).then_with(|| a.values().cmp(b.values())));
    }

    /// The places of the calls that no peer has seen; of equal unawaited ones, the first.
    pub(super) fn unseen_calls(&self) -> Vec<CallPlace> {
        let unseen = |calls: &'_ [OpenCall]| {
            let unseen: Vec<usize> = (0..calls.len()).filter(|at| calls[*at].exchange.is_none()).collect();
            unseen.into_iter()
        };
        let awaited = self.suspended.iter().enumerate().flat_map(|(task, suspended)| {
            let calls = suspended.awaited.as_ref().map_or(&[][..], |awaited| &awaited.open);
            unseen(calls).map(move |at| CallPlace::Awaited(task, at))
        });
        let is_first = |at: &usize| *at == 0 || self.unawaited[*at - 1] != self.unawaited[*at];
        awaited.chain(unseen(&self.unawaited).filter(is_first).map(CallPlace::Unawaited)).collect()
    }

    /// Takes the call at a place for a peer to see, under this number; nothing if there is none that it may see.
    pub(super) fn take_call(&mut self, place: CallPlace, exchange: u64) -> Option<PeerCall> {
        match place {
            CallPlace::Awaited(task, at) => self.suspended.get_mut(task)?.awaited.as_mut()?.take(at, exchange),
            CallPlace::Unawaited(at) => {
                let taken = self.unawaited.get_mut(at)?.take(exchange);
                self.unawaited[at].call.key = Value::Absent;
                self.order_unawaited();
                taken
            }
        }
    }

    /// Adds the answer to the call that a peer has seen under this number, or that it failed (`None`); returns false if there is no such
    /// call.
    pub(super) fn answer_call(&mut self, exchange: u64, answer: Option<&Value>) -> bool {
        if let Some(at) = self.unawaited.iter().position(|call| call.is(exchange)) {
            self.unawaited.remove(at);
            return true;
        }
        let takes = |task: &mut Suspended| task.awaited.as_mut().is_some_and(|calls| calls.answer(exchange, answer));
        let Some(task) = self.suspended.iter_mut().find_map(|task| takes(task).then_some(task)) else { return false };
        let left = task.stop_waiting();
        self.add_unawaited(left);
        true
    }

    /// Notes that a peer has sent the answer to the call that it has seen under this number; returns false if there is no such call.
    pub(super) fn send_answer(&mut self, exchange: u64, answer: &Value) -> bool {
        let sends =
            |task: &mut Suspended| task.awaited.as_mut().is_some_and(|calls| calls.send_answer(exchange, answer));
        match self.suspended.iter_mut().position(sends) {
            Some(task) => {
                self.arrive_answers(task, &[]);
                true
            }
            None => self.answer_call(exchange, Some(answer)),
        }
    }

    /// Lets answers that were sent to calls of a task arrive.
    pub(super) fn arrive_answers(&mut self, task: usize, exchanges: &[u64]) {
        let task = &mut self.suspended[task];
        let awaited = task.awaited.iter_mut();
        awaited.for_each(|awaited| exchanges.iter().for_each(|exchange| awaited.arrive(*exchange)));
        let left = task.stop_waiting();
        self.add_unawaited(left);
    }

    /// Drops the requests of a connection that were not read.
    pub(super) fn drop_unread(&mut self, port: Port) {
        if self.arrived.iter().any(|(own, _)| *own == port) {
            Arc::make_mut(&mut self.arrived).retain(|(own, _)| *own != port);
        }
    }

    /// Ends a connection from the server's side: its unread requests are dropped, and nothing more is sent on it.
    pub(super) fn close(&mut self, port: Port) {
        self.drop_unread(port);
        self.opening.retain(|own| *own != port);
        add(&mut self.closed, port);
    }

    /// Forgets the messages sent on a connection, and its end: nobody observes them.
    pub(super) fn drop_sent(&mut self, port: Port) {
        self.sent.retain(|message| message.port != port);
        self.closed.retain(|own| *own != port);
    }

    /// Sorts sent messages and arrived requests by port.
    pub(super) fn order_by_port(&mut self) {
        if !self.arrived.is_sorted_by_key(|(port, _)| *port) {
            Arc::make_mut(&mut self.arrived).sort_by_key(|(port, _)| *port);
        }
        self.sent.sort_by_key(|message| message.port);
    }

    /// Sorts sent messages and arrived requests by port and value; for networks on which their order does not matter.
    pub(super) fn order_by_value(&mut self) {
        if !self.arrived.is_sorted() {
            Arc::make_mut(&mut self.arrived).sort();
        }
        self.sent.sort_by(|a, b| (a.port, &a.value, !a.is_endless).cmp(&(b.port, &b.value, !b.is_endless)));
    }

    /// Tests whether only known messages were sent since an earlier state, and nothing else changed.
    pub(super) fn has_only_sent(&self, before: &Pending) -> bool {
        let Pending { arrived, suspended, sent, closed, opening, leaving, unawaited } = self;
        let is_known = sent.iter().all(|message| before.sent.contains(message) || message.value.is_known());
        is_known
            && (arrived, suspended, closed) == (&before.arrived, &before.suspended, &before.closed)
            && (opening, leaving, unawaited) == (&before.opening, &before.leaving, &before.unawaited)
    }

    /// Makes each message that was sent since an earlier state stand for any number of equal ones.
    pub(super) fn make_endless(&mut self, before: &[Sent]) {
        let count = |all: &[Sent], one: &Sent| all.iter().filter(|other| *other == one).count();
        let new: Vec<Sent> =
            self.sent.iter().filter(|one| count(&self.sent, one) > count(before, one)).cloned().collect();
        for message in new {
            let is_it = |other: &Sent| other.port == message.port && other.value == message.value;
            self.sent.retain(|other| !is_it(other));
            self.sent.push(Sent { is_endless: true, ..message });
        }
        self.order_by_value();
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &Value> {
        let packets =
            self.arrived.iter().map(|(_, request)| request).chain(self.sent.iter().map(|message| &message.value));
        let tasks = self.suspended.iter().flat_map(Suspended::values);
        packets.chain(tasks).chain(self.unawaited.iter().flat_map(OpenCall::values))
    }

    /// The values that may be rewritten: if all arrived requests are known, they stay shared.
    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        let Pending { arrived, suspended, sent, unawaited, .. } = self;
        let messages = sent.iter_mut().map(|message| &mut message.value);
        let is_open = arrived.iter().any(|(_, request)| !request.is_known());
        let arrived = is_open.then(|| Arc::make_mut(arrived)).into_iter().flatten();
        let packets = arrived.map(|(_, request)| request).chain(messages);
        let tasks = suspended.iter_mut().flat_map(Suspended::values_mut);
        packets.chain(tasks).chain(unawaited.iter_mut().flat_map(OpenCall::values_mut))
    }
}

/// Adds a port to a sorted list, unless it is there.
pub(super) fn add(ports: &mut Vec<Port>, port: Port) {
    if let Err(at) = ports.binary_search(&port) {
        ports.insert(at, port);
    }
}
