//! Statements: each is a unit of inference, and some may stand in some bodies only.
//!
//! `reply 0;` checks `0` against the response type, in the handler of a request or in a proc.

use super::checked::Res;
use super::context::{Body, Checker, Want};
use super::duty::Duty;
use super::effect::Effect;
use super::scope::Binder;
use crate::diagnostic::{Diagnostic, Span};
use crate::spec::types::{CLIENT, ERROR, TypeId};
use crate::syntax::ast::{
    Arm, Block, Expr, ExprKind, Name, Pattern, PlaceExpr, PlaceRoot, PlaceStep, Statement, StatementKind, TypeExpr,
};

impl<'a> Checker<'a> {
    /// Checks a block; its names end with it.
    pub(super) fn block(&mut self, block: &'a Block) {
        let mark = self.scope.mark();
        for statement in &block.statements {
            self.tables.set_span(statement.id, statement.span);
            self.statement(statement);
        }
        self.end_scope(mark);
    }

    /// Checks an expression as a unit of its own; the type is known afterwards.
    pub(super) fn unit(&mut self, expr: &'a Expr, want: Option<Want>) -> TypeId {
        self.in_unit(|checker| {
            let want = want.unwrap_or_else(|| checker.anything(expr.span));
            checker.check(expr, want);
        });
        self.tables.type_of(expr.id)
    }

    /// Checks a condition as a unit; what `is` binds stays visible.
    pub(super) fn unit_condition(&mut self, expr: &'a Expr) {
        self.in_unit(|checker| checker.condition(expr));
    }

    /// Checks a pattern as a unit of its own; what it binds stays visible.
    pub(super) fn unit_pattern(&mut self, pattern: &'a Pattern, ty: TypeId) {
        self.in_unit(|checker| checker.pattern(pattern, ty));
    }

