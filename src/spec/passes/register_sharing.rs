//! Register sharing: registers with disjoint live ranges become one (linear scan).
//!
//! For example if r3 is read last before r5 is written, r5 becomes r3. The live range of a register spans from the first to the last
//! instruction that names it, and all of each loop in which it is named.

use crate::spec::code::{Function, Op};

/// A stretch of code: its first instruction and its last one.
type Range = (usize, usize);

/// Renumbers the registers of a function, so that registers with disjoint spans share a number.
pub(super) fn registers(function: &mut Function) {
    let params = function.params;
    let mut most = params;
    for part in function.ranges() {
        let code = &mut function.code[part.clone()];
        let new = numbers(&spans(code, function.registers, part.start), params);
        most = new.iter().flatten().map(|number| number + 1).max().unwrap_or(0).max(most);
        code.iter_mut().for_each(|op| op.rename(&mut |register| new[register as usize].unwrap_or(register)));
    }
    function.registers = most;
}

/// Returns the span of each register in a part of a function; none for a register that the part does not name.
fn spans(code: &[Op], registers: u32, start: usize) -> Vec<Option<Range>> {
    let mut spans = live_ranges(code, registers);
    let loops = loops(code, start);
    while widen(&mut spans, &loops) {}
    spans
}

/// The range of instructions that name each register; none for a register that no instruction names.
fn live_ranges(code: &[Op], registers: u32) -> Vec<Option<Range>> {
    let mut ranges: Vec<Option<Range>> = vec![None; registers as usize];
    for (at, op) in code.iter().enumerate() {
        for register in op.uses().into_iter().chain(op.defs()) {
            let first = ranges[register as usize].map_or(at, |(first, _)| first);
            ranges[register as usize] = Some((first, at));
        }
    }
    ranges
}

/// The loops of code that begins at `start`: for each backward jump, the positions of its target and of the jump.
fn loops(code: &[Op], start: usize) -> Vec<Range> {
    let back = |(at, op): (usize, &Op)| {
        let to = op.ways().into_iter().map(move |to| (to as usize, at));
        to.filter(move |(to, at)| *to <= at + start).map(move |(to, at)| (to.saturating_sub(start), at))
    };
    code.iter().enumerate().flat_map(back).collect()
}

/// Extends spans over the loops that they overlap in part; returns whether any grew.
fn widen(spans: &mut [Option<Range>], loops: &[Range]) -> bool {
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

/// A new number for each register, in the order of the spans: the smallest that is free throughout the span. Parameters keep their numbers.
fn numbers(spans: &[Option<Range>], params: u32) -> Vec<Option<u32>> {
    let mut numbers: Vec<Option<u32>> = vec![None; spans.len()];
    (0..params).for_each(|param| numbers[param as usize] = Some(param));
    let mut order: Vec<usize> = (params as usize..spans.len()).filter(|register| spans[*register].is_some()).collect();
    order.sort_by_key(|register| spans[*register]);
    let mut busy: Vec<usize> = Vec::new(); // for each number after the parameters, the end of its last span
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
