//! Operators: what they take, what they yield, and which operand is checked first.
//!
//! In `if_match != None` the left operand says the type of the right one.

use super::collection::Runs;
use super::context::{Checker, Need, Want};
use super::needy::needs_context;
use crate::diagnostic::Span;
use crate::spec::types::{BOOL, INT, Type, TypeId};
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, UnaryOp};

impl<'a> Checker<'a> {
    pub(super) fn unary(&mut self, op: UnaryOp, of: &'a Expr, span: Span, want: Want) -> TypeId {
        let ty = match op {
            UnaryOp::Not => BOOL,
            UnaryOp::Neg => INT,
        };
        self.check(of, Want::of(ty));
        self.expect(span, ty, want)
    }

    pub(super) fn binary(&mut self, op: BinaryOp, left: &'a Expr, right: &'a Expr, span: Span, want: Want) -> TypeId {
        let ty = match op {
            BinaryOp::Or | BinaryOp::And => {
                self.check(left, Want::of(BOOL));
                self.check(right, Want::of(BOOL));
                BOOL
            }
            BinaryOp::Eq | BinaryOp::Ne => {
                let ty = self.fresh(span);
                self.operands(left, right, ty);
                self.lint_comparison(op, left, right, span);
                BOOL
            }
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                let ty = self.fresh(span);
                self.operands(left, right, ty);
                self.need(ty, span, Need::Comparable(op.sign()));
                self.lint_comparison(op, left, right, span);
                BOOL
            }
            BinaryOp::In => {
                self.membership(left, right);
                BOOL
            }
            BinaryOp::Add => self.sum(left, right, Need::Addable, span, want),
            BinaryOp::Sub => self.sum(left, right, Need::Subtractable, span, want),
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => {
                self.check(left, Want::of(INT));
                self.check(right, Want::of(INT));
                INT
            }
        };
        self.expect(span, ty, want)
    }

    /// Two operands of one type.
    fn operands(&mut self, left: &'a Expr, right: &'a Expr, ty: TypeId) {
        let swap = self.infer.is_free(ty) && needs_context(left) && !needs_context(right);
        let (first, second) = if swap { (right, left) } else { (left, right) };
        self.check(first, Want::of(ty));
        self.check(second, Want::since(ty, first.span, "the type of the other operand"));
    }

    fn sum(&mut self, left: &'a Expr, right: &'a Expr, need: Need, span: Span, want: Want) -> TypeId {
        let open = needs_context(left) && needs_context(right);
        let fits = match self.head(want.ty) {
            Some(Type::Set(_)) => true,
            Some(Type::Bytes | Type::List(_)) => need == Need::Addable,
            Some(Type::Str) => open && need == Need::Addable,
            Some(Type::Int) => open,
            Some(_) | None => false,
        };
        let ty = if fits { want.ty } else { self.fresh(span) };
        self.operands(left, right, ty);
        self.need(ty, span, need);
        ty
    }

    fn membership(&mut self, element: &'a Expr, collection: &'a Expr) {
        let of = match &collection.kind {
            ExprKind::List(_) | ExprKind::Set(_) if !needs_context(element) => self.synthesize(element),
            _ => self.elements(collection, Runs::ListsAndSets("`in`")),
        };
        match &collection.kind {
            ExprKind::List(_) if !needs_context(element) => {
                let list = self.build(Type::List(of));
                self.check(collection, Want::since(list, element.span, "the type comes from here"));
            }
            ExprKind::Set(_) if !needs_context(element) => {
                let set = self.build(Type::Set(of));
                self.check(collection, Want::since(set, element.span, "the type comes from here"));
            }
            _ => {
                self.check(element, Want::since(of, collection.span, "the elements are of this type"));
            }
        }
    }
}
