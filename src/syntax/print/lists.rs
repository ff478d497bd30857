//! Sequences: lists between brackets, and lines one below the other (items, members, statements, arms).
//!
//! `(a, b)` on one line has no last comma; broken, each element has a line, and the last one a comma too.

use crate::diagnostic::Span;
use crate::syntax::ast::Name;

use super::Printer;
use super::layout::{Doc, INDENT};

/// A part of a sequence: it has a place, and can be printed.
pub(super) trait Part {
    /// Its place.
    fn place(&self) -> Span;
    /// Prints it.
    fn doc<'a>(&self, printer: &mut Printer<'a, '_>) -> Doc<'a>;
}

/// The brackets of a list.
#[derive(Clone, Copy)]
pub(super) enum Brackets {
    /// `(a, b)`
    Round,
    /// `[a, b]`
    Square,
    /// `{a, b}`
    Curly,
    /// `{ a, b }`
    Spaced,
}

/// The end of a list behind its elements, such as `..`, if it has one.
#[derive(Clone, Copy)]
pub(super) enum Tail<'t> {
    /// Nothing does.
    Nothing,
    /// `..`
    Dots,
    /// `..choose`
    Choose,
    /// `..rest`
    Rest(&'t Name),
}

impl<'a> Printer<'a, '_> {
    /// Elements between brackets; `end` is where the closing one ends in the text.
    pub(super) fn list<T: Part>(&mut self, brackets: Brackets, elements: &[T], end: u32) -> Doc<'a> {
        self.list_with_tail(brackets, elements, Tail::Nothing, end)
    }

    pub(super) fn list_with_tail<T: Part>(
        &mut self,
        brackets: Brackets,
        elements: &[T],
        tail: Tail<'_>,
        end: u32,
    ) -> Doc<'a> {
        let mut inside: Vec<Doc<'a>> = Vec::new();
        for (index, element) in elements.iter().enumerate() {
            let last = index + 1 == elements.len() && matches!(tail, Tail::Nothing);
            let comma = if last { self.layout.if_broken(",") } else { self.string(",") };
            let limit = elements.get(index + 1).map_or(end, |next| next.place().start);
            inside.push(self.element(element, index, comma, limit));
        }
        inside.extend(self.tail(tail, end));
        self.enclosed(brackets, inside)
    }

    fn element<T: Part>(&mut self, element: &T, index: usize, comma: Doc<'a>, limit: u32) -> Doc<'a> {
        let place = element.place();
        let first = self.comments.first().map_or(place.start, |comment| comment.span.start.min(place.start));
        let blank = index > 0 && self.blank_before(first);
        let doc = if blank { self.layout.blank_if_broken() } else { self.layout.nil() };
        let doc = doc.append(self.comments_before(place.start)).append(element.doc(self)).append(comma);
        doc.append(self.trailing_comment(place, limit))
    }

    /// Prints what stands before the closing bracket: the tail, and the comments there; `None` if there is neither.
    fn tail(&mut self, tail: Tail<'_>, end: u32) -> Option<Doc<'a>> {
        match tail {
            Tail::Nothing => self.last_comments(end),
            Tail::Dots => Some(self.comments_before(end).append(self.string(".."))),
            Tail::Choose => Some(self.comments_before(end).append(self.string("..choose"))),
            Tail::Rest(name) => {
                let before = self.comments_before(name.span.start);
                let rest = before.append(self.string("..")).append(self.name(name));
                Some(rest.append(self.trailing_comment(name.span, end)))
            }
        }
    }

    fn last_comments(&mut self, end: u32) -> Option<Doc<'a>> {
        let mut lines = Vec::new();
        while self.comment_is_before(end) {
            self.take_comment();
            lines.push(self.layout.lone_comment());
        }
        if lines.is_empty() { None } else { Some(self.joined(lines, &self.layout.hardline())) }
    }

    fn enclosed(&self, brackets: Brackets, inside: Vec<Doc<'a>>) -> Doc<'a> {
        let (open, close, edge) = match brackets {
            Brackets::Round => ("(", ")", self.layout.line_()),
            Brackets::Square => ("[", "]", self.layout.line_()),
            Brackets::Curly => ("{", "}", self.layout.line_()),
            Brackets::Spaced => ("{", "}", self.layout.line()),
        };
        if inside.is_empty() {
            return self.string(open).append(self.string(close));
        }
        let inside = edge.clone().append(self.joined(inside, &self.layout.line())).nest(INDENT);
        self.string(open).append(inside).append(edge).append(self.string(close)).group()
    }

    pub(super) fn joined(&self, docs: Vec<Doc<'a>>, separator: &Doc<'a>) -> Doc<'a> {
        let mut joined = self.layout.nil();
        for (index, doc) in docs.into_iter().enumerate() {
            joined = if index == 0 { doc } else { joined.append(separator.clone()).append(doc) };
        }
        joined
    }

    /// Parts and comments one below the other, at most one empty line between two; nothing if there are none.
    pub(super) fn lines<T: Part>(&mut self, parts: &[T], end: u32) -> Option<Doc<'a>> {
        let mut doc = None;
        for (index, part) in parts.iter().enumerate() {
            let place = part.place();
            doc = self.comment_lines(doc, place.start);
            let lines = self.next_line(doc, place.start).append(part.doc(self));
            let limit = parts.get(index + 1).map_or(end, |next| next.place().start);
            doc = Some(lines.append(self.trailing_comment(place, limit)));
        }
        self.comment_lines(doc, end)
    }

    fn comment_lines(&mut self, mut doc: Option<Doc<'a>>, offset: u32) -> Option<Doc<'a>> {
        while let Some(comment) = self.comments.first().filter(|comment| comment.span.start < offset) {
            let lines = self.next_line(doc, comment.span.start);
            self.take_comment();
            doc = Some(lines.append(self.layout.lone_comment()));
        }
        doc
    }

    fn next_line(&self, lines: Option<Doc<'a>>, offset: u32) -> Doc<'a> {
        match lines {
            None => self.layout.nil(),
            Some(lines) if self.blank_before(offset) => {
                lines.append(self.layout.hardline()).append(self.layout.hardline())
            }
            Some(lines) => lines.append(self.layout.hardline()),
        }
    }
}
