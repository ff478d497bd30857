//! Reading operands, and writing them back after a decision or an expansion.

use crate::process::task::{Frame, Task};
use crate::process::{Process, Slots};
use crate::spec::Site;
use crate::spec::code::{Function, Operand, Program, Register};
use crate::term::Term;
use crate::value::{ExpandedPart, Value};

/// The position of the current instruction.
#[derive(Clone, Copy)]
pub(crate) struct At<'p> {
    pub(crate) program: &'p Program,
    /// The function that runs.
    pub(crate) function: &'p Function,
    pub(crate) frame: Frame,
}

impl<'p> At<'p> {
    /// The position of a task.
    pub(crate) fn of(task: &Task, program: &'p Program) -> At<'p> {
        At { program, function: task.function(program), frame: task.frame }
    }

    /// The syntax node of the instruction.
    pub(crate) fn site(self) -> Site {
        self.function.origin[self.frame.pc as usize]
    }

    /// The index of a register of the running function among the registers of all frames.
    pub(crate) fn index(self, register: Register) -> usize {
        (self.frame.base + register) as usize
    }

    /// The value of an operand.
    pub(crate) fn read<'a>(self, process: &'a Process, operand: Operand) -> &'a Value
    where
        'p: 'a,
    {
        match operand {
            Operand::Register(register) => &process.task.registers[self.index(register)],
            Operand::Slot(slot) => &process.memory[slot as usize],
            Operand::Constant(constant) => &self.program.constants[constant as usize],
        }
    }
}

/// The values that instructions on the fast path read and write.
pub(crate) struct PlainOperands<'p> {
    pub(crate) registers: &'p mut [Value],
    pub(crate) memory: &'p mut [Value],
    pub(crate) stored: &'p mut Slots,
    pub(crate) read_open: &'p mut Vec<(u32, Value)>,
    pub(crate) constants: &'p [Value],
}

impl PlainOperands<'_> {
    #[inline(always)] // Compiles to a few machine instructions.
    pub(crate) fn read(&self, operand: Operand) -> &Value {
        match operand {
            Operand::Register(register) => &self.registers[register as usize],
            Operand::Slot(slot) => &self.memory[slot as usize],
            Operand::Constant(constant) => &self.constants[constant as usize],
        }
    }
}

/// Applies a decision to each operand of the instruction; returns whether any changed.
pub(crate) fn decide(process: &mut Process, at: At<'_>, condition: &Term, holds: bool) -> bool {
    let mut changed = false;
    for operand in at.function.code[at.frame.pc as usize].operands() {
        changed |= match operand {
            Operand::Register(register) => {
                decide_value(&mut process.task.registers[at.index(register)], condition, holds)
            }
            Operand::Slot(slot) => decide_value(&mut process.memory[slot as usize], condition, holds),
            Operand::Constant(_) => false,
        };
    }
    changed
}

/// Fills an expanded part into the operands of the instruction, and into arms that are still to be joined; returns whether any
/// changed.
pub(crate) fn fill(process: &mut Process, at: At<'_>, part: &ExpandedPart) -> bool {
    let mut changed = false;
    for operand in at.function.code[at.frame.pc as usize].operands() {
        changed |= match operand {
            Operand::Register(register) => fill_value(&mut process.task.registers[at.index(register)], part),
            Operand::Slot(slot) => {
                let filled = fill_value(&mut process.memory[slot as usize], part);
                if filled {
                    process.task.stored.insert(slot);
                }
                filled
            }
            Operand::Constant(_) => false,
        };
    }
    for first in process.task.guards.iter_mut().filter_map(|guard| guard.first.as_mut()) {
        changed |= fill_value(first, part);
    }
    changed
}

/// Applies a decision to a value; returns whether the value changed. Of an open list only the first element that changes does: the
/// decision is remembered for later elements.
fn decide_value(value: &mut Value, condition: &Term, holds: bool) -> bool {
    if let Value::Open(_) = value {
        return value.decide_next(condition, holds);
    }
    let decided = value.decide(condition, holds);
    let changed = decided != *value;
    *value = decided;
    changed
}

fn fill_value(value: &mut Value, part: &ExpandedPart) -> bool {
    match value {
        Value::Map(map) => map.fill(part),
        other => match other.filled(part) {
            Some(filled) => {
                *other = filled;
                true
            }
            None => false,
        },
    }
}
