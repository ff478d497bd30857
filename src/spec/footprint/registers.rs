//! The contents of the registers of a function on all paths: a version of a variable with some keys changed, or a collection of a few
//! listed elements.
//!
//! For example after `r1 := m.remove(k)` r1 is a version of `m` that differs at k, so `m := r1` touches `m` at k only.

use crate::spec::code::{Binary, Function, Op, Operand, Pc, Program, Unary};
use crate::value::Value;

/// A part of a function: instructions that use the same registers.
pub(super) struct RegisterRange<'a> {
    /// The position of the first instruction.
    pub(super) start: usize,
    code: &'a [Op],
    params: u32,
    registers: u32,
}

impl RegisterRange<'_> {
    /// The parts of a function, in order.
    pub(super) fn all(function: &Function) -> Vec<RegisterRange<'_>> {
        let Function { code, params, registers, .. } = function;
        let part = |range: std::ops::Range<usize>| RegisterRange {
            start: range.start,
            code: &code[range],
            params: *params,
            registers: *registers,
        };
        function.ranges().into_iter().map(part).collect()
    }

    pub(super) fn len(&self) -> usize {
        self.code.len()
    }
}

/// The known contents of the registers of a part of a function.
pub(super) struct Registers {
    /// The variable of which a register always holds a version, which differs at touched keys only.
    slots: Vec<Option<u32>>,
    /// The elements of a collection that a register always holds.
    literals: Vec<Option<Vec<Operand>>>,
    /// The loops that leave one element out of a list.
    filters: Vec<Filter>,
    /// The operand that a register is a copy of, if the register is written once.
    copies: Vec<Option<Operand>>,
}

/// A loop like `[x for x in over if x != key]`.
///
/// The loop is found by its instructions, as one instruction in its place was tried and is worse: with a decision for each open comparison it
/// begins anew after each of them, and with optional elements in the result more states are kept apart.
struct Filter {
    /// The position in the part at which the loop begins, that of its [`Op::Iterate`].
    pc: Pc,
    key: Operand,
    over: Operand,
    dst: u32,
}

impl Registers {
    pub(super) fn of(part: &RegisterRange<'_>, program: &Program) -> Registers {
        let count = part.registers as usize;
        let mut written: Vec<Vec<usize>> = vec![Vec::new(); count];
        // A parameter is written where the function is entered.
        written.iter_mut().take(part.params as usize).for_each(|places| places.push(usize::MAX));
        for (pc, op) in part.code.iter().enumerate() {
            op.defs().iter().for_each(|register| written[*register as usize].push(pc));
        }
        let mut registers = Registers {
            slots: vec![None; count],
            literals: vec![None; count],
            filters: filters(part, program),
            copies: vec![None; count],
        };
        for register in part.params as usize..count {
            if let [only] = written[register].as_slice() {
                let elements = registers.elements(&part.code[*only], program);
                registers.literals[register] = elements.filter(|all| all.iter().all(|one| stays(*one, &written)));
                if let Op::Copy { src, .. } = &part.code[*only] {
                    registers.copies[register] = Some(*src);
                }
            }
        }
        registers.follow(part, &written);
        registers
    }

    /// The variable of which an operand holds a version, which differs at touched keys only.
    pub(super) fn part_of(&self, operand: Operand) -> Option<u32> {
        match operand {
            Operand::Slot(slot) => Some(slot),
            Operand::Register(register) => self.slot(register),
            Operand::Constant(_) => None,
        }
    }

    pub(super) fn slot(&self, register: u32) -> Option<u32> {
        self.slots.get(register as usize).copied().flatten()
    }

    /// The elements of a collection that is a literal.
    pub(super) fn literal(&self, operand: Operand) -> Option<Vec<Operand>> {
        match operand {
            Operand::Register(register) => self.literals[register as usize].clone(),
            Operand::Slot(_) | Operand::Constant(_) => None,
        }
    }

    /// The element that a loop beginning at `pc` leaves out, if it does nothing else.
    pub(super) fn filter_at(&self, pc: Pc) -> Option<Operand> {
        let filter = self.filters.iter().find(|filter| filter.pc == pc)?;
        self.slot(filter.dst).map(|_| filter.key)
    }

    /// Returns the source of an operand, followed through any number of copies.
    pub(super) fn origin(&self, operand: Operand) -> Operand {
        let mut origin = operand;
        for _ in 0..self.copies.len() {
            match origin {
                Operand::Register(register) => match self.copies[register as usize] {
                    Some(src) => origin = src,
                    None => return origin,
                },
                Operand::Slot(_) | Operand::Constant(_) => return origin,
            }
        }
        origin
    }

