//! Printing chains of operators: `a && b && c` is one group, which breaks before each operator or not at all.
//!
//! The operators of one precedence on the left spine form one chain; they are collected in a loop, without recursion.

use crate::syntax::ast::{BinaryOp, Expr, ExprKind, UnaryOp};

use super::layout::{Doc, INDENT};
use super::{Print, Printer};

pub(super) fn binary<'a>(p: &mut Printer<'a, '_>, expr: &Expr) -> Doc<'a> {
    let (first, links) = chain(expr);
    let mut doc = first.print(p);
    for (op, operand) in links {
        doc = doc.append(docs!(p, p.layout.line(), op.sign(), " ", operand).nest(INDENT));
    }
    doc.group()
}

pub(super) fn unary<'a>(p: &mut Printer<'a, '_>, op: UnaryOp, operand: &Expr) -> Doc<'a> {
    let sign = match op {
        UnaryOp::Not if begins_with_digit(operand) => "! ",
        UnaryOp::Not => "!",
        UnaryOp::Neg => "-",
    };
    docs!(p, sign, operand)
}

/// The operands of a chain of operators with one precedence.
fn chain(expr: &Expr) -> (&Expr, Vec<(BinaryOp, &Expr)>) {
    let mut first = expr;
    let mut links: Vec<(BinaryOp, &Expr)> = Vec::new();
    while let ExprKind::Binary(op, left, right) = &first.kind {
        if links.last().is_some_and(|(next, _)| next.level() != op.level()) {
            break;
        }
        links.push((*op, right));
        first = left;
    }
    links.reverse();
    (first, links)
}

/// Tests whether an expression begins with a digit, so that a `!` directly before it would be read as a cell.
fn begins_with_digit(mut expr: &Expr) -> bool {
    loop {
        match &expr.kind {
            ExprKind::Int(_) => return true,
            ExprKind::Field(base, _) | ExprKind::Index(base, _) => expr = base,
            ExprKind::Method { receiver, .. } => expr = receiver,
            _ => return false,
        }
    }
}
