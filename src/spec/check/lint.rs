//! Conditions that cannot be meant, as far as their form shows it: comparisons with a known outcome and loops whose
//! condition nothing changes. Findings that need solving are not made here.
//!
//! `x == x` is always true, `len(xs) < 0` always false.

use super::checked::Res;
use super::context::Checker;
use crate::diagnostic::{Diagnostic, Span};
use crate::scalar::Int;
use crate::syntax::ast::{BinaryOp, Block, Expr, ExprKind, PlaceRoot, Purity, Statement, StatementKind, UnaryOp};
use std::cmp::Ordering;

/// The dependencies of a condition: the variables that it reads, and whether it chooses.
#[derive(Clone, Default, Debug)]
pub(super) struct Watched {
    /// The variables that it reads.
    pub(super) reads: Vec<Res>,
    /// True if the condition chooses.
    pub(super) chooses: bool,
}

impl<'a> Checker<'a> {
    /// Warns of a comparison with a known outcome.
    pub(super) fn lint_comparison(&mut self, op: BinaryOp, left: &Expr, right: &Expr, span: Span) {
        let known = if self.same(left, right) { outcome(op, Ordering::Equal) } else { compare(op, left, right) };
        if let Some(outcome) = known {
            let report = Diagnostic::warning(span, format!("this `{}` is always {outcome}", op.sign()));
            self.report(report.label("nothing in this comparison varies"));
        }
    }

    /// Tests whether two expressions are written alike, apart from parentheses, and have one value.
    fn same(&self, left: &Expr, right: &Expr) -> bool {
        match (&left.kind, &right.kind) {
            (ExprKind::Paren(inner), _) => self.same(inner, right),
            (_, ExprKind::Paren(inner)) => self.same(left, inner),
            (ExprKind::Name(a), ExprKind::Name(b)) => a.text == b.text,
            (ExprKind::Cell(a), ExprKind::Cell(b)) => a == b,
            (ExprKind::Int(a), ExprKind::Int(b)) => a == b,
            (ExprKind::Text(a), ExprKind::Text(b)) => a == b,
            (ExprKind::Bool(a), ExprKind::Bool(b)) => a == b,
            (ExprKind::Field(a, f), ExprKind::Field(b, g)) => f.text == g.text && self.same(a, b),
            (ExprKind::Index(a, i), ExprKind::Index(b, j)) => self.same(a, b) && self.same(i, j),
            (ExprKind::Unary(f, a), ExprKind::Unary(g, b)) => f == g && self.same(a, b),
            (ExprKind::Binary(f, a, x), ExprKind::Binary(g, b, y)) => f == g && self.same(a, b) && self.same(x, y),
            (ExprKind::Tuple(a), ExprKind::Tuple(b)) => self.all_same(a, b),
            (ExprKind::Call { name: f, args: a }, ExprKind::Call { name: g, args: b }) => {
                let pure = match self.tables.resolution(f.id) {
                    Some(Res::Function(index)) => self.functions[index as usize].purity == Purity::Fn,
                    _ => true,
                };
                pure && f.text == g.text && self.all_same(a, b)
            }
            (
                ExprKind::Method { receiver: a, name: f, args: x },
                ExprKind::Method { receiver: b, name: g, args: y },
            ) => f.text == g.text && self.same(a, b) && self.all_same(x, y),
            _ => false,
        }
    }

    fn all_same(&self, left: &[Expr], right: &[Expr]) -> bool {
        left.len() == right.len() && left.iter().zip(right).all(|(a, b)| self.same(a, b))
    }

    /// Warns of a loop that cannot end once it is entered.
    pub(super) fn lint_loop(&mut self, condition: &Expr, body: &Block, watched: &Watched) {
        if watched.chooses || self.block_changes(body, &watched.reads) {
            return;
        }
        let report = Diagnostic::warning(condition.span, "nothing in this loop changes its condition");
        self.report(report.label("once it is true, it stays true").help("a loop that waits needs a `yield;`"));
    }

