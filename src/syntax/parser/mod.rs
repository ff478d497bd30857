//! The parser: recursive descent, one function a production of the grammar (`docs/LANGUAGE.md`).
//!
//! A production that meets what it cannot take reports it once and fails; the statement, member or item around it
//! skips to where the next one begins, so all errors of a file are reported at once. For example in
//! `on q { reply ; n := 1; }` the first statement is reported, and the second is read as if nothing had been.

mod braces;
mod cursor;
mod expressions;
mod items;
mod lists;
mod members;
mod operators;
mod patterns;
mod recovery;
mod slips;
mod statements;
mod types;

use crate::diagnostic::{Diagnostic, FileId, Span};

use super::ast::{Expr, File, NodeId};
use super::lexer::{self, Kind, Lexed, Token};

/// The greatest depth to which constructs may nest, operators of a chain and `else if`s included: every pass over the tree is
/// recursive, and this many levels fit into the smallest stack that a thread is commonly given (2 MiB).
pub const MAX_DEPTH: u32 = 128;

/// The result of [`parse`].
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The tree; what could not be read is missing or an `Error` node.
    pub file: File,
    /// The errors in the text, in its order; the tree is complete if there are none.
    pub diagnostics: Vec<Diagnostic>,
    /// The first node number that is still free.
    pub next: NodeId,
}

/// Reads a specification. Never fails: errors are among the diagnostics.
#[must_use]
pub fn parse(text: &str, file: FileId, first: NodeId) -> Parsed {
    if u32::try_from(text.len()).is_err() {
        let finding = Diagnostic::error(Span { file, start: 0, end: 0 }, "a file may have at most 4 GiB");
        return Parser::new("", file, first, vec![finding]).finish();
    }
    Parser::new(text, file, first, Vec::new()).finish()
}

/// Reads an expression alone, for example the value of a constant that is given on the command line. Without an
/// expression there is at least one error among the diagnostics.
#[must_use]
pub fn parse_expression(text: &str, file: FileId, first: NodeId) -> (Option<Expr>, Vec<Diagnostic>, NodeId) {
    if u32::try_from(text.len()).is_err() {
        let place = Span { file, start: 0, end: 0 };
        return (None, vec![Diagnostic::error(place, "an expression may have at most 4 GiB")], first);
    }
    let mut parser = Parser::new(text, file, first, Vec::new());
    let expr = parser.expr().ok();
    if expr.is_some() && !parser.at(Kind::End) {
        let finding = parser.unexpected("the end of the expression");
        parser.report_here(finding);
    }
    (expr, parser.diagnostics, NodeId(parser.next))
}

/// A production has failed and has been reported.
struct Failed;

/// The result of a production.
type Outcome<T> = Result<T, Failed>;

/// The mode of the parser: whether `Name {` opens a record.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// `Name {` opens a record.
    Free,
    /// The `{` opens the block of `if`, `while`, `for`, `match` or a handler: we are in its head, outside brackets.
    Head,
}

struct Parser<'t> {
    text: &'t str,
    file: FileId,
    tokens: Vec<Token>,
    /// The next token.
    at: usize,
    /// The next node number.
    next: u32,
    mode: Mode,
    /// The number of constructs that enclose this one.
    depth: u32,
    /// The greatest depth of any node of the operand being read (a chain pushes its operands down afterwards).
    deepest: u32,
    /// The number of braces that are open.
    braces: u32,
    diagnostics: Vec<Diagnostic>,
    comments: Vec<super::ast::Comment>,
    /// The token at which something was last reported: one report a token is enough.
    reported: Option<usize>,
    /// So much of the text is no token that nothing else is worth a report.
    is_hopeless: bool,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, file: FileId, first: NodeId, mut diagnostics: Vec<Diagnostic>) -> Parser<'t> {
        let lexed: Lexed = lexer::lex(text, file);
        diagnostics.extend(lexed.diagnostics);
        Parser {
            text,
            file,
            tokens: lexed.tokens,
            at: 0,
            next: first.0,
            mode: Mode::Free,
            depth: 0,
            deepest: 0,
            braces: 0,
            diagnostics,
            comments: lexed.comments,
            reported: None,
            is_hopeless: lexed.more > 0,
        }
    }

    fn finish(mut self) -> Parsed {
        let lexical = self.diagnostics.len();
        let items = self.file();
        if self.is_hopeless {
            self.diagnostics.truncate(lexical);
        }
        let span = Span { file: self.file, start: 0, end: self.text.len() as u32 };
        self.diagnostics.sort_by_key(|finding| finding.primary.span.start);
        let file = File { items, comments: self.comments, span };
        Parsed { file, diagnostics: self.diagnostics, next: NodeId(self.next) }
    }
}
