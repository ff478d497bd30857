//! Sections: begun, suspended and resumed, and what is pending between two of them is changed.
//!
//! `on Take(n) { taken := taken + n; yield; reply taken; }` is begun when its request is received, suspended, and resumed when the
//! server comes back to it; `let r = call store(k), Get;` suspends it until the peer has answered.

use std::sync::Arc;

use super::calls::{AwaitedCalls, CallPlace};
use super::pending::{self, ConnectionList, Pending, Sent, Situation, Suspended};
use super::task::{Frame, Port, Waiting};
use super::{PeerCall, PeerCalls, Process};
use crate::scalar::Scalar;
use crate::spec::Site;
use crate::spec::code::Program;
use crate::value::Value;

impl Process {
    /// Begins to set the initial state; ends with [`Event::End`](super::Event::End).
    pub fn boot(&mut self, program: &Program) {
        self.enter(program, program.init);
    }

    /// Begins to handle a request of a client.
    pub fn receive(&mut self, program: &Program, request: &Value, client: u64) {
        self.receive_by(program, program.serve, (request, client));
    }

    /// Begins to handle it by a handler of this number: the program's own, or the one that chooses late.
    pub fn receive_by(&mut self, program: &Program, handler: u32, (request, client): (&Value, u64)) {
        self.enter(program, handler);
        self.task.port = Port(client);
        let mut registers = self.task.registers.iter_mut();
        if let Some(register) = registers.next() {
            register.put(request.clone());
        }
        if let Some(register) = registers.next() {
            register.put(Value::Scalar(Scalar::Client(client)));
        }
    }

    /// Begins what the server may do by itself: the step of that number. It ends with [`Event::End`](super::Event::End).
    pub fn step(&mut self, program: &Program, number: usize) {
        self.enter(program, program.steps[number].function);
    }

    fn enter(&mut self, program: &Program, function: u32) {
        // A section that was given up has left something.
        self.rest();
        let task = &mut self.task;
        let registers = program.functions[function as usize].registers as usize;
        if task.registers.len() != registers {
            task.registers.resize(registers, Value::Absent);
        }
        task.callers.clear();
        task.begin(Frame { function, pc: 0, base: 0, result: 0 });
    }

    /// Forgets the task: its section has ended, and what its registers held is shared with them no more.
    pub fn rest(&mut self) {
        self.task.rest();
    }

    /// Begins what the server does when a connection opens, if the specification says anything of that.
    pub fn open(&mut self, program: &Program, port: Port) {
        self.notice(program, (program.opens, port));
    }

    /// Begins what the server does when a connection has ended, if the specification says anything of that.
    pub fn leave(&mut self, program: &Program, port: Port) {
        self.notice(program, (program.closes, port));
    }

    fn notice(&mut self, program: &Program, (function, port): (Option<u32>, Port)) {
        self.rest();
        let Some(function) = function else { return };
        self.enter(program, function);
        self.task.port = port;
        if let Some(register) = self.task.registers.first_mut() {
            register.put(Value::Scalar(Scalar::Client(port.0)));
        }
    }

    /// Loses everything that is under way, and begins what the server does when it starts again, if the specification says anything of
    /// that; whether it does.
    pub fn restart(&mut self, program: &Program) -> bool {
        self.rest();
        self.pending = None;
        program.restarts.inspect(|function| self.enter(program, *function)).is_some()
    }

    /// Answers [`Event::Yield`](super::Event::Yield) by putting the task aside until it is resumed: its section has ended.
    pub fn suspend(&mut self) {
        self.put_aside(None);
    }

    /// Answers [`Event::Call`](super::Event::Call) by putting the task aside until enough peers have answered.
    pub fn suspend_calling(&mut self, calls: PeerCalls) {
        let Waiting::Value(result) = self.task.waiting else { return };
        self.task.proceed();
        self.put_aside(Some(AwaitedCalls::of(calls, result)));
    }

    fn put_aside(&mut self, awaited: Option<AwaitedCalls>) {
        let task = &mut self.task;
        let frames = task.callers.drain(..).chain([task.frame]).collect();
        let registers = std::mem::take(&mut task.registers);
        (task.running, task.used) = (false, false);
        let suspended = Suspended { port: task.port, frames, registers, awaited };
        self.pending.get_or_insert_default().suspend(suspended);
    }

    /// Begins the next section of the task that was suspended at this place among those of [`Process::situation`].
    ///
    /// # Panics
    /// If there is none.
    pub fn wake(&mut self, at: usize) {
        self.rest();
        let resumed = self.change_pending(|pending| pending.suspended.remove(at));
        let Suspended { port, mut frames, registers, .. } = resumed;
        let task = &mut self.task;
        let frame = frames.pop().unwrap_or_default();
        (task.port, task.callers, task.registers) = (port, frames, registers);
        task.begin(frame);
    }

