//! Patterns: checked against the type of the matched value; their names become visible.
//!
//! For `option<Tag>`, `Some(t)` binds `t: Tag`. A lone name with a capital letter is a variant, any other binds.

use super::duty::PatternCheck;
use super::locals::{Binder, Local};
use crate::diagnostic::{Diagnostic, Span};
use crate::spec::check::checked::Res;
use crate::spec::check::context::{Checker, Want};
use crate::spec::check::declaration::check_distinct;
use crate::spec::check::expression::construct::{find_variant, positional, qualified_variant, variant_of_enum};
use crate::spec::check::expression::expected_type::starts_with_capital;
use crate::spec::check::expression::record::{absent, field_type, named_fields};
use crate::spec::check::report::mistake;
use crate::spec::types::{BOOL, ERROR, INT, Type, TypeId};
use crate::syntax::ast::{FieldPattern, Name, Openness, Pattern, PatternKind};
use rustc_hash::FxHashMap;

/// Checks a pattern that must always fit.
pub(crate) fn binder<'a>(cx: &mut Checker<'a>, binder: &'a Pattern, ty: TypeId) {
    pattern(cx, binder, ty);
    cx.duties.push(PatternCheck::AlwaysFits(binder));
}

/// Checks a pattern for values of a type.
pub(crate) fn pattern<'a>(cx: &mut Checker<'a>, pattern: &'a Pattern, ty: TypeId) {
    let height = cx.locals.height();
    subpattern(cx, pattern, ty);
    let mut seen: FxHashMap<&str, Span> = FxHashMap::default();
    for Local { name, span, .. } in cx.locals.since(height).to_vec() {
        if let Some(first) = seen.insert(name, span) {
            let report = mistake(span, format!("the pattern binds `{name}` twice"), "expected another name");
            cx.report(report.also(first, "it is bound here"));
        }
    }
}

fn subpattern<'a>(cx: &mut Checker<'a>, pattern: &'a Pattern, ty: TypeId) {
    let span = pattern.span;
    cx.record(pattern.id, span, ty);
    match &pattern.kind {
        PatternKind::Wildcard => {}
        PatternKind::Name(name) if starts_with_capital(&name.text) => variant(cx, None, name, &[], ty, span),
        PatternKind::Name(name) => binding(cx, name, ty),
        PatternKind::Int(_) => fits(cx, span, INT, ty),
        PatternKind::Text(text) => fits(cx, span, cx.text_type(text, ty), ty),
        PatternKind::Bool(_) => fits(cx, span, BOOL, ty),
        PatternKind::Variant { qualifier, name, args } => variant(cx, qualifier.as_ref(), name, args, ty, span),
        PatternKind::Record { qualifier, name, fields, openness } => {
            record(cx, qualifier.as_ref(), name, fields, *openness, ty, span);
        }
        PatternKind::Tuple(parts) => tuple(cx, parts, ty, span),
        PatternKind::List { elements, rest, last } => list(cx, elements, last, rest.as_ref(), ty, span),
        PatternKind::Or(all) => alternatives(cx, all, ty),
        PatternKind::Error => drop(cx.taint()),
    }
}

/// Unifies the type of a pattern with the type of the matched value.
fn fits(cx: &mut Checker, span: Span, pattern: TypeId, ty: TypeId) {
    if !cx.unify(pattern, ty) {
        let (expected, found) = (cx.show(ty), cx.show(pattern));
        let message = format!("a pattern for {found}, but the value is of type {expected}");
        cx.error(span, message, format!("expected a pattern for {expected}"));
    }
}

fn binding<'a>(cx: &mut Checker<'a>, name: &'a Name, ty: TypeId) {
    cx.bind(name, ty, Binder::Binding);
    let ty = cx.infer.find(ty);
    let is_enum = matches!(cx.head(ty), Some(Type::Enum(_)));
    if is_enum && cx.types.variant(ty, &name.text).is_some() {
        let written = format!("{}.{}", cx.types.name(ty), name.text);
        let report = Diagnostic::warning(name.span, format!("`{}` binds a new name here", name.text));
        let report = report.label("this matches every value");
        cx.report(report.help(format!("the variant is written `{written}` in a pattern")));
    }
}

/// The variant that a pattern names: its type and index, noted at the name; reports an unknown one.
fn target(cx: &mut Checker, qualifier: Option<&Name>, name: &Name, ty: TypeId) -> Option<(TypeId, u32)> {
    let found = match (qualifier, cx.head(ty)) {
        (Some(qualifier), _) => variant_of_enum(cx, qualifier, name),
        (None, Some(Type::Enum(_))) => qualified_variant(cx, cx.infer.find(ty), name),
        (None, Some(Type::Error)) => None,
        (None, _) => find_variant(cx, name, Want::of(ty)).or_else(|| {
            unknown_variant(cx, name, ty);
            None
        }),
    };
    let (ty, index) = found?;
    cx.resolve_to(name, Res::Variant { ty, index });
    found
}

fn unknown_variant(cx: &mut Checker, name: &Name, ty: TypeId) {
    let value = cx.names.values.get(name.text.as_str()).map(|declared| declared.what);
    let help = match value {
        Some(Res::Const(_)) => format!("to compare with the constant, bind a name and add `if x == {}`", name.text),
        _ => "a capitalized name is a variant; to bind a name, begin it with a lower-case letter".into(),
    };
    let expected = format!("expected a pattern for {}", cx.show(ty));
    cx.report_missing(mistake(name.span, format!("there is no variant `{}`", name.text), expected).help(help));
}

