//! Protocols: their declarations, and then the bodies of their members.
//!
//! The members of `protocol kv { request R; response S; var m: map<string, int> = {}; on Get(k) { .. } }` see each other
//! in any order, but an initial value reads only variables that are declared before.

use super::checked::{Handler, Param, Peer, Proc, Protocol, Step, Var};
use super::context::{Body, Checker, Choices, Want};
use super::declare::declare_in;
use super::duty::Duty;
use super::effect::Effects;
use super::scope::Binder;
use crate::diagnostic::{Diagnostic, Span};
use crate::spec::types::{CLIENT, ERROR, Type, TypeId, Types};
use crate::syntax::ast::{Block, Expr, Field, Member, MemberKind, Name, Scheduling, Trigger, TypeExpr};

/// The type of a protocol's requests or answers, and where it is written.
type Port = Option<(TypeId, Span)>;

impl<'a> Checker<'a> {
    /// Checks a protocol and adds it to those of the load.
    pub(super) fn protocol(&mut self, scheduling: Scheduling, name: &'a Name, members: &'a [Member]) {
        self.begin_protocol();
        self.tables.set_span(name.id, name.span);
        let errors = self.errors();
        let request = self.port(members, "request", name);
        let response = self.port(members, "response", name);
        let port = |port: Port| port.map_or(ERROR, |port| port.0);
        let mut protocol = Protocol {
            name,
            scheduling,
            request: port(request),
            response: port(response),
            vars: Vec::new(),
            handlers: Vec::new(),
            procs: Vec::new(),
            steps: Vec::new(),
            peers: Vec::new(),
        };
        for member in members {
            self.declare_member(member, &mut protocol);
        }
        self.answer = match response {
            Some((ty, span)) => Want::since(ty, span, "the response type"),
            None => Want::of(ERROR),
        };
        self.member_bodies(&protocol);
        if self.errors() == errors {
            self.lint_protocol(&protocol);
        }
        self.protocols.push(protocol);
    }

    fn begin_protocol(&mut self) {
        self.names.vars.clear();
        self.names.procs.clear();
        self.names.peers.clear();
        self.vars_read.clear();
        self.procs_run.clear();
        self.peer_types.clear();
        self.proc_params.clear();
    }

