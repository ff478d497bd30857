//! The `generate` block of a protocol.
//!
//! Each line is a target, a colon, and an expression: `Put: 5;`, `Put.key: ["a", "b"];`, `len(Put.body): 0..4096;`.

use crate::syntax::ast::{GenerateField, GenerateLine, GenerateLineKind, GenerateTarget, MemberKind, Name};
use crate::syntax::lexer::TokenKind;

use super::report::recovery::{Level, sequence};
use super::{Parse, ParseResult, Parser, literals};

/// `generate { … }`, at this word
pub(super) fn block(p: &mut Parser<'_>) -> ParseResult<MemberKind> {
    p.advance();
    let open = p.expect(TokenKind::LBrace, "`{`")?;
    Ok(MemberKind::Generate(sequence(p, Level::GenerateLine, Some(open), |_, _| None)))
}

impl Parse for GenerateLine {
    fn parse(p: &mut Parser<'_>) -> ParseResult<GenerateLine> {
        p.spanned(|p| {
            let target: GenerateTarget = p.parse()?;
            let may_go_on = target.field.is_none() && !target.is_length;
            p.expect(TokenKind::Colon, if may_go_on { "`:` or `.`" } else { "`:`" })?;
            Ok(GenerateLineKind { target, value: p.ended()? })
        })
    }
}

impl Parse for GenerateTarget {
    fn parse(p: &mut Parser<'_>) -> ParseResult<GenerateTarget> {
        let start = p.token().start;
        let is_length = p.word() == "len" && p.peek_at(1) == TokenKind::LParen;
        if !is_length {
            let (owner, field) = place(p, "a request, a type or `len`")?;
            return Ok(GenerateTarget { is_length, owner, field, span: p.since(start) });
        }
        p.advance();
        let open = p.expect(TokenKind::LParen, "`(`")?;
        let (owner, field) = place(p, "a field or a type")?;
        p.close(TokenKind::RParen, open, if field.is_none() { "`)` or `.`" } else { "`)`" })?;
        Ok(GenerateTarget { is_length, owner, field, span: p.since(start) })
    }
}

/// `Put`, `Put.key`, `Put.0`
fn place(p: &mut Parser<'_>, what: &str) -> ParseResult<(Name, Option<GenerateField>)> {
    let owner = p.name(what)?;
    let field = match p.eat(TokenKind::Dot) {
        Some(_) => Some(p.parse()?),
        None => None,
    };
    Ok((owner, field))
}

impl Parse for GenerateField {
    fn parse(p: &mut Parser<'_>) -> ParseResult<GenerateField> {
        if !p.at(TokenKind::Int) {
            return Ok(GenerateField::Name(p.name("the name or the number of a field")?));
        }
        let place = p.here();
        let number = literals::integer(p).to_i64().and_then(|number| u32::try_from(number).ok());
        Ok(GenerateField::Number(number.unwrap_or(u32::MAX), place))
    }
}
