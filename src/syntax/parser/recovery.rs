//! Going on after an error: where the next statement, member or item begins.
//!
//! In `on a { reply ( ; } on b { … }` the reply is skipped up to its `;`, and everything else is read. A handler whose
//! `}` is missing ends where the next handler begins, since `on NAME` never begins a statement.

use crate::syntax::lexer::Kind;

use super::items::ITEM_WORDS;
use super::members::MEMBER_WORDS;
use super::{Mode, Parser};

/// The kind of construct that is skipped after an error.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// A statement of a block.
    Statement,
    /// A member of a protocol.
    Member,
    /// An item of the file.
    Item,
}

/// The place where a construct began, and how deep it was nested.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    /// Its first token.
    at: usize,
    /// The number of braces that were open there.
    braces: u32,
    /// The number of constructs that enclosed it.
    depth: u32,
}

impl Parser<'_> {
    /// The mark of the next token, for [`Self::recover`].
    pub(super) fn mark(&self) -> Mark {
        Mark { at: self.at, braces: self.braces, depth: self.depth }
    }

    /// Skips what is left of a failed construct.
    pub(super) fn recover(&mut self, level: Level, begin: Mark) {
        let (inside, first) = (begin.braces, begin.at);
        while !self.at(Kind::End) && !self.ends_before(level, inside, first) && !self.ends_with_next(level, inside) {}
        self.braces = inside;
        self.depth = begin.depth;
        self.deepest = begin.depth;
        self.mode = Mode::Free;
    }

    /// Tests whether the construct has ended before the next token.
    fn ends_before(&self, level: Level, inside: u32, first: usize) -> bool {
        if self.at_item() && (self.at > first || level != Level::Item) {
            return true;
        }
        match level {
            Level::Item => false,
            Level::Member => {
                self.braces <= inside && (self.at(Kind::RBrace) || (self.at > first && self.at_member_on_new_line()))
            }
            Level::Statement => {
                let closes = self.braces <= inside && self.at(Kind::RBrace);
                closes
                    || self.at_member()
                    || (self.at > first && self.braces <= inside && self.at_statement_on_new_line())
            }
        }
    }

    /// Takes the next token; returns whether the construct ends with it.
    fn ends_with_next(&mut self, level: Level, inside: u32) -> bool {
        let token = self.advance();
        match token.kind {
            Kind::Semi => self.braces <= inside,
            Kind::RBrace if self.braces <= inside => match level {
                Level::Item | Level::Member => self.eat(Kind::Semi).is_some() || self.at_line_start(),
                Level::Statement => self.at_line_start() && !matches!(self.peek(), Kind::Else | Kind::Or),
            },
            _ => false,
        }
    }

    /// Tests whether an item begins here: `enum Name`, `serial protocol`. No statement or member begins like this.
    pub(super) fn at_item(&self) -> bool {
        if !self.at(Kind::Name) || !matches!(self.peek_at(1), Kind::Name | Kind::Quoted) {
            return false;
        }
        let word = self.text_of(self.token());
        ITEM_WORDS.contains(&word) || word == "serial"
    }

    /// Tests whether a member begins here that could be no statement: `on Name`, `step {`.
    fn at_member(&self) -> bool {
        if !self.at(Kind::Name) {
            return false;
        }
        let word = self.text_of(self.token());
        let next = self.peek_at(1);
        let named = matches!(next, Kind::Name | Kind::Quoted);
        match word {
            "on" => named || matches!(next, Kind::Int | Kind::Text | Kind::Close | Kind::True | Kind::False),
            "step" => next == Kind::LBrace,
            word => named && MEMBER_WORDS.contains(&word),
        }
    }

    /// Tests whether an item or a member begins here, which ends every open block.
    pub(super) fn at_declaration(&self) -> bool {
        self.at_item() || self.at_member()
    }

    fn at_member_on_new_line(&self) -> bool {
        self.at_line_start()
            && (self.at(Kind::Var) || (self.at(Kind::Name) && MEMBER_WORDS.contains(&self.text_of(self.token()))))
    }

    fn at_statement_on_new_line(&self) -> bool {
        let begins = matches!(
            self.peek(),
            Kind::Let
                | Kind::Var
                | Kind::For
                | Kind::While
                | Kind::Assume
                | Kind::Expects
                | Kind::Reply
                | Kind::Send
                | Kind::Yield
                | Kind::Close
                | Kind::Return
        );
        begins && self.at_line_start()
    }
}