    /// `request T;` or `response T;`, which must be there once.
    fn port(&mut self, members: &'a [Member], word: &str, protocol: &Name) -> Port {
        let mut found: Vec<(&'a TypeExpr, Span)> = Vec::new();
        for member in members {
            match &member.kind {
                MemberKind::Request(ty) if word == "request" => found.push((ty, member.span)),
                MemberKind::Response(ty) if word == "response" => found.push((ty, member.span)),
                _ => {}
            }
        }
        let Some((first, more)) = found.split_first() else {
            let report =
                Diagnostic::error(protocol.span, format!("the protocol `{}` has no {word} type", protocol.text));
            self.report_missing(report.label(format!("expected `{word} T;` among its members")));
            return None;
        };
        for (_, span) in more {
            let report = Diagnostic::error(*span, format!("a second {word} type")).label("expected only one");
            self.report(report.also(first.1, "it is declared here"));
        }
        let ty = self.denote(first.0);
        self.check_travels(ty, first.0.span);
        Some((ty, first.0.span))
    }

    /// Checks that a type of what is sent has a JSON form that says what it is, and reports it if not.
    fn check_travels(&mut self, ty: TypeId, span: Span) {
        let types = &self.types;
        let twice = |of: &Type| matches!(of, Type::Option(of) if matches!(types.get(*of), Type::Option(_)));
        let double = types.find(ty, &mut { twice });
        let client = types.find(ty, &mut |of| *of == Type::Client);
        let ambiguous = types.is_option_of_json(ty) || types.find(ty, &mut |of| holds_ambiguous(types, of)).is_some();
        if let Some(double) = double {
            let message = format!("`{}` has no JSON form", types.name(double));
            let report = Diagnostic::error(span, message).label("expected no option inside an option: both are `null`");
            self.report(report);
        }
        if ambiguous {
            let report = Diagnostic::error(span, "`option<json>` has no JSON form here");
            let label = "expected it only as a named field: elsewhere `None` and the value `null` would both be `null`";
            self.report(report.label(label).help("in `{ f: option<json> }`, `None` is a missing field"));
        }
        if client.is_some() {
            let report = Diagnostic::error(span, "`client` has no JSON form");
            self.report(report.label("expected a type without `client`"));
        }
    }

    fn declare_member(&mut self, member: &'a Member, protocol: &mut Protocol<'a>) {
        self.tables.set_span(member.id, member.span);
        match &member.kind {
            MemberKind::Request(_) | MemberKind::Response(_) => {}
            MemberKind::Var { name, ty, value } => {
                let (ty, slot) = (self.denote(ty), protocol.vars.len() as u32);
                let clash = declare_in(&mut self.names.vars, name, (slot, ty));
                self.reports.extend(clash);
                self.record(name.id, name.span, ty);
                protocol.vars.push(Var { name, ty, value });
            }
            MemberKind::On { trigger, from, guard, body } => {
                let (from, guard) = (from.as_ref(), guard.as_ref());
                protocol.handlers.push(Handler { id: member.id, trigger, from, guard, body });
            }
            MemberKind::Proc { name, params, body } => self.declare_proc(name, params, body, protocol),
            MemberKind::Step(body) => protocol.steps.push(Step { id: member.id, body }),
            MemberKind::Peer { name, key, request, response } => {
                let (index, key) = (protocol.peers.len() as u32, self.peer_type(&key.ty));
                let (request, response) = (self.peer_type(request), self.peer_type(response));
                let clash = declare_in(&mut self.names.peers, name, index);
                self.reports.extend(clash);
                self.peer_types.push((key, request, response));
                protocol.peers.push(Peer { name, key, request, response });
            }
        }
    }

    fn peer_type(&mut self, written: &'a TypeExpr) -> TypeId {
        let ty = self.denote(written);
        self.check_travels(ty, written.span);
        ty
    }

    fn declare_proc(&mut self, name: &'a Name, params: &'a [Field], body: &'a Block, protocol: &mut Protocol<'a>) {
        let index = protocol.procs.len() as u32;
        let params = self.declare_params(params);
        let clash = declare_in(&mut self.names.procs, name, index);
        self.reports.extend(clash);
        self.proc_params.push(params.iter().map(|param| param.ty).collect());
        protocol.procs.push(Proc { name, params, body });
    }

    fn member_bodies(&mut self, protocol: &Protocol<'a>) {
        for (slot, var) in protocol.vars.iter().enumerate() {
            let want = Want::since(var.ty, var.name.span, "the variable has this type");
            self.expression_body(Body::Initial(slot as u32), Choices::Allowed, &[], var.value, want);
        }
        let mut procs = Vec::new();
        for (index, proc) in protocol.procs.iter().enumerate() {
            procs.push(self.block_body(Body::Proc(index as u32), |checker| {
                checker.bind_params(&proc.params);
                checker.block(proc.body);
            }));
        }
        let mut others = Vec::new();
        for handler in &protocol.handlers {
            let body = match handler.trigger {
                Trigger::Request(_) => Body::Request,
                Trigger::Open(_) | Trigger::Close(_) => Body::Connection,
            };
            let request = protocol.request;
            others.push((body, self.block_body(body, |checker| checker.handler(handler, request, body))));
        }
        for step in &protocol.steps {
            others.push((Body::Step, self.block_body(Body::Step, |checker| checker.block(step.body))));
        }
        self.check_effects(&procs, &others);
    }

    fn handler(&mut self, handler: &Handler<'a>, request: TypeId, body: Body) {
        if let Trigger::Request(pattern) = handler.trigger {
            self.unit_pattern(pattern, request);
        }
        if let Some(from) = handler.from {
            self.bind(from, CLIENT, Binder::Client);
        }
        if let Some(guard) = handler.guard {
            self.body = Body::Guard;
            self.without_choices("the guard of a handler", |checker| checker.unit_condition(guard));
            self.body = body;
        }
        self.block(handler.body);
    }

    /// Makes parameters visible.
    pub(super) fn bind_params(&mut self, params: &[Param<'a>]) {
        for param in params {
            self.bind(param.name, param.ty, Binder::Parameter);
        }
    }

    /// Checks the body of a constant, a function or an initial value.
    pub(super) fn expression_body(
        &mut self,
        body: Body,
        choices: Choices,
        params: &[Param<'a>],
        expr: &'a Expr,
        want: Want,
    ) {
        self.choices = choices;
        self.block_body(body, |checker| {
            checker.bind_params(params);
            checker.unit(expr, Some(want));
        });
        self.choices = Choices::Allowed;
    }

    /// Checks a body in a scope of its own. Where it has errors, nothing is said about what is only doubtful.
    fn block_body(&mut self, body: Body, work: impl FnOnce(&mut Self)) -> Effects {
        let (reports, duties) = (self.reports.len(), self.duties.len());
        self.scope.clear();
        self.body = body;
        self.tainted = false;
        self.effects = Effects::default();
        let mark = self.scope.mark();
        work(self);
        self.end_scope(mark);
        if self.tainted || self.reports[reports..].iter().any(Diagnostic::is_error) {
            let found = self.reports.split_off(reports);
            self.reports.extend(found.into_iter().filter(Diagnostic::is_error));
            let duties = self.duties.split_off(duties);
            self.duties.extend(duties.into_iter().filter(Duty::is_error));
        }
        std::mem::take(&mut self.effects)
    }

    /// Findings about a protocol without errors.
    fn lint_protocol(&mut self, protocol: &Protocol<'a>) {
        for (slot, var) in protocol.vars.iter().enumerate() {
            if !self.vars_read.contains(&(slot as u32)) && !var.name.text.starts_with('_') {
                let message = format!("the variable `{}` is never read", var.name.text);
                let report = Diagnostic::warning(var.name.span, message);
                self.report(report.help(format!("if this is intentional, write `_{}`", var.name.text)));
            }
        }
        for (index, proc) in protocol.procs.iter().enumerate() {
            if !self.procs_run.contains(&(index as u32)) && !proc.name.text.starts_with('_') {
                let report =
                    Diagnostic::warning(proc.name.span, format!("the proc `{}` is never called", proc.name.text));
                self.report(report);
            }
        }
        self.duties.push(Duty::handlers(protocol));
        self.lint_flow(protocol);
    }
}

/// Tests whether values of a type directly hold an `option<json>` that is no named field, so that `null` says two things.
fn holds_ambiguous(types: &Types, ty: &Type) -> bool {
    let is = |part: &TypeId| types.is_option_of_json(*part);
    match ty {
        Type::List(of) | Type::Set(of) => is(of),
        Type::Map(key, value) => is(key) || is(value),
        Type::Tuple(of) => of.iter().any(is),
        Type::Enum(index) => {
            let fields = types.enums[*index as usize].variants.iter().flat_map(|variant| &variant.fields);
            fields.into_iter().any(|(name, part)| name.is_none() && is(part))
        }
        // An option of one is an option of an option, which has no JSON form anywhere.
        Type::Option(_) | Type::Struct(_) => false,
        Type::Unit | Type::Int | Type::Bool | Type::Str | Type::Bytes => false,
        Type::Client | Type::Json | Type::Token(_) | Type::Error => false,
    }
}
