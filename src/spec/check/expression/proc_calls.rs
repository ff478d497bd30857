//! Calls that run other code in the middle of a body: calls of procs and peers as a statement or as an entire right side; and `return`.
//!
//! `let id = fresh();` runs a proc that returns a value, `let answer = call origin(key), q;` waits for a peer. Inside of an expression both
//! are errors, since the reader would not see when they happen.

use super::call::{arguments, returns_value};
use super::collection::{ElementSources, clauses};
use super::construct::Application;
use crate::diagnostic::Span;
use crate::spec::check::checked::Res;
use crate::spec::check::context::{Checker, Want};
use crate::spec::check::declaration::names::{Declared, PeerType};
use crate::spec::check::report::{did_you_mean, helped, mistake};
use crate::spec::check::statement::effect::{BodyEffect, BodyKind};
use crate::spec::types::{ERROR, INT, Type, TypeId};
use crate::syntax::ast::{Clause, Expr, ExprKind, Name};

/// The collections that calls of several peers iterate over.
const KEYS: ElementSources = ElementSources::AnyOrder("`call`");

/// Checks the right side of `let`, `var` or `:=`: a `call` may stand there, and a proc that returns a value.
pub(crate) fn right_side<'a>(cx: &mut Checker<'a>, value: &'a Expr, want: Option<Want>) {
    let want = want.unwrap_or_else(|| Want::of(cx.fresh(value.span)));
    let span = value.span;
    let ty = match &value.kind {
        ExprKind::PeerCall { peer, args, message } => {
            cx.effect(BodyEffect::Call, span);
            peer_call(cx, Application { name: peer, args: Some(args), span }, message)
        }
        ExprKind::PeerCalls { least, peer, args, clauses, message } => {
            cx.effect(BodyEffect::Call, span);
            if let Some(least) = least {
                cx.check(least, Want::of(INT));
            }
            peer_calls(cx, Application { name: peer, args: Some(args), span }, clauses, message)
        }
        ExprKind::Call { name, args } if returns_value(cx, name) => {
            called_proc(cx, Application { name, args: Some(args), span }).unwrap_or(ERROR)
        }
        _ => {
            cx.check(value, want);
            return;
        }
    };
    cx.found(value.id, span, ty, want);
}

/// `p(..);`
pub(crate) fn run_proc<'a>(cx: &mut Checker<'a>, call: Application<'a>) {
    if !cx.members.procs.contains_key(call.name.text.as_str()) {
        cx.synthesize_all(call.args.unwrap_or_default());
        return unknown_proc(cx, call.name);
    }
    if called_proc(cx, call).is_some() {
        let name = &call.name.text;
        let message = format!("the value of `{name}(…)` is not used");
        let report = mistake(call.name.span, message, "expected a proc without a value, or a use of the value");
        cx.report(report.help(format!("to drop it, write `let _ = {name}(…);`")));
    }
}

/// The type of the value that a called proc returns, if it is declared and returns one.
fn called_proc<'a>(cx: &mut Checker<'a>, call: Application<'a>) -> Option<TypeId> {
    let declared = cx.members.procs.get(call.name.text.as_str()).cloned()?;
    let proc = declared.what;
    cx.resolve_to(call.name, Res::Proc(proc.number));
    cx.effects.calls.push((proc.number, call.span));
    cx.members.procs_run.insert(proc.number);
    arguments(cx, call, &proc.params, Some(declared.span));
    proc.result
}

fn unknown_proc(cx: &mut Checker, name: &Name) {
    if cx.names.values.contains_key(name.text.as_str()) || name.text == "len" {
        let message = format!("the value of `{}(…)` is not used", name.text);
        let report = mistake(name.span, message, "expected a proc, or a use of the value");
        cx.report(report.help("only `:=` changes anything: `x := …;`"));
        return;
    }
    let near = did_you_mean(&name.text, cx.members.procs.keys().copied());
    let message = format!("there is no proc `{}`", name.text);
    cx.report_missing(helped(mistake(name.span, message, "expected a proc of this protocol"), near));
}

