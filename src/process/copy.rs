//! Copying a process into the memory of another one that is not needed any more.
//!
//! A fork at `either { n := q; } or { n := 0; }` copies the memory, the registers and what the section noted: where an earlier
//! path ended, its memory is there for that.

use super::{Process, Task};
use crate::value::Value;

/// A process with room for more values than this is not worth keeping.
const ROOM: usize = 256;

impl Process {
    /// Makes it a copy of another one, where it already is.
    pub fn copy_from(&mut self, other: &Process) {
        let Process { memory, unknowns, task, pending } = other;
        copy_values(&mut self.memory, memory);
        if !(self.unknowns.is_empty() && unknowns.is_empty()) {
            self.unknowns.clone_from(unknowns);
        }
        self.task.copy_from(task);
        self.pending.clone_from(pending);
    }

    /// Drops what it holds, and keeps the room for it.
    pub fn empty(&mut self) {
        self.rest();
        self.memory.iter_mut().for_each(Value::clear);
        self.unknowns.clear();
        self.pending = None;
        self.task.callers.clear();
        self.task.clear_notes();
    }

    /// Whether it has room for few values only.
    #[must_use]
    pub fn is_small(&self) -> bool {
        self.memory.capacity() + self.task.registers.capacity() + self.task.callers.capacity() <= ROOM
    }
}

impl Task {
    fn copy_from(&mut self, other: &Task) {
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
            held,
        } = other;
        (self.port, self.running, self.used, self.frame, self.fuel) = (*port, *running, *used, *frame, *fuel);
        self.oversize = *oversize;
        self.held.clone_from(held);
        copy_few(&mut self.callers, callers);
        copy_values(&mut self.registers, registers);
        copy_few(&mut self.guards, guards);
        self.waiting.clone_from(waiting);
        self.stored.copy_from(stored);
        copy_few(&mut self.read_open, read_open);
        self.notes.clone_from(notes);
    }

    /// Forgets what a section noted.
    pub(super) fn clear_notes(&mut self) {
        self.guards.clear();
        self.stored.clear();
        self.read_open.clear();
        self.notes.clear();
        self.oversize = None;
        self.held = None;
    }
}

/// What is mostly empty.
#[inline]
fn copy_few<T: Clone>(to: &mut Vec<T>, from: &[T]) {
    if !(to.is_empty() && from.is_empty()) {
        to.clear();
        to.extend_from_slice(from);
    }
}

/// Copies values to where others were.
#[inline]
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
