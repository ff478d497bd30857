//! Instructions that need no decision: most of what a handler does.
//!
//! Copying a register, taking a known constructor apart, jumping: none of these stops a section, asks anything, or changes
//! the frame. They are carried out in a loop of their own, which keeps little at hand. `reply m.get(k)` ends it twice: at
//! the reading of the map, and at the reply.

use super::{Frame, Process, UNION_LIMIT};
use crate::scalar::Scalar;
use crate::spec::code::{Binary, Function, Op, Operand, Pc, Program, Register, Unary};
use crate::value::Value;

impl Process {
    /// Carries out instructions up to the first one that may need a decision; its position.
    #[inline(never)] // The loop of `advance` keeps more at hand than there is room for.
    pub(super) fn glide(&mut self, program: &Program, function: &Function, frame: Frame) -> Pc {
        let Process { memory, task, .. } = self;
        let joins = task.guards.is_empty();
        let mut fuel = if task.oversize.is_none() { task.fuel } else { 0 };
        let mut pc = frame.pc;
        let mut at =
            Place { registers: &mut task.registers[frame.base as usize..], memory, constants: &program.constants };
        while fuel > 0
            && let Some(op) = function.code.get(pc as usize)
            && let Some(next) = at.step(op, pc, joins)
        {
            pc = next;
            fuel -= 1;
        }
        if task.oversize.is_none() {
            task.fuel = fuel;
        }
        pc
    }
}

/// What instructions read and write.
struct Place<'p> {
    registers: &'p mut [Value],
    memory: &'p [Value],
    constants: &'p [Value],
}

impl Place<'_> {
    #[inline(always)] // A few instructions, wherever it is.
    fn read(&self, operand: Operand) -> &Value {
        match operand {
            Operand::Register(register) => &self.registers[register as usize],
            Operand::Slot(slot) => &self.memory[slot as usize],
            Operand::Constant(constant) => &self.constants[constant as usize],
        }
    }

    /// Carries out an instruction; where it goes on. `None` where that may need a decision: nothing was done.
    #[inline(always)] // Its only caller is the loop.
    fn step(&mut self, op: &Op, pc: Pc, joins: bool) -> Option<Pc> {
        match op {
            Op::Jump { to } => Some(*to),
            Op::Unless { cond, to } => match self.read(*cond) {
                Value::Scalar(Scalar::Bool(holds)) => Some(if *holds { pc + 1 } else { *to }),
                Value::Term(_) => Some(pc + 1),
                _ => None,
            },
            Op::Branch { cond, otherwise } | Op::Split { cond, otherwise } => {
                Some(if known(self.read(*cond))? { pc + 1 } else { *otherwise })
            }
            Op::ByVariant { src, targets, none } => {
                Some(targets.get(constructor(self.read(*src))? as usize).copied().unwrap_or(*none))
            }
            Op::Copy { dst, src } => self.copy(*dst, *src, pc + 1),
            Op::Join { dst, src, .. } if joins => self.copy(*dst, *src, pc + 1),
            Op::Swap { dst, src, end, .. } if joins => self.copy(*dst, *src, *end),
            Op::IsVariant { dst, src, tag } => self.tell(*dst, constructor(self.read(*src))? == *tag, pc),
            Op::Field { dst, src, tag, index } => match self.read(*src) {
                Value::Data { tag: own, fields: Some(fields) } if own == tag => {
                    let field = few(fields.get(*index as usize)?)?.copied();
                    self.registers[*dst as usize].put(field);
                    Some(pc + 1)
                }
                _ => None,
            },
            Op::Unary { dst, op: Unary::Not, a } => self.tell(*dst, !known(self.read(*a))?, pc),
            Op::Binary { dst, op: Binary::And, a, b } => {
                self.tell(*dst, known(self.read(*a))? & known(self.read(*b))?, pc)
            }
            Op::Binary { dst, op: Binary::Or, a, b } => {
                self.tell(*dst, known(self.read(*a))? | known(self.read(*b))?, pc)
            }
            _ => None,
        }
    }

    #[inline(always)]
    fn copy(&mut self, dst: Register, src: Operand, next: Pc) -> Option<Pc> {
        let copy = few(self.read(src))?.copied();
        self.registers[dst as usize].put(copy);
        Some(next)
    }

    #[inline(always)]
    fn tell(&mut self, dst: Register, holds: bool, pc: Pc) -> Option<Pc> {
        self.registers[dst as usize].put(holds.into());
        Some(pc + 1)
    }
}

/// Whether an instruction may need no decision.
#[inline]
pub(super) fn glides(op: &Op) -> bool {
    let jumps = matches!(op, Op::Jump { .. } | Op::Unless { .. } | Op::Branch { .. } | Op::ByVariant { .. });
    let joins = matches!(op, Op::Split { .. } | Op::Swap { .. } | Op::Join { .. });
    let takes_apart = matches!(op, Op::Copy { .. } | Op::IsVariant { .. } | Op::Field { .. });
    let connects = matches!(op, Op::Unary { op: Unary::Not, .. } | Op::Binary { op: Binary::And | Binary::Or, .. });
    jumps || joins || takes_apart || connects
}

/// A value that has no alternatives, of which there may be too many.
#[inline]
fn few(value: &Value) -> Option<&Value> {
    match value {
        Value::Union(alternatives) if alternatives.len() > UNION_LIMIT => None,
        value => Some(value),
    }
}

/// A known condition.
#[inline]
fn known(value: &Value) -> Option<bool> {
    match value {
        Value::Scalar(Scalar::Bool(known)) => Some(*known),
        _ => None,
    }
}

/// The constructor of a tree, where it is the only one.
#[inline]
fn constructor(value: &Value) -> Option<u32> {
    match value {
        Value::Data { tag, .. } => Some(*tag),
        _ => None,
    }
}
