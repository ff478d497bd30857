//! Expressions: `open`, `postfix` and `atom` of the grammar.
//!
//! `pick 0..len(items)`, `data.get(key)[0].f`, `Ok { value, ..choose }` and `choose x: Id where !(x in used)` are read
//! here; what stands between braces and brackets is in `braces`, operators are in `operators`.

use crate::diagnostic::Diagnostic;
use crate::scalar::Int;
use crate::syntax::ast::{Expr, ExprKind, Init, Name, Quantifier, Rest, TextLiteral};
use crate::syntax::lexer::{Kind, Token};
use crate::syntax::literal;

use super::{Mode, Outcome, Parser};

/// The longest integer literal that is read: reading takes time quadratic in it.
const MAX_DIGITS: usize = 100_000;

impl Parser<'_> {
    /// `open`, or the `choose` that is an atom.
    pub(super) fn open(&mut self) -> Outcome<Expr> {
        let start = self.token().start;
        let kind = match self.peek() {
            Kind::Choose if self.names_its_value() => self.choose_where(),
            Kind::Pick => self.pick(),
            Kind::Either => self.either_expr(),
            Kind::Any => self.quantified(Quantifier::Any),
            Kind::All => self.quantified(Quantifier::All),
            _ => return self.postfix(),
        };
        kind.map(|kind| self.expr_since(start, kind))
    }

    /// Tests whether `x:` follows the next token; called at `choose`.
    fn names_its_value(&self) -> bool {
        matches!(self.peek_at(1), Kind::Name | Kind::Quoted) && self.peek_at(2) == Kind::Colon
    }

    fn choose_where(&mut self) -> Outcome<ExprKind> {
        self.advance();
        let name = self.name("a name")?;
        self.expect(Kind::Colon, "`:`")?;
        let ty = self.type_expr()?;
        self.expect(Kind::Where, "`where` and a condition")?;
        let condition = Box::new(self.expr()?);
        Ok(ExprKind::ChooseWhere { name, ty, condition })
    }

    fn pick(&mut self) -> Outcome<ExprKind> {
        self.advance();
        if !(self.at_name() && self.peek_at(1) == Kind::In) {
            return Ok(ExprKind::Pick(Box::new(self.expr()?)));
        }
        let name = self.name("a name")?;
        self.advance();
        let over = Box::new(self.expr()?);
        if !self.at(Kind::Where) {
            let finding = self.unexpected("`where` and a condition");
            return self.fail_with(finding.help("without a condition, write `pick e`"));
        }
        self.advance();
        let condition = Box::new(self.expr()?);
        Ok(ExprKind::PickWhere { name, over, condition })
    }

    fn either_expr(&mut self) -> Outcome<ExprKind> {
        self.advance();
        let mut alternatives = vec![self.expr()?];
        if !self.at(Kind::Or) {
            return self.fail("`or` and another alternative");
        }
        while self.eat(Kind::Or).is_some() {
            alternatives.push(self.expr()?);
        }
        Ok(ExprKind::Either(alternatives))
    }

    fn quantified(&mut self, quantifier: Quantifier) -> Outcome<ExprKind> {
        self.advance();
        let binder = self.binder()?;
        self.expect(Kind::In, "`in`")?;
        let over = Box::new(self.expr()?);
        self.expect(Kind::Colon, "`:` and a condition")?;
        let body = Box::new(self.expr()?);
        Ok(ExprKind::Quantified { quantifier, binder, over, body })
    }

    /// `postfix`
    pub(super) fn postfix(&mut self) -> Outcome<Expr> {
        let outer = self.begin_chain();
        let start = self.token().start;
        let kind = self.atom();
        let mut outcome = kind.map(|kind| self.expr_since(start, kind));
        if matches!(self.peek(), Kind::Dot | Kind::LBracket | Kind::LParen | Kind::LBrace) {
            outcome = outcome.and_then(|atom| self.selections(atom));
        }
        self.end_chain(outer);
        outcome
    }

    /// `.f`, `.f(..)`, `[i]`, `(..)` and `{..}` after an atom.
    fn selections(&mut self, mut expr: Expr) -> Outcome<Expr> {
        let start = expr.span.start;
        loop {
            let below = self.deepest;
            let kind = match self.peek() {
                Kind::Dot => self.member_of(expr)?,
                Kind::LBracket => self.element_of(expr)?,
                Kind::LParen => self.call_of(expr)?,
                Kind::LBrace if self.mode == Mode::Free && names_a_record(&expr) => self.record(expr)?,
                _ => return Ok(expr),
            };
            expr = self.expr_since(start, kind);
            self.deepen(below)?;
        }
    }

    fn member_of(&mut self, receiver: Expr) -> Outcome<ExprKind> {
        self.advance();
        if self.at(Kind::Int) {
            let finding = self.unexpected("the name of a field or function");
            return self
                .fail_with(finding.help("all numbers are integers; destructure a tuple with `let (a, b) = …;`"));
        }
        let name = self.name("the name of a field or function")?;
        if !self.at(Kind::LParen) {
            return Ok(ExprKind::Field(Box::new(receiver), name));
        }
        let args = self.arguments()?;
        Ok(ExprKind::Method { receiver: Box::new(receiver), name, args })
    }

    fn element_of(&mut self, collection: Expr) -> Outcome<ExprKind> {
        let open = self.advance();
        let index = self.in_mode(Mode::Free, Self::expr)?;
        self.close(Kind::RBracket, open, "`]`")?;
        Ok(ExprKind::Index(Box::new(collection), Box::new(index)))
    }

    fn call_of(&mut self, function: Expr) -> Outcome<ExprKind> {
        let ExprKind::Name(name) = function.kind else {
            let place = function.span;
            return self.fail_with(Diagnostic::error(place, "only a name can be called").label("this is not a name"));
        };
        Ok(ExprKind::Call { name, args: self.arguments()? })
    }

    /// `"(" list(expr) ")"`
    pub(super) fn arguments(&mut self) -> Outcome<Vec<Expr>> {
        self.bracketed((Kind::LParen, Kind::RParen), Self::expr)
    }

    /// The braces of a record or variant; `head` is its name.
    fn record(&mut self, head: Expr) -> Outcome<ExprKind> {
        let (qualifier, name) = split_record_name(head.kind);
        let Some(name) = name else { return self.fail("the name of a record") };
        let open = self.advance();
        let fields = self.inits()?;
        let rest = self.rest()?;
        match rest {
            Rest::Nothing => self.end_of_list(Kind::RBrace, open)?,
            Rest::Choose(..) => self.close(Kind::RBrace, open, "`}`")?,
        };
        Ok(ExprKind::Record { qualifier, name, fields, rest })
    }

    fn rest(&mut self) -> Outcome<Rest> {
        let Some(dots) = self.eat(Kind::DotDot) else { return Ok(Rest::Nothing) };
        let choose = self.expect(Kind::Choose, "`choose` (the other fields are free)")?;
        let rest = Rest::Choose(self.span(dots).to(self.span(choose)), self.id());
        self.eat(Kind::Comma);
        Ok(rest)
    }

    /// `list(init)`, before `}` or `..`
    pub(super) fn inits(&mut self) -> Outcome<Vec<Init>> {
        self.in_mode(Mode::Free, |p| p.list(Kind::RBrace, Self::init))
    }

    fn init(&mut self) -> Outcome<Init> {
        let name = self.name("the name of a field")?;
        let value = match self.eat(Kind::Colon) {
            Some(_) => Some(self.expr()?),
            None => None,
        };
        Ok(Init { name, value })
    }

    /// `atom`
    fn atom(&mut self) -> Outcome<ExprKind> {
        match self.peek() {
            Kind::Int => self.integer().map(ExprKind::Int),
            Kind::Text => Ok(ExprKind::Text(self.text_literal())),
            Kind::True | Kind::False => Ok(ExprKind::Bool(self.advance().kind == Kind::True)),
            Kind::Cell => Ok(ExprKind::Cell(self.cell())),
            Kind::Name | Kind::Quoted => self.name("a name").map(ExprKind::Name),
            Kind::Choose => self.choose(),
            Kind::LParen => self.parenthesised(),
            Kind::LBracket => self.list_literal(),
            Kind::LBrace => self.braces(),
            Kind::If => self.if_expr(),
            Kind::Match => self.match_expr(),
            Kind::Call => self.misplaced_call(),
            _ => self.fail("an expression"),
        }
    }

    fn misplaced_call<T>(&mut self) -> Outcome<T> {
        let finding = Diagnostic::error(self.span(self.token()), "`call` is not allowed inside an expression");
        let help = "a `call` is the entire right side of `let`, `var` or `:=`, or a statement of its own";
        self.fail_with(finding.label("this waits for a peer").help(help))
    }

    fn choose(&mut self) -> Outcome<ExprKind> {
        self.advance();
        if self.at_type() { Ok(ExprKind::Choose(Some(self.type_expr()?))) } else { Ok(ExprKind::Choose(None)) }
    }

    fn parenthesised(&mut self) -> Outcome<ExprKind> {
        let open = self.advance();
        if self.eat(Kind::RParen).is_some() {
            let place = self.since(open.start);
            self.report(Diagnostic::error(place, "expected an expression between the parentheses"));
            return Ok(ExprKind::Error);
        }
        let outer = std::mem::replace(&mut self.mode, Mode::Free);
        let first = Box::new(self.expr()?);
        let kind = if self.at(Kind::Comma) { self.tuple(*first) } else { Ok(ExprKind::Paren(first)) };
        self.mode = outer;
        self.end_of_list(Kind::RParen, open)?;
        kind
    }

    /// Reads what follows the first element of a tuple, up to the closing parenthesis, which is not taken.
    fn tuple(&mut self, first: Expr) -> Outcome<ExprKind> {
        let comma = self.advance();
        let mut elements = vec![first];
        elements.extend(self.list(Kind::RParen, Self::expr)?);
        if elements.len() == 1 {
            self.report(Diagnostic::error(self.span(comma), "a tuple has two or more elements"));
        }
        Ok(ExprKind::Tuple(elements))
    }

    /// Digits; called at [`Kind::Int`] only.
    pub(super) fn integer(&mut self) -> Outcome<Int> {
        let token = self.advance();
        let digits = self.text_of(token);
        match Int::parse(digits) {
            Some(value) if digits.len() <= MAX_DIGITS => Ok(value),
            _ => {
                let finding = format!("an integer literal has at most {MAX_DIGITS} digits");
                self.report(Diagnostic::error(self.span(token), finding));
                Ok(Int::ZERO)
            }
        }
    }

    /// `!k`; called at [`Kind::Cell`] only.
    pub(super) fn cell(&mut self) -> u32 {
        let token = self.advance();
        let number = self.text_of(token)[1..].parse();
        if number.is_err() {
            self.report(Diagnostic::error(self.span(token), format!("cells are numbered from 0 to {}", u32::MAX)));
        }
        number.unwrap_or(0)
    }

    /// A string; called at [`Kind::Text`] only.
    pub(super) fn text_literal(&mut self) -> TextLiteral {
        let token: Token = self.advance();
        let (literal, flaws) = literal::decode(self.text_of(token));
        for flaw in flaws {
            let mut place = self.span(token);
            place.end = place.start + flaw.end as u32;
            place.start += flaw.start as u32;
            self.report(Diagnostic::error(place, flaw.message));
        }
        literal
    }
}

/// Tests whether an expression is `Name` or `Name.Name`, as the name of a record is.
fn names_a_record(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Name(_) => true,
        ExprKind::Field(receiver, _) => matches!(receiver.kind, ExprKind::Name(_)),
        _ => false,
    }
}

fn split_record_name(kind: ExprKind) -> (Option<Name>, Option<Name>) {
    match kind {
        ExprKind::Name(name) => (None, Some(name)),
        ExprKind::Field(receiver, name) => match receiver.kind {
            ExprKind::Name(qualifier) => (Some(qualifier), Some(name)),
            _ => (None, None),
        },
        _ => (None, None),
    }
}
