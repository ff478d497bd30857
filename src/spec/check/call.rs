//! Calls: functions, the functions and methods of the language, variants with arguments, and peers.
//!
//! `m.get(k)` on a `map<K, V>` checks `k` against `K` and yields `option<V>`.

use super::checked::{Builtin, Res};
use super::context::{Checker, Need, Want};
use super::foreign;
use super::names::nearest;
use crate::diagnostic::{Diagnostic, Span};
use crate::spec::types::{BOOL, ERROR, INT, STRING, Type, TypeId};
use crate::syntax::ast::{Expr, Name, Purity};

/// A method: what it is, what it takes, what it yields.
type Signature = (Builtin, Vec<TypeId>, TypeId);

/// The methods of a type, for suggestions.
fn methods(of: &Type) -> &'static [&'static str] {
    match of {
        Type::Map(..) => &["get", "get_or", "contains", "remove", "keys", "values", "to_list"],
        Type::Set(_) => &["to_list"],
        Type::Str => &["contains", "starts_with", "ends_with", "split", "lower", "to_int"],
        Type::Bytes => &["contains", "starts_with", "ends_with"],
        Type::Int => &["to_string"],
        Type::Unit | Type::Bool | Type::Client | Type::Json | Type::Token(_) | Type::Option(_) | Type::List(_) => &[],
        Type::Tuple(_) | Type::Struct(_) | Type::Enum(_) | Type::Error => &[],
    }
}

impl<'a> Checker<'a> {
    /// `f(..)`
    pub(super) fn call(&mut self, name: &'a Name, args: &'a [Expr], span: Span, want: Want) -> TypeId {
        if let Some(Res::Function(index)) = self.names.values.get(name.text.as_str()).map(|entry| entry.what) {
            return self.call_function(index, name, args, span, want);
        }
        if name.text == "len" {
            self.resolve_to(name, Res::Builtin(Builtin::Len));
            return self.call_len(name, args, span, want);
        }
        if self.names.procs.contains_key(name.text.as_str()) {
            let report = Diagnostic::error(name.span, format!("the proc `{}` does not return a value", name.text));
            self.report(
                report
                    .label("expected a function")
                    .help(format!("call it in a statement of its own: `{}(…);`", name.text)),
            );
            self.synthesize_all(args);
            return ERROR;
        }
        self.lone_variant(name, Some(args), span, want)
    }

    fn call_function(&mut self, index: u32, name: &'a Name, args: &'a [Expr], span: Span, want: Want) -> TypeId {
        self.resolve_to(name, Res::Function(index));
        self.uses.push(Res::Function(index));
        let function = self.functions[index as usize].clone();
        if function.purity == Purity::Def {
            self.choice(span);
        }
        let params: Vec<TypeId> = function.params.iter().map(|param| param.ty).collect();
        self.arguments(name, args, &params, span, Some(function.name.span));
        self.expect(span, function.result, want)
    }

    fn call_len(&mut self, name: &'a Name, args: &'a [Expr], span: Span, want: Want) -> TypeId {
        let ty = self.fresh(span);
        self.arguments(name, args, &[ty], span, None);
        if let [of] = args {
            self.need(ty, of.span, Need::Measurable);
        }
        self.expect(span, INT, want)
    }

    /// Checks arguments against parameters, and that there are as many.
    pub(super) fn arguments(
        &mut self,
        name: &Name,
        args: &'a [Expr],
        params: &[TypeId],
        span: Span,
        declared: Option<Span>,
    ) {
        for (position, arg) in args.iter().enumerate() {
            match (params.get(position), declared) {
                (Some(&ty), Some(place)) => self.check(arg, Want::since(ty, place, "it is declared here")),
                (Some(&ty), None) => self.check(arg, Want::of(ty)),
                (None, _) => self.synthesize(arg),
            };
        }
        if args.len() != params.len() {
            let plural = if params.len() == 1 { "argument" } else { "arguments" };
            let message = format!("`{}` takes {} {plural}, found {}", name.text, params.len(), args.len());
            let types: Vec<String> = params.iter().map(|&ty| self.infer.name(&mut self.types, ty)).collect();
            let report =
                Diagnostic::error(span, message).label(format!("expected `{}({})`", name.text, types.join(", ")));
            self.report(match declared {
                Some(place) => report.also(place, "it is declared here"),
                None => report,
            });
        }
    }

    /// `e.m(..)` or `Enum.V(..)`
    pub(super) fn method(
        &mut self,
        receiver: &'a Expr,
        name: &'a Name,
        args: &'a [Expr],
        span: Span,
        want: Want,
    ) -> TypeId {
        if let Some(ty) = self.qualifier(receiver) {
            return self.qualified(ty, name, Some(args), span, want);
        }
        let ty = self.synthesize(receiver);
        let head = self.head_now(ty, receiver.span, "a value that has methods");
        match self.signature(ty, &head, name, receiver.span) {
            Some((builtin, params, result)) => {
                self.resolve_to(name, Res::Builtin(builtin));
                self.arguments(name, args, &params, span, None);
                self.expect(span, result, want)
            }
            None => {
                self.synthesize_all(args);
                if head != Type::Error {
                    self.unknown_method(ty, &head, name);
                }
                ERROR
            }
        }
    }

