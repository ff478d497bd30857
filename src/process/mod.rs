//! A specification as a resumable value that yields one event at a time: everything that runs, judges or draws specifications is a
//! handler of these events.
//!
//! A [`Process`] is the server's memory with its running and suspended tasks. [`Process::advance`] runs it to its next [`Event`]; the
//! handler answers with [`Process::resume`] and its like. There is one evaluator only: it works on values with symbolic nodes, and a
//! concrete run is the case without any. A process is cheap to clone, so a fork is a clone.
//!
//! Statements fork, expressions join. At [`Event::Guard`] a handler may answer that both sides are open; then both arms are
//! evaluated, each under its guard, and their values joined.

mod instructions;

mod calls;
mod event;
mod fresh;
mod notes;
mod pending;
mod roots;
mod run;
mod sections;
mod task;
mod unknowns;

pub use calls::{CallPlace, CallState};
pub use event::{Choice, Event, Fault, Limit, Look, PeerCall, PeerCalls};
pub use fresh::Fresh;
pub use instructions::fast_path::KnownBounds;
pub use notes::{Slots, TouchedPart};
pub use pending::{ConnectionList, Sent, Situation, Stack};
pub use roots::Live;
pub use sections::SectionStart;
pub use task::{Port, copy_values};
pub use unknowns::{Answered, Unknowns};

use crate::spec::code::{Pc, Program};
use crate::spec::{Site, Types};
use crate::term::Term;
use crate::value::{self, Ask, Truth, Value};
use pending::Pending;
use task::{Frame, Guard, Presences, Task, Waiting};

/// A server that follows a specification: its memory and its tasks, of which at most one runs.
#[derive(Clone, Debug)]
pub struct Process {
    /// The values of the state's variables.
    pub memory: Vec<Value>,
    /// The expanded parts of unknown values.
    pub unknowns: Unknowns,
    /// The task that runs.
    task: Task,
    /// Requests that have arrived, suspended tasks and sent messages, if there are any.
    pending: Option<Box<Pending>>,
}

impl Process {
    /// A process whose state is not set yet; [`Process::boot`] comes first.
    #[must_use]
    pub fn new(program: &Program) -> Process {
        let memory = vec![Value::Absent; program.slots.len()];
        Process { memory, unknowns: Unknowns::default(), task: Task::default(), pending: None }
    }

    /// A process without a task, with this memory and these expanded parts of unknown values.
    #[must_use]
    pub fn at_rest(memory: Vec<Value>, seen: Vec<(u64, Value)>) -> Process {
        Process { memory, unknowns: Unknowns::of(seen), task: Task::default(), pending: None }
    }

