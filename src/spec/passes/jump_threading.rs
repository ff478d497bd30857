//! Jump threading: a jump to a jump goes to the target of the second one, and a condition that is known to fail is not tested again.
//!
//! For example `unless r3 go to 6` with `6: unless r3 go to 9` becomes `unless r3 go to 9`.

use super::targets;
use crate::spec::code::{Function, Op, Operand, Pc};

/// Shortens the jumps of a function.
pub(super) fn shorten(function: &mut Function) {
    for at in 0..function.code.len() {
        let shorter = match &function.code[at] {
            Op::Jump { to } => Some(behind_jumps(function, *to)).filter(|new| new != to).map(|to| Op::Jump { to }),
            Op::Unless { cond, to } => {
                let new = where_failed(function, *cond, *to);
                (new != *to).then_some(Op::Unless { cond: *cond, to: new })
            }
            _ => None,
        };
        if let Some(op) = shorter {
            function.code[at] = op;
        }
        if let Op::Jump { to } = function.code[at]
            && matches!(function.code.get(to as usize), Some(Op::End))
        {
            function.code[at] = Op::End;
        }
    }
    drop_known(function);
}

/// Returns the position at which a jump ends, after the jumps that it leads to.
fn behind_jumps(function: &Function, to: Pc) -> Pc {
    let mut to = to;
    // A loop of jumps alone never ends: the bound keeps it as it is.
    for _ in 0..function.code.len() {
        match &function.code[to as usize] {
            Op::Jump { to: next } => to = *next,
            _ => break,
        }
    }
    to
}

/// Returns the position that is reached from another one, after jumps and tests of a condition that is known to fail.
fn where_failed(function: &Function, cond: Operand, to: Pc) -> Pc {
    let mut to = to;
    for _ in 0..function.code.len() {
        match &function.code[to as usize] {
            Op::Jump { to: next } => to = *next,
            Op::Unless { cond: again, to: next } if *again == cond => to = *next,
            Op::Branch { cond: again, otherwise } if *again == cond => to = *otherwise,
            _ => break,
        }
    }
    to
}

/// Replaces tests of a condition that an earlier test passed by jumps to the next instruction.
fn drop_known(function: &mut Function) {
    let targets = targets(function);
    let mut passed: Vec<Operand> = Vec::new();
    for (at, is_target) in targets.into_iter().enumerate().take(function.code.len()) {
        if is_target {
            passed.clear();
        }
        match &function.code[at] {
            Op::Unless { cond, .. } if passed.contains(cond) => {
                function.code[at] = Op::Jump { to: at as Pc + 1 };
            }
            Op::Unless { cond, .. } | Op::Branch { cond, .. } => {
                if let Operand::Register(_) = cond {
                    passed.push(*cond);
                }
            }
            Op::Call { .. } | Op::Watched { .. } => passed.clear(),
            op => passed.retain(|cond| cond.register().is_none_or(|register| !op.defs().contains(&register))),
        }
    }
}
