//! The roots of a process: all values that it still mentions between two sections; and copying and rewriting of its values.
//!
//! For example after `now := t` nothing mentions the old value of `now`, unless another variable, a suspended task or a pending
//! message does.

use rustc_hash::FxHashSet;

use super::task::{Waiting, copy_values};
use super::{Process, Slots};
use crate::term::{Term, Var};
use crate::value::{Leaf, Value};

/// A process with room for more values than this is not kept for reuse: it would hold memory for nothing.
const ROOM: usize = 256;

/// The live variables of a process: those in its roots.
#[derive(Debug, Default)]
pub struct Live {
    /// The variables.
    pub vars: FxHashSet<Var>,
    /// The number of nodes that were walked.
    pub walked: u32,
}

impl Process {
    /// Copies another process into this one, whose memory it reuses.
    pub fn copy_from(&mut self, other: &Process) {
        let Process { memory, unknowns, task, pending } = other;
        copy_values(&mut self.memory, memory);
        if !(self.unknowns.is_empty() && unknowns.is_empty()) {
            self.unknowns.clone_from(unknowns);
        }
        self.task.copy_from(task);
        self.pending.clone_from(pending);
    }

    /// Drops all values, and keeps the memory for reuse.
    pub fn empty(&mut self) {
        self.task.rest();
        self.memory.iter_mut().for_each(Value::clear);
        self.unknowns.clear();
        self.pending = None;
        self.task.callers.clear();
        self.task.clear_notes();
    }

    /// Tests whether the process has room for few values only.
    #[must_use]
    pub fn is_small(&self) -> bool {
        self.memory.capacity() + self.task.registers.capacity() + self.task.callers.capacity() <= ROOM
    }

    /// Tests whether another process has the same memory and the same pending values.
    #[must_use]
    pub fn holds_the_same(&self, other: &Process) -> bool {
        self.memory == other.memory && self.has_same_pending(other)
    }

    /// The slots to which the section has stored so far.
    #[must_use]
    pub fn stored(&self) -> &Slots {
        &self.task.stored
    }

    /// Changes the variables to which the section has stored.
    pub fn change_stored(&mut self, change: &mut dyn FnMut(&mut Value)) {
        let Process { memory, task, .. } = self;
        task.stored.iter().for_each(|slot| change(&mut memory[slot as usize]));
    }

    /// Rewrites the open entries that the section read: more may be known of them after the answer.
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
    /// The values of the memory, and all pending values.
    pub fn held(&self) -> impl Iterator<Item = &Value> {
        self.memory.iter().chain(self.pending.iter().flat_map(|pending| pending.values()))
    }

    /// The roots: the held values, and the expanded parts of unknown values.
    pub fn roots(&self) -> impl Iterator<Item = &Value> {
        self.held().chain(self.unknowns.seen().map(|(_, seen)| seen))
    }

    /// Replaces the roots for which a function gives another value.
    pub fn rewrite(&mut self, rewrite: &mut dyn FnMut(&Value) -> Option<Value>) {
        let pending = self.pending.iter_mut().flat_map(|pending| pending.values_mut());
        for value in self.memory.iter_mut().chain(pending) {
            if let Some(rewritten) = rewrite(value) {
                *value = rewritten;
            }
        }
        self.unknowns.rewrite(rewrite);
    }

    /// Replaces the values of the registers, and the expanded parts of unknown values, for which a function gives another one.
    pub fn rewrite_task(&mut self, rewrite: &mut dyn FnMut(&Value) -> Option<Value>) {
        for value in &mut self.task.registers {
            if let Some(rewritten) = rewrite(value) {
                *value = rewritten;
            }
        }
        self.unknowns.rewrite(rewrite);
    }

    /// Rewrites the entries of unknown maps that were asked for recently, both in the expanded base and in every value that stands on
    /// it.
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

    /// Forgets the expanded parts of unknown values that cannot be asked for again.
    pub fn prune_seen(&mut self) {
        let Process { memory, unknowns, pending, .. } = self;
        unknowns.prune(memory.iter().chain(pending.iter().flat_map(|pending| pending.values())));
    }

    /// Tests whether a root has an unknown part, expanded or not.
    #[must_use]
    pub fn has_unknowns(&self) -> bool {
        let mut any = self.unknowns.has_seen();
        self.held().for_each(|value| value.visit_unknowns(&mut |_| any = true));
        any
    }

    /// Tests whether there are unknown parts other than the bases of variables whose maps have cells ([`crate::value::Map::has_cells`]),
    /// or expanded ones.
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

    /// The live variables; about `expected` of them.
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

    /// Tests whether a variable occurs in a root or in the running section. A task with guards, notes or a question counts as mentioning
    /// all variables.
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
