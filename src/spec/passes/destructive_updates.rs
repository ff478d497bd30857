//! Destructive updates: lists, sets and maps of the state are changed in place.
//!
//! For example `s := s + [x]` appends to s; `match s { [first, ..rest] => { s := rest; } }` removes its first element;
//! `m := m.remove(k)` removes an entry. A collection without a second reference is not copied.

use crate::spec::code::{Binary, Function, Op, Operand, Register};

/// Replaces appends, removals of first elements, and writes and removals of entries by instructions that work in place.
pub(super) fn collections(function: &mut Function) {
    let jumps = jumps(&function.code);
    for part in function.ranges() {
        if jumps.iter().any(|(from, to)| to <= from && part.contains(from)) {
            continue;
        }
        let entered = |first: usize, last: usize| {
            let (first, last) = (part.start + first, part.start + last);
            jumps.iter().any(|(from, to)| (first..=last).contains(to) && !(first..=last).contains(from))
        };
        let code = &mut function.code[part.clone()];
        for at in 0..code.len() {
            read_in_place(code, at, &entered);
            append(code, at, &entered);
            drop_first(code, at);
            entry(code, at, &entered);
        }
    }
}

/// The jumps of the code, as source and target: all edges that do not lead to the next instruction.
fn jumps(code: &[Op]) -> Vec<(usize, usize)> {
    let jumps = |(from, op): (usize, &Op)| {
        op.ways().into_iter().map(move |to| (from, to as usize)).filter(|(from, to)| *to != from + 1)
    };
    code.iter().enumerate().flat_map(jumps).collect()
}

/// Replaces reads of r after `r := s` by reads of s, if s is not written in between and no jump enters the code in between.
fn read_in_place(code: &mut [Op], at: usize, entered: &dyn Fn(usize, usize) -> bool) {
    let Op::Copy { dst, src: Operand::Slot(slot) } = code[at] else { return };
    let Some(last) = only_reads(code, dst, at) else { return };
    if entered(at + 1, last) || code[at + 1..last].iter().any(|op| may_write(op, slot)) {
        return;
    }
    let mut here = |operand| if operand == Operand::Register(dst) { Operand::Slot(slot) } else { operand };
    code[at + 1..=last].iter_mut().for_each(|op| op.substitute(&mut here));
}

/// Replaces `r := s + b; s := r` by an append, if nothing else reads r.
fn append(code: &mut [Op], at: usize, entered: &dyn Fn(usize, usize) -> bool) {
    let Op::Binary { dst, op: Binary::Add, a: Operand::Slot(slot), b } = code[at] else { return };
    if is_stored(code, at, dst, slot) && b != Operand::Slot(slot) && !entered(at + 1, at + 1) {
        code[at] = Op::Append { dst, slot, src: b };
        append_one(code, at, entered);
    }
}

/// Replaces `r := [e]` and the append of r to s by an append of one element, if nothing else reads r.
fn append_one(code: &mut [Op], at: usize, entered: &dyn Fn(usize, usize) -> bool) {
    let Op::Append { dst, slot, src: Operand::Register(list) } = code[at] else { return };
    let Some(made) = at.checked_sub(1) else { return };
    let Op::MakeList { dst: own, elements } = &code[made] else { return };
    let &[element] = &elements[..] else { return };
    if *own == list && only_reads(code, list, made) == Some(at) && !entered(at, at) {
        code[made] = Op::Copy { dst: list, src: Operand::Register(list) };
        code[at] = Op::AppendOne { dst, slot, element };
    }
}

/// Replaces the store to s of `r`, which is s with an entry set or removed, by an update in place, if nothing else reads r.
fn entry(code: &mut [Op], at: usize, entered: &dyn Fn(usize, usize) -> bool) {
    let (dst, in_place) = match code[at] {
        Op::Insert { dst, map: Operand::Slot(slot), key, value } => (dst, Op::Put { slot, key, value }),
        Op::Binary { dst, op: Binary::Remove, a: Operand::Slot(slot), b } => (dst, Op::Delete { slot, key: b }),
        _ => return,
    };
    let (Op::Put { slot, .. } | Op::Delete { slot, .. }) = in_place else { return };
    if is_stored(code, at, dst, slot) && !entered(at + 1, at + 1) {
        code[at] = Op::Copy { dst, src: Operand::Register(dst) };
        code[at + 1] = in_place;
    }
}

/// Tests whether the next instruction stores a register to a variable, and nothing else reads the register.
fn is_stored(code: &[Op], at: usize, dst: Register, slot: u32) -> bool {
    let stored = matches!(code.get(at + 1), Some(Op::Store { slot: into, src })
        if *into == slot && *src == Operand::Register(dst));
    stored && only_reads(code, dst, at) == Some(at + 1)
}

/// Replaces the store to s of `r`, which is s without its first elements, by their removal in place, if nothing else reads r and s is
/// not written in between.
fn drop_first(code: &mut [Op], at: usize) {
    let Op::Tail { dst, src: Operand::Slot(slot), from } = code[at] else { return };
    let Some(last) = only_reads(code, dst, at) else { return };
    let reads = code.iter().flat_map(Op::operands).filter(|read| *read == Operand::Register(dst)).count();
    let stored = matches!(code[last], Op::Store { slot: into, src } if into == slot && src == Operand::Register(dst));
    if stored && reads == 1 && !code[at + 1..last].iter().any(|op| may_write(op, slot)) {
        code[last] = Op::DropFirst { slot, from };
        code[at] = Op::Copy { dst, src: Operand::Register(dst) };
    }
}

/// The last instruction that reads a register; `None` if an instruction other than `written` writes it, or one up to `written` reads it.
fn only_reads(code: &[Op], register: Register, written: usize) -> Option<usize> {
    let mut last = None;
    for (at, op) in code.iter().enumerate() {
        let reads = op.operands().contains(&Operand::Register(register));
        let writes = op.defs().contains(&register);
        if (writes && at != written) || (reads && at <= written) {
            return None;
        }
        last = if reads { Some(at) } else { last };
    }
    last
}

/// Tests whether an instruction may write a variable of the state.
fn may_write(op: &Op, variable: u32) -> bool {
    // Other tasks run while this one is suspended.
    let suspends = matches!(op.plain(), Op::Call { .. } | Op::Yield | Op::CallPeer { .. } | Op::CallPeers { .. });
    suspends || op.stores().is_some_and(|(slot, _)| slot == variable)
}
