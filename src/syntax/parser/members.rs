//! The members of a protocol: `request`, `response`, `var`, `on`, `proc`, `step`, `peer`, `http`, `generate`.
//!
//! `on Get { key } from c if key != "" { reply NotFound; }` is one member: braces after `on NAME` are fields if a block follows them.

use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::ast::{Field, Member, MemberKind, Trigger};
use crate::syntax::lexer::TokenKind;

use super::combine::ROUND;
use super::{Mode, Parse, ParseResult, Parser, generate, http};

impl Parse for Member {
    fn parse(p: &mut Parser<'_>) -> ParseResult<Member> {
        p.spanned(member)
    }
}

fn member(p: &mut Parser<'_>) -> ParseResult<MemberKind> {
    if p.eat(TokenKind::Var).is_some() {
        let Field { name, ty } = p.typed("the name of a variable")?;
        let help = "for a variable that starts unknown, write `= choose`";
        p.expect_or(TokenKind::Equals, "`=` and an initial value", help)?;
        return Ok(MemberKind::Var { name, ty, value: p.ended()? });
    }
    match p.word() {
        "request" => {
            p.advance();
            p.ended().map(MemberKind::Request)
        }
        "response" => {
            p.advance();
            p.ended().map(MemberKind::Response)
        }
        "on" => handler(p),
        "proc" => {
            p.advance();
            procedure(p)
        }
        "step" => p.then().map(MemberKind::Step),
        "peer" => peer(p),
        "http" => http::block(p),
        "generate" => generate::block(p),
        _ => {
            let words = "`request`, `response`, `var`, `on`, `proc`, `step`, `peer`, `http` or `generate`";
            p.fail_with(p.unexpected("a member of the protocol").label(format!("expected {words}")))
        }
    }
}

/// `proc`, after this word
fn procedure(p: &mut Parser<'_>) -> ParseResult<MemberKind> {
    let name = p.name("the name of the procedure")?;
    if p.at(TokenKind::LBrace) {
        return p
            .fail_with(p.unexpected("`(`").help(format!("without parameters, write `proc {}() {{ … }}`", name.text)));
    }
    let params = p.bracketed(ROUND)?;
    let result = p.after(TokenKind::Colon)?;
    if p.at(TokenKind::Equals) {
        let help = "a procedure consists of statements: `{ return e; }`; a `fn` or `def` is one expression";
        return p.fail_with(Diagnostic::error(p.here(), "expected `{`, found `=`").label("expected `{`").help(help));
    }
    if result.is_none() && !p.at(TokenKind::LBrace) {
        return p.fail("`{`, or `:` and the type of the result");
    }
    Ok(MemberKind::Proc { name, params, result, body: p.parse()? })
}

fn handler(p: &mut Parser<'_>) -> ParseResult<MemberKind> {
    p.advance();
    let trigger = trigger(p)?;
    let from = match p.eat_word("from") {
        Some(_) => Some(p.name("a name for the client")?),
        None => None,
    };
    let guard = match p.eat(TokenKind::If) {
        Some(_) => Some(p.head()?),
        None => None,
    };
    if !p.at(TokenKind::LBrace) {
        return p.fail(if guard.is_some() { "`{`" } else { "`{`, `from` or `if`" });
    }
    Ok(MemberKind::On { trigger, from, guard, body: p.parse()? })
}

fn trigger(p: &mut Parser<'_>) -> ParseResult<Trigger> {
    if let Some(close) = p.eat(TokenKind::Close) {
        return Ok(Trigger::Close(p.span(close)));
    }
    let next = p.token_at(1);
    let ends = match next.kind {
        TokenKind::LBrace | TokenKind::If => true,
        TokenKind::Name => p.text_of(next) == "from",
        _ => false,
    };
    let event = match p.word() {
        "open" => Some(Trigger::Open as fn(Span) -> Trigger),
        "restart" => Some(Trigger::Restart as fn(Span) -> Trigger),
        _ => None,
    };
    if let Some(event) = event.filter(|_| ends) {
        let word = p.advance();
        return Ok(event(p.span(word)));
    }
    p.in_mode(Mode::Request, Parse::parse).map(Trigger::Request)
}

fn peer(p: &mut Parser<'_>) -> ParseResult<MemberKind> {
    let name = p.named("the name of the peer")?;
    let start = p.token().start;
    let is_keyed = p.at(TokenKind::LParen);
    let mut keys: Vec<Field> = if is_keyed { p.bracketed(ROUND)? } else { Vec::new() };
    let place = p.since(start);
    p.expect(TokenKind::Colon, if is_keyed { "`:` and the type of the requests" } else { "`(` or `:`" })?;
    let request = p.parse()?;
    p.expect(TokenKind::Arrow, "`->` and the type of the responses")?;
    let response = p.ended()?;
    if is_keyed && keys.len() != 1 {
        let finding = Diagnostic::error(place, "a peer has one key, or none").label("expected `(key: T)`");
        p.diagnostics.push(finding.help(match keys.len() {
            0 => format!("without a key, write `peer {}: …`", name.text),
            _ => "several parts make one key as a tuple: `(key: (T, U))`".to_owned(),
        }));
    }
    Ok(MemberKind::Peer { name, key: keys.pop(), request, response })
}
