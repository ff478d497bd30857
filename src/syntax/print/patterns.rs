//! Printing patterns, literals and types.
//!
//! `Some((x, _)) | None`, `Get { key, .. }`, `[first, ..rest]`; `map<string, option<(int, bool)>>`.

use crate::diagnostic::Span;
use crate::syntax::ast::{FieldPattern, Name, Pattern, PatternKind, TextLiteral, TypeExpr, TypeKind};
use crate::syntax::lexer::{TokenKind, is_one};
use crate::syntax::literal::{decode, encode};

use super::layout::{Doc, INDENT};
use super::lists::{Brackets, Placed, Tail};
use super::{Print, Printer, optional};

impl<'a> Print<'a> for FieldPattern {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        docs!(p, self.name, optional(p, ": ", self.pattern.as_ref()))
    }
}

impl Placed for FieldPattern {
    fn place(&self) -> Span {
        self.pattern.as_ref().map_or(self.name.span, |pattern| self.name.span.to(pattern.span))
    }
}

impl<'a> Print<'a> for Pattern {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        docs!(p, p.comments_before(self.span.start), pattern_kind(p, self))
    }
}

fn pattern_kind<'a>(p: &mut Printer<'a, '_>, pattern: &Pattern) -> Doc<'a> {
    let end = pattern.span.end;
    match &pattern.kind {
        PatternKind::Wildcard | PatternKind::Error => p.layout.text("_"),
        PatternKind::Name(name) => name.print(p),
        PatternKind::Int(value) => p.layout.text(value.to_string()),
        PatternKind::Text(text) => literal(p, text, pattern.span),
        PatternKind::Bool(value) => p.layout.text(value.to_string()),
        PatternKind::Variant { qualifier, name, args } => {
            let head = qualified(p, qualifier.as_ref(), name);
            let bare = args.is_empty() && qualifier.is_some();
            if bare { head } else { head.append(p.list(Brackets::Round, args, end)) }
        }
        PatternKind::Record { qualifier, name, fields, openness } => {
            let head = qualified(p, qualifier.as_ref(), name);
            docs!(p, head, " ", p.list_with_tail(Brackets::Spaced, fields, Tail::of(*openness), end))
        }
        PatternKind::Tuple(elements) => p.list(Brackets::Round, elements, end),
        PatternKind::List { elements, rest: Some(rest), last } if !last.is_empty() => {
            let dots = rest.as_ref().map_or(Span { end: last[0].span.start, ..last[0].span }, |name| name.span);
            let parts = elements.iter().map(ListPart::Element);
            let parts = parts.chain([ListPart::Rest(rest.as_ref(), dots)]).chain(last.iter().map(ListPart::Element));
            p.list(Brackets::Square, &parts.collect::<Vec<_>>(), end)
        }
        PatternKind::List { elements, rest, .. } => {
            let tail = match rest {
                None => Tail::Nothing,
                Some(None) => Tail::Dots,
                Some(Some(name)) => Tail::Rest(name),
            };
            p.list_with_tail(Brackets::Square, elements, tail, end)
        }
        PatternKind::Or(alternatives) => {
            let separator = docs!(p, p.layout.line(), "| ");
            p.joined(alternatives, separator).nest(INDENT).group()
        }
    }
}

/// A part of a list pattern that has elements after its `..`.
enum ListPart<'t> {
    Element(&'t Pattern),
    /// `..` or `..rest`, and its place.
    Rest(Option<&'t Name>, Span),
}

impl<'a> Print<'a> for ListPart<'_> {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        match self {
            ListPart::Element(pattern) => pattern.print(p),
            ListPart::Rest(name, _) => docs!(p, "..", optional(p, "", *name)),
        }
    }
}

impl Placed for ListPart<'_> {
    fn place(&self) -> Span {
        match self {
            ListPart::Element(pattern) => pattern.span,
            ListPart::Rest(_, place) => *place,
        }
    }
}

/// `Name` or `Enum.Name`
pub(super) fn qualified<'a>(p: &mut Printer<'a, '_>, qualifier: Option<&Name>, name: &Name) -> Doc<'a> {
    match qualifier {
        Some(qualifier) => docs!(p, qualifier, ".", name),
        None => name.print(p),
    }
}

/// A literal as it was written, if the original text is known; otherwise with the shortest escapes.
pub(super) fn literal<'a>(p: &mut Printer<'a, '_>, text: &TextLiteral, place: Span) -> Doc<'a> {
    let written = p.text.get(place.start as usize..place.end as usize).filter(|written| {
        let (decoded, flaws) = decode(written);
        is_one(TokenKind::Text, written) && flaws.is_empty() && decoded == *text
    });
    p.layout.text(written.map_or_else(|| encode(text), str::to_owned))
}

impl<'a> Print<'a> for TypeExpr {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        docs!(p, p.comments_before(self.span.start), type_kind(p, self))
    }
}

fn type_kind<'a>(p: &mut Printer<'a, '_>, ty: &TypeExpr) -> Doc<'a> {
    match &ty.kind {
        TypeKind::Name(name) if is_constructor(&name.text) => p.layout.text(format!("`{}`", name.text)),
        TypeKind::Name(name) => name.print(p),
        TypeKind::Option(argument) => docs!(p, "option<", argument, ">"),
        TypeKind::List(argument) => docs!(p, "list<", argument, ">"),
        TypeKind::Set(argument) => docs!(p, "set<", argument, ">"),
        TypeKind::Map(key, value) => docs!(p, "map<", key, ", ", value, ">"),
        TypeKind::Tuple(types) => p.list(Brackets::Round, types, ty.span.end),
        TypeKind::Error => p.layout.text("_"),
    }
}

/// Tests whether a name in a type needs backquotes, since it is that of a type constructor.
fn is_constructor(name: &str) -> bool {
    matches!(name, "option" | "list" | "set" | "map")
}