    fn signature(&mut self, ty: TypeId, head: &Type, name: &Name, span: Span) -> Option<Signature> {
        let method = name.text.as_str();
        match head {
            Type::Map(key, value) => self.map_signature(ty, *key, *value, method, span),
            Type::Set(of) if method == "to_list" => {
                self.need(*of, span, Need::Ordered("to_list"));
                Some((Builtin::ToList, vec![], self.build(Type::List(*of))))
            }
            Type::Str | Type::Bytes => self.text_signature(ty, head, method),
            Type::Int if method == "to_string" => Some((Builtin::ToString, vec![], STRING)),
            _ => None,
        }
    }

    fn map_signature(&mut self, ty: TypeId, key: TypeId, value: TypeId, method: &str, span: Span) -> Option<Signature> {
        match method {
            "get" => Some((Builtin::Get, vec![key], self.build(Type::Option(value)))),
            "get_or" => Some((Builtin::GetOr, vec![key, value], value)),
            "contains" => Some((Builtin::Contains, vec![key], BOOL)),
            "remove" => Some((Builtin::Remove, vec![key], ty)),
            "keys" => Some((Builtin::Keys, vec![], self.build(Type::Set(key)))),
            "values" => {
                self.need(key, span, Need::Ordered("values"));
                Some((Builtin::Values, vec![], self.build(Type::List(value))))
            }
            "to_list" => {
                self.need(key, span, Need::Ordered("to_list"));
                let pair = self.build(Type::Tuple(vec![key, value]));
                Some((Builtin::Entries, vec![], self.build(Type::List(pair))))
            }
            _ => None,
        }
    }

    fn text_signature(&mut self, ty: TypeId, head: &Type, method: &str) -> Option<Signature> {
        match method {
            "contains" => Some((Builtin::ContainsText, vec![ty], BOOL)),
            "starts_with" => Some((Builtin::StartsWith, vec![ty], BOOL)),
            "ends_with" => Some((Builtin::EndsWith, vec![ty], BOOL)),
            _ if *head == Type::Bytes => None,
            "split" => Some((Builtin::Split, vec![STRING], self.types.list(STRING))),
            "lower" => Some((Builtin::Lower, vec![], STRING)),
            "to_int" => Some((Builtin::ToInt, vec![], self.types.option(INT))),
            _ => None,
        }
    }

    fn unknown_method(&mut self, ty: TypeId, head: &Type, name: &Name) {
        let shown = self.show(ty);
        self.infer.poison(ty);
        let report = Diagnostic::error(name.span, format!("{shown} has no method `{}`", name.text));
        let known = methods(head);
        let report = match known {
            [] => report.label("expected something other than a method"),
            known => report.label(format!("expected one of `{}`", known.join("`, `"))),
        };
        let near = || nearest(&name.text, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        let report = match foreign::member(head, &name.text).map(str::to_owned).or_else(near) {
            Some(help) => report.help(help),
            None => report,
        };
        self.report(report);
    }

    /// A `call` inside of an expression.
    pub(super) fn misplaced_call(&mut self, span: Span) -> TypeId {
        let report = Diagnostic::error(span, "`call` is not allowed inside an expression");
        let report = report.label("expected it as the entire right side of `let`, `var` or `:=`, or as a statement");
        self.report(report.help("`let answer = call …;` first, and then use `answer`"));
        ERROR
    }

    /// `call p(k), e` where it may stand.
    pub(super) fn peer_call(&mut self, peer: &'a Name, args: &'a [Expr], message: &'a Expr, span: Span) -> TypeId {
        let Some(entry) = self.names.peers.get(peer.text.as_str()).copied() else {
            let report = Diagnostic::error(peer.span, format!("there is no peer `{}`", peer.text));
            let report = report.label("expected a peer of this protocol");
            self.report_missing(match nearest(&peer.text, self.names.peers.keys().copied()) {
                Some(near) => report.help(format!("did you mean `{near}`?")),
                None => report.help(format!("declare it: `peer {}(key: T): Request -> Response;`", peer.text)),
            });
            self.synthesize_all(args);
            self.synthesize(message);
            return ERROR;
        };
        self.resolve_to(peer, Res::Peer(entry.what));
        let (key, request, response) = self.peer_types[entry.what as usize];
        self.arguments(peer, args, &[key], span, Some(entry.span));
        self.check(message, Want::since(request, entry.span, "the peer takes this type"));
        self.types.option(response)
    }
}
