//! The constructs in braces and brackets: literals, comprehensions, `{ let … }`, `with`, and the branches of `if` and `match` expressions.
//!
//! `{}` `{a, b}` `{k: v}` `{f for x in e if p}` `{k: v, l: w if p}` `{ e with f: v }` `{ let x = e; f }` all begin with a brace.

use crate::syntax::ast::{Arm, Clause, Expr, ExprKind, GatheredKind, GatheredPart, Pattern};
use crate::syntax::lexer::{Lexeme, TokenKind};

use super::combine::{CURLY, sign};
use super::patterns::binder;
use super::{Mode, Parse, ParseResult, Parser};

/// `"[" list(part) "]"`
pub(super) fn list_literal(p: &mut Parser<'_>) -> ParseResult<ExprKind> {
    let open = p.advance();
    p.in_mode(Mode::Free, |p| {
        if p.eat(TokenKind::RBracket).is_some() {
            return Ok(ExprKind::List(Vec::new()));
        }
        let first = p.parse()?;
        Ok(literal(GatheredKind::List, parts(p, first, None, TokenKind::RBracket, open)?))
    })
}

/// Reads the parts of a literal and the closing bracket; the element of the first part has been read.
fn parts(
    p: &mut Parser<'_>,
    element: Expr,
    value: Option<Expr>,
    close: TokenKind,
    open: Lexeme,
) -> ParseResult<Vec<GatheredPart>> {
    let is_map = value.is_some();
    let mut parts = vec![GatheredPart { element, value, clauses: clauses(p)? }];
    while p.eat(TokenKind::Comma).is_some() && !p.at(close) {
        let element = p.parse()?;
        let value = if is_map {
            p.expect(TokenKind::Colon, "`:` and a value")?;
            Some(p.parse()?)
        } else {
            None
        };
        parts.push(GatheredPart { element, value, clauses: clauses(p)? });
    }
    let has_clauses = parts.last().is_some_and(|part| !part.clauses.is_empty());
    let before = if has_clauses { "`for`, `if`, `,`" } else { "`,`" };
    p.close(close, open, &format!("{before} or {}", sign(close)))?;
    Ok(parts)
}

/// The literal or comprehension with these parts.
fn literal(of: GatheredKind, mut parts: Vec<GatheredPart>) -> ExprKind {
    if parts.iter().all(|part| part.clauses.is_empty()) {
        let elements = parts.into_iter();
        return match of {
            GatheredKind::List => ExprKind::List(elements.map(|part| part.element).collect()),
            GatheredKind::Set => ExprKind::Set(elements.map(|part| part.element).collect()),
            GatheredKind::Map => ExprKind::Map(elements.filter_map(|part| Some((part.element, part.value?))).collect()),
        };
    }
    match (parts.pop(), parts.is_empty()) {
        (Some(GatheredPart { element, value, clauses }), true) => {
            let element = Box::new(element);
            match (of, value) {
                (GatheredKind::List, _) => ExprKind::ListComprehension { element, clauses },
                (_, Some(value)) => ExprKind::MapComprehension { key: element, value: Box::new(value), clauses },
                (_, None) => ExprKind::SetComprehension { element, clauses },
            }
        }
        (last, _) => {
            parts.extend(last);
            ExprKind::Gathered { of, parts }
        }
    }
}

/// `braces` or `letin`
pub(super) fn braces(p: &mut Parser<'_>) -> ParseResult<ExprKind> {
    let open = p.advance();
    p.in_mode(Mode::Free, |p| match p.peek() {
        TokenKind::RBrace => {
            p.advance();
            Ok(ExprKind::EmptyBraces)
        }
        TokenKind::Let => let_in(p, open),
        _ => {
            let first = p.parse()?;
            after_first(p, first, open)
        }
    })
}

fn after_first(p: &mut Parser<'_>, first: Expr, open: Lexeme) -> ParseResult<ExprKind> {
    match p.peek() {
        TokenKind::Colon => {
            let value = p.then()?;
            Ok(literal(GatheredKind::Map, parts(p, first, Some(value), TokenKind::RBrace, open)?))
        }
        TokenKind::With => {
            p.advance();
            let fields = p.list(TokenKind::RBrace)?;
            p.end_of_list(TokenKind::RBrace, open)?;
            Ok(ExprKind::With { base: Box::new(first), fields })
        }
        _ => Ok(literal(GatheredKind::Set, parts(p, first, None, TokenKind::RBrace, open)?)),
    }
}

