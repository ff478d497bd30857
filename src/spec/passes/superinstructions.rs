//! A comparison that only the fork right after it reads is one instruction with it, and so is one that is assumed there.
//!
//! `r2 := r0 <= s0; branch r2 else 3` is `branch r0 <= s0 else 3`.

use super::{keep, targets};
use crate::spec::code::{Binary, Function, Op, Operand};

/// Makes one instruction of each comparison and its fork, or what assumes it.
pub(super) fn comparisons(function: &mut Function) {
    let targets = targets(function);
    let mut stays = vec![true; function.code.len()];
    for part in function.ranges() {
        let mut reads = vec![0_u32; function.registers as usize];
        function.code[part.clone()].iter().flat_map(Op::uses).for_each(|register| reads[register as usize] += 1);
        for at in part.clone().skip(1) {
            // Comparing by order gives a truth always; what may ask for something first keeps its own place.
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
