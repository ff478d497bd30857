//! The layout engine: documents are laid out within the width by `pretty` (used in this file only).
//!
//! For example `list(a, b)` is `(a, b)`, or one element on each line: a group is one line if it fits, otherwise it breaks at each of its
//! lines. A comment is represented by a placeholder of one character, so that comments never make code break.

use pretty::{Arena, DocAllocator, DocBuilder};

/// The maximum width of a line, in columns.
pub(super) const WIDTH: usize = 120;

/// The indentation of a level, in columns.
pub(super) const INDENT: isize = 4;

/// The placeholder for a comment at the end of a line; no other printed line ends with it.
const COMMENT: char = '\0';

/// A document: a part of the printed text.
pub(super) type Doc<'a> = DocBuilder<'a, Arena<'a>>;

/// The arena that holds documents.
pub(super) struct Canvas<'a>(Arena<'a>);

impl Canvas<'_> {
    pub(super) fn new() -> Self {
        Canvas(Arena::new())
    }
}

/// A builder of documents.
#[derive(Clone, Copy)]
pub(super) struct Layout<'a>(&'a Arena<'a>);

impl<'a> Layout<'a> {
    pub(super) fn new(canvas: &'a Canvas<'a>) -> Layout<'a> {
        Layout(&canvas.0)
    }

    pub(super) fn nil(self) -> Doc<'a> {
        self.0.nil()
    }

    pub(super) fn text(self, text: impl Into<String>) -> Doc<'a> {
        self.0.text(text.into())
    }

    /// The documents, with a separator between them.
    pub(super) fn joined(self, docs: Vec<Doc<'a>>, separator: Doc<'a>) -> Doc<'a> {
        self.0.intersperse(docs, separator)
    }

    /// A space, or a new line if the group is broken.
    pub(super) fn line(self) -> Doc<'a> {
        self.0.line()
    }

    /// Nothing, or a new line if the group is broken.
    pub(super) fn line_(self) -> Doc<'a> {
        self.0.line_()
    }

    /// A new line; every group around it breaks.
    pub(super) fn hardline(self) -> Doc<'a> {
        self.0.hardline()
    }

    /// This text if the group is broken, else nothing.
    pub(super) fn if_broken(self, text: &'static str) -> Doc<'a> {
        self.0.text(text).flat_alt(self.0.nil())
    }

    /// An empty line if the group is broken, else nothing.
    pub(super) fn blank_if_broken(self) -> Doc<'a> {
        self.0.hardline().flat_alt(self.0.nil())
    }

    /// A comment on a line of its own; every group around it breaks, and the line must end after it.
    pub(super) fn lone_comment(self) -> Doc<'a> {
        self.text(COMMENT).flat_alt(self.0.fail())
    }

    /// A comment after code on its line; otherwise as [`Self::lone_comment`].
    pub(super) fn trailing_comment(self) -> Doc<'a> {
        self.text(format!(" {COMMENT}")).flat_alt(self.0.fail())
    }

    /// The width of a document on one line, if it can be on one.
    pub(super) fn flat_width(self, doc: &Doc<'a>) -> Option<usize> {
        let flat = doc.clone().group().pretty(usize::MAX / 2).to_string();
        if flat.contains('\n') { None } else { Some(flat.chars().count()) }
    }
}

/// The text of a document, with its comments and without trailing blanks.
pub(super) fn render<'c>(doc: &Doc<'_>, mut comments: impl Iterator<Item = &'c str>) -> String {
    let laid_out = doc.pretty(WIDTH).to_string();
    let mut text = String::with_capacity(laid_out.len());
    for line in laid_out.lines() {
        match line.strip_suffix(COMMENT) {
            Some(code) => {
                text.push_str(code);
                text.push_str(comments.next().unwrap_or("//"));
            }
            None => text.push_str(line.trim_end()),
        }
        text.push('\n');
    }
    text
}

/// The text of a document without comments, broken only where it must be.
pub(super) fn render_wide(doc: &Doc<'_>) -> String {
    doc.pretty(usize::MAX / 2).to_string()
}
