//! Retained entries: the presence of an entry that may be removed is changed in place.
//!
//! For example `items := either items or items.remove(key)` makes no second map to be joined with the first one: the entry under the
//! key gets one more condition.

use super::targets;
use crate::spec::code::{Binary, Function, Op, Operand, Pc, Register};

/// Replaces each choice between a variable and the variable without an entry, which is stored to the variable, by one instruction.
pub(super) fn entries(function: &mut Function) {
    let targets = targets(function);
    for at in 1..function.code.len() {
        if let Some(op) = retained(function, at)
            && !targets[at + 1]
            && !targets[at + 3]
        {
            function.code[at] = op;
            function.code[at + 1] = Op::Jump { to: at as Pc + 4 };
        }
    }
}

/// The instruction for `r := if kept { s } else { s.remove(key) }` with a condition that was just chosen, if r is stored to s and read
/// nowhere else.
fn retained(function: &Function, at: usize) -> Option<Op> {
    let [Op::Choose { dst: chosen, .. }, code @ ..] = function.code.get(at - 1..)? else { return None };
    let &[
        Op::Split { cond: kept, otherwise },
        Op::Swap { dst, src: Operand::Slot(slot), end, .. },
        Op::Binary { dst: removed, op: Binary::Remove, a, b: key },
        Op::Join { dst: joined, src, split },
        ..,
    ] = code
    else {
        return None;
    };
    let is_one = [otherwise, end, split] == [at + 2, at + 4, at].map(|pc| pc as Pc) && dst == joined;
    let is_same = kept == Operand::Register(*chosen) && a == Operand::Slot(slot) && src == Operand::Register(removed);
    let once = [dst, removed].iter().all(|register| reads(function, at, *register) == 1);
    let stored = stored(function, at, dst, slot)?;
    (is_one && is_same && once).then_some(Op::Retain { dst, slot, key, kept, stored })
}

/// Returns the position after the store of a register to a variable, which comes at once or at the end of an arm.
fn stored(function: &Function, at: usize, register: Register, slot: u32) -> Option<Pc> {
    let is_store = |pc: usize, register: Register| matches!(function.code.get(pc), Some(Op::Store { slot: own, src }) if *own == slot && *src == Operand::Register(register));
    match function.code.get(at + 4)? {
        Op::Swap { dst, src, end, .. } if *src == Operand::Register(register) => {
            let stores = is_store(*end as usize, *dst) && reads(function, at, *dst) == 1;
            stores.then_some(*end + 1)
        }
        _ => is_store(at + 4, register).then_some(at as Pc + 5),
    }
}

/// Counts the reads of a register in the part of the function with the instruction `at`; other parts use the same registers for
/// other values.
pub(super) fn reads(function: &Function, at: usize, register: Register) -> usize {
    let part = function.ranges().into_iter().find(|part| part.contains(&at)).unwrap_or_default();
    function.code[part].iter().flat_map(Op::operands).filter(|read| *read == Operand::Register(register)).count()
}