    fn statement(&mut self, statement: &'a Statement) {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Let { pattern, ty, value } => self.let_statement(pattern, ty.as_ref(), value),
            StatementKind::Var { name, ty, value } => {
                let ty = self.initial(ty.as_ref(), value);
                self.bind(name, ty, Binder::Variable);
            }
            StatementKind::Assign { place, value } => self.assign(place, value),
            StatementKind::ProcCall { name, args } => self.proc_call(name, args, span),
            StatementKind::PeerCall(call) => {
                self.in_unit(|checker| checker.right_side(call, None));
            }
            StatementKind::If { condition, then, otherwise } => self.if_statement(condition, then, otherwise.as_ref()),
            StatementKind::Match { subject, arms } => self.match_statement(subject, arms, span),
            StatementKind::For { binder, over, body } => self.for_statement(binder, over, body),
            StatementKind::While { condition, body } => self.while_statement(condition, body),
            StatementKind::Either(blocks) => blocks.iter().for_each(|block| self.block(block)),
            StatementKind::Assume(condition) => drop(self.unit(condition, Some(Want::of(crate::spec::types::BOOL)))),
            StatementKind::Expects(condition) => {
                self.effect(Effect::Expects, span);
                self.unit(condition, Some(Want::of(crate::spec::types::BOOL)));
            }
            StatementKind::Reply(answer) => {
                self.effect(Effect::Reply, span);
                self.unit(answer, Some(self.answer));
            }
            StatementKind::Close(client) => drop(self.unit(client, Some(Want::of(CLIENT)))),
            StatementKind::Send { to, message } => {
                self.unit(to, Some(Want::of(CLIENT)));
                self.unit(message, Some(self.answer));
            }
            StatementKind::Yield => self.effect(Effect::Yield, span),
            StatementKind::Return => {}
            StatementKind::Error => drop(self.taint()),
        }
    }

    /// The right side of `let`, `var` and `:=`, where a `call` may stand.
    fn right_side(&mut self, value: &'a Expr, want: Option<Want>) -> TypeId {
        let want = want.unwrap_or_else(|| self.anything(value.span));
        match &value.kind {
            ExprKind::PeerCall { peer, args, message } => {
                self.effect(Effect::Call, value.span);
                let ty = self.peer_call(peer, args, message, value.span);
                let ty = self.expect(value.span, ty, want);
                self.record(value.id, value.span, ty);
                ty
            }
            _ => self.check(value, want),
        }
    }

    /// The type of a new local, from what is written or from its value.
    fn initial(&mut self, ty: Option<&'a TypeExpr>, value: &'a Expr) -> TypeId {
        let written = ty.map(|ty| (self.denote(ty), ty.span));
        let want = written.map(|(ty, span)| Want::since(ty, span, "this type is written here"));
        self.in_unit(|checker| checker.right_side(value, want));
        let ty = written.map_or_else(|| self.tables.type_of(value.id), |written| written.0);
        self.check_depth(ty, value.span)
    }

    fn let_statement(&mut self, pattern: &'a Pattern, ty: Option<&'a TypeExpr>, value: &'a Expr) {
        let ty = self.initial(ty, value);
        self.binder(pattern, ty);
    }

    fn if_statement(&mut self, condition: &'a Expr, then: &'a Block, otherwise: Option<&'a Block>) {
        let mark = self.scope.mark();
        self.unit_condition(condition);
        self.block(then);
        self.end_scope(mark);
        if let Some(otherwise) = otherwise {
            self.block(otherwise);
        }
    }

    fn match_statement(&mut self, subject: &'a Expr, arms: &'a [Arm<Block>], span: Span) {
        let ty = self.unit(subject, None);
        for arm in arms {
            let mark = self.scope.mark();
            self.unit_pattern(&arm.pattern, ty);
            if let Some(guard) = &arm.guard {
                self.unit_condition(guard);
            }
            self.block(&arm.body);
            self.end_scope(mark);
        }
        let head = Span { end: subject.span.end, ..span };
        self.duties.push(Duty::arms(subject.id, head, arms));
    }

    fn for_statement(&mut self, binder: &'a Pattern, over: &'a Expr, body: &'a Block) {
        let ty = self.in_unit(|checker| {
            let ty = checker.elements(over, super::collection::Runs::Lists("`for`"));
            checker.close(ty)
        });
        let mark = self.scope.mark();
        self.in_unit(|checker| checker.binder(binder, ty));
        self.block(body);
        self.end_scope(mark);
    }

    fn while_statement(&mut self, condition: &'a Expr, body: &'a Block) {
        let mark = self.scope.mark();
        self.unit_condition(condition);
        let watched = std::mem::take(&mut self.watched);
        self.block(body);
        self.end_scope(mark);
        self.lint_loop(condition, body, &watched);
    }

    fn assign(&mut self, place: &'a PlaceExpr, value: &'a Expr) {
        self.in_unit(|checker| {
            let want = checker.place(place);
            checker.right_side(value, Some(want));
        });
    }

    /// Checks a place that is assigned to, and returns the type that is wanted of the value.
    fn place(&mut self, place: &'a PlaceExpr) -> Want {
        let (mut ty, declared) = match &place.root {
            PlaceRoot::Name(name) => self.place_root(name),
            PlaceRoot::Cell(_, span) => {
                self.report(Diagnostic::error(*span, "a cell outside a machine").label("expected a variable"));
                (ERROR, None)
            }
        };
        let mut span = match &place.root {
            PlaceRoot::Name(name) => name.span,
            PlaceRoot::Cell(_, span) => *span,
        };
        for step in &place.path {
            match step {
                PlaceStep::Field(name) => {
                    ty = self.field_of(ty, span, name);
                    span = span.to(name.span);
                }
                PlaceStep::Index(index) => {
                    ty = self.indexed(ty, span, index);
                    span = span.to(index.span);
                }
            }
        }
        match declared.filter(|_| place.path.is_empty()) {
            Some(declared) => Want::since(ty, declared, "the variable is declared here"),
            None => Want::of(ty),
        }
    }

    fn place_root(&mut self, name: &'a Name) -> (TypeId, Option<Span>) {
        if let Some(local) = self.scope.find(&name.text) {
            let (id, ty, span, binder) = (local.id, local.ty, local.span, local.binder);
            self.resolve_to(name, Res::Local(id));
            self.record(name.id, name.span, ty);
            if binder != Binder::Variable {
                self.not_assignable(name, span);
            }
            return (ty, Some(span));
        }
        if let Some(entry) = self.names.vars.get(name.text.as_str()).copied() {
            let (slot, ty) = entry.what;
            self.resolve_to(name, Res::StateVar(slot));
            self.record(name.id, name.span, ty);
            return (ty, Some(entry.span));
        }
        self.unknown_variable(name);
        (ERROR, None)
    }

    fn not_assignable(&mut self, name: &Name, bound: Span) {
        let report = Diagnostic::error(name.span, format!("`{}` cannot be assigned to", name.text));
        let report = report.label("expected a variable").also(bound, "it is bound here and cannot be changed");
        self.report(match self.names.vars.get(name.text.as_str()) {
            Some(entry) => report.also(entry.span, "it hides the variable of this name"),
            None => report.help(format!("`var {} = …;` declares a variable", name.text)),
        });
    }

    fn unknown_variable(&mut self, name: &Name) {
        let report = Diagnostic::error(name.span, format!("there is no variable `{}`", name.text));
        let report = report.label("expected a variable");
        let constant = self.names.values.get(name.text.as_str());
        let known = self.scope.names().chain(self.names.vars.keys().copied());
        let near = super::names::nearest(&name.text, known);
        self.report_missing(match (constant, near) {
            (Some(entry), _) => report.also(entry.span, "this is not a variable"),
            (None, Some(near)) => report.help(format!("did you mean `{near}`?")),
            (None, None) => report.help(format!("`var {} = …;` declares one", name.text)),
        });
    }

    fn proc_call(&mut self, name: &'a Name, args: &'a [Expr], span: Span) {
        self.in_unit(|checker| checker.call_of_proc(name, args, span));
    }

    fn call_of_proc(&mut self, name: &'a Name, args: &'a [Expr], span: Span) {
        match self.names.procs.get(name.text.as_str()).copied() {
            Some(entry) => {
                self.resolve_to(name, Res::Proc(entry.what));
                self.effects.calls.push((entry.what, span));
                self.procs_run.insert(entry.what);
                let params = self.proc_params[entry.what as usize].clone();
                self.arguments(name, args, &params, span, Some(entry.span));
            }
            None => {
                self.synthesize_all(args);
                self.unknown_proc(name);
            }
        }
    }

    fn unknown_proc(&mut self, name: &Name) {
        let function = self.names.values.get(name.text.as_str()).map(|entry| entry.span);
        if function.is_some() || name.text == "len" {
            let report = Diagnostic::error(name.span, format!("the value of `{}(…)` is not used", name.text));
            let report = report.label("expected a proc, or a use of the value");
            self.report(report.help("only `:=` changes anything: `x := …;`"));
            return;
        }
        let report = Diagnostic::error(name.span, format!("there is no proc `{}`", name.text));
        let report = report.label("expected a proc of this protocol");
        self.report_missing(match super::names::nearest(&name.text, self.names.procs.keys().copied()) {
            Some(near) => report.help(format!("did you mean `{near}`?")),
            None => report,
        });
    }

    /// Notes that the body replies, calls, yields or expects; reports it where it may not.
    fn effect(&mut self, effect: Effect, span: Span) {
        match self.body {
            Body::Proc(_) => self.effects.own.push((effect, span)),
            body => {
                if let Some(report) = super::effect::forbidden(effect, body, span) {
                    self.report(report);
                }
            }
        }
    }
}
