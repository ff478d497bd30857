//! Sequences of items, members and statements, and recovery: after an error, parsing continues where the next of them begins.
//!
//! In `on a { reply ( ; } on b { … }` the reply is skipped up to its `;`, and everything else is parsed. A handler without its `}` ends
//! where the next handler begins, since `on NAME` never begins a statement.

use crate::diagnostic::Diagnostic;
use crate::syntax::ast::Item;
use crate::syntax::lexer::{Lexeme, TokenKind};

use crate::syntax::parser::{Mode, Parse, ParseResult, Parser, Reported};

/// The words that begin an item; its name follows, or another one of these words.
const ITEM_WORDS: [&str; 11] =
    ["use", "const", "type", "token", "struct", "enum", "fn", "def", "machine", "protocol", "serial"];

/// The words that begin a member (`var` is reserved, these are not).
const MEMBER_WORDS: [&str; 8] = ["request", "response", "on", "proc", "step", "peer", "http", "generate"];

/// The kind of construct that is skipped after an error.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    /// A statement of a block.
    Statement,
    /// A member of a protocol.
    Member,
    /// A line of an `http` block.
    HttpLine,
    /// A line of a `generate` block.
    GenerateLine,
    /// An item of the file.
    Item,
}

/// Parses a sequence in braces; `open` is the opening brace, and the closing one may be missing. The items of a file have no braces. For
/// each element that fails, `failed` makes a substitute from the offset at which the element begins.
pub(crate) fn sequence<T: Parse>(
    p: &mut Parser<'_>,
    level: Level,
    open: Option<Lexeme>,
    failed: impl Fn(&mut Parser<'_>, u32) -> Option<T>,
) -> Vec<T> {
    let (braces, depth) = (p.braces, p.depth);
    let mut parts = Vec::new();
    loop {
        if open.is_some() && p.eat(TokenKind::RBrace).is_some() {
            return parts;
        }
        let is_inside = level == Level::Member && open.is_some_and(|open| at_inner_item(p, open));
        let (ended, what) = match level {
            Level::Item => (false, ""),
            Level::Member => (at_item(p) && !is_inside, "a member of the protocol or `}`"),
            Level::HttpLine => (at_item(p) || at_member(p), "a line of the `http` block or `}`"),
            Level::GenerateLine => (at_item(p) || at_member(p), "a line of the `generate` block or `}`"),
            Level::Statement => (at_item(p) || at_member(p), "a statement or `}`"),
        };
        if ended || p.at(TokenKind::End) {
            if let Some(open) = open {
                let _ = p.close(TokenKind::RBrace, open, what);
                p.braces = braces - 1;
            }
            return parts;
        }
        let (first, start) = (p.at, p.token().start);
        let parsed = if is_inside { misplaced_item(p).map(|()| None) } else { p.nested(T::parse).map(Some) };
        match parsed {
            Ok(part) => parts.extend(part),
            Err(Reported) => {
                while !ends_before(p, level, braces, first) && !ends_with_next(p, level, braces) {}
                (p.braces, p.depth, p.deepest, p.mode) = (braces, depth, depth, Mode::Free);
                parts.extend(failed(p, start));
            }
        }
    }
}

/// Tests whether the failed construct ends before the next token; `first` is the index of its first token.
fn ends_before(p: &Parser<'_>, level: Level, braces: u32, first: usize) -> bool {
    let is_behind_first = p.at > first;
    let is_outside = p.braces <= braces;
    let closes = is_outside && p.at(TokenKind::RBrace);
    let ends = match level {
        Level::Item => is_behind_first && at_item(p),
        Level::Member => at_item(p) || closes || (is_outside && is_behind_first && at_member_on_new_line(p)),
        Level::HttpLine | Level::GenerateLine => at_item(p) || at_member(p) || closes,
        Level::Statement => {
            let begins_another = is_outside && is_behind_first && at_statement_on_new_line(p);
            at_item(p) || at_member(p) || closes || begins_another
        }
    };
    ends || p.at(TokenKind::End)
}

/// Takes the next token; returns whether the failed construct ends with it.
fn ends_with_next(p: &mut Parser<'_>, level: Level, braces: u32) -> bool {
    let token = p.advance();
    match token.kind {
        TokenKind::Semi => p.braces <= braces,
        TokenKind::RBrace if p.braces <= braces => match level {
            Level::Item | Level::Member | Level::HttpLine | Level::GenerateLine => {
                p.eat(TokenKind::Semi).is_some() || p.at_line_start()
            }
            Level::Statement => p.at_line_start() && !matches!(p.peek(), TokenKind::Else | TokenKind::Or),
        },
        _ => false,
    }
}

/// Tests whether an item begins here: `enum Name`, `serial protocol`. No statement or member begins like this.
fn at_item(p: &Parser<'_>) -> bool {
    p.peek_at(1).is_name() && ITEM_WORDS.contains(&p.word())
}

/// Tests whether an item begins here that its writer takes for a member: it is indented more than the line on which the protocol begins.
/// (With less indentation, the `}` of the protocol is missing.)
fn at_inner_item(p: &Parser<'_>, open: Lexeme) -> bool {
    let indentation = |offset: u32| {
        let line = p.text[..offset as usize].rfind('\n').map_or(0, |end| end + 1);
        p.text[line..].len() - p.text[line..].trim_start_matches([' ', '\t']).len()
    };
    at_item(p) && indentation(p.token().start) > indentation(open.start)
}

/// Parses an item among the members of a protocol, and reports it.
fn misplaced_item(p: &mut Parser<'_>) -> ParseResult<()> {
    let finding = Diagnostic::error(p.here(), format!("`{}` is not allowed inside a protocol", p.word()));
    p.diagnostics.push(finding.label("expected it before or after the protocol"));
    p.nested(Item::parse).map(|_| ())
}

/// Tests whether a member begins here that cannot be a statement: `on Name`, `step {`.
fn at_member(p: &Parser<'_>) -> bool {
    let (word, next) = (p.word(), p.peek_at(1));
    match (word, next) {
        ("step" | "http" | "generate", next) => next == TokenKind::LBrace,
        ("on", TokenKind::Int | TokenKind::Text | TokenKind::Close | TokenKind::True | TokenKind::False) => true,
        _ => next.is_name() && MEMBER_WORDS.contains(&word),
    }
}

fn at_member_on_new_line(p: &Parser<'_>) -> bool {
    p.at_line_start() && (p.at(TokenKind::Var) || MEMBER_WORDS.contains(&p.word()))
}

fn at_statement_on_new_line(p: &Parser<'_>) -> bool {
    use TokenKind::{Assume, Close, Expects, For, Let, Reply, Return, Send, Var, While, Yield};
    let begins = matches!(p.peek(), Let | Var | For | While | Assume | Expects | Reply | Send | Yield | Close | Return);
    begins && p.at_line_start()
}
