//! Pure expressions: they can be evaluated even if their guard does not hold.

use super::emit::Emitter;
use crate::spec::check::Res;
use crate::syntax::ast::{BinaryOp, Clause, Expr, ExprKind, GatheredKind, GatheredPart, Init, Name, Rest};

/// Tests whether an expression makes no choice, cannot be faulty, and calls no function, which might not end.
pub(super) fn is_pure(e: &Emitter, expr: &Expr) -> bool {
    let all = |parts: &[Expr]| parts.iter().all(|part| is_pure(e, part));
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Text(_) | ExprKind::Bool(_) | ExprKind::Cell(_) | ExprKind::Name(_) => true,
        ExprKind::EmptyBraces | ExprKind::Error => true,
        ExprKind::Choose(_) | ExprKind::ChooseWhere { .. } | ExprKind::Pick(_) | ExprKind::PickWhere { .. } => false,
        ExprKind::Either(_) | ExprKind::Index(..) | ExprKind::Match { .. } => false,
        ExprKind::PeerCall { .. } | ExprKind::PeerCalls { .. } => false,
        ExprKind::Let { .. } | ExprKind::Range(..) | ExprKind::ListComprehension { .. } => false,
        ExprKind::Call { name, args } if name.text == "len" => args.iter().all(|arg| is_counted_purely(e, arg)),
        ExprKind::Call { name, args } => is_variant(e, name) && all(args),
        ExprKind::Quantified { over, body, .. } => is_counted_purely(e, over) && is_pure(e, body),
        ExprKind::Unary(_, inner) | ExprKind::Paren(inner) | ExprKind::Is(inner, _) | ExprKind::Field(inner, _) => {
            is_pure(e, inner)
        }
        ExprKind::Binary(BinaryOp::Or | BinaryOp::And | BinaryOp::In, a, b) => is_pure(e, a) && is_pure(e, b),
        ExprKind::Binary(_, a, b) => is_counted_purely(e, a) && is_pure(e, b),
        ExprKind::Method { receiver, args, name } => !counts(e, name) && is_pure(e, receiver) && all(args),
        ExprKind::Tuple(parts) | ExprKind::List(parts) | ExprKind::Set(parts) => all(parts),
        ExprKind::Map(entries) => entries.iter().all(|(key, value)| is_pure(e, key) && is_pure(e, value)),
        ExprKind::Record { fields, rest, .. } => *rest == Rest::Nothing && are_pure(e, fields),
        ExprKind::With { base, fields } => is_pure(e, base) && are_pure(e, fields),
        ExprKind::SetComprehension { element, clauses } => is_pure(e, element) && are_pure_clauses(e, clauses),
        ExprKind::MapComprehension { key, value, clauses } => {
            is_pure(e, key) && is_pure(e, value) && are_pure_clauses(e, clauses)
        }
        ExprKind::Gathered { of, parts } => {
            let value = |part: &GatheredPart| part.value.as_ref().is_none_or(|value| is_pure(e, value));
            let part =
                |part: &GatheredPart| is_pure(e, &part.element) && value(part) && are_pure_clauses(e, &part.clauses);
            *of != GatheredKind::List && parts.iter().all(part)
        }
        ExprKind::If { condition, then, otherwise } => {
            is_pure(e, condition) && is_pure(e, then) && is_pure(e, otherwise)
        }
    }
}

/// Tests whether a method counts the elements of its receiver.
fn counts(e: &Emitter, name: &Name) -> bool {
    matches!(e.context.checked.tables.resolution(name.id), Some(Res::Builtin(builtin)) if builtin.counts())
}

/// Tests whether an expression and counting its elements are pure: to count an unknown collection is a fault.
fn is_counted_purely(e: &Emitter, expr: &Expr) -> bool {
    is_pure(e, expr) && !e.may_be_unknown(e.type_of(expr.id))
}

fn are_pure(e: &Emitter, fields: &[Init]) -> bool {
    fields.iter().all(|field| field.value.as_ref().is_none_or(|value| is_pure(e, value)))
}

fn are_pure_clauses(e: &Emitter, clauses: &[Clause]) -> bool {
    clauses.iter().all(|clause| match clause {
        Clause::For { over, .. } => is_counted_purely(e, over),
        Clause::If(condition) => is_pure(e, condition),
    })
}

fn is_variant(e: &Emitter, name: &Name) -> bool {
    matches!(e.context.checked.tables.resolution(name.id), Some(Res::Variant { .. }))
}

/// The expression without parentheses around it.
pub(super) fn unparenthesized(expr: &Expr) -> &Expr {
    let mut expr = expr;
    while let ExprKind::Paren(inner) = &expr.kind {
        expr = inner;
    }
    expr
}

/// Tests whether the evaluation of an expression loops over a collection.
pub(super) fn has_loop(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::SetComprehension { .. } | ExprKind::MapComprehension { .. } => true,
        ExprKind::ListComprehension { .. } | ExprKind::Quantified { .. } | ExprKind::Gathered { .. } => true,
        ExprKind::Paren(inner) | ExprKind::Unary(_, inner) | ExprKind::Is(inner, _) => has_loop(inner),
        ExprKind::Field(inner, _) => has_loop(inner),
        ExprKind::Binary(_, a, b) => has_loop(a) || has_loop(b),
        ExprKind::Method { receiver, args, .. } => has_loop(receiver) || args.iter().any(has_loop),
        ExprKind::Call { args, .. } => args.iter().any(has_loop),
        _ => false,
    }
}

/// Tests whether an expression consists of operations on literals and names only.
pub(super) fn is_plain(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Text(_) | ExprKind::Bool(_) | ExprKind::Name(_) => true,
        ExprKind::Paren(inner) | ExprKind::Unary(_, inner) | ExprKind::Field(inner, _) => is_plain(inner),
        ExprKind::Binary(_, a, b) => is_plain(a) && is_plain(b),
        ExprKind::Method { receiver, args, .. } => is_plain(receiver) && args.iter().all(is_plain),
        _ => false,
    }
}
