//! Expressions, checked bidirectionally: the context wants a type, which may be open, and the expression yields its type.
//!
//! In `either None or Some(choose)` with `option<Tag>` wanted, `choose` has the type `Tag`. The names that `is` binds stay visible in the
//! operands of `&&` to its right.

pub(crate) mod builtins;
pub(crate) mod call;
pub(crate) mod choice;
pub(crate) mod chosen;
pub(crate) mod collection;
pub(crate) mod construct;
pub(crate) mod expected_type;
pub(crate) mod operator;
pub(crate) mod proc_calls;
pub(crate) mod record;
pub(crate) mod requirements;

use super::context::{Checker, Want};
use super::declaration::resolve_types::denote;
use super::infer::Origin;
use super::statement::duty::PatternCheck;
use super::statement::locals::Binder;
use super::statement::pattern::{binder, pattern};
use choice::{ALL, ANY, chooses, without_choices};
use collection::{ElementSources, elements};
use construct::Application;
use expected_type::needs_context;

use crate::diagnostic::Span;
use crate::spec::types::{BOOL, ERROR, INT, TypeId};
use crate::syntax::ast::{Arm, BinaryOp, Expr, ExprKind, Name, NodeId, Pattern, Quantifier, UnaryOp};

const PICKS: ElementSources = ElementSources::Elements("`pick`");

impl<'a> Checker<'a> {
    /// Checks an expression; the names that `is` binds in it are not visible after it.
    pub(super) fn check(&mut self, expr: &'a Expr, want: Want) -> TypeId {
        self.scoped(|cx| cx.check_flow(expr, want))
    }

    /// Checks an expression without a wanted type.
    pub(super) fn synthesize(&mut self, expr: &'a Expr) -> TypeId {
        let want = Want::of(self.fresh(expr.span));
        self.check(expr, want)
    }

    /// Checks several expressions without wanted types.
    pub(super) fn synthesize_all(&mut self, exprs: &'a [Expr]) {
        for expr in exprs {
            self.synthesize(expr);
        }
    }

    /// Checks a condition; the names that `is` binds in it stay visible in the code that runs if the condition holds.
    pub(super) fn condition(&mut self, expr: &'a Expr) {
        self.check_flow(expr, Want::of(BOOL));
    }

    fn check_flow(&mut self, expr: &'a Expr, want: Want) -> TypeId {
        let found = kind(self, expr, want);
        self.found(expr.id, expr.span, found, want)
    }

    /// Notes the type of a node and unifies it with the wanted one; a node that was reported makes the wanted type [`ERROR`].
    pub(super) fn found(&mut self, node: NodeId, span: Span, found: TypeId, want: Want) -> TypeId {
        let ty = if found == ERROR { ERROR } else { self.expect(span, found, want) };
        if ty == ERROR {
            self.infer.poison(want.ty);
        }
        self.record(node, span, ty);
        ty
    }

