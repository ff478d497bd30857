//! Code with less to do and the same meaning: what is only copied, taken apart as soon as it was made, tested twice or
//! never read is left out, small functions stand where they are called, a comparison is part of its fork, and registers
//! are shared.
//!
//! `match (a, b) { (Some(x), Some(y)) => x == y, _ => false }` makes no pair: its parts are looked at where they are. A
//! specification answers, chooses and is faulty as before, in the same order (`proofs-notes/passes.md`).

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

/// The amount of code that is left out; what the code means is the same.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Code {
    /// Everything that does nothing.
    #[default]
    Optimized,
    /// Nothing: each instruction as it was first made.
    Plain,
    /// All that the passes but the one of this name leave out.
    Without(&'static str),
    /// This number of passes, in the order of [`names`], and no others.
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

/// A pass over all functions, or over each by itself.
macro_rules! pass {
    ($name:literal, all $run:path) => {
        CompilerPass { name: $name, run: $run }
    };
    ($name:literal, $run:path) => {
        CompilerPass { name: $name, run: |functions| functions.iter_mut().for_each($run) }
    };
}

/// The passes before what is asked of the code is found out.
const EARLY: &[CompilerPass] = &[pass!("inlining", all inline::inline)];

/// The passes that are repeated until the code gets no shorter: each may leave something to do for the others.
const REPEATED: &[CompilerPass] = &[
    pass!("lookups", lookups::entries),
    pass!("copy propagation", copy_propagation::forward),
    pass!("jump threading", jump_threading::shorten),
    pass!("dead code", dead_code::remove),
];

/// The passes after those, in their order.
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

/// Puts small functions where they are called.
pub(super) fn prepare(functions: &mut [Function], code: Code) {
    run(EARLY, functions, code);
}

/// Leaves out of every simplified function what does nothing.
pub(super) fn optimize(functions: &mut [Function], code: Code) {
    run(LATE, functions, code);
}

/// Reads what is copied where it came from, and leaves out what nothing reads then.
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
