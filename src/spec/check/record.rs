//! Record literals, `with`, and fields.
//!
//! `Ok { value: v }` is the variant of the enum that is wanted, else the struct of that name, else the only variant of
//! that name. It names every field or ends in `..choose`.

use super::checked::Res;
use super::construct::Fields;
use super::context::{Checker, Want};
use super::names::nearest;
use crate::diagnostic::{Diagnostic, Span};
use crate::spec::types::{ERROR, Type, TypeId};
use crate::syntax::ast::{Expr, Init, Name, Rest};

impl<'a> Checker<'a> {
    /// `R { .. }` or `Enum.V { .. }`.
    pub(super) fn record_literal(
        &mut self,
        qualifier: Option<&'a Name>,
        name: &'a Name,
        inits: &'a [Init],
        rest: Rest,
        span: Span,
        want: Want,
    ) -> TypeId {
        let Some((ty, index)) = self.record_target(qualifier, name, want) else {
            self.inits(inits, &Vec::new(), None);
            return ERROR;
        };
        if let Rest::Choose(place, node) = rest {
            self.choice(place);
            self.record(node, place, ty);
        }
        let fields = self.variant_fields(ty, index);
        let shape = self.shape(&name.text, &fields);
        if ty != ERROR && fields.first().is_some_and(|field| field.0.is_none()) {
            self.report(
                Diagnostic::error(span, format!("`{}` has no named fields", name.text))
                    .label(format!("expected {shape}")),
            );
            self.inits(inits, &Vec::new(), None);
            return self.expect(span, ty, want);
        }
        self.inits(inits, &fields, (ty != ERROR).then_some(shape.as_str()));
        if rest == Rest::Nothing {
            self.check_all_named(name, inits, &fields, span);
        }
        self.expect(span, ty, want)
    }

    /// Resolves the name of a record literal, and returns what the literal builds: its type and the index of the
    /// variant (0 for a struct).
    fn record_target(&mut self, qualifier: Option<&'a Name>, name: &'a Name, want: Want) -> Option<(TypeId, u32)> {
        let found = match qualifier {
            Some(qualifier) => {
                let ty = self.enum_named(qualifier)?;
                self.qualified_variant(ty, name).map(|index| (ty, index))
            }
            None => self.unqualified_record(name, want),
        };
        let (ty, index) = found?;
        let res = match self.head(ty) {
            Some(Type::Struct(number)) => Res::Struct(number),
            _ => Res::Variant { ty, index },
        };
        self.resolve_to(name, res);
        Some((ty, index))
    }

    fn unqualified_record(&mut self, name: &'a Name, want: Want) -> Option<(TypeId, u32)> {
        if let Some(found) = self.wanted_variant(&name.text, want) {
            return Some(found);
        }
        let named = self.names.types.get(name.text.as_str()).map(|entry| entry.what);
        if let Some(ty) = named.filter(|&ty| matches!(self.types.get(ty), Type::Struct(_) | Type::Error)) {
            return Some((ty, 0));
        }
        let found = self.find_variant(name, want);
        if found.is_none() {
            let report = Diagnostic::error(name.span, format!("there is no struct or variant `{}`", name.text));
            let report = report.label("expected a struct or a variant");
            let structs = self.types.structs.iter().map(|def| def.name.as_str());
            let all = structs.chain(self.names.variants.keys().copied());
            self.report_missing(match nearest(&name.text, all) {
                Some(near) => report.help(format!("did you mean `{near}`?")),
                None => report,
            });
        }
        found
    }

    /// Fields of a literal or of `with`; unknown ones are reported if `shape` says what there is.
    fn inits(&mut self, inits: &'a [Init], fields: &Fields, shape: Option<&str>) {
        self.check_distinct(inits.iter().map(|init| &init.name), "field");
        for init in inits {
            let position = fields.iter().position(|field| field.0.as_deref() == Some(init.name.text.as_str()));
            let want = match position {
                Some(position) => Want::of(fields[position].1),
                None => self.anything(init.name.span),
            };
            match (position, shape) {
                (Some(position), _) => self.tables.set_field(init.name.id, position as u32),
                (None, Some(shape)) => self.unknown_field(&init.name, fields, shape),
                (None, None) => {}
            }
            self.init_value(init, want);
        }
    }

