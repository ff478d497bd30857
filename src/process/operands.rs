//! Reading operands, and writing back what a decision makes of them.

use super::Process;
use crate::spec::code::{Operand, Program};
use crate::spec::operands::visit_operands;
use crate::term::Term;
use crate::value::Value;

impl Process {
    #[inline]
    pub(super) fn read<'a>(&'a self, program: &'a Program, base: u32, operand: Operand) -> &'a Value {
        match operand {
            Operand::Register(register) => &self.task.registers[(base + register) as usize],
            Operand::Slot(slot) => &self.memory[slot as usize],
            Operand::Constant(constant) => &program.constants[constant as usize],
        }
    }

    /// Replaces each operand of the current instruction by what it is once a condition is decided; whether any changed.
    pub(super) fn decide_operands(&mut self, program: &Program, condition: &Term, holds: bool) -> bool {
        let frame = self.frame();
        let op = &self.function(program).code[frame.pc as usize];
        let mut operands = Vec::new();
        visit_operands(op, &mut |operand| operands.push(operand));
        let mut changed = false;
        for operand in operands {
            changed |= match operand {
                Operand::Register(register) => {
                    decide(&mut self.task.registers[(frame.base + register) as usize], condition, holds)
                }
                Operand::Slot(slot) => decide(&mut self.memory[slot as usize], condition, holds),
                Operand::Constant(_) => false,
            };
        }
        changed
    }
}

/// Replaces a value by what it is once a condition is decided; whether it changed. Of a list that may be the first change only:
/// what was decided is known where a later element asks for it.
fn decide(value: &mut Value, condition: &Term, holds: bool) -> bool {
    if let Value::Open(_) = value {
        return value.decide_next(condition, holds);
    }
    let decided = value.decide(condition, holds);
    let changed = decided != *value;
    *value = decided;
    changed
}
