//! Names as values, and variants.
//!
//! `Done` is the variant of the enum that the context wants, else the only variant of that name. If two enums have the variant, a report
//! asks for `Enum.Done`.

use super::expected_type::starts_with_capital;
use crate::diagnostic::{Diagnostic, Span};
use crate::spec::check::checked::Res;
use crate::spec::check::context::{Checker, Want};
use crate::spec::check::foreign;
use crate::spec::check::infer::Origin;
use crate::spec::check::report::{did_you_mean, helped, mistake, nearest, noted};
use crate::spec::check::statement::effect::BodyKind;
use crate::spec::types::{ERROR, Type, TypeId};
use crate::syntax::ast::{Expr, ExprKind, Name};

/// The fields of a struct or variant: their names (none in a tuple variant) and their types, which may be open.
pub(crate) type FieldTypes = Vec<(Option<String>, TypeId)>;

/// A name with its arguments, as in `f(1)`, `V(1)` and `V`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Application<'a> {
    pub(crate) name: &'a Name,
    /// The arguments in parentheses; none for a name alone.
    pub(crate) args: Option<&'a [Expr]>,
    pub(crate) span: Span,
}

/// A lone name as an expression.
pub(crate) fn name_expr<'a>(cx: &mut Checker<'a>, name: &'a Name, span: Span, want: Want) -> TypeId {
    variable(cx, name, want).unwrap_or_else(|| lone_variant(cx, Application { name, args: None, span }, want))
}

/// The type of a local, a variable of the protocol or a constant; none if the name is a wanted variant, or unknown.
fn variable(cx: &mut Checker, name: &Name, want: Want) -> Option<TypeId> {
    if let Some(local) = cx.locals.find(&name.text) {
        local.read = true;
        let (res, ty) = (Res::Local(local.id), local.ty);
        cx.resolve_to(name, res);
        cx.watched.reads.push(res);
        return Some(ty);
    }
    if let Some(declared) = cx.members.vars.get(name.text.as_str()).copied() {
        let (slot, ty) = declared.what;
        if matches!(cx.body, BodyKind::Initial(own) if slot >= own) {
            let message = format!("`{}` has no value yet", name.text);
            let report = mistake(name.span, message, "expected a variable that is declared before this one");
            cx.report(report.also(declared.span, "it is declared here"));
        }
        cx.members.vars_read.insert(slot);
        cx.resolve_to(name, Res::StateVar(slot));
        cx.watched.reads.push(Res::StateVar(slot));
        return Some(ty);
    }
    if wanted_variant(cx, &name.text, want).is_some() {
        return None;
    }
    match cx.names.values.get(name.text.as_str())?.what {
        Res::Const(index) => {
            cx.uses.push(index as usize);
            cx.resolve_to(name, Res::Const(index));
            Some(cx.consts[index as usize].ty)
        }
        Res::Function(index) => {
            let arguments = vec!["…"; cx.functions[index as usize].params.len()].join(", ");
            let expected = format!("expected a call: `{}({arguments})`", name.text);
            cx.error(name.span, format!("`{}` is a function", name.text), expected);
            Some(ERROR)
        }
        _ => None,
    }
}

/// The variant of that name in the enum or option that the context wants.
pub(crate) fn wanted_variant(cx: &Checker, name: &str, want: Want) -> Option<(TypeId, u32)> {
    match cx.head(want.ty)? {
        Type::Option(_) => {
            let index = ["None", "Some"].iter().position(|known| *known == name)?;
            Some((want.ty, index as u32))
        }
        Type::Enum(_) => {
            let ty = cx.infer.find(want.ty);
            cx.types.variant(ty, name).map(|index| (ty, index))
        }
        _ => None,
    }
}

