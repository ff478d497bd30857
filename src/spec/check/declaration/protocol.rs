//! Protocols: first their declarations, then the bodies of their members.
//!
//! The members of `protocol kv { request R; response S; var m: map<string, int> = {}; on Get(k) { .. }` may refer to each other in any
//! order, but an initial value only reads variables that are declared before it.

use super::declare_params;
use super::generate::generate;
use super::http::http_forms;
use super::listed::lint;
use super::names::{Members, PeerType, ProcType, declare_in};
use super::resolve_types::denote;
use crate::diagnostic::{Diagnostic, Span};
use crate::spec::check::checked::{Handler, Peer, Proc, Protocol, StepDef, VarDef};
use crate::spec::check::context::{Checker, Want};
use crate::spec::check::expression::choice::without_choices;
use crate::spec::check::expression::chosen::lint_chosen;
use crate::spec::check::report::mistake;
use crate::spec::check::statement::body::{bind_params, body};
use crate::spec::check::statement::duty::PatternCheck;
use crate::spec::check::statement::effect::{BodyKind, Effects, forbidden_calls};
use crate::spec::check::statement::flow::lint_protocol_flow;
use crate::spec::check::statement::locals::Binder;
use crate::spec::check::statement::pattern::pattern;
use crate::spec::check::statement::{block, unit, unit_condition};
use crate::spec::types::{CLIENT, ERROR, Type, TypeId, Types};
use crate::syntax::ast::{Member, MemberKind, Name, Scheduling, Trigger, TypeExpr};

/// Checks a protocol and adds it to those of the load.
pub(crate) fn protocol<'a>(cx: &mut Checker<'a>, scheduling: Scheduling, name: &'a Name, members: &'a [Member]) {
    cx.members = Members::default();
    cx.tables.set_span(name.id, name.span);
    let errors = cx.errors();
    let request = port(cx, members, "request", name);
    let response = port(cx, members, "response", name);
    cx.answer = response.map_or_else(Want::default, |(ty, span)| Want::since(ty, span, "the response type"));
    let mut protocol = Protocol {
        name,
        scheduling,
        request: request.map_or(ERROR, |port| port.0),
        response: response.map_or(ERROR, |port| port.0),
        vars: Vec::new(),
        handlers: Vec::new(),
        procs: Vec::new(),
        steps: Vec::new(),
        peers: Vec::new(),
        http: None,
        generate: None,
    };
    for member in members {
        declare_member(cx, member, &mut protocol);
    }
    generate(cx, members, &mut protocol);
    restarts(cx, &protocol);
    member_bodies(cx, &protocol);
    if cx.errors() == errors {
        lint_protocol(cx, &protocol);
        let found = lint_chosen(&cx.types, &cx.tables, &cx.functions, &protocol, members);
        found.into_iter().for_each(|report| cx.report(report));
    }
    cx.protocols.push(protocol);
}

/// The type of `request T;` or `response T;`, which must be there exactly once, and its place.
fn port(cx: &mut Checker, members: &[Member], word: &str, protocol: &Name) -> Option<(TypeId, Span)> {
    let mut found = members.iter().filter_map(|member| match (&member.kind, word) {
        (MemberKind::Request(ty), "request") | (MemberKind::Response(ty), "response") => Some((ty, member.span)),
        _ => None,
    });
    let Some((written, first)) = found.next() else {
        let message = format!("the protocol `{}` has no {word} type", protocol.text);
        cx.report_missing(mistake(protocol.span, message, format!("expected `{word} T;` among its members")));
        return None;
    };
    for (_, span) in found {
        let report = mistake(span, format!("a second {word} type"), "expected only one");
        cx.report(report.also(first, "it is declared here"));
    }
    Some((sent_type(cx, written), written.span))
}

