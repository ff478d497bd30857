//! An entry of a variable that may go or stay, on a condition that was chosen.
//!
//! `items := either items or items.remove(key)`: the entry under the key is there where it was and the choice is to keep it.

use super::Process;
use super::evaluate::{self, Next, Obstacle};
use crate::spec::code::{Binary, Operand, Pc, Program, Register};
use crate::value::{self, Truth, Value};

impl Process {
    /// `dst := if kept { slot } else { slot.remove(key) }`; where no arm is open, in the variable itself.
    pub(super) fn retain(
        &mut self,
        program: &Program,
        (dst, slot): (Register, u32),
        [key, kept]: [Operand; 2],
        stored: Pc,
    ) -> Result<Next, Obstacle> {
        let base = self.frame().base;
        let kept = self.read(program, base, kept).truth();
        let key = self.read(program, base, key).clone();
        if self.task.guards.is_empty()
            && let (Value::Map(map), Value::Scalar(_)) = (&mut self.memory[slot as usize], &key)
            && map.keep_where(&key, &kept)
        {
            self.note_stored(slot);
            return self.goto(stored);
        }
        let all = &self.memory[slot as usize];
        let value = match kept {
            Truth::Known(true) => all.clone(),
            Truth::Known(false) => evaluate::binary(Binary::Remove, all, &key)?,
            Truth::Term(condition) => {
                let fewer = evaluate::binary(Binary::Remove, all, &key)?;
                if let Some(ask) = value::before_joining(all, &fewer) {
                    return Err(Obstacle::Ask(ask));
                }
                value::merge(&condition, all.clone(), fewer)
            }
        };
        self.keep(dst, Ok(value))
    }
}
