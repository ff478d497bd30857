//! The placement of comments: each stays before the same construct, or after it on the same line.
//!
//! A comment in the middle of an expression moves before the next operand, on a line of its own; a comment before a comma or a semicolon
//! moves after it. No comment is lost, and all keep their order.

use crate::diagnostic::Span;

use super::Printer;
use super::layout::Doc;

impl<'a> Printer<'a, '_> {
    /// All comments before an offset, each on a line of its own.
    pub(super) fn comments_before(&mut self, offset: u32) -> Doc<'a> {
        let mut doc = self.layout.nil();
        while self.comment_is_before(offset) {
            self.take_comment();
            doc = doc.append(self.layout.lone_comment()).append(self.layout.hardline());
        }
        doc
    }

    pub(super) fn comment_is_before(&self, offset: u32) -> bool {
        self.comments.first().is_some_and(|comment| comment.span.start < offset)
    }

    /// Takes the next comment, which has been printed.
    pub(super) fn take_comment(&mut self) {
        if let Some((first, rest)) = self.comments.split_first() {
            self.last = first.span.end;
            self.comments = rest;
        }
    }

    /// The comment after a construct, on the same line or inside of the construct, if it begins before the limit.
    pub(super) fn trailing_comment(&mut self, after: Span, limit: u32) -> Doc<'a> {
        self.last = self.last.max(after.end);
        let trails = self.comments.first().is_some_and(|comment| {
            comment.span.start < limit
                && (comment.span.start < after.end || self.same_line(after.end, comment.span.start))
        });
        if !trails {
            return self.layout.nil();
        }
        self.take_comment();
        self.layout.trailing_comment()
    }

    /// Tests whether there is no line end between two offsets.
    fn same_line(&self, from: u32, to: u32) -> bool {
        self.between(from, to).is_some_and(|text| !text.contains('\n'))
    }

    /// Tests whether there is an empty line between the last printed construct and this offset.
    pub(super) fn blank_before(&self, offset: u32) -> bool {
        let Some(text) = self.between(self.last, offset) else { return false };
        let mut lines = text.split('\n').skip(1).peekable();
        while let Some(line) = lines.next() {
            if line.trim().is_empty() && lines.peek().is_some() {
                return true;
            }
        }
        false
    }

    fn between(&self, from: u32, to: u32) -> Option<&str> {
        self.text.get(from as usize..to as usize)
    }
}
