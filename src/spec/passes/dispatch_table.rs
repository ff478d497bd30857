//! A dispatch table: a jump by the variant of a request to its handler, instead of one test after the other.
//!
//! For example `unless r0 is A go to 5; …; 5: unless r0 is B go to 9; …` is preceded by `by r0: A at 0, B at 5`.

use std::sync::Arc;

use crate::spec::code::{Function, Op, Operand, Pc, Register};

/// Fewer tests in a row than this are left as they are: a table would save little.
const TESTS: usize = 4;

/// Puts a jump by variant in front of a function that begins with tests of one parameter for one variant after the other.
pub(super) fn tell_apart(function: &mut Function) {
    let Some((src, tests)) = tests(function) else { return };
    let Some(Op::Unless { to: none, .. }) = tests.last().map(|(at, _)| &function.code[*at + 1]) else { return };
    let known = tests.iter().map(|(_, tag)| *tag as usize + 1).max().unwrap_or(0);
    let mut targets = vec![*none + 1; known];
    for (at, tag) in tests.iter().rev() {
        targets[*tag as usize] = *at as Pc + 1;
    }
    let none = *none + 1;
    function.code.iter_mut().for_each(|op| op.retarget(&mut |to| to + 1, &mut |split| split + 1));
    function.counting.iter_mut().chain(&mut function.parts).for_each(|pc| *pc += 1);
    function.code.insert(0, Op::ByVariant { src, targets: Arc::from(targets), none });
    function.origin.insert(0, function.origin[0]);
    function.reply_shapes.insert(0, function.reply_shapes[0].clone());
}

/// The tests of a parameter with which a function begins, each with its variant, if it makes no difference to skip those before: only
/// the instructions between one test and the next read its outcome.
fn tests(function: &Function) -> Option<(Operand, Vec<(usize, u32)>)> {
    let mut tests: Vec<(usize, u32)> = Vec::new();
    let (mut at, mut of) = (0, None);
    while let [Op::IsVariant { dst, src: src @ Operand::Register(own), tag }, Op::Unless { cond, to }, ..] =
        function.code.get(at..)?
        && *own < function.params
        && of.is_none_or(|of| of == *src)
        && *cond == Operand::Register(*dst)
        && *to as usize > at
        && is_within(function, *dst, at..*to as usize)
    {
        of = Some(*src);
        tests.push((at, *tag));
        at = *to as usize;
    }
    let src = of.filter(|src| {
        tests.len() >= TESTS && function.reply_shapes.len() == function.code.len() && !is_written(function, *src)
    })?;
    Some((src, tests))
}

/// Tests whether only the instructions in `range` name a register, in their part of the function; other parts use the same registers
/// for other values.
fn is_within(function: &Function, register: Register, range: std::ops::Range<usize>) -> bool {
    let part = function.ranges().into_iter().find(|part| part.contains(&range.start)).unwrap_or_default();
    part.filter(|at| !range.contains(at)).all(|at| !function.code[at].names(register))
}

fn is_written(function: &Function, operand: Operand) -> bool {
    function.code.iter().any(|op| op.defs().iter().any(|own| operand == Operand::Register(*own)))
}