/// The variant that an unqualified name means, if any; reports a name that several enums have as a variant.
pub(crate) fn find_variant(cx: &mut Checker, name: &Name, want: Want) -> Option<(TypeId, u32)> {
    if let Some(found) = wanted_variant(cx, &name.text, want) {
        return Some(found);
    }
    if name.text == "None" || name.text == "Some" {
        let of = cx.infer.fresh(Origin::Absent, name.span);
        return Some((cx.build(Type::Option(of)), u32::from(name.text == "Some")));
    }
    let known = cx.names.variants.get(name.text.as_str())?;
    if let [only] = known.as_slice() {
        return Some(*only);
    }
    let all: Vec<String> = known.iter().map(|found| format!("`{}.{}`", cx.types.name(found.0), name.text)).collect();
    let message = format!("`{}` is a variant of several enums", name.text);
    let report = mistake(name.span, message, "the type that is expected here is not known");
    cx.report(report.help(format!("write {}", all.join(" or "))));
    Some((ERROR, 0))
}

/// A variant without a qualifier, with or without arguments.
pub(crate) fn lone_variant<'a>(cx: &mut Checker<'a>, variant: Application<'a>, want: Want) -> TypeId {
    let found = find_variant(cx, variant.name, want);
    let ty = build_variant(cx, variant, found);
    if found.is_none() {
        unknown_value(cx, variant.name, variant.args.is_some(), want);
    }
    ty
}

/// `Enum.V` or `Enum.V(..)`.
pub(crate) fn qualified<'a>(cx: &mut Checker<'a>, ty: TypeId, variant: Application<'a>) -> TypeId {
    let found = qualified_variant(cx, ty, variant.name);
    build_variant(cx, variant, found)
}

/// A variant with positional arguments; the arguments of an unknown variant are checked as well.
fn build_variant<'a>(cx: &mut Checker<'a>, variant: Application<'a>, found: Option<(TypeId, u32)>) -> TypeId {
    let args = variant.args.unwrap_or_default();
    let Some((ty, index)) = found else {
        cx.synthesize_all(args);
        return ERROR;
    };
    cx.resolve_to(variant.name, Res::Variant { ty, index });
    let types = positional(cx, variant.name, (ty, index), args.len(), variant.span);
    for (arg, ty) in args.iter().zip(types) {
        match ty {
            Some(ty) => cx.check(arg, Want::of(ty)),
            None => cx.synthesize(arg),
        };
    }
    ty
}

/// The types of the `count` arguments of a variant, none for an argument that it does not have; reports a wrong number of arguments.
pub(crate) fn positional(
    cx: &mut Checker,
    name: &Name,
    (ty, index): (TypeId, u32),
    count: usize,
    span: Span,
) -> Vec<Option<TypeId>> {
    let fields = variant_fields(cx, ty, index);
    let positional = fields.iter().all(|field| field.0.is_none());
    if ty != ERROR && (!positional || fields.len() != count) {
        let message = match fields.len() {
            0 => format!("`{}` carries nothing", name.text),
            1 => format!("`{}` carries one value", name.text),
            count => format!("`{}` carries {count} values", name.text),
        };
        let expected = format!("expected {}", shape(cx, &name.text, &fields));
        cx.error(span, message, expected);
    }
    (0..count).map(|position| fields.get(position).filter(|_| positional).map(|field| field.1)).collect()
}

/// The fields of a variant or struct; the type of an option's field may be open.
pub(crate) fn variant_fields(cx: &Checker, ty: TypeId, index: u32) -> FieldTypes {
    match cx.head(ty) {
        Some(Type::Option(of)) if index == 1 => vec![(None, of)],
        Some(Type::Enum(_) | Type::Struct(_)) => {
            let fields = cx.types.fields(cx.infer.find(ty), index);
            fields.into_iter().map(|(name, ty)| (name.map(str::to_owned), ty)).collect()
        }
        Some(_) | None => Vec::new(),
    }
}

/// Returns the form in which a variant or struct is written, in backquotes: `V`, `V(int)` or `V { f: int }`.
pub(crate) fn shape(cx: &mut Checker, name: &str, fields: &FieldTypes) -> String {
    let mut part = |(field, ty): &(Option<String>, TypeId)| {
        let ty = cx.infer.name(&mut cx.types, *ty);
        field.as_ref().map_or(ty.clone(), |field| format!("{field}: {ty}"))
    };
    let parts = fields.iter().map(&mut part).collect::<Vec<_>>().join(", ");
    match fields.first() {
        None => format!("`{name}`"),
        Some((Some(_), _)) => format!("`{name} {{ {parts} }}`"),
        Some((None, _)) => format!("`{name}({parts})`"),
    }
}

