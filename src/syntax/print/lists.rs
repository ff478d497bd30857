//! Sequences: lists in brackets, and constructs on lines below each other (items, members, statements, arms).
//!
//! `(a, b)` on one line has no final comma; if it breaks, each element gets a line, and the last one a comma too.

use crate::diagnostic::Span;
use crate::syntax::ast::{Arm, Name, Openness, Spanned};

use super::layout::{Doc, INDENT};
use super::{Print, Printer};

/// A part of the tree with a place, so that it can be an element of a sequence.
pub(super) trait Placed {
    /// Its place.
    fn place(&self) -> Span;
}

impl<Kind> Placed for Spanned<Kind> {
    fn place(&self) -> Span {
        self.span
    }
}

impl<Body> Placed for Arm<Body> {
    fn place(&self) -> Span {
        self.span
    }
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

/// The text after the elements of a list, such as `..`.
#[derive(Clone, Copy)]
pub(super) enum Tail<'t> {
    /// No text.
    Nothing,
    /// `..`
    Dots,
    /// `..choose`
    Choose,
    /// `..rest`
    Rest(&'t Name),
}

impl Tail<'_> {
    /// `..` of an open record.
    pub(super) fn of(openness: Openness) -> Tail<'static> {
        match openness {
            Openness::Open => Tail::Dots,
            Openness::Closed => Tail::Nothing,
        }
    }
}

impl<'a> Printer<'a, '_> {
    /// Elements in brackets; `end` is the offset at which the closing bracket ends in the text.
    pub(super) fn list<T: Print<'a> + Placed>(&mut self, brackets: Brackets, elements: &[T], end: u32) -> Doc<'a> {
        self.list_with_tail(brackets, elements, Tail::Nothing, end)
    }

    pub(super) fn list_with_tail<T: Print<'a> + Placed>(
        &mut self,
        brackets: Brackets,
        elements: &[T],
        tail: Tail<'_>,
        end: u32,
    ) -> Doc<'a> {
        let mut inside: Vec<Doc<'a>> = Vec::new();
        for (index, element) in elements.iter().enumerate() {
            let place = element.place();
            let last = index + 1 == elements.len() && matches!(tail, Tail::Nothing);
            let comma = if last { self.layout.if_broken(",") } else { self.layout.text(",") };
            let first = self.comments.first().map_or(place.start, |comment| comment.span.start.min(place.start));
            let blank = index > 0 && self.blank_before(first);
            let blank = if blank { self.layout.blank_if_broken() } else { self.layout.nil() };
            let doc = docs!(self, blank, self.comments_before(place.start), element, comma);
            inside.push(doc.append(self.trailing_comment(place, limit(elements, index, end))));
        }
        inside.extend(self.tail(tail, end));
        self.enclosed(brackets, inside)
    }

    /// The tail and the comments before the closing bracket; `None` if there are none.
    fn tail(&mut self, tail: Tail<'_>, end: u32) -> Option<Doc<'a>> {
        match tail {
            Tail::Nothing => self.last_comments(end),
            Tail::Dots => Some(docs!(self, self.comments_before(end), "..")),
            Tail::Choose => Some(docs!(self, self.comments_before(end), "..choose")),
            Tail::Rest(name) => {
                let rest = docs!(self, self.comments_before(name.span.start), "..", name);
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
        if lines.is_empty() { None } else { Some(self.layout.joined(lines, self.layout.hardline())) }
    }

    /// Documents in brackets, on one line or one on each line.
    pub(super) fn enclosed(&mut self, brackets: Brackets, inside: Vec<Doc<'a>>) -> Doc<'a> {
        let (open, close, edge) = match brackets {
            Brackets::Round => ("(", ")", self.layout.line_()),
            Brackets::Square => ("[", "]", self.layout.line_()),
            Brackets::Curly => ("{", "}", self.layout.line_()),
            Brackets::Spaced => ("{", "}", self.layout.line()),
        };
        if inside.is_empty() {
            return docs!(self, open, close);
        }
        let inside = edge.clone().append(self.layout.joined(inside, self.layout.line())).nest(INDENT);
        docs!(self, open, inside, edge, close).group()
    }

    /// The parts, with a separator between them.
    pub(super) fn joined<T: Print<'a>>(&mut self, parts: &[T], separator: Doc<'a>) -> Doc<'a> {
        let docs = parts.iter().map(|part| part.print(self)).collect();
        self.layout.joined(docs, separator)
    }

    /// Braces with parts on lines below each other, at any width; `after` is the span before the opening brace.
    pub(super) fn below<T: Print<'a> + Placed>(&mut self, after: Span, parts: &[T], end: u32) -> Doc<'a> {
        let first = parts.first().map_or(end, |part| part.place().start);
        let open = docs!(self, "{", self.trailing_comment(after, first));
        match self.lines(parts, end) {
            Some(lines) => {
                let hardline = self.layout.hardline();
                let inside = hardline.clone().append(lines).nest(INDENT);
                docs!(self, open, inside, hardline, "}")
            }
            None => docs!(self, open, self.layout.line_(), "}").group(),
        }
    }

    /// Parts and comments on lines below each other, with at most one empty line between two; none if there are no parts and comments.
    pub(super) fn lines<T: Print<'a> + Placed>(&mut self, parts: &[T], end: u32) -> Option<Doc<'a>> {
        let mut doc = None;
        for (index, part) in parts.iter().enumerate() {
            let place = part.place();
            doc = self.comment_lines(doc, place.start);
            let lines = docs!(self, self.next_line(doc, place.start), part);
            doc = Some(lines.append(self.trailing_comment(place, limit(parts, index, end))));
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
        let Some(lines) = lines else { return self.layout.nil() };
        let lines = lines.append(self.layout.hardline());
        if self.blank_before(offset) { lines.append(self.layout.hardline()) } else { lines }
    }
}

/// The offset up to which a comment may trail an element: the beginning of the next element, or the end of the sequence.
pub(super) fn limit<T: Placed>(elements: &[T], index: usize, end: u32) -> u32 {
    elements.get(index + 1).map_or(end, |next| next.place().start)
}
