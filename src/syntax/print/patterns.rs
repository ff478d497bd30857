//! Printing patterns and types.
//!
//! `Some((x, _)) | None`, `Get { key, .. }`, `[first, ..rest]`; `map<string, option<(int, bool)>>`.

use crate::diagnostic::Span;
use crate::syntax::ast::{FieldPattern, Name, Openness, Pattern, PatternKind, TypeExpr, TypeKind};

use super::layout::{Doc, INDENT};
use super::lists::{Brackets, Part, Tail};
use super::{Printer, spelled};

impl Part for Pattern {
    fn place(&self) -> Span {
        self.span
    }

    fn doc<'a>(&self, printer: &mut Printer<'a, '_>) -> Doc<'a> {
        printer.pattern(self)
    }
}

impl Part for FieldPattern {
    fn place(&self) -> Span {
        self.pattern.as_ref().map_or(self.name.span, |pattern| self.name.span.to(pattern.span))
    }

    fn doc<'a>(&self, printer: &mut Printer<'a, '_>) -> Doc<'a> {
        let name = printer.name(&self.name);
        match &self.pattern {
            Some(pattern) => name.append(printer.string(": ")).append(printer.pattern(pattern)),
            None => name,
        }
    }
}

impl Part for TypeExpr {
    fn place(&self) -> Span {
        self.span
    }

    fn doc<'a>(&self, printer: &mut Printer<'a, '_>) -> Doc<'a> {
        printer.type_expr(self)
    }
}

impl<'a> Printer<'a, '_> {
    pub(super) fn pattern(&mut self, pattern: &Pattern) -> Doc<'a> {
        let before = self.comments_before(pattern.span.start);
        before.append(self.pattern_kind(pattern))
    }

    fn pattern_kind(&mut self, pattern: &Pattern) -> Doc<'a> {
        let end = pattern.span.end;
        match &pattern.kind {
            PatternKind::Wildcard => self.string("_"),
            PatternKind::Name(name) => self.name(name),
            PatternKind::Int(value) => self.string(value.to_string()),
            PatternKind::Text(text) => self.literal(text, pattern.span),
            PatternKind::Bool(value) => self.string(value.to_string()),
            PatternKind::Variant { qualifier, name, args } => {
                let head = self.qualified(qualifier.as_ref(), name);
                let bare = args.is_empty() && qualifier.is_some();
                if bare { head } else { head.append(self.list(Brackets::Round, args, end)) }
            }
            PatternKind::Record { qualifier, name, fields, openness } => {
                let head = self.qualified(qualifier.as_ref(), name).append(self.string(" "));
                head.append(self.list_with_tail(Brackets::Spaced, fields, dots(*openness), end))
            }
            PatternKind::Tuple(elements) => self.list(Brackets::Round, elements, end),
            PatternKind::List { elements, rest } => {
                let tail = match rest {
                    None => Tail::Nothing,
                    Some(None) => Tail::Dots,
                    Some(Some(name)) => Tail::Rest(name),
                };
                self.list_with_tail(Brackets::Square, elements, tail, end)
            }
            PatternKind::Or(alternatives) => self.alternatives(alternatives),
            PatternKind::Error => self.string("_"),
        }
    }

    fn alternatives(&mut self, alternatives: &[Pattern]) -> Doc<'a> {
        let docs = alternatives.iter().map(|alternative| self.pattern(alternative)).collect();
        let separator = self.layout.line().append(self.string("| "));
        self.joined(docs, &separator).nest(INDENT).group()
    }

    /// `Name` or `Enum.Name`
    pub(super) fn qualified(&mut self, qualifier: Option<&Name>, name: &Name) -> Doc<'a> {
        match qualifier {
            Some(qualifier) => self.name(qualifier).append(self.string(".")).append(self.name(name)),
            None => self.name(name),
        }
    }

    pub(super) fn type_expr(&mut self, ty: &TypeExpr) -> Doc<'a> {
        let before = self.comments_before(ty.span.start);
        before.append(self.type_kind(ty))
    }

    fn type_kind(&mut self, ty: &TypeExpr) -> Doc<'a> {
        match &ty.kind {
            TypeKind::Name(name) if is_constructor(&name.text) => self.string(format!("`{}`", name.text)),
            TypeKind::Name(name) => self.string(spelled(&name.text)),
            TypeKind::Option(argument) => self.applied("option<", argument),
            TypeKind::List(argument) => self.applied("list<", argument),
            TypeKind::Set(argument) => self.applied("set<", argument),
            TypeKind::Map(key, value) => {
                let key = self.string("map<").append(self.type_expr(key));
                key.append(self.string(", ")).append(self.type_expr(value)).append(self.string(">"))
            }
            TypeKind::Tuple(types) => self.list(Brackets::Round, types, ty.span.end),
            TypeKind::Error => self.string("_"),
        }
    }

    fn applied(&mut self, constructor: &str, argument: &TypeExpr) -> Doc<'a> {
        self.string(constructor).append(self.type_expr(argument)).append(self.string(">"))
    }
}

/// `..` of an open record.
pub(super) fn dots(openness: Openness) -> Tail<'static> {
    match openness {
        Openness::Open => Tail::Dots,
        Openness::Closed => Tail::Nothing,
    }
}

/// Tests whether a name needs backquotes where a type stands: it is that of a type constructor.
fn is_constructor(name: &str) -> bool {
    matches!(name, "option" | "list" | "set" | "map")
}