/// The type of a message; reports a type whose values have no unambiguous JSON form.
fn sent_type(cx: &mut Checker, written: &TypeExpr) -> TypeId {
    let (ty, span) = (denote(cx, written), written.span);
    let types = &cx.types;
    let twice = |of: &Type| matches!(of, Type::Option(of) if matches!(types.get(*of), Type::Option(_)));
    let double = types.find(ty, &mut { twice });
    let client = types.find(ty, &mut |of| *of == Type::Client);
    let ambiguous = types.is_option_of_json(ty) || types.find(ty, &mut |of| holds_ambiguous(types, of)).is_some();
    if let Some(double) = double {
        let message = format!("`{}` has no JSON form", types.name(double));
        cx.error(span, message, "expected no option inside an option: both are `null`");
    }
    if ambiguous {
        let expected = "expected it only as a named field: elsewhere `None` and the value `null` would both be `null`";
        let report = mistake(span, "`option<json>` has no JSON form here", expected);
        cx.report(report.help("in `{ f: option<json> }`, `None` is a missing field"));
    }
    if client.is_some() {
        cx.error(span, "`client` has no JSON form", "expected a type without `client`");
    }
    ty
}

fn declare_member<'a>(cx: &mut Checker<'a>, member: &'a Member, protocol: &mut Protocol<'a>) {
    cx.tables.set_span(member.id, member.span);
    match &member.kind {
        MemberKind::Request(_) | MemberKind::Response(_) | MemberKind::Generate(_) => {}
        MemberKind::Var { name, ty, value } => {
            let ty = denote(cx, ty);
            cx.reports.extend(declare_in(&mut cx.members.vars, name, (protocol.vars.len() as u32, ty)).err());
            cx.record(name.id, name.span, ty);
            protocol.vars.push(VarDef { name, ty, value });
        }
        MemberKind::On { trigger, from, guard, body } => {
            let (from, guard) = (from.as_ref(), guard.as_ref());
            protocol.handlers.push(Handler { id: member.id, trigger, from, guard, body });
        }
        MemberKind::Proc { name, params, result, body } => {
            let params = declare_params(cx, params);
            let result = result.as_ref().map(|result| (denote(cx, result), result.span));
            let declared = ProcType {
                number: protocol.procs.len() as u32,
                params: params.iter().map(|param| param.ty).collect(),
                result: result.map(|result| result.0),
            };
            cx.reports.extend(declare_in(&mut cx.members.procs, name, declared).err());
            protocol.procs.push(Proc { name, params, result, body });
        }
        MemberKind::Step(body) => protocol.steps.push(StepDef { id: member.id, body }),
        MemberKind::Peer { name, key, request, response } => {
            let key = key.as_ref().map(|key| sent_type(cx, &key.ty));
            let [request, response] = [request, response].map(|ty| sent_type(cx, ty));
            let declared = PeerType { number: protocol.peers.len() as u32, key, request, response };
            cx.reports.extend(declare_in(&mut cx.members.peers, name, declared).err());
            protocol.peers.push(Peer { name, key, request, response });
        }
        MemberKind::Http(lines) => {
            if protocol.http.is_some() {
                cx.error(member.span, "a second `http` block", "expected only one");
            }
            protocol.http = Some(http_forms(cx, lines, member.span, [protocol.request, protocol.response]));
        }
    }
}

/// Reports every `on restart` but the first.
fn restarts(cx: &mut Checker, protocol: &Protocol) {
    let mut found = protocol.handlers.iter().filter_map(|handler| match handler.trigger {
        Trigger::Restart(span) => Some(*span),
        Trigger::Request(_) | Trigger::Open(_) | Trigger::Close(_) => None,
    });
    let Some(first) = found.next() else { return };
    for span in found {
        let report = mistake(span, "a second `on restart`", "expected only one: it runs once at each restart");
        cx.report(
            report
                .also(first, "the first one is here")
                .help("`either { … } or { … }` says that one of several may happen"),
        );
    }
}

