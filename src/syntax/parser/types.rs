//! Types: names, `option<T>`, `list<T>`, `set<T>`, `map<K, V>`, tuples.
//!
//! `map<string, option<(int, bool)>>` is one type; its closing `>>` is two tokens.

use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{TypeExpr, TypeKind};
use crate::syntax::lexer::{Kind, Token};

use super::{Outcome, Parser};

impl Parser<'_> {
    /// `type`
    pub(super) fn type_expr(&mut self) -> Outcome<TypeExpr> {
        self.nested(|p| {
            let start = p.token().start;
            let kind = p.type_kind()?;
            Ok(TypeExpr { kind, span: p.since(start), id: p.id() })
        })
    }

    /// Tests whether the next token can begin a type.
    pub(super) fn at_type(&self) -> bool {
        self.at_name() || self.at(Kind::LParen)
    }

    fn type_kind(&mut self) -> Outcome<TypeKind> {
        if self.at(Kind::LParen) {
            return self.tuple_type();
        }
        if !self.at_name() {
            return self.fail("a type");
        }
        let word = if self.at(Kind::Name) { self.text_of(self.token()) } else { "" };
        match word {
            "option" => Ok(TypeKind::Option(self.one_argument("option<T>")?)),
            "list" => Ok(TypeKind::List(self.one_argument("list<T>")?)),
            "set" => Ok(TypeKind::Set(self.one_argument("set<T>")?)),
            "map" => self.map_type(),
            _ => Ok(TypeKind::Name(self.name("a type")?)),
        }
    }

    fn tuple_type(&mut self) -> Outcome<TypeKind> {
        let start = self.token().start;
        let mut types = self.bracketed((Kind::LParen, Kind::RParen), Self::type_expr)?;
        match types.len() {
            0 => self.report(Diagnostic::error(self.since(start), "expected a type between the parentheses")),
            1 => self.report(
                Diagnostic::error(self.since(start), "a tuple has two or more elements")
                    .help("write the type without parentheses"),
            ),
            _ => return Ok(TypeKind::Tuple(types)),
        }
        Ok(types.pop().map_or(TypeKind::Error, |only| only.kind))
    }

    fn one_argument(&mut self, shape: &str) -> Outcome<Box<TypeExpr>> {
        self.advance();
        let open = self.less(shape)?;
        let argument = Box::new(self.type_expr()?);
        self.greater(open)?;
        Ok(argument)
    }

    fn map_type(&mut self) -> Outcome<TypeKind> {
        self.advance();
        let open = self.less("map<K, V>")?;
        let key = Box::new(self.type_expr()?);
        self.expect(Kind::Comma, "`,` and the type of the values")?;
        let value = Box::new(self.type_expr()?);
        self.eat(Kind::Comma);
        self.greater(open)?;
        Ok(TypeKind::Map(key, value))
    }

    fn less(&mut self, shape: &str) -> Outcome<Token> {
        self.expect(Kind::Less, &format!("`<`, as in `{shape}`"))
    }

    /// Takes `>`; of `>=`, as in `list<int>= []`, its first half.
    fn greater(&mut self, open: Token) -> Outcome<()> {
        if self.at(Kind::GreaterEq) {
            let token = &mut self.tokens[self.at];
            *token = Token { kind: Kind::Equals, start: token.start + 1, end: token.end };
            return Ok(());
        }
        self.close(Kind::Greater, open, "`>`").map(|_| ())
    }
}
