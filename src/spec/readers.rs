//! The instructions that read what a register or a variable holds.
//!
//! Behind `r2 := r0` in `r2 := r0; reply r2` the reply reads r2; behind the reply nothing does.

use super::code::{Function, Op, Operand, Pc};
use super::operands::{visit_operands, visit_ways, visit_written};
use super::passes::visit_read;

/// The instructions that read what a register or a variable holds at a position, whatever way is taken from there.
pub(super) fn readers(function: &Function, from: Pc, held: Operand) -> Vec<usize> {
    let (mut seen, mut open, mut found) = (vec![false; function.code.len()], vec![from as usize], Vec::new());
    while let Some(at) = open.pop() {
        let Some(op) = function.code.get(at) else { continue };
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        if reads(op, held) {
            found.push(at);
        }
        if !overwrites(op, held) {
            visit_ways(op, at as Pc + 1, &mut |to| open.push(to as usize));
        }
    }
    found
}

fn reads(op: &Op, held: Operand) -> bool {
    let mut read = false;
    match held {
        Operand::Register(register) => visit_read(op, &mut |own| read |= own == register),
        Operand::Slot(_) | Operand::Constant(_) => visit_operands(op, &mut |operand| read |= operand == held),
    }
    read
}

fn overwrites(op: &Op, held: Operand) -> bool {
    let mut written = matches!(op.plain(), Op::Store { slot, .. } if held == Operand::Slot(*slot));
    visit_written(op, &mut |register| written |= held == Operand::Register(register));
    written
}
