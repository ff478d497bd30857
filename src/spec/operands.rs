//! The operands that an instruction reads, the registers that it writes, and the positions at which it may go on.
//!
//! `r2 := r0 + s1` reads a register and a variable of the state.

use std::sync::Arc;

use super::code::{Domain, Op, Operand, Pc, Register};

impl Op {
    /// The instruction itself, whether it is watched or not.
    #[must_use]
    pub fn plain(&self) -> &Op {
        match self {
            Op::Watched { op, .. } => op,
            op => op,
        }
    }
}

/// Calls a function on every operand that an instruction reads.
pub(crate) fn visit_operands(op: &Op, visit: &mut dyn FnMut(Operand)) {
    match op.plain() {
        Op::Put { slot, .. } | Op::Delete { slot, .. } => visit(Operand::Slot(*slot)),
        Op::Append { slot, .. } | Op::AppendOne { slot, .. } => visit(Operand::Slot(*slot)),
        Op::Behead { slot, .. } | Op::Retain { slot, .. } => visit(Operand::Slot(*slot)),
        Op::Next { cursor, .. } => visit(Operand::Register(*cursor)),
        Op::Push { dst, .. } | Op::Gather { dst, .. } => visit(Operand::Register(*dst)),
        _ => {}
    }
    change(&mut op.plain().clone(), &mut |operand| visit(*operand), &mut |_| {});
}

/// Calls a function on every register that an instruction writes.
pub(crate) fn visit_written(op: &Op, visit: &mut dyn FnMut(Register)) {
    change(&mut op.plain().clone(), &mut |_| {}, &mut |register| visit(*register));
}

/// Changes the operands that an instruction names and the registers that it writes. What it writes it may read as well:
/// [`Op::Push`], [`Op::Gather`] and [`Op::Next`] change what is there.
pub(super) fn change(op: &mut Op, read: &mut dyn FnMut(&mut Operand), write: &mut dyn FnMut(&mut Register)) {
    match op {
        Op::Store { src, .. } | Op::Return { src } | Op::Reply { src } => read(src),
        Op::Put { key, value, .. } => [key, value].into_iter().for_each(read),
        Op::Delete { key, .. } => read(key),
        Op::ByVariant { src, .. } => read(src),
        Op::Unless { cond, .. } | Op::Branch { cond, .. } | Op::Split { cond, .. } => read(cond),
        Op::Compare { a, b, .. } => [a, b].into_iter().for_each(read),
        Op::Assume { cond } | Op::Expects { cond } => read(cond),
        Op::Within { element, over } => [element, over].into_iter().for_each(read),
        Op::Next { cursor, element, presence, .. } => [cursor, element, presence].into_iter().for_each(write),
        Op::IterateInOrder { dst, over, ordered } => {
            read(over);
            [dst, ordered].into_iter().for_each(write);
        }
        Op::Find { dst, there, map, key } => {
            [map, key].into_iter().for_each(read);
            [dst, there].into_iter().for_each(write);
        }
        Op::Watched { op, touches } => {
            touches.iter_mut().filter_map(|touch| touch.key.as_mut()).for_each(&mut *read);
            change(op, read, write);
        }
        Op::Jump { .. } | Op::Select { .. } | Op::Fault { .. } | Op::Behead { .. } => {}
        Op::End | Op::Yield | Op::Unsupported => {}
        op => computes(op, read, write),
    }
}

