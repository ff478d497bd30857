//! Lists: elements between brackets, separated by commas, one more comma allowed at the end.
//!
//! `(a, b,)`, `[a]` and `{f: 1}` are such lists; brackets end the restrictions of a head (see [`Mode`]).

use crate::syntax::lexer::{Kind, Token};

use super::{Mode, Outcome, Parser};

impl Parser<'_> {
    /// The elements up to `close`, which is not taken.
    pub(super) fn list<T>(&mut self, close: Kind, mut element: impl FnMut(&mut Self) -> Outcome<T>) -> Outcome<Vec<T>> {
        let mut elements = Vec::new();
        while !self.at(close) && !self.at(Kind::DotDot) {
            elements.push(element(self)?);
            if self.eat(Kind::Comma).is_none() {
                break;
            }
        }
        Ok(elements)
    }

    /// `open list(element) close`, brackets included.
    pub(super) fn bracketed<T>(
        &mut self,
        (open, close): (Kind, Kind),
        element: impl FnMut(&mut Self) -> Outcome<T>,
    ) -> Outcome<Vec<T>> {
        let opening = self.expect(open, sign(open))?;
        let elements = self.in_mode(Mode::Free, |p| p.list(close, element))?;
        self.end_of_list(close, opening)?;
        Ok(elements)
    }

    /// Takes the bracket that ends a list.
    pub(super) fn end_of_list(&mut self, close: Kind, opening: Token) -> Outcome<Token> {
        self.close(close, opening, &format!("`,` or {}", sign(close)))
    }
}

/// The name of a bracket in messages.
pub(super) fn sign(bracket: Kind) -> &'static str {
    match bracket {
        Kind::LParen => "`(`",
        Kind::RParen => "`)`",
        Kind::LBracket => "`[`",
        Kind::RBracket => "`]`",
        Kind::LBrace => "`{`",
        _ => "`}`",
    }
}
