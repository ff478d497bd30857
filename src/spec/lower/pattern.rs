//! Lowering of patterns: each gives a condition, and bindings that have a value if the condition holds.

use rustc_hash::FxHashMap;

use super::emit::{Emitter, JumpTarget};
use crate::scalar::Scalar;
use crate::spec::check::Res;
use crate::spec::code::{Binary, FaultKind, Op, Operand, Register};
use crate::spec::types::{BYTES, Type, TypeId};
use crate::syntax::ast::{Arm, Expr, FieldPattern, Name, NodeId, Pattern, PatternKind, TextLiteral};
use crate::value::Value;

/// Emits the test of a pattern, and binds its names; `None` if the pattern always fits.
pub(super) fn lower_pattern(e: &mut Emitter, pattern: &Pattern, src: Operand) -> Option<Operand> {
    match &pattern.kind {
        PatternKind::Wildcard | PatternKind::Error => None,
        PatternKind::Name(name) => name_pattern(e, name, src),
        PatternKind::Int(int) => Some(equals(e, src, Value::Scalar(Scalar::Int(int.clone())))),
        PatternKind::Bool(known) => Some(equals(e, src, Value::from(*known))),
        PatternKind::Text(text) => {
            let value = text_value(text, e.type_of(pattern.id));
            Some(equals(e, src, value))
        }
        PatternKind::Variant { name, args, .. } => {
            let (ty, tag) = constructor(e, name, pattern);
            let parts = args.iter().enumerate().map(|(at, arg)| (at as u32, arg)).collect();
            constructor_pattern(e, src, (ty, tag), parts, &[])
        }
        PatternKind::Record { name, fields, .. } => {
            let (ty, tag) = constructor(e, name, pattern);
            record_pattern(e, src, (ty, tag), fields)
        }
        PatternKind::Tuple(parts) if parts.len() == 1 => lower_pattern(e, &parts[0], src),
        PatternKind::Tuple(parts) => {
            let parts = parts.iter().enumerate().map(|(at, part)| (at as u32, part)).collect();
            constructor_pattern(e, src, (e.type_of(pattern.id), 0), parts, &[])
        }
        PatternKind::List { elements, rest, last } => list_pattern(e, src, elements, last, rest.as_ref()),
        PatternKind::Or(alternatives) => or_pattern(e, alternatives, src),
    }
}

/// Emits the test of a pattern as a condition, also if the pattern always fits.
pub(super) fn test(e: &mut Emitter, pattern: &Pattern, src: Operand) -> Operand {
    match lower_pattern(e, pattern, src) {
        Some(test) => test,
        None => e.constant(Value::from(true)),
    }
}

/// Emits the bindings of a pattern; if it does not fit, that is a fault.
pub(super) fn bind_or_fault(e: &mut Emitter, pattern: &Pattern, src: Operand) {
    if let PatternKind::Name(name) = &pattern.kind
        && let Some(Res::Local(binding)) = e.context.checked.tables.resolution(name.id)
    {
        let dst = e.bind(binding);
        e.emit(Op::Copy { dst, src });
        return;
    }
    let Some(cond) = lower_pattern(e, pattern, src) else { return };
    let fits = e.open_arm(cond, |e| e.constant(Value::UNIT));
    e.emit(Op::Fault { kind: FaultKind::NoArm });
    let nothing = e.constant(Value::Absent);
    e.close_arms(vec![fits], nothing);
}

/// Emits the bindings of a pattern that certainly fits, and would test nothing but a variant.
pub(super) fn certain_pattern(e: &mut Emitter, pattern: &Pattern, src: Operand) {
    e.certain = true;
    lower_pattern(e, pattern, src);
    e.certain = false;
}

fn equals(e: &mut Emitter, src: Operand, value: Value) -> Operand {
    let value = e.constant(value);
    e.give(|dst| Op::Binary { dst, op: Binary::Eq, a: src, b: value })
}

fn name_pattern(e: &mut Emitter, name: &Name, src: Operand) -> Option<Operand> {
    match e.context.checked.tables.resolution(name.id) {
        Some(Res::Variant { ty, index }) => variant_test(e, src, ty, index),
        Some(Res::Local(binding)) => {
            let dst = e.bind(binding);
            e.emit(Op::Copy { dst, src });
            None
        }
        _ => None,
    }
}

/// The type and tag that a constructor pattern names; structs have tag 0.
fn constructor(e: &Emitter, name: &Name, pattern: &Pattern) -> (TypeId, u32) {
    match e.context.checked.tables.resolution(name.id) {
        Some(Res::Variant { ty, index }) => (ty, index),
        _ => (e.type_of(pattern.id), 0),
    }
}

