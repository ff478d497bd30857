//! Patterns: a condition, and bindings that mean something where it holds.

use rustc_hash::FxHashMap;

use super::emit::{Emitter, Label};
use crate::scalar::Scalar;
use crate::spec::check::Res;
use crate::spec::code::{Binary, Op, Operand, Register};
use crate::spec::types::{BYTES, Type, TypeId};
use crate::syntax::ast::{FieldPattern, Name, NodeId, Pattern, PatternKind, TextLiteral};
use crate::value::Value;

impl Emitter<'_, '_, '_> {
    /// Tests a pattern and binds its names; `None` where it always fits.
    pub(super) fn pattern(&mut self, pattern: &Pattern, src: Operand) -> Option<Operand> {
        match &pattern.kind {
            PatternKind::Wildcard | PatternKind::Error => None,
            PatternKind::Name(name) => self.name_pattern(name, src),
            PatternKind::Int(int) => Some(self.equals(src, Value::Scalar(Scalar::Int(int.clone())))),
            PatternKind::Bool(known) => Some(self.equals(src, Value::from(*known))),
            PatternKind::Text(text) => {
                let value = text_value(text, self.type_of(pattern.id));
                Some(self.equals(src, value))
            }
            PatternKind::Variant { name, args, .. } => {
                let (ty, tag) = self.constructor(name, pattern);
                let parts = args.iter().enumerate().map(|(at, arg)| (at as u32, arg)).collect();
                self.constructor_pattern(src, (ty, tag), parts, &[])
            }
            PatternKind::Record { name, fields, .. } => {
                let (ty, tag) = self.constructor(name, pattern);
                self.record_pattern(src, (ty, tag), fields)
            }
            PatternKind::Tuple(parts) if parts.len() == 1 => self.pattern(&parts[0], src),
            PatternKind::Tuple(parts) => {
                let parts = parts.iter().enumerate().map(|(at, part)| (at as u32, part)).collect();
                self.constructor_pattern(src, (self.type_of(pattern.id), 0), parts, &[])
            }
            PatternKind::List { elements, rest } => self.list_pattern(src, elements, rest.as_ref()),
            PatternKind::Or(alternatives) => self.or_pattern(alternatives, src),
        }
    }

    /// Binds the names of a pattern that fits for certain, and tests nothing but a variant.
    pub(super) fn certain_pattern(&mut self, pattern: &Pattern, src: Operand) {
        self.certain = true;
        self.pattern(pattern, src);
        self.certain = false;
    }

    fn equals(&mut self, src: Operand, value: Value) -> Operand {
        let value = self.constant(value);
        self.give(|dst| Op::Binary { dst, op: Binary::Eq, a: src, b: value })
    }

    fn name_pattern(&mut self, name: &Name, src: Operand) -> Option<Operand> {
        match self.context.checked.tables.resolution(name.id) {
            Some(Res::Variant { ty, index }) => self.variant_test(src, ty, index),
            Some(Res::Local(binding)) => {
                let dst = self.bind(binding);
                self.emit(Op::Copy { dst, src });
                None
            }
            _ => None,
        }
    }

    /// The type and tag that a constructor pattern names; structs have tag 0.
    fn constructor(&self, name: &Name, pattern: &Pattern) -> (TypeId, u32) {
        match self.context.checked.tables.resolution(name.id) {
            Some(Res::Variant { ty, index }) => (ty, index),
            _ => (self.type_of(pattern.id), 0),
        }
    }

    /// Emits the test whether a value is a variant; `None` where no test is needed: the type has only that variant, or
    /// the pattern fits for certain.
    fn variant_test(&mut self, src: Operand, ty: TypeId, tag: u32) -> Option<Operand> {
        let variants = match self.kind(ty) {
            Type::Enum(at) => self.context.checked.types.enums[*at as usize].variants.len(),
            Type::Option(_) => 2,
            _ => 1,
        };
        (variants > 1 && !self.certain).then(|| self.give(|dst| Op::IsVariant { dst, src, tag }))
    }

    fn constructor_pattern(
        &mut self,
        src: Operand,
        (ty, tag): (TypeId, u32),
        parts: Vec<(u32, &Pattern)>,
        bindings: &[(u32, NodeId)],
    ) -> Option<Operand> {
        let test = self.variant_test(src, ty, tag);
        let mut conjunction = Conjunction::new(self, test);
        for (index, binding) in bindings {
            conjunction.shortcut(self);
            let dst = self.bind(*binding);
            self.emit(Op::Field { dst, src, tag, index: *index });
        }
        for (index, part) in parts {
            if matches!(part.kind, PatternKind::Wildcard) {
                continue;
            }
            conjunction.shortcut(self);
            let field = self.give(|dst| Op::Field { dst, src, tag, index });
            let test = self.pattern(part, field);
            conjunction.and(self, test);
        }
        conjunction.finish(self)
    }

    fn record_pattern(&mut self, src: Operand, constructor: (TypeId, u32), fields: &[FieldPattern]) -> Option<Operand> {
        let tables = &self.context.checked.tables;
        let mut parts = Vec::new();
        let mut bindings = Vec::new();
        for field in fields {
            let Some(index) = tables.field(field.name.id) else { continue };
            match (&field.pattern, tables.resolution(field.name.id)) {
                (Some(pattern), _) => parts.push((index, pattern)),
                (None, Some(Res::Local(binding))) => bindings.push((index, binding)),
                (None, _) => bindings.push((index, field.name.id)),
            }
        }
        self.constructor_pattern(src, constructor, parts, &bindings)
    }

    fn list_pattern(&mut self, src: Operand, elements: &[Pattern], rest: Option<&Option<Name>>) -> Option<Operand> {
        let length = elements.len() as u32;
        let exact = rest.is_none();
        let test = (exact || length > 0).then(|| self.give(|dst| Op::HasLength { dst, src, length, exact }));
        let mut conjunction = Conjunction::new(self, test);
        for (at, element) in elements.iter().enumerate() {
            if matches!(element.kind, PatternKind::Wildcard) {
                continue;
            }
            conjunction.shortcut(self);
            let nth = self.give(|dst| Op::Nth { dst, src, at: at as u32 });
            let test = self.pattern(element, nth);
            conjunction.and(self, test);
        }
        if let Some(Some(name)) = rest {
            conjunction.shortcut(self);
            let binding = match self.context.checked.tables.resolution(name.id) {
                Some(Res::Local(binding)) => binding,
                _ => name.id,
            };
            let dst = self.bind(binding);
            self.emit(Op::Tail { dst, src, from: length });
        }
        conjunction.finish(self)
    }

    /// `P | Q`: one condition, and each name is what the first alternative that fits binds it to.
    fn or_pattern(&mut self, alternatives: &[Pattern], src: Operand) -> Option<Operand> {
        let before = self.locals.clone();
        let mut tested: Vec<(Operand, FxHashMap<NodeId, Register>)> = Vec::new();
        let mut last = None;
        for alternative in alternatives {
            self.locals.clone_from(&before);
            let test = self.pattern(alternative, src);
            let bound: FxHashMap<NodeId, Register> =
                self.locals.iter().filter(|(id, r)| before.get(id) != Some(r)).map(|(id, r)| (*id, *r)).collect();
            match test {
                Some(test) => tested.push((test, bound)),
                None => {
                    last = Some(bound);
                    break;
                }
            }
        }
        self.locals = before;
        let condition = if last.is_some() { None } else { Some(self.disjunction(&tested)) };
        let last = last.or_else(|| tested.pop().map(|(_, bound)| bound)).unwrap_or_default();
        let mut names: Vec<NodeId> = last.keys().copied().collect();
        names.sort();
        for name in names {
            let joined = self.first_binding(&tested, &last, name);
            let dst = self.bind(name);
            self.emit(Op::Copy { dst, src: joined });
        }
        condition
    }

    fn disjunction(&mut self, tested: &[(Operand, FxHashMap<NodeId, Register>)]) -> Operand {
        let mut condition = self.constant(Value::from(false));
        for (test, _) in tested {
            let (a, b) = (condition, *test);
            condition = self.give(|dst| Op::Binary { dst, op: Binary::Or, a, b });
        }
        condition
    }

    fn first_binding(
        &mut self,
        tested: &[(Operand, FxHashMap<NodeId, Register>)],
        last: &FxHashMap<NodeId, Register>,
        name: NodeId,
    ) -> Operand {
        let mut opened = Vec::new();
        for (test, bound) in tested {
            if let Some(register) = bound.get(&name) {
                opened.push(self.open_arm(*test, |_| Operand::Register(*register)));
            }
        }
        self.close_arms(opened, Operand::Register(last[&name]))
    }
}

