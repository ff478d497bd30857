//! Dead code elimination: instructions that are never reached, or whose result nothing reads, are removed.
//!
//! For example `r1 := r0 is Some` is removed if nothing reads r1.

use super::keep;
use crate::spec::analysis::dataflow::reached;
use crate::spec::code::{Function, Op, Operand};

/// Removes the dead instructions of a function.
pub(super) fn remove(function: &mut Function) {
    let mut stays = reached(function, |_| true);
    stays.truncate(function.code.len());
    for part in function.ranges() {
        let mut read = vec![false; function.registers as usize];
        for op in &function.code[part.clone()] {
            op.uses().iter().for_each(|register| read[*register as usize] = true);
        }
        for at in part {
            stays[at] &= !is_idle(&function.code[at], at, &read);
        }
    }
    if stays.iter().any(|stays| !stays) {
        keep(function, &stays);
    }
}

/// Tests whether an instruction only writes a register that nothing reads, copies a register to itself, or jumps to the next
/// instruction.
fn is_idle(op: &Op, at: usize, read: &[bool]) -> bool {
    match op {
        Op::Copy { dst, src } if *src == Operand::Register(*dst) => true,
        Op::Copy { dst, .. } | Op::Make { dst, .. } | Op::IsVariant { dst, .. } | Op::Field { dst, .. } => {
            !read[*dst as usize]
        }
        Op::Jump { to } => *to as usize == at + 1,
        _ => false,
    }
}
