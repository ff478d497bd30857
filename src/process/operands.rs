//! Reading operands, and writing back what a decision makes of them.

use super::Process;
use crate::spec::code::{Domain, Op, Operand, Program};
use crate::term::Term;
use crate::value::Value;

impl Process {
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

/// Calls a function on every operand that an instruction reads.
pub(super) fn visit_operands(op: &Op, visit: &mut dyn FnMut(Operand)) {
    match op {
        Op::Copy { src, .. } | Op::Store { src, .. } | Op::Return { src } | Op::Reply { src } => visit(*src),
        Op::IsVariant { src, .. } | Op::Field { src, .. } | Op::HasLength { src, .. } => visit(*src),
        Op::Nth { src, .. } | Op::Tail { src, .. } | Op::Swap { src, .. } | Op::Join { src, .. } => visit(*src),
        Op::Unary { a, .. } => visit(*a),
        Op::Binary { a, b, .. } => [*a, *b].into_iter().for_each(visit),
        Op::Put { slot, key, value } => [Operand::Slot(*slot), *key, *value].into_iter().for_each(visit),
        Op::Insert { map, key, value, .. } => [*map, *key, *value].into_iter().for_each(visit),
        Op::Replace { list, at, value, .. } => [*list, *at, *value].into_iter().for_each(visit),
        Op::Index { src, at, .. } => [*src, *at].into_iter().for_each(visit),
        Op::Slice { src, from, to, .. } => [*src, *from, *to].into_iter().for_each(visit),
        Op::Make { fields, .. } => fields.iter().copied().for_each(visit),
        Op::MakeList { elements, .. } => elements.iter().copied().for_each(visit),
        Op::With { src, fields, .. } => {
            visit(*src);
            fields.iter().for_each(|(_, operand)| visit(*operand));
        }
        Op::Iterate { over, .. } | Op::PickElement { over, .. } => visit(*over),
        Op::IterateRange { from, to, .. } | Op::RangeList { from, to, .. } => [*from, *to].into_iter().for_each(visit),
        Op::Next { cursor, .. } => visit(Operand::Register(*cursor)),
        Op::Push { dst, src } => [Operand::Register(*dst), *src].into_iter().for_each(visit),
        Op::Gather { dst, key, value, when } => {
            [Operand::Register(*dst), *key, *value, *when].into_iter().for_each(visit);
        }
        Op::Unless { cond, .. } | Op::Branch { cond, .. } | Op::Split { cond, .. } => visit(*cond),
        Op::Assume { cond } | Op::Expects { cond } => visit(*cond),
        Op::Call { args, .. } => args.iter().copied().for_each(visit),
        Op::Choose { domain: Domain::Range(from, to), .. } => [*from, *to].into_iter().for_each(visit),
        Op::Choose { domain: Domain::Element(over, _), .. } => visit(*over),
        Op::Within { element, over } => [*element, *over].into_iter().for_each(visit),
        Op::Choose { domain: Domain::Type(_) | Domain::Alternatives(_), .. } => {}
        Op::Jump { .. } | Op::Select { .. } | Op::Fault { .. } | Op::End | Op::Unsupported => {}
    }
}
