//! Access sets: the parts of the state that an instruction touches, a whole variable or its entry under one key.
//!
//! `x in live` touches `live` at x, and so does `live := [y for y in live if y != x]`; `len(live)` touches all of it. The judge delays
//! an internal step of the server until a request touches the same part (`judge`). In a program with `step`s, every instruction that
//! touches a variable of the steps is [watched](Op::Watched).

mod present_lookups;
mod registers;
mod steps;

use super::code::{Binary, ChoiceDomain, Function, Op, Operand, Pc, Program, Touch, Unary};
use super::types::{Type, Types};
use registers::{RegisterRange, Registers};

/// The part of a variable that a `pick` from it touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Picking {
    /// The whole variable: all elements that could have been picked matter.
    Whole,
    /// The element that was picked: without it the run does not exist.
    Element,
}

/// Computes the components of dependent steps of a program, and makes every instruction watched that touches a variable of a component.
pub(super) fn watch(program: &mut Program, types: &Types) {
    if program.steps.is_empty() {
        return;
    }
    for step in 0..program.steps.len() {
        program.steps[step].choice = steps::choice_site(program, types, step);
    }
    program.components = steps::components(program, types);
    program.component_of = vec![None; program.slots.len()];
    for (at, component) in program.components.iter().enumerate() {
        component.slots.iter().for_each(|slot| program.component_of[*slot as usize] = Some(at as u32));
    }
    for at in 0..program.functions.len() {
        let touches = touches(program, types, at, Picking::Whole);
        for (pc, mut touched) in touches.into_iter().enumerate() {
            touched.retain(|touch| program.component_of[touch.slot as usize].is_some());
            if !touched.is_empty() {
                let op = &mut program.functions[at].code[pc];
                let plain = std::mem::replace(op, Op::End);
                *op = Op::Watched { op: Box::new(plain), touches: touched.into() };
            }
        }
    }
}

/// Returns the parts of the state that each instruction of a function touches.
fn touches(program: &Program, types: &Types, function: usize, picking: Picking) -> Vec<Vec<Touch>> {
    let function = &program.functions[function];
    let mut found = Vec::with_capacity(function.code.len());
    for part in RegisterRange::all(function) {
        let registers = Registers::of(&part, program);
        let analysis = Analysis { program, types, function, start: part.start, registers, picking };
        found.extend((0..part.len()).map(|pc| analysis.touches(pc)));
    }
    found
}

struct Analysis<'a> {
    program: &'a Program,
    types: &'a Types,
    function: &'a Function,
    /// The position at which the analysed part of the function begins.
    start: usize,
    registers: Registers,
    picking: Picking,
}