    /// The elements of the collection that an instruction makes, if they are listed.
    fn elements(&self, op: &Op, program: &Program) -> Option<Vec<Operand>> {
        match op {
            Op::MakeList { elements, .. } => Some(elements.to_vec()),
            Op::Insert { map, key, .. } => {
                let mut elements = match map {
                    Operand::Constant(constant) => is_empty(&program.constants[*constant as usize]).then(Vec::new)?,
                    Operand::Register(register) => self.literals[*register as usize].clone()?,
                    Operand::Slot(_) => return None,
                };
                elements.push(*key);
                Some(elements)
            }
            _ => None,
        }
    }

    /// Follows variables through registers, as a greatest fixpoint: each register is assumed to hold a version of one variable, and the
    /// assumption is withdrawn if a write contradicts it, until nothing changes.
    fn follow(&mut self, part: &RegisterRange<'_>, written: &[Vec<usize>]) {
        for _ in 0..written.len() {
            for (register, written) in written.iter().enumerate().skip(part.params as usize) {
                let first = written.iter().find_map(|pc| self.source(part, *pc));
                self.slots[register] = self.slots[register].or(first.and_then(|source| self.part_of(source)));
            }
        }
        loop {
            let mut changed = false;
            for (register, written) in written.iter().enumerate() {
                let Some(slot) = self.slots[register] else { continue };
                let holds = |pc: &usize| {
                    self.is_filtered(part, *pc, register as u32)
                        || self.source(part, *pc).is_some_and(|source| self.part_of(source) == Some(slot))
                };
                if !written.iter().all(holds) {
                    self.slots[register] = None;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Returns the operand of which the result of an instruction is a version, which differs at the keys that it names. The empty list
    /// before a loop that leaves one element out counts as a version of the list that the loop runs over.
    fn source(&self, part: &RegisterRange<'_>, pc: usize) -> Option<Operand> {
        if let Some(filter) = self.filters.iter().find(|filter| filter.pc as usize == pc + 1) {
            return Some(filter.over);
        }
        match &part.code[pc] {
            Op::Copy { src, .. } | Op::Swap { src, .. } | Op::Join { src, .. } => Some(*src),
            Op::Unary { op: Unary::Keys, a, .. } => Some(*a),
            Op::Binary { op: Binary::Remove, a, .. } => Some(*a),
            Op::Binary { op: Binary::Add | Binary::Difference, a, b, .. } => self.literal(*b).map(|_| *a),
            Op::Insert { map, .. } => Some(*map),
            _ => None,
        }
    }

    /// Tests whether an instruction is the push of a loop that leaves one element out of a list, to this register.
    fn is_filtered(&self, part: &RegisterRange<'_>, pc: usize, register: u32) -> bool {
        let pushes = matches!(&part.code[pc], Op::Push { dst, .. } if *dst == register);
        pushes && self.filters.iter().any(|filter| filter.dst == register && filter.pc as usize + 6 == pc)
    }
}

/// Tests whether an operand has one value only: it is a constant, or a register that is written once at most.
fn stays(operand: Operand, written: &[Vec<usize>]) -> bool {
    match operand {
        Operand::Constant(_) => true,
        Operand::Register(register) => written[register as usize].len() < 2,
        Operand::Slot(_) => false,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Map(map) => map.entries().is_ok_and(|entries| entries.is_empty()),
        Value::List(list) => list.is_empty(),
        _ => false,
    }
}

/// The loops that only leave one element out of a list.
fn filters(part: &RegisterRange<'_>, program: &Program) -> Vec<Filter> {
    (1..part.code.len()).filter_map(|pc| filter(part, program, pc)).collect()
}

fn filter(part: &RegisterRange<'_>, program: &Program, pc: usize) -> Option<Filter> {
    let [
        Op::Copy { dst, src: Operand::Constant(empty) },
        Op::Iterate { dst: over_cursor, over },
        Op::Next { cursor, element, presence, .. },
        Op::Copy { dst: x, src: Operand::Register(copied) },
        Op::Branch { cond: Operand::Register(here), .. } | Op::Unless { cond: Operand::Register(here), .. },
        Op::Binary { dst: differs, op: Binary::Ne, a, b },
        Op::Branch { cond: Operand::Register(kept), otherwise },
        Op::Push { dst: to, src: Operand::Register(pushed), .. },
        Op::Jump { to: again },
    ] = part.code.get(pc - 1..pc + 8)?
    else {
        return None;
    };
    let plain = over_cursor == cursor && element == copied && presence == here && differs == kept;
    let into = dst == to && x == pushed && is_empty(&program.constants[*empty as usize]);
    let loops = *again as usize == part.start + pc + 1 && *otherwise as usize == part.start + pc + 7;
    let key = match (*a == Operand::Register(*x), *b == Operand::Register(*x)) {
        (true, false) => *b,
        (false, true) => *a,
        (true, true) | (false, false) => return None,
    };
    (plain && into && loops).then_some(Filter { pc: pc as Pc, key, over: *over, dst: *dst })
}
