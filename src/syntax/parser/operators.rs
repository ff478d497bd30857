//! Operators: `expr`, `and`, `rel`, `range`, `sum`, `prod` of the grammar, parsed by precedence; and `unary`.
//!
//! `a || b && c + d * -e` is `a || (b && (c + (d * (-e))))`; `a < b < c` and `a..b..c` are errors, since comparisons and ranges cannot be
//! chained.

use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::syntax::lexer::TokenKind;
use crate::syntax::operators::{BINARY, COMPARISON, RANGE};

use super::expressions::{open, postfix};
use super::{Parse, ParseResult, Parser};

/// The construct for an infix operator.
#[derive(Clone, Copy)]
enum Infix {
    Binary(BinaryOp),
    Is,
    Range,
}

/// The infix operator for a token, and its precedence.
fn infix(kind: TokenKind) -> Option<(Infix, u8)> {
    match kind {
        TokenKind::DotDot => Some((Infix::Range, RANGE)),
        TokenKind::Is => Some((Infix::Is, COMPARISON)),
        _ => BINARY.iter().find(|row| row.0 == kind).map(|(_, op, _, level)| (Infix::Binary(*op), *level)),
    }
}

impl Parse for Expr {
    /// `expr`
    fn parse(p: &mut Parser<'_>) -> ParseResult<Expr> {
        p.nested(|p| binary(p, 0))
    }
}

/// Parses operands joined by operators of at least this precedence. (Nested constructs only pass through small stack frames: this one and
/// those of `unary`, `postfix` and `atom`.)
fn binary(p: &mut Parser<'_>, loosest: u8) -> ParseResult<Expr> {
    p.chain(|p| {
        let first = unary(p)?;
        if infix(p.peek()).is_some() { operators(p, first, loosest) } else { Ok(first) }
    })
}

fn operators(p: &mut Parser<'_>, mut left: Expr, loosest: u8) -> ParseResult<Expr> {
    while let Some((op, level)) = infix(p.peek()).filter(|(_, level)| *level >= loosest) {
        p.advance();
        left = join(p, left, op, level)?;
        p.deepen(p.deepest)?;
        must_not_chain(p, level)?;
    }
    Ok(left)
}

/// Parses the right operand and joins it to the left one.
fn join(p: &mut Parser<'_>, left: Expr, op: Infix, level: u8) -> ParseResult<Expr> {
    let start = left.span.start;
    let left = Box::new(left);
    let kind = match op {
        Infix::Is => ExprKind::Is(left, p.parse()?),
        Infix::Range => ExprKind::Range(left, Box::new(binary(p, level + 1)?)),
        Infix::Binary(op) => ExprKind::Binary(op, left, Box::new(binary(p, level + 1)?)),
    };
    Ok(p.node(start, kind))
}

fn must_not_chain(p: &mut Parser<'_>, level: u8) -> ParseResult<()> {
    let again = infix(p.peek()).is_some_and(|(_, next)| next == level);
    let (what, help) = match level {
        RANGE if again => ("ranges cannot be chained", "put one of them in parentheses"),
        COMPARISON if again => {
            ("comparisons cannot be chained", "join them with `&&`, or put one of them in parentheses")
        }
        _ => return Ok(()),
    };
    p.fail_with(Diagnostic::error(p.here(), what).label("a second operator").help(help))
}

/// `unary`
fn unary(p: &mut Parser<'_>) -> ParseResult<Expr> {
    match p.peek() {
        TokenKind::Bang => prefixed(p, UnaryOp::Not),
        TokenKind::Minus => prefixed(p, UnaryOp::Neg),
        // These constructs extend as far to the right as possible.
        TokenKind::Choose | TokenKind::Pick | TokenKind::Either | TokenKind::Any | TokenKind::All => open(p),
        _ => postfix(p),
    }
}

fn prefixed(p: &mut Parser<'_>, op: UnaryOp) -> ParseResult<Expr> {
    let start = p.advance().start;
    let operand = Box::new(p.nested(unary)?);
    Ok(p.node(start, ExprKind::Unary(op, operand)))
}
