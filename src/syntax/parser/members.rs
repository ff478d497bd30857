//! The members of a protocol: `request`, `response`, `var`, `on`, `proc`, `step`, `peer`.
//!
//! `on Get { key } from c if key != "" { reply NotFound; }` is one member; braces after `on NAME` are fields where
//! a block follows them.

use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{Expr, Member, MemberKind, Name, Trigger, TypeExpr};
use crate::syntax::lexer::{Kind, Token};

use super::recovery::Level;
use super::{Outcome, Parser};

/// The words that begin a member (`var` is reserved, these are not).
pub(super) const MEMBER_WORDS: [&str; 6] = ["request", "response", "on", "proc", "step", "peer"];

impl Parser<'_> {
    /// The members of a protocol and its closing brace, which may be missing.
    pub(super) fn members(&mut self, open: Token) -> Vec<Member> {
        let inside = self.braces;
        let mut members = Vec::new();
        loop {
            if self.eat(Kind::RBrace).is_some() {
                return members;
            }
            if self.at(Kind::End) || self.at_item() {
                let _ = self.close(Kind::RBrace, open, "a member of the protocol or `}`");
                self.braces = inside - 1;
                return members;
            }
            let begin = self.mark();
            match self.nested(Self::member) {
                Ok(member) => members.push(member),
                Err(_) => self.recover(Level::Member, begin),
            }
        }
    }

    fn member(&mut self) -> Outcome<Member> {
        let start = self.token().start;
        let kind = self.member_kind()?;
        Ok(Member { kind, span: self.since(start), id: self.id() })
    }

    fn member_kind(&mut self) -> Outcome<MemberKind> {
        if self.at(Kind::Var) {
            return self.var_member();
        }
        let word = if self.at(Kind::Name) { self.text_of(self.token()) } else { "" };
        match word {
            "request" => Ok(MemberKind::Request(self.declared_type()?)),
            "response" => Ok(MemberKind::Response(self.declared_type()?)),
            "on" => self.handler(),
            "proc" => self.proc(),
            "step" => {
                self.advance();
                Ok(MemberKind::Step(self.block()?))
            }
            "peer" => self.peer(),
            _ => self.no_member(),
        }
    }

    fn no_member<T>(&mut self) -> Outcome<T> {
        let finding = self.unexpected("a member of the protocol");
        let words = "`request`, `response`, `var`, `on`, `proc`, `step` or `peer`";
        self.fail_with(finding.label(format!("expected {words}")))
    }

    fn declared_type(&mut self) -> Outcome<TypeExpr> {
        self.advance();
        let ty = self.type_expr()?;
        self.semicolon()?;
        Ok(ty)
    }

    fn var_member(&mut self) -> Outcome<MemberKind> {
        self.advance();
        let name = self.name("the name of a variable")?;
        self.expect(Kind::Colon, "`:` and a type")?;
        let ty = self.type_expr()?;
        if !self.at(Kind::Equals) {
            let finding = self.unexpected("`=` and an initial value");
            return self.fail_with(finding.help("for a variable that starts unknown, write `= choose`"));
        }
        self.advance();
        let value = self.expr()?;
        self.semicolon()?;
        Ok(MemberKind::Var { name, ty, value })
    }

    fn handler(&mut self) -> Outcome<MemberKind> {
        self.advance();
        let trigger = self.trigger()?;
        let from = match self.eat_word("from") {
            Some(_) => Some(self.name("a name for the client")?),
            None => None,
        };
        let guard: Option<Expr> = match self.eat(Kind::If) {
            Some(_) => Some(self.head()?),
            None => None,
        };
        if !self.at(Kind::LBrace) {
            return self.fail(if guard.is_some() { "`{`" } else { "`{`, `from` or `if`" });
        }
        let body = self.block()?;
        Ok(MemberKind::On { trigger, from, guard, body })
    }

    fn trigger(&mut self) -> Outcome<Trigger> {
        if let Some(close) = self.eat(Kind::Close) {
            return Ok(Trigger::Close(self.span(close)));
        }
        let ends = self.peek_at(1) == Kind::LBrace || self.peek_at(1) == Kind::If || self.client_follows();
        if self.at_word("open") && ends {
            let open = self.advance();
            return Ok(Trigger::Open(self.span(open)));
        }
        Ok(Trigger::Request(self.request_pattern()?))
    }

    fn client_follows(&self) -> bool {
        self.peek_at(1) == Kind::Name && self.text_of(self.tokens[self.at + 1]) == "from"
    }

    fn proc(&mut self) -> Outcome<MemberKind> {
        self.advance();
        let name = self.name("the name of the procedure")?;
        let params = self.params()?;
        let body = self.block()?;
        Ok(MemberKind::Proc { name, params, body })
    }

    fn peer(&mut self) -> Outcome<MemberKind> {
        self.advance();
        let name: Name = self.name("the name of the peer")?;
        let start = self.token().start;
        let mut keys = self.params()?;
        let place = self.since(start);
        self.expect(Kind::Colon, "`:` and the type of the requests")?;
        let request = self.type_expr()?;
        self.expect(Kind::Arrow, "`->` and the type of the responses")?;
        let response = self.type_expr()?;
        self.semicolon()?;
        if keys.len() > 1 {
            self.report(Diagnostic::error(place, "a peer has exactly one key"));
        }
        match keys.pop() {
            Some(key) => Ok(MemberKind::Peer { name, key, request, response }),
            None => self.fail_with(Diagnostic::error(place, "a peer has exactly one key").label("expected `(key: T)`")),
        }
    }
}
