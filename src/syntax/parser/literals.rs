//! Literals: integers, the cells of machines, strings.
//!
//! `007` is 7, `!12` is cell 12, and `"\q"` is an empty string with an error at its escape.

use crate::scalar::Int;
use crate::syntax::ast::TextLiteral;
use crate::syntax::literal::decode;

use super::Parser;

/// The largest number of digits of an integer literal, as reading takes time quadratic in it.
const MAX_DIGITS: usize = 100_000;

/// Parses an integer; the next token must be one.
pub(super) fn integer(p: &mut Parser<'_>) -> Int {
    let token = p.advance();
    let digits = p.text_of(token);
    let value = if digits.len() <= MAX_DIGITS { Int::parse(digits) } else { None };
    if value.is_none() {
        p.error(p.span(token), format!("an integer literal has at most {MAX_DIGITS} digits"));
    }
    value.unwrap_or_default()
}

/// Parses a cell `!k`; the next token must be one.
pub(super) fn cell(p: &mut Parser<'_>) -> u32 {
    let token = p.advance();
    let number = p.text_of(token)[1..].parse();
    if number.is_err() {
        p.error(p.span(token), format!("cells are numbered from 0 to {}", u32::MAX));
    }
    number.unwrap_or(0)
}

/// Parses a string; the next token must be one.
pub(super) fn text(p: &mut Parser<'_>) -> TextLiteral {
    let token = p.advance();
    let (literal, flaws) = decode(p.text_of(token));
    for flaw in flaws {
        let mut place = p.span(token);
        (place.start, place.end) = (token.start + flaw.start as u32, token.start + flaw.end as u32);
        p.error(place, flaw.message);
    }
    literal
}
