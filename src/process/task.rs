//! The running task: the computation that a request began, section by section.
//!
//! `on Take(n) { taken := taken + n; yield; reply taken; }` is two sections. Between them the task is suspended: other tasks may
//! change `taken`.

use std::sync::Arc;

use super::Event;
use super::instructions::evaluate::{Evaluated, Executed, Obstacle};
use super::notes::{Slots, SparseNotes};
use crate::limits;
use crate::scalar::Scalar;
use crate::spec::Site;
use crate::spec::code::{Function, Pc, Program, Register};
use crate::term::Term;
use crate::value::{Alternatives, Ask, Truth, Value};

/// A client's connection, by its number: requests come from it, and answers go to it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Port(pub u64);

impl Port {
    /// The connection of a client, if the client is known.
    #[must_use]
    pub fn of(client: &Value) -> Option<Port> {
        match client {
            Value::Scalar(Scalar::Client(number)) => Some(Port(*number)),
            _ => None,
        }
    }
}

/// The reads of open entries that a section notes.
pub(super) const READ_OPEN: usize = 8;

/// The state of the running task.
///
/// ```text
/// callers   serve ▸ on Take          registers   0 1 2 │ 3 4 │ 5 6 7     a frame's begin at its base
/// frame     proc log, pc 4           guards      if #1 { …here… }        the innermost last
/// ```
///
/// 1. The frames' registers lie one after another in `registers`, those of `frame` last.
/// 2. Each guard's `path` is the conjunction of its own condition and those of the guards before it.
/// 3. `waiting` is [`Waiting::Nothing`], unless the last event needs an answer; then no instruction runs before the answer.
#[derive(Clone, Debug, Default)]
pub(super) struct Task {
    /// The connection that the task answers.
    pub(super) port: Port,
    /// Set if the section has begun and not ended.
    pub(super) running: bool,
    /// Set if registers may hold values.
    pub(super) used: bool,
    /// The frame of the innermost function.
    pub(super) frame: Frame,
    /// The frames of its callers, the outermost first.
    pub(super) callers: Vec<Frame>,
    pub(super) registers: Vec<Value>,
    pub(super) guards: Vec<Guard>,
    pub(super) waiting: Waiting,
    /// The number of instructions left for this section.
    pub(super) fuel: u32,
    /// The slots to which this section stored.
    pub(super) stored: Slots,
    /// Open entries of maps that this section read, each as variable and key.
    pub(super) read_open: Vec<(u32, Value)>,
    /// The notes that few sections make.
    pub(super) notes: SparseNotes,
    /// A register whose value has too many alternatives, and is forced next.
    pub(super) oversize: Option<Register>,
    /// The number of enclosing iterations over elements whose order matters and is not known.
    pub(super) disordered: u32,
    /// An event that is yielded next, before any instruction runs.
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

/// The answer for which the process waits.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Waiting {
    /// Nothing.
    #[default]
    Nothing,
    /// A value for a register.
    Value(Register),
    /// The side of a branch; the other side begins at this position.
    Side(Pc),
    /// A decision on which the current instruction must fork.
    Decision(Term),
    /// A decision that takes alternatives away from a register's value.
    Force(Register, Term),
    /// The arms of a conditional expression that are to be evaluated.
    Arms { split: Pc, otherwise: Pc, condition: Term },
    /// One of these positions.
    Target(Arc<[Pc]>),
    /// One of these values, for a register; with their presences, if one may be missing.
    Element(Register, Vec<Value>, Option<Box<Presences>>),
    /// A part of an unknown value.
    Look(Ask),
}

/// The presences of the elements of which one is picked.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Presences {
    pub(super) there: Vec<Truth>,
    /// Set if equal elements count as one: those of a set or map.
    pub(super) are_distinct: bool,
    /// The syntax node of the pick.
    pub(super) site: Site,
}

impl Task {
    /// Begins a section in a frame.
    pub(super) fn begin(&mut self, frame: Frame) {
        self.clear_notes();
        self.fuel = limits::SECTION_LIMIT;
        self.frame = frame;
        (self.running, self.used) = (true, true);
    }

    /// Ends the section: the registers share no values any more.
    pub(super) fn rest(&mut self) {
        self.running = false;
        if std::mem::take(&mut self.used) {
            self.registers.iter_mut().for_each(Value::clear);
            self.guards.clear();
        }
        self.proceed();
    }

    /// Forgets all notes of a section.
    pub(super) fn clear_notes(&mut self) {
        self.guards.clear();
        self.stored.clear();
        self.read_open.clear();
        self.notes.clear();
        self.oversize = None;
        self.disordered = 0;
        self.held = None;
    }

