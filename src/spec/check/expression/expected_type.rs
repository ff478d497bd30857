//! Expressions that take their type from the context: of two operands or alternatives, the other one is checked first.
//!
//! `None == x` checks `x` first; `None` then has the type of `x`.

use crate::syntax::ast::{BinaryOp, Expr, ExprKind};

/// Tests whether an expression may need the context to know its type. A string needs it too, as it may be meant as bytes.
pub(crate) fn needs_context(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Text(_) | ExprKind::Choose(None) | ExprKind::EmptyBraces | ExprKind::Error => true,
        ExprKind::Name(name) | ExprKind::Call { name, .. } => starts_with_capital(&name.text),
        ExprKind::Record { qualifier, .. } => qualifier.is_none(),
        ExprKind::Either(all) | ExprKind::List(all) | ExprKind::Set(all) => all.iter().all(needs_context),
        ExprKind::Tuple(parts) => parts.iter().any(needs_context),
        ExprKind::Map(entries) => entries.iter().all(|(key, value)| needs_context(key) || needs_context(value)),
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Intersect, left, right) => {
            needs_context(left) && needs_context(right)
        }
        ExprKind::Paren(inner) | ExprKind::Let { body: inner, .. } | ExprKind::With { base: inner, .. } => {
            needs_context(inner)
        }
        ExprKind::Pick(over) | ExprKind::PickWhere { over, .. } => needs_context(over),
        ExprKind::ListComprehension { element, .. } | ExprKind::SetComprehension { element, .. } => {
            needs_context(element)
        }
        ExprKind::Gathered { parts, .. } => {
            parts.iter().all(|part| needs_context(&part.element) || part.value.as_ref().is_some_and(needs_context))
        }
        ExprKind::MapComprehension { key, value, .. } => needs_context(key) || needs_context(value),
        ExprKind::If { then, otherwise, .. } => needs_context(then) && needs_context(otherwise),
        ExprKind::Match { arms, .. } => arms.iter().all(|arm| needs_context(&arm.body)),
        ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Cell(_) | ExprKind::Choose(Some(_)) => false,
        ExprKind::ChooseWhere { .. } | ExprKind::Quantified { .. } | ExprKind::Unary(..) | ExprKind::Is(..) => false,
        ExprKind::Binary(..) | ExprKind::Range(..) | ExprKind::Field(..) | ExprKind::Method { .. } => false,
        ExprKind::Index(..) | ExprKind::PeerCall { .. } | ExprKind::PeerCalls { .. } => false,
    }
}

/// Tests whether a name starts with a capital letter: in a pattern, such a name is a variant and binds nothing.
pub(crate) fn starts_with_capital(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}
