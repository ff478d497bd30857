//! The cursor over the tokens: looking, taking, expecting, reporting, numbering, and counting depth.
//!
//! Every failure goes through [`Parser::fail`], so `reply ;` is reported as "expected an expression, found `;`".

use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::ast::{Name, NodeId};
use crate::syntax::lexer::{Kind, Token};

use super::{Failed, MAX_DEPTH, Mode, Outcome, Parser};

impl Parser<'_> {
    pub(super) fn token(&self) -> Token {
        self.tokens[self.at]
    }

    /// The kind of the next token.
    pub(super) fn peek(&self) -> Kind {
        self.tokens[self.at].kind
    }

    /// The kind of the token `n` behind the next one.
    pub(super) fn peek_at(&self, n: usize) -> Kind {
        self.tokens.get(self.at + n).map_or(Kind::End, |token| token.kind)
    }

    pub(super) fn at(&self, kind: Kind) -> bool {
        self.peek() == kind
    }

    /// Tests whether the next token is this contextual word.
    pub(super) fn at_word(&self, word: &str) -> bool {
        self.at(Kind::Name) && self.text_of(self.token()) == word
    }

    pub(super) fn text_of(&self, token: Token) -> &str {
        &self.text[token.start as usize..token.end as usize]
    }

    /// Takes the next token; the end is never passed.
    pub(super) fn advance(&mut self) -> Token {
        let token = self.token();
        match token.kind {
            Kind::LBrace => self.braces += 1,
            Kind::RBrace => self.braces = self.braces.saturating_sub(1),
            _ => {}
        }
        if token.kind != Kind::End {
            self.at += 1;
        }
        token
    }

    pub(super) fn eat(&mut self, kind: Kind) -> Option<Token> {
        if self.at(kind) { Some(self.advance()) } else { None }
    }

    pub(super) fn eat_word(&mut self, word: &str) -> Option<Token> {
        if self.at_word(word) { Some(self.advance()) } else { None }
    }

    /// Takes this token, or fails: `expected what`.
    pub(super) fn expect(&mut self, kind: Kind, what: &str) -> Outcome<Token> {
        if self.at(kind) { Ok(self.advance()) } else { self.fail(what) }
    }

    /// Takes the bracket that closes the one at `open`, or fails; `what` may name what else could have continued.
    pub(super) fn close(&mut self, kind: Kind, open: Token, what: &str) -> Outcome<Token> {
        if self.at(kind) {
            return Ok(self.advance());
        }
        let opening = self.span(open);
        let finding = self.unexpected(what).also(opening, "opened here");
        self.report_here(finding);
        Err(Failed)
    }

    /// Takes `;`. One that is merely forgotten at the end of a line is reported, and nothing is skipped for it.
    pub(super) fn semicolon(&mut self) -> Outcome<()> {
        if self.eat(Kind::Semi).is_some() {
            return Ok(());
        }
        if !self.at_line_start() && !matches!(self.peek(), Kind::RBrace | Kind::End) {
            return self.fail("`;`").map(|_: Token| ());
        }
        if self.previous_is_open() {
            return Ok(());
        }
        let end = self.previous_end();
        let place = Span { file: self.file, start: end, end };
        self.report_here(Diagnostic::error(place, "expected `;`").label("expected `;` here"));
        Ok(())
    }

    /// Tests whether the last token is a string or name whose closing quote is missing: what is missing after it is in it.
    fn previous_is_open(&self) -> bool {
        let Some(token) = self.at.checked_sub(1).map(|at| self.tokens[at]) else { return false };
        let text = self.text_of(token);
        match token.kind {
            Kind::Text => text.len() < 2 || !text.ends_with('"'),
            Kind::Quoted => text.len() < 2 || !text.ends_with('`'),
            _ => false,
        }
    }

    /// A name: a word that is not reserved, or anything in backquotes.
    pub(super) fn name(&mut self, what: &str) -> Outcome<Name> {
        if !matches!(self.peek(), Kind::Name | Kind::Quoted) {
            return self.fail(what);
        }
        let token = self.advance();
        let text = self.name_text(token);
        Ok(Name { text, span: self.span(token), id: self.id() })
    }

    fn name_text(&self, token: Token) -> String {
        let written = self.text_of(token);
        match token.kind {
            Kind::Quoted => written.trim_matches('`').to_owned(),
            _ => written.to_owned(),
        }
    }

    pub(super) fn at_name(&self) -> bool {
        matches!(self.peek(), Kind::Name | Kind::Quoted)
    }

    pub(super) fn span(&self, token: Token) -> Span {
        Span { file: self.file, start: token.start, end: token.end }
    }

    /// The span from an offset to the end of the last token taken.
    pub(super) fn since(&self, start: u32) -> Span {
        Span { file: self.file, start, end: self.previous_end().max(start) }
    }

    pub(super) fn previous_end(&self) -> u32 {
        if self.at == 0 { 0 } else { self.tokens[self.at - 1].end }
    }

    /// Tests whether a line ends between the last token and the next one.
    pub(super) fn at_line_start(&self) -> bool {
        self.text[self.previous_end() as usize..self.token().start as usize].contains('\n')
    }

    /// A fresh node number.
    pub(super) fn id(&mut self) -> NodeId {
        let id = NodeId(self.next);
        self.next = self.next.saturating_add(1);
        id
    }

    /// Reports `expected what, found …` at the next token and fails.
    pub(super) fn fail<T>(&mut self, what: &str) -> Outcome<T> {
        let finding = self.unexpected(what);
        self.fail_with(finding)
    }

    /// Reports at the next token and fails.
    pub(super) fn fail_with<T>(&mut self, finding: Diagnostic) -> Outcome<T> {
        self.report_here(finding);
        Err(Failed)
    }

    /// Reports, unless something was reported at the next token already.
    pub(super) fn report_here(&mut self, finding: Diagnostic) {
        let unknown = self.at(Kind::Unknown);
        if self.reported.replace(self.at) != Some(self.at) && !unknown {
            self.diagnostics.push(finding);
        }
    }

    /// Reports and goes on.
    pub(super) fn report(&mut self, finding: Diagnostic) {
        self.diagnostics.push(finding);
    }

    /// `expected what, found …` at the next token.
    pub(super) fn unexpected(&self, what: &str) -> Diagnostic {
        let token = self.token();
        let finding = Diagnostic::error(self.span(token), format!("expected {what}, found {}", self.found(token)));
        let finding = finding.label(format!("expected {what}"));
        if token.kind.is_reserved() && what.contains("name") {
            let word = self.text_of(token);
            return finding.help(format!("`{word}` is a reserved word; in backquotes it is a name: `` `{word}` ``"));
        }
        if token.kind == Kind::Equals && ["`;`", "`{`", "`,` or `)`"].contains(&what) {
            return finding.help("`==` compares, `:=` assigns");
        }
        if token.kind == Kind::Where && what == "`;`" {
            return finding.help("a value with a condition needs a name: `choose x: int where x > 0`");
        }
        match self.slip(what) {
            Some(meant) => finding.help(meant),
            None => finding,
        }
    }

    fn found(&self, token: Token) -> String {
        const SHOWN: usize = 30;
        let written = self.text_of(token);
        match token.kind {
            Kind::End => "the end of the file".to_owned(),
            Kind::Text => "a string".to_owned(),
            Kind::Quoted => written.to_owned(),
            kind if kind.is_reserved() => format!("the reserved word `{written}`"),
            _ if written.chars().count() > SHOWN => format!("`{}…`", written.chars().take(SHOWN).collect::<String>()),
            _ => format!("`{written}`"),
        }
    }

    /// Begins a construct one level deeper; [`Self::leave`] ends it. Where it fails in between, `recover` sets the depth.
    pub(super) fn enter(&mut self) -> Outcome<()> {
        if self.depth >= MAX_DEPTH {
            return self.too_deep();
        }
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Runs a production one level deeper.
    pub(super) fn nested<T>(&mut self, production: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        self.enter()?;
        let outcome = production(self);
        self.leave();
        outcome
    }

    /// Begins a chain (`a + b + c`, `a.b.c`): its operands are pushed down by [`Self::deepen`] as it grows. Gives what
    /// [`Self::end_chain`] takes.
    pub(super) fn begin_chain(&mut self) -> u32 {
        std::mem::replace(&mut self.deepest, self.depth)
    }

    pub(super) fn end_chain(&mut self, outer: u32) {
        self.deepest = self.deepest.max(outer);
    }

    /// Counts one more level above what the running chain had reached.
    pub(super) fn deepen(&mut self, reached: u32) -> Outcome<()> {
        self.deepest = self.deepest.max(reached + 1);
        if self.deepest > MAX_DEPTH { self.too_deep() } else { Ok(()) }
    }

    fn too_deep<T>(&mut self) -> Outcome<T> {
        let place = self.span(self.token());
        let finding = Diagnostic::error(place, format!("this is nested more than {MAX_DEPTH} levels deep"));
        let finding = finding.label("this is the first level that is too deep");
        self.fail_with(finding.help("name parts of it with `let` or `fn`, or put similar parts in a list"))
    }

    /// Runs a production in this mode.
    pub(super) fn in_mode<T>(&mut self, mode: Mode, production: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        let outer = std::mem::replace(&mut self.mode, mode);
        let outcome = production(self);
        self.mode = outer;
        outcome
    }
}
