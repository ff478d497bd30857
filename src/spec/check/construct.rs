//! Names as values, and variants.
//!
//! `Done` is the variant of the enum that is wanted, else the only variant of that name; where two enums have it,
//! `Enum.Done` is asked for.

use super::checked::Res;
use super::context::{Body, Checker, Want};
use super::foreign;
use super::infer::Origin;
use super::names::nearest;
use crate::diagnostic::{Diagnostic, Span};
use crate::spec::types::{ERROR, Type, TypeId};
use crate::syntax::ast::{Expr, ExprKind, Name};

/// The fields of a struct or variant: names (of a tuple variant: none) and types, which may be open.
pub(super) type Fields = Vec<(Option<String>, TypeId)>;

impl<'a> Checker<'a> {
    /// A lone name as an expression.
    pub(super) fn name_expr(&mut self, name: &'a Name, span: Span, want: Want) -> TypeId {
        match self.variable(name, want) {
            Some(ty) => self.expect(span, ty, want),
            None => self.lone_variant(name, None, span, want),
        }
    }

    /// A local, a variable of the protocol or a constant; none if the name is a variant that is wanted, or unknown.
    fn variable(&mut self, name: &'a Name, want: Want) -> Option<TypeId> {
        if let Some(local) = self.scope.find(&name.text) {
            local.reads += 1;
            let (id, ty) = (local.id, local.ty);
            self.resolve_to(name, Res::Local(id));
            self.watched.reads.push(Res::Local(id));
            return Some(ty);
        }
        if let Some(entry) = self.names.vars.get(name.text.as_str()).copied() {
            let (slot, ty) = entry.what;
            self.check_initialised(name, slot, entry.span);
            self.vars_read.insert(slot);
            self.resolve_to(name, Res::StateVar(slot));
            self.watched.reads.push(Res::StateVar(slot));
            return Some(ty);
        }
        if self.wanted_variant(&name.text, want).is_some() {
            return None;
        }
        match self.names.values.get(name.text.as_str())?.what {
            Res::Const(index) => {
                self.uses.push(Res::Const(index));
                self.resolve_to(name, Res::Const(index));
                Some(self.consts[index as usize].ty)
            }
            Res::Function(index) => {
                let report = Diagnostic::error(name.span, format!("`{}` is a function", name.text));
                let arguments = vec!["…"; self.functions[index as usize].params.len()].join(", ");
                let report = report.label(format!("expected a call: `{}({arguments})`", name.text));
                self.report(report);
                Some(ERROR)
            }
            _ => None,
        }
    }

    /// An initial value may read the variables before its own.
    fn check_initialised(&mut self, name: &Name, slot: u32, declared: Span) {
        if matches!(self.body, Body::Initial(own) if slot >= own) {
            let report = Diagnostic::error(name.span, format!("`{}` has no value yet", name.text));
            let report = report.label("expected a variable that is declared before this one");
            self.report(report.also(declared, "it is declared here"));
        }
    }

    /// The variant of that name of the enum or option that is wanted.
    pub(super) fn wanted_variant(&self, name: &str, want: Want) -> Option<(TypeId, u32)> {
        match self.head(want.ty)? {
            Type::Option(_) => match name {
                "None" => Some((want.ty, 0)),
                "Some" => Some((want.ty, 1)),
                _ => None,
            },
            Type::Enum(_) => {
                let ty = self.infer.find(want.ty);
                self.types.variant(ty, name).map(|index| (ty, index))
            }
            _ => None,
        }
    }

    /// The variant that an unqualified name means, if any; where several enums have it, that is reported.
    pub(super) fn find_variant(&mut self, name: &Name, want: Want) -> Option<(TypeId, u32)> {
        if let Some(found) = self.wanted_variant(&name.text, want) {
            return Some(found);
        }
        if name.text == "None" || name.text == "Some" {
            let of = self.infer.fresh(Origin::Absent, name.span);
            return Some((self.build(Type::Option(of)), u32::from(name.text == "Some")));
        }
        let known = self.names.variants.get(name.text.as_str())?;
        if let [only] = known.as_slice() {
            return Some(*only);
        }
        let all: Vec<String> =
            known.iter().map(|found| format!("`{}.{}`", self.types.name(found.0), name.text)).collect();
        let report = Diagnostic::error(name.span, format!("`{}` is a variant of several enums", name.text));
        self.report(
            report.label("the type that is expected here is not known").help(format!("write {}", all.join(" or "))),
        );
        Some((ERROR, 0))
    }

