//! The ways that the code of a function takes, and what is still read of its registers from an instruction on.
//!
//! Behind `0 branch r0 else 2`, `1 r1 := r0`, `2 reply r1` the ways are 0 → 1, 0 → 2 and 1 → 2, and r1 is live before 2 alone.

use super::code::{Function, Pc, Register};
use super::operands::{visit_ways, visit_written};
use super::passes::visit_read;

/// More instructions than this are not tried as the place where arms meet.
const TRIED: usize = 64;

/// The control-flow graph of a function.
pub(super) struct Flow {
    /// The positions at which the code may go on behind each instruction.
    pub(super) ways: Vec<Vec<usize>>,
    /// The instructions from which each instruction is come to.
    pub(super) from: Vec<Vec<usize>>,
}

impl Flow {
    pub(super) fn of(function: &Function) -> Flow {
        let length = function.code.len();
        let (mut ways, mut from) = (vec![Vec::new(); length], vec![Vec::new(); length + 1]);
        for (at, op) in function.code.iter().enumerate() {
            visit_ways(op, at as Pc + 1, &mut |to| {
                ways[at].push(to as usize);
                from[to as usize].push(at);
            });
        }
        Flow { ways, from }
    }

    /// Marks the instructions before which a register holds something that may still be read.
    pub(super) fn needed(&self, function: &Function, register: Register) -> Vec<bool> {
        let mut needed = vec![false; function.code.len() + 1];
        loop {
            let mut changed = false;
            for (at, op) in function.code.iter().enumerate().rev() {
                let (mut read, mut written) = (false, false);
                visit_read(op, &mut |own| read |= own == register);
                visit_written(op, &mut |own| written |= own == register);
                let own = read || !written && self.ways[at].iter().any(|to| needed[*to]);
                changed |= std::mem::replace(&mut needed[at], own) != own;
            }
            if !changed {
                return needed;
            }
        }
    }

    /// The nearest instruction that every run comes to which goes one of the ways from `at`: their post-dominator.
    pub(super) fn meeting(&self, at: usize) -> Option<usize> {
        let mut near = self.ways[at].clone();
        let mut next = 0;
        while next < near.len().min(TRIED) {
            if self.all_come_to(near[next], at) {
                return Some(near[next]);
            }
            for way in self.ways.get(near[next]).into_iter().flatten() {
                if !near.contains(way) {
                    near.push(*way);
                }
            }
            next += 1;
        }
        None
    }

    /// Tests whether no way from `at` ends, or comes back to it, without coming to an instruction.
    fn all_come_to(&self, place: usize, at: usize) -> bool {
        let mut met = vec![false; self.ways.len() + 1];
        let mut open = self.ways[at].clone();
        while let Some(next) = open.pop() {
            if next == place || std::mem::replace(&mut met[next], true) {
                continue;
            }
            match self.ways.get(next) {
                Some(ways) if next != at && !ways.is_empty() => open.extend(ways),
                Some(_) | None => return false,
            }
        }
        true
    }
}
