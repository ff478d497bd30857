//! Lookups in a map without an intermediate option that is only taken apart.
//!
//! For example `r2 := m.get(k); r3 := r2 is Some; r4 := r2.Some.0` becomes one `find` that gives r3 and r4, if nothing else reads r2.

use crate::spec::code::{Binary, Function, Op, Operand, Register, Unary};

/// The tag of the variant `None` of an option; the next one is that of `Some`.
const NONE: u32 = 0;
const SOME: u32 = 1;

/// Replaces each `get` whose option is only taken apart by a `find`, which gives the value and the condition that it is there.
pub(super) fn entries(function: &mut Function) {
    for part in function.ranges() {
        for at in part.clone() {
            let Op::Binary { dst, op: Binary::Get, a: map, b: key } = function.code[at] else { continue };
            let there = function.registers;
            let code = &mut function.code[part.clone()];
            if dst < function.params || !is_taken_apart(code, dst) {
                continue;
            }
            function.registers += 1;
            code.iter_mut().for_each(|op| read_parts(op, dst, there));
            function.code[at] = Op::Find { dst, there, map, key };
        }
    }
}

/// Tests whether a register is written once, and only read to test its variant or to take the value out of `Some`.
fn is_taken_apart(code: &[Op], register: Register) -> bool {
    let is_part =
        |op: &Op| matches!(op, Op::IsVariant { tag: NONE | SOME, .. } | Op::Field { tag: SOME, index: 0, .. });
    let written = code.iter().flat_map(Op::defs).filter(|own| *own == register).count();
    let mut read = code.iter().filter(|op| op.operands().contains(&Operand::Register(register)));
    written == 1 && read.all(is_part)
}

/// Makes an instruction that took an option apart read the results of `find`: the value, in the register that held the option, or
/// the register with the condition that it is there.
fn read_parts(op: &mut Op, found: Register, there: Register) {
    let is_read = |src: &Operand| *src == Operand::Register(found);
    match op {
        Op::IsVariant { dst, src, tag: SOME } if is_read(src) => {
            *op = Op::Copy { dst: *dst, src: Operand::Register(there) };
        }
        Op::IsVariant { dst, src, .. } if is_read(src) => {
            *op = Op::Unary { dst: *dst, op: Unary::Not, a: Operand::Register(there) };
        }
        Op::Field { dst, src, .. } if is_read(src) => {
            *op = Op::Copy { dst: *dst, src: Operand::Register(found) };
        }
        _ => {}
    }
}
