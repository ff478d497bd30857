//! A specification as a resumable value that yields one event at a time: the narrow waist (semantics 4).
//!
//! A [`Process`] is the server's memory and its suspended task. [`Process::advance`] runs it to its next [`Event`]; the
//! handler of events answers with [`Process::resume`] and its like. There is one evaluator only: it works on values whose
//! nodes may be symbolic, and a concrete run is the special case in which none is. A process is cheap to clone, so a fork
//! is a clone.
//!
//! Statements fork, expressions join: at [`Event::Guard`] a handler may answer that both sides are open, and then both arms
//! are evaluated, each under its guard, and their values joined.

mod arms;
mod collect;
mod copy;
mod effects;
mod evaluate;
mod fresh;
mod glide;
mod held;
mod meet;
mod notes;
mod operands;
mod pending;
mod plain;
mod prospect;
mod range;
mod reading;
mod retain;
mod roots;
mod run;
mod split;
mod task;
mod touched;
mod unknowns;

pub use copy::copy_values;
pub use fresh::Fresh;
pub use glide::Knows;
pub use notes::Slots;
pub use pending::{Sent, Situation};
pub use roots::Live;
pub use task::{Port, Stack};
pub use touched::Touched;
pub use unknowns::{Answered, GUARDED_NODE_LIMIT, Look, NODE_LIMIT, STRETCH_LIMIT};

use crate::spec::code::{FaultKind, Function, Pc, Program, Register};
use crate::spec::types::{BOOL, INT};
use crate::spec::{Site, TypeId};
use crate::term::{Condition, Term};
use crate::value::{Alternatives, Truth, Value};
use pending::Pending;
use task::{Frame, Guard, Presences, Task, Waiting};

/// The number of instructions after which a section counts as one that never ends.
pub const SECTION_LIMIT: u32 = 10_000_000;
/// The depth of calls at which a path is cut off.
pub const CALL_LIMIT: usize = 20_000;
/// The depth of nested symbolic guards beyond which arms are told apart by forking (the unrolling of a recursive function).
pub const GUARD_LIMIT: usize = 64;
/// The number of pieces up to which a split of an unknown text is followed.
pub const PIECES_LIMIT: i64 = 8;
/// The number of integers up to which a range of unknown length is followed.
pub const RANGE_LIMIT: i64 = 256;
/// The number of alternatives under one node beyond which a value is forced by forking.
pub const UNION_LIMIT: usize = 8;

/// A server that follows a specification: its memory and its tasks, of which at most one runs.
#[derive(Clone, Debug)]
pub struct Process {
    /// The values of the state's variables.
    pub memory: Vec<Value>,
    unknowns: unknowns::Unknowns,
    /// The task that runs.
    task: Task,
    /// Requests, other tasks and answers under way, if there are any.
    pending: Option<Box<Pending>>,
}

/// Where the specification is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fault {
    /// How.
    pub kind: FaultKind,
    /// The node.
    pub site: Site,
}

/// What an internal choice ranges over.
#[derive(Clone, PartialEq, Debug)]
pub enum Choice {
    /// The values of a type.
    Type(TypeId),
    /// One of n alternatives: a boolean for two (true is the first), else an integer from 0.
    Alternatives(u32),
    /// The integers from the first to below the second.
    Range(Value, Value),
    /// The elements of a collection, with their type.
    Element(Value, TypeId),
}

impl Choice {
    /// The type of what is chosen, where it is known.
    #[must_use]
    pub fn value_type(&self) -> TypeId {
        match self {
            Choice::Type(ty) => *ty,
            Choice::Alternatives(2) => BOOL,
            Choice::Alternatives(_) | Choice::Range(..) => INT,
            Choice::Element(_, ty) => *ty,
        }
    }
}

