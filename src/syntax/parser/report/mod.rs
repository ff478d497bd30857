//! Expecting tokens, and reporting the unexpected ones.
//!
//! Every failure goes through [`Parser::fail_with`], so `reply ;` is reported as "expected an expression, found `;`".

pub(crate) mod recovery;
pub(crate) mod slips;

use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::ast::{Field, Name};
use crate::syntax::lexer::{self, Lexeme, TokenKind};

use super::{ParseResult, Parser, Reported};
use slips::slip;

impl Parser<'_> {
    /// Takes this token, or fails with `expected what`.
    pub(super) fn expect(&mut self, kind: TokenKind, what: &str) -> ParseResult<Lexeme> {
        if self.at(kind) { Ok(self.advance()) } else { self.fail(what) }
    }

    /// Takes this token, or fails with this help.
    pub(super) fn expect_or(&mut self, kind: TokenKind, what: &str, help: &str) -> ParseResult<Lexeme> {
        if self.at(kind) { Ok(self.advance()) } else { self.fail_with(self.unexpected(what).help(help)) }
    }

    /// Takes the bracket that closes the one at `open`, or fails; `what` may also name tokens that could continue the construct.
    pub(super) fn close(&mut self, kind: TokenKind, open: Lexeme, what: &str) -> ParseResult<Lexeme> {
        if self.at(kind) {
            return Ok(self.advance());
        }
        self.fail_with(self.unexpected(what).also(self.span(open), "opened here"))
    }

    /// Takes `;`. If it is missing at the end of a line, reports that without skipping anything.
    pub(super) fn semicolon(&mut self) -> ParseResult<()> {
        if self.eat(TokenKind::Semi).is_some() {
            return Ok(());
        }
        if !self.at_line_start() && !matches!(self.peek(), TokenKind::RBrace | TokenKind::End) {
            return self.fail("`;`");
        }
        let last = self.previous();
        // After an unclosed string or name, the `;` is probably inside of it.
        if matches!(last.kind, TokenKind::Text | TokenKind::Quoted) && !lexer::is_one(last.kind, self.text_of(last)) {
            return Ok(());
        }
        let place = Span { file: self.file, start: last.end, end: last.end };
        self.report_here(Diagnostic::error(place, "expected `;`").label("expected `;` here"));
        Ok(())
    }

    /// Parses a name: a word that is not reserved, or any text in backquotes.
    pub(super) fn name(&mut self, what: &str) -> ParseResult<Name> {
        if !self.at_name() {
            return self.fail(what);
        }
        Ok(self.taken_name())
    }

    /// Parses the name after a dot. A reserved word is allowed if arguments follow, as in `m.with(k, v)`.
    pub(super) fn member_name(&mut self, what: &str) -> ParseResult<Name> {
        if self.peek().is_reserved() && self.peek_at(1) == TokenKind::LParen {
            Ok(self.taken_name())
        } else {
            self.name(what)
        }
    }

    fn taken_name(&mut self) -> Name {
        let token = self.advance();
        Name { text: self.text_of(token).trim_matches('`').to_owned(), span: self.span(token), id: self.id() }
    }

    /// Takes the next token, a word, and parses the name after it.
    pub(super) fn named(&mut self, what: &str) -> ParseResult<Name> {
        self.advance();
        self.name(what)
    }

    /// `name: T`
    pub(super) fn typed(&mut self, what: &str) -> ParseResult<Field> {
        let name = self.name(what)?;
        self.expect(TokenKind::Colon, "`:` and a type")?;
        Ok(Field { name, ty: self.parse()? })
    }

    /// Reports `expected what, found …` at the next token and fails.
    pub(super) fn fail<T>(&mut self, what: &str) -> ParseResult<T> {
        self.fail_with(self.unexpected(what))
    }

    /// Adds a report at the next token, and fails.
    pub(super) fn fail_with<T>(&mut self, finding: Diagnostic) -> ParseResult<T> {
        self.report_here(finding);
        Err(Reported)
    }

    /// Adds a report, unless there is one at the next token already.
    pub(super) fn report_here(&mut self, finding: Diagnostic) {
        if self.reported.replace(self.at) != Some(self.at) && !self.at(TokenKind::Unknown) {
            self.diagnostics.push(finding);
        }
    }

    /// Reports an error, after which parsing continues.
    pub(super) fn error(&mut self, place: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(place, message));
    }

    /// `expected what, found …` at the next token.
    pub(super) fn unexpected(&self, what: &str) -> Diagnostic {
        let found = self.found(self.token());
        let finding = Diagnostic::error(self.here(), format!("expected {what}, found {found}"));
        let finding = finding.label(format!("expected {what}"));
        match slip(self, what) {
            Some(meant) => finding.help(meant),
            None => finding,
        }
    }

    fn found(&self, token: Lexeme) -> String {
        const SHOWN: usize = 30;
        let written = self.text_of(token);
        match token.kind {
            TokenKind::End => "the end of the file".to_owned(),
            TokenKind::Text => "a string".to_owned(),
            TokenKind::Quoted => written.to_owned(),
            kind if kind.is_reserved() => format!("the reserved word `{written}`"),
            _ => match written.char_indices().nth(SHOWN) {
                Some((end, _)) => format!("`{}…`", &written[..end]),
                None => format!("`{written}`"),
            },
        }
    }
}
