//! The printer: a tree as text, in the standard layout. Parsing this text gives the same tree, and printing that tree the same text.
//!
//! Each level is indented by four spaces; lines that can be broken have at most 120 columns. A block of one simple statement stays on the
//! line of its head if that fits: `if q <= n { reply 0; }`. Comments keep their places; of several empty lines one is kept. Operators and
//! parentheses are printed as they were written, never added or removed.

/// A document of parts in a row: `docs!(p, "pick ", name, " in ", over)`. The parts are printed in this order, so that comments keep
/// their order.
macro_rules! docs {
    ($p:expr, $($part:expr),+ $(,)?) => {{
        let doc = $p.layout.nil();
        $(let doc = { let part = $crate::syntax::print::Print::print(&$part, $p); doc.append(part) };)+
        doc
    }};
}

mod comments;
mod expressions;
mod generate;
mod http;
mod items;
mod layout;
mod lists;
mod operators;
mod patterns;
mod statements;

use super::ast::{Comment, File, Name};
use super::lexer::{TokenKind, is_one};
use layout::{Canvas, Doc, Layout};

/// Prints a tree with its comments. `text` is the original text, for empty lines and for literals as they were written; it may be empty.
#[must_use]
pub fn print(file: &File, text: &str) -> String {
    printed(file, text, &file.comments)
}

/// Prints a part of a tree without comments and without a limit of the width. Only blocks with several statements break.
pub(super) fn print_part(part: &impl for<'a> Print<'a>, text: &str) -> String {
    let canvas = Canvas::new();
    let mut printer = Printer { layout: Layout::new(&canvas), text, comments: &[], last: 0 };
    layout::render_wide(&part.print(&mut printer))
}

fn printed(tree: &impl for<'a> Print<'a>, text: &str, comments: &[Comment]) -> String {
    let canvas = Canvas::new();
    let mut printer = Printer { layout: Layout::new(&canvas), text, comments, last: 0 };
    layout::render(&tree.print(&mut printer), comments.iter().map(|comment| comment.text.as_str()))
}

/// A walk over the tree in the order of the text, which takes each comment when it passes the comment's place.
pub(super) struct Printer<'a, 's> {
    layout: Layout<'a>,
    /// The original text, or an empty one.
    text: &'s str,
    /// The comments that are not printed yet.
    comments: &'s [Comment],
    /// The offset at which the last printed construct ends.
    last: u32,
}

/// A part of the tree that can be printed.
pub(super) trait Print<'a> {
    /// Prints the part, and the comments inside of it.
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a>;
}

impl<'a> Print<'a> for str {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        p.layout.text(self)
    }
}

impl<'a> Print<'a> for Doc<'a> {
    fn print(&self, _: &mut Printer<'a, '_>) -> Doc<'a> {
        self.clone()
    }
}

impl<'a, T: Print<'a> + ?Sized> Print<'a> for &T {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        (**self).print(p)
    }
}

impl<'a, T: Print<'a>> Print<'a> for Box<T> {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        (**self).print(p)
    }
}

impl<'a> Print<'a> for Name {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        docs!(p, p.comments_before(self.span.start), p.layout.text(spelled(&self.text)))
    }
}

/// A name as it is written in a text, in backquotes if necessary.
fn spelled(name: &str) -> String {
    if is_one(TokenKind::Name, name) && name != "_" { name.to_owned() } else { format!("`{name}`") }
}

/// An optional part with the text before it; empty if there is no part.
fn optional<'a, T: Print<'a>>(p: &mut Printer<'a, '_>, before: &str, part: Option<&T>) -> Doc<'a> {
    let nothing = p.layout.nil();
    part.map_or(nothing, |part| docs!(p, before, part))
}
