//! Expressions: `open`, `postfix` and `atom` of the grammar.
//!
//! `pick 0..len(items)`, `data.get(key)[0].f`, `Ok { value, ..choose }` and `choose x: Id where !(x in used)` are parsed here. Constructs
//! in braces and brackets are in `braces`, operators in `operators`.

use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{Expr, ExprKind, Init, Name, Quantifier, Rest};
use crate::syntax::lexer::TokenKind;

use super::braces::{braces, if_expr, list_literal, match_expr};
use super::combine::ROUND;
use super::literals::{cell, integer, text};
use super::patterns::binder;
use super::{Mode, Parse, ParseResult, Parser};

/// `open`, or a `choose` that is an atom
pub(super) fn open(p: &mut Parser<'_>) -> ParseResult<Expr> {
    match p.peek() {
        TokenKind::Choose if p.peek_at(1).is_name() && p.peek_at(2) == TokenKind::Colon => p.spanned(choose_where),
        TokenKind::Pick => p.spanned(pick),
        TokenKind::Either => p.spanned(either),
        TokenKind::Any => p.spanned(|p| quantified(p, Quantifier::Any)),
        TokenKind::All => p.spanned(|p| quantified(p, Quantifier::All)),
        _ => postfix(p),
    }
}

fn choose_where(p: &mut Parser<'_>) -> ParseResult<ExprKind> {
    p.advance();
    let name = p.name("a name")?;
    p.expect(TokenKind::Colon, "`:`")?;
    let ty = p.parse()?;
    p.expect(TokenKind::Where, "`where` and a condition")?;
    Ok(ExprKind::ChooseWhere { name, ty, condition: p.parse()? })
}

fn pick(p: &mut Parser<'_>) -> ParseResult<ExprKind> {
    p.advance();
    if !(p.at_name() && p.peek_at(1) == TokenKind::In) {
        return p.parse().map(ExprKind::Pick);
    }
    let name = p.name("a name")?;
    let over = p.then()?;
    p.expect_or(TokenKind::Where, "`where` and a condition", "without a condition, write `pick e`")?;
    Ok(ExprKind::PickWhere { name, over, condition: p.parse()? })
}

fn either(p: &mut Parser<'_>) -> ParseResult<ExprKind> {
    let mut alternatives = vec![p.then()?];
    if !p.at(TokenKind::Or) {
        return p.fail("`or` and another alternative");
    }
    while p.at(TokenKind::Or) {
        alternatives.push(p.then()?);
    }
    Ok(ExprKind::Either(alternatives))
}

fn quantified(p: &mut Parser<'_>, quantifier: Quantifier) -> ParseResult<ExprKind> {
    let word = p.advance();
    if !p.at_name() && !p.at(TokenKind::LParen) {
        let word = p.text_of(word);
        let help = format!("`{word} x in xs: c` is a condition; in backquotes it is a name: `` `{word}` ``");
        let finding = Diagnostic::error(p.here(), format!("expected a name after `{word}`"));
        return p.fail_with(finding.label("expected a name, or a tuple of names").help(help));
    }
    let binder = binder(p)?;
    p.expect(TokenKind::In, "`in`")?;
    let over = p.parse()?;
    p.expect(TokenKind::Colon, "`:` and a condition")?;
    Ok(ExprKind::Quantified { quantifier, binder, over, body: p.parse()? })
}

/// `postfix`
pub(super) fn postfix(p: &mut Parser<'_>) -> ParseResult<Expr> {
    p.chain(|p| {
        let atom = p.spanned(atom)?;
        match p.peek() {
            TokenKind::Dot | TokenKind::LBracket | TokenKind::LParen | TokenKind::LBrace => selections(p, atom),
            _ => Ok(atom),
        }
    })
}

/// Parses `.f`, `.f(..)`, `[i]`, `(..)` and `{..}` after an atom.
fn selections(p: &mut Parser<'_>, mut expr: Expr) -> ParseResult<Expr> {
    let start = expr.span.start;
    loop {
        let below = p.deepest;
        let kind = match p.peek() {
            TokenKind::Dot => member_of(p, expr)?,
            TokenKind::LBracket => element_of(p, expr)?,
            TokenKind::LParen => call_of(p, expr)?,
            TokenKind::LBrace if p.mode == Mode::Free => match record_name(&expr) {
                Some((qualifier, name)) => record(p, qualifier, name)?,
                None => return Ok(expr),
            },
            _ => return Ok(expr),
        };
        expr = p.node(start, kind);
        p.deepen(below)?;
    }
}

fn member_of(p: &mut Parser<'_>, receiver: Expr) -> ParseResult<ExprKind> {
    const EXPECTED: &str = "the name of a field or function";
    p.advance();
    if p.at(TokenKind::Int) {
        let help = "all numbers are integers; destructure a tuple with `let (a, b) = …;`";
        return p.fail_with(p.unexpected(EXPECTED).help(help));
    }
    let (receiver, name) = (Box::new(receiver), p.member_name(EXPECTED)?);
    if !p.at(TokenKind::LParen) {
        return Ok(ExprKind::Field(receiver, name));
    }
    Ok(ExprKind::Method { receiver, name, args: p.bracketed(ROUND)? })
}