fn variant<'a>(
    cx: &mut Checker<'a>,
    qualifier: Option<&Name>,
    name: &Name,
    args: &'a [Pattern],
    ty: TypeId,
    span: Span,
) {
    let types = match target(cx, qualifier, name, ty) {
        Some(found) => {
            fits(cx, span, found.0, ty);
            positional(cx, name, found, args.len(), span)
        }
        None => vec![None; args.len()],
    };
    for (arg, ty) in args.iter().zip(types) {
        subpattern(cx, arg, ty.unwrap_or(ERROR));
    }
}

fn record<'a>(
    cx: &mut Checker<'a>,
    qualifier: Option<&Name>,
    name: &Name,
    fields: &'a [FieldPattern],
    openness: Openness,
    ty: TypeId,
    span: Span,
) {
    let (known, shape) = match record_target(cx, qualifier, name, ty) {
        Some(found) => {
            fits(cx, span, found.0, ty);
            named_fields(cx, name, found, span)
        }
        None => (Vec::new(), None),
    };
    check_distinct(cx, fields.iter().map(|field| &field.name), "field");
    for FieldPattern { name, pattern } in fields {
        let ty = field_type(cx, name, &known, shape.as_deref()).unwrap_or(ERROR);
        match pattern {
            Some(pattern) => {
                cx.tables.set_span(name.id, name.span);
                subpattern(cx, pattern, ty);
            }
            None => cx.bind(name, ty, Binder::FieldBinding),
        }
    }
    let missing = absent(&known, fields.iter().map(|field| &field.name));
    if openness == Openness::Closed && !missing.is_empty() {
        let message = format!("the pattern of `{}` does not mention {}", name.text, missing.join(", "));
        cx.report_missing(mistake(span, message, "expected every field, or `..` last"));
    }
}

/// The struct or variant that a record pattern names, noted at the name; reports an unknown one.
fn record_target(cx: &mut Checker, qualifier: Option<&Name>, name: &Name, ty: TypeId) -> Option<(TypeId, u32)> {
    let wanted = matches!(cx.head(ty), Some(Type::Enum(_) | Type::Error));
    if let (Some(found), None, false) = (cx.names.ty(&name.text), qualifier, wanted)
        && let Type::Struct(number) = *cx.types.get(found)
    {
        cx.resolve_to(name, Res::Struct(number));
        return Some((found, 0));
    }
    target(cx, qualifier, name, ty)
}

fn tuple<'a>(cx: &mut Checker<'a>, parts: &'a [Pattern], ty: TypeId, span: Span) {
    if let [only] = parts {
        return subpattern(cx, only, ty);
    }
    let types = match cx.head(ty) {
        Some(Type::Tuple(of)) if of.len() == parts.len() => of,
        head => {
            let types: Vec<TypeId> = parts.iter().map(|part| cx.fresh(part.span)).collect();
            let tuple = cx.build(Type::Tuple(types.clone()));
            fits(cx, span, tuple, ty);
            if head.is_none() { types } else { vec![ERROR; parts.len()] }
        }
    };
    for (part, ty) in parts.iter().zip(types) {
        subpattern(cx, part, ty);
    }
}

fn list<'a>(
    cx: &mut Checker<'a>,
    elements: &'a [Pattern],
    last: &'a [Pattern],
    rest: Option<&'a Option<Name>>,
    ty: TypeId,
    span: Span,
) {
    let of = match cx.head(ty) {
        Some(Type::List(of)) => of,
        Some(_) => ERROR,
        None => cx.fresh(span),
    };
    let list = cx.build(Type::List(of));
    if !cx.unify(list, ty) {
        let shown = cx.show(ty);
        let message = format!("a pattern for a list, but the value is of type {shown}");
        cx.error(span, message, format!("expected a pattern for {shown}"));
    }
    for element in elements {
        subpattern(cx, element, of);
    }
    if let Some(Some(name)) = rest {
        cx.bind(name, list, Binder::Binding);
    }
    for element in last {
        subpattern(cx, element, of);
    }
}

/// Checks alternatives, which must bind the same names; uses refer to the names of the first alternative.
fn alternatives<'a>(cx: &mut Checker<'a>, all: &'a [Pattern], ty: TypeId) {
    let Some((first, others)) = all.split_first() else { return };
    let height = cx.locals.height();
    subpattern(cx, first, ty);
    let names = cx.locals.since(height).to_vec();
    for other in others {
        alternative(cx, other, ty, &names);
    }
}

fn alternative<'a>(cx: &mut Checker<'a>, other: &'a Pattern, ty: TypeId, names: &[Local<'a>]) {
    let height = cx.locals.height();
    subpattern(cx, other, ty);
    let locals = cx.locals.cut(height);
    for local in &locals {
        match names.iter().find(|known| known.name == local.name) {
            Some(known) => {
                cx.tables.set_resolution(local.id, Res::Local(known.id));
                if !cx.unify(local.ty, known.ty) {
                    let (expected, found) = (cx.show(known.ty), cx.show(local.ty));
                    let message = format!("expected {expected}, found {found}");
                    let report = mistake(local.span, message, format!("expected {expected}"));
                    cx.report(report.also(known.span, "the first alternative binds it with this type"));
                }
            }
            None => {
                let message = format!("`{}` is bound in one alternative only", local.name);
                cx.error(local.span, message, "expected the names of the first alternative");
            }
        }
    }
    for Local { name, span, .. } in names.iter().filter(|known| !locals.iter().any(|local| local.name == known.name)) {
        let message = format!("this alternative does not bind `{name}`");
        let report = mistake(other.span, message, format!("expected a pattern with `{name}`"));
        cx.report(report.also(*span, "it is bound here"));
    }
}
