//! Statements: each is a unit of inference; some are only allowed in some kinds of bodies.
//!
//! `reply 0;` checks `0` against the response type, in the handler of a request or in a proc.

pub(crate) mod body;
pub(crate) mod duty;
pub(crate) mod effect;
pub(crate) mod flow;
pub(crate) mod lint;
pub(crate) mod locals;
pub(crate) mod pattern;
pub(crate) mod useful;

use super::checked::Res;
use super::context::{Checker, Want};
use super::declaration::resolve_types::denote;
use super::expression::collection::{ElementSources, elements, indexed};
use super::expression::construct::Application;
use super::expression::proc_calls::{return_value, right_side, run_proc};
use super::expression::record::field_of;
use super::report::{did_you_mean, mistake};
use crate::spec::types::{BOOL, CLIENT, ERROR, TypeId};
use crate::syntax::ast::{Block, Expr, Name, PlaceExpr, PlaceRoot, PlaceStep, Statement, StatementKind, TypeExpr};
use duty::PatternCheck;
use effect::{BodyEffect, BodyKind, forbidden_after_answer};
use lint::lint_loop;
use locals::Binder;
use pattern::{binder, pattern};

/// Checks a block; its names are visible to its end.
pub(super) fn block<'a>(cx: &mut Checker<'a>, block: &'a Block) {
    cx.scoped(|cx| {
        for one in &block.statements {
            cx.tables.set_span(one.id, one.span);
            statement(cx, one);
        }
    });
}

/// Checks an expression as a unit of its own.
pub(super) fn unit<'a>(cx: &mut Checker<'a>, expr: &'a Expr, want: Want) {
    cx.in_unit(|cx| cx.check(expr, want));
}

/// Checks a condition as a unit; the names that `is` binds in it stay visible.
pub(super) fn unit_condition<'a>(cx: &mut Checker<'a>, expr: &'a Expr) {
    cx.in_unit(|cx| cx.condition(expr));
}

fn statement<'a>(cx: &mut Checker<'a>, statement: &'a Statement) {
    let span = statement.span;
    match &statement.kind {
        StatementKind::Let { pattern, ty, value } => {
            let ty = initial(cx, ty.as_ref(), value);
            cx.in_unit(|cx| binder(cx, pattern, ty));
        }
        StatementKind::Var { name, ty, value } => {
            let ty = initial(cx, ty.as_ref(), value);
            cx.bind(name, ty, Binder::Variable);
        }
        StatementKind::Assign { place, value } => cx.in_unit(|cx| {
            let want = self::place(cx, place);
            right_side(cx, value, Some(want));
        }),
        StatementKind::ProcCall { name, args } => {
            cx.in_unit(|cx| run_proc(cx, Application { name, args: Some(args), span }))
        }
        StatementKind::PeerCall(call) => cx.in_unit(|cx| right_side(cx, call, None)),
        StatementKind::If { condition, then, otherwise } => {
            cx.scoped(|cx| {
                unit_condition(cx, condition);
                block(cx, then);
            });
            otherwise.iter().for_each(|otherwise| block(cx, otherwise));
        }
        StatementKind::Match { subject, arms } => {
            cx.in_unit(|cx| cx.synthesize(subject));
            let ty = cx.tables.type_of(subject.id);
            for arm in arms {
                cx.scoped(|cx| {
                    cx.in_unit(|cx| pattern(cx, &arm.pattern, ty));
                    arm.guard.iter().for_each(|guard| unit_condition(cx, guard));
                    block(cx, &arm.body);
                });
            }
            cx.duties.push(PatternCheck::arms(subject, span, arms));
        }
        StatementKind::For { binder: element, over, body } => {
            let ty = cx.in_unit(|cx| {
                let ty = elements(cx, over, ElementSources::InOrder("for"));
                cx.close(ty)
            });
            cx.scoped(|cx| {
                cx.in_unit(|cx| binder(cx, element, ty));
                block(cx, body);
            });
        }
        StatementKind::While { condition, body } => {
            let watched = cx.scoped(|cx| {
                unit_condition(cx, condition);
                let watched = std::mem::take(&mut cx.watched);
                block(cx, body);
                watched
            });
            lint_loop(cx, condition, body, &watched);
        }
        StatementKind::Either(blocks) => blocks.iter().for_each(|alternative| block(cx, alternative)),
        StatementKind::Assume(condition) => unit(cx, condition, Want::of(BOOL)),
        StatementKind::Expects(condition) => {
            cx.effect(BodyEffect::Expects, span);
            unit(cx, condition, Want::of(BOOL));
        }
        StatementKind::Reply(answer) => {
            cx.effect(BodyEffect::Reply, span);
            unit(cx, answer, cx.answer);
        }
        StatementKind::ReplyThen { answer, then } => {
            cx.effect(BodyEffect::Reply, span);
            unit(cx, answer, cx.answer);
            after_answer(cx, then);
        }
        StatementKind::Close(client) => {
            cx.effect(BodyEffect::Close, span);
            unit(cx, client, Want::of(CLIENT));
        }
        StatementKind::Send { to, message } => {
            cx.effect(BodyEffect::Send, span);
            unit(cx, to, Want::of(CLIENT));
            unit(cx, message, cx.answer);
        }
        StatementKind::Yield => cx.effect(BodyEffect::Yield, span),
        StatementKind::Return(_) if cx.body == BodyKind::Then => cx.report(forbidden_after_answer("return", span)),
        StatementKind::Return(value) => return_value(cx, value.as_ref(), span),
        StatementKind::Error => drop(cx.taint()),
    }
}