fn member_bodies<'a>(cx: &mut Checker<'a>, protocol: &Protocol<'a>) {
    for (slot, var) in protocol.vars.iter().enumerate() {
        let want = Want::since(var.ty, var.name.span, "the variable has this type");
        body(cx, BodyKind::Initial(slot as u32), |cx| unit(cx, var.value, want));
    }
    let mut procs = Vec::new();
    for proc in &protocol.procs {
        cx.result = proc.result.map(|(ty, span)| Want::since(ty, span, "the proc has this result type"));
        procs.push(body(cx, BodyKind::Proc, |cx| {
            bind_params(cx, &proc.params);
            block(cx, proc.body);
        }));
    }
    cx.result = None;
    let mut others = Vec::new();
    for handler in &protocol.handlers {
        others.push(self::handler(cx, handler, protocol.request));
    }
    for step in &protocol.steps {
        others.push((BodyKind::Step, body(cx, BodyKind::Step, |cx| block(cx, step.body))));
    }
    others.append(&mut cx.afterwards);
    cx.reports.extend(forbidden_calls(&procs, &others));
}

fn handler<'a>(cx: &mut Checker<'a>, handler: &Handler<'a>, request: TypeId) -> (BodyKind, Effects) {
    let kind = match handler.trigger {
        Trigger::Request(_) => BodyKind::Request,
        Trigger::Open(_) | Trigger::Close(_) => BodyKind::Connection,
        Trigger::Restart(_) => BodyKind::Restart,
    };
    let effects = body(cx, kind, |cx| {
        if let Trigger::Request(fits) = handler.trigger {
            cx.in_unit(|cx| pattern(cx, fits, request));
        }
        if let Some(from) = handler.from {
            if kind == BodyKind::Restart {
                cx.error(from.span, "a restart has no client", "expected `on restart { … }`");
            }
            cx.bind(from, CLIENT, Binder::Client);
        }
        if let Some(guard) = handler.guard {
            without_choices(cx, "the guard of a handler", |cx| unit_condition(cx, guard));
        }
        block(cx, handler.body);
    });
    (kind, effects)
}

/// Warns about a protocol without errors.
fn lint_protocol<'a>(cx: &mut Checker<'a>, protocol: &Protocol<'a>) {
    for (slot, var) in (0..).zip(&protocol.vars) {
        if !cx.members.vars_read.contains(&slot) && !var.name.text.starts_with('_') {
            let message = format!("the variable `{}` is never read", var.name.text);
            let help = format!("if this is intentional, write `_{}`", var.name.text);
            cx.report(Diagnostic::warning(var.name.span, message).help(help));
        }
    }
    for (index, proc) in (0..).zip(&protocol.procs) {
        if !cx.members.procs_run.contains(&index) && !proc.name.text.starts_with('_') {
            let message = format!("the proc `{}` is never called", proc.name.text);
            cx.report(Diagnostic::warning(proc.name.span, message));
        }
    }
    let lists: Vec<Diagnostic> = cx.consts.iter().filter_map(|constant| lint(&cx.types, constant)).collect();
    lists.into_iter().for_each(|report| cx.report(report));
    cx.duties.push(PatternCheck::handlers(protocol));
    lint_protocol_flow(cx, protocol);
}

/// Tests whether values of a type directly hold an `option<json>` outside of a named field, so that `null` is ambiguous.
fn holds_ambiguous(types: &Types, ty: &Type) -> bool {
    let is = |part: &TypeId| types.is_option_of_json(*part);
    match ty {
        Type::List(of) | Type::Set(of) => is(of),
        Type::Map(key, value) => is(key) || is(value),
        Type::Tuple(of) => of.iter().any(is),
        Type::Enum(index) => {
            let mut fields = types.enums[*index as usize].variants.iter().flat_map(|variant| &variant.fields);
            fields.any(|(name, part)| name.is_none() && is(part))
        }
        // Any option of such an option is an option of an option, which is reported already.
        Type::Option(_) | Type::Struct(_) => false,
        Type::Unit | Type::Int | Type::Bool | Type::Str | Type::Bytes => false,
        Type::Client | Type::Json | Type::Token(_) | Type::Error => false,
    }
}
