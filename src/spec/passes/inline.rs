//! Small functions that call no other stand where they are called.
//!
//! `weak(a, b)` becomes the comparison itself, in registers of its own.

use crate::spec::code::{Function, Op, Operand, Pc};

/// Functions of more instructions than this are called.
const SMALL: usize = 80;
/// A function that has grown to this many instructions takes in no more.
const LARGE: usize = 4_000;

/// Puts small functions where they are called; what they call has been put into them before.
pub(super) fn inline(functions: &mut [Function]) {
    // Each round takes in what became small enough in the one before: as often as calls nest.
    for _ in 0..4 {
        let small: Vec<Option<Function>> =
            functions.iter().map(|function| is_small(function).then(|| function.clone())).collect();
        for function in functions.iter_mut() {
            take_in(function, &small);
        }
    }
}

/// Tests whether a function has no more than [`SMALL`] instructions, ends with its only `return` and calls nothing.
fn is_small(function: &Function) -> bool {
    let Some((Op::Return { .. }, body)) = function.code.split_last() else { return false };
    let plain = |op: &Op| !matches!(op, Op::Call { .. } | Op::Return { .. } | Op::Reply { .. } | Op::End);
    body.len() < SMALL && function.parts.is_empty() && body.iter().all(plain)
}

fn take_in(function: &mut Function, small: &[Option<Function>]) {
    let mut at = 0;
    while at < function.code.len() && function.code.len() < LARGE {
        if let Op::Call { dst, function: callee, args } = &function.code[at]
            && let Some(callee) = &small[*callee as usize]
        {
            let (dst, args) = (*dst, args.clone());
            insert(function, at, callee, dst, &args);
        }
        at += 1;
    }
}

/// Replaces a call by the body of what is called.
fn insert(function: &mut Function, at: usize, callee: &Function, dst: u32, args: &[Operand]) {
    let first = function.registers;
    let extra = args.len() + callee.code.len() - 1;
    open(function, at, extra);
    function.registers += callee.registers;
    let copies = args.iter().enumerate().map(|(to, src)| Op::Copy { dst: first + to as u32, src: *src });
    let start = (at + args.len()) as Pc;
    let result = result(callee);
    let renumbered = |register: u32| if Some(register) == result { dst } else { first + register };
    let body = callee.code.iter().map(|op| moved(op, &renumbered, start, dst));
    let code: Vec<Op> = copies.chain(body).collect();
    let site = function.origin[at];
    let sites: Vec<_> = args.iter().map(|_| site).chain(callee.origin.iter().copied()).collect();
    function.code.splice(at..=at, code);
    function.origin.splice(at..=at, sites);
    function.counting.extend(callee.counting.iter().map(|pc| pc + start));
}

/// Makes room for more instructions after one: what comes after it moves.
fn open(function: &mut Function, at: usize, extra: usize) {
    let moved = |pc: Pc| if pc as usize > at { pc + extra as Pc } else { pc };
    function.code.iter_mut().for_each(|op| op.retarget(&mut { moved }, &mut { moved }));
    function.counting.iter_mut().chain(&mut function.parts).for_each(|pc| *pc = moved(*pc));
}

/// The register in which a function leaves its value, if that is no parameter.
fn result(callee: &Function) -> Option<u32> {
    match callee.code.last() {
        Some(Op::Return { src: Operand::Register(register) }) if *register >= callee.params => Some(*register),
        _ => None,
    }
}

/// An instruction in its new place; `return` gives its value to the register that wants it.
fn moved(op: &Op, renumbered: &dyn Fn(u32) -> u32, start: Pc, dst: u32) -> Op {
    let mut op = op.clone();
    op.rename(&mut { renumbered });
    op.retarget(&mut |to| to + start, &mut |split| split + start);
    match op {
        Op::Return { src } => Op::Copy { dst, src },
        op => op,
    }
}
