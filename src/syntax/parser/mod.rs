//! The parser: recursive descent, one function for each production of the grammar (`docs/LANGUAGE.md`).
//!
//! A production that meets an unexpected token reports it once and fails. The statement, member or item around it then skips to the
//! beginning of the next one, so all errors of a file are reported at once. For example in `on q { reply ; n := 1; }` the first statement
//! is reported, and the second is parsed as usual.

mod braces;
mod combine;
mod cursor;
mod expressions;
mod generate;
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

/// The greatest depth to which constructs may nest, chained operators and `else if`s included. Every pass over the tree is recursive, and
/// this number of levels fits into the smallest common stack of a thread (2 MiB).
pub const MAX_DEPTH: u32 = 128;

/// The result of [`parse`].
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The tree; unreadable parts are missing or `Error` nodes.
    pub file: File,
    /// The errors in the text, in its order; the tree is complete if there are none.
    pub diagnostics: Vec<Diagnostic>,
    /// The first node number that is still free.
    pub next: NodeId,
}

/// Parses a specification. It never fails: errors are among the diagnostics.
#[must_use]
pub fn parse(text: &str, file: FileId, first: NodeId) -> Parsed {
    let (text, too_long) = bounded(text, file, "a file");
    let Lexed { tokens, comments, diagnostics, more } = lex(text, file);
    let mut parser = Parser::new(text, file, first, tokens);
    let items = sequence(&mut parser, Level::Item, None, |_, _| None);
    // A text with so many characters that form no token gets no other reports.
    let syntactic = if more > 0 { Vec::new() } else { parser.diagnostics };
    let mut diagnostics: Vec<Diagnostic> = too_long.into_iter().chain(diagnostics).chain(syntactic).collect();
    diagnostics.sort_by_key(|finding| finding.primary.span.start);
    let span = Span { file, start: 0, end: text.len() as u32 };
    Parsed { file: File { items, comments, span }, diagnostics, next: NodeId(parser.next) }
}

/// Parses an expression alone, for example the value of a constant on the command line. If it returns no expression, at least one
/// diagnostic is an error.
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

/// The text; if it is too long for offsets of 32 bits, an empty text and an error.
fn bounded<'t>(text: &'t str, file: FileId, what: &str) -> (&'t str, Option<Diagnostic>) {
    if u32::try_from(text.len()).is_ok() {
        return (text, None);
    }
    ("", Some(Diagnostic::error(Span { file, start: 0, end: 0 }, format!("{what} may have at most 4 GiB"))))
}

/// The error of a production that has failed and has reported that.
struct Reported;

/// The result of a production.
type ParseResult<T> = Result<T, Reported>;

/// A construct with a production of its own.
trait Parse: Sized {
    /// Parses the construct at the next token.
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
    /// It always does.
    Free,
    /// It does not: the `{` opens the block of `if`, `while`, `for`, `match` or a handler, in whose head the parser is, outside brackets.
    Head,
    /// It depends on the tokens after the `{`: the parser is in the pattern after `on`, outside brackets.
    Request,
}

/// The state of the parser. Its methods are the parts of productions: the cursor over the tokens (`cursor`), reports (`report`), and
/// combinators (`combine`).
struct Parser<'t> {
    text: &'t str,
    file: FileId,
    tokens: Vec<Lexeme>,
    /// The index of the next token.
    at: usize,
    /// The next node number.
    next: u32,
    mode: Mode,
    /// The number of constructs around the present one.
    depth: u32,
    /// The greatest depth of a node in the operand that is being parsed (a chain increases it afterwards).
    deepest: u32,
    /// The number of open braces.
    braces: u32,
    diagnostics: Vec<Diagnostic>,
    /// The index of the token at which the last report was made, as one report for a token is enough.
    reported: Option<usize>,
}
