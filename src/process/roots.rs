//! The roots of a process: all values that it still mentions between two sections.
//!
//! After `now := t` nothing mentions what `now` was before, unless another variable, a suspended task or a packet under way
//! holds it.

use rustc_hash::FxHashSet;

use super::{Process, Waiting};
use crate::term::{Term, Var};
use crate::value::{Leaf, Value};

/// The unknown parts of the roots of a process.
#[derive(Debug, Default)]
pub struct Live {
    /// The variables.
    pub vars: FxHashSet<Var>,
    /// Set where a term is no variable.
    pub computed: bool,
    /// The number of nodes that were walked.
    pub walked: u32,
}

impl Process {
    /// The memory, and the values of what is under way.
    pub fn held(&self) -> impl Iterator<Item = &Value> {
        self.memory.iter().chain(self.pending.iter().flat_map(|pending| pending.values()))
    }

    /// These, and what has been seen of unknown values.
    pub fn roots(&self) -> impl Iterator<Item = &Value> {
        self.held().chain(self.seen().map(|(_, seen)| seen))
    }

    /// Replaces roots where a function gives something else.
    pub fn rewrite(&mut self, rewrite: &mut dyn FnMut(&Value) -> Option<Value>) {
        let pending = self.pending.iter_mut().flat_map(|pending| pending.values_mut());
        for value in self.memory.iter_mut().chain(pending) {
            if let Some(rewritten) = rewrite(value) {
                *value = rewritten;
            }
        }
        self.rewrite_seen(rewrite);
    }

    /// Tests whether a root was not looked at yet, or in part only.
    #[must_use]
    pub fn has_unknowns(&self) -> bool {
        let mut any = self.has_seen();
        self.held().for_each(|value| value.visit_unknowns(&mut |_| any = true));
        any
    }

    /// Whether anything is unknown as a whole but the bases of variables that are maps of cells, of which nothing was asked
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
        self.has_seen() || unknowns > bases
    }

    /// The unknown parts of the roots, `expected` variables or so.
    #[must_use]
    pub fn live(&self, expected: u32) -> Live {
        let mut live = Live::default();
        live.vars.reserve(expected as usize);
        let Live { vars, computed, .. } = &mut live;
        let mut visit = |leaf: Leaf<'_>| {
            let mut visit_term = |term: &Term, is_computed: bool| {
                *computed |= is_computed;
                term.vars(&mut |var| _ = vars.insert(var));
            };
            match leaf {
                Leaf::Term(term) => visit_term(term, term.as_var().is_none()),
                // One of two alternatives stands under a negated variable: that is as good as its name.
                Leaf::Guards(pairs) => pairs.iter().for_each(|(guard, _)| visit_term(guard, !guard.is_literal())),
            }
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
