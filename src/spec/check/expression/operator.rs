//! Operators: the types that their operands get, and which operand is checked first.
//!
//! In `if_match != None` the left operand determines the type of the right one.

use super::collection::{ElementSources, elements};
use super::expected_type::needs_context;
use super::requirements::{Operands, operands};
use crate::diagnostic::Span;
use crate::spec::check::context::{Checker, Want};
use crate::spec::check::statement::lint::lint_comparison;
use crate::spec::types::{BOOL, Type, TypeId};
use crate::syntax::ast::{BinaryOp, Expr, ExprKind};

/// `a + b` and the like.
pub(crate) fn binary<'a>(
    cx: &mut Checker<'a>,
    op: BinaryOp,
    left: &'a Expr,
    right: &'a Expr,
    span: Span,
    want: Want,
) -> TypeId {
    match operands(op) {
        Operands::Of(ty) => {
            cx.check(left, Want::of(ty));
            cx.check(right, Want::of(ty));
            ty
        }
        Operands::Compared(need) => {
            let ty = cx.fresh(span);
            alike(cx, left, right, ty);
            if let Some(need) = need {
                cx.need(ty, span, need);
            }
            lint_comparison(cx, op, left, right, span);
            BOOL
        }
        Operands::Summed(need) => {
            let ty = if says_sum(cx, op, left, right, want) { want.ty } else { cx.fresh(span) };
            alike(cx, left, right, ty);
            cx.need(ty, span, need);
            ty
        }
        Operands::Member => {
            membership(cx, left, right);
            BOOL
        }
    }
}

/// Checks two operands of one type.
fn alike<'a>(cx: &mut Checker<'a>, left: &'a Expr, right: &'a Expr, ty: TypeId) {
    let swap = cx.infer.is_free(ty) && needs_context(left) && !needs_context(right);
    let (first, second) = if swap { (right, left) } else { (left, right) };
    cx.check(first, Want::of(ty));
    cx.check(second, Want::since(ty, first.span, "the type of the other operand"));
}

/// Tests whether the wanted type of a sum or difference is also wanted of its operands.
fn says_sum(cx: &Checker, op: BinaryOp, left: &Expr, right: &Expr, want: Want) -> bool {
    let open = || needs_context(left) && needs_context(right);
    match cx.head(want.ty) {
        Some(Type::Set(_)) => true,
        Some(Type::Bytes | Type::List(_) | Type::Map(..)) => op == BinaryOp::Add,
        Some(Type::Str) => op == BinaryOp::Add && open(),
        Some(Type::Int) => open(),
        Some(_) | None => false,
    }
}

fn membership<'a>(cx: &mut Checker<'a>, element: &'a Expr, collection: &'a Expr) {
    let of_elements: fn(TypeId) -> Type = match &collection.kind {
        ExprKind::List(_) if !needs_context(element) => Type::List,
        ExprKind::Set(_) if !needs_context(element) => Type::Set,
        _ => {
            let of = elements(cx, collection, ElementSources::Elements("`in`"));
            cx.check(element, Want::since(of, collection.span, "the elements are of this type"));
            return;
        }
    };
    let of = cx.synthesize(element);
    let ty = cx.build(of_elements(of));
    cx.check(collection, Want::since(ty, element.span, "the type comes from here"));
}