/// Checks the block after an answer, which may have no effects except on the state.
fn after_answer<'a>(cx: &mut Checker<'a>, then: &'a Block) {
    let outer = (std::mem::replace(&mut cx.body, BodyKind::Then), std::mem::take(&mut cx.effects));
    block(cx, then);
    let own = std::mem::take(&mut cx.effects);
    cx.afterwards.push((BodyKind::Then, own));
    (cx.body, cx.effects) = outer;
}

/// The type of a new local, from what is written or from its value.
fn initial<'a>(cx: &mut Checker<'a>, ty: Option<&TypeExpr>, value: &'a Expr) -> TypeId {
    let want = ty.map(|ty| Want::since(denote(cx, ty), ty.span, "this type is written here"));
    cx.in_unit(|cx| right_side(cx, value, want));
    let ty = want.map_or_else(|| cx.tables.type_of(value.id), |want| want.ty);
    cx.check_depth(ty, value.span)
}

/// Checks the target of an assignment, and returns the type that is wanted of the value.
fn place<'a>(cx: &mut Checker<'a>, place: &'a PlaceExpr) -> Want {
    let (mut want, mut span) = match &place.root {
        PlaceRoot::Name(name) => (variable(cx, name), name.span),
        PlaceRoot::Cell(_, span) => {
            cx.error(*span, "a cell outside a machine", "expected a variable");
            (Want::of(ERROR), *span)
        }
    };
    for step in &place.path {
        let (ty, end) = match step {
            PlaceStep::Field(name) => (field_of(cx, want.ty, span, name), name.span),
            PlaceStep::Index(index) => (indexed(cx, want.ty, span, index), index.span),
        };
        (want, span) = (Want::of(ty), span.to(end));
    }
    want
}

/// The variable that is assigned to, as a whole or in part.
fn variable(cx: &mut Checker, name: &Name) -> Want {
    let vars = &cx.members.vars;
    let member = vars.get(name.text.as_str()).copied();
    let (res, ty, declared) = match (cx.locals.find(&name.text).copied(), member) {
        (Some(local), hidden) => {
            if local.binder != Binder::Variable {
                let message = format!("`{}` cannot be assigned to", name.text);
                let report = mistake(name.span, message, "expected a variable");
                let report = report.also(local.span, "it is bound here and cannot be changed");
                cx.report(match hidden {
                    Some(hidden) => report.also(hidden.span, "it hides the variable of this name"),
                    None => report.help(format!("`var {} = …;` declares a variable", name.text)),
                });
            }
            (Res::Local(local.id), local.ty, local.span)
        }
        (None, Some(member)) => (Res::StateVar(member.what.0), member.what.1, member.span),
        (None, None) => {
            unknown_variable(cx, name);
            return Want::of(ERROR);
        }
    };
    cx.resolve_to(name, res);
    cx.record(name.id, name.span, ty);
    Want::since(ty, declared, "the variable is declared here")
}

fn unknown_variable(cx: &mut Checker, name: &Name) {
    let report = mistake(name.span, format!("there is no variable `{}`", name.text), "expected a variable");
    let near = did_you_mean(&name.text, cx.locals.names().chain(cx.members.vars.keys().copied()));
    cx.report_missing(match cx.names.values.get(name.text.as_str()) {
        Some(constant) => report.also(constant.span, "this is not a variable"),
        None => report.help(near.unwrap_or_else(|| format!("`var {} = …;` declares one", name.text))),
    });
}
