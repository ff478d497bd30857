//! A task: the computation that a request began, running or suspended.
//!
//! `on Take(n) { taken := taken + n; yield; reply taken; }` is two sections. Between them the task is suspended: other tasks
//! may change what is taken.

use std::sync::Arc;

use super::notes::{Seldom, Slots};
use super::{Event, Process, SECTION_LIMIT};
use crate::scalar::Scalar;
use crate::spec::Site;
use crate::spec::code::{Pc, Program, Register};
use crate::term::Term;
use crate::value::{Ask, Truth, Value};

/// A client's connection, by its number: requests come from it, and answers go to it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Port(pub u64);

/// The computation that runs: all that one section needs.
#[derive(Clone, Debug, Default)]
pub(super) struct Task {
    /// Whom it answers.
    pub(super) port: Port,
    /// Set where it has begun and not ended.
    pub(super) running: bool,
    /// Set where its registers may hold something.
    pub(super) used: bool,
    /// The innermost function.
    pub(super) frame: Frame,
    /// Those that called it, the outermost first.
    pub(super) callers: Vec<Frame>,
    pub(super) registers: Vec<Value>,
    pub(super) guards: Vec<Guard>,
    pub(super) waiting: Waiting,
    /// Instructions left in this section.
    pub(super) fuel: u32,
    /// Slots that this section stored to.
    pub(super) stored: Slots,
    /// Entries of maps that this section read and in which something was not known, each as variable and key.
    pub(super) read_open: Vec<(u32, Value)>,
    /// The notes that are seldom.
    pub(super) notes: Seldom,
    /// A register whose value has too many alternatives.
    pub(super) oversize: Option<Register>,
    /// An event that was met and is still to be answered.
    pub(super) held: Option<Box<Event>>,
}

/// A function that has been entered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct Frame {
    pub(super) function: u32,
    pub(super) pc: Pc,
    pub(super) base: u32,
    /// The register in which the caller wants the result.
    pub(super) result: Register,
}

/// An open conditional expression.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    pub(super) depth: usize,
    pub(super) split: Pc,
    pub(super) condition: Term,
    /// The condition of the arm being evaluated, with those of the enclosing arms.
    pub(super) path: Term,
    /// The first arm's value, once it is known.
    pub(super) first: Option<Value>,
}

/// The answer that the process has asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Waiting {
    /// Nothing.
    #[default]
    Nothing,
    /// A value for a register.
    Value(Register),
    /// The side of a branch; the other one begins there.
    Side(Pc),
    /// A decision on which the current instruction must fork.
    Decision(Term),
    /// A decision that takes alternatives away from a register's value.
    Force(Register, Term),
    /// A decision whether the arms of a conditional expression are open.
    Arms { split: Pc, otherwise: Pc, condition: Term },
    /// One of these positions.
    Target(Arc<[Pc]>),
    /// One of these values, for a register; and when each of them is there, where one may not be.
    Element(Register, Vec<Value>, Option<Box<Presences>>),
    /// A part of an unknown value.
    Look(Ask),
}

/// The conditions on which each of some elements is there, one of which is picked.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Presences {
    pub(super) there: Vec<Truth>,
    /// Set where equal elements are one: those of a set or map.
    pub(super) are_distinct: bool,
    /// The node that picks it.
    pub(super) site: Site,
}

/// A task between two of its sections.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Suspended {
    pub(super) stack: Stack,
    pub(super) registers: Vec<Value>,
}

/// Whom a task answers, and where it goes on: its frames, the outermost first.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Stack {
    /// Whom it answers.
    pub port: Port,
    frames: Vec<Frame>,
}

impl Process {
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

    /// Begins what the server may do by itself: the step of that number. It ends with [`Event::End`].
    pub fn step(&mut self, program: &Program, number: usize) {
        self.enter(program, program.steps[number].function);
    }

    pub(super) fn enter(&mut self, program: &Program, function: u32) {
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
        self.task.running = false;
        if std::mem::take(&mut self.task.used) {
            self.task.registers.iter_mut().for_each(Value::clear);
            self.task.guards.clear();
        }
        self.proceed();
    }

    /// Answers [`Event::Yield`] by putting the task aside until it is resumed: its section has ended.
    pub fn suspend(&mut self) {
        let task = &mut self.task;
        let frames = task.callers.drain(..).chain([task.frame]).collect();
        let registers = std::mem::take(&mut task.registers);
        (task.running, task.used) = (false, false);
        let stack = Stack { port: task.port, frames };
        self.add_suspended(Suspended { stack, registers });
    }

    /// Begins the next section of the task that was suspended at this place among those of [`Process::situation`].
    ///
    /// # Panics
    /// If there is none.
    pub fn wake(&mut self, at: usize) {
        self.rest();
        let Suspended { stack: Stack { port, mut frames }, registers } = self.take_suspended(at);
        let task = &mut self.task;
        let frame = frames.pop().unwrap_or_default();
        (task.port, task.callers, task.registers) = (port, frames, registers);
        task.begin(frame);
    }

    /// The size of a copy of the task: its registers and frames.
    #[must_use]
    pub fn size(&self) -> usize {
        self.task.registers.len() + self.task.callers.len()
    }
}

impl Task {
    /// Begins a section there.
    fn begin(&mut self, frame: Frame) {
        self.clear_notes();
        self.fuel = SECTION_LIMIT;
        self.frame = frame;
        (self.running, self.used) = (true, true);
    }
}