/// Emits the test whether a value is a variant. `None` if no test is needed: the type has only that variant, or the pattern certainly
/// fits.
fn variant_test(e: &mut Emitter, src: Operand, ty: TypeId, tag: u32) -> Option<Operand> {
    let variants = match e.kind(ty) {
        Type::Enum(at) => e.context.checked.types.enums[*at as usize].variants.len(),
        Type::Option(_) => 2,
        _ => 1,
    };
    (variants > 1 && !e.certain).then(|| e.give(|dst| Op::IsVariant { dst, src, tag }))
}

fn constructor_pattern(
    e: &mut Emitter,
    src: Operand,
    (ty, tag): (TypeId, u32),
    parts: Vec<(u32, &Pattern)>,
    bindings: &[(u32, NodeId)],
) -> Option<Operand> {
    let test = variant_test(e, src, ty, tag);
    let mut conjunction = Conjunction::new(e, test);
    for (index, binding) in bindings {
        conjunction.shortcut(e);
        let dst = e.bind(*binding);
        e.emit(Op::Field { dst, src, tag, index: *index });
    }
    for (index, part) in parts {
        if matches!(part.kind, PatternKind::Wildcard) {
            continue;
        }
        conjunction.shortcut(e);
        let field = e.give(|dst| Op::Field { dst, src, tag, index });
        let test = lower_pattern(e, part, field);
        conjunction.and(e, test);
    }
    conjunction.finish(e)
}

fn record_pattern(
    e: &mut Emitter,
    src: Operand,
    constructor: (TypeId, u32),
    fields: &[FieldPattern],
) -> Option<Operand> {
    let tables = &e.context.checked.tables;
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
    constructor_pattern(e, src, constructor, parts, &bindings)
}

fn list_pattern(
    e: &mut Emitter,
    src: Operand,
    elements: &[Pattern],
    last: &[Pattern],
    rest: Option<&Option<Name>>,
) -> Option<Operand> {
    let length = (elements.len() + last.len()) as u32;
    let exact = rest.is_none();
    let test = (exact || length > 0).then(|| e.give(|dst| Op::HasLength { dst, src, length, exact }));
    let mut conjunction = Conjunction::new(e, test);
    for (at, element) in elements.iter().enumerate() {
        element_pattern(e, &mut conjunction, element, |dst| Op::Nth { dst, src, at: at as u32 });
    }
    if let Some(Some(name)) = rest {
        conjunction.shortcut(e);
        let binding = match e.context.checked.tables.resolution(name.id) {
            Some(Res::Local(binding)) => binding,
            _ => name.id,
        };
        let src = if last.is_empty() { src } else { e.give(|dst| Op::Init { dst, src, count: last.len() as u32 }) };
        let dst = e.bind(binding);
        e.emit(Op::Tail { dst, src, from: elements.len() as u32 });
    }
    for (at, element) in last.iter().enumerate() {
        let at = (last.len() - 1 - at) as u32;
        element_pattern(e, &mut conjunction, element, |dst| Op::NthLast { dst, src, at });
    }
    conjunction.finish(e)
}

/// Emits the pattern of an element that an instruction takes out of a list.
fn element_pattern(
    e: &mut Emitter,
    conjunction: &mut Conjunction,
    element: &Pattern,
    take: impl FnOnce(Register) -> Op,
) {
    if matches!(element.kind, PatternKind::Wildcard) {
        return;
    }
    conjunction.shortcut(e);
    let taken = e.give(take);
    let test = lower_pattern(e, element, taken);
    conjunction.and(e, test);
}

/// Emits `P | Q` as one condition; each name has its value from the first alternative that fits.
fn or_pattern(e: &mut Emitter, alternatives: &[Pattern], src: Operand) -> Option<Operand> {
    let before = e.locals.clone();
    let mut tested: Vec<(Operand, FxHashMap<NodeId, Register>)> = Vec::new();
    let mut last = None;
    for alternative in alternatives {
        e.locals.clone_from(&before);
        let test = lower_pattern(e, alternative, src);
        let bound: FxHashMap<NodeId, Register> =
            e.locals.iter().filter(|(id, r)| before.get(id) != Some(r)).map(|(id, r)| (*id, *r)).collect();
        match test {
            Some(test) => tested.push((test, bound)),
            None => {
                last = Some(bound);
                break;
            }
        }
    }
    e.locals = before;
    let condition = if last.is_some() { None } else { Some(disjunction(e, &tested)) };
    let last = last.or_else(|| tested.pop().map(|(_, bound)| bound)).unwrap_or_default();
    let mut names: Vec<NodeId> = last.keys().copied().collect();
    names.sort();
    for name in names {
        let joined = first_binding(e, &tested, &last, name);
        let dst = e.bind(name);
        e.emit(Op::Copy { dst, src: joined });
    }
    condition
}