    /// A request arrives; it waits until it is received. On a connection that the server has ended it is dropped.
    pub fn arrive(&mut self, port: Port, value: Value) {
        self.change_pending(|pending| {
            if !pending.closed.contains(&port) {
                Arc::make_mut(&mut pending.arrived).push((port, value));
            }
        });
    }

    /// Begins to handle the request at this place among those that have arrived.
    ///
    /// # Panics
    /// If there is none.
    pub fn receive_arrived(&mut self, program: &Program, at: usize) {
        let (port, value) = self.take_arrived(at);
        self.receive(program, &value, port.0);
    }

    /// Begins to handle a request that has arrived, and may arrive again.
    ///
    /// # Panics
    /// If there is none at this place.
    pub fn receive_copy(&mut self, program: &Program, at: usize) {
        let (port, value) = self.change_pending(|pending| pending.arrived[at].clone());
        self.receive(program, &value, port.0);
    }

    /// Sends an answer on the port of the task that runs or ran last.
    pub fn send(&mut self, value: Value, site: Site) {
        self.emit(self.task.port, value, site);
    }

    /// Answers [`Event::Emit`](super::Event::Emit): sends a message, unless the server has ended the connection.
    pub fn emit(&mut self, port: Port, value: Value, site: Site) {
        self.change_pending(|pending| {
            if !pending.closed.contains(&port) {
                pending.sent.push(Sent { port, value, site, is_endless: false });
            }
        });
    }

    /// Answers [`Event::Close`](super::Event::Close): the server ends a connection, of which it reads no more.
    pub fn close(&mut self, port: Port) {
        self.pending.get_or_insert_default().close(port);
    }

    /// A connection begins, which the server is to take notice of.
    pub fn begin_connection(&mut self, port: Port) {
        pending::add(&mut self.pending.get_or_insert_default().opening, port);
    }

    /// A connection has ended, which the server is to take notice of.
    pub fn end_connection(&mut self, port: Port) {
        pending::add(&mut self.pending.get_or_insert_default().leaving, port);
    }

    /// Drops the requests of a connection that were not read.
    pub fn drop_unread(&mut self, port: Port) {
        self.change_pending(|pending| pending.drop_unread(port));
    }

    /// The server reads no more of a connection of which nobody sees the end.
    pub fn abandon(&mut self, port: Port) {
        self.drop_unread(port);
        self.change_pending(|pending| pending.opening.retain(|own| *own != port));
    }

    /// Drops what was sent on a connection, the end of it, too: nobody sees it, or it has been seen.
    pub fn drop_sent(&mut self, port: Port) {
        self.change_pending(|pending| pending.drop_sent(port));
    }

    /// The server has taken notice of the beginning and the end of a connection.
    pub fn take_notice(&mut self, port: Port, list: ConnectionList) {
        self.change_pending(|pending| {
            let ports = match list {
                ConnectionList::Opening => &mut pending.opening,
                ConnectionList::Leaving => &mut pending.leaving,
            };
            ports.retain(|own| *own != port);
        });
    }

    /// The messages under way.
    #[must_use]
    pub fn sent(&self) -> &[Sent] {
        self.pending.as_deref().map_or(&[], |pending| &pending.sent)
    }

    /// Puts other messages in the place of those that were sent.
    pub fn replace_sent(&mut self, sent: Vec<Sent>) {
        self.change_pending(|pending| pending.sent = sent);
    }

    /// Takes the message at this place among those that were sent: it has been observed.
    ///
    /// # Panics
    /// If there is none.
    pub fn take_sent(&mut self, at: usize) -> Sent {
        self.change_pending(|pending| pending.sent.remove(at))
    }

    /// Puts a message that is known to be the one that is seen in the place of one under way.
    ///
    /// # Panics
    /// If there is none at this place.
    pub fn settle_sent(&mut self, at: usize) {
        self.set_sent(at, Value::Absent);
    }

    /// Lets the message at this place be this one, which it is known to equal.
    ///
    /// # Panics
    /// If there is none.
    pub fn set_sent(&mut self, at: usize, message: Value) {
        self.change_pending(|pending| pending.sent[at].value = message);
    }

    /// Takes the request at this place among those that have arrived: it is lost.
    ///
    /// # Panics
    /// If there is none.
    pub fn take_arrived(&mut self, at: usize) -> (Port, Value) {
        self.change_pending(|pending| Arc::make_mut(&mut pending.arrived).remove(at))
    }