    /// Checks alternatives of one type, each with `check`; those that know their type come first. Once an alternative has determined an
    /// open type, it is the reason that reports on the others give.
    pub(super) fn alternatives<T>(
        &mut self,
        all: impl IntoIterator<Item = (&'a Expr, T)>,
        mut want: Want,
        check: impl Fn(&mut Self, &'a Expr, T, Want) -> TypeId,
    ) -> TypeId {
        let mut all: Vec<(&'a Expr, T)> = all.into_iter().collect();
        let open = self.infer.is_free(want.ty);
        if open {
            all.sort_by_key(|(expr, _)| needs_context(expr));
        }
        for (expr, more) in all {
            check(self, expr, more, want);
            if open && want.because.is_none() && !self.infer.is_free(want.ty) {
                want = Want::since(want.ty, expr.span, "the type comes from here");
            }
        }
        want.ty
    }

    /// Checks expressions of one type.
    pub(super) fn same_type(&mut self, all: impl IntoIterator<Item = &'a Expr>, want: Want) -> TypeId {
        self.alternatives(all.into_iter().map(|expr| (expr, ())), want, |cx, expr, (), want| cx.check(expr, want))
    }
}

/// The type of an expression; the wanted type is a hint. [`ERROR`] if an error was reported.
fn kind<'a>(cx: &mut Checker<'a>, expr: &'a Expr, want: Want) -> TypeId {
    let span = expr.span;
    match &expr.kind {
        ExprKind::Int(_) => INT,
        ExprKind::Bool(_) => BOOL,
        ExprKind::Text(text) => cx.text_type(text, want.ty),
        ExprKind::Cell(_) => {
            cx.error(span, "a cell outside a machine", "expected a value");
            ERROR
        }
        ExprKind::Name(name) => construct::name_expr(cx, name, span, want),
        ExprKind::Choose(ty) => {
            chooses(cx, span);
            match ty {
                Some(ty) => denote(cx, ty),
                None => cx.infer.fresh(Origin::Choose, span),
            }
        }
        ExprKind::ChooseWhere { name, ty, condition } => {
            chooses(cx, span);
            let ty = denote(cx, ty);
            chosen_where(cx, name, ty, condition)
        }
        ExprKind::Pick(over) => {
            chooses(cx, span);
            elements(cx, over, PICKS)
        }
        ExprKind::PickWhere { name, over, condition } => {
            chooses(cx, span);
            let ty = elements(cx, over, PICKS);
            chosen_where(cx, name, ty, condition)
        }
        ExprKind::Either(all) => {
            chooses(cx, span);
            cx.same_type(all, want)
        }
        ExprKind::Quantified { quantifier, binder: element, over, body } => {
            let place = if *quantifier == Quantifier::Any { ANY } else { ALL };
            without_choices(cx, place, |cx| quantified(cx, element, over, body));
            BOOL
        }
        ExprKind::Unary(op, of) => {
            let ty = if *op == UnaryOp::Not { BOOL } else { INT };
            cx.check(of, Want::of(ty));
            ty
        }
        ExprKind::Binary(BinaryOp::And, left, right) => {
            cx.condition(left);
            cx.condition(right);
            BOOL
        }
        ExprKind::Binary(op, left, right) => operator::binary(cx, *op, left, right, span, want),
        ExprKind::Is(subject, fits) => {
            let ty = cx.synthesize(subject);
            pattern(cx, fits, ty);
            cx.duties.push(PatternCheck::Is(fits));
            BOOL
        }
        ExprKind::Range(from, to) => {
            cx.check(from, Want::of(INT));
            cx.check(to, Want::of(INT));
            cx.types.list(INT)
        }
        ExprKind::Field(base, name) => record::field_expr(cx, base, name, span),
        ExprKind::Method { receiver, name, args } => {
            call::method(cx, receiver, Application { name, args: Some(args), span })
        }
        ExprKind::Index(base, index) => collection::index(cx, base, index, want),
        ExprKind::Call { name, args } => call::call(cx, Application { name, args: Some(args), span }, want),
        ExprKind::Tuple(parts) => collection::tuple(cx, parts, want),
        ExprKind::Paren(inner) => cx.check_flow(inner, want),
        ExprKind::Record { qualifier, name, fields, rest } => {
            record::record_literal(cx, qualifier.as_ref(), name, fields, *rest, span, want)
        }
        ExprKind::With { base, fields } => record::with(cx, base, fields, want),
        ExprKind::EmptyBraces => cx.infer.fresh(Origin::SetOrMap, span),
        ExprKind::List(elements) => collection::literal(cx, collection::LIST, elements, span, want),
        ExprKind::Set(elements) => collection::literal(cx, collection::SET, elements, span, want),
        ExprKind::Map(entries) => collection::map(cx, entries, span, want),
        ExprKind::ListComprehension { element, clauses } => {
            collection::comprehension(cx, collection::LIST, element, clauses, want)
        }
        ExprKind::SetComprehension { element, clauses } => {
            collection::comprehension(cx, collection::SET, element, clauses, want)
        }
        ExprKind::MapComprehension { key, value, clauses } => {
            collection::map_comprehension(cx, key, value, clauses, span, want)
        }
        ExprKind::Gathered { of, parts } => collection::gathered(cx, *of, parts, span, want),
        ExprKind::Let { bindings, body } => let_in(cx, bindings, body, want),
        ExprKind::If { condition, then, otherwise } => {
            let branches = [(&**then, Some(&**condition)), (&**otherwise, None)];
            cx.alternatives(branches, want, |cx, branch, condition, want| {
                cx.scoped(|cx| {
                    condition.into_iter().for_each(|condition| cx.condition(condition));
                    cx.check(branch, want)
                })
            })
        }
        ExprKind::Match { subject, arms } => match_expr(cx, subject, arms, span, want),
        ExprKind::PeerCall { .. } | ExprKind::PeerCalls { .. } => call::misplaced_call(cx, span),
        ExprKind::Error => cx.taint(),
    }
}

/// Checks the condition of a choice and returns the type of the choice.
fn chosen_where<'a>(cx: &mut Checker<'a>, name: &'a Name, ty: TypeId, condition: &'a Expr) -> TypeId {
    cx.scoped(|cx| {
        cx.bind(name, ty, Binder::Binding);
        without_choices(cx, "a `where`", |cx| cx.condition(condition));
    });
    ty
}

fn quantified<'a>(cx: &mut Checker<'a>, element: &'a Pattern, over: &'a Expr, body: &'a Expr) {
    let ty = elements(cx, over, ElementSources::AnyOrder("`any` and `all`"));
    cx.scoped(|cx| {
        binder(cx, element, ty);
        cx.condition(body);
    });
}

fn let_in<'a>(cx: &mut Checker<'a>, bindings: &'a [(Pattern, Expr)], body: &'a Expr, want: Want) -> TypeId {
    cx.scoped(|cx| {
        for (pattern, value) in bindings {
            let ty = cx.synthesize(value);
            binder(cx, pattern, ty);
        }
        cx.check(body, want)
    })
}

fn match_expr<'a>(cx: &mut Checker<'a>, subject: &'a Expr, arms: &'a [Arm<Expr>], span: Span, want: Want) -> TypeId {
    let ty = cx.synthesize(subject);
    let found = cx.alternatives(arms.iter().map(|arm| (&arm.body, arm)), want, |cx, body, arm, want| {
        cx.scoped(|cx| {
            pattern(cx, &arm.pattern, ty);
            arm.guard.iter().for_each(|guard| cx.condition(guard));
            cx.check(body, want)
        })
    });
    cx.duties.push(PatternCheck::arms(subject, span, arms));
    found
}
