//! Expressions without effects: they can be evaluated whether or not their guard holds.

use super::emit::Emitter;
use crate::syntax::ast::{BinaryOp, Clause, Expr, ExprKind, Init, Rest};

impl Emitter<'_, '_, '_> {
    /// Tests whether evaluating an expression neither chooses nor can be a fault, nor calls a function (which may not end).
    pub(super) fn is_pure(&self, expr: &Expr) -> bool {
        let all = |parts: &[Expr]| parts.iter().all(|part| self.is_pure(part));
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Text(_) | ExprKind::Bool(_) | ExprKind::Cell(_) | ExprKind::Name(_) => true,
            ExprKind::EmptyBraces | ExprKind::Error => true,
            ExprKind::Choose(_) | ExprKind::ChooseWhere { .. } | ExprKind::Pick(_) | ExprKind::PickWhere { .. } => {
                false
            }
            ExprKind::Either(_) | ExprKind::Index(..) | ExprKind::PeerCall { .. } | ExprKind::Match { .. } => false,
            ExprKind::Let { .. } | ExprKind::Range(..) | ExprKind::ListComprehension { .. } => false,
            ExprKind::Call { name, args } if name.text == "len" => args.iter().all(|arg| self.is_counted_purely(arg)),
            ExprKind::Call { name, args } => is_capital(&name.text) && all(args),
            ExprKind::Quantified { over, body, .. } => self.is_counted_purely(over) && self.is_pure(body),
            ExprKind::Unary(_, inner) | ExprKind::Paren(inner) | ExprKind::Is(inner, _) | ExprKind::Field(inner, _) => {
                self.is_pure(inner)
            }
            ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Add | BinaryOp::Sub, a, b) => {
                self.is_counted_purely(a) && self.is_pure(b)
            }
            ExprKind::Binary(_, a, b) => self.is_pure(a) && self.is_pure(b),
            ExprKind::Method { receiver, args, name } => match name.text.as_str() {
                "to_list" | "values" => false,
                "len" => self.is_counted_purely(receiver) && all(args),
                _ => self.is_pure(receiver) && all(args),
            },
            ExprKind::Tuple(parts) | ExprKind::List(parts) | ExprKind::Set(parts) => all(parts),
            ExprKind::Map(entries) => entries.iter().all(|(key, value)| self.is_pure(key) && self.is_pure(value)),
            ExprKind::Record { fields, rest, .. } => *rest == Rest::Nothing && self.are_pure(fields),
            ExprKind::With { base, fields } => self.is_pure(base) && self.are_pure(fields),
            ExprKind::SetComprehension { element, clauses } => self.is_pure(element) && self.are_pure_clauses(clauses),
            ExprKind::MapComprehension { key, value, clauses } => {
                self.is_pure(key) && self.is_pure(value) && self.are_pure_clauses(clauses)
            }
            ExprKind::If { condition, then, otherwise } => {
                self.is_pure(condition) && self.is_pure(then) && self.is_pure(otherwise)
            }
        }
    }

    /// Tests whether an expression is pure, and so is counting its elements: an unknown collection cannot be counted.
    fn is_counted_purely(&self, expr: &Expr) -> bool {
        self.is_pure(expr) && !self.may_be_unknown(self.type_of(expr.id))
    }

    fn are_pure(&self, fields: &[Init]) -> bool {
        fields.iter().all(|field| field.value.as_ref().is_none_or(|value| self.is_pure(value)))
    }

    fn are_pure_clauses(&self, clauses: &[Clause]) -> bool {
        clauses.iter().all(|clause| match clause {
            Clause::For { over, .. } => self.is_counted_purely(over),
            Clause::If(condition) => self.is_pure(condition),
        })
    }
}

fn is_capital(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}
