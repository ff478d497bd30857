//! Record literals, `with`, and fields.
//!
//! `Ok { value: v }` is the variant of the enum that the context wants, else the struct of that name, else the only variant of that name.
//! It must name every field or end in `..choose`.

use super::choice::chooses;
use super::construct::{
    Application, FieldTypes, find_variant, name_expr, qualified, qualifier, shape, variant_fields, variant_of_enum,
    wanted_variant,
};
use crate::diagnostic::Span;
use crate::spec::check::checked::Res;
use crate::spec::check::context::{Checker, Want};
use crate::spec::check::declaration::check_distinct;
use crate::spec::check::foreign;
use crate::spec::check::report::{did_you_mean, helped, mistake};
use crate::spec::types::{ERROR, Type, TypeId};
use crate::syntax::ast::{Expr, Init, Name, Rest};

/// `R { .. }` or `Enum.V { .. }`.
pub(crate) fn record_literal<'a>(
    cx: &mut Checker<'a>,
    qualifier: Option<&Name>,
    name: &Name,
    inits: &'a [Init],
    rest: Rest,
    span: Span,
    want: Want,
) -> TypeId {
    let found = match qualifier {
        Some(qualifier) => variant_of_enum(cx, qualifier, name),
        None => unqualified_record(cx, name, want),
    };
    let Some((ty, index)) = found else {
        self::inits(cx, inits, &Vec::new(), None);
        return ERROR;
    };
    let res = match cx.head(ty) {
        Some(Type::Struct(number)) => Res::Struct(number),
        _ => Res::Variant { ty, index },
    };
    cx.resolve_to(name, res);
    if let Rest::Choose(place, node) = rest {
        chooses(cx, place);
        cx.record(node, place, ty);
    }
    let (fields, shape) = named_fields(cx, name, (ty, index), span);
    self::inits(cx, inits, &fields, shape.as_deref());
    let missing = absent(&fields, inits.iter().map(|init| &init.name));
    if rest == Rest::Nothing && !missing.is_empty() {
        let fields = if missing.len() == 1 { "field" } else { "fields" };
        let message = format!("`{}` lacks the {fields} {}", name.text, missing.join(", "));
        cx.report_missing(mistake(span, message, "expected every field, or `..choose` last"));
    }
    ty
}

/// The type that a record literal builds and the index of its variant (0 for a struct); reports an unknown name.
fn unqualified_record(cx: &mut Checker, name: &Name, want: Want) -> Option<(TypeId, u32)> {
    if let Some(found) = wanted_variant(cx, &name.text, want) {
        return Some(found);
    }
    let named = cx.names.ty(&name.text);
    if let Some(ty) = named.filter(|&ty| matches!(cx.types.get(ty), Type::Struct(_) | Type::Error)) {
        return Some((ty, 0));
    }
    let found = find_variant(cx, name, want);
    if found.is_none() {
        let structs = cx.types.structs.iter().map(|def| def.name.as_str());
        let near = did_you_mean(&name.text, structs.chain(cx.names.variants.keys().copied()));
        let message = format!("there is no struct or variant `{}`", name.text);
        cx.report_missing(helped(mistake(name.span, message, "expected a struct or a variant"), near));
    }
    found
}

/// The fields of a record in a literal or pattern, and its form for reports; reports a record without named fields.
pub(crate) fn named_fields(
    cx: &mut Checker,
    name: &Name,
    (ty, index): (TypeId, u32),
    span: Span,
) -> (FieldTypes, Option<String>) {
    let fields = variant_fields(cx, ty, index);
    let shape = shape(cx, &name.text, &fields);
    if fields.iter().any(|field| field.0.is_none()) {
        cx.error(span, format!("`{}` has no named fields", name.text), format!("expected {shape}"));
        return (Vec::new(), None);
    }
    (fields, (ty != ERROR).then_some(shape))
}

