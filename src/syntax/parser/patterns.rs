//! Patterns: what may stand after `is`, `on`, `let` and before `=>`; and binders, the names and tuples after `for`.
//!
//! `Some((x, _)) | None`, `Get { key, .. }`, `[first, ..rest]` and `Enum.lower(-1)` are patterns.

use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{FieldPattern, Name, Openness, Pattern, PatternKind};
use crate::syntax::lexer::{Kind, Token};

use super::lists::sign;
use super::{Mode, Outcome, Parser};

/// The rule that decides whether `Name {` in a pattern opens its fields.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fields {
    /// The mode: in a head it opens a block.
    ByMode,
    /// The tokens that follow it; this is the rule after `on`.
    ByLookahead,
}

impl Parser<'_> {
    /// `pattern`
    pub(super) fn pattern(&mut self) -> Outcome<Pattern> {
        self.alternatives(Fields::ByMode)
    }

    /// The pattern after `on`.
    pub(super) fn request_pattern(&mut self) -> Outcome<Pattern> {
        self.alternatives(Fields::ByLookahead)
    }

    /// `binder`: a name, or a tuple of binders.
    pub(super) fn binder(&mut self) -> Outcome<Pattern> {
        let pattern = if self.at_name() || self.at(Kind::LParen) {
            self.nested(|p| p.one(Fields::ByMode))?
        } else {
            return self.fail("a name, or a tuple of names");
        };
        if !is_binder(&pattern) {
            self.report(Diagnostic::error(pattern.span, "expected a name, or a tuple of names"));
        }
        Ok(pattern)
    }

    fn alternatives(&mut self, fields: Fields) -> Outcome<Pattern> {
        self.enter()?;
        let outer = self.begin_chain();
        let start = self.token().start;
        let mut outcome = self.one(fields);
        if self.at(Kind::Bar) {
            outcome = outcome.and_then(|first| self.further_alternatives(first, start, fields));
        }
        self.end_chain(outer);
        self.leave();
        outcome
    }

    fn further_alternatives(&mut self, first: Pattern, start: u32, fields: Fields) -> Outcome<Pattern> {
        let mut alternatives = vec![first];
        while self.eat(Kind::Bar).is_some() {
            alternatives.push(self.one(fields)?);
        }
        self.deepen(self.deepest)?;
        Ok(Pattern { kind: PatternKind::Or(alternatives), span: self.since(start), id: self.id() })
    }

    fn one(&mut self, fields: Fields) -> Outcome<Pattern> {
        let start = self.token().start;
        let kind = self.one_kind(fields);
        kind.map(|kind| Pattern { kind, span: self.since(start), id: self.id() })
    }

    fn one_kind(&mut self, fields: Fields) -> Outcome<PatternKind> {
        match self.peek() {
            Kind::Name | Kind::Quoted => self.named_pattern(fields),
            Kind::Int => self.integer().map(PatternKind::Int),
            Kind::Minus => self.negative_pattern(),
            Kind::Text => Ok(PatternKind::Text(self.text_literal())),
            Kind::True | Kind::False => Ok(PatternKind::Bool(self.advance().kind == Kind::True)),
            Kind::LParen => self.tuple_pattern(),
            Kind::LBracket => self.list_pattern(),
            _ => self.fail("a pattern"),
        }
    }

    fn negative_pattern(&mut self) -> Outcome<PatternKind> {
        self.advance();
        if !self.at(Kind::Int) {
            return self.fail("a number");
        }
        Ok(PatternKind::Int(self.integer()?.neg()))
    }

    fn tuple_pattern(&mut self) -> Outcome<PatternKind> {
        let start = self.token().start;
        let elements = self.bracketed((Kind::LParen, Kind::RParen), Self::pattern)?;
        if elements.is_empty() {
            self.report(Diagnostic::error(self.since(start), "expected a pattern between the parentheses"));
            return Ok(PatternKind::Error);
        }
        Ok(PatternKind::Tuple(elements))
    }

    fn list_pattern(&mut self) -> Outcome<PatternKind> {
        let open = self.advance();
        let elements = self.in_mode(Mode::Free, |p| p.list(Kind::RBracket, Self::pattern))?;
        let rest = match self.eat(Kind::DotDot) {
            Some(_) if self.at_name() => Some(Some(self.name("a name")?)),
            Some(_) => Some(None),
            None => None,
        };
        if rest.is_some() {
            self.eat(Kind::Comma);
        }
        self.end_of_list(Kind::RBracket, open)?;
        Ok(PatternKind::List { elements, rest })
    }

    fn named_pattern(&mut self, fields: Fields) -> Outcome<PatternKind> {
        if self.eat_word("_").is_some() {
            return Ok(PatternKind::Wildcard);
        }
        let first = self.name("a pattern")?;
        let (qualifier, name) = match self.eat(Kind::Dot) {
            Some(_) => (Some(first), self.name("the name of a variant")?),
            None => (None, first),
        };
        match self.peek() {
            Kind::LParen => {
                let args = self.bracketed((Kind::LParen, Kind::RParen), Self::pattern)?;
                Ok(PatternKind::Variant { qualifier, name, args })
            }
            Kind::LBrace if self.opens_fields(fields) => self.record_pattern(qualifier, name),
            _ if qualifier.is_some() => Ok(PatternKind::Variant { qualifier, name, args: Vec::new() }),
            _ => Ok(PatternKind::Name(name)),
        }
    }

    fn opens_fields(&self, fields: Fields) -> bool {
        match fields {
            Fields::ByMode => self.mode == Mode::Free,
            Fields::ByLookahead => self.fields_follow(),
        }
    }

    /// After `on NAME`, at `{`: fields iff the next tokens are `..`, or a name and then `,` `:` `}`, or `}` and then
    /// `{` `|` `from` `if`.
    fn fields_follow(&self) -> bool {
        match self.peek_at(1) {
            Kind::DotDot => true,
            Kind::Name | Kind::Quoted => matches!(self.peek_at(2), Kind::Comma | Kind::Colon | Kind::RBrace),
            Kind::RBrace => match self.peek_at(2) {
                Kind::LBrace | Kind::Bar | Kind::If => true,
                Kind::Name => self.text_of(self.tokens[self.at + 2]) == "from",
                _ => false,
            },
            _ => false,
        }
    }

    fn record_pattern(&mut self, qualifier: Option<Name>, name: Name) -> Outcome<PatternKind> {
        let open = self.advance();
        let fields = self.in_mode(Mode::Free, |p| p.list(Kind::RBrace, Self::field_pattern))?;
        let openness = self.openness(open)?;
        Ok(PatternKind::Record { qualifier, name, fields, openness })
    }

    fn field_pattern(&mut self) -> Outcome<FieldPattern> {
        let name = self.name("the name of a field")?;
        let pattern = match self.eat(Kind::Colon) {
            Some(_) => Some(self.pattern()?),
            None => None,
        };
        Ok(FieldPattern { name, pattern })
    }

    /// `[".."] "}"`, at the end of fields.
    pub(super) fn openness(&mut self, open: Token) -> Outcome<Openness> {
        let openness = match self.eat(Kind::DotDot) {
            Some(_) => Openness::Open,
            None => Openness::Closed,
        };
        if openness == Openness::Open {
            self.eat(Kind::Comma);
            self.close(Kind::RBrace, open, sign(Kind::RBrace))?;
        } else {
            self.end_of_list(Kind::RBrace, open)?;
        }
        Ok(openness)
    }
}

fn is_binder(pattern: &Pattern) -> bool {
    match &pattern.kind {
        PatternKind::Wildcard | PatternKind::Name(_) | PatternKind::Error => true,
        PatternKind::Tuple(elements) => elements.iter().all(is_binder),
        PatternKind::Int(_)
        | PatternKind::Text(_)
        | PatternKind::Bool(_)
        | PatternKind::Variant { .. }
        | PatternKind::Record { .. }
        | PatternKind::List { .. }
        | PatternKind::Or(_) => false,
    }
}
