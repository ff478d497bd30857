//! Combinators, which make productions of others: lists, optional parts, nesting, chains, modes.
//!
//! `(a, b,)`, `[a]` and `{f: 1}` are lists: elements in brackets, separated by commas, with an optional comma at the end. Inside of
//! brackets the restrictions of a head do not apply (see [`Mode`]).

use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{Expr, Openness, Spanned};
use crate::syntax::lexer::{Lexeme, TokenKind};

use super::{MAX_DEPTH, Mode, Parse, ParseResult, Parser};

/// `(…)`
pub(super) const ROUND: (TokenKind, TokenKind) = (TokenKind::LParen, TokenKind::RParen);

/// `{…}`
pub(super) const CURLY: (TokenKind, TokenKind) = (TokenKind::LBrace, TokenKind::RBrace);

impl Parser<'_> {
    /// Parses a construct, which the expected type selects.
    pub(super) fn parse<T: Parse>(&mut self) -> ParseResult<T> {
        T::parse(self)
    }

    /// Takes the next token, and parses a construct after it.
    pub(super) fn then<T: Parse>(&mut self) -> ParseResult<T> {
        self.advance();
        self.parse()
    }

    /// Parses a construct after this token, if the token is next.
    pub(super) fn after<T: Parse>(&mut self, kind: TokenKind) -> ParseResult<Option<T>> {
        if self.at(kind) { self.then().map(Some) } else { Ok(None) }
    }

    /// Runs a production and makes a node of its result.
    pub(super) fn spanned<Kind>(
        &mut self,
        production: impl FnOnce(&mut Self) -> ParseResult<Kind>,
    ) -> ParseResult<Spanned<Kind>> {
        let start = self.token().start;
        let kind = production(self)?;
        Ok(self.node(start, kind))
    }

    /// Parses a construct and the `;` after it.
    pub(super) fn ended<T: Parse>(&mut self) -> ParseResult<T> {
        let value = self.parse()?;
        self.semicolon()?;
        Ok(value)
    }

    /// `head`: an expression before a block.
    pub(super) fn head(&mut self) -> ParseResult<Expr> {
        self.in_mode(Mode::Head, Parse::parse)
    }

    /// `list(element)`, brackets included.
    pub(super) fn bracketed<T: Parse>(&mut self, (open, close): (TokenKind, TokenKind)) -> ParseResult<Vec<T>> {
        let opening = self.expect(open, sign(open))?;
        let elements = self.list(close)?;
        self.end_of_list(close, opening)?;
        Ok(elements)
    }

    /// Parses the elements up to `close` or `..`, which is not taken.
    pub(super) fn list<T: Parse>(&mut self, close: TokenKind) -> ParseResult<Vec<T>> {
        self.in_mode(Mode::Free, |p| p.elements(close, Vec::new()))
    }

    /// Parses the elements after the first one, which has been parsed, up to the closing bracket, which is not taken.
    pub(super) fn further<T: Parse>(&mut self, first: T, close: TokenKind) -> ParseResult<Vec<T>> {
        if self.eat(TokenKind::Comma).is_some() { self.elements(close, vec![first]) } else { Ok(vec![first]) }
    }

    fn elements<T: Parse>(&mut self, close: TokenKind, mut elements: Vec<T>) -> ParseResult<Vec<T>> {
        while !self.at(close) && !self.at(TokenKind::DotDot) {
            elements.push(self.parse()?);
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
        }
        Ok(elements)
    }

    /// Takes the bracket that ends a list.
    pub(super) fn end_of_list(&mut self, close: TokenKind, open: Lexeme) -> ParseResult<()> {
        self.close(close, open, &format!("`,` or {}", sign(close))).map(|_| ())
    }

    /// `[".."] "}"`, at the end of fields
    pub(super) fn openness(&mut self, open: Lexeme) -> ParseResult<Openness> {
        if self.eat(TokenKind::DotDot).is_none() {
            self.end_of_list(TokenKind::RBrace, open)?;
            return Ok(Openness::Closed);
        }
        self.eat(TokenKind::Comma);
        self.close(TokenKind::RBrace, open, "`}`")?;
        Ok(Openness::Open)
    }

    /// Runs a production in this mode.
    pub(super) fn in_mode<T>(
        &mut self,
        mode: Mode,
        production: impl FnOnce(&mut Self) -> ParseResult<T>,
    ) -> ParseResult<T> {
        let outer = std::mem::replace(&mut self.mode, mode);
        let outcome = production(self);
        self.mode = outer;
        outcome
    }

    /// Runs a production one level deeper.
    pub(super) fn nested<T>(&mut self, production: impl FnOnce(&mut Self) -> ParseResult<T>) -> ParseResult<T> {
        if self.depth >= MAX_DEPTH {
            return self.too_deep();
        }
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        let outcome = production(self);
        self.depth -= 1;
        outcome
    }

    /// Runs a production that parses a chain (`a + b + c`, `a.b.c`). Each new link moves the operands before it one level deeper, which
    /// [`Self::deepen`] counts.
    pub(super) fn chain<T>(&mut self, production: impl FnOnce(&mut Self) -> ParseResult<T>) -> ParseResult<T> {
        let outer = std::mem::replace(&mut self.deepest, self.depth);
        let outcome = production(self);
        self.deepest = self.deepest.max(outer);
        outcome
    }

    /// Counts one level more than the chain had before its new link.
    pub(super) fn deepen(&mut self, reached: u32) -> ParseResult<()> {
        self.deepest = self.deepest.max(reached + 1);
        if self.deepest > MAX_DEPTH { self.too_deep() } else { Ok(()) }
    }

    fn too_deep<T>(&mut self) -> ParseResult<T> {
        let finding = Diagnostic::error(self.here(), format!("this is nested more than {MAX_DEPTH} levels deep"));
        let finding = finding.label("this is the first level that is too deep");
        self.fail_with(finding.help("name parts of it with `let` or `fn`, or put similar parts in a list"))
    }
}

/// The name of a bracket in messages.
pub(super) fn sign(bracket: TokenKind) -> &'static str {
    match bracket {
        TokenKind::LParen => "`(`",
        TokenKind::RParen => "`)`",
        TokenKind::LBracket => "`[`",
        TokenKind::RBracket => "`]`",
        TokenKind::LBrace => "`{`",
        _ => "`}`",
    }
}
