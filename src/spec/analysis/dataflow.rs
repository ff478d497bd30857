//! Dataflow analysis: facts that hold before each instruction, solved over the control-flow graph of a function.
//!
//! For example `0 branch r0 else 2`, `1 r1 := r0`, `2 reply r1` has the edges 0 → 1, 0 → 2 and 1 → 2. Register r1 is live before 2,
//! and, backwards along the edge 0 → 2, before 0. An analysis is a lattice, a direction and a transfer function.

use crate::spec::code::{Function, Op, Operand, Register};
use crate::spec::instruction::Few;

/// Facts that are joined if several paths lead to an instruction.
pub(crate) trait Lattice: Clone {
    /// Joins the facts of another path; returns whether that changed anything.
    fn join(&mut self, other: &Self) -> bool;
}

/// The trivial lattice: an instruction is reached.
impl Lattice for () {
    fn join(&mut self, (): &()) -> bool {
        false
    }
}

/// The control-flow graph of a function.
pub(crate) struct Graph {
    /// The positions at which the code may go on after each instruction.
    pub(crate) successors: Vec<Few<usize>>,
    /// The instructions after which the code may go on at each position.
    pub(crate) predecessors: Vec<Few<usize>>,
}

impl Graph {
    pub(crate) fn of(function: &Function) -> Graph {
        let length = function.code.len();
        // The position after the last instruction has no instruction.
        let none = || std::iter::repeat_with(Few::new).take(length + 1).collect();
        let (mut successors, mut predecessors): (Vec<Few<usize>>, Vec<Few<usize>>) = (none(), none());
        for (at, op) in function.code.iter().enumerate() {
            successors[at].extend(op.successors(at));
            successors[at].iter().for_each(|to| predecessors[*to].push(at));
        }
        Graph { successors, predecessors }
    }

    /// Solves a forward analysis from an entry; returns the facts before each instruction, `None` for one that is not reached. `transfer`
    /// gives the facts after an instruction from those before it, or `None` to stop there.
    pub(crate) fn forward<L: Lattice>(
        &self,
        (entry, facts): (usize, L),
        transfer: impl FnMut(usize, &L) -> Option<L>,
    ) -> Vec<Option<L>> {
        let mut before = vec![None; self.successors.len()];
        before[entry] = Some(facts);
        solve(&self.successors, &mut before, vec![entry], transfer);
        before
    }

    /// Solves a backward analysis; returns the facts before each position. `transfer` gives the facts before an instruction from those
    /// after it.
    pub(crate) fn backward<L: Lattice + Default>(&self, mut transfer: impl FnMut(usize, &L) -> L) -> Vec<L> {
        let end = self.successors.len() - 1;
        let mut after = vec![Some(L::default()); end + 1];
        solve(&self.predecessors, &mut after, (0..end).collect(), |at, facts| Some(transfer(at, facts)));
        let before = |(at, facts): (usize, &L)| if at < end { transfer(at, facts) } else { facts.clone() };
        after.iter().flatten().enumerate().map(before).collect()
    }

    /// Marks the positions that are reachable from an entry by paths that go on only after instructions for which `passes` holds.
    pub(crate) fn reached(&self, entry: usize, passes: impl Fn(usize) -> bool) -> Vec<bool> {
        let reached = self.forward((entry, ()), |at, ()| passes(at).then_some(()));
        reached.iter().map(Option::is_some).collect()
    }

    /// Marks the positions before which a register is live: its value may still be read.
    pub(crate) fn live(&self, function: &Function, register: Register) -> Vec<bool> {
        let code = &function.code;
        let mut live = vec![false; code.len() + 1];
        let mut open: Vec<usize> = (0..code.len()).filter(|at| code[*at].uses().contains(&register)).collect();
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut live[at], true) {
                open.extend(self.predecessors[at].iter().filter(|from| !code[**from].defs().contains(&register)));
            }
        }
        live
    }

    /// The instructions that may read the value that a register or a variable has at a position.
    pub(crate) fn readers(&self, function: &Function, from: usize, held: Operand) -> Vec<usize> {
        let code = &function.code;
        let overwrites = |at: usize| match held {
            Operand::Register(register) => code[at].defs().contains(&register),
            Operand::Slot(slot) => matches!(code[at].plain(), Op::Store { slot: own, .. } if *own == slot),
            Operand::Constant(_) => false,
        };
        let reads = |at: usize| match held {
            Operand::Register(register) => code[at].uses().contains(&register),
            Operand::Slot(_) | Operand::Constant(_) => code[at].operands().contains(&held),
        };
        let reached = self.reached(from, |at| at < code.len() && !overwrites(at));
        (0..code.len()).filter(|at| reached[*at] && reads(*at)).collect()
    }
}

/// Marks the instructions that are reachable from the first one by paths that go on only after instructions for which `passes` holds.
/// It needs no [`Graph`].
pub(crate) fn reached(function: &Function, passes: impl Fn(&Op) -> bool) -> Vec<bool> {
    let mut reached = vec![false; function.code.len()];
    let mut open = vec![0];
    while let Some(at) = open.pop() {
        if let Some(op) = function.code.get(at)
            && !std::mem::replace(&mut reached[at], true)
            && passes(op)
        {
            open.extend(op.successors(at));
        }
    }
    reached
}

/// Propagates facts along edges until nothing changes.
fn solve<L: Lattice>(
    edges: &[Few<usize>],
    facts: &mut [Option<L>],
    mut open: Vec<usize>,
    mut transfer: impl FnMut(usize, &L) -> Option<L>,
) {
    while let Some(at) = open.pop() {
        let Some(carried) = facts[at].as_ref().and_then(|known| transfer(at, known)) else { continue };
        for to in &edges[at] {
            let changed = match &mut facts[*to] {
                Some(known) => known.join(&carried),
                unknown => {
                    *unknown = Some(carried.clone());
                    true
                }
            };
            if changed {
                open.push(*to);
            }
        }
    }
}
