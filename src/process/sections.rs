//! The life of sections: they are begun, suspended and resumed, and pending requests and messages change between them.
//!
//! For example the task of `on Take(n) { taken := taken + n; yield; reply taken; }` begins when its request is received, is suspended
//! at `yield`, and resumed when the server comes back to it. `let r = call store(k), Get;` suspends a task until the peer has
//! answered.

use std::sync::Arc;

use super::calls::{AwaitedCalls, CallPlace};
use super::pending::{self, ConnectionList, Pending, Sent, Situation, Suspended};
use super::task::{Frame, Port, Waiting};
use super::{PeerCall, PeerCalls, Process};
use crate::scalar::Scalar;
use crate::spec::Site;
use crate::spec::code::Program;
use crate::value::Value;

/// The work with which a section begins.
#[derive(Clone, PartialEq, Debug)]
pub enum SectionStart {
    /// The start of the server, which sets its state.
    Boot,
    /// The handler of a request of this connection.
    Request(Port, Value),
    /// The next section of the suspended task of this connection.
    Task(Port),
    /// The internal step with this number, in the order of the declarations.
    Step(usize),
    /// The handler that runs when a connection begins.
    Opened(Port),
    /// The handler that runs when a connection has ended.
    Left(Port),
    /// The handler that runs when the server starts again.
    Restarted,
}

impl SectionStart {
    /// The connection of the section's task; `None` if the section serves no connection.
    #[must_use]
    pub fn port(&self) -> Option<Port> {
        match self {
            SectionStart::Request(port, _) | SectionStart::Task(port) => Some(*port),
            SectionStart::Opened(port) | SectionStart::Left(port) => Some(*port),
            SectionStart::Boot | SectionStart::Step(_) | SectionStart::Restarted => None,
        }
    }

    /// The request that the section begins to handle.
    #[must_use]
    pub fn request(&self) -> Option<&Value> {
        if let SectionStart::Request(_, request) = self { Some(request) } else { None }
    }
}

impl Process {
    /// Begins to set the initial state; ends with [`Event::End`](super::Event::End).
    pub fn boot(&mut self, program: &Program) {
        self.enter(program, program.init);
    }

    /// Begins to handle a request of a client.
    pub fn receive(&mut self, program: &Program, request: &Value, client: u64) {
        self.receive_by(program, program.serve, request, client);
    }

