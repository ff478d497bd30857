//! Expressions, bidirectionally: each is checked against the type that is wanted of it, which may be open, and yields its
//! type; names that `is` binds stay visible through `&&` (scope rule of the language).
//!
//! In `either None or Some(choose)` with `option<Tag>` wanted, the `choose` is of type `Tag`.

use super::context::{Checker, Choices, Want};
use super::duty::Duty;
use super::infer::Origin;
use crate::diagnostic::{Diagnostic, Span};
use crate::spec::types::{BOOL, BYTES, ERROR, INT, STRING, Type, TypeId};
use crate::syntax::ast::{Arm, BinaryOp, Expr, ExprKind, Name, Pattern, Quantifier, TextLiteral, TypeExpr};

/// The name of a place where no choice may stand, as a report gives it.
const ANY: &str = "an `any`";
const ALL: &str = "an `all`";

impl<'a> Checker<'a> {
    /// Checks an expression; what `is` binds inside is not visible behind it.
    pub(super) fn check(&mut self, expr: &'a Expr, want: Want) -> TypeId {
        let mark = self.scope.mark();
        let ty = self.check_flow(expr, want);
        self.end_scope(mark);
        ty
    }

    /// Checks an expression of which nothing is wanted.
    pub(super) fn synthesize(&mut self, expr: &'a Expr) -> TypeId {
        let want = self.anything(expr.span);
        self.check(expr, want)
    }

    /// Checks expressions of which nothing is known to be wanted.
    pub(super) fn synthesize_all(&mut self, exprs: &'a [Expr]) {
        for expr in exprs {
            self.synthesize(expr);
        }
    }

    /// Checks a condition; what `is` binds in it stays visible, where it has held.
    pub(super) fn condition(&mut self, expr: &'a Expr) {
        self.check_flow(expr, Want::of(BOOL));
    }

    pub(super) fn check_flow(&mut self, expr: &'a Expr, want: Want) -> TypeId {
        let ty = self.kind(expr, want);
        if ty == ERROR {
            self.infer.poison(want.ty);
        }
        self.record(expr.id, expr.span, ty);
        ty
    }

