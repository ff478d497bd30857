//! Calls inside of expressions: functions, methods and variants with arguments. (Calls of procs and peers are in `runs`.)
//!
//! `f(1)` with `fn f(s: string): int` is one error, at `1`, which also shows the declaration of `f`.

use super::builtins::{methods, signature};
use super::choice::chooses;
use super::construct::{Application, lone_variant, qualified, qualifier};
use super::requirements::MEASURABLE;
use crate::diagnostic::Span;
use crate::spec::check::checked::{Builtin, Res};
use crate::spec::check::context::{Checker, Want};
use crate::spec::check::foreign;
use crate::spec::check::report::{did_you_mean, helped, mistake, noted};
use crate::spec::types::{ERROR, INT, Type, TypeId};
use crate::syntax::ast::{Expr, Name, Purity};

/// `f(..)`
pub(crate) fn call<'a>(cx: &mut Checker<'a>, call: Application<'a>, want: Want) -> TypeId {
    let Application { name, args, span } = call;
    if let Some(Res::Function(index)) = cx.names.values.get(name.text.as_str()).map(|declared| declared.what) {
        return call_function(cx, index, call);
    }
    if name.text == "len" {
        cx.resolve_to(name, Res::Builtin(Builtin::Len));
        let ty = cx.fresh(span);
        arguments(cx, call, &[ty], None);
        if let Some([of]) = args {
            cx.need(ty, of.span, MEASURABLE);
        }
        return INT;
    }
    if cx.members.procs.contains_key(name.text.as_str()) {
        misplaced_proc(cx, name);
        cx.synthesize_all(args.unwrap_or_default());
        return ERROR;
    }
    lone_variant(cx, call, want)
}

fn call_function<'a>(cx: &mut Checker<'a>, index: u32, call: Application<'a>) -> TypeId {
    cx.resolve_to(call.name, Res::Function(index));
    cx.uses.push(cx.consts.len() + index as usize);
    let function = cx.functions[index as usize].clone();
    if function.purity == Purity::Def {
        chooses(cx, call.span);
    }
    let params: Vec<TypeId> = function.params.iter().map(|param| param.ty).collect();
    arguments(cx, call, &params, Some(function.name.span));
    function.result
}

/// Checks the types and the number of arguments.
pub(crate) fn arguments<'a>(cx: &mut Checker<'a>, call: Application<'a>, params: &[TypeId], declared: Option<Span>) {
    const PLACE: &str = "it is declared here";
    let args = call.args.unwrap_or_default();
    for (position, arg) in args.iter().enumerate() {
        match params.get(position) {
            Some(&ty) => cx.check(arg, Want { ty, because: declared.map(|place| (place, PLACE)) }),
            None => cx.synthesize(arg),
        };
    }
    if args.len() != params.len() {
        let (name, plural) = (&call.name.text, if params.len() == 1 { "argument" } else { "arguments" });
        let message = format!("`{name}` takes {} {plural}, found {}", params.len(), args.len());
        let types: Vec<String> = params.iter().map(|&ty| cx.infer.name(&mut cx.types, ty)).collect();
        let report = mistake(call.span, message, format!("expected `{name}({})`", types.join(", ")));
        cx.report(noted(report, declared, PLACE));
    }
}

/// `e.m(..)` or `Enum.V(..)`
pub(crate) fn method<'a>(cx: &mut Checker<'a>, receiver: &'a Expr, call: Application<'a>) -> TypeId {
    if let Some(ty) = qualifier(cx, receiver) {
        return qualified(cx, ty, call);
    }
    let ty = cx.synthesize(receiver);
    let head = cx.head_now(ty, receiver.span, "a value that has methods");
    if let Some(method) = signature(cx, ty, &head, &call.name.text, receiver.span) {
        cx.resolve_to(call.name, Res::Builtin(method.builtin));
        arguments(cx, call, &method.params, None);
        return method.result;
    }
    cx.synthesize_all(call.args.unwrap_or_default());
    if head != Type::Error {
        unknown_method(cx, ty, &head, call.name);
    }
    ERROR
}

fn unknown_method(cx: &mut Checker, ty: TypeId, head: &Type, name: &Name) {
    let message = format!("{} has no method `{}`", cx.show(ty), name.text);
    cx.infer.poison(ty);
    let known = methods(head);
    let expected = match known.as_slice() {
        [] => "expected something other than a method".into(),
        [only] => format!("expected `{only}`"),
        known => format!("expected one of `{}`", known.join("`, `")),
    };
    let near = || did_you_mean(&name.text, known.iter().copied());
    let help = foreign::member(head, &name.text).map(str::to_owned).or_else(near);
    cx.report(helped(mistake(name.span, message, expected), help));
}

/// Tests whether a name calls a proc that returns a value; a function of the same name takes precedence, as in every expression.
pub(crate) fn returns_value(cx: &Checker, name: &Name) -> bool {
    let text = name.text.as_str();
    !cx.names.values.contains_key(text) && cx.members.procs.get(text).is_some_and(|proc| proc.what.result.is_some())
}

/// Reports a call of a proc inside of an expression.
fn misplaced_proc(cx: &mut Checker, name: &Name) {
    let text = &name.text;
    if returns_value(cx, name) {
        let message = format!("the proc `{text}` cannot be called inside an expression");
        let report = mistake(name.span, message, "expected it as the entire right side of `let`, `var` or `:=`");
        return cx.report(report.help(format!("`let x = {text}(…);` first, and then use `x`")));
    }
    let message = format!("the proc `{text}` does not return a value");
    let report = mistake(name.span, message, "expected a function, or a proc with a result type");
    cx.report(report.help(format!("call it in a statement of its own: `{text}(…);`")));
}

/// Reports a `call` inside of an expression.
pub(crate) fn misplaced_call(cx: &mut Checker, span: Span) -> TypeId {
    let expected = "expected it as the entire right side of `let`, `var` or `:=`, or as a statement";
    let report = mistake(span, "`call` is not allowed inside an expression", expected);
    cx.report(report.help("`let answer = call …;` first, and then use `answer`"));
    ERROR
}
