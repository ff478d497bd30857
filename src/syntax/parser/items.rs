//! Files and their items: `use`, `const`, `type`, `token`, `struct`, `enum`, `fn`, `def`, `machine`, `protocol`.
//!
//! None of these words is reserved: `token` may name a field, and `token Id;` declares a type.

use crate::syntax::ast::{Field, Item, ItemKind, Openness, Payload, Purity, Scheduling, Variant};
use crate::syntax::lexer::Kind;

use super::recovery::Level;
use super::{Mode, Outcome, Parser};

/// The words that begin an item and are followed by its name.
pub(super) const ITEM_WORDS: [&str; 10] =
    ["use", "const", "type", "token", "struct", "enum", "fn", "def", "machine", "protocol"];

impl Parser<'_> {
    /// `file`
    pub(super) fn file(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while !self.at(Kind::End) {
            let begin = self.mark();
            match self.nested(Self::item) {
                Ok(item) => items.push(item),
                Err(_) => self.recover(Level::Item, begin),
            }
        }
        items
    }

    fn item(&mut self) -> Outcome<Item> {
        let start = self.token().start;
        let kind = self.item_kind()?;
        Ok(Item { kind, span: self.since(start), id: self.id() })
    }

    fn item_kind(&mut self) -> Outcome<ItemKind> {
        let word = if self.at(Kind::Name) { self.text_of(self.token()) } else { "" };
        match word {
            "use" => self.use_item(),
            "const" => self.const_item(),
            "type" => self.alias_item(),
            "token" => self.token_item(),
            "struct" => self.struct_item(),
            "enum" => self.enum_item(),
            "fn" => self.function(Purity::Fn),
            "def" => self.function(Purity::Def),
            "machine" => self.machine(),
            "protocol" => self.protocol(Scheduling::Concurrent),
            "serial" => {
                self.advance();
                if self.at_word("protocol") { self.protocol(Scheduling::Serial) } else { self.fail("`protocol`") }
            }
            _ => self.no_item(),
        }
    }

    fn no_item<T>(&mut self) -> Outcome<T> {
        let finding = self.unexpected("an item");
        let words = "`use`, `const`, `type`, `token`, `struct`, `enum`, `fn`, `def`, `machine` or `protocol`";
        self.fail_with(finding.label(format!("expected {words}")))
    }

    fn use_item(&mut self) -> Outcome<ItemKind> {
        self.advance();
        let name = self.name("the name of a file, without `.may`")?;
        self.semicolon()?;
        Ok(ItemKind::Use(name))
    }

    fn const_item(&mut self) -> Outcome<ItemKind> {
        self.advance();
        let name = self.name("the name of the constant")?;
        self.expect(Kind::Colon, "`:` and a type")?;
        let ty = self.type_expr()?;
        self.expect(Kind::Equals, "`=` and a value")?;
        let value = self.expr()?;
        self.semicolon()?;
        Ok(ItemKind::Const { name, ty, value })
    }

    fn alias_item(&mut self) -> Outcome<ItemKind> {
        self.advance();
        let name = self.name("the name of the type")?;
        self.expect(Kind::Equals, "`=` and a type")?;
        let ty = self.type_expr()?;
        self.semicolon()?;
        Ok(ItemKind::Alias { name, ty })
    }

    fn token_item(&mut self) -> Outcome<ItemKind> {
        self.advance();
        let name = self.name("the name of the type")?;
        self.semicolon()?;
        Ok(ItemKind::Token(name))
    }

    fn struct_item(&mut self) -> Outcome<ItemKind> {
        self.advance();
        let name = self.name("the name of the struct")?;
        let (fields, openness) = self.fields()?;
        self.eat(Kind::Semi);
        Ok(ItemKind::Struct { name, fields, openness })
    }

    fn enum_item(&mut self) -> Outcome<ItemKind> {
        self.advance();
        let name = self.name("the name of the enum")?;
        let variants = self.bracketed((Kind::LBrace, Kind::RBrace), Self::variant)?;
        self.eat(Kind::Semi);
        Ok(ItemKind::Enum { name, variants })
    }

    fn variant(&mut self) -> Outcome<Variant> {
        let name = self.name("the name of a variant")?;
        let (payload, openness) = match self.peek() {
            Kind::LParen => {
                let types = self.bracketed((Kind::LParen, Kind::RParen), Self::type_expr)?;
                (Payload::Tuple(types), Openness::Closed)
            }
            Kind::LBrace => {
                let (fields, openness) = self.fields()?;
                (Payload::Record(fields), openness)
            }
            _ => (Payload::Unit, Openness::Closed),
        };
        let span = self.since(name.span.start);
        Ok(Variant { name, payload, openness, span })
    }

    /// `"{" fields "}"`
    fn fields(&mut self) -> Outcome<(Vec<Field>, Openness)> {
        let open = self.expect(Kind::LBrace, "`{`")?;
        let fields = self.in_mode(Mode::Free, |p| p.list(Kind::RBrace, Self::field))?;
        Ok((fields, self.openness(open)?))
    }

    fn field(&mut self) -> Outcome<Field> {
        let name = self.name("a name")?;
        self.expect(Kind::Colon, "`:` and a type")?;
        Ok(Field { name, ty: self.type_expr()? })
    }

    /// `"(" list(field) ")"`
    pub(super) fn params(&mut self) -> Outcome<Vec<Field>> {
        self.bracketed((Kind::LParen, Kind::RParen), Self::field)
    }

    fn function(&mut self, purity: Purity) -> Outcome<ItemKind> {
        self.advance();
        let name = self.name("the name of the function")?;
        let params = self.params()?;
        self.expect(Kind::Colon, "`:` and the type of the result")?;
        let result = self.type_expr()?;
        if !self.at(Kind::Equals) {
            let finding = self.unexpected("`=` and an expression");
            return self.fail_with(finding.help("the body of a function is one expression: `= { let x = e; f };`"));
        }
        self.advance();
        let body = self.expr()?;
        self.semicolon()?;
        Ok(ItemKind::Function { purity, name, params, result, body })
    }

    fn machine(&mut self) -> Outcome<ItemKind> {
        self.advance();
        let name = self.name("the name of the machine")?;
        let body = self.block()?;
        Ok(ItemKind::Machine { name, body })
    }

    fn protocol(&mut self, scheduling: Scheduling) -> Outcome<ItemKind> {
        self.advance();
        let name = self.name("the name of the protocol")?;
        let open = self.expect(Kind::LBrace, "`{`")?;
        let members = self.members(open);
        Ok(ItemKind::Protocol { scheduling, name, members })
    }
}