    /// A variant without a qualifier, with or without arguments.
    pub(super) fn lone_variant(&mut self, name: &'a Name, args: Option<&'a [Expr]>, span: Span, want: Want) -> TypeId {
        match self.find_variant(name, want) {
            Some((ty, index)) => self.build_variant(name, ty, index, args, span, want),
            None => {
                self.synthesize_all(args.unwrap_or_default());
                self.unknown_value(name, args.is_some(), want);
                ERROR
            }
        }
    }

    /// A variant with positional arguments.
    pub(super) fn build_variant(
        &mut self,
        name: &'a Name,
        ty: TypeId,
        index: u32,
        args: Option<&'a [Expr]>,
        span: Span,
        want: Want,
    ) -> TypeId {
        self.resolve_to(name, Res::Variant { ty, index });
        let fields = self.variant_fields(ty, index);
        let given = args.unwrap_or_default();
        let positional = fields.iter().all(|field| field.0.is_none());
        if ty != ERROR && (!positional || fields.len() != given.len()) {
            let report = self.wrong_payload(name, &fields, span);
            self.report(report);
        }
        for (position, arg) in given.iter().enumerate() {
            match fields.get(position).filter(|_| positional) {
                Some(&(_, field)) => self.check(arg, Want::of(field)),
                None => self.synthesize(arg),
            };
        }
        self.expect(span, ty, want)
    }

    /// The fields of a variant; those of an option may be open.
    pub(super) fn variant_fields(&self, ty: TypeId, index: u32) -> Fields {
        match self.head(ty) {
            Some(Type::Option(of)) if index == 1 => vec![(None, of)],
            Some(Type::Enum(number)) => self.types.enums[number as usize].variants[index as usize].fields.clone(),
            Some(Type::Struct(number)) => {
                let fields = &self.types.structs[number as usize].fields;
                fields.iter().map(|(name, ty)| (Some(name.clone()), *ty)).collect()
            }
            Some(_) | None => Vec::new(),
        }
    }

    pub(super) fn wrong_payload(&mut self, name: &Name, fields: &Fields, span: Span) -> Diagnostic {
        let shape = self.shape(&name.text, fields);
        let message = match fields.len() {
            0 => format!("`{}` carries nothing", name.text),
            1 => format!("`{}` carries one value", name.text),
            count => format!("`{}` carries {count} values", name.text),
        };
        Diagnostic::error(span, message).label(format!("expected {shape}"))
    }

    /// Returns the form in which a variant or struct is written, in backquotes: `V`, `V(int)` or `V { f: int }`.
    pub(super) fn shape(&mut self, name: &str, fields: &Fields) -> String {
        let parts: Vec<String> = fields
            .iter()
            .map(|(field, ty)| {
                let ty = self.infer.name(&mut self.types, *ty);
                field.as_ref().map_or(ty.clone(), |field| format!("{field}: {ty}"))
            })
            .collect();
        match fields.first() {
            None => format!("`{name}`"),
            Some((Some(_), _)) => format!("`{name} {{ {} }}`", parts.join(", ")),
            Some((None, _)) => format!("`{name}({})`", parts.join(", ")),
        }
    }