fn element_of(p: &mut Parser<'_>, collection: Expr) -> ParseResult<ExprKind> {
    let open = p.advance();
    let index = p.in_mode(Mode::Free, Parse::parse)?;
    p.close(TokenKind::RBracket, open, "`]`")?;
    Ok(ExprKind::Index(Box::new(collection), index))
}

fn call_of(p: &mut Parser<'_>, function: Expr) -> ParseResult<ExprKind> {
    let ExprKind::Name(name) = function.kind else {
        let place = function.span;
        return p.fail_with(Diagnostic::error(place, "only a name can be called").label("this is not a name"));
    };
    Ok(ExprKind::Call { name, args: p.bracketed(ROUND)? })
}

/// The name of a record or variant, if an expression is one: `Name` or `Name.Name`.
fn record_name(expr: &Expr) -> Option<(Option<Name>, Name)> {
    match &expr.kind {
        ExprKind::Name(name) => Some((None, name.clone())),
        ExprKind::Field(receiver, name) => match &receiver.kind {
            ExprKind::Name(qualifier) => Some((Some(qualifier.clone()), name.clone())),
            _ => None,
        },
        _ => None,
    }
}

/// Parses the braces of a record or variant.
fn record(p: &mut Parser<'_>, qualifier: Option<Name>, name: Name) -> ParseResult<ExprKind> {
    let open = p.advance();
    let fields = p.list(TokenKind::RBrace)?;
    let Some(dots) = p.eat(TokenKind::DotDot) else {
        p.end_of_list(TokenKind::RBrace, open)?;
        return Ok(ExprKind::Record { qualifier, name, fields, rest: Rest::Nothing });
    };
    p.expect(TokenKind::Choose, "`choose` (the other fields are free)")?;
    let rest = Rest::Choose(p.since(dots.start), p.id());
    p.eat(TokenKind::Comma);
    p.close(TokenKind::RBrace, open, "`}`")?;
    Ok(ExprKind::Record { qualifier, name, fields, rest })
}

impl Parse for Init {
    fn parse(p: &mut Parser<'_>) -> ParseResult<Init> {
        Ok(Init { name: p.name("the name of a field")?, value: p.after(TokenKind::Colon)? })
    }
}

/// `atom`
fn atom(p: &mut Parser<'_>) -> ParseResult<ExprKind> {
    match p.peek() {
        TokenKind::Int => Ok(ExprKind::Int(integer(p))),
        TokenKind::Text => Ok(ExprKind::Text(text(p))),
        TokenKind::True | TokenKind::False => Ok(ExprKind::Bool(p.advance().kind == TokenKind::True)),
        TokenKind::Cell => Ok(ExprKind::Cell(cell(p))),
        TokenKind::Name | TokenKind::Quoted => p.name("a name").map(ExprKind::Name),
        TokenKind::Choose => choose(p),
        TokenKind::LParen => parenthesised(p),
        TokenKind::LBracket => list_literal(p),
        TokenKind::LBrace => braces(p),
        TokenKind::If => if_expr(p),
        TokenKind::Match => match_expr(p),
        TokenKind::Call => misplaced_call(p),
        _ => p.fail("an expression"),
    }
}

fn misplaced_call(p: &mut Parser<'_>) -> ParseResult<ExprKind> {
    let finding = Diagnostic::error(p.here(), "`call` is not allowed inside an expression");
    let help = "a `call` is the entire right side of `let`, `var` or `:=`, or a statement of its own";
    p.fail_with(finding.label("this waits for a peer").help(help))
}

fn choose(p: &mut Parser<'_>) -> ParseResult<ExprKind> {
    p.advance();
    let is_answer = p.word() == "then" && p.peek_at(1) == TokenKind::LBrace;
    let begins_type = (p.at_name() && !is_answer) || p.at(TokenKind::LParen);
    Ok(ExprKind::Choose(if begins_type { Some(p.parse()?) } else { None }))
}

fn parenthesised(p: &mut Parser<'_>) -> ParseResult<ExprKind> {
    let open = p.advance();
    if p.eat(TokenKind::RParen).is_some() {
        p.error(p.since(open.start), "expected an expression between the parentheses");
        return Ok(ExprKind::Error);
    }
    let inside = p.in_mode(Mode::Free, |p| {
        let first = p.parse()?;
        if p.at(TokenKind::Comma) { tuple(p, first) } else { Ok(ExprKind::Paren(Box::new(first))) }
    })?;
    p.end_of_list(TokenKind::RParen, open)?;
    Ok(inside)
}

/// Parses the elements of a tuple after the first one, up to the closing parenthesis, which is not taken.
fn tuple(p: &mut Parser<'_>, first: Expr) -> ParseResult<ExprKind> {
    let comma = p.here();
    let elements = p.further(first, TokenKind::RParen)?;
    if elements.len() == 1 {
        p.error(comma, "a tuple has two or more elements");
    }
    Ok(ExprKind::Tuple(elements))
}
