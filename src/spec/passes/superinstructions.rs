//! Superinstructions: a comparison is fused with the fork, or the assumption, right after it.
//!
//! For example `r2 := r0 <= s0; branch r2 else 3` becomes `branch r0 <= s0 else 3`, if nothing else reads r2.

use super::{keep, targets};
use crate::spec::code::{Binary, Function, Op, Operand};

/// Fuses each comparison with the fork or assumption right after it.
pub(super) fn comparisons(function: &mut Function) {
    let targets = targets(function);
    let mut stays = vec![true; function.code.len()];
    for part in function.ranges() {
        let mut reads = vec![0_u32; function.registers as usize];
        function.code[part.clone()].iter().flat_map(Op::uses).for_each(|register| reads[register as usize] += 1);
        for at in part.clone().skip(1) {
            // A comparison by order always gives a truth value. Other operators may need a split first, and stay instructions of their own.
            let Op::Binary { dst, op: op @ (Binary::Le | Binary::Lt), a, b } = function.code[at - 1] else { continue };
            let fused = match function.code[at] {
                Op::Branch { cond, otherwise } if cond == Operand::Register(dst) && reads[dst as usize] == 1 => {
                    Op::Compare { op, a, b, otherwise }
                }
                Op::Assume { cond } if cond == Operand::Register(dst) => Op::Require { dst, op, a, b },
                _ => continue,
            };
            if !targets[at] {
                function.code[at] = fused;
                stays[at - 1] = false;
            }
        }
    }
    if stays.iter().any(|stays| !stays) {
        keep(function, &stays);
    }
}