    /// The request at this place among those that have arrived, and its connection.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub fn arrived(&self, at: usize) -> (Port, &Value) {
        let arrived = self.pending.as_deref().map_or(&[][..], |pending| &pending.arrived[..]);
        (arrived[at].0, &arrived[at].1)
    }

    /// The number of requests that have arrived and were not read.
    #[must_use]
    pub fn arrived_count(&self) -> usize {
        self.pending.as_deref().map_or(0, |pending| pending.arrived.len())
    }

    /// Tests whether an equal request of a client has arrived.
    #[must_use]
    pub fn has_arrived(&self, port: Port, request: &Value) -> bool {
        let arrived = self.pending.iter().flat_map(|pending| pending.arrived.iter());
        arrived.into_iter().any(|(own, other)| *own == port && other == request)
    }

    /// Brings what was sent and has arrived into the order of ports.
    pub fn order_by_port(&mut self) {
        if let Some(pending) = &mut self.pending {
            pending.order_by_port();
        }
    }

    /// Brings what was sent and has arrived into one order, if its order means nothing.
    pub fn order_by_value(&mut self) {
        if let Some(pending) = &mut self.pending {
            pending.order_by_value();
        }
    }

    /// Tests whether an earlier request of those that have arrived equals the one at this place.
    #[must_use]
    pub fn has_arrived_twice(&self, at: usize) -> bool {
        self.pending.as_ref().is_some_and(|pending| pending.arrived[..at].contains(&pending.arrived[at]))
    }

    /// Tests whether it has sent known messages since, and nothing else has changed.
    #[must_use]
    pub fn has_only_sent_since(&self, before: &Process) -> bool {
        let empty = Pending::default();
        let earlier = before.pending.as_deref().unwrap_or(&empty);
        self.memory == before.memory && self.pending.as_deref().unwrap_or(&empty).has_only_sent(earlier)
    }

    /// Lets the messages that it has sent since be under way any number of times, if nothing else has changed since and all of them
    /// are known.
    pub fn repeat_sent_since(&mut self, before: &Process) {
        if self.has_only_sent_since(before)
            && let Some(pending) = &mut self.pending
        {
            pending.make_endless(before.sent());
        }
    }

    /// The places of the calls that no peer has seen; of equal ones that nobody waits for, one.
    #[must_use]
    pub fn unseen_calls(&self) -> Vec<CallPlace> {
        self.pending.as_deref().map(Pending::unseen_calls).unwrap_or_default()
    }

    /// The port of the task that waits for the call at a place.
    #[must_use]
    pub fn waiting(&self, place: CallPlace) -> Option<Port> {
        match place {
            CallPlace::Awaited(task, _) => self.suspended().nth(task),
            CallPlace::Unawaited(_) => None,
        }
    }

    /// Takes the call at a place among [`Process::unseen_calls`]: a peer has seen it, under this number. The places of others may change.
    pub fn take_call(&mut self, place: CallPlace, exchange: u64) -> Option<PeerCall> {
        self.pending.as_mut()?.take_call(place, exchange)
    }

    /// The number of the peer that has seen a call under this number, if one has and did not answer.
    #[must_use]
    pub fn called_peer(&self, exchange: u64) -> Option<u32> {
        self.situation().calls().find(|call| call.exchange == Some(exchange)).map(|call| call.peer)
    }

    /// Answers the call that a peer has seen under this number; nothing if it failed. Whether there is one, which somebody may have
    /// waited for or not.
    pub fn answer_call(&mut self, exchange: u64, answer: Option<&Value>) -> bool {
        self.change_pending(|pending| pending.answer_call(exchange, answer))
    }

    fn change_pending<T>(&mut self, change: impl FnOnce(&mut Pending) -> T) -> T {
        let mut pending = self.pending.take().unwrap_or_default();
        let changed = change(&mut pending);
        if *pending != Pending::default() {
            self.pending = Some(pending);
        }
        changed
    }

    /// The situation of everything that is under way.
    #[must_use]
    pub fn situation(&self) -> Situation {
        self.pending.as_deref().map(Pending::situation).unwrap_or_default()
    }

    /// The ports of the suspended tasks, in the order of [`Process::situation`].
    pub fn suspended(&self) -> impl Iterator<Item = Port> {
        self.pending.iter().flat_map(|pending| &pending.suspended).map(|task| task.port)
    }

    /// Tests whether another process has the same under way.
    #[must_use]
    pub fn has_same_pending(&self, other: &Process) -> bool {
        self.pending == other.pending
    }

    /// Tests whether all that is under way is known.
    #[must_use]
    pub fn is_pending_known(&self) -> bool {
        self.pending.iter().flat_map(|pending| pending.values()).all(Value::is_known)
    }
}