    /// Reports a name that nothing visible has.
    pub(super) fn unknown_value(&mut self, name: &Name, call: bool, want: Want) {
        let wanted = match self.head(want.ty) {
            Some(Type::Enum(index)) => Some(index),
            _ => None,
        };
        let text = name.text.as_str();
        let capital = super::needy::starts_with_capital(text);
        let what = if call {
            "function or variant"
        } else if capital {
            "name or variant"
        } else {
            "name"
        };
        let report = match wanted.filter(|_| capital) {
            Some(index) => {
                let enumeration = &self.types.enums[index as usize].name;
                Diagnostic::error(name.span, format!("`{enumeration}` has no variant `{text}`"))
                    .label(format!("expected a variant of `{enumeration}`"))
            }
            None => Diagnostic::error(name.span, format!("there is no {what} `{text}`")).label(if call {
                "expected a function or variant"
            } else {
                "expected a value"
            }),
        };
        let report = match self.scope.gone(text) {
            Some(span) => report.also(span, "a name that is bound here is not visible outside"),
            None => report,
        };
        let near = || self.near_value(text, wanted).map(|near| format!("did you mean `{near}`?"));
        let report = match near().or_else(|| foreign::value(text).map(str::to_owned)) {
            Some(help) => report.help(help),
            None => report,
        };
        self.report_missing(report);
    }

    fn near_value(&self, text: &str, wanted: Option<u32>) -> Option<String> {
        let variants = wanted.map(|index| &self.types.enums[index as usize].variants).into_iter().flatten();
        let known = self.scope.names().chain(self.names.vars.keys().copied()).chain(self.names.values.keys().copied());
        let all = known.chain(variants.map(|variant| variant.name.as_str())).chain(["len"]);
        let near = nearest(text, all).or_else(|| nearest(text, self.names.variants.keys().copied()));
        near.map(str::to_owned)
    }

    /// The enum that a qualifier names: `Enum` in `Enum.V`, unless a value has that name.
    pub(super) fn qualifier(&mut self, expr: &'a Expr) -> Option<TypeId> {
        let ExprKind::Name(name) = &expr.kind else { return None };
        let known = self.scope.find(&name.text).is_some() || self.names.vars.contains_key(name.text.as_str());
        if known || self.names.values.contains_key(name.text.as_str()) {
            return None;
        }
        let ty = self.names.types.get(name.text.as_str())?.what;
        matches!(self.types.get(ty), Type::Enum(_) | Type::Option(_) | Type::Error).then_some(ty)
    }

    /// A qualified variant: its index in the enum, or a report.
    pub(super) fn qualified_variant(&mut self, ty: TypeId, name: &Name) -> Option<u32> {
        let found = self.types.variant(ty, &name.text);
        if found.is_none() && ty != ERROR {
            let enumeration = self.types.name(ty);
            let report = Diagnostic::error(name.span, format!("`{enumeration}` has no variant `{}`", name.text));
            let report = report.label(format!("expected a variant of `{enumeration}`"));
            let known = match self.types.get(ty) {
                Type::Enum(index) => self.types.enums[*index as usize].variants.as_slice(),
                _ => &[],
            };
            let near = nearest(&name.text, known.iter().map(|variant| variant.name.as_str()));
            let help = near.map(|near| format!("did you mean `{enumeration}.{near}`?"));
            self.report_missing(match help {
                Some(help) => report.help(help),
                None => report,
            });
        }
        found
    }

    /// `Enum.V` or `Enum.V(..)`.
    pub(super) fn qualified(
        &mut self,
        ty: TypeId,
        name: &'a Name,
        args: Option<&'a [Expr]>,
        span: Span,
        want: Want,
    ) -> TypeId {
        match self.qualified_variant(ty, name) {
            Some(index) => self.build_variant(name, ty, index, args, span, want),
            None => {
                self.synthesize_all(args.unwrap_or_default());
                ERROR
            }
        }
    }

    /// The enum of a qualifier in a literal or pattern, or a report.
    pub(super) fn enum_named(&mut self, qualifier: &Name) -> Option<TypeId> {
        let found = self.names.types.get(qualifier.text.as_str()).map(|entry| entry.what);
        let fits = found.filter(|&ty| matches!(self.types.get(ty), Type::Enum(_) | Type::Option(_) | Type::Error));
        if fits.is_none() {
            let report = Diagnostic::error(qualifier.span, format!("there is no enum `{}`", qualifier.text));
            let report = report.label("expected an enum");
            let enums = self.types.enums.iter().map(|def| def.name.as_str());
            self.report_missing(match nearest(&qualifier.text, enums) {
                Some(near) => report.help(format!("did you mean `{near}`?")),
                None => report,
            });
        }
        fits
    }
}
