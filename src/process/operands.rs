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
            let old = self.read(program, frame.base, operand);
            let decided = old.decide(condition, holds);
            changed |= decided != *old;
            match operand {
                Operand::Register(register) => self.set(register, decided),
                Operand::Slot(slot) => self.memory[slot as usize] = decided,
                Operand::Constant(_) => {}
            }
        }
        changed
    }
}
