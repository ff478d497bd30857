//! Assignment: `x := e`, `x.f := e`, `m[k] := e` and nested places.

use super::emit::Emitter;
use crate::spec::check::Res;
use crate::spec::code::{Op, Operand};
use crate::spec::types::{ERROR, INT, Type, TypeId};
use crate::syntax::ast::{PlaceExpr, PlaceRoot, PlaceStep};

/// One step into a value, with its index evaluated.
#[derive(Clone, Copy)]
enum Step {
    Field(u32),
    Key(Operand),
    Position(Operand),
}

impl Emitter<'_, '_, '_> {
    /// Sets a place to a value that is evaluated before the indices of the place.
    pub(super) fn assign(&mut self, place: &PlaceExpr, value: Operand) {
        let (root, ty) = self.root(&place.root);
        let steps = self.steps(&place.path, ty);
        if let (Operand::Slot(slot), [Step::Key(key)]) = (root, steps.as_slice()) {
            self.emit(Op::Put { slot, key: *key, value });
            return;
        }
        let mut containers = vec![root];
        for step in &steps[..steps.len().saturating_sub(1)] {
            let src = containers[containers.len() - 1];
            let inner = self.step_into(src, *step);
            containers.push(inner);
        }
        let mut new = value;
        for (container, step) in containers.into_iter().zip(&steps).rev() {
            new = self.replaced(container, *step, new);
        }
        self.store(root, new);
    }

    fn root(&mut self, root: &PlaceRoot) -> (Operand, TypeId) {
        let name = match root {
            PlaceRoot::Cell(cell, _) => return (self.cell(*cell), INT),
            PlaceRoot::Name(name) => name,
        };
        match self.context.checked.tables.resolution(name.id) {
            Some(Res::StateVar(slot)) => (Operand::Slot(slot), self.context.slots[slot as usize].ty),
            Some(Res::Local(binding)) => {
                let register = self.locals.get(&binding).copied();
                let register = register.unwrap_or_else(|| self.register());
                (Operand::Register(register), self.type_of(binding))
            }
            _ => (Operand::Register(self.register()), ERROR),
        }
    }

    fn steps(&mut self, path: &[PlaceStep], root: TypeId) -> Vec<Step> {
        let mut ty = root;
        let mut steps = Vec::with_capacity(path.len());
        for step in path {
            match step {
                PlaceStep::Field(name) => {
                    let at = self.context.checked.tables.field(name.id).unwrap_or(0);
                    ty = self.context.checked.types.fields(ty, 0).get(at as usize).map_or(ERROR, |field| field.1);
                    steps.push(Step::Field(at));
                }
                PlaceStep::Index(index) => {
                    let at = self.expr(index);
                    let (step, inner) = match self.kind(ty) {
                        Type::List(of) => (Step::Position(at), *of),
                        Type::Map(_, value) => (Step::Key(at), *value),
                        _ => (Step::Key(at), ERROR),
                    };
                    ty = inner;
                    steps.push(step);
                }
            }
        }
        steps
    }

    fn step_into(&mut self, src: Operand, step: Step) -> Operand {
        match step {
            Step::Field(index) => self.give(|dst| Op::Field { dst, src, tag: 0, index }),
            Step::Key(at) | Step::Position(at) => self.give(|dst| Op::Index { dst, src, at }),
        }
    }

    fn replaced(&mut self, container: Operand, step: Step, value: Operand) -> Operand {
        match step {
            Step::Field(index) => self.give(|dst| Op::With { dst, src: container, fields: [(index, value)].into() }),
            Step::Key(key) => self.give(|dst| Op::Insert { dst, map: container, key, value }),
            Step::Position(at) => self.give(|dst| Op::Replace { dst, list: container, at, value }),
        }
    }

    fn store(&mut self, root: Operand, src: Operand) {
        match root {
            Operand::Slot(slot) => self.emit(Op::Store { slot, src }),
            Operand::Register(dst) => self.emit(Op::Copy { dst, src }),
            Operand::Constant(_) => 0,
        };
    }
}
