//! Declarations: every item gets its number, then the types of aliases, structs, enums and signatures are resolved.
//!
//! Items may be used before they are declared, and all items of a load are visible in all of its files. A name is declared
//! once in its space (see `names`).

pub(crate) mod generate;
pub(crate) mod http;
pub(crate) mod http_flaws;
pub(crate) mod inhabited;
pub(crate) mod listed;
pub(crate) mod machine;
pub(crate) mod names;
pub(crate) mod protocol;
pub(crate) mod resolve_types;

use super::checked::{Const, FunctionDef, Param, Res};
use super::context::Checker;
use super::report::mistake;
use crate::diagnostic::Span;
use crate::spec::order::components;
use crate::spec::types::{ERROR, EnumDef, StructDef, Type, TypeId, VariantDef};
use crate::syntax::ast::{Field, File, Item, ItemKind, Name, Openness, Payload, TypeExpr, TypeKind, Variant};
use inhabited::check_inhabited;
use names::{BASIC_TYPES, declare_in};
use resolve_types::denote;
use rustc_hash::FxHashMap;

/// `type A = T;`
type Alias<'a> = (&'a Name, &'a TypeExpr);

/// Declares all items of all files.
pub(super) fn declare<'a>(cx: &mut Checker<'a>, files: &'a [File]) {
    let items = || files.iter().flat_map(|file| &file.items);
    let (mut aliases, mut data) = (Vec::new(), Vec::new());
    for item in items() {
        number(cx, item, &mut aliases, &mut data);
    }
    declare_aliases(cx, &aliases);
    items().for_each(|item| define(cx, item));
    check_inhabited(cx, &data);
    items().for_each(|item| declare_value(cx, item));
}

/// Gives types their numbers; collects the aliases, and the names of structs and enums.
fn number<'a>(cx: &mut Checker<'a>, item: &'a Item, aliases: &mut Vec<Alias<'a>>, data: &mut Vec<&'a Name>) {
    match &item.kind {
        ItemKind::Alias { name, ty } => aliases.push((name, ty)),
        ItemKind::Token(name) => {
            if declare_type(cx, name, Type::Token(cx.types.tokens.len() as u32)) {
                cx.types.tokens.push(name.text.clone());
            }
        }
        ItemKind::Struct { name, openness, .. } => {
            data.push(name);
            let open = *openness == Openness::Open;
            if declare_type(cx, name, Type::Struct(cx.types.structs.len() as u32)) {
                cx.types.structs.push(StructDef { name: name.text.clone(), fields: Vec::new(), open });
            }
        }
        ItemKind::Enum { name, .. } => {
            data.push(name);
            if declare_type(cx, name, Type::Enum(cx.types.enums.len() as u32)) {
                cx.types.enums.push(EnumDef { name: name.text.clone(), variants: Vec::new() });
            }
        }
        ItemKind::Machine { name, .. } | ItemKind::Protocol { name, .. } => {
            cx.reports.extend(declare_in(&mut cx.names.specs, name, ()).err());
        }
        ItemKind::Use(_) | ItemKind::Const { .. } | ItemKind::Function { .. } => {}
    }
}

/// Declares a type under a name, or reports that the name is taken; returns whether the type was declared.
fn declare_type<'a>(cx: &mut Checker<'a>, name: &'a Name, ty: Type) -> bool {
    if BASIC_TYPES.iter().any(|(basic, _)| *basic == name.text) {
        cx.error(name.span, format!("`{}` is a builtin type", name.text), "expected another name");
        return false;
    }
    // A type that is not declared is not interned: its number would refer to no definition.
    let known = cx.names.types.contains_key(name.text.as_str());
    let what = if known { ERROR } else { cx.types.intern(ty) };
    cx.reports.extend(declare_in(&mut cx.names.types, name, what).err());
    !known
}

/// Declares aliases, each after the aliases that it mentions; one that mentions itself is an error.
fn declare_aliases<'a>(cx: &mut Checker<'a>, aliases: &[Alias<'a>]) {
    let numbers: FxHashMap<&str, usize> =
        aliases.iter().enumerate().map(|(index, alias)| (alias.0.text.as_str(), index)).collect();
    let needs: Vec<Vec<usize>> = aliases.iter().map(|alias| mentioned(alias.1, &numbers)).collect();
    for component in components(&needs) {
        if component.cyclic {
            let cycle: Vec<Alias<'a>> = component.nodes.iter().map(|&index| aliases[index]).collect();
            declare_cycle(cx, &cycle);
        } else {
            let (name, ty) = aliases[component.nodes[0]];
            let what = denote(cx, ty);
            let known = cx.types.get(what).clone();
            declare_type(cx, name, known);
        }
    }
}