    /// The function that runs.
    pub(super) fn function<'p>(&self, program: &'p Program) -> &'p Function {
        &program.functions[self.frame.function as usize]
    }

    /// Waits for no answer any more.
    pub(super) fn proceed(&mut self) {
        if !matches!(self.waiting, Waiting::Nothing) {
            self.waiting = Waiting::Nothing;
        }
    }

    /// Waits for an answer. A former question without heap memory is replaced without a call.
    pub(super) fn wait(&mut self, waiting: Waiting) {
        match &self.waiting {
            Waiting::Nothing | Waiting::Value(_) | Waiting::Side(_) => {
                std::mem::forget(std::mem::replace(&mut self.waiting, waiting));
            }
            _ => self.waiting = waiting,
        }
    }

    /// The condition of the arm that is being evaluated; `None` if there is no guard.
    pub(super) fn path(&self) -> Option<&Term> {
        self.guards.last().map(|guard| &guard.path)
    }

    /// The condition `guard ∧ condition`, with the guard of the arm being evaluated.
    pub(super) fn under_guard(&self, condition: Truth) -> Truth {
        match self.path() {
            Some(path) => Truth::of(path.clone()).and(condition),
            None => condition,
        }
    }

    /// The condition `guard → condition`, with the guard of the arm being evaluated.
    pub(super) fn where_guarded(&self, condition: Truth) -> Truth {
        match self.path() {
            Some(_) => self.under_guard(condition.not()).not(),
            None => condition,
        }
    }

    /// The decision on a condition in this section, if there was one.
    pub(super) fn decided(&self, condition: &Term) -> Option<bool> {
        let negated = Term::not(condition);
        self.notes.read().decided.iter().rev().find_map(|(term, holds)| {
            if term == condition { Some(*holds) } else { (*term == negated).then_some(!holds) }
        })
    }

    /// The truth of a condition that is known or was decided in this section; else the obstacle that it must be decided.
    pub(super) fn asked(&self, condition: &Term) -> Result<bool, Obstacle> {
        let known = condition.as_bool().or_else(|| self.decided(condition));
        known.ok_or_else(|| Obstacle::Decide(condition.clone()))
    }

    pub(super) fn register(&self, register: Register) -> &Value {
        &self.registers[(self.frame.base + register) as usize]
    }

    #[inline]
    pub(super) fn set(&mut self, register: Register, value: Value) {
        let base = self.frame.base;
        self.registers[(base + register) as usize].put(value);
    }

    /// Sets a register, and notes a value with too many alternatives, which is forced next.
    #[inline]
    pub(super) fn keep_small(&mut self, register: Register, value: Value) {
        let too_many = matches!(&value, Value::Union(alternatives) if is_forced(alternatives));
        if too_many {
            self.oversize = Some(register);
        }
        self.set(register, value);
    }

    #[inline]
    pub(super) fn keep(&mut self, dst: Register, value: Evaluated) -> Result<Executed, Obstacle> {
        self.keep_small(dst, value?);
        Ok(Executed::Following)
    }

    pub(super) fn jump(&mut self, pc: Pc) {
        self.frame.pc = pc;
    }

    pub(super) fn goto(&mut self, pc: Pc) -> Result<Executed, Obstacle> {
        self.jump(pc);
        Ok(Executed::Moved)
    }

    /// Yields an event, after which the task goes on at the next instruction.
    pub(super) fn event(&mut self, event: Event) -> Result<Executed, Obstacle> {
        self.frame.pc += 1;
        Ok(Executed::Event(event))
    }

    /// Yields an event with a condition, unless the condition is known to hold.
    pub(super) fn condition(
        &mut self,
        condition: Truth,
        event: impl FnOnce(Truth) -> Event,
    ) -> Result<Executed, Obstacle> {
        if condition.is_true() { Ok(Executed::Following) } else { self.event(event(condition)) }
    }

    /// Copies another task into this one, whose memory it reuses.
    pub(super) fn copy_from(&mut self, other: &Task) {
        let Task {
            port,
            running,
            used,
            frame,
            callers,
            registers,
            guards,
            waiting,
            fuel,
            stored,
            read_open,
            notes,
            oversize,
            disordered,
            held,
        } = other;
        (self.port, self.running, self.used, self.frame, self.fuel) = (*port, *running, *used, *frame, *fuel);
        self.oversize = *oversize;
        self.disordered = *disordered;
        self.held.clone_from(held);
        copy_few(&mut self.callers, callers);
        copy_values(&mut self.registers, registers);
        copy_few(&mut self.guards, guards);
        self.waiting.clone_from(waiting);
        self.stored.copy_from(stored);
        copy_few(&mut self.read_open, read_open);
        self.notes.clone_from(notes);
    }
}

/// Tests whether a value with these alternatives must be forced before an operation uses it.
pub(super) fn is_forced(alternatives: &Alternatives) -> bool {
    alternatives.is_apart() || alternatives.len() > limits::UNION_LIMIT
}

/// Copies a list that is mostly empty.
fn copy_few<T: Clone>(to: &mut Vec<T>, from: &[T]) {
    if !(to.is_empty() && from.is_empty()) {
        to.clear();
        to.extend_from_slice(from);
    }
}

/// Copies values into a list, whose memory is reused.
pub fn copy_values(to: &mut Vec<Value>, from: &[Value]) {
    if to.len() != from.len() {
        to.resize(from.len(), Value::Absent);
    }
    for (to, from) in to.iter_mut().zip(from) {
        match from {
            Value::Absent => to.clear(),
            from => to.put(from.copied()),
        }
    }
}