    /// Tests whether nothing is pending between two sections.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        self.pending.is_none()
    }

    /// Answers [`Event::Choose`].
    pub fn resume(&mut self, value: Value) {
        if let Waiting::Value(register) = self.task.waiting {
            self.task.wait(Waiting::Nothing);
            self.task.set(register, value);
        }
    }

    /// Goes on after an event that needs no answer.
    pub fn proceed(&mut self) {
        self.task.proceed();
    }

    /// Answers [`Event::Branch`] if the other side is infeasible: then the side is no guess about a list's length.
    pub fn branch_as_known(&mut self, holds: bool) {
        if matches!(self.task.waiting, Waiting::Decision(_)) && self.task.notes.read().stretches {
            self.task.notes.make().stretches = false;
        }
        self.branch(holds);
    }

    /// Answers [`Event::Branch`].
    pub fn branch(&mut self, holds: bool) {
        if let Waiting::Side(otherwise) = self.task.waiting {
            self.task.wait(Waiting::Nothing);
            if !holds {
                self.task.jump(otherwise);
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
                let decided = self.task.register(register).decide(&condition, holds);
                self.task.notes.make().decided.push((condition, holds));
                self.task.keep_small(register, decided);
            }
            _ => {}
        }
    }

    /// Answers [`Event::Guard`]; `None` if both arms are open.
    pub fn guard(&mut self, decided: Option<bool>) {
        let Waiting::Arms { split, otherwise, condition } = std::mem::take(&mut self.task.waiting) else { return };
        match decided {
            Some(true) => {}
            Some(false) => self.task.jump(otherwise),
            None => {
                let path = match self.task.path() {
                    Some(outer) => Term::and(outer, &condition),
                    None => condition.clone(),
                };
                self.task.guards.push(Guard { depth: self.task.callers.len(), split, condition, path, first: None });
            }
        }
    }

    /// Answers [`Event::Or`] with the chosen way.
    pub fn select(&mut self, way: usize) {
        match std::mem::take(&mut self.task.waiting) {
            Waiting::Target(targets) => self.task.jump(targets[way]),
            Waiting::Element(register, mut elements, presences) => {
                self.task.set(register, elements.swap_remove(way));
                if let Some(Presences { mut there, site, .. }) = presences.map(|presences| *presences) {
                    let there = self.task.where_guarded(there.swap_remove(way));
                    if !there.is_true() {
                        self.hold(Event::Assume(there, site));
                    }
                }
            }
            _ => {}
        }
    }

    /// Asks for a part of an unknown value. If the part must be made first, the process waits for [`Process::look`]; if a condition must
    /// be decided first, for [`Process::branch`].
    pub fn ask(&mut self, program: &Program, ask: &Ask) -> Answered {
        self.unknowns.ask(&mut self.task, program, ask)
    }

    /// Answers [`Event::Look`] with fresh variables; returns the facts that hold of them.
    #[must_use]
    pub fn look(&mut self, fresh: &mut Fresh, types: &Types, look: &Look) -> Vec<Term> {
        let (made, mut facts) = fresh.look(types, look);
        facts.extend(self.unknowns.looked(&mut self.task, made));
        facts
    }

    /// Makes this event the next one that the process yields.
    pub fn hold(&mut self, event: Event) {
        self.task.held = Some(Box::new(event));
    }

    /// Tests whether the process may still give this answer (`None`: no answer), if it goes on at `pc` of its innermost function.
    #[must_use]
    pub fn may_reply(&self, program: &Program, pc: Pc, answer: Option<&Value>) -> bool {
        if !self.task.running {
            return true;
        }
        let mut next = (self.task.frame.function, pc);
        let mut callers = self.task.callers.iter().rev();
        loop {
            let (function, pc) = next;
            let Some(shapes) = program.functions[function as usize].reply_shapes.get(pc as usize) else { return true };
            if shapes.admits(answer) {
                return true;
            }
            if !shapes.returns {
                return false;
            }
            let Some(caller) = callers.next() else { return true };
            next = (caller.function, caller.pc);
        }
    }

    /// Tests whether `is_ahead` holds at the position of the running function, or of one of its callers.
    #[must_use]
    pub fn may_come(&self, is_ahead: &dyn Fn(u32, Pc) -> bool) -> bool {
        let frames = self.task.callers.iter().chain([&self.task.frame]);
        frames.into_iter().any(|frame| is_ahead(frame.function, frame.pc))
    }

    /// Tests whether the process may still give this answer (`None`: no answer) from its current position.
    #[must_use]
    pub fn may_still_reply(&self, program: &Program, answer: Option<&Value>) -> bool {
        self.may_reply(program, self.task.frame.pc, answer)
    }

    /// The value that a choice must have if this is the answer, as far as the code alone says, with a mark if it may also be used for
    /// anything but the answer; for a process at [`Event::Choose`].
    #[must_use]
    pub fn shown_by<'v>(&self, program: &Program, answer: &'v Value) -> Option<(&'v Value, bool)> {
        let Frame { function, pc, .. } = self.task.frame;
        let provenance = program.functions[function as usize].provenance.get(&pc.checked_sub(1)?)?;
        Some((provenance.within(answer)?, provenance.is_used))
    }

    /// The positions at which the ways of an [`Event::Or`] go on; empty if it picks an element.
    #[must_use]
    pub fn targets(&self) -> &[Pc] {
        match &self.task.waiting {
            Waiting::Target(targets) => targets,
            _ => &[],
        }
    }

    /// The elements from which an [`Event::Or`] picks one; empty if it selects a position.
    #[must_use]
    pub fn elements(&self) -> &[Value] {
        match &self.task.waiting {
            Waiting::Element(_, elements, _) => elements,
            _ => &[],
        }
    }

    /// The condition under which picking the element number `way` is a choice, `None` if always: the guard of the arm holds, and another
    /// element is present, too. A run with this element only picks it without a choice, if no map starts unknown.
    #[must_use]
    pub fn picks_where(&self, program: &Program, way: usize) -> Option<Term> {
        let guard = self.path().cloned();
        let Waiting::Element(_, elements, Some(presences)) = &self.task.waiting else { return guard };
        if program.chooses_maps {
            return guard;
        }
        let differs = |other: &Value| match presences.are_distinct {
            true => value::equal(other, &elements[way]).map_or(Truth::Known(true), Truth::not),
            false => Truth::Known(true),
        };
        let others = presences.there.iter().zip(elements).enumerate().filter(|(at, _)| *at != way);
        let another = Term::or_all(others.map(|(_, (there, other))| there.clone().and(differs(other)).term()));
        Some(guard.map_or(another.clone(), |guard| Term::and(&guard, &another)))
    }

    /// The syntax node of the instruction that was executed last.
    #[must_use]
    pub fn site(&self, program: &Program) -> Option<Site> {
        let frame = self.task.running.then_some(self.task.frame)?;
        let origin = &program.functions[frame.function as usize].origin;
        origin.get((frame.pc as usize).saturating_sub(1)).copied()
    }

    /// The condition of the arm that is being evaluated; `None` if there is no guard.
    #[must_use]
    pub fn path(&self) -> Option<&Term> {
        self.task.path()
    }

    /// The parts of the state that the section has touched so far, in order.
    #[must_use]
    pub fn touched(&self) -> &[TouchedPart] {
        &self.task.notes.read().touched
    }

    /// The number of instructions that the section may still execute.
    #[must_use]
    pub fn fuel(&self) -> u32 {
        self.task.fuel
    }

    /// The size of a copy of the task: its registers and frames.
    #[must_use]
    pub fn size(&self) -> usize {
        self.task.registers.len() + self.task.callers.len()
    }
}
