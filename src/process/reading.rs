//! Reading an entry of a map that is a variable, and what is known of the entry after the answer was observed.
//!
//! `reply data.get(key)` with the answer `Some("a")` tells what `data` has under the key: from then on the entry is `"a"`, and
//! reading it again asks nothing.

use super::evaluate::{self, Next, Obstacle};
use super::{Frame, Process};
use crate::scalar::Scalar;
use crate::spec::code::{Binary, Operand, Program, Register};
use crate::term::Term;
use crate::value::{Entry, Value};

/// The entries that a section remembers; others are replaced by what is known of them when variables are forgotten.
pub(super) const READ: usize = 8;

/// Asks for a decision where what a map has under a key are states of a part of the memory.
pub(super) fn decide_state(map: &Value, key: &Value) -> Result<(), Obstacle> {
    if let Value::Map(map) = map
        && let Some(Some(Entry { value: Value::Union(states), .. })) = map.cell(key)
        && states.is_apart()
    {
        return Err(Obstacle::Decide(states[0].0.clone()));
    }
    Ok(())
}

impl Process {
    /// `dst := slot.get(key)`
    pub(super) fn get(
        &mut self,
        program: &Program,
        frame: Frame,
        dst: Register,
        (slot, key): (u32, Operand),
    ) -> Result<Next, Obstacle> {
        decide_state(&self.memory[slot as usize], self.read(program, frame.base, key))?;
        let found = evaluate::binary(Binary::Get, &self.memory[slot as usize], self.read(program, frame.base, key))?;
        if found.has_terms() {
            self.note_read(program, frame, Operand::Slot(slot), key);
        }
        self.keep(dst, Ok(found))
    }

    /// `dst := map[key]`, and whether it is there
    pub(super) fn find(
        &mut self,
        program: &Program,
        frame: Frame,
        [dst, there]: [Register; 2],
        (map, key): (Operand, Operand),
    ) -> Result<Next, Obstacle> {
        let [of, under] = [map, key].map(|operand| self.read(program, frame.base, operand));
        decide_state(of, under)?;
        let (is_there, found) = evaluate::found(of, under)?;
        if is_there.has_terms() || found.has_terms() {
            self.note_read(program, frame, map, key);
        }
        self.set(there, is_there);
        self.keep(dst, Ok(found))
    }

    /// Remembers an entry of a variable in which something is not known.
    fn note_read(&mut self, program: &Program, frame: Frame, map: Operand, key: Operand) {
        if let Operand::Slot(slot) = map
            && self.task.read_open.len() < READ
        {
            let key = self.read(program, frame.base, key).clone();
            self.task.read_open.push((slot, key));
        }
    }

    /// Writes a value that a term was seen to have to the variables whose value is that term.
    pub fn know(&mut self, term: &Term, value: &Scalar) {
        for slot in &mut self.memory {
            if matches!(slot, Value::Term(own) if own == term) {
                *slot = Value::Scalar(value.clone());
            }
        }
    }

    /// Replaces the open entries that the section read by what has become known of them.
    pub fn settle_read(&mut self, rewrite: &mut dyn FnMut(&Value) -> Option<Value>) {
        if self.task.read_open.is_empty() {
            return;
        }
        for (slot, key) in self.task.read_open.drain(..) {
            if let Value::Map(map) = &mut self.memory[slot as usize] {
                map.rewrite_entry(&key, rewrite);
            }
        }
    }
}
