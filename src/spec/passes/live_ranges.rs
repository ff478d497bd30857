//! Live ranges of registers, as stretches of code: from the first to the last instruction that names one.
//!
//! In `0 r1 := r0 is Some`, `1 unless r1 go to 3`, `2 r2 := r0.Some.0` the range of r1 is from 0 to 1.

use crate::spec::code::Op;

/// A stretch of code: its first instruction and its last one.
pub(super) type Range = (usize, usize);

/// The range of each register; none of those that no instruction names.
pub(super) fn live_ranges(code: &[Op], registers: u32) -> Vec<Option<Range>> {
    let mut ranges: Vec<Option<Range>> = vec![None; registers as usize];
    for (at, op) in code.iter().enumerate() {
        for register in op.uses().into_iter().chain(op.defs()) {
            let first = ranges[register as usize].map_or(at, |(first, _)| first);
            ranges[register as usize] = Some((first, at));
        }
    }
    ranges
}

/// The loops: from where to where instructions jump back, in code that begins at `start`.
pub(super) fn loops(code: &[Op], start: usize) -> Vec<Range> {
    let back = |(at, op): (usize, &Op)| {
        let to = op.ways().into_iter().map(move |to| (to as usize, at));
        to.filter(move |(to, at)| *to <= at + start).map(move |(to, at)| (to.saturating_sub(start), at))
    };
    code.iter().enumerate().flat_map(back).collect()
}
