//! Comparisons.
use super::context::Checker;
use crate::diagnostic::Span;
use crate::syntax::ast::{BinaryOp, Block, Expr};
impl<'a> Checker<'a> {
    pub(super) fn lint_comparison(&mut self, _op: BinaryOp, _left: &'a Expr, _right: &'a Expr, _span: Span) {}
    pub(super) fn lint_loop(&mut self, _condition: &'a Expr, _body: &'a Block, _span: Span) {}
}
