//! Warnings about conditions that are probably mistakes: comparisons with a known outcome, and loops that never change their condition.
//!
//! `x == x` is always true, `len(xs) < 0` always false. The lints look at the form of an expression only, without solving.

use crate::diagnostic::{Diagnostic, Span};
use crate::scalar::Int;
use crate::spec::check::checked::{Res, Tables};
use crate::spec::check::context::{Checker, Watched};
use crate::syntax::ast::{BinaryOp, Block, Expr, ExprKind, PlaceRoot, Purity, StatementKind, UnaryOp};
use std::cmp::Ordering;

/// Warns of a comparison that has the same outcome for all possible orderings of its operands.
pub(crate) fn lint_comparison(cx: &mut Checker, op: BinaryOp, left: &Expr, right: &Expr, span: Span) {
    let same = are_alike(cx, left, right);
    let Some(possible) = (if same { Some(vec![Ordering::Equal]) } else { orderings(left, right) }) else { return };
    let known = outcome(op, possible[0]);
    if let Some(known) = known.filter(|_| possible.iter().all(|&ordering| outcome(op, ordering) == known)) {
        let report = Diagnostic::warning(span, format!("this `{}` is always {known}", op.sign()));
        cx.report(report.label("nothing in this comparison varies"));
    }
}

/// Tests whether two expressions are written alike, apart from parentheses, and always have equal values.
fn are_alike(cx: &Checker, left: &Expr, right: &Expr) -> bool {
    match (&left.kind, &right.kind) {
        (ExprKind::Paren(inner), _) => are_alike(cx, inner, right),
        (_, ExprKind::Paren(inner)) => are_alike(cx, left, inner),
        (ExprKind::Name(a), ExprKind::Name(b)) => a.text == b.text,
        (ExprKind::Cell(a), ExprKind::Cell(b)) => a == b,
        (ExprKind::Int(a), ExprKind::Int(b)) => a == b,
        (ExprKind::Text(a), ExprKind::Text(b)) => a == b,
        (ExprKind::Bool(a), ExprKind::Bool(b)) => a == b,
        (ExprKind::Field(a, f), ExprKind::Field(b, g)) => f.text == g.text && are_alike(cx, a, b),
        (ExprKind::Index(a, i), ExprKind::Index(b, j)) => are_alike(cx, a, b) && are_alike(cx, i, j),
        (ExprKind::Unary(f, a), ExprKind::Unary(g, b)) => f == g && are_alike(cx, a, b),
        (ExprKind::Binary(f, a, x), ExprKind::Binary(g, b, y)) => f == g && are_alike(cx, a, b) && are_alike(cx, x, y),
        (ExprKind::Tuple(a), ExprKind::Tuple(b)) => all_alike(cx, a, b),
        (ExprKind::Call { name: f, args: a }, ExprKind::Call { name: g, args: b }) => {
            let pure = match cx.tables.resolution(f.id) {
                Some(Res::Function(index)) => cx.functions[index as usize].purity == Purity::Fn,
                _ => true,
            };
            pure && f.text == g.text && all_alike(cx, a, b)
        }
        (ExprKind::Method { receiver: a, name: f, args: x }, ExprKind::Method { receiver: b, name: g, args: y }) => {
            f.text == g.text && are_alike(cx, a, b) && all_alike(cx, x, y)
        }
        _ => false,
    }
}

fn all_alike(cx: &Checker, left: &[Expr], right: &[Expr]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(a, b)| are_alike(cx, a, b))
}

/// Warns of a loop that cannot end once it is entered.
pub(crate) fn lint_loop(cx: &mut Checker, condition: &Expr, body: &Block, watched: &Watched) {
    if watched.chooses || changes(&cx.tables, body, &watched.reads) {
        return;
    }
    let report = Diagnostic::warning(condition.span, "nothing in this loop changes its condition");
    cx.report(report.label("once it is true, it stays true").help("a loop that waits needs a `yield;`"));
}

