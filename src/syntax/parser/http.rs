//! The `http` block of a protocol.
//!
//! `Get { key } => GET "/kv/{key}";` begins with a name and is a request line, `200 => Value { text: body };` begins with a status.

use crate::diagnostic::Span;
use crate::syntax::ast::{
    HttpAnswer, HttpAnswerLine, HttpBody, HttpField, HttpFields, HttpHeader, HttpHeaderValue, HttpLine, HttpLineKind,
    HttpMethod, HttpRequestLine, HttpShape, HttpSource, HttpSourceKind, HttpStatus, HttpText, MemberKind, Name,
};
use crate::syntax::lexer::TokenKind;

use super::combine::{CURLY, ROUND};
use super::report::recovery::{Level, sequence};
use super::{Parse, ParseResult, Parser, literals};

/// The words that begin a part of the message of an answer.
const SOURCE_WORDS: [&str; 4] = ["status", "header", "headers", "body"];

/// `http { … }`, at this word
pub(super) fn block(p: &mut Parser<'_>) -> ParseResult<MemberKind> {
    p.advance();
    let open = p.expect(TokenKind::LBrace, "`{`")?;
    Ok(MemberKind::Http(sequence(p, Level::HttpLine, Some(open), |_, _| None)))
}

impl Parse for HttpLine {
    fn parse(p: &mut Parser<'_>) -> ParseResult<HttpLine> {
        p.spanned(|p| {
            let line = match p.peek() {
                TokenKind::Int => HttpLineKind::Answer(answer_line(p)?),
                TokenKind::Name if p.word() == "_" => HttpLineKind::Answer(answer_line(p)?),
                _ => HttpLineKind::Request(request_line(p)?),
            };
            p.semicolon()?;
            Ok(line)
        })
    }
}

fn request_line(p: &mut Parser<'_>) -> ParseResult<HttpRequestLine> {
    let shape = shape(p, "a request or a status")?;
    p.expect(TokenKind::FatArrow, "`=>`")?;
    let method = match p.eat(TokenKind::LBrace) {
        None => HttpMethod::Is(p.name("a method, as in `GET \"/path\"`")?),
        Some(open) => {
            let field = p.name("the name of a field of the request")?;
            p.close(TokenKind::RBrace, open, "`}`")?;
            HttpMethod::Field(field)
        }
    };
    let target = text(p, "the path of the request, as in \"/kv/{key}\"")?;
    let headers = if p.at(TokenKind::LBrace) { p.bracketed(CURLY)? } else { Vec::new() };
    let other_headers = match p.eat_word("headers") {
        Some(_) => Some(p.name("the name of a field of the request")?),
        None => None,
    };
    let body = match p.eat_word("body") {
        Some(_) => Some(p.parse()?),
        None => None,
    };
    Ok(HttpRequestLine { shape, method, target, headers, other_headers, body })
}

impl Parse for HttpHeader {
    fn parse(p: &mut Parser<'_>) -> ParseResult<HttpHeader> {
        let name = text(p, "the name of a header, in quotes")?;
        p.expect(TokenKind::Colon, "`:`")?;
        let value = match p.peek() {
            TokenKind::Text => HttpHeaderValue::Fixed(text(p, "a string")?),
            _ => HttpHeaderValue::Field(p.parse()?),
        };
        Ok(HttpHeader { name, value })
    }
}

impl Parse for HttpField {
    fn parse(p: &mut Parser<'_>) -> ParseResult<HttpField> {
        let name = p.name("a field of the request, or a codec and a field, as in `etag(tag)`")?;
        if p.eat(TokenKind::LParen).is_none() {
            return Ok(HttpField { name, codec: None });
        }
        let field = p.name("the name of a field of the request")?;
        p.expect(TokenKind::RParen, "`)`")?;
        Ok(HttpField { name: field, codec: Some(name) })
    }
}

impl Parse for HttpBody {
    fn parse(p: &mut Parser<'_>) -> ParseResult<HttpBody> {
        if p.peek_at(1) != TokenKind::LBrace {
            return p.parse().map(HttpBody::Whole);
        }
        let codec = p.name("`json`, `form`, or the name of a field of the request")?;
        let start = p.token().start;
        let fields = p.bracketed(CURLY)?;
        Ok(HttpBody::Members { codec, fields, span: p.since(start) })
    }
}

