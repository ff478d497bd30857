//! The values that a process holds, copied and rewritten, and its roots: all values that it still mentions between two
//! sections.
//!
//! After `now := t` nothing mentions what `now` was before, unless another variable, a suspended task or a packet under way
//! holds it.

use rustc_hash::FxHashSet;

use super::task::{Waiting, copy_values};
use super::{Process, Slots};
use crate::term::{Term, Var};
use crate::value::{Leaf, Value};

/// A process with room for more values than this is not worth keeping.
const ROOM: usize = 256;

/// The unknown parts of the roots of a process.
#[derive(Debug, Default)]
pub struct Live {
    /// The variables.
    pub vars: FxHashSet<Var>,
    /// The number of nodes that were walked.
    pub walked: u32,
}

impl Process {
    /// Makes it a copy of another one, if it already is.
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
        self.task.rest();
        self.memory.iter_mut().for_each(Value::clear);
        self.unknowns.clear();
        self.pending = None;
        self.task.callers.clear();
        self.task.clear_notes();
    }

    /// Tests whether it has room for few values only.
    #[must_use]
    pub fn is_small(&self) -> bool {
        self.memory.capacity() + self.task.registers.capacity() + self.task.callers.capacity() <= ROOM
    }

    /// Tests whether another process holds the same in memory and under way.
    #[must_use]
    pub fn holds_the_same(&self, other: &Process) -> bool {
        self.memory == other.memory && self.has_same_pending(other)
    }

    /// The slots that the section stored to so far.
    #[must_use]
    pub fn stored(&self) -> &Slots {
        &self.task.stored
    }

    /// Changes the variables that the section stored to.
    pub fn change_stored(&mut self, change: &mut dyn FnMut(&mut Value)) {
        let Process { memory, task, .. } = self;
        task.stored.iter().for_each(|slot| change(&mut memory[slot as usize]));
    }

    /// Replaces the open entries that the section read by what has become known of them.
    pub fn normalize_read(&mut self, rewrite: &mut dyn FnMut(&Value) -> Option<Value>) {
        if self.task.read_open.is_empty() {
            return;
        }
        for (slot, key) in self.task.read_open.drain(..) {
            if let Value::Map(map) = &mut self.memory[slot as usize] {
                map.rewrite_entry(&key, rewrite);
            }
        }
    }
    /// The memory, and the values of what is under way.
    pub fn held(&self) -> impl Iterator<Item = &Value> {
        self.memory.iter().chain(self.pending.iter().flat_map(|pending| pending.values()))
    }

    /// These, and what has been seen of unknown values.
    pub fn roots(&self) -> impl Iterator<Item = &Value> {
        self.held().chain(self.unknowns.seen().map(|(_, seen)| seen))
    }

    /// Replaces roots if a function gives something else.
    pub fn rewrite(&mut self, rewrite: &mut dyn FnMut(&Value) -> Option<Value>) {
        let pending = self.pending.iter_mut().flat_map(|pending| pending.values_mut());
        for value in self.memory.iter_mut().chain(pending) {
            if let Some(rewritten) = rewrite(value) {
                *value = rewritten;
            }
        }
        self.unknowns.rewrite(rewrite);
    }

    /// Replaces entries of unknown maps that were asked for a short while ago by what has become known of them, if they were
    /// seen first and in every value that stands on the same base.
    pub fn normalize_recent(&mut self, rewrite: &mut dyn FnMut(&Value) -> Option<Value>) {
        for (id, key) in self.unknowns.normalize_recent(rewrite) {
            let pending = self.pending.iter_mut().flat_map(|pending| pending.values_mut());
            for value in self.memory.iter_mut().chain(pending) {
                if let Value::Map(map) = value
                    && map.base().is_some_and(|base| base.unknown.id == id)
                {
                    map.rewrite_entry(&key, rewrite);
                }
            }
        }
    }

    /// Forgets what was seen of unknown values and cannot be asked for again.
    pub fn prune_seen(&mut self) {
        let Process { memory, unknowns, pending, .. } = self;
        unknowns.prune(memory.iter().chain(pending.iter().flat_map(|pending| pending.values())));
    }

    /// Tests whether a root was not looked at yet, or in part only.
    #[must_use]
    pub fn has_unknowns(&self) -> bool {
        let mut any = self.unknowns.has_seen();
        self.held().for_each(|value| value.visit_unknowns(&mut |_| any = true));
        any
    }

    /// Tests whether anything is unknown as a whole but the bases of variables that are maps of cells, of which nothing was asked
    /// beside those.
    #[must_use]
    pub fn has_unknowns_beside_cells(&self) -> bool {
        let mut bases = 0usize;
        let mut unknowns = 0usize;
        for value in self.held() {
            value.visit_unknowns(&mut |_| unknowns += 1);
        }
        for value in &self.memory {
            bases += usize::from(matches!(value, Value::Map(map) if map.base().is_some() && map.has_cells()));
        }
        self.unknowns.has_seen() || unknowns > bases
    }

    /// The unknown parts of the roots, `expected` variables or so.
    #[must_use]
    pub fn live(&self, expected: u32) -> Live {
        let mut live = Live::default();
        live.vars.reserve(expected as usize);
        let mut visit_term = |term: &Term| term.vars(&mut |var| _ = live.vars.insert(var));
        let mut visit = |leaf: Leaf<'_>| match leaf {
            Leaf::Term(term) => visit_term(term),
            Leaf::Guards(pairs) => pairs.iter().for_each(|(guard, _)| visit_term(guard)),
        };
        live.walked = self.roots().map(|value| value.visit_leaves(&mut visit)).sum();
        live
    }

    /// Tests whether a variable is mentioned anywhere, by the section that runs, too; some tasks are not looked through, and count
    /// as mentioning all.
    #[must_use]
    pub fn mentions(&self, var: Var) -> bool {
        let task = &self.task;
        let plain = task.guards.is_empty() && task.notes.is_empty() && task.waiting == Waiting::Nothing;
        let mut found = !plain;
        let keys = task.read_open.iter().map(|(_, key)| key);
        for value in self.roots().chain(&task.registers).chain(keys) {
            if !found && !matches!(value, Value::Scalar(_) | Value::Absent) {
                value.visit_terms(&mut |term| found |= term.mentions(var));
            }
        }
        found
    }
}