/// A named limit that cut a path off.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Limit {
    /// A section of more than [`SECTION_LIMIT`] instructions.
    Section,
    /// Calls nested deeper than [`CALL_LIMIT`].
    Calls,
    /// An unknown text in more than [`PIECES_LIMIT`] pieces.
    Pieces,
    /// A range of more than [`RANGE_LIMIT`] integers whose length is not known.
    Range,
    /// An operation that no decision brings forward.
    Undecidable,
    /// More paths in one step than the judge follows.
    Paths,
    /// More work for one exchange than the judge takes on.
    Effort,
    /// More memory than this for explanations, in MiB.
    Memory(usize),
    /// More states that the server may reach by itself than the judge keeps.
    Steps,
    /// More than [`STRETCH_LIMIT`] elements of a list of unknown length.
    Stretch,
    /// More than [`NODE_LIMIT`] nodes of unknown recursive values, or [`GUARDED_NODE_LIMIT`] under conditions.
    Nodes,
}

/// What a process does next. Conditions are never known to be irrelevant: a branch on known values is not an event.
#[derive(Clone, Debug)]
pub enum Event {
    /// Idle: [`Process::receive`] a request.
    Recv,
    /// Answers the request; the task has ended.
    Send(Value, Site),
    /// Ends without an answer.
    End,
    /// The section has ended, and the task has not: other tasks may run. [`Process::suspend`], or [`Process::proceed`] where none
    /// does.
    Yield,
    /// An internal choice; `guard` is the path condition it stands under. [`Process::resume`] with a value.
    Choose {
        /// What it ranges over.
        choice: Choice,
        /// The node.
        site: Site,
        /// Under which condition the choice is made; `None` is always.
        guard: Option<Term>,
    },
    /// A run in which this is false does not exist. [`Process::proceed`].
    Assume(Truth, Site),
    /// The client's duty. [`Process::proceed`].
    Expects(Truth, Site),
    /// The specification is wrong where the condition holds. [`Process::proceed`] for where it does not.
    Fault(Truth, Fault),
    /// A limit is reached where the condition holds. [`Process::proceed`] for where it does not.
    Cut(Truth, Limit),
    /// A statement's condition. [`Process::branch`].
    Branch {
        /// The condition.
        condition: Condition,
        /// Where the process goes on if it holds, and if not; `None` where both are the same place.
        sides: Option<(Pc, Pc)>,
        /// The node.
        site: Site,
    },
    /// An expression's condition, and the path that it stands on. [`Process::guard`].
    Guard {
        /// The condition.
        condition: Term,
        /// The condition of the arm around it; `None` is always.
        path: Option<Term>,
    },
    /// A part of an unknown value is needed. [`Process::look`].
    Look {
        /// Which.
        look: Look,
        /// The node.
        site: Site,
    },
    /// One of n ways. [`Process::select`].
    Or {
        /// How many ways.
        ways: usize,
        /// The node.
        site: Site,
    },
}

impl Process {
    /// A process whose state is not set yet; [`Process::boot`] comes first.
    #[must_use]
    pub fn new(program: &Program) -> Process {
        let memory = vec![Value::Absent; program.slots.len()];
        Process { memory, unknowns: unknowns::Unknowns::default(), task: Task::default(), pending: None }
    }

    /// Begins to set the initial state; ends with [`Event::End`].
    pub fn boot(&mut self, program: &Program) {
        self.enter(program, program.init);
    }

    /// Answers [`Event::Choose`].
    pub fn resume(&mut self, value: Value) {
        if let Waiting::Value(register) = self.task.waiting {
            self.wait(Waiting::Nothing);
            self.set(register, value);
        }
    }

    /// Goes on after an event that needs no answer.
    #[inline]
    pub fn proceed(&mut self) {
        if !matches!(self.task.waiting, Waiting::Nothing) {
            self.task.waiting = Waiting::Nothing;
        }
    }

    /// Answers [`Event::Branch`] where the other side cannot be: what is known of a list's length is no guess.
    pub fn branch_as_known(&mut self, holds: bool) {
        if matches!(self.task.waiting, Waiting::Decision(_)) && self.task.notes.read().stretches {
            self.task.notes.make().stretches = false;
        }
        self.branch(holds);
    }