fn answer_line(p: &mut Parser<'_>) -> ParseResult<HttpAnswerLine> {
    let mut statuses = vec![status(p)?];
    while p.eat(TokenKind::Comma).is_some() {
        statuses.push(status(p)?);
    }
    let mut to = Vec::new();
    if p.eat_word("to").is_some() {
        to.push(p.name("a request")?);
        while p.eat(TokenKind::Comma).is_some() {
            to.push(p.name("a request")?);
        }
    }
    p.expect(TokenKind::FatArrow, if to.is_empty() { "`=>`, `,` or `to`" } else { "`=>` or `,`" })?;
    let is_source = SOURCE_WORDS.contains(&p.word()) && !matches!(p.peek_at(1), TokenKind::LBrace | TokenKind::LParen);
    let value = if is_source { HttpAnswer::Source(p.parse()?) } else { HttpAnswer::Shape(shape(p, "an answer")?) };
    Ok(HttpAnswerLine { statuses, to, value })
}

fn status(p: &mut Parser<'_>) -> ParseResult<HttpStatus> {
    let place = p.here();
    if p.eat_word("_").is_some() {
        return Ok(HttpStatus::Any(place));
    }
    if !p.at(TokenKind::Int) {
        return p.fail("a status, as in `404`, or `_`");
    }
    let number = literals::integer(p).to_i64().and_then(|number| u16::try_from(number).ok());
    if !number.is_some_and(|number| (200..1_000).contains(&number)) {
        p.error(place, "a status of an answer is a number from 200 to 999");
    }
    Ok(HttpStatus::Is(number.unwrap_or(200), place))
}

impl Parse for HttpSource {
    fn parse(p: &mut Parser<'_>) -> ParseResult<HttpSource> {
        p.spanned(|p| match p.word() {
            "status" => {
                p.advance();
                Ok(HttpSourceKind::Status)
            }
            "header" => {
                p.advance();
                let name = text(p, "the name of a header, in quotes")?;
                let codec = if p.word() == "as" { Some(p.named("a codec, as in `as etag`")?) } else { None };
                Ok(HttpSourceKind::Header { name, codec })
            }
            "headers" => {
                p.advance();
                Ok(HttpSourceKind::Headers)
            }
            "body" => {
                p.advance();
                let codec = if p.at(TokenKind::Name) { Some(p.name("a codec, as in `body json`")?) } else { None };
                Ok(HttpSourceKind::Body { codec })
            }
            _ => p.fail("`status`, `header`, `headers` or `body`"),
        })
    }
}

fn shape<T: HttpSlot>(p: &mut Parser<'_>, what: &str) -> ParseResult<HttpShape<T>> {
    let start = p.token().start;
    let name = p.name(what)?;
    let fields = match p.peek() {
        TokenKind::LParen => HttpFields::Tuple(p.bracketed(ROUND)?),
        TokenKind::LBrace => {
            let named: Vec<NamedSlot<T>> = p.bracketed(CURLY)?;
            HttpFields::Record(named.into_iter().map(|NamedSlot(name, slot)| (name, slot)).collect())
        }
        _ => HttpFields::Unit,
    };
    Ok(HttpShape { name, fields, span: p.since(start) })
}

/// The thing that a shape has for each field.
trait HttpSlot: Parse {
    /// The thing that `V { f }` has for the field `f`, if this short form is allowed.
    fn short(name: &Name) -> Option<Self>;
}

impl HttpSlot for Name {
    fn short(name: &Name) -> Option<Name> {
        Some(name.clone())
    }
}

impl HttpSlot for HttpSource {
    fn short(_: &Name) -> Option<HttpSource> {
        None
    }
}

/// `f: slot`
struct NamedSlot<T>(Name, T);

impl<T: HttpSlot> Parse for NamedSlot<T> {
    fn parse(p: &mut Parser<'_>) -> ParseResult<NamedSlot<T>> {
        let name = p.name("the name of a field")?;
        if !p.at(TokenKind::Colon)
            && let Some(slot) = T::short(&name)
        {
            return Ok(NamedSlot(name, slot));
        }
        p.expect(TokenKind::Colon, "`:`, and what the field is taken from")?;
        Ok(NamedSlot(name, p.parse()?))
    }
}

impl Parse for Name {
    fn parse(p: &mut Parser<'_>) -> ParseResult<Name> {
        p.name("a name")
    }
}

fn text(p: &mut Parser<'_>, what: &str) -> ParseResult<HttpText> {
    let span: Span = p.here();
    if !p.at(TokenKind::Text) {
        return p.fail(what);
    }
    Ok(HttpText { text: literals::text(p), span })
}