/// Changes the operands of an instruction that gives a value, and the register that it writes, as [`change`] does.
fn computes(op: &mut Op, read: &mut dyn FnMut(&mut Operand), write: &mut dyn FnMut(&mut Register)) {
    let dst = match op {
        Op::Copy { dst, src } | Op::IsVariant { dst, src, .. } | Op::Field { dst, src, .. } => each(dst, [src], read),
        Op::HasLength { dst, src, .. } | Op::Nth { dst, src, .. } | Op::Tail { dst, src, .. } => each(dst, [src], read),
        Op::Swap { dst, src, .. } | Op::Join { dst, src, .. } => each(dst, [src], read),
        Op::Push { dst, src, when } => each(dst, [src, when], read),
        Op::Unary { dst, a, .. } => each(dst, [a], read),
        Op::Append { dst, src, .. } | Op::AppendOne { dst, element: src, .. } => each(dst, [src], read),
        Op::Binary { dst, a, b, .. } | Op::Require { dst, a, b, .. } => each(dst, [a, b], read),
        Op::Retain { dst, key, kept, .. } => each(dst, [key, kept], read),
        Op::Insert { dst, map, key, value } => each(dst, [map, key, value], read),
        Op::Replace { dst, list, at, value } => each(dst, [list, at, value], read),
        Op::Index { dst, src, at } => each(dst, [src, at], read),
        Op::Slice { dst, src, from, to } => each(dst, [src, from, to], read),
        Op::Make { dst, fields, .. } => each(dst, fields.iter_mut(), read),
        Op::MakeList { dst, elements } => each(dst, elements.iter_mut(), read),
        Op::With { dst, src, fields } => {
            let replaced = fields.iter_mut().map(|(_, operand)| operand);
            each(dst, std::iter::once(src).chain(replaced), read)
        }
        Op::Iterate { dst, over } | Op::PickElement { dst, over, .. } => each(dst, [over], read),
        Op::IterateRange { dst, from, to } | Op::RangeList { dst, from, to } => each(dst, [from, to], read),
        Op::Gather { dst, key, value, when } => each(dst, [key, value, when], read),
        Op::Call { dst, args, .. } => each(dst, args.iter_mut(), read),
        Op::Choose { dst, domain } => match domain {
            Domain::Range(from, to) => each(dst, [from, to], read),
            Domain::Element(over, _) => each(dst, [over], read),
            Domain::Type(_) | Domain::Alternatives(_) => dst,
        },
        _ => return,
    };
    write(dst);
}

fn each<'o>(
    dst: &'o mut Register,
    operands: impl IntoIterator<Item = &'o mut Operand>,
    read: &mut dyn FnMut(&mut Operand),
) -> &'o mut Register {
    operands.into_iter().for_each(read);
    dst
}

/// Changes the positions that an instruction names: where it may go on, and the opening instruction of its conditional.
pub(super) fn change_targets(op: &mut Op, change: &mut dyn FnMut(&mut Pc)) {
    change_ways(op, change);
    change_opening(op, change);
}

/// Changes the position of the opening instruction of a conditional in one that names it.
pub(super) fn change_opening(op: &mut Op, change: &mut dyn FnMut(&mut Pc)) {
    match op {
        Op::Swap { split, .. } | Op::Join { split, .. } => change(split),
        Op::Watched { op, .. } => change_opening(op, change),
        _ => {}
    }
}

/// Changes the positions where an instruction may go on, but the next one.
pub(super) fn change_ways(op: &mut Op, change: &mut dyn FnMut(&mut Pc)) {
    match op {
        Op::Jump { to } | Op::Unless { to, .. } => change(to),
        Op::Branch { otherwise, .. } | Op::Compare { otherwise, .. } | Op::Split { otherwise, .. } => change(otherwise),
        Op::Swap { end, .. } => change(end),
        Op::Next { done: to, .. } | Op::Retain { stored: to, .. } => change(to),
        Op::Select { targets } => Arc::make_mut(targets).iter_mut().for_each(change),
        Op::ByVariant { targets, none, .. } => Arc::make_mut(targets).iter_mut().chain([none]).for_each(change),
        Op::Watched { op, .. } => change_ways(op, change),
        _ => {}
    }
}

/// Calls a function on every position where the code may go on behind an instruction, `following` being the next one.
pub(super) fn visit_ways(op: &Op, following: Pc, visit: &mut dyn FnMut(Pc)) {
    match op.plain() {
        Op::Jump { to } => visit(*to),
        Op::Unless { to, .. } => [following, *to].into_iter().for_each(visit),
        Op::Branch { otherwise, .. } | Op::Compare { otherwise, .. } | Op::Split { otherwise, .. } => {
            [following, *otherwise].into_iter().for_each(visit);
        }
        Op::Swap { end, .. } => [following, *end].into_iter().for_each(visit),
        Op::Next { done: to, .. } | Op::Retain { stored: to, .. } => [following, *to].into_iter().for_each(visit),
        Op::Select { targets } => targets.iter().copied().for_each(visit),
        Op::ByVariant { targets, none, .. } => {
            targets.iter().copied().chain([following, *none]).for_each(visit);
        }
        Op::Reply { .. } | Op::Return { .. } | Op::End => {}
        _ => visit(following),
    }
}