impl Analysis<'_> {
    fn touches(&self, pc: usize) -> Vec<Touch> {
        let op = &self.function.code[self.start + pc];
        let mut found = Vec::new();
        let keyed = |container: Operand, keys: &[Operand], found: &mut Vec<Touch>| {
            if let Some(slot) = self.registers.part_of(container) {
                found.extend(keys.iter().map(|key| Touch { slot, key: Some(*key) }));
            }
        };
        match op {
            Op::Copy { dst, src } | Op::Swap { dst, src, .. } | Op::Join { dst, src, .. } => {
                if self.registers.slot(*dst).is_none() {
                    self.whole(*src, &mut found);
                }
            }
            Op::Store { slot, src } => {
                if self.registers.part_of(*src) != Some(*slot) {
                    found.push(Touch { slot: *slot, key: None });
                    self.whole(*src, &mut found);
                }
            }
            Op::Unary { dst, op: Unary::Keys, a } => {
                if self.registers.slot(*dst).is_none() {
                    self.whole(*a, &mut found);
                }
            }
            Op::Binary { op: Binary::In, a: key, b: container, .. } => {
                keyed(*container, &[*key], &mut found);
                self.whole(*key, &mut found);
            }
            Op::Binary { dst, op: Binary::Get | Binary::Remove, a: container, b: key } => {
                self.container(*dst, op, *container, &[*key], &mut found);
                self.whole(*key, &mut found);
            }
            Op::Binary { dst, op: Binary::Add | Binary::Difference, a, b } => match self.registers.literal(*b) {
                Some(keys) if !self.orders(*a) => self.container(*dst, op, *a, &keys, &mut found),
                Some(_) | None => [*a, *b].into_iter().for_each(|operand| self.whole(operand, &mut found)),
            },
            Op::Index { src, at, .. } if self.is_map(*src) => {
                keyed(*src, &[*at], &mut found);
                self.whole(*at, &mut found);
            }
            Op::Put { slot, key, value } if self.is_map(Operand::Slot(*slot)) => {
                found.push(Touch { slot: *slot, key: Some(*key) });
                [*key, *value].into_iter().for_each(|operand| self.whole(operand, &mut found));
            }
            Op::PutIf { slot, key, value, when } if self.is_map(Operand::Slot(*slot)) => {
                found.push(Touch { slot: *slot, key: Some(*key) });
                [*key, *value, *when].into_iter().for_each(|operand| self.whole(operand, &mut found));
            }
            Op::Insert { dst, map, key, value } => {
                self.container(*dst, op, *map, &[*key], &mut found);
                [*key, *value].into_iter().for_each(|operand| self.whole(operand, &mut found));
            }
            Op::Choose { dst, domain: ChoiceDomain::Element(over, _) } | Op::PickElement { dst, over, .. } => {
                match self.picking {
                    Picking::Whole => self.whole(*over, &mut found),
                    Picking::Element => keyed(*over, &[Operand::Register(*dst)], &mut found),
                }
            }
            Op::Within { element, over } => match self.picking {
                Picking::Whole => self.whole(*over, &mut found),
                Picking::Element => keyed(*over, &[*element], &mut found),
            },
            Op::Iterate { over, .. } => match self.registers.filter_at(pc as Pc) {
                Some(key) => keyed(*over, &[key], &mut found),
                None => self.whole(*over, &mut found),
            },
            // The target of a push is a list of its own, or a variable without one element that a loop builds.
            Op::Push { src, when, .. } => [*src, *when].into_iter().for_each(|operand| self.whole(operand, &mut found)),
            op => op.operands().iter().for_each(|operand| self.whole(*operand, &mut found)),
        }
        found.retain(|touch| touch.slot < self.program.state);
        found
    }

    /// Notes the access of an instruction that makes a new version of a container: the keys, if the new version is followed as a version of
    /// the variable; else the whole variable.
    fn container(&self, dst: u32, op: &Op, container: Operand, keys: &[Operand], found: &mut Vec<Touch>) {
        let Some(slot) = self.registers.part_of(container) else { return };
        let looked_up = matches!(op, Op::Binary { op: Binary::Get, .. });
        if looked_up || self.registers.slot(dst).is_some() {
            found.extend(keys.iter().map(|key| Touch { slot, key: Some(*key) }));
        } else {
            found.push(Touch { slot, key: None });
        }
    }

    fn whole(&self, operand: Operand, found: &mut Vec<Touch>) {
        if let Some(slot) = self.registers.part_of(operand) {
            found.push(Touch { slot, key: None });
        }
    }

    /// Tests whether the order in which a step adds to a container matters, as for a list.
    fn orders(&self, container: Operand) -> bool {
        self.picking == Picking::Element && matches!(self.type_of(container), Some(Type::List(_)))
    }

    fn is_map(&self, operand: Operand) -> bool {
        matches!(self.type_of(operand), Some(Type::Map(..)))
    }

    fn type_of(&self, operand: Operand) -> Option<&Type> {
        let slot = self.registers.part_of(operand)?;
        Some(self.types.get(self.program.slots[slot as usize].ty))
    }
}
