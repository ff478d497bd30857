//! What a section has touched of the variables that the specification's steps touch.
//!
//! After `reply x in live` that is `live` at the value of x.

use super::Process;
use crate::spec::code::{Program, Touch};
use crate::value::Value;

/// A part of the state that a section has touched.
#[derive(Clone, PartialEq, Debug)]
pub struct Touched {
    /// The variable.
    pub slot: u32,
    /// The key or element, which may be symbolic; `None` is the variable as a whole.
    pub key: Option<Value>,
}

/// Beyond so many parts a variable counts as touched as a whole.
const PARTS: usize = 64;

impl Process {
    /// What the section has touched so far, in order.
    #[must_use]
    pub fn touched(&self) -> &[Touched] {
        &self.task.notes.read().touched
    }

    pub(super) fn note_touches(&mut self, program: &Program, base: u32, touches: &[Touch]) {
        for touch in touches {
            let key = touch.key.map(|key| self.read(program, base, key).clone());
            let key = key.filter(|key| *key != Value::Absent && self.task.notes.read().touched.len() < PARTS);
            let touched = Touched { slot: touch.slot, key };
            if !self.task.notes.read().touched.contains(&touched) {
                self.task.notes.make().touched.push(touched);
            }
        }
    }
}
