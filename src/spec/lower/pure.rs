//! Expressions without effects: they can be evaluated whether or not their guard holds.

use crate::syntax::ast::{Clause, Expr, ExprKind, Rest};

/// Whether evaluating an expression neither chooses nor can be a fault, nor calls a function (which may not end).
pub(super) fn is_pure(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Text(_) | ExprKind::Bool(_) | ExprKind::Cell(_) | ExprKind::Name(_) => true,
        ExprKind::EmptyBraces | ExprKind::Error => true,
        ExprKind::Choose(_) | ExprKind::ChooseWhere { .. } | ExprKind::Pick(_) | ExprKind::PickWhere { .. } => false,
        ExprKind::Either(_) | ExprKind::Index(..) | ExprKind::PeerCall { .. } | ExprKind::Match { .. } => false,
        ExprKind::Let { .. } | ExprKind::Range(..) => false,
        ExprKind::Call { name, args } => (name.text == "len" || is_capital(&name.text)) && args.iter().all(is_pure),
        ExprKind::Quantified { over, body, .. } => is_pure(over) && is_pure(body),
        ExprKind::Unary(_, inner) | ExprKind::Paren(inner) | ExprKind::Is(inner, _) | ExprKind::Field(inner, _) => {
            is_pure(inner)
        }
        ExprKind::Binary(_, a, b) => is_pure(a) && is_pure(b),
        ExprKind::Method { receiver, args, name } => {
            name.text != "to_list" && name.text != "values" && is_pure(receiver) && args.iter().all(is_pure)
        }
        ExprKind::Tuple(parts) | ExprKind::List(parts) | ExprKind::Set(parts) => parts.iter().all(is_pure),
        ExprKind::Map(entries) => entries.iter().all(|(key, value)| is_pure(key) && is_pure(value)),
        ExprKind::Record { fields, rest, .. } => {
            *rest == Rest::Nothing && fields.iter().all(|field| field.value.as_ref().is_none_or(is_pure))
        }
        ExprKind::With { base, fields } => {
            is_pure(base) && fields.iter().all(|field| field.value.as_ref().is_none_or(is_pure))
        }
        ExprKind::ListComprehension { .. } => false,
        ExprKind::SetComprehension { element, clauses } => is_pure(element) && clauses.iter().all(is_pure_clause),
        ExprKind::MapComprehension { key, value, clauses } => {
            is_pure(key) && is_pure(value) && clauses.iter().all(is_pure_clause)
        }
        ExprKind::If { condition, then, otherwise } => is_pure(condition) && is_pure(then) && is_pure(otherwise),
    }
}

fn is_pure_clause(clause: &Clause) -> bool {
    match clause {
        Clause::For { over, .. } => is_pure(over),
        Clause::If(condition) => is_pure(condition),
    }
}

fn is_capital(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}