    fn kind(&mut self, expr: &'a Expr, want: Want) -> TypeId {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Int(_) => self.expect(span, INT, want),
            ExprKind::Bool(_) => self.expect(span, BOOL, want),
            ExprKind::Text(text) => self.text(text, span, want),
            ExprKind::Cell(_) => self.cell(span),
            ExprKind::Name(name) => self.name_expr(name, span, want),
            ExprKind::Choose(ty) => self.choose(ty.as_ref(), span, want),
            ExprKind::ChooseWhere { name, ty, condition } => self.choose_where(name, ty, condition, span, want),
            ExprKind::Pick(over) => self.pick(over, span, want),
            ExprKind::PickWhere { name, over, condition } => self.pick_where(name, over, condition, span, want),
            ExprKind::Either(all) => self.either(all, span, want),
            ExprKind::Quantified { quantifier, binder, over, body } => {
                self.quantified(*quantifier, binder, over, body);
                self.expect(span, BOOL, want)
            }
            ExprKind::Unary(op, of) => self.unary(*op, of, span, want),
            ExprKind::Binary(BinaryOp::And, left, right) => {
                self.condition(left);
                self.condition(right);
                self.expect(span, BOOL, want)
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, span, want),
            ExprKind::Is(subject, pattern) => self.is(subject, pattern, span, want),
            ExprKind::Range(from, to) => self.range(from, to, span, want),
            ExprKind::Field(base, name) => self.field_expr(base, name, span, want),
            ExprKind::Method { receiver, name, args } => self.method(receiver, name, args, span, want),
            ExprKind::Index(base, index) => self.index(base, index, span, want),
            ExprKind::Call { name, args } => self.call(name, args, span, want),
            ExprKind::Tuple(parts) => self.tuple(parts, span, want),
            ExprKind::Paren(inner) => self.check_flow(inner, want),
            ExprKind::Record { qualifier, name, fields, rest } => {
                self.record_literal(qualifier.as_ref(), name, fields, *rest, span, want)
            }
            ExprKind::List(elements) => self.list(elements, span, want),
            ExprKind::EmptyBraces => self.empty_braces(span, want),
            ExprKind::Set(elements) => self.set(elements, span, want),
            ExprKind::Map(entries) => self.map(entries, span, want),
            ExprKind::With { base, fields } => self.with(base, fields, span, want),
            ExprKind::ListComprehension { element, clauses } => self.list_comprehension(element, clauses, span, want),
            ExprKind::SetComprehension { element, clauses } => self.set_comprehension(element, clauses, span, want),
            ExprKind::MapComprehension { key, value, clauses } => {
                self.map_comprehension(key, value, clauses, span, want)
            }
            ExprKind::Let { bindings, body } => self.let_in(bindings, body, want),
            ExprKind::If { condition, then, otherwise } => self.if_else(condition, then, otherwise, want),
            ExprKind::Match { subject, arms } => self.match_expr(subject, arms, span, want),
            ExprKind::PeerCall { .. } => self.misplaced_call(span),
            ExprKind::Error => self.taint(),
        }
    }

    /// Marks the present body as one in which the parser has reported something, so that no warnings are given about
    /// it; returns [`ERROR`] as the type of what could not be read.
    pub(super) fn taint(&mut self) -> TypeId {
        self.tainted = true;
        ERROR
    }

    fn cell(&mut self, span: Span) -> TypeId {
        self.report(Diagnostic::error(span, "a cell outside a machine").label("expected a value"));
        ERROR
    }

    fn text(&mut self, text: &TextLiteral, span: Span, want: Want) -> TypeId {
        let bytes = text.escapes_octets || self.head(want.ty) == Some(Type::Bytes);
        self.expect(span, if bytes { BYTES } else { STRING }, want)
    }

    /// Reports a choice where none may stand.
    pub(super) fn choice(&mut self, span: Span) {
        self.watched.chooses = true;
        if let Choices::Forbidden(place) = self.choices {
            let report = Diagnostic::error(span, format!("choices are not allowed in {place}"));
            let report = report.label("expected an expression that does not choose");
            self.report(report.help(match place {
                ANY | ALL => {
                    "choose first, and then use the value: `let x = choose int;`, or `let ys = [choose int for x in xs];`"
                }
                _ => "choices are allowed in handlers, procs, steps, `def`s and initial values",
            }));
        }
    }

    /// Checks something in which no choice may stand.
    pub(super) fn without_choices(&mut self, place: &'static str, work: impl FnOnce(&mut Self)) {
        let before = self.choices;
        if before == Choices::Allowed {
            self.choices = Choices::Forbidden(place);
        }
        work(self);
        self.choices = before;
    }

    fn choose(&mut self, ty: Option<&'a TypeExpr>, span: Span, want: Want) -> TypeId {
        self.choice(span);
        let ty = match ty {
            Some(written) => self.denote(written),
            None => self.infer.fresh(Origin::Choose, span),
        };
        self.expect(span, ty, want)
    }

    fn choose_where(
        &mut self,
        name: &'a Name,
        ty: &'a TypeExpr,
        condition: &'a Expr,
        span: Span,
        want: Want,
    ) -> TypeId {
        self.choice(span);
        let ty = self.denote(ty);
        self.chosen_where(name, ty, condition);
        self.expect(span, ty, want)
    }

    fn chosen_where(&mut self, name: &'a Name, ty: TypeId, condition: &'a Expr) {
        let mark = self.scope.mark();
        self.bind(name, ty, super::scope::Binder::Binding);
        self.without_choices("a `where`", |checker| checker.condition(condition));
        self.end_scope(mark);
    }

    fn pick(&mut self, over: &'a Expr, span: Span, want: Want) -> TypeId {
        self.choice(span);
        let ty = self.elements(over, super::collection::Runs::ListsAndSets("`pick`"));
        self.expect(span, ty, want)
    }

    fn pick_where(&mut self, name: &'a Name, over: &'a Expr, condition: &'a Expr, span: Span, want: Want) -> TypeId {
        self.choice(span);
        let ty = self.elements(over, super::collection::Runs::ListsAndSets("`pick`"));
        self.chosen_where(name, ty, condition);
        self.expect(span, ty, want)
    }

    fn either(&mut self, all: &'a [Expr], span: Span, want: Want) -> TypeId {
        self.choice(span);
        let all: Vec<&'a Expr> = all.iter().collect();
        self.alternatives(&all, want)
    }

    /// Expressions of one type: those that know theirs come first.
    pub(super) fn alternatives(&mut self, all: &[&'a Expr], want: Want) -> TypeId {
        let mut want = want;
        let open = self.infer.is_free(want.ty);
        for expr in self.informative_first(all, want) {
            self.check(expr, want);
            want = self.learned(want, expr.span, open);
        }
        want.ty
    }

    /// Once an alternative has said the type that was open before, it is the reason for what is wanted of the others.
    fn learned(&self, want: Want, span: Span, open: bool) -> Want {
        let known = open && want.because.is_none() && !self.infer.is_free(want.ty);
        if known { Want::since(want.ty, span, "the type comes from here") } else { want }
    }

    fn informative_first(&self, all: &[&'a Expr], want: Want) -> Vec<&'a Expr> {
        let mut all = all.to_vec();
        if self.infer.is_free(want.ty) {
            all.sort_by_key(|expr| super::needy::needs_context(expr));
        }
        all
    }

    fn quantified(&mut self, quantifier: Quantifier, binder: &'a Pattern, over: &'a Expr, body: &'a Expr) {
        let place = match quantifier {
            Quantifier::Any => ANY,
            Quantifier::All => ALL,
        };
        self.without_choices(place, |checker| {
            let ty = checker.elements(over, super::collection::Runs::ListsAndSets("`any` and `all`"));
            let mark = checker.scope.mark();
            checker.binder(binder, ty);
            checker.condition(body);
            checker.end_scope(mark);
        });
    }

    /// A pattern that must always fit.
    pub(super) fn binder(&mut self, binder: &'a Pattern, ty: TypeId) {
        self.pattern(binder, ty);
        self.duties.push(Duty::AlwaysFits(binder));
    }

    fn is(&mut self, subject: &'a Expr, pattern: &'a Pattern, span: Span, want: Want) -> TypeId {
        let ty = self.synthesize(subject);
        self.pattern(pattern, ty);
        self.duties.push(Duty::Is(pattern));
        self.expect(span, BOOL, want)
    }

    fn let_in(&mut self, bindings: &'a [(Pattern, Expr)], body: &'a Expr, want: Want) -> TypeId {
        let mark = self.scope.mark();
        for (pattern, value) in bindings {
            let ty = self.synthesize(value);
            self.binder(pattern, ty);
        }
        let ty = self.check(body, want);
        self.end_scope(mark);
        ty
    }

    fn if_else(&mut self, condition: &'a Expr, then: &'a Expr, otherwise: &'a Expr, want: Want) -> TypeId {
        let first = self.informative_first(&[then, otherwise], want)[0].id;
        let mut want = want;
        let open = self.infer.is_free(want.ty);
        for branch in if first == then.id { [then, otherwise] } else { [otherwise, then] } {
            if branch.id == then.id {
                let mark = self.scope.mark();
                self.condition(condition);
                self.check(then, want);
                self.end_scope(mark);
            } else {
                self.check(otherwise, want);
            }
            want = self.learned(want, branch.span, open);
        }
        want.ty
    }

    fn match_expr(&mut self, subject: &'a Expr, arms: &'a [Arm<Expr>], span: Span, want: Want) -> TypeId {
        let ty = self.synthesize(subject);
        let mut order: Vec<&'a Arm<Expr>> = arms.iter().collect();
        if self.infer.is_free(want.ty) {
            order.sort_by_key(|arm| super::needy::needs_context(&arm.body));
        }
        let mut want = want;
        let open = self.infer.is_free(want.ty);
        for arm in order {
            self.arm(&arm.pattern, arm.guard.as_ref(), ty, |checker| {
                checker.check(&arm.body, want);
            });
            want = self.learned(want, arm.body.span, open);
        }
        let head = Span { end: subject.span.end, ..span };
        self.duties.push(Duty::arms(subject.id, head, arms));
        want.ty
    }

    fn arm(&mut self, pattern: &'a Pattern, guard: Option<&'a Expr>, ty: TypeId, body: impl FnOnce(&mut Self)) {
        let mark = self.scope.mark();
        self.pattern(pattern, ty);
        if let Some(guard) = guard {
            self.condition(guard);
        }
        body(self);
        self.end_scope(mark);
    }
}