/// A conjunction of tests, left as soon as it is known to fail.
struct Conjunction {
    result: Option<Register>,
    failed: Label,
}

impl Conjunction {
    fn new(emitter: &mut Emitter, test: Option<Operand>) -> Conjunction {
        let mut conjunction = Conjunction { result: None, failed: Label::default() };
        conjunction.and(emitter, test);
        conjunction
    }

    fn shortcut(&mut self, emitter: &mut Emitter) {
        if let Some(result) = self.result {
            emitter.emit_to(&mut self.failed, Op::Unless { cond: Operand::Register(result), to: 0 });
        }
    }

    fn and(&mut self, emitter: &mut Emitter, test: Option<Operand>) {
        let Some(test) = test else { return };
        match self.result {
            None => {
                self.result = Some(match test {
                    // A test is in a register of its own.
                    Operand::Register(register) => register,
                    Operand::Slot(_) | Operand::Constant(_) => {
                        let dst = emitter.register();
                        emitter.emit(Op::Copy { dst, src: test });
                        dst
                    }
                });
            }
            Some(dst) => {
                emitter.emit(Op::Binary { dst, op: Binary::And, a: Operand::Register(dst), b: test });
            }
        }
    }

    fn finish(self, emitter: &mut Emitter) -> Option<Operand> {
        emitter.place(self.failed);
        self.result.map(Operand::Register)
    }
}

/// A text literal as a string, or as bytes where the type says so.
pub(super) fn text_value(text: &TextLiteral, ty: TypeId) -> Value {
    if ty == BYTES {
        return Value::Scalar(Scalar::Bytes(text.octets.as_slice().into()));
    }
    Value::str(&String::from_utf8_lossy(&text.octets))
}
