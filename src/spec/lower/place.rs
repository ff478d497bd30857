//! Lowering of assignments: `x := e`, `x.f := e`, `m[k] := e` and nested places.

use super::emit::Emitter;
use crate::spec::check::Res;
use crate::spec::code::{Op, Operand};
use crate::spec::types::{ERROR, INT, Type, TypeId};
use crate::syntax::ast::{Expr, PlaceExpr, PlaceRoot, PlaceStep};
use crate::value::Value;

/// The slot of a cell. A cell that the machine never names has none, and is 0.
pub(super) fn cell_of(e: &mut Emitter, cell: u32) -> Operand {
    match e.context.cells.iter().position(|known| *known == cell) {
        Some(slot) => Operand::Slot(slot as u32),
        None => e.constant(Value::from(0)),
    }
}

/// A step of a place into a value, with its index evaluated.
#[derive(Clone, Copy)]
enum PlaceStepAt {
    Field(u32),
    Key(Operand),
    Position(Operand),
}

/// Emits the assignment of a value, which is evaluated already, to a place, whose indices are not.
pub(super) fn assign(e: &mut Emitter, place: &PlaceExpr, value: Operand) {
    let (root, ty) = root(e, &place.root);
    let steps = steps(e, &place.path, ty);
    if let (Operand::Slot(slot), [PlaceStepAt::Key(key)]) = (root, steps.as_slice()) {
        e.emit(Op::Put { slot, key: *key, value });
        return;
    }
    let mut containers = vec![root];
    for step in &steps[..steps.len().saturating_sub(1)] {
        let src = containers[containers.len() - 1];
        let inner = step_into(e, src, *step);
        containers.push(inner);
    }
    let mut new = value;
    for (container, step) in containers.into_iter().zip(&steps).rev() {
        new = replaced(e, container, *step, new);
    }
    store(e, root, new);
}

/// The variable and the key of the place `m[k]`, an entry of a map.
pub(super) fn entry_of<'p>(e: &Emitter, place: &'p PlaceExpr) -> Option<(u32, &'p Expr)> {
    let (PlaceRoot::Name(name), [PlaceStep::Index(key)]) = (&place.root, place.path.as_slice()) else { return None };
    let Some(Res::StateVar(slot)) = e.context.checked.tables.resolution(name.id) else { return None };
    matches!(e.kind(e.context.slots[slot as usize].ty), Type::Map(..)).then_some((slot, key))
}

fn root(e: &mut Emitter, root: &PlaceRoot) -> (Operand, TypeId) {
    let name = match root {
        PlaceRoot::Cell(cell, _) => return (cell_of(e, *cell), INT),
        PlaceRoot::Name(name) => name,
    };
    match e.context.checked.tables.resolution(name.id) {
        Some(Res::StateVar(slot)) => (Operand::Slot(slot), e.context.slots[slot as usize].ty),
        Some(Res::Local(binding)) => {
            let register = e.locals.get(&binding).copied();
            let register = register.unwrap_or_else(|| e.register());
            (Operand::Register(register), e.type_of(binding))
        }
        _ => (Operand::Register(e.register()), ERROR),
    }
}

fn steps(e: &mut Emitter, path: &[PlaceStep], root: TypeId) -> Vec<PlaceStepAt> {
    let mut ty = root;
    let mut steps = Vec::with_capacity(path.len());
    for step in path {
        match step {
            PlaceStep::Field(name) => {
                let at = e.context.checked.tables.field(name.id).unwrap_or(0);
                ty = e.context.checked.types.fields(ty, 0).get(at as usize).map_or(ERROR, |field| field.1);
                steps.push(PlaceStepAt::Field(at));
            }
            PlaceStep::Index(index) => {
                let at = e.expr(index);
                let (step, inner) = match e.kind(ty) {
                    Type::List(of) => (PlaceStepAt::Position(at), *of),
                    Type::Map(_, value) => (PlaceStepAt::Key(at), *value),
                    _ => (PlaceStepAt::Key(at), ERROR),
                };
                ty = inner;
                steps.push(step);
            }
        }
    }
    steps
}

fn step_into(e: &mut Emitter, src: Operand, step: PlaceStepAt) -> Operand {
    match step {
        PlaceStepAt::Field(index) => e.give(|dst| Op::Field { dst, src, tag: 0, index }),
        PlaceStepAt::Key(at) | PlaceStepAt::Position(at) => e.give(|dst| Op::Index { dst, src, at }),
    }
}

fn replaced(e: &mut Emitter, container: Operand, step: PlaceStepAt, value: Operand) -> Operand {
    match step {
        PlaceStepAt::Field(index) => e.give(|dst| Op::With { dst, src: container, fields: [(index, value)].into() }),
        PlaceStepAt::Key(key) => e.give(|dst| Op::Insert { dst, map: container, key, value }),
        PlaceStepAt::Position(at) => e.give(|dst| Op::Replace { dst, list: container, at, value }),
    }
}

fn store(e: &mut Emitter, root: Operand, src: Operand) {
    match root {
        Operand::Slot(slot) => e.emit(Op::Store { slot, src }),
        Operand::Register(dst) => e.emit(Op::Copy { dst, src }),
        Operand::Constant(_) => 0,
    };
}
