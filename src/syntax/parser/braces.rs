//! The constructs between braces and brackets: literals, comprehensions, `{ let … }`, `with`, and the branches of `if` and
//! `match` where they are expressions.
//!
//! `{}` `{a, b}` `{k: v}` `{f for x in e if p}` `{ e with f: v }` `{ let x = e; f }` all begin alike.

use crate::syntax::ast::{Arm, Clause, Expr, ExprKind, Pattern};
use crate::syntax::lexer::{Lexeme, TokenKind};

use super::combine::{CURLY, sign};
use super::patterns::binder;
use super::{Mode, Parse, ParseResult, Parser};

/// `"[" list(expr) "]"` or a comprehension
pub(super) fn list_literal(p: &mut Parser<'_>) -> ParseResult<ExprKind> {
    let open = p.advance();
    p.in_mode(Mode::Free, |p| {
        if p.eat(TokenKind::RBracket).is_some() {
            return Ok(ExprKind::List(Vec::new()));
        }
        let first = p.parse()?;
        if let Some(clauses) = clauses(p, TokenKind::RBracket, open)? {
            return Ok(ExprKind::ListComprehension { element: Box::new(first), clauses });
        }
        rest_of_list(p, first, TokenKind::RBracket, open).map(ExprKind::List)
    })
}

/// The elements from the first one, which has been read, and the closing bracket.
fn rest_of_list<T: Parse>(p: &mut Parser<'_>, first: T, close: TokenKind, open: Lexeme) -> ParseResult<Vec<T>> {
    let elements = p.further(first, close)?;
    p.end_of_list(close, open)?;
    Ok(elements)
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
            map(p, (first, value), open)
        }
        TokenKind::With => {
            p.advance();
            let fields = p.list(TokenKind::RBrace)?;
            p.end_of_list(TokenKind::RBrace, open)?;
            Ok(ExprKind::With { base: Box::new(first), fields })
        }
        _ => match clauses(p, TokenKind::RBrace, open)? {
            Some(clauses) => Ok(ExprKind::SetComprehension { element: Box::new(first), clauses }),
            None => rest_of_list(p, first, TokenKind::RBrace, open).map(ExprKind::Set),
        },
    }
}

fn map(p: &mut Parser<'_>, first: (Expr, Expr), open: Lexeme) -> ParseResult<ExprKind> {
    match clauses(p, TokenKind::RBrace, open)? {
        Some(clauses) => {
            let (key, value) = first;
            Ok(ExprKind::MapComprehension { key: Box::new(key), value: Box::new(value), clauses })
        }
        None => rest_of_list(p, first, TokenKind::RBrace, open).map(ExprKind::Map),
    }
}

/// An entry of a map.
impl Parse for (Expr, Expr) {
    fn parse(p: &mut Parser<'_>) -> ParseResult<(Expr, Expr)> {
        let key = p.parse()?;
        p.expect(TokenKind::Colon, "`:` and a value")?;
        Ok((key, p.parse()?))
    }
}

/// `{clause}` and the closing bracket, if there is a clause.
fn clauses(p: &mut Parser<'_>, close: TokenKind, open: Lexeme) -> ParseResult<Option<Vec<Clause>>> {
    let mut clauses = Vec::new();
    while let Some(clause) = clause(p)? {
        clauses.push(clause);
    }
    if clauses.is_empty() {
        return Ok(None);
    }
    p.close(close, open, &format!("`for`, `if` or {}", sign(close)))?;
    Ok(Some(clauses))
}

/// `clause`, if one is next.
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
