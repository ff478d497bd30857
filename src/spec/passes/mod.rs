//! Code with less to do and the same meaning: what is only copied, taken apart as soon as it was made, tested twice or
//! never read is left out, small functions stand where they are called, a comparison is part of its fork, and registers
//! are shared.
//!
//! `match (a, b) { (Some(x), Some(y)) => x == y, _ => false }` makes no pair: its parts are looked at where they are. A
//! specification answers, chooses and is faulty as before, in the same order (`proofs-notes/passes.md`).

mod coalescing;
mod copy_propagation;
mod dead_code;
mod destructive_updates;
mod dispatch_table;
mod early_stores;
mod inline;
mod jump_threading;
mod live_ranges;
mod lookups;
mod register_sharing;
mod retained_entries;
mod superinstructions;
mod unchanged_variables;

use super::code::{Function, Op, Pc};

pub(super) use inline::inline;

/// The amount of code that is left out; what the code means is the same.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Code {
    /// Everything that does nothing.
    #[default]
    Optimized,
    /// Nothing: each instruction as it was first made.
    Plain,
}

/// Leaves out of every function what does nothing.
pub(super) fn optimize(functions: &mut [Function]) {
    for function in functions {
        forward(function);
        if lookups::entries(function) {
            forward(function);
        }
        destructive_updates::collections(function);
        retained_entries::entries(function);
        unchanged_variables::variables(function);
        jump_threading::shorten(function);
        early_stores::store(function);
        dead_code::remove(function);
        dispatch_table::tell_apart(function);
        superinstructions::comparisons(function);
        register_sharing::registers(function);
    }
}

/// Reads what is copied where it came from, and leaves out what nothing reads then.
pub(super) fn forward(function: &mut Function) {
    loop {
        copy_propagation::forward(function);
        coalescing::copies(function);
        jump_threading::shorten(function);
        let before = function.code.len();
        dead_code::remove(function);
        if function.code.len() == before {
            return;
        }
    }
}

/// Returns for each position whether an instruction names it: as one to jump to, or as the opening of its conditional.
fn targets(function: &Function) -> Vec<bool> {
    let mut targets = vec![false; function.code.len() + 1];
    function.code.iter().flat_map(Op::targets).for_each(|to| targets[to as usize] = true);
    targets
}

/// Leaves instructions out; jumps to one of them go to the next that stays.
fn keep(function: &mut Function, stays: &[bool]) {
    let mut new: Vec<Pc> = Vec::with_capacity(stays.len() + 1);
    let mut next = 0;
    for stay in stays {
        new.push(next);
        next += Pc::from(*stay);
    }
    new.push(next);
    let moved = |pc: &mut Pc| *pc = new[*pc as usize];
    let mut at = stays.iter().copied();
    function.code.retain_mut(|op| {
        op.retarget(&mut |to| new[to as usize], &mut |split| new[split as usize]);
        at.next().unwrap_or(true)
    });
    let kept = |pc: usize| stays.get(pc).copied().unwrap_or(true);
    let mut at = 0..;
    function.origin.retain(|_| at.next().is_none_or(kept));
    let mut at = 0..;
    function.reply_shapes.retain(|_| at.next().is_none_or(kept));
    function.counting.retain(|pc| kept(*pc as usize));
    function.counting.iter_mut().for_each(moved);
    function.parts.iter_mut().for_each(moved);
}