/// `{clause}`
fn clauses(p: &mut Parser<'_>) -> ParseResult<Vec<Clause>> {
    let mut clauses = Vec::new();
    while let Some(clause) = clause(p)? {
        clauses.push(clause);
    }
    Ok(clauses)
}

/// `clause`, if the next token begins one.
pub(super) fn clause(p: &mut Parser<'_>) -> ParseResult<Option<Clause>> {
    if p.eat(TokenKind::For).is_none() {
        return Ok(p.after(TokenKind::If)?.map(Clause::If));
    }
    let binder = binder(p)?;
    p.expect(TokenKind::In, "`in`")?;
    Ok(Some(Clause::For { binder, over: p.parse()? }))
}

/// `letin`, after its `{`
fn let_in(p: &mut Parser<'_>, open: Lexeme) -> ParseResult<ExprKind> {
    let mut bindings: Vec<(Pattern, Expr)> = Vec::new();
    while p.at(TokenKind::Let) {
        let pattern = p.then()?;
        if p.at(TokenKind::Colon) {
            return p.fail_with(p.unexpected("`=`").help("`let` cannot have a type inside an expression"));
        }
        p.expect(TokenKind::Equals, "`=`")?;
        bindings.push((pattern, p.ended()?));
    }
    let body = p.parse()?;
    p.close(TokenKind::RBrace, open, "`}`")?;
    Ok(ExprKind::Let { bindings, body })
}

/// `branch`: an expression in braces.
fn branch(p: &mut Parser<'_>) -> ParseResult<Expr> {
    let open = p.expect(TokenKind::LBrace, "`{`")?;
    p.in_mode(Mode::Free, |p| match p.peek() {
        TokenKind::Let => {
            let kind = let_in(p, open)?;
            Ok(p.node(open.start, kind))
        }
        TokenKind::RBrace => {
            p.fail_with(p.unexpected("an expression").help("write the empty map or set as `{ {} }` here"))
        }
        _ => {
            let value = p.parse()?;
            p.close(TokenKind::RBrace, open, "`}`")?;
            Ok(value)
        }
    })
}

/// `if` as an expression
pub(super) fn if_expr(p: &mut Parser<'_>) -> ParseResult<ExprKind> {
    let start = p.advance();
    let condition = Box::new(p.head()?);
    let then = Box::new(branch(p)?);
    if !p.at(TokenKind::Else) {
        return p.fail_with(p.unexpected("`else`").also(p.span(start), "this `if` is an expression"));
    }
    p.advance();
    let otherwise = if p.at(TokenKind::If) { p.nested(|p| p.spanned(if_expr))? } else { branch(p)? };
    Ok(ExprKind::If { condition, then, otherwise: Box::new(otherwise) })
}

/// `match` as an expression
pub(super) fn match_expr(p: &mut Parser<'_>) -> ParseResult<ExprKind> {
    p.advance();
    Ok(ExprKind::Match { subject: Box::new(p.head()?), arms: p.bracketed(CURLY)? })
}

impl Parse for Arm<Expr> {
    fn parse(p: &mut Parser<'_>) -> ParseResult<Arm<Expr>> {
        arm(p, Parse::parse)
    }
}

/// `pattern ["if" expr] "=>"`, and the body.
pub(super) fn arm<Body>(
    p: &mut Parser<'_>,
    body: impl FnOnce(&mut Parser<'_>) -> ParseResult<Body>,
) -> ParseResult<Arm<Body>> {
    let start = p.token().start;
    let pattern = p.parse()?;
    let guard = p.after(TokenKind::If)?;
    p.expect(TokenKind::FatArrow, if guard.is_some() { "`=>`" } else { "`=>` or `if`" })?;
    Ok(Arm { pattern, guard, body: body(p)?, span: p.since(start) })
}
