//! Compiler passes: inlining, copy propagation, dead code, jump threading, destructive updates, register sharing and others.
//!
//! For example `match (a, b) { (Some(x), Some(y)) => x == y, _ => false }` makes no pair: the parts are read where they are. Each pass
//! keeps the meaning: a specification answers, chooses and is faulty as before, in the same order (`proofs-notes/passes.md`).

mod copy_propagation;
mod dead_code;
mod destructive_updates;
mod dispatch_table;
mod early_stores;
mod inline;
mod jump_threading;
mod lookups;
mod register_sharing;
mod retained_entries;
mod superinstructions;

use super::code::{Function, Op, Pc};

/// The passes that are run on the code. Its meaning is the same with any of them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Code {
    /// All passes.
    #[default]
    Optimized,
    /// No passes: each instruction as it was first made.
    Plain,
    /// All passes but the one with this name.
    Without(&'static str),
    /// The first passes, up to this number, in the order of [`names`].
    First(usize),
}

impl Code {
    fn runs(self, pass: &CompilerPass) -> bool {
        match self {
            Code::Optimized => true,
            Code::Plain => false,
            Code::Without(name) => name != pass.name,
            Code::First(count) => names()[..count].contains(&pass.name),
        }
    }
}

/// A pass over the code of a program.
struct CompilerPass {
    name: &'static str,
    run: fn(&mut [Function]),
}

/// Makes a pass over all functions together, or over each by itself.
macro_rules! pass {
    ($name:literal, all $run:path) => {
        CompilerPass { name: $name, run: $run }
    };
    ($name:literal, $run:path) => {
        CompilerPass { name: $name, run: |functions| functions.iter_mut().for_each($run) }
    };
}

/// The passes before any analysis of the code.
const EARLY: &[CompilerPass] = &[pass!("inlining", all inline::inline)];

/// The passes that are repeated until the code gets no shorter: each may give the others something to do.
const REPEATED: &[CompilerPass] = &[
    pass!("lookups", lookups::entries),
    pass!("copy propagation", copy_propagation::forward),
    pass!("jump threading", jump_threading::shorten),
    pass!("dead code", dead_code::remove),
];

/// The passes after the repeated ones, in this order.
const LATE: &[CompilerPass] = &[
    pass!("destructive updates", destructive_updates::collections),
    pass!("retained entries", retained_entries::entries),
    pass!("jump threading", jump_threading::shorten),
    pass!("early stores", early_stores::store),
    pass!("dead code", dead_code::remove),
    pass!("dispatch table", dispatch_table::tell_apart),
    pass!("superinstructions", superinstructions::comparisons),
    pass!("register sharing", register_sharing::registers),
];

/// The names of all passes.
#[must_use]
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = Vec::new();
    for pass in [EARLY, REPEATED, LATE].into_iter().flatten() {
        if !names.contains(&pass.name) {
            names.push(pass.name);
        }
    }
    names
}

/// Runs the early passes: inlining.
pub(super) fn prepare(functions: &mut [Function], code: Code) {
    run(EARLY, functions, code);
}

/// Runs the late passes over simplified functions.
pub(super) fn optimize(functions: &mut [Function], code: Code) {
    run(LATE, functions, code);
}

/// Runs the repeated passes over each function, until its code gets no shorter.
pub(super) fn simplify(functions: &mut [Function], code: Code) {
    for function in functions {
        loop {
            let before = function.code.len();
            run(REPEATED, std::slice::from_mut(function), code);
            if function.code.len() == before {
                break;
            }
        }
    }
}

fn run(passes: &[CompilerPass], functions: &mut [Function], code: Code) {
    passes.iter().filter(|pass| code.runs(pass)).for_each(|pass| (pass.run)(functions));
}

/// Marks the positions that some instruction names, as a jump target or as the opening of its conditional.
fn targets(function: &Function) -> Vec<bool> {
    let mut targets = vec![false; function.code.len() + 1];
    function.code.iter().flat_map(Op::targets).for_each(|to| targets[to as usize] = true);
    targets
}

/// Removes the instructions that do not stay; jumps to one of them go to the next instruction that stays.
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
