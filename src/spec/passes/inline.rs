//! Inlining of small functions that call no others.
//!
//! For example a call `weak(a, b)` becomes the comparison that is the body of `weak`, in registers of its own.

use crate::spec::code::{Function, Op, Operand, Pc};

/// A function of more instructions than this is not inlined.
const SMALL: usize = 80;
/// Nothing more is inlined into a function that has grown to this many instructions.
const LARGE: usize = 4_000;

/// Inlines small functions, the innermost ones first.
pub(super) fn inline(functions: &mut [Function]) {
    // Each round inlines functions that lost their last call in the round before: four levels of calls.
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

/// Replaces a call by copies of the arguments and the body of the callee.
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

/// Makes room for more instructions after one: the positions after it move.
fn open(function: &mut Function, at: usize, extra: usize) {
    let moved = |pc: Pc| if pc as usize > at { pc + extra as Pc } else { pc };
    function.code.iter_mut().for_each(|op| op.retarget(&mut { moved }, &mut { moved }));
    function.counting.iter_mut().chain(&mut function.parts).for_each(|pc| *pc = moved(*pc));
}

/// The register that a function returns, unless it is a parameter.
fn result(callee: &Function) -> Option<u32> {
    match callee.code.last() {
        Some(Op::Return { src: Operand::Register(register) }) if *register >= callee.params => Some(*register),
        _ => None,
    }
}

/// An instruction of the callee in its new place; `return` becomes a copy to the register of the call's result.
fn moved(op: &Op, renumbered: &dyn Fn(u32) -> u32, start: Pc, dst: u32) -> Op {
    let mut op = op.clone();
    op.rename(&mut { renumbered });
    op.retarget(&mut |to| to + start, &mut |split| split + start);
    match op {
        Op::Return { src } => Op::Copy { dst, src },
        op => op,
    }
}