    fn block_changes(&self, block: &Block, reads: &[Res]) -> bool {
        block.statements.iter().any(|statement| self.changes(statement, reads))
    }

    /// Tests whether a statement may change one of the variables `reads`, let others do so, or leave the loop.
    fn changes(&self, statement: &Statement, reads: &[Res]) -> bool {
        let calls = |value: &Expr| matches!(value.kind, ExprKind::PeerCall { .. });
        match &statement.kind {
            StatementKind::Assign { place, value } => {
                let root = match &place.root {
                    PlaceRoot::Name(name) => self.tables.resolution(name.id),
                    PlaceRoot::Cell(..) => None,
                };
                calls(value) || root.is_none_or(|root| reads.contains(&root))
            }
            StatementKind::Let { value, .. } | StatementKind::Var { value, .. } => calls(value),
            StatementKind::If { then, otherwise, .. } => {
                let otherwise = otherwise.as_ref().is_some_and(|block| self.block_changes(block, reads));
                otherwise || self.block_changes(then, reads)
            }
            StatementKind::Match { arms, .. } => arms.iter().any(|arm| self.block_changes(&arm.body, reads)),
            StatementKind::For { body, .. } | StatementKind::While { body, .. } => self.block_changes(body, reads),
            StatementKind::Either(blocks) => blocks.iter().any(|block| self.block_changes(block, reads)),
            StatementKind::ProcCall { .. } | StatementKind::PeerCall(_) | StatementKind::Yield => true,
            StatementKind::Reply(_) | StatementKind::Return | StatementKind::Error => true,
            StatementKind::Assume(_) | StatementKind::Expects(_) => true,
            StatementKind::Close(_) | StatementKind::Send { .. } => false,
        }
    }
}

/// A known outcome of a comparison of literals, or of a length with what no length is.
fn compare(op: BinaryOp, left: &Expr, right: &Expr) -> Option<bool> {
    if let Some(ordering) = literal_order(left, right) {
        return outcome(op, ordering);
    }
    if let (true, Some(bound)) = (is_length(left), integer(right)) {
        return below_length(op, bound.signum());
    }
    if let (true, Some(bound)) = (is_length(right), integer(left)) {
        return below_length(mirrored(op), bound.signum());
    }
    None
}

/// The outcome of `len(x) op bound` for a bound of that sign, where it is known.
fn below_length(op: BinaryOp, sign: i32) -> Option<bool> {
    match (op, sign) {
        (BinaryOp::Lt, 0) => Some(false),
        (BinaryOp::Ge, 0) => Some(true),
        (_, -1) => outcome(op, Ordering::Greater),
        _ => None,
    }
}

fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        BinaryOp::Or | BinaryOp::And | BinaryOp::Eq | BinaryOp::Ne | BinaryOp::In => op,
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => op,
    }
}

fn outcome(op: BinaryOp, ordering: Ordering) -> Option<bool> {
    match op {
        BinaryOp::Eq => Some(ordering == Ordering::Equal),
        BinaryOp::Ne => Some(ordering != Ordering::Equal),
        BinaryOp::Lt => Some(ordering == Ordering::Less),
        BinaryOp::Le => Some(ordering != Ordering::Greater),
        BinaryOp::Gt => Some(ordering == Ordering::Greater),
        BinaryOp::Ge => Some(ordering != Ordering::Less),
        BinaryOp::Or | BinaryOp::And | BinaryOp::In => None,
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => None,
    }
}

fn literal_order(left: &Expr, right: &Expr) -> Option<Ordering> {
    match (&left.kind, &right.kind) {
        (ExprKind::Text(a), ExprKind::Text(b)) => Some(a.octets.cmp(&b.octets)),
        (ExprKind::Bool(a), ExprKind::Bool(b)) => Some(a.cmp(b)),
        _ => Some(integer(left)?.cmp(&integer(right)?)),
    }
}

/// The integer that is written, possibly negative.
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
