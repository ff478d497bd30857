//! Patterns, which stand after `is`, `on` and `let` and before `=>`; and binders, the names and tuples after `for`.
//!
//! `Some((x, _)) | None`, `Get { key, .. }`, `[first, ..rest]`, `[.., last]` and `Enum.lower(-1)` are patterns.

use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{FieldPattern, Name, Pattern, PatternKind};
use crate::syntax::lexer::TokenKind;

use super::combine::ROUND;
use super::literals::{integer, text};
use super::{Mode, Parse, ParseResult, Parser};

impl Parse for Pattern {
    /// `pattern`
    fn parse(p: &mut Parser<'_>) -> ParseResult<Pattern> {
        p.nested(|p| p.chain(alternatives))
    }
}

impl Parse for FieldPattern {
    fn parse(p: &mut Parser<'_>) -> ParseResult<FieldPattern> {
        Ok(FieldPattern { name: p.name("the name of a field")?, pattern: p.after(TokenKind::Colon)? })
    }
}

/// `binder`: a name, or a tuple of binders.
pub(super) fn binder(p: &mut Parser<'_>) -> ParseResult<Pattern> {
    const EXPECTED: &str = "a name, or a tuple of names";
    if !p.at_name() && !p.at(TokenKind::LParen) {
        return p.fail(EXPECTED);
    }
    let pattern = p.nested(|p| p.spanned(one))?;
    if !is_binder(&pattern) {
        p.error(pattern.span, format!("expected {EXPECTED}"));
    }
    Ok(pattern)
}

fn is_binder(pattern: &Pattern) -> bool {
    match &pattern.kind {
        PatternKind::Wildcard | PatternKind::Name(_) | PatternKind::Error => true,
        PatternKind::Tuple(elements) => elements.iter().all(is_binder),
        PatternKind::Int(_)
        | PatternKind::Text(_)
        | PatternKind::Bool(_)
        | PatternKind::Variant { .. }
        | PatternKind::Record { .. }
        | PatternKind::List { .. }
        | PatternKind::Or(_) => false,
    }
}

fn alternatives(p: &mut Parser<'_>) -> ParseResult<Pattern> {
    let start = p.token().start;
    let first = p.spanned(one)?;
    if !p.at(TokenKind::Bar) {
        return Ok(first);
    }
    let mut alternatives = vec![first];
    while p.eat(TokenKind::Bar).is_some() {
        alternatives.push(p.spanned(one)?);
    }
    p.deepen(p.deepest)?;
    Ok(p.node(start, PatternKind::Or(alternatives)))
}

fn one(p: &mut Parser<'_>) -> ParseResult<PatternKind> {
    match p.peek() {
        TokenKind::Name | TokenKind::Quoted => named(p),
        TokenKind::Int => Ok(PatternKind::Int(integer(p))),
        TokenKind::Minus => {
            p.advance();
            if p.at(TokenKind::Int) { Ok(PatternKind::Int(integer(p).neg())) } else { p.fail("a number") }
        }
        TokenKind::Text => Ok(PatternKind::Text(text(p))),
        TokenKind::True | TokenKind::False => Ok(PatternKind::Bool(p.advance().kind == TokenKind::True)),
        TokenKind::LParen => tuple(p),
        TokenKind::LBracket => list(p),
        _ => p.fail("a pattern"),
    }
}

fn tuple(p: &mut Parser<'_>) -> ParseResult<PatternKind> {
    let start = p.token().start;
    let elements: Vec<Pattern> = p.bracketed(ROUND)?;
    if elements.is_empty() {
        p.error(p.since(start), "expected a pattern between the parentheses");
        return Ok(PatternKind::Error);
    }
    Ok(PatternKind::Tuple(elements))
}

fn list(p: &mut Parser<'_>) -> ParseResult<PatternKind> {
    let open = p.advance();
    let elements = p.list(TokenKind::RBracket)?;
    let (mut rest, mut last) = (None, Vec::new());
    if p.eat(TokenKind::DotDot).is_some() {
        rest = Some(if p.at_name() { Some(p.name("a name")?) } else { None });
        if p.eat(TokenKind::Comma).is_some() {
            last = p.list(TokenKind::RBracket)?;
        }
        if p.at(TokenKind::DotDot) {
            let finding = Diagnostic::error(p.here(), "a second `..` in the pattern of a list");
            return p.fail_with(finding.label("expected at most one"));
        }
    }
    p.end_of_list(TokenKind::RBracket, open)?;
    Ok(PatternKind::List { elements, rest, last })
}

fn named(p: &mut Parser<'_>) -> ParseResult<PatternKind> {
    if p.eat_word("_").is_some() {
        return Ok(PatternKind::Wildcard);
    }
    let first = p.name("a pattern")?;
    let (qualifier, name) = match p.eat(TokenKind::Dot) {
        Some(_) => (Some(first), p.name("the name of a variant")?),
        None => (None, first),
    };
    match p.peek() {
        TokenKind::LParen => Ok(PatternKind::Variant { qualifier, name, args: p.bracketed(ROUND)? }),
        TokenKind::LBrace if opens_fields(p) => record(p, qualifier, name),
        _ if qualifier.is_some() => Ok(PatternKind::Variant { qualifier, name, args: Vec::new() }),
        _ => Ok(PatternKind::Name(name)),
    }
}

/// Tests whether the `{` after a name opens fields.
///
/// After `on` it does iff the next tokens are `..`, or a name and then `,` `:` `}`, or `}` and then `{` `|` `from` `if`.
fn opens_fields(p: &Parser<'_>) -> bool {
    match (p.mode, p.peek_at(1), p.peek_at(2)) {
        (Mode::Free, ..) | (Mode::Request, TokenKind::DotDot, _) => true,
        (Mode::Request, TokenKind::Name | TokenKind::Quoted, next) => {
            matches!(next, TokenKind::Comma | TokenKind::Colon | TokenKind::RBrace)
        }
        (Mode::Request, TokenKind::RBrace, TokenKind::Name) => p.text_of(p.token_at(2)) == "from",
        (Mode::Request, TokenKind::RBrace, next) => {
            matches!(next, TokenKind::LBrace | TokenKind::Bar | TokenKind::If)
        }
        (Mode::Head | Mode::Request, ..) => false,
    }
}

fn record(p: &mut Parser<'_>, qualifier: Option<Name>, name: Name) -> ParseResult<PatternKind> {
    let open = p.advance();
    let fields = p.list(TokenKind::RBrace)?;
    Ok(PatternKind::Record { qualifier, name, fields, openness: p.openness(open)? })
}