    /// Begins to handle a request of a client by the function of this number: the program's handler, or a variant of it that chooses
    /// late.
    pub fn receive_by(&mut self, program: &Program, handler: u32, request: &Value, client: u64) {
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

    /// Begins an internal step of the server, by its number; ends with [`Event::End`](super::Event::End).
    pub fn step(&mut self, program: &Program, number: usize) {
        self.enter(program, program.steps[number].function);
    }

    fn enter(&mut self, program: &Program, function: u32) {
        // A section that was given up may have left values and notes.
        self.rest();
        let task = &mut self.task;
        let registers = program.functions[function as usize].registers as usize;
        if task.registers.len() != registers {
            task.registers.resize(registers, Value::Absent);
        }
        task.callers.clear();
        task.begin(Frame { function, pc: 0, base: 0, result: 0 });
    }

    /// Forgets the task after its section has ended: its registers share no values any more.
    pub fn rest(&mut self) {
        self.task.rest();
    }

    /// Begins the handler `on open` for a connection, if the specification has one.
    pub fn open(&mut self, program: &Program, port: Port) {
        self.notice(program, program.opens, port);
    }

    /// Begins the handler `on close` for a connection, if the specification has one.
    pub fn leave(&mut self, program: &Program, port: Port) {
        self.notice(program, program.closes, port);
    }

    fn notice(&mut self, program: &Program, function: Option<u32>, port: Port) {
        self.rest();
        let Some(function) = function else { return };
        self.enter(program, function);
        self.task.port = port;
        if let Some(register) = self.task.registers.first_mut() {
            register.put(Value::Scalar(Scalar::Client(port.0)));
        }
    }

    /// Loses everything that is pending, and begins the handler of restarts; returns false if the specification has none.
    pub fn restart(&mut self, program: &Program) -> bool {
        self.rest();
        self.pending = None;
        program.restarts.inspect(|function| self.enter(program, *function)).is_some()
    }

    /// Answers [`Event::Yield`](super::Event::Yield) by suspending the task: its section has ended.
    pub fn suspend(&mut self) {
        self.put_aside(None);
    }

    /// Answers [`Event::Call`](super::Event::Call) by suspending the task until enough peers have answered.
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

    /// Begins the next section of the suspended task at this place in [`Process::situation`].
    ///
    /// # Panics
    /// If nothing is at this place.
    pub fn wake(&mut self, at: usize) {
        self.rest();
        let resumed = self.change_pending(|pending| pending.suspended.remove(at));
        let Suspended { port, mut frames, registers, .. } = resumed;
        let task = &mut self.task;
        let frame = frames.pop().unwrap_or_default();
        (task.port, task.callers, task.registers) = (port, frames, registers);
        task.begin(frame);
    }

    /// Adds a request that arrives: it is pending until it is received. On a connection that the server has ended it is dropped.
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
    /// If nothing is at this place.
    pub fn receive_arrived(&mut self, program: &Program, at: usize) {
        let (port, value) = self.take_arrived(at);
        self.receive(program, &value, port.0);
    }

    /// Begins to handle a request that has arrived, and may arrive again.
    ///
    /// # Panics
    /// If nothing is at this place.
    pub fn receive_copy(&mut self, program: &Program, at: usize) {
        let (port, value) = self.change_pending(|pending| pending.arrived[at].clone());
        self.receive(program, &value, port.0);
    }

    /// Sends an answer on the port of the current task, or of the last one.
    pub fn send(&mut self, value: Value, site: Site) {
        self.emit(self.task.port, value, site);
    }

    /// The connection of the current task, unless the server has ended it.
    #[must_use]
    pub fn open_port(&self) -> Option<Port> {
        let is_closed = self.pending.as_deref().is_some_and(|pending| pending.closed.contains(&self.task.port));
        (!is_closed).then_some(self.task.port)
    }

    /// Answers [`Event::Emit`](super::Event::Emit): sends a message, unless the server has ended the connection.
    pub fn emit(&mut self, port: Port, value: Value, site: Site) {
        self.change_pending(|pending| {
            if !pending.closed.contains(&port) {
                pending.sent.push(Sent { port, value, site, is_endless: false });
            }
        });
    }

    /// Answers [`Event::Close`](super::Event::Close): the server ends a connection, and reads no more from it.
    pub fn close(&mut self, port: Port) {
        self.pending.get_or_insert_default().close(port);
    }

    /// Notes that a connection begins, for which `on open` is to run.
    pub fn begin_connection(&mut self, port: Port) {
        pending::add(&mut self.pending.get_or_insert_default().opening, port);
    }

    /// Notes that a connection has ended, for which `on close` is to run.
    pub fn end_connection(&mut self, port: Port) {
        pending::add(&mut self.pending.get_or_insert_default().leaving, port);
    }

    /// Drops the requests of a connection that were not read.
    pub fn drop_unread(&mut self, port: Port) {
        self.change_pending(|pending| pending.drop_unread(port));
    }

    /// Abandons a connection whose end nobody observes: the server reads no more from it, and `on open` does not run any more.
    pub fn abandon(&mut self, port: Port) {
        self.drop_unread(port);
        self.change_pending(|pending| pending.opening.retain(|own| *own != port));
    }

    /// Drops the messages sent on a connection, and its end: nobody observes them, or they have been observed.
    pub fn drop_sent(&mut self, port: Port) {
        self.change_pending(|pending| pending.drop_sent(port));
    }

    /// Notes that `on open` (or `on close`) has run for a connection.
    pub fn take_notice(&mut self, port: Port, list: ConnectionList) {
        self.change_pending(|pending| {
            let ports = match list {
                ConnectionList::Opening => &mut pending.opening,
                ConnectionList::Leaving => &mut pending.leaving,
            };
            ports.retain(|own| *own != port);
        });
    }

    /// The messages that were sent and not observed yet.
    #[must_use]
    pub fn sent(&self) -> &[Sent] {
        self.pending.as_deref().map_or(&[], |pending| &pending.sent)
    }

    /// Replaces the messages that were sent.
    pub fn replace_sent(&mut self, sent: Vec<Sent>) {
        self.change_pending(|pending| pending.sent = sent);
    }

    /// Takes the sent message at this place, after it has been observed.
    ///
    /// # Panics
    /// If nothing is at this place.
    pub fn take_sent(&mut self, at: usize) -> Sent {
        self.change_pending(|pending| pending.sent.remove(at))
    }

    /// Drops the value of the sent message at this place, as it is known to equal the one that was observed.
    ///
    /// # Panics
    /// If nothing is at this place.
    pub fn drop_sent_value(&mut self, at: usize) {
        self.set_sent(at, Value::Absent);
    }

    /// Replaces the sent message at this place by one that it is known to equal.
    ///
    /// # Panics
    /// If nothing is at this place.
    pub fn set_sent(&mut self, at: usize, message: Value) {
        self.change_pending(|pending| pending.sent[at].value = message);
    }

    /// Takes the arrived request at this place out of those that are pending.
    ///
    /// # Panics
    /// If nothing is at this place.
    pub fn take_arrived(&mut self, at: usize) -> (Port, Value) {
        self.change_pending(|pending| Arc::make_mut(&mut pending.arrived).remove(at))
    }

    /// The request at this place among those that have arrived, and its connection.
    ///
    /// # Panics
    /// If nothing is at this place.
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

    /// Sorts sent messages and arrived requests by port.
    pub fn order_by_port(&mut self) {
        if let Some(pending) = &mut self.pending {
            pending.order_by_port();
        }
    }

    /// Sorts sent messages and arrived requests by port and value; for networks on which their order does not matter.
    pub fn order_by_value(&mut self) {
        if let Some(pending) = &mut self.pending {
            pending.order_by_value();
        }
    }

    /// Tests whether an earlier arrived request equals the one at this place.
    #[must_use]
    pub fn has_arrived_twice(&self, at: usize) -> bool {
        self.pending.as_ref().is_some_and(|pending| pending.arrived[..at].contains(&pending.arrived[at]))
    }

    /// Tests whether only known messages were sent since an earlier state, and nothing else has changed.
    #[must_use]
    pub fn has_only_sent_since(&self, before: &Process) -> bool {
        let empty = Pending::default();
        let earlier = before.pending.as_deref().unwrap_or(&empty);
        self.memory == before.memory && self.pending.as_deref().unwrap_or(&empty).has_only_sent(earlier)
    }

    /// Makes each message that was sent since an earlier state stand for any number of equal ones, if all of them are known, and nothing
    /// else has changed.
    pub fn repeat_sent_since(&mut self, before: &Process) {
        if self.has_only_sent_since(before)
            && let Some(pending) = &mut self.pending
        {
            pending.make_endless(before.sent());
        }
    }

    /// The places of the calls that no peer has seen; of equal unawaited ones, the first.
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

    /// Takes the call at a place in [`Process::unseen_calls`] for a peer to see, under this number. The places of other calls may change.
    pub fn take_call(&mut self, place: CallPlace, exchange: u64) -> Option<PeerCall> {
        self.pending.as_mut()?.take_call(place, exchange)
    }

    /// The number of the peer that has seen a call under this number, and did not answer it yet.
    #[must_use]
    pub fn called_peer(&self, exchange: u64) -> Option<u32> {
        self.situation().calls().find(|call| call.exchange == Some(exchange)).map(|call| call.peer)
    }

    /// Answers the call that a peer has seen under this number; `None` if the peer failed. Returns false if there is no such call,
    /// awaited or not.
    pub fn answer_call(&mut self, exchange: u64, answer: Option<&Value>) -> bool {
        self.change_pending(|pending| pending.answer_call(exchange, answer))
    }

    /// Notes that a peer has sent the answer to the call that it has seen under this number. The answer may arrive later, after others
    /// that are sent after it. Returns false if there is no such call, awaited or not.
    pub fn send_answer(&mut self, exchange: u64, answer: &Value) -> bool {
        self.change_pending(|pending| pending.send_answer(exchange, answer))
    }

    /// Lets answers that peers have sent arrive at the suspended task at this place in [`Process::situation`].
    ///
    /// # Panics
    /// If nothing is at this place.
    pub fn arrive_answers(&mut self, at: usize, exchanges: &[u64]) {
        self.change_pending(|pending| pending.arrive_answers(at, exchanges));
    }

    fn change_pending<T>(&mut self, change: impl FnOnce(&mut Pending) -> T) -> T {
        let mut pending = self.pending.take().unwrap_or_default();
        let changed = change(&mut pending);
        if *pending != Pending::default() {
            self.pending = Some(pending);
        }
        changed
    }

    /// The control state of everything that is pending.
    #[must_use]
    pub fn situation(&self) -> Situation {
        self.pending.as_deref().map(Pending::situation).unwrap_or_default()
    }

    /// The ports of the suspended tasks, in the order of [`Process::situation`].
    pub fn suspended(&self) -> impl Iterator<Item = Port> {
        self.pending.iter().flat_map(|pending| &pending.suspended).map(|task| task.port)
    }

    /// Tests whether another process has the same pending requests, tasks and messages.
    #[must_use]
    pub fn has_same_pending(&self, other: &Process) -> bool {
        self.pending == other.pending
    }

    /// Tests whether all pending values are known.
    #[must_use]
    pub fn is_pending_known(&self) -> bool {
        self.pending.iter().flat_map(|pending| pending.values()).all(Value::is_known)
    }
}