fn disjunction(e: &mut Emitter, tested: &[(Operand, FxHashMap<NodeId, Register>)]) -> Operand {
    let mut condition = e.constant(Value::from(false));
    for (test, _) in tested {
        let (a, b) = (condition, *test);
        condition = e.give(|dst| Op::Binary { dst, op: Binary::Or, a, b });
    }
    condition
}

fn first_binding(
    e: &mut Emitter,
    tested: &[(Operand, FxHashMap<NodeId, Register>)],
    last: &FxHashMap<NodeId, Register>,
    name: NodeId,
) -> Operand {
    let mut opened = Vec::new();
    for (test, bound) in tested {
        if let Some(register) = bound.get(&name) {
            opened.push(e.open_arm(*test, |_| Operand::Register(*register)));
        }
    }
    e.close_arms(opened, Operand::Register(last[&name]))
}

/// Emits the bindings of the last of several patterns that cover everything: it needs no test.
pub(super) fn last_pattern(e: &mut Emitter, pattern: &Pattern, src: Operand) -> Option<Operand> {
    certain_pattern(e, pattern, src);
    None
}

/// Tests whether the arms of a `match` cover every value of its subject.
pub(super) fn is_exhaustive(e: &Emitter, subject: &Expr) -> bool {
    e.context.checked.tables.is_exhaustive(subject.id)
}

/// Tests whether the last arm needs no test: it tests the variant only, and fits every value that no arm before it fits.
pub(super) fn last_arm_is_certain<Body>(e: &Emitter, subject: &Expr, arms: &[Arm<Body>]) -> bool {
    let is_plain = |arm: &Arm<Body>| arm.guard.is_none() && plain_variant(e, &arm.pattern).is_some();
    is_exhaustive(e, subject) && arms.last().is_some_and(is_plain)
}

/// The variant that a pattern tests for, if it tests nothing else.
fn plain_variant(e: &Emitter, pattern: &Pattern) -> Option<u32> {
    let plain = |pattern: &Pattern| match &pattern.kind {
        PatternKind::Wildcard => true,
        PatternKind::Name(name) => {
            matches!(e.context.checked.tables.resolution(name.id), Some(Res::Local(_)))
        }
        _ => false,
    };
    let name = match &pattern.kind {
        PatternKind::Name(name) => name,
        PatternKind::Variant { name, args, .. } if args.iter().all(plain) => name,
        PatternKind::Record { name, fields, .. }
            if fields.iter().all(|field| field.pattern.as_ref().is_none_or(plain)) =>
        {
            name
        }
        _ => return None,
    };
    match e.context.checked.tables.resolution(name.id) {
        Some(Res::Variant { index, .. }) => Some(index),
        _ => None,
    }
}

/// A conjunction of tests, which is left as soon as it is known to fail.
struct Conjunction {
    result: Option<Register>,
    failed: JumpTarget,
}

impl Conjunction {
    fn new(e: &mut Emitter, test: Option<Operand>) -> Conjunction {
        let mut conjunction = Conjunction { result: None, failed: JumpTarget::default() };
        conjunction.and(e, test);
        conjunction
    }

    fn shortcut(&mut self, e: &mut Emitter) {
        if let Some(result) = self.result {
            e.emit_to(&mut self.failed, Op::Unless { cond: Operand::Register(result), to: 0 });
        }
    }

    fn and(&mut self, e: &mut Emitter, test: Option<Operand>) {
        let Some(test) = test else { return };
        match self.result {
            None => {
                self.result = Some(match test {
                    // The register holds nothing but the test, so it can be the result.
                    Operand::Register(register) => register,
                    Operand::Slot(_) | Operand::Constant(_) => {
                        let dst = e.register();
                        e.emit(Op::Copy { dst, src: test });
                        dst
                    }
                });
            }
            Some(dst) => {
                e.emit(Op::Binary { dst, op: Binary::And, a: Operand::Register(dst), b: test });
            }
        }
    }

    fn finish(self, e: &mut Emitter) -> Option<Operand> {
        e.place(self.failed);
        self.result.map(Operand::Register)
    }
}

/// A text literal as a string, or as bytes if the type says so.
pub(super) fn text_value(text: &TextLiteral, ty: TypeId) -> Value {
    if ty == BYTES {
        return Value::Scalar(Scalar::Bytes(text.octets.as_slice().into()));
    }
    Value::str(&String::from_utf8_lossy(&text.octets))
}
