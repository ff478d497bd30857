//! Sections: begun, suspended and resumed, and what is pending between two of them: requests that have arrived, tasks that are
//! suspended, answers that were sent.
//!
//! ```text
//! arrived: c2 Take(3)      suspended: c1, behind its `yield`      sent: c3 Taken
//! ```
//!
//! Each of the three is in the order of ports, and what has one port in the order in which it came.

use super::Process;
use super::task::{Frame, Port};
use crate::scalar::Scalar;
use crate::spec::Site;
use crate::spec::code::Program;
use crate::value::Value;

/// A task between two of its sections.
#[derive(Clone, PartialEq, Debug)]
struct Suspended {
    stack: Stack,
    registers: Vec<Value>,
}

/// Whom a task answers, and where it goes on: its frames, the outermost first.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Stack {
    /// Whom it answers.
    pub port: Port,
    frames: Vec<Frame>,
}

/// An answer under way.
#[derive(Clone, PartialEq, Debug)]
pub struct Sent {
    /// Whom it answers.
    pub port: Port,
    /// The answer.
    pub value: Value,
    /// The statement that sent it.
    pub site: Site,
}

/// Everything that is under way; there is none where nothing is.
#[derive(Clone, PartialEq, Default, Debug)]
pub(super) struct Sections {
    arrived: Vec<(Port, Value)>,
    suspended: Vec<Suspended>,
    sent: Vec<Sent>,
}

/// The situation of everything that is under way, without its values: candidates in which this differs are different.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Situation {
    /// The ports of the requests that have arrived.
    pub arrived: Vec<Port>,
    /// The places at which the suspended tasks go on.
    pub suspended: Vec<Stack>,
    /// The ports of the answers that were sent.
    pub sent: Vec<Port>,
}

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

    /// Answers [`Event::Yield`](super::Event::Yield) by putting the task aside until it is resumed: its section has ended.
    pub fn suspend(&mut self) {
        let task = &mut self.task;
        let frames = task.callers.drain(..).chain([task.frame]).collect();
        let registers = std::mem::take(&mut task.registers);
        (task.running, task.used) = (false, false);
        let suspended = Suspended { stack: Stack { port: task.port, frames }, registers };
        insert(&mut self.pending.get_or_insert_default().suspended, suspended, |task| task.stack.port);
    }

    /// Begins the next section of the task that was suspended at this place among those of [`Process::situation`].
    ///
    /// # Panics
    /// If there is none.
    pub fn wake(&mut self, at: usize) {
        self.rest();
        let suspended = self.change_pending(|pending| pending.suspended.remove(at));
        let Suspended { stack: Stack { port, mut frames }, registers } = suspended;
        let task = &mut self.task;
        let frame = frames.pop().unwrap_or_default();
        (task.port, task.callers, task.registers) = (port, frames, registers);
        task.begin(frame);
    }

    /// A request arrives; it waits until it is received.
    pub fn arrive(&mut self, port: Port, value: Value) {
        insert(&mut self.pending.get_or_insert_default().arrived, (port, value), |(port, _)| *port);
    }

    /// Begins to handle the request at this place among those that have arrived.
    ///
    /// # Panics
    /// If there is none.
    pub fn receive_arrived(&mut self, program: &Program, at: usize) {
        let (port, value) = self.change_pending(|pending| pending.arrived.remove(at));
        self.receive(program, &value, port.0);
    }

    /// Sends an answer on the port of the task that runs or ran last.
    pub fn send(&mut self, value: Value, site: Site) {
        let answer = Sent { port: self.task.port, value, site };
        insert(&mut self.pending.get_or_insert_default().sent, answer, |answer| answer.port);
    }

    /// Takes the answer at this place among those that were sent: it has been observed.
    ///
    /// # Panics
    /// If there is none.
    pub fn take_sent(&mut self, at: usize) -> Sent {
        self.change_pending(|pending| pending.sent.remove(at))
    }

    fn change_pending<T>(&mut self, change: impl FnOnce(&mut Sections) -> T) -> T {
        let mut pending = self.pending.take().unwrap_or_default();
        let changed = change(&mut pending);
        if *pending != Sections::default() {
            self.pending = Some(pending);
        }
        changed
    }

    /// The situation of everything that is under way.
    #[must_use]
    pub fn situation(&self) -> Situation {
        let Some(Sections { arrived, suspended, sent }) = self.pending.as_deref() else { return Situation::default() };
        Situation {
            arrived: arrived.iter().map(|(port, _)| *port).collect(),
            suspended: suspended.iter().map(|task| task.stack.clone()).collect(),
            sent: sent.iter().map(|answer| answer.port).collect(),
        }
    }

    /// The ports of the suspended tasks, in the order of [`Process::situation`].
    pub fn suspended(&self) -> impl Iterator<Item = Port> {
        self.pending.iter().flat_map(|pending| &pending.suspended).map(|task| task.stack.port)
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

impl Sections {
    pub(super) fn values(&self) -> impl Iterator<Item = &Value> {
        let Sections { arrived, suspended, sent } = self;
        let packets = arrived.iter().map(|(_, request)| request).chain(sent.iter().map(|answer| &answer.value));
        packets.chain(suspended.iter().flat_map(|task| &task.registers))
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        let Sections { arrived, suspended, sent } = self;
        let answers = sent.iter_mut().map(|answer| &mut answer.value);
        let packets = arrived.iter_mut().map(|(_, request)| request).chain(answers);
        packets.chain(suspended.iter_mut().flat_map(|task| &mut task.registers))
    }
}

/// Puts something behind those of its port.
fn insert<T>(all: &mut Vec<T>, new: T, port: impl Fn(&T) -> Port) {
    let at = all.partition_point(|other| port(other) <= port(&new));
    all.insert(at, new);
}
