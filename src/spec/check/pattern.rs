//! Patterns: checked against the type of what they take apart; their names become visible.
//!
//! Against `option<Tag>`, `Some(t)` binds `t: Tag`; a lone name with a capital is a variant, any other binds.

use super::checked::Res;
use super::construct::Fields;
use super::context::Checker;
use super::needy::starts_with_capital;
use super::scope::{Binder, Mark};
use crate::diagnostic::{Diagnostic, Span};
use crate::spec::types::{BOOL, BYTES, ERROR, INT, STRING, Type, TypeId};
use crate::syntax::ast::{FieldPattern, Name, NodeId, Openness, Pattern, PatternKind, TextLiteral};
use rustc_hash::FxHashMap;

impl<'a> Checker<'a> {
    /// Checks a pattern for values of a type.
    pub(super) fn pattern(&mut self, pattern: &'a Pattern, ty: TypeId) {
        let mark = self.scope.mark();
        self.subpattern(pattern, ty);
        let names = self.scope.since(mark).iter().map(|local| (local.name, local.span)).collect::<Vec<_>>();
        let mut seen: FxHashMap<&str, Span> = FxHashMap::default();
        for (name, span) in names {
            if let Some(first) = seen.insert(name, span) {
                let report = Diagnostic::error(span, format!("the pattern binds `{name}` twice"));
                self.report(report.label("expected another name").also(first, "it is bound here"));
            }
        }
    }

    fn subpattern(&mut self, pattern: &'a Pattern, ty: TypeId) {
        let span = pattern.span;
        self.record(pattern.id, span, ty);
        match &pattern.kind {
            PatternKind::Wildcard => {}
            PatternKind::Name(name) if starts_with_capital(&name.text) => {
                self.variant_pattern(None, name, &[], ty, span)
            }
            PatternKind::Name(name) => self.binding(name, ty),
            PatternKind::Int(_) => self.fits(span, INT, ty),
            PatternKind::Text(text) => self.text_pattern(text, span, ty),
            PatternKind::Bool(_) => self.fits(span, BOOL, ty),
            PatternKind::Variant { qualifier, name, args } => {
                self.variant_pattern(qualifier.as_ref(), name, args, ty, span);
            }
            PatternKind::Record { qualifier, name, fields, openness } => {
                self.record_pattern(qualifier.as_ref(), name, fields, *openness, ty, span);
            }
            PatternKind::Tuple(parts) => self.tuple_pattern(parts, ty, span),
            PatternKind::List { elements, rest } => self.list_pattern(elements, rest.as_ref(), ty, span),
            PatternKind::Or(all) => self.or_pattern(all, ty),
            PatternKind::Error => drop(self.taint()),
        }
    }

    /// A pattern for one type where values of another come.
    fn fits(&mut self, span: Span, pattern: TypeId, ty: TypeId) {
        if !self.unify(pattern, ty) {
            let (expected, found) = (self.show(ty), self.show(pattern));
            let report = Diagnostic::error(span, format!("a pattern for {found}, but the value is of type {expected}"));
            self.report(report.label(format!("expected a pattern for {expected}")));
        }
    }

    fn text_pattern(&mut self, text: &TextLiteral, span: Span, ty: TypeId) {
        let bytes = text.escapes_octets || self.head(ty) == Some(Type::Bytes);
        self.fits(span, if bytes { BYTES } else { STRING }, ty);
    }

    fn binding(&mut self, name: &'a Name, ty: TypeId) {
        self.bind(name, ty, Binder::Binding);
        let ty = self.infer.find(ty);
        if self.head(ty).is_some_and(|head| matches!(head, Type::Enum(_)))
            && self.types.variant(ty, &name.text).is_some()
        {
            let enumeration = self.types.name(ty);
            let report = Diagnostic::warning(name.span, format!("`{}` binds a new name here", name.text));
            let report = report.label("this matches every value");
            self.report(report.help(format!("the variant is written `{enumeration}.{}` in a pattern", name.text)));
        }
    }

    /// The variant that a pattern names: its type and index, or a report.
    fn pattern_target(&mut self, qualifier: Option<&'a Name>, name: &'a Name, ty: TypeId) -> Option<(TypeId, u32)> {
        if let Some(qualifier) = qualifier {
            let ty = self.enum_named(qualifier)?;
            return self.qualified_variant(ty, name).map(|index| (ty, index));
        }
        let want = super::context::Want::of(ty);
        match self.head(ty) {
            Some(Type::Enum(_)) => {
                let ty = self.infer.find(ty);
                self.qualified_variant(ty, name).map(|index| (ty, index))
            }
            Some(Type::Error) => None,
            Some(_) | None => {
                let found = self.find_variant(name, want);
                if found.is_none() {
                    self.unknown_variant(name, ty);
                }
                found
            }
        }
    }

