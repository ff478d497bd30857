//! A register and what it is copied to are one, where the first is not needed behind the copy nor the second before it.
//!
//! `r1 := a is Some; r2 := r1; r2 := r2 and b` becomes `r2 := a is Some; r2 := r2 and b`.

use super::live_ranges::{live_ranges, loops};
use crate::spec::code::{Function, Op, Operand};

/// Makes one register of two; the copies between them are left out later.
pub(super) fn copies(function: &mut Function) {
    for part in function.ranges() {
        let params = function.params;
        let code = &mut function.code[part.clone()];
        let mut spans = live_ranges(code, function.registers);
        let loops = loops(code, part.start);
        for at in 0..code.len() {
            let Op::Copy { dst, src: Operand::Register(src) } = code[at] else { continue };
            let (Some((first, until)), Some((from, last))) = (spans[src as usize], spans[dst as usize]) else {
                continue;
            };
            let in_turn = until == at && from == at && src != dst && src >= params && dst >= params;
            if in_turn && !loops.iter().any(|(start, end)| *start <= last && *end >= first) {
                let mut renamed = |register| if register == src { dst } else { register };
                code[first..at].iter_mut().for_each(|op| op.rename(&mut renamed));
                code[at] = Op::Copy { dst, src: Operand::Register(dst) };
                spans[src as usize] = None;
                spans[dst as usize] = Some((first, last));
            }
        }
    }
}
