//! Registers that are not needed at the same time are one.
//!
//! A register is taken to be needed from the first to the last instruction that names it, and throughout every loop that it
//! is named in.

use super::visit_read;
use crate::spec::code::{Function, Op, Operand, Register};
use crate::spec::operands::{change, change_targets, visit_written};

/// The stretch of code in which a register is needed: its first instruction and its last one.
type Span = (usize, usize);

/// Numbers the registers of a function anew, as few as possible in this order.
pub(super) fn registers(function: &mut Function) {
    let params = function.params;
    let mut most = params;
    for part in function.ranges() {
        let spans = spans(function, part.clone());
        let new = numbers(&spans, params);
        most = new.iter().flatten().map(|number| number + 1).max().unwrap_or(0).max(most);
        for op in &mut function.code[part] {
            let renumbered = |register: &mut Register| *register = new[*register as usize].unwrap_or(*register);
            let read = &mut |operand: &mut Operand| {
                if let Operand::Register(register) = operand {
                    renumbered(register);
                }
            };
            change(op, read, &mut |register| renumbered(register));
        }
    }
    function.registers = most;
}

/// Returns for each register the span in which a part needs it, if it names it at all.
fn spans(function: &Function, part: std::ops::Range<usize>) -> Vec<Option<Span>> {
    let mut spans: Vec<Option<Span>> = vec![None; function.registers as usize];
    for at in part.clone() {
        let mut named = |register: u32| {
            let span = &mut spans[register as usize];
            let (first, last) = span.unwrap_or((at, at));
            *span = Some((first.min(at), last.max(at)));
        };
        visit_read(&function.code[at], &mut named);
        visit_written(&function.code[at], &mut named);
    }
    let loops = loops(&function.code, part);
    while widen(&mut spans, &loops) {}
    spans
}

/// From where to where instructions jump back.
fn loops(code: &[Op], part: std::ops::Range<usize>) -> Vec<Span> {
    let mut loops = Vec::new();
    for at in part {
        // The opening instruction of a conditional is no way to go.
        if !matches!(code[at].plain(), Op::Swap { .. } | Op::Join { .. }) {
            change_targets(&mut code[at].clone(), &mut |to| {
                if *to as usize <= at {
                    loops.push((*to as usize, at));
                }
            });
        }
    }
    loops
}

/// Makes spans cover the loops that they reach into; whether any grew.
fn widen(spans: &mut [Option<Span>], loops: &[Span]) -> bool {
    let mut grown = false;
    for (first, last) in spans.iter_mut().flatten() {
        for (from, to) in loops {
            if *first <= *to && *last >= *from && (*first > *from || *last < *to) {
                (*first, *last) = ((*first).min(*from), (*last).max(*to));
                grown = true;
            }
        }
    }
    grown
}

/// A number for each register: the smallest that is free where it is needed. Parameters keep theirs.
fn numbers(spans: &[Option<Span>], params: u32) -> Vec<Option<u32>> {
    let mut numbers: Vec<Option<u32>> = vec![None; spans.len()];
    (0..params).for_each(|param| numbers[param as usize] = Some(param));
    let mut order: Vec<usize> = (params as usize..spans.len()).filter(|register| spans[*register].is_some()).collect();
    order.sort_by_key(|register| spans[*register]);
    let mut busy: Vec<usize> = Vec::new(); // until where each number beyond the parameters is needed
    for register in order {
        let Some((first, last)) = spans[register] else { continue };
        let free = busy.iter().position(|until| *until < first).unwrap_or(busy.len());
        if free == busy.len() {
            busy.push(last);
        } else {
            busy[free] = last;
        }
        numbers[register] = Some(params + free as u32);
    }
    numbers
}