    fn init_value(&mut self, init: &'a Init, want: Want) {
        match &init.value {
            Some(value) => {
                self.tables.set_span(init.name.id, init.name.span);
                self.check(value, want);
            }
            None => {
                let ty = self.name_expr(&init.name, init.name.span, want);
                self.record(init.name.id, init.name.span, ty);
            }
        }
    }

    /// Reports a field that is not there.
    pub(super) fn unknown_field(&mut self, name: &Name, fields: &Fields, shape: &str) {
        let report = Diagnostic::error(name.span, format!("there is no field `{}`", name.text));
        let report = report.label(format!("expected a field of {shape}"));
        let near = nearest(&name.text, fields.iter().filter_map(|field| field.0.as_deref()));
        self.report_missing(match near {
            Some(near) => report.help(format!("did you mean `{near}`?")),
            None => report,
        });
    }

    fn check_all_named(&mut self, name: &Name, inits: &[Init], fields: &Fields, span: Span) {
        let given = |field: &str| inits.iter().any(|init| init.name.text == field);
        let missing: Vec<String> = fields
            .iter()
            .filter_map(|field| field.0.as_deref())
            .filter(|field| !given(field))
            .map(|field| format!("`{field}`"))
            .collect();
        if !missing.is_empty() {
            let fields = if missing.len() == 1 { "field" } else { "fields" };
            let report = Diagnostic::error(span, format!("`{}` lacks the {fields} {}", name.text, missing.join(", ")));
            self.report_missing(report.label("expected every field, or `..choose` last"));
        }
    }

    /// `{ e with f: v }`
    pub(super) fn with(&mut self, base: &'a Expr, inits: &'a [Init], span: Span, want: Want) -> TypeId {
        let ty = self.check(base, want);
        match self.head_now(ty, base.span, "a struct") {
            Type::Struct(index) => {
                let fields = self.variant_fields(ty, 0);
                let shape = format!("`{}`", self.types.structs[index as usize].name);
                self.inits(inits, &fields, Some(&shape));
            }
            head => {
                self.inits(inits, &Vec::new(), None);
                if head != Type::Error {
                    let shown = self.show(ty);
                    let report = Diagnostic::error(base.span, format!("`with` changes fields, and {shown} has none"));
                    self.report(report.label("expected a struct"));
                }
            }
        }
        self.expect(span, ty, want)
    }

    /// `e.f` or `Enum.V`
    pub(super) fn field_expr(&mut self, base: &'a Expr, name: &'a Name, span: Span, want: Want) -> TypeId {
        if let Some(ty) = self.qualifier(base) {
            return self.qualified(ty, name, None, span, want);
        }
        let ty = self.synthesize(base);
        let found = self.field_of(ty, base.span, name);
        self.expect(span, found, want)
    }

    /// The type of a field; its position is noted.
    pub(super) fn field_of(&mut self, ty: TypeId, span: Span, name: &Name) -> TypeId {
        let head = self.head_now(ty, span, "a struct");
        let found = match &head {
            Type::Struct(_) => {
                let fields = self.variant_fields(ty, 0);
                let position = fields.iter().position(|field| field.0.as_deref() == Some(name.text.as_str()));
                if position.is_none() {
                    let shown = self.show(ty);
                    self.unknown_field(name, &fields, &shown);
                }
                position.map(|position| (position, fields[position].1))
            }
            Type::Error => None,
            other => {
                self.no_fields(ty, other, name);
                None
            }
        };
        let (position, field) = found.map_or((None, ERROR), |(position, field)| (Some(position), field));
        if let Some(position) = position {
            self.tables.set_field(name.id, position as u32);
        }
        self.record(name.id, name.span, field);
        field
    }

    fn no_fields(&mut self, ty: TypeId, head: &Type, name: &Name) {
        let shown = self.show(ty);
        let report = Diagnostic::error(name.span, format!("{shown} has no fields"));
        let report = report.label("expected a struct before the dot");
        self.report(match head {
            Type::Option(_) => {
                report.help("an option may be `None`: destructure it with `match`, or with `is Some(x)`")
            }
            Type::Enum(_) => report.help("the fields belong to a variant: destructure the value with `match` or `is`"),
            Type::Tuple(_) => report.help("destructure a tuple with `let (a, b) = …;`"),
            head => match super::foreign::member(head, &name.text) {
                Some(help) => report.help(help),
                None => report,
            },
        });
    }
}
