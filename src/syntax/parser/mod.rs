//! The parser: recursive descent, one function a production of the grammar (`docs/LANGUAGE.md`).
//!
//! A production that meets what it cannot take reports it once and fails; the statement, member or item around it
//! skips to where the next one begins, so all errors of a file are reported at once. For example in
//! `on q { reply ; n := 1; }` the first statement is reported, and the second is read as if nothing had been.

mod braces;
mod combine;
mod cursor;
mod expressions;
mod http;
mod items;
mod literals;
mod members;
mod operators;
mod patterns;
mod report;
mod statements;
mod types;

use crate::diagnostic::{Diagnostic, FileId, Span};

use super::ast::{Expr, File, NodeId};
use super::lexer::{Lexed, Lexeme, TokenKind, lex};
use report::recovery::{Level, sequence};

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
    let (text, too_long) = bounded(text, file, "a file");
    let Lexed { tokens, comments, diagnostics, more } = lex(text, file);
    let mut parser = Parser::new(text, file, first, tokens);
    let items = sequence(&mut parser, Level::Item, None, |_, _| None);
    // With so much in the text that is no token, nothing else is worth a report.
    let syntactic = if more > 0 { Vec::new() } else { parser.diagnostics };
    let mut diagnostics: Vec<Diagnostic> = too_long.into_iter().chain(diagnostics).chain(syntactic).collect();
    diagnostics.sort_by_key(|finding| finding.primary.span.start);
    let span = Span { file, start: 0, end: text.len() as u32 };
    Parsed { file: File { items, comments, span }, diagnostics, next: NodeId(parser.next) }
}

/// Reads an expression alone, for example the value of a constant that is given on the command line. Without an
/// expression there is at least one error among the diagnostics.
#[must_use]
pub fn parse_expression(text: &str, file: FileId, first: NodeId) -> (Option<Expr>, Vec<Diagnostic>, NodeId) {
    let (text, too_long) = bounded(text, file, "an expression");
    if let Some(finding) = too_long {
        return (None, vec![finding], first);
    }
    let Lexed { tokens, diagnostics, .. } = lex(text, file);
    let mut parser = Parser::new(text, file, first, tokens);
    let expr = parser.parse().ok();
    if expr.is_some() && !parser.at(TokenKind::End) {
        parser.report_here(parser.unexpected("the end of the expression"));
    }
    (expr, [diagnostics, parser.diagnostics].concat(), NodeId(parser.next))
}

/// The text, or nothing and the reason why: offsets have 32 bits.
fn bounded<'t>(text: &'t str, file: FileId, what: &str) -> (&'t str, Option<Diagnostic>) {
    if u32::try_from(text.len()).is_ok() {
        return (text, None);
    }
    ("", Some(Diagnostic::error(Span { file, start: 0, end: 0 }, format!("{what} may have at most 4 GiB"))))
}

/// A production has failed and has been reported.
struct Reported;

/// The result of a production.
type ParseResult<T> = Result<T, Reported>;

/// A construct that has a production of its own.
trait Parse: Sized {
    /// Reads it at the next token.
    fn parse(p: &mut Parser<'_>) -> ParseResult<Self>;
}

impl<T: Parse> Parse for Box<T> {
    fn parse(p: &mut Parser<'_>) -> ParseResult<Box<T>> {
        T::parse(p).map(Box::new)
    }
}

/// The rule that decides whether `Name {` opens a record.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// It does.
    Free,
    /// The `{` opens the block of `if`, `while`, `for`, `match` or a handler: we are in its head, outside brackets.
    Head,
    /// The tokens after the `{` tell: we are in the pattern after `on`, outside brackets.
    Request,
}

/// The state of the parser, and the methods of which productions are made: the cursor over the tokens (`cursor`), reports at it
/// (`report`), and combinators (`combine`).
struct Parser<'t> {
    text: &'t str,
    file: FileId,
    tokens: Vec<Lexeme>,
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
    /// The token at which something was last reported: one report a token is enough.
    reported: Option<usize>,
}