    /// Answers [`Event::Branch`].
    pub fn branch(&mut self, holds: bool) {
        if let Waiting::Side(otherwise) = self.task.waiting {
            self.wait(Waiting::Nothing);
            if !holds {
                self.jump(otherwise);
            }
            return;
        }
        match std::mem::take(&mut self.task.waiting) {
            Waiting::Decision(condition) => {
                let notes = self.task.notes.make();
                notes.stretched += u32::from(std::mem::take(&mut notes.stretches));
                notes.decided.push((condition, holds));
            }
            Waiting::Force(register, condition) => {
                let decided = self.register(register).decide(&condition, holds);
                self.task.notes.make().decided.push((condition, holds));
                self.keep_small(register, decided);
            }
            _ => {}
        }
    }

    /// Sets what is asked for; a side to go on holds nothing on the heap, and is replaced without a call.
    #[inline]
    fn wait(&mut self, waiting: Waiting) {
        match &self.task.waiting {
            Waiting::Nothing | Waiting::Value(_) | Waiting::Side(_) => {
                std::mem::forget(std::mem::replace(&mut self.task.waiting, waiting));
            }
            _ => self.task.waiting = waiting,
        }
    }

    /// What was decided of a condition in this section.
    fn decided(&self, condition: &Term) -> Option<bool> {
        let negated = Term::not(condition);
        self.task.notes.read().decided.iter().rev().find_map(|(term, holds)| {
            if term == condition { Some(*holds) } else { (*term == negated).then_some(!holds) }
        })
    }

    /// Sets a register; a value with too many alternatives is to be forced.
    #[inline]
    fn keep_small(&mut self, register: Register, value: Value) {
        let too_many = matches!(&value, Value::Union(alternatives) if is_forced(alternatives));
        if too_many {
            self.task.oversize = Some(register);
        }
        self.set(register, value);
    }

    fn register(&self, register: Register) -> &Value {
        &self.task.registers[(self.frame().base + register) as usize]
    }

    /// Answers [`Event::Guard`]; `None` where both arms are open.
    pub fn guard(&mut self, decided: Option<bool>) {
        let Waiting::Arms { split, otherwise, condition } = std::mem::take(&mut self.task.waiting) else { return };
        match decided {
            Some(true) => {}
            Some(false) => self.jump(otherwise),
            None => {
                let path = match self.task.guards.last() {
                    Some(outer) => Term::and(&outer.path, &condition),
                    None => condition.clone(),
                };
                self.task.guards.push(Guard { depth: self.task.callers.len(), split, condition, path, first: None });
            }
        }
    }

    /// Answers [`Event::Or`] with the chosen way.
    pub fn select(&mut self, way: usize) {
        match std::mem::take(&mut self.task.waiting) {
            Waiting::Target(targets) => self.jump(targets[way]),
            Waiting::Element(register, mut elements, presences) => {
                self.set(register, elements.swap_remove(way));
                if let Some(Presences { mut there, site, .. }) = presences.map(|presences| *presences) {
                    let there = self.where_guarded(there.swap_remove(way));
                    if !there.is_true() {
                        self.hold(Event::Assume(there, site));
                    }
                }
            }
            _ => {}
        }
    }

    fn frame(&self) -> Frame {
        self.task.frame
    }

    fn function<'a>(&self, program: &'a Program) -> &'a Function {
        &program.functions[self.frame().function as usize]
    }

    fn jump(&mut self, pc: Pc) {
        self.task.frame.pc = pc;
    }

    #[inline]
    fn set(&mut self, register: Register, value: Value) {
        let base = self.task.frame.base;
        self.task.registers[(base + register) as usize].put(value);
    }

    /// A condition under the guard of the arm being evaluated: `guard ∧ condition`.
    fn under_guard(&self, condition: Truth) -> Truth {
        match self.task.guards.last() {
            Some(guard) => Truth::of(guard.path.clone()).and(condition),
            None => condition,
        }
    }

    /// `guard → condition`.
    fn where_guarded(&self, condition: Truth) -> Truth {
        match self.task.guards.last() {
            Some(_) => self.under_guard(condition.not()).not(),
            None => condition,
        }
    }
}

/// Whether a value with these alternatives is told apart where it is read.
#[inline]
fn is_forced(alternatives: &Alternatives) -> bool {
    alternatives.is_apart() || alternatives.len() > UNION_LIMIT
}
