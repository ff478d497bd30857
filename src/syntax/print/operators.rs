//! Printing chains of operators: `a && b && c` is one group, broken before each operator or nowhere.
//!
//! The left spine of operators of one level is walked, not recursed into: it is one chain.

use crate::syntax::ast::{BinaryOp, Expr, ExprKind, UnaryOp};

use super::Printer;
use super::layout::{Doc, INDENT};

impl<'a> Printer<'a, '_> {
    pub(super) fn binary(&mut self, expr: &Expr) -> Doc<'a> {
        let (first, links) = chain(expr);
        let mut doc = self.expr(first);
        for (op, operand) in links {
            let sign = self.layout.line().append(self.string(sign(op))).append(self.string(" "));
            doc = doc.append(sign.append(self.expr(operand)).nest(INDENT));
        }
        doc.group()
    }

    pub(super) fn unary(&mut self, op: UnaryOp, operand: &Expr) -> Doc<'a> {
        let sign = match op {
            UnaryOp::Not if begins_with_digit(operand) => "! ",
            UnaryOp::Not => "!",
            UnaryOp::Neg => "-",
        };
        self.string(sign).append(self.expr(operand))
    }
}

/// The operands of a chain of operators of one level.
fn chain(expr: &Expr) -> (&Expr, Vec<(BinaryOp, &Expr)>) {
    let mut first = expr;
    let mut links = Vec::new();
    while let ExprKind::Binary(op, left, right) = &first.kind {
        if links.last().is_some_and(|(next, _)| level(*next) != level(*op)) {
            break;
        }
        links.push((*op, &**right));
        first = left;
    }
    links.reverse();
    (first, links)
}

/// The precedence of an operator: a tighter one has a greater number.
fn level(op: BinaryOp) -> u32 {
    match op {
        BinaryOp::Or => 0,
        BinaryOp::And => 1,
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::In => 2,
        BinaryOp::Add | BinaryOp::Sub => 3,
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 4,
    }
}

fn sign(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Or => "||",
        BinaryOp::And => "&&",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::In => "in",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
    }
}

/// Tests whether `!` directly before this would read as a cell.
fn begins_with_digit(expr: &Expr) -> bool {
    let mut expr = expr;
    loop {
        match &expr.kind {
            ExprKind::Int(_) => return true,
            ExprKind::Field(base, _) | ExprKind::Index(base, _) => expr = base,
            ExprKind::Method { receiver, .. } => expr = receiver,
            _ => return false,
        }
    }
}
