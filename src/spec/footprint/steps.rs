//! Components of dependent steps: steps that touch a common variable are in one component.
//!
//! For example `step { let x = pick live; live := [y for y in live if y != x]; }` is *keyed*: a run of it touches variables at one key
//! only, so runs with different keys are independent.

use super::present_lookups::Lookups;
use super::registers::{RegisterRange, Registers};
use super::{Picking, touches};
use crate::spec::code::{ChoiceDomain, Function, Op, Operand, Program, StepComponent};
use crate::spec::types::Types;
use crate::syntax::ast::NodeId;

/// The components of the steps of a program.
pub(super) fn components(program: &Program, types: &Types) -> Vec<StepComponent> {
    let mut components: Vec<StepComponent> = Vec::new();
    for step in 0..program.steps.len() {
        let mut own = alone(program, types, step);
        let shares = |other: &StepComponent| own.slots.iter().any(|slot| other.slots.contains(slot));
        let (sharing, apart): (Vec<_>, Vec<_>) = components.into_iter().partition(shares);
        components = apart;
        sharing.into_iter().for_each(|other| absorb(&mut own, other));
        components.push(own);
    }
    components
}

fn absorb(own: &mut StepComponent, other: StepComponent) {
    own.steps.extend(other.steps);
    own.slots.extend(other.slots);
    own.slots.sort_unstable();
    own.slots.dedup();
    own.keyed &= other.keyed;
    own.faultless &= other.faultless;
}

/// The component of a step alone.
fn alone(program: &Program, types: &Types, step: usize) -> StepComponent {
    let entry = program.steps[step].function as usize;
    let function = &program.functions[entry];
    let registers = registers(function, program);
    let mut component = StepComponent { steps: vec![step], slots: Vec::new(), keyed: true, faultless: true };
    let mut root = None;
    for touch in touches(program, types, entry, Picking::Element).into_iter().flatten() {
        component.slots.push(touch.slot);
        let key = touch.key.map(|key| registers.origin(key));
        component.keyed &= key.is_some_and(|key| *root.get_or_insert(key) == key && is_fixed(function, key));
    }
    for called in reached(program, entry) {
        let function = &program.functions[called];
        let lookups = Lookups { function, registers: &registers };
        let is_safe = |pc: usize| called == entry && lookups.is_there(pc);
        let mut code = function.code.iter().enumerate();
        component.faultless &= function.counting.is_empty() && code.all(|(pc, op)| !op.may_fault() || is_safe(pc));
        if called != entry {
            let inner = touches(program, types, called, Picking::Whole).into_iter().flatten();
            let before = component.slots.len();
            component.slots.extend(inner.map(|touch| touch.slot));
            component.keyed &= component.slots.len() == before;
        }
    }
    component.slots.sort_unstable();
    component.slots.dedup();
    component
}

/// The known contents of the registers of a step, whose function is one part.
fn registers(function: &Function, program: &Program) -> Registers {
    let parts = RegisterRange::all(function);
    Registers::of(&parts[0], program)
}

/// Returns the syntax node at which a keyed step chooses its key, or another step an element of a collection, if a run chooses there
/// once at most.
pub(super) fn choice_site(program: &Program, types: &Types, step: usize) -> Option<NodeId> {
    let entry = program.steps[step].function as usize;
    let function = &program.functions[entry];
    let picks = |op: &Op| matches!(op, Op::Choose { domain: ChoiceDomain::Element(..), .. } | Op::PickElement { .. });
    let place = match alone(program, types, step).keyed {
        true => key_choice(program, types, step),
        false => function.code.iter().position(picks),
    };
    place.filter(|place| is_chosen_once(program, entry, *place)).map(|place| function.origin[place])
}

/// Tests whether a run chooses at most once at the node of an instruction: no loop leads back to the instruction, and it is the only
/// choice of the node.
fn is_chosen_once(program: &Program, entry: usize, place: usize) -> bool {
    let function = &program.functions[entry];
    let site = function.origin[place];
    let chooses = |op: &Op| matches!(op.plain(), Op::Choose { .. } | Op::PickElement { .. });
    let of_site = |function: &Function| {
        function.code.iter().zip(&function.origin).filter(|(op, origin)| **origin == site && chooses(op)).count()
    };
    let all: usize = reached(program, entry).into_iter().map(|at| of_site(&program.functions[at])).sum();
    all == 1 && !comes_back(function, place)
}

/// Tests whether a loop leads back to an instruction.
fn comes_back(function: &Function, place: usize) -> bool {
    let leads_back = |(pc, op): (usize, &Op)| pc >= place && op.ways().iter().any(|to| *to as usize <= place);
    function.code.iter().enumerate().any(leads_back)
}

/// The instruction that chooses the first key that a step touches.
fn key_choice(program: &Program, types: &Types, step: usize) -> Option<usize> {
    let entry = program.steps[step].function as usize;
    let function = &program.functions[entry];
    let registers = registers(function, program);
    let first = touches(program, types, entry, Picking::Element).into_iter().flatten().next()?;
    let Operand::Register(key) = registers.origin(first.key?) else { return None };
    let place = function.code.iter().position(|op| op.defs().contains(&key))?;
    matches!(function.code[place], Op::Choose { .. } | Op::PickElement { .. }).then_some(place)
}

/// A function and all that it calls, directly or through others.
fn reached(program: &Program, entry: usize) -> Vec<usize> {
    let mut reached = vec![entry];
    let mut at = 0;
    while let Some(function) = reached.get(at).copied() {
        at += 1;
        for op in &program.functions[function].code {
            if let Op::Call { function: callee, .. } = op
                && !reached.contains(&(*callee as usize))
            {
                reached.push(*callee as usize);
            }
        }
    }
    reached
}

/// Tests whether an operand has one value in a run: it is a constant, or written at one place outside of loops.
fn is_fixed(function: &Function, key: Operand) -> bool {
    let register = match key {
        Operand::Constant(_) => return true,
        Operand::Slot(_) => return false,
        Operand::Register(register) => register,
    };
    let mut places = function.code.iter().enumerate().filter(|(_, op)| op.defs().contains(&register));
    let (Some((place, _)), None) = (places.next(), places.next()) else { return false };
    register >= function.params && !comes_back(function, place)
}
