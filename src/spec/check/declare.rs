//! Declarations: every item gets its number, then aliases, structs, enums and signatures get their types.
//!
//! Items may be used before they are declared, and all items of a load are visible in all of its files. A name is declared
//! once in its space (see `names`).

use super::checked::{Const, Function, Param, Res};
use super::context::Checker;
use super::denote::basic_type;
use super::names::{BASIC_TYPES, Entry, Space};
use crate::diagnostic::{Diagnostic, Span};
use crate::spec::order::components;
use crate::spec::types::{EnumDef, StructDef, Type, TypeId, VariantDef};
use crate::syntax::ast::{Field, File, Item, ItemKind, Name, Openness, Payload, TypeExpr, TypeKind, Variant};
use rustc_hash::FxHashMap;

/// `type A = T;`
type Alias<'a> = (&'a Name, &'a TypeExpr);

impl<'a> Checker<'a> {
    /// Declares all items of all files.
    pub(super) fn declare(&mut self, files: &'a [File]) {
        let items: Vec<&'a Item> = files.iter().flat_map(|file| &file.items).collect();
        let mut aliases: Vec<Alias<'a>> = Vec::new();
        for item in &items {
            self.number(item, &mut aliases);
        }
        self.declare_aliases(&aliases);
        for item in &items {
            self.define(item);
        }
        self.check_inhabited(&items);
        for item in &items {
            self.declare_value(item);
        }
    }

    fn number(&mut self, item: &'a Item, aliases: &mut Vec<Alias<'a>>) {
        match &item.kind {
            ItemKind::Alias { name, ty } => aliases.push((name, ty)),
            ItemKind::Token(name) => {
                let index = self.types.tokens.len() as u32;
                if self.declare_type(name, Type::Token(index)) {
                    self.types.tokens.push(name.text.clone());
                }
            }
            ItemKind::Struct { name, openness, .. } => {
                let index = self.types.structs.len() as u32;
                let open = *openness == Openness::Open;
                if self.declare_type(name, Type::Struct(index)) {
                    self.types.structs.push(StructDef { name: name.text.clone(), fields: Vec::new(), open });
                }
            }
            ItemKind::Enum { name, .. } => {
                let index = self.types.enums.len() as u32;
                if self.declare_type(name, Type::Enum(index)) {
                    self.types.enums.push(EnumDef { name: name.text.clone(), variants: Vec::new() });
                }
            }
            ItemKind::Machine { name, .. } | ItemKind::Protocol { name, .. } => {
                let clash = declare_in(&mut self.names.specs, name, ());
                self.reports.extend(clash);
            }
            ItemKind::Use(_) | ItemKind::Const { .. } | ItemKind::Function { .. } => {}
        }
    }

    /// Declares a type under a name, or reports that the name is not free; returns whether it was.
    fn declare_type(&mut self, name: &'a Name, ty: Type) -> bool {
        if basic_type(&name.text).is_some() || BASIC_TYPES[6..10].contains(&name.text.as_str()) {
            let report = Diagnostic::error(name.span, format!("`{}` is a builtin type", name.text));
            self.report(report.label("expected another name"));
            return false;
        }
        if let Some(clash) = clash(&self.names.types, name) {
            self.report(clash);
            return false;
        }
        let what = self.types.intern(ty);
        self.names.types.insert(&name.text, Entry { what, span: name.span });
        true
    }