    fn unknown_variant(&mut self, name: &Name, ty: TypeId) {
        let constant = matches!(self.names.values.get(name.text.as_str()).map(|entry| entry.what), Some(Res::Const(_)));
        let report = Diagnostic::error(name.span, format!("there is no variant `{}`", name.text));
        let shown = self.show(ty);
        let report = report.label(format!("expected a pattern for {shown}"));
        self.report_missing(match constant {
            true => report.help(format!("to compare with the constant, bind a name and add `if x == {}`", name.text)),
            false => report.help("a capitalized name is a variant; to bind a name, begin it with a lower-case letter"),
        });
    }

    fn variant_pattern(
        &mut self,
        qualifier: Option<&'a Name>,
        name: &'a Name,
        args: &'a [Pattern],
        ty: TypeId,
        span: Span,
    ) {
        let Some((found, index)) = self.pattern_target(qualifier, name, ty) else {
            args.iter().for_each(|arg| self.subpattern(arg, ERROR));
            return;
        };
        self.resolve_to(name, Res::Variant { ty: found, index });
        self.fits(span, found, ty);
        let fields = self.variant_fields(found, index);
        let positional = fields.iter().all(|field| field.0.is_none());
        if found != ERROR && (!positional || fields.len() != args.len()) {
            let report = self.wrong_payload(name, &fields, span);
            self.report(report);
        }
        for (position, arg) in args.iter().enumerate() {
            let field = fields.get(position).filter(|_| positional).map_or(ERROR, |field| field.1);
            self.subpattern(arg, field);
        }
    }

    fn record_pattern(
        &mut self,
        qualifier: Option<&'a Name>,
        name: &'a Name,
        fields: &'a [FieldPattern],
        openness: Openness,
        ty: TypeId,
        span: Span,
    ) {
        let Some((found, index)) = self.record_pattern_target(qualifier, name, ty) else {
            self.field_patterns(fields, &Vec::new(), None);
            return;
        };
        self.fits(span, found, ty);
        let known = self.variant_fields(found, index);
        let shape = self.shape(&name.text, &known);
        let named = known.iter().all(|field| field.0.is_some());
        if found != ERROR && !named {
            let message = format!("`{}` has no named fields", name.text);
            self.report(Diagnostic::error(span, message).label(format!("expected {shape}")));
        }
        self.field_patterns(fields, &known, (named && found != ERROR).then_some(shape.as_str()));
        if openness == Openness::Closed && named {
            self.check_all_matched(name, fields, &known, span);
        }
    }

    fn record_pattern_target(
        &mut self,
        qualifier: Option<&'a Name>,
        name: &'a Name,
        ty: TypeId,
    ) -> Option<(TypeId, u32)> {
        let named = self.names.types.get(name.text.as_str()).map(|entry| entry.what);
        let structure = named.and_then(|ty| match self.types.get(ty) {
            Type::Struct(number) => Some((ty, *number)),
            _ => None,
        });
        let wanted = matches!(self.head(ty), Some(Type::Enum(_) | Type::Error));
        if let (Some((found, number)), None, false) = (structure, qualifier, wanted) {
            self.resolve_to(name, Res::Struct(number));
            return Some((found, 0));
        }
        let (found, index) = self.pattern_target(qualifier, name, ty)?;
        self.resolve_to(name, Res::Variant { ty: found, index });
        Some((found, index))
    }

    fn field_patterns(&mut self, fields: &'a [FieldPattern], known: &Fields, shape: Option<&str>) {
        self.check_distinct(fields.iter().map(|field| &field.name), "field");
        for field in fields {
            let position = known.iter().position(|known| known.0.as_deref() == Some(field.name.text.as_str()));
            match (position, shape) {
                (Some(position), _) => self.tables.set_field(field.name.id, position as u32),
                (None, Some(shape)) => self.unknown_field(&field.name, known, shape),
                (None, None) => {}
            }
            let ty = position.map_or(ERROR, |position| known[position].1);
            match &field.pattern {
                Some(pattern) => {
                    self.tables.set_span(field.name.id, field.name.span);
                    self.subpattern(pattern, ty);
                }
                None => self.bind(&field.name, ty, Binder::FieldBinding),
            }
        }
    }

