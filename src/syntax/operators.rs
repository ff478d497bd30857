//! Infix operators: one row for each, for the parser and the printer.
//!
//! `a || b && c` is `a || (b && c)`, since the row of `&&` has the greater number.

use super::ast::BinaryOp;
use super::lexer::TokenKind;

/// The precedence of comparisons, which cannot be chained.
pub(super) const COMPARISON: u8 = 2;
/// The precedence of `a..b`, which cannot be chained.
pub(super) const RANGE: u8 = 3;

/// The token, the sign and the precedence of each operator, in the order of [`BinaryOp`]; a greater number binds tighter.
pub(super) const BINARY: [(TokenKind, BinaryOp, &str, u8); 15] = [
    (TokenKind::OrOr, BinaryOp::Or, "||", 0),
    (TokenKind::AndAnd, BinaryOp::And, "&&", 1),
    (TokenKind::EqEq, BinaryOp::Eq, "==", COMPARISON),
    (TokenKind::NotEq, BinaryOp::Ne, "!=", COMPARISON),
    (TokenKind::Less, BinaryOp::Lt, "<", COMPARISON),
    (TokenKind::LessEq, BinaryOp::Le, "<=", COMPARISON),
    (TokenKind::Greater, BinaryOp::Gt, ">", COMPARISON),
    (TokenKind::GreaterEq, BinaryOp::Ge, ">=", COMPARISON),
    (TokenKind::In, BinaryOp::In, "in", COMPARISON),
    (TokenKind::Plus, BinaryOp::Add, "+", 4),
    (TokenKind::Minus, BinaryOp::Sub, "-", 4),
    (TokenKind::Star, BinaryOp::Mul, "*", 5),
    (TokenKind::Slash, BinaryOp::Div, "/", 5),
    (TokenKind::Percent, BinaryOp::Rem, "%", 5),
    (TokenKind::Ampersand, BinaryOp::Intersect, "&", 5),
];

impl BinaryOp {
    /// The operator as it is written.
    #[must_use]
    pub fn sign(self) -> &'static str {
        BINARY[self as usize].2
    }

    /// The precedence of the operator; a greater number binds tighter.
    pub(super) fn level(self) -> u8 {
        BINARY[self as usize].3
    }
}

#[cfg(test)]
mod tests {
    use super::BINARY;

    #[test]
    fn the_rows_are_in_the_order_of_the_operators() {
        assert!(BINARY.iter().enumerate().all(|(row, (_, op, ..))| row == *op as usize));
    }
}