/// Reports an unknown name.
fn unknown_value(cx: &mut Checker, name: &Name, call: bool, want: Want) {
    let text = name.text.as_str();
    let wanted = match cx.head(want.ty) {
        Some(Type::Enum(index)) => Some(&cx.types.enums[index as usize]),
        _ => None,
    };
    let capital = starts_with_capital(text);
    let report = match (wanted.filter(|_| capital), call) {
        (Some(wanted), _) => no_variant(name, &wanted.name),
        (None, true) => {
            let message = format!("there is no function or variant `{text}`");
            mistake(name.span, message, "expected a function or variant")
        }
        (None, false) => {
            let what = if capital { "name or variant" } else { "name" };
            mistake(name.span, format!("there is no {what} `{text}`"), "expected a value")
        }
    };
    let report = noted(report, cx.locals.gone(text), "a name that is bound here is not visible outside");
    let known = cx.locals.names().chain(cx.members.vars.keys().copied()).chain(cx.names.values.keys().copied());
    let variants = wanted.iter().flat_map(|wanted| &wanted.variants).map(|variant| variant.name.as_str());
    let near = nearest(text, known.chain(variants).chain(["len"]));
    let near = near.or_else(|| nearest(text, cx.names.variants.keys().copied()));
    let near = near.map(|near| format!("did you mean `{near}`?"));
    let report = helped(report, near.or_else(|| foreign::value(text).map(str::to_owned)));
    cx.report_missing(report);
}

fn no_variant(name: &Name, of: &str) -> Diagnostic {
    let message = format!("`{of}` has no variant `{}`", name.text);
    mistake(name.span, message, format!("expected a variant of `{of}`"))
}

/// The enum that a qualifier names: `Enum` in `Enum.V`, unless `Enum` is also the name of a value.
pub(crate) fn qualifier(cx: &mut Checker, expr: &Expr) -> Option<TypeId> {
    let ExprKind::Name(name) = &expr.kind else { return None };
    let text = name.text.as_str();
    let value = cx.locals.find(text).is_some() || cx.members.vars.contains_key(text);
    if value || cx.names.values.contains_key(text) {
        return None;
    }
    enum_of(cx, text)
}

fn enum_of(cx: &Checker, name: &str) -> Option<TypeId> {
    cx.names.ty(name).filter(|&ty| matches!(cx.types.get(ty), Type::Enum(_) | Type::Option(_) | Type::Error))
}

/// The enum of a qualifier in a literal or pattern, or a report.
fn enum_named(cx: &mut Checker, qualifier: &Name) -> Option<TypeId> {
    let found = enum_of(cx, &qualifier.text);
    if found.is_none() {
        let near = did_you_mean(&qualifier.text, cx.types.enums.iter().map(|def| def.name.as_str()));
        let message = format!("there is no enum `{}`", qualifier.text);
        cx.report_missing(helped(mistake(qualifier.span, message, "expected an enum"), near));
    }
    found
}

/// A variant of an enum, or a report.
pub(crate) fn qualified_variant(cx: &mut Checker, ty: TypeId, name: &Name) -> Option<(TypeId, u32)> {
    let found = cx.types.variant(ty, &name.text);
    if found.is_none() && ty != ERROR {
        let enumeration = cx.types.name(ty);
        let known = match cx.types.get(ty) {
            Type::Enum(index) => cx.types.enums[*index as usize].variants.as_slice(),
            _ => &[],
        };
        let near = nearest(&name.text, known.iter().map(|variant| variant.name.as_str()));
        let help = near.map(|near| format!("did you mean `{enumeration}.{near}`?"));
        cx.report_missing(helped(no_variant(name, &enumeration), help));
    }
    found.map(|index| (ty, index))
}

/// The variant `Enum.V` of a literal or pattern, or a report.
pub(crate) fn variant_of_enum(cx: &mut Checker, qualifier: &Name, name: &Name) -> Option<(TypeId, u32)> {
    let ty = enum_named(cx, qualifier)?;
    qualified_variant(cx, ty, name)
}
