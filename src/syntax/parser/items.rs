//! The items of a file: `use`, `const`, `type`, `token`, `struct`, `enum`, `fn`, `def`, `machine`, `protocol`,
//! `serial protocol`.
//! `token` may be the name of a field, and `token Id;` declares a type: none of these words is reserved.

use crate::syntax::ast::{Field, Item, ItemKind, Openness, Payload, Purity, Scheduling, Variant};
use crate::syntax::lexer::TokenKind;

use super::combine::{CURLY, ROUND};
use super::report::recovery::{Level, sequence};
use super::{Parse, ParseResult, Parser};

impl Parse for Item {
    fn parse(p: &mut Parser<'_>) -> ParseResult<Item> {
        p.spanned(item)
    }
}

fn item(p: &mut Parser<'_>) -> ParseResult<ItemKind> {
    match p.word() {
        "use" => {
            let name = p.named("the name of a file, without `.may`")?;
            p.semicolon()?;
            Ok(ItemKind::Use(name))
        }
        "const" => {
            p.advance();
            let Field { name, ty } = p.typed("the name of the constant")?;
            p.expect(TokenKind::Equals, "`=` and a value")?;
            Ok(ItemKind::Const { name, ty, value: p.ended()? })
        }
        "type" => {
            let name = p.named("the name of the type")?;
            p.expect(TokenKind::Equals, "`=` and a type")?;
            Ok(ItemKind::Alias { name, ty: p.ended()? })
        }
        "token" => {
            let name = p.named("the name of the type")?;
            p.semicolon()?;
            Ok(ItemKind::Token(name))
        }
        "struct" => {
            let name = p.named("the name of the struct")?;
            let (fields, openness) = fields(p)?;
            p.eat(TokenKind::Semi);
            Ok(ItemKind::Struct { name, fields, openness })
        }
        "enum" => {
            let name = p.named("the name of the enum")?;
            let variants = p.bracketed(CURLY)?;
            p.eat(TokenKind::Semi);
            Ok(ItemKind::Enum { name, variants })
        }
        "fn" => function(p, Purity::Fn),
        "def" => function(p, Purity::Def),
        "machine" => Ok(ItemKind::Machine { name: p.named("the name of the machine")?, body: p.parse()? }),
        "protocol" => protocol(p, Scheduling::Concurrent),
        "serial" => {
            p.advance();
            if p.word() == "protocol" { protocol(p, Scheduling::Serial) } else { p.fail("`protocol`") }
        }
        _ => {
            let words = "`use`, `const`, `type`, `token`, `struct`, `enum`, `fn`, `def`, `machine` or `protocol`";
            p.fail_with(p.unexpected("an item").label(format!("expected {words}")))
        }
    }
}

impl Parse for Variant {
    fn parse(p: &mut Parser<'_>) -> ParseResult<Variant> {
        let name = p.name("the name of a variant")?;
        let (payload, openness) = match p.peek() {
            TokenKind::LParen if p.peek_at(1).is_name() && p.peek_at(2) == TokenKind::Colon => {
                let help = format!("fields with names stand in braces: `{} {{ f: T }}`", name.text);
                return p.fail_with(p.unexpected("`{`").help(help));
            }
            TokenKind::LParen => (Payload::Tuple(p.bracketed(ROUND)?), Openness::Closed),
            TokenKind::LBrace => {
                let (fields, openness) = fields(p)?;
                (Payload::Record(fields), openness)
            }
            _ => (Payload::Unit, Openness::Closed),
        };
        let span = p.since(name.span.start);
        Ok(Variant { name, payload, openness, span })
    }
}

/// `"{" fields "}"`
fn fields(p: &mut Parser<'_>) -> ParseResult<(Vec<Field>, Openness)> {
    let open = p.expect(TokenKind::LBrace, "`{`")?;
    let fields = p.list(TokenKind::RBrace)?;
    Ok((fields, p.openness(open)?))
}

impl Parse for Field {
    fn parse(p: &mut Parser<'_>) -> ParseResult<Field> {
        p.typed("a name")
    }
}

fn function(p: &mut Parser<'_>, purity: Purity) -> ParseResult<ItemKind> {
    let name = p.named("the name of the function")?;
    let params = p.bracketed(ROUND)?;
    p.expect(TokenKind::Colon, "`:` and the type of the result")?;
    let result = p.parse()?;
    let help = "the body of a function is one expression: `= { let x = e; f };`";
    p.expect_or(TokenKind::Equals, "`=` and an expression", help)?;
    Ok(ItemKind::Function { purity, name, params, result, body: p.ended()? })
}

fn protocol(p: &mut Parser<'_>, scheduling: Scheduling) -> ParseResult<ItemKind> {
    let name = p.named("the name of the protocol")?;
    let open = p.expect(TokenKind::LBrace, "`{`")?;
    let members = sequence(p, Level::Member, Some(open), |_, _| None);
    Ok(ItemKind::Protocol { scheduling, name, members })
}
