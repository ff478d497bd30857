//! The cursor over the tokens: looking ahead, taking tokens, places and node numbers.
//!
//! At `n := 1;` the next token is a name; `eat(Assign)` takes nothing there, and takes the `:=` after the name.

use crate::diagnostic::{FileId, Span};
use crate::syntax::ast::{NodeId, Spanned};
use crate::syntax::lexer::{Lexeme, TokenKind};

use super::{Mode, Parser};

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, file: FileId, first: NodeId, tokens: Vec<Lexeme>) -> Parser<'t> {
        Parser {
            text,
            file,
            tokens,
            at: 0,
            next: first.0,
            mode: Mode::Free,
            depth: 0,
            deepest: 0,
            braces: 0,
            diagnostics: Vec::new(),
            reported: None,
        }
    }

    /// The next token.
    pub(super) fn token(&self) -> Lexeme {
        self.tokens[self.at]
    }

    /// The kind of the next token.
    pub(super) fn peek(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    /// The token `n` places after the next one.
    pub(super) fn token_at(&self, n: usize) -> Lexeme {
        self.tokens[(self.at + n).min(self.tokens.len() - 1)]
    }

    /// The kind of the token `n` places after the next one.
    pub(super) fn peek_at(&self, n: usize) -> TokenKind {
        self.token_at(n).kind
    }

    /// The token before the next one; an empty token at the beginning.
    pub(super) fn previous(&self) -> Lexeme {
        let none = Lexeme { kind: TokenKind::End, start: 0, end: 0 };
        self.at.checked_sub(1).map_or(none, |at| self.tokens[at])
    }

    pub(super) fn at(&self, kind: TokenKind) -> bool {
        self.peek() == kind
    }

    pub(super) fn at_name(&self) -> bool {
        self.peek().is_name()
    }

    /// The text of the next token, if it is a name without backquotes; otherwise empty.
    pub(super) fn word(&self) -> &'t str {
        if self.at(TokenKind::Name) { self.text_of(self.token()) } else { "" }
    }

    pub(super) fn text_of(&self, token: Lexeme) -> &'t str {
        &self.text[token.start as usize..token.end as usize]
    }

    /// Takes the next token; the end token is never passed.
    pub(super) fn advance(&mut self) -> Lexeme {
        let token = self.token();
        match token.kind {
            TokenKind::LBrace => self.braces += 1,
            TokenKind::RBrace => self.braces = self.braces.saturating_sub(1),
            _ => {}
        }
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    pub(super) fn eat(&mut self, kind: TokenKind) -> Option<Lexeme> {
        self.at(kind).then(|| self.advance())
    }

    pub(super) fn eat_word(&mut self, word: &str) -> Option<Lexeme> {
        (self.word() == word).then(|| self.advance())
    }

    /// Tests whether there is a line end between the last token and the next one.
    pub(super) fn at_line_start(&self) -> bool {
        self.text[self.previous().end as usize..self.token().start as usize].contains('\n')
    }

    pub(super) fn span(&self, token: Lexeme) -> Span {
        Span { file: self.file, start: token.start, end: token.end }
    }

    /// The place of the next token.
    pub(super) fn here(&self) -> Span {
        self.span(self.token())
    }

    /// The span from an offset to the end of the last token taken.
    pub(super) fn since(&self, start: u32) -> Span {
        Span { file: self.file, start, end: self.previous().end.max(start) }
    }

    /// A fresh node number.
    pub(super) fn id(&mut self) -> NodeId {
        let id = NodeId(self.next);
        self.next = self.next.saturating_add(1);
        id
    }

    /// A node from an offset to the end of the last token that was taken.
    pub(super) fn node<Kind>(&mut self, start: u32, kind: Kind) -> Spanned<Kind> {
        Spanned { kind, span: self.since(start), id: self.id() }
    }
}
