//! The printer: a tree as text, in the one layout. `parse` of it gives the tree back, and printing that the same text.
//!
//! Four spaces a level, at most 120 columns where what is written can be broken. A block of one simple statement stays
//! on the line of its head where that fits: `if q <= n { reply 0; }`. Comments keep their places, of several empty
//! lines one is kept. Operators and parentheses are printed as they were written, never added or dropped.

mod comments;
mod expressions;
mod items;
mod layout;
mod lists;
mod operators;
mod patterns;
mod statements;

use super::ast::{Comment, File, Name};
use super::lexer::is_plain_name;
use layout::{Canvas, Doc, Layout};

/// Prints a tree. `text` is what its places point into: from it come empty lines, and literals as they were written; it
/// may be empty, and its comments are those of the tree.
#[must_use]
pub fn print(file: &File, text: &str) -> String {
    let canvas = Canvas::new();
    let mut printer = Printer { layout: Layout::new(&canvas), text, comments: &file.comments, last: 0 };
    let doc = printer.file(file);
    layout::render(&doc, file.comments.iter().map(|comment| comment.text.as_str()))
}

/// Walks the tree in the order of the text, taking comments as it passes their places.
struct Printer<'a, 's> {
    layout: Layout<'a>,
    /// The text that places point into, or nothing.
    text: &'s str,
    /// The comments that are not printed yet.
    comments: &'s [Comment],
    /// The end of what was printed last.
    last: u32,
}

impl<'a> Printer<'a, '_> {
    fn name(&mut self, name: &Name) -> Doc<'a> {
        let before = self.comments_before(name.span.start);
        before.append(self.layout.text(spelled(&name.text)))
    }

    fn string(&self, text: impl Into<String>) -> Doc<'a> {
        self.layout.text(text)
    }
}

/// A name as it can be written.
fn spelled(name: &str) -> String {
    if is_plain_name(name) { name.to_owned() } else { format!("`{name}`") }
}