/// `return;` and `return e;`
pub(crate) fn return_value<'a>(cx: &mut Checker<'a>, value: Option<&'a Expr>, span: Span) {
    match (value, cx.result) {
        (Some(value), Some(want)) => {
            cx.in_unit(|cx| cx.check(value, want));
        }
        (Some(value), None) => {
            cx.in_unit(|cx| cx.synthesize(value));
            unwanted_value(cx, value.span);
        }
        (None, Some(want)) => {
            let expected = format!("expected `return e;` with a value of type {}", cx.show(want.ty));
            let report = mistake(span, "a `return` without a value", expected);
            let report = want.because.iter().fold(report, |report, &(place, because)| report.also(place, because));
            cx.report(report);
        }
        (None, None) => {}
    }
}

/// Reports a value after `return` in a body that does not return one.
fn unwanted_value(cx: &mut Checker, span: Span) {
    let (message, help) = match cx.body {
        BodyKind::Proc => ("this proc does not return a value", "one that does is declared `proc p(…): T { … }`"),
        BodyKind::Request => ("a handler does not return a value", "`reply e;` answers the request"),
        BodyKind::Connection => ("a handler does not return a value", "`send c, e;` sends a message"),
        BodyKind::Restart => {
            ("`on restart` does not return a value", "what it loses is assigned to a variable: `x := e;`")
        }
        _ => ("a step does not return a value", "what it computes is assigned to a variable: `x := e;`"),
    };
    cx.report(mistake(span, message, "expected `return;`").help(help));
}

/// The type of `call p(k), e` or `call p, e`, an option of the answer.
fn peer_call<'a>(cx: &mut Checker<'a>, call: Application<'a>, message: &'a Expr) -> TypeId {
    let Some(declared) = peer(cx, call.name) else {
        cx.synthesize_all(call.args.unwrap_or_default());
        cx.synthesize(message);
        return ERROR;
    };
    let peer = declared.what;
    if peer.key.is_none() == call.args.unwrap_or_default().is_empty() {
        arguments(cx, call, peer.key.as_slice(), Some(declared.span));
    } else {
        wrong_key(cx, call, declared);
    }
    check_message(cx, message, declared);
    cx.types.option(peer.response)
}

/// The type of `call all p(k) for k in l, e` or `call any n of p(k) for k in l, e`: the answers by their keys.
fn peer_calls<'a>(cx: &mut Checker<'a>, call: Application<'a>, over: &'a [Clause], message: &'a Expr) -> TypeId {
    let declared = peer(cx, call.name);
    cx.scoped(|cx| {
        clauses(cx, over, KEYS);
        let Some(declared) = declared else {
            cx.synthesize_all(call.args.unwrap_or_default());
            cx.synthesize(message);
            return ERROR;
        };
        let Some(key) = declared.what.key else {
            wrong_key(cx, call, declared);
            check_message(cx, message, declared);
            return ERROR;
        };
        arguments(cx, call, &[key], Some(declared.span));
        check_message(cx, message, declared);
        cx.build(Type::Map(key, declared.what.response))
    })
}

fn check_message<'a>(cx: &mut Checker<'a>, message: &'a Expr, peer: Declared<PeerType>) {
    cx.check(message, Want::since(peer.what.request, peer.span, "the peer takes this type"));
}

/// The declaration of a peer; notes it as the meaning of the name.
fn peer(cx: &mut Checker, name: &Name) -> Option<Declared<PeerType>> {
    let declared = cx.members.peers.get(name.text.as_str()).copied();
    match declared {
        Some(declared) => cx.resolve_to(name, Res::Peer(declared.what.number)),
        None => {
            let near = did_you_mean(&name.text, cx.members.peers.keys().copied());
            let declare = || format!("declare it: `peer {}(key: T): Request -> Response;`", name.text);
            let missing = format!("there is no peer `{}`", name.text);
            let report = mistake(name.span, missing, "expected a peer of this protocol");
            cx.report_missing(report.help(near.unwrap_or_else(declare)));
        }
    }
    declared
}

/// Reports a peer that is called with a key although it has none, or without its key.
fn wrong_key<'a>(cx: &mut Checker<'a>, call: Application<'a>, peer: Declared<PeerType>) {
    let name = &call.name.text;
    cx.synthesize_all(call.args.unwrap_or_default());
    let report = match peer.what.key {
        Some(key) => {
            let expected = format!("expected `call {name}(key), …` with a key of type {}", cx.show(key));
            mistake(call.name.span, format!("the peer `{name}` is called without its key"), expected)
        }
        None => {
            let report = mistake(call.name.span, format!("the peer `{name}` has no key"), "expected a peer with a key");
            report.help(format!("it is one server: `call {name}, …`"))
        }
    };
    cx.report(report.also(peer.span, "it is declared here"));
}
