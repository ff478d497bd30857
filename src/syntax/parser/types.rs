//! Types: names, `option<T>`, `list<T>`, `set<T>`, `map<K, V>`, tuples.
//!
//! `map<string, option<(int, bool)>>` is one type; its final `>>` is two tokens.

use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{TypeExpr, TypeKind};
use crate::syntax::lexer::{Lexeme, TokenKind};

use super::combine::ROUND;
use super::{Parse, ParseResult, Parser};

impl Parse for TypeExpr {
    /// `type`
    fn parse(p: &mut Parser<'_>) -> ParseResult<TypeExpr> {
        p.nested(|p| p.spanned(type_kind))
    }
}

fn type_kind(p: &mut Parser<'_>) -> ParseResult<TypeKind> {
    if p.at(TokenKind::LParen) {
        return tuple(p);
    }
    match p.word() {
        "option" => argument(p, "option<T>").map(TypeKind::Option),
        "list" => argument(p, "list<T>").map(TypeKind::List),
        "set" => argument(p, "set<T>").map(TypeKind::Set),
        "map" => {
            let open = less(p, "map<K, V>")?;
            let key = p.parse()?;
            p.expect(TokenKind::Comma, "`,` and the type of the values")?;
            let value = p.parse()?;
            p.eat(TokenKind::Comma);
            greater(p, open)?;
            Ok(TypeKind::Map(key, value))
        }
        _ if p.at(TokenKind::LBrace) => {
            p.fail_with(p.unexpected("a type").help("fields belong to a type with a name: `struct R { f: T }`"))
        }
        _ => p.name("a type").map(TypeKind::Name),
    }
}

fn tuple(p: &mut Parser<'_>) -> ParseResult<TypeKind> {
    let start = p.token().start;
    let mut types: Vec<TypeExpr> = p.bracketed(ROUND)?;
    match types.len() {
        0 => p.error(p.since(start), "expected a type between the parentheses"),
        1 => {
            let finding = Diagnostic::error(p.since(start), "a tuple has two or more elements");
            p.diagnostics.push(finding.help("write the type without parentheses"));
        }
        _ => return Ok(TypeKind::Tuple(types)),
    }
    Ok(types.pop().map_or(TypeKind::Error, |only| only.kind))
}

fn argument(p: &mut Parser<'_>, shape: &str) -> ParseResult<Box<TypeExpr>> {
    let open = less(p, shape)?;
    let argument = p.parse()?;
    greater(p, open)?;
    Ok(argument)
}

/// Takes the name of a constructor and its `<`.
fn less(p: &mut Parser<'_>, shape: &str) -> ParseResult<Lexeme> {
    p.advance();
    p.expect(TokenKind::Less, &format!("`<`, as in `{shape}`"))
}

/// Takes `>`, or the first half of `>=`, as in `list<int>= []`.
fn greater(p: &mut Parser<'_>, open: Lexeme) -> ParseResult<()> {
    if p.at(TokenKind::GreaterEq) {
        let token = &mut p.tokens[p.at];
        *token = Lexeme { kind: TokenKind::Equals, start: token.start + 1, end: token.end };
        return Ok(());
    }
    p.close(TokenKind::Greater, open, "`>`").map(|_| ())
}