    /// Aliases in the order in which they need each other; one that needs itself is an error.
    fn declare_aliases(&mut self, aliases: &[Alias<'a>]) {
        let numbers: FxHashMap<&str, usize> =
            aliases.iter().enumerate().map(|(index, alias)| (alias.0.text.as_str(), index)).collect();
        let needs: Vec<Vec<usize>> = aliases.iter().map(|alias| mentioned(alias.1, &numbers)).collect();
        for component in components(&needs) {
            if component.cyclic {
                let cycle: Vec<Alias<'a>> = component.nodes.iter().map(|&index| aliases[index]).collect();
                self.declare_cycle(&cycle);
            } else {
                let (name, ty) = aliases[component.nodes[0]];
                let what = self.denote(ty);
                let known = self.types.get(what).clone();
                self.declare_type(name, known);
            }
        }
    }

    fn declare_cycle(&mut self, cycle: &[Alias<'a>]) {
        let name = cycle[0].0;
        let report = Diagnostic::error(name.span, format!("the type `{}` is defined in terms of itself", name.text));
        let report = report.label("expected a type that does not depend on it");
        let report = report.help("an `enum` or a `struct` may contain itself");
        self.report(cycle[1..].iter().fold(report, |report, alias| report.also(alias.1.span, "through this")));
        for (name, _) in cycle {
            self.declare_type(name, Type::Error);
        }
        for (_, ty) in cycle {
            self.denote(ty);
        }
    }

    fn define(&mut self, item: &'a Item) {
        match &item.kind {
            ItemKind::Struct { name, fields, .. } => {
                let fields = self.define_fields(fields, "field");
                if let Some(Type::Struct(index)) = self.own_type(name) {
                    self.types.structs[index as usize].fields = fields;
                }
            }
            ItemKind::Enum { name, variants } => {
                let defined = self.define_variants(variants);
                if let Some(Type::Enum(index)) = self.own_type(name) {
                    let ty = self.types.intern(Type::Enum(index));
                    for (variant, index) in variants.iter().zip(0..) {
                        self.names.variants.entry(&variant.name.text).or_default().push((ty, index));
                    }
                    self.types.enums[index as usize].variants = defined;
                }
            }
            ItemKind::Use(_) | ItemKind::Const { .. } | ItemKind::Alias { .. } | ItemKind::Token(_) => {}
            ItemKind::Function { .. } | ItemKind::Machine { .. } | ItemKind::Protocol { .. } => {}
        }
    }

    /// The type that this very name declares (not one that declared the same name before).
    pub(super) fn own_type(&self, name: &Name) -> Option<Type> {
        let entry = self.names.types.get(name.text.as_str()).filter(|entry| entry.span == name.span)?;
        Some(self.types.get(entry.what).clone())
    }

    fn define_fields(&mut self, fields: &'a [Field], what: &str) -> Vec<(String, TypeId)> {
        self.check_distinct(fields.iter().map(|field| &field.name), what);
        fields.iter().map(|field| (field.name.text.clone(), self.denote(&field.ty))).collect()
    }

    fn define_variants(&mut self, variants: &'a [Variant]) -> Vec<VariantDef> {
        self.check_distinct(variants.iter().map(|variant| &variant.name), "variant");
        variants.iter().map(|variant| self.define_variant(variant)).collect()
    }

    fn define_variant(&mut self, variant: &'a Variant) -> VariantDef {
        let fields = match &variant.payload {
            Payload::Unit => Vec::new(),
            Payload::Tuple(types) => types.iter().map(|ty| (None, self.denote(ty))).collect(),
            Payload::Record(fields) => {
                let fields = self.define_fields(fields, "field");
                fields.into_iter().map(|(name, ty)| (Some(name), ty)).collect()
            }
        };
        VariantDef { name: variant.name.text.clone(), fields, open: variant.openness == Openness::Open }
    }

    fn declare_value(&mut self, item: &'a Item) {
        match &item.kind {
            ItemKind::Const { name, ty, value } => {
                let index = self.consts.len() as u32;
                let ty = self.denote(ty);
                let clash = declare_in(&mut self.names.values, name, Res::Const(index));
                self.reports.extend(clash);
                self.consts.push(Const { name, ty, value });
            }
            ItemKind::Function { purity, name, params, result, body } => {
                let index = self.functions.len() as u32;
                let params = self.declare_params(params);
                let result = self.denote(result);
                if name.text == "len" {
                    let report = Diagnostic::error(name.span, "`len` is a builtin function");
                    self.report(report.label("expected another name"));
                }
                let clash = declare_in(&mut self.names.values, name, Res::Function(index));
                self.reports.extend(clash);
                self.functions.push(Function { name, purity: *purity, params, result, body });
            }
            ItemKind::Use(_) | ItemKind::Alias { .. } | ItemKind::Token(_) | ItemKind::Struct { .. } => {}
            ItemKind::Enum { .. } | ItemKind::Machine { .. } | ItemKind::Protocol { .. } => {}
        }
    }

    /// Parameters with their types.
    pub(super) fn declare_params(&mut self, params: &'a [Field]) -> Vec<Param<'a>> {
        self.check_distinct(params.iter().map(|param| &param.name), "parameter");
        params.iter().map(|param| Param { name: &param.name, ty: self.denote(&param.ty) }).collect()
    }

    /// Reports names that occur twice.
    pub(super) fn check_distinct(&mut self, names: impl Iterator<Item = &'a Name>, what: &str) {
        let mut seen: FxHashMap<&str, Span> = FxHashMap::default();
        for name in names {
            match seen.get(name.text.as_str()) {
                Some(&first) => {
                    let report = Diagnostic::error(name.span, format!("the {what} `{}` is declared twice", name.text));
                    self.report(report.label("expected another name").also(first, "it is declared here"));
                }
                None => {
                    seen.insert(&name.text, name.span);
                }
            }
        }
    }
}

/// Declares a name in its space; a second declaration is an error and changes nothing.
pub(super) fn declare_in<'a, T>(space: &mut Space<'a, T>, name: &'a Name, what: T) -> Option<Diagnostic> {
    let clash = clash(space, name);
    if clash.is_none() {
        space.insert(&name.text, Entry { what, span: name.span });
    }
    clash
}

fn clash<T>(space: &Space<'_, T>, name: &Name) -> Option<Diagnostic> {
    let first = space.get(name.text.as_str())?;
    let report = Diagnostic::error(name.span, format!("`{}` is declared twice", name.text));
    Some(report.label("expected another name").also(first.span, "it is declared here"))
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