fn declare_cycle<'a>(cx: &mut Checker<'a>, cycle: &[Alias<'a>]) {
    let name = cycle[0].0;
    let message = format!("the type `{}` is defined in terms of itself", name.text);
    let report = mistake(name.span, message, "expected a type that does not depend on it");
    let report = report.help("an `enum` or a `struct` may contain itself");
    cx.report(cycle[1..].iter().fold(report, |report, alias| report.also(alias.1.span, "through this")));
    for (name, _) in cycle {
        declare_type(cx, name, Type::Error);
    }
    for (_, ty) in cycle {
        denote(cx, ty);
    }
}

fn define<'a>(cx: &mut Checker<'a>, item: &'a Item) {
    if let ItemKind::Struct { name, fields, .. } = &item.kind {
        let fields = define_fields(cx, fields);
        if let Some(Type::Struct(index)) = cx.names.own_type(name).map(|ty| cx.types.get(ty)) {
            let index = *index as usize;
            cx.types.structs[index].fields = fields;
        }
    }
    if let ItemKind::Enum { name, variants } = &item.kind {
        check_distinct(cx, variants.iter().map(|variant| &variant.name), "variant");
        let defined = variants.iter().map(|variant| define_variant(cx, variant)).collect();
        let Some(ty) = cx.names.own_type(name) else { return };
        if let Type::Enum(index) = *cx.types.get(ty) {
            for (variant, index) in variants.iter().zip(0..) {
                cx.names.variants.entry(&variant.name.text).or_default().push((ty, index));
            }
            cx.types.enums[index as usize].variants = defined;
        }
    }
}

fn define_fields<'a>(cx: &mut Checker<'a>, fields: &'a [Field]) -> Vec<(String, TypeId)> {
    check_distinct(cx, fields.iter().map(|field| &field.name), "field");
    fields.iter().map(|field| (field.name.text.clone(), denote(cx, &field.ty))).collect()
}

fn define_variant<'a>(cx: &mut Checker<'a>, variant: &'a Variant) -> VariantDef {
    let fields = match &variant.payload {
        Payload::Unit => Vec::new(),
        Payload::Tuple(types) => types.iter().map(|ty| (None, denote(cx, ty))).collect(),
        Payload::Record(fields) => define_fields(cx, fields).into_iter().map(|(name, ty)| (Some(name), ty)).collect(),
    };
    VariantDef { name: variant.name.text.clone(), fields, open: variant.openness == Openness::Open }
}

fn declare_value<'a>(cx: &mut Checker<'a>, item: &'a Item) {
    if let ItemKind::Const { name, ty, value } = &item.kind {
        let ty = denote(cx, ty);
        cx.reports.extend(declare_in(&mut cx.names.values, name, Res::Const(cx.consts.len() as u32)).err());
        cx.consts.push(Const { name, ty, value });
    }
    if let ItemKind::Function { purity, name, params, result, body } = &item.kind {
        let params = declare_params(cx, params);
        let result = denote(cx, result);
        if name.text == "len" {
            cx.error(name.span, "`len` is a builtin function", "expected another name");
        }
        cx.reports.extend(declare_in(&mut cx.names.values, name, Res::Function(cx.functions.len() as u32)).err());
        cx.functions.push(FunctionDef { name, purity: *purity, params, result, body });
    }
}

/// Parameters with their types.
pub(super) fn declare_params<'a>(cx: &mut Checker<'a>, params: &'a [Field]) -> Vec<Param<'a>> {
    check_distinct(cx, params.iter().map(|param| &param.name), "parameter");
    params.iter().map(|param| Param { name: &param.name, ty: denote(cx, &param.ty) }).collect()
}

/// Reports names that occur twice.
pub(super) fn check_distinct<'a>(cx: &mut Checker, names: impl Iterator<Item = &'a Name>, what: &str) {
    let mut seen: FxHashMap<&str, Span> = FxHashMap::default();
    for name in names {
        match seen.get(name.text.as_str()) {
            Some(&first) => {
                let message = format!("the {what} `{}` is declared twice", name.text);
                cx.report(mistake(name.span, message, "expected another name").also(first, "it is declared here"));
            }
            None => drop(seen.insert(&name.text, name.span)),
        }
    }
}

/// The aliases that a written type mentions.
fn mentioned(ty: &TypeExpr, numbers: &FxHashMap<&str, usize>) -> Vec<usize> {
    let mut found = Vec::new();
    let mut todo = vec![ty];
    while let Some(ty) = todo.pop() {
        match &ty.kind {
            TypeKind::Name(name) => found.extend(numbers.get(name.text.as_str())),
            TypeKind::Option(of) | TypeKind::List(of) | TypeKind::Set(of) => todo.push(of),
            TypeKind::Map(key, value) => todo.extend([&**key, &**value]),
            TypeKind::Tuple(of) => todo.extend(of),
            TypeKind::Error => {}
        }
    }
    found
}