/// Checks the fields of a literal or of `with`; unknown fields are reported if there is a `shape` to show.
fn inits<'a>(cx: &mut Checker<'a>, inits: &'a [Init], fields: &FieldTypes, shape: Option<&str>) {
    check_distinct(cx, inits.iter().map(|init| &init.name), "field");
    for Init { name, value } in inits {
        let want = Want::of(match field_type(cx, name, fields, shape) {
            Some(ty) => ty,
            None => cx.fresh(name.span),
        });
        match value {
            Some(value) => {
                cx.tables.set_span(name.id, name.span);
                cx.check(value, want);
            }
            None => {
                let found = name_expr(cx, name, name.span, want);
                cx.found(name.id, name.span, found, want);
            }
        }
    }
}

/// The type of a field, whose position is noted; an unknown field is reported if there is a `shape` to show.
pub(crate) fn field_type(cx: &mut Checker, name: &Name, fields: &FieldTypes, shape: Option<&str>) -> Option<TypeId> {
    let position = fields.iter().position(|field| field.0.as_deref() == Some(name.text.as_str()));
    if let Some(position) = position {
        cx.tables.set_field(name.id, position as u32);
    } else if let Some(shape) = shape {
        let near = did_you_mean(&name.text, fields.iter().filter_map(|field| field.0.as_deref()));
        let message = format!("there is no field `{}`", name.text);
        cx.report_missing(helped(mistake(name.span, message, format!("expected a field of {shape}")), near));
    }
    position.map(|position| fields[position].1)
}

/// The names of the fields that are missing, in backquotes.
pub(crate) fn absent<'n>(fields: &FieldTypes, given: impl Iterator<Item = &'n Name>) -> Vec<String> {
    let given: Vec<&str> = given.map(|name| name.text.as_str()).collect();
    let names = fields.iter().filter_map(|field| field.0.as_deref());
    names.filter(|name| !given.contains(name)).map(|name| format!("`{name}`")).collect()
}

/// `{ e with f: v }`
pub(crate) fn with<'a>(cx: &mut Checker<'a>, base: &'a Expr, inits: &'a [Init], want: Want) -> TypeId {
    let ty = cx.check(base, want);
    let head = cx.head_now(ty, base.span, "a struct");
    let (fields, shape) = struct_fields(cx, ty, &head);
    self::inits(cx, inits, &fields, shape.as_deref());
    if shape.is_none() && head != Type::Error {
        let message = format!("`with` changes fields, and {} has none", cx.show(ty));
        cx.error(base.span, message, "expected a struct");
    }
    ty
}

/// The fields of a struct, and its name in backquotes; no fields and no name for other types.
fn struct_fields(cx: &Checker, ty: TypeId, head: &Type) -> (FieldTypes, Option<String>) {
    match head {
        Type::Struct(index) => {
            (variant_fields(cx, ty, 0), Some(format!("`{}`", cx.types.structs[*index as usize].name)))
        }
        _ => (Vec::new(), None),
    }
}

/// `e.f` or `Enum.V`
pub(crate) fn field_expr<'a>(cx: &mut Checker<'a>, base: &'a Expr, name: &'a Name, span: Span) -> TypeId {
    if let Some(ty) = qualifier(cx, base) {
        return qualified(cx, ty, Application { name, args: None, span });
    }
    let ty = cx.synthesize(base);
    field_of(cx, ty, base.span, name)
}

/// The type of a field; notes its position.
pub(crate) fn field_of(cx: &mut Checker, ty: TypeId, span: Span, name: &Name) -> TypeId {
    let head = cx.head_now(ty, span, "a struct");
    let (fields, shape) = struct_fields(cx, ty, &head);
    let found = field_type(cx, name, &fields, shape.as_deref()).unwrap_or(ERROR);
    if shape.is_none() && head != Type::Error {
        let help = match &head {
            Type::Option(_) => Some("an option may be `None`: destructure it with `match`, or with `is Some(x)`"),
            Type::Enum(_) => Some("the fields belong to a variant: destructure the value with `match` or `is`"),
            Type::Tuple(_) => Some("destructure a tuple with `let (a, b) = …;`"),
            head => foreign::member(head, &name.text),
        };
        let message = format!("{} has no fields", cx.show(ty));
        cx.report(helped(mistake(name.span, message, "expected a struct before the dot"), help));
    }
    cx.record(name.id, name.span, found);
    found
}
