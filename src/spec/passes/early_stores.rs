//! Early stores: a store right after an assumption moves before it, since the assumption may then be the last mention of the old
//! value.
//!
//! For example `now := choose t: int where t >= now` assumes `t >= #1` when `now` is t already, so that #1 is forgotten at once.

use super::targets;
use crate::spec::code::{Function, Op, Operand};

/// Swaps each assumption with the store after it. If the condition fails there is no run, so nothing sees the store.
pub(super) fn store(function: &mut Function) {
    let targets = targets(function);
    for (at, is_target) in targets.into_iter().enumerate().take(function.code.len()).skip(1) {
        let counts = function.counting.iter().any(|pc| [at, at - 1].contains(&(*pc as usize)));
        let [assume, store] = [&function.code[at - 1], &function.code[at]];
        if let (Op::Assume { cond: cond @ Operand::Register(_) }, Op::Store { src, .. }) = (assume, store)
            && src != cond
            && !is_target
            && !counts
            && !function.parts.contains(&(at as u32))
        {
            function.code.swap(at - 1, at);
            function.origin.swap(at - 1, at);
        }
    }
}