/// Tests whether a block may change one of the variables `reads`, let other tasks change them, or leave the loop.
fn changes(tables: &Tables, block: &Block, reads: &[Res]) -> bool {
    let calls = |value: &Expr| match &value.kind {
        ExprKind::PeerCall { .. } | ExprKind::PeerCalls { .. } => true,
        ExprKind::Call { name, .. } => matches!(tables.resolution(name.id), Some(Res::Proc(_))),
        _ => false,
    };
    let within = |block: &Block| changes(tables, block, reads);
    block.statements.iter().any(|statement| match &statement.kind {
        StatementKind::Assign { place, value } => {
            let root = match &place.root {
                PlaceRoot::Name(name) => tables.resolution(name.id),
                PlaceRoot::Cell(..) => None,
            };
            calls(value) || root.is_none_or(|root| reads.contains(&root))
        }
        StatementKind::Let { value, .. } | StatementKind::Var { value, .. } => calls(value),
        StatementKind::If { then, otherwise, .. } => within(then) || otherwise.as_ref().is_some_and(within),
        StatementKind::Match { arms, .. } => arms.iter().any(|arm| within(&arm.body)),
        StatementKind::For { body, .. } | StatementKind::While { body, .. } => within(body),
        StatementKind::Either(blocks) => blocks.iter().any(within),
        StatementKind::ProcCall { .. } | StatementKind::PeerCall(_) | StatementKind::Yield => true,
        StatementKind::Reply(_) | StatementKind::ReplyThen { .. } => true,
        StatementKind::Return(_) | StatementKind::Error => true,
        StatementKind::Assume(_) | StatementKind::Expects(_) => true,
        StatementKind::Close(_) | StatementKind::Send { .. } => false,
    })
}

/// The possible orderings of two literals, or of a length and a literal; none if all orderings are possible.
fn orderings(left: &Expr, right: &Expr) -> Option<Vec<Ordering>> {
    if let Some(ordering) = literal_order(left, right) {
        return Some(vec![ordering]);
    }
    let of_length = |length, bound| match integer(bound).filter(|_| is_length(length))?.signum() {
        -1 => Some(vec![Ordering::Greater]),
        0 => Some(vec![Ordering::Greater, Ordering::Equal]),
        _ => None,
    };
    let mirrored = || of_length(right, left).map(|all| all.into_iter().map(Ordering::reverse).collect());
    of_length(left, right).or_else(mirrored)
}

fn outcome(op: BinaryOp, ordering: Ordering) -> Option<bool> {
    match op {
        BinaryOp::Eq => Some(ordering.is_eq()),
        BinaryOp::Ne => Some(ordering.is_ne()),
        BinaryOp::Lt => Some(ordering.is_lt()),
        BinaryOp::Le => Some(ordering.is_le()),
        BinaryOp::Gt => Some(ordering.is_gt()),
        BinaryOp::Ge => Some(ordering.is_ge()),
        BinaryOp::Or | BinaryOp::And | BinaryOp::In => None,
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => None,
        BinaryOp::Intersect => None,
    }
}

fn literal_order(left: &Expr, right: &Expr) -> Option<Ordering> {
    match (&left.kind, &right.kind) {
        (ExprKind::Text(a), ExprKind::Text(b)) => Some(a.octets.cmp(&b.octets)),
        (ExprKind::Bool(a), ExprKind::Bool(b)) => Some(a.cmp(b)),
        _ => Some(integer(left)?.cmp(&integer(right)?)),
    }
}

/// The value of an integer literal, possibly negative.
fn integer(expr: &Expr) -> Option<Int> {
    match &expr.kind {
        ExprKind::Int(known) => Some(known.clone()),
        ExprKind::Unary(UnaryOp::Neg, of) => integer(of).map(|known| known.neg()),
        ExprKind::Paren(inner) => integer(inner),
        _ => None,
    }
}

fn is_length(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call { name, .. } => name.text == "len",
        ExprKind::Paren(inner) => is_length(inner),
        _ => false,
    }
}