    fn check_all_matched(&mut self, name: &Name, fields: &[FieldPattern], known: &Fields, span: Span) {
        let given = |known: &str| fields.iter().any(|field| field.name.text == known);
        let missing: Vec<String> = known
            .iter()
            .filter_map(|field| field.0.as_deref())
            .filter(|known| !given(known))
            .map(|known| format!("`{known}`"))
            .collect();
        if !missing.is_empty() {
            let message = format!("the pattern of `{}` does not mention {}", name.text, missing.join(", "));
            self.report_missing(Diagnostic::error(span, message).label("expected every field, or `..` last"));
        }
    }

    fn tuple_pattern(&mut self, parts: &'a [Pattern], ty: TypeId, span: Span) {
        if let [only] = parts {
            return self.subpattern(only, ty);
        }
        let types = match self.head(ty) {
            Some(Type::Tuple(of)) if of.len() == parts.len() => of,
            _ => {
                let types: Vec<TypeId> = parts.iter().map(|part| self.fresh(part.span)).collect();
                let tuple = self.build(Type::Tuple(types.clone()));
                let known = self.infer.is_free(ty);
                self.fits(span, tuple, ty);
                if known { types } else { vec![ERROR; parts.len()] }
            }
        };
        for (part, ty) in parts.iter().zip(types) {
            self.subpattern(part, ty);
        }
    }

    fn list_pattern(&mut self, elements: &'a [Pattern], rest: Option<&'a Option<Name>>, ty: TypeId, span: Span) {
        let of = match self.head(ty) {
            Some(Type::List(of)) => of,
            Some(_) => {
                let (of, shown) = (ERROR, self.show(ty));
                let list = self.types.list(ERROR);
                if !self.unify(list, ty) {
                    let message = format!("a pattern for a list, but the value is of type {shown}");
                    self.report(Diagnostic::error(span, message).label(format!("expected a pattern for {shown}")));
                }
                of
            }
            None => {
                let of = self.fresh(span);
                let list = self.build(Type::List(of));
                self.unify(list, ty);
                of
            }
        };
        for element in elements {
            self.subpattern(element, of);
        }
        if let Some(Some(name)) = rest {
            let list = self.build(Type::List(of));
            self.bind(name, list, Binder::Binding);
        }
    }

    /// Alternatives bind the same names; those of the first stand for all.
    fn or_pattern(&mut self, all: &'a [Pattern], ty: TypeId) {
        let Some((first, others)) = all.split_first() else { return };
        let mark = self.scope.mark();
        self.subpattern(first, ty);
        let names: Vec<(&'a str, NodeId, TypeId, Span)> =
            self.scope.since(mark).iter().map(|local| (local.name, local.id, local.ty, local.span)).collect();
        for other in others {
            self.or_alternative(other, ty, &names);
        }
    }

    fn or_alternative(&mut self, other: &'a Pattern, ty: TypeId, names: &[(&'a str, NodeId, TypeId, Span)]) {
        let mark: Mark = self.scope.mark();
        self.subpattern(other, ty);
        let locals = self.scope.cut(mark);
        for local in &locals {
            match names.iter().find(|known| known.0 == local.name) {
                Some(&(_, id, wanted, place)) => {
                    self.tables.set_resolution(local.id, Res::Local(id));
                    self.same_type(local.span, local.ty, wanted, place);
                }
                None => {
                    let message = format!("`{}` is bound in one alternative only", local.name);
                    let report = Diagnostic::error(local.span, message);
                    self.report(report.label("expected the names of the first alternative"));
                }
            }
        }
        for &(name, _, _, place) in names {
            if !locals.iter().any(|local| local.name == name) {
                let report = Diagnostic::error(other.span, format!("this alternative does not bind `{name}`"));
                self.report(report.label(format!("expected a pattern with `{name}`")).also(place, "it is bound here"));
            }
        }
    }

    fn same_type(&mut self, span: Span, found: TypeId, wanted: TypeId, place: Span) {
        if !self.unify(found, wanted) {
            let (expected, found) = (self.show(wanted), self.show(found));
            let report = Diagnostic::error(span, format!("expected {expected}, found {found}"));
            self.report(
                report
                    .label(format!("expected {expected}"))
                    .also(place, "the first alternative binds it with this type"),
            );
        }
    }
}
