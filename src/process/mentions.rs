//! Whether anything mentions a variable: the memory, what was seen of unknown values, and the running task.
//!
//! After `now := t` nothing mentions what `now` was before, unless a register or another variable holds it.

use super::{Process, Waiting};
use crate::term::Var;
use crate::value::Value;

impl Process {
    /// Whether a variable is mentioned anywhere; some tasks are not looked through, and count as mentioning all.
    #[must_use]
    pub fn mentions(&self, var: Var) -> bool {
        let task = &self.task;
        let plain = task.guards.is_empty() && task.notes.is_empty() && task.waiting == Waiting::Nothing;
        let mut found = !plain;
        let keys = task.read_open.iter().map(|(_, key)| key);
        let values = self.memory.iter().chain(&task.registers).chain(keys).chain(self.seen().map(|(_, value)| value));
        for value in values {
            if !found && !matches!(value, Value::Scalar(_) | Value::Absent) {
                value.visit_terms(&mut |term| found |= term.mentions(var));
            }
        }
        found
    }
}
