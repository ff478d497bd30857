//! `choose`, `pick` and `either` as expressions.

use super::emit::{Emitter, JumpTarget};
use super::pure::{has_loop, is_pure, unparenthesized};
use super::subject::note_choice;
use crate::spec::code::{Binary, ChoiceDomain, Op, Operand};
use crate::spec::types::{Type, TypeId};
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Name};
use crate::value::Value;

/// An element of a type with at most this many values is chosen as one symbolic value, as a scalar is.
const FEW: usize = 16;

/// Emits `choose T`.
pub(super) fn chosen(e: &mut Emitter, ty: TypeId) -> Operand {
    e.context.chooses_maps |= e.context.checked.types.holds_maps(ty);
    note_choice(e, "choice");
    e.give(|dst| Op::Choose { dst, domain: ChoiceDomain::Type(ty) })
}

/// Emits `choose x: T where e`.
pub(super) fn choose_where(e: &mut Emitter, name: &Name, ty: TypeId, condition: &Expr) -> Operand {
    let chosen = named(e, name, |e| chosen(e, ty));
    such_that(e, name, chosen, condition)
}

/// Emits a choice whose subject is this name, unless it has a subject already.
fn named(e: &mut Emitter, name: &Name, choose: impl FnOnce(&mut Emitter) -> Operand) -> Operand {
    if !e.subject.is_empty() {
        return choose(e);
    }
    e.subject.clone_from(&name.text);
    let chosen = choose(e);
    e.subject.clear();
    chosen
}

fn such_that(e: &mut Emitter, name: &Name, chosen: Operand, condition: &Expr) -> Operand {
    let register = e.bind(name.id);
    e.emit(Op::Copy { dst: register, src: chosen });
    assume(e, condition);
    Operand::Register(register)
}

/// Emits the assumption of a condition. The parts of a conjunction are assumed one after the other, so that no large condition is
/// built; those without a loop come first, since `len(l) == 3` makes a loop over `l` short. Pure parts may be evaluated in any order.
pub(super) fn assume(e: &mut Emitter, condition: &Expr) {
    let mut parts = conjuncts(e, condition);
    let pure = usize::from(!is_pure(e, parts[0]));
    parts[pure..].sort_by_key(|part| has_loop(part));
    let mut end = JumpTarget::default();
    for (at, part) in parts.iter().enumerate() {
        let cond = e.expr(part);
        e.emit(Op::Assume { cond });
        if at + 1 < parts.len() {
            e.emit_to(&mut end, Op::Unless { cond, to: 0 });
        }
    }
    e.place(end);
}

/// The parts of a conjunction, as far as its right sides are pure.
fn conjuncts<'e>(e: &Emitter, condition: &'e Expr) -> Vec<&'e Expr> {
    match &unparenthesized(condition).kind {
        ExprKind::Binary(BinaryOp::And, a, b) if is_pure(e, b) => [conjuncts(e, a), conjuncts(e, b)].concat(),
        _ => vec![condition],
    }
}

/// Emits `pick e`.
pub(super) fn pick(e: &mut Emitter, over: &Expr) -> Operand {
    if let ExprKind::Range(from, to) = &unparenthesized(over).kind {
        let (from, to) = (e.expr(from), e.expr(to));
        note_choice(e, "pick");
        return e.give(|dst| Op::Choose { dst, domain: ChoiceDomain::Range(from, to) });
    }
    let ty = e.type_of(over.id);
    let element = match e.kind(ty) {
        Type::List(of) | Type::Set(of) | Type::Map(of, _) => *of,
        _ => return e.constant(Value::Absent),
    };
    let types = &e.context.checked.types;
    let is_few = types.is_finite(element) && types.values(element, FEW).is_some();
    let is_symbol = is_scalar(types.get(element)) || is_few;
    if let ExprKind::List(written) = &unparenthesized(over).kind
        && !is_symbol
        && !written.is_empty()
    {
        let written: Vec<Operand> = written.iter().map(|element| e.expr(element)).collect();
        note_choice(e, "pick");
        return alternatives(e, written.len(), |_, at| written[at]);
    }
    let collection = e.expr(over);
    note_choice(e, "pick");
    let chosen = if is_symbol {
        e.give(|dst| Op::Choose { dst, domain: ChoiceDomain::Element(collection, element) })
    } else {
        e.give(|dst| Op::PickElement { dst, over: collection, ty: element })
    };
    if e.may_be_unknown(ty) {
        e.emit(Op::Within { element: chosen, over: collection });
    }
    chosen
}

fn is_scalar(ty: &Type) -> bool {
    matches!(ty, Type::Int | Type::Bool | Type::Str | Type::Bytes | Type::Client | Type::Json | Type::Token(_))
}

/// Emits `pick x in e where p`.
pub(super) fn pick_where(e: &mut Emitter, name: &Name, over: &Expr, condition: &Expr) -> Operand {
    let chosen = named(e, name, |e| pick(e, over));
    such_that(e, name, chosen, condition)
}

/// Emits the expression `either e or f ..`, whose alternatives are joined.
pub(super) fn either(e: &mut Emitter, of: &[Expr]) -> Operand {
    note_choice(e, "either");
    alternatives(e, of.len(), |e, at| e.expr(&of[at]))
}

/// Emits a choice of one of several alternatives, which are joined.
fn alternatives(e: &mut Emitter, count: usize, each: impl Fn(&mut Emitter, usize) -> Operand) -> Operand {
    let Some(last) = count.checked_sub(1) else { return e.constant(Value::Absent) };
    let which = e.give(|dst| Op::Choose { dst, domain: ChoiceDomain::Alternatives(count as u32) });
    let mut opened = Vec::new();
    for at in 0..last {
        let cond = if count == 2 {
            which
        } else {
            let number = e.constant(Value::from(at as i64));
            e.give(|dst| Op::Binary { dst, op: Binary::Eq, a: which, b: number })
        };
        opened.push(e.open_arm(cond, |e| each(e, at)));
    }
    let value = each(e, last);
    e.close_arms(opened, value)
}
