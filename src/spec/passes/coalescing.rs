//! A register and what it is copied to are one, where the first is not needed behind the copy nor the second before it.
//!
//! `r1 := a is Some; r2 := r1; r2 := r2 and b` becomes `r2 := a is Some; r2 := r2 and b`.

use super::visit_read;
use crate::spec::code::{Function, Op, Operand, Register};
use crate::spec::operands::{change, change_targets, visit_written};

/// The first and the last instruction that name a register; none if no instruction does.
type Span = Option<(usize, usize)>;

/// Makes one register of two; the copies between them are left out later.
pub(super) fn copies(function: &mut Function) {
    for part in function.ranges() {
        let params = function.params;
        let code = &mut function.code[part.clone()];
        let mut spans = spans(code, function.registers);
        let loops = loops(code, part.start);
        for at in 0..code.len() {
            let Op::Copy { dst, src: Operand::Register(src) } = code[at] else { continue };
            let (Some((first, until)), Some((from, last))) = (spans[src as usize], spans[dst as usize]) else {
                continue;
            };
            let in_turn = until == at && from == at && src != dst && src >= params && dst >= params;
            if in_turn && !loops.iter().any(|(start, end)| *start <= last && *end >= first) {
                code[first..at].iter_mut().for_each(|op| rename(op, src, dst));
                code[at] = Op::Copy { dst, src: Operand::Register(dst) };
                spans[src as usize] = None;
                spans[dst as usize] = Some((first, last));
            }
        }
    }
}

fn spans(code: &[Op], registers: u32) -> Vec<Span> {
    let mut spans: Vec<Span> = vec![None; registers as usize];
    for (at, op) in code.iter().enumerate() {
        let mut named = |register: Register| {
            let span = &mut spans[register as usize];
            *span = Some((span.map_or(at, |(first, _)| first), at));
        };
        visit_read(op, &mut named);
        visit_written(op, &mut named);
    }
    spans
}

/// From where to where instructions jump back.
fn loops(code: &[Op], start: usize) -> Vec<(usize, usize)> {
    let mut loops = Vec::new();
    for (at, op) in code.iter().enumerate() {
        // The opening instruction of a conditional is no way to go.
        if !matches!(op.plain(), Op::Swap { .. } | Op::Join { .. }) {
            change_targets(&mut op.clone(), &mut |to| {
                if *to as usize <= at + start {
                    loops.push(((*to as usize).saturating_sub(start), at));
                }
            });
        }
    }
    loops
}

fn rename(op: &mut Op, old: Register, new: Register) {
    let read = &mut |operand: &mut Operand| {
        if *operand == Operand::Register(old) {
            *operand = Operand::Register(new);
        }
    };
    let write = &mut |register: &mut Register| {
        if *register == old {
            *register = new;
        }
    };
    change(op, read, write);
}
