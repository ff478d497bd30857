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
            Kind::Choose if self.names_its_value() => self.choose_where()?,
            Kind::Pick => self.pick()?,
            Kind::Either => self.either_expr()?,
            Kind::Any => self.quantified(Quantifier::Any)?,
            Kind::All => self.quantified(Quantifier::All)?,
            _ => return self.postfix(),
        };
        Ok(self.expr_since(start, kind))
    }

    /// At `choose`: whether `x:` follows.
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
        self.chain(|p| {
            let start = p.token().start;
            let mut expr = p.atom()?;
            loop {
                let kind = match p.peek() {
                    Kind::Dot => p.member_of(expr)?,
                    Kind::LBracket => p.element_of(expr)?,
                    Kind::LParen => p.call_of(expr)?,
                    Kind::LBrace if p.mode == Mode::Free && names_a_record(&expr) => p.record(expr)?,
                    _ => return Ok(expr),
                };
                expr = p.expr_since(start, kind);
                p.deepen()?;
            }
        })
    }

    fn member_of(&mut self, receiver: Expr) -> Outcome<ExprKind> {
        self.advance();
        if self.at(Kind::Int) {
            let finding = self.unexpected("the name of a field or function");
            return self.fail_with(finding.help("numbers are whole; take a tuple apart with `let (a, b) = …;`"));
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
    fn atom(&mut self) -> Outcome<Expr> {
        let start = self.token().start;
        let kind = match self.peek() {
            Kind::Int => ExprKind::Int(self.integer()?),
            Kind::Text => ExprKind::Text(self.text_literal()),
            Kind::True | Kind::False => ExprKind::Bool(self.advance().kind == Kind::True),
            Kind::Cell => ExprKind::Cell(self.cell()),
            Kind::Name | Kind::Quoted => ExprKind::Name(self.name("a name")?),
            Kind::Choose => self.choose()?,
            Kind::LParen => self.parenthesised()?,
            Kind::LBracket => self.list_literal()?,
            Kind::LBrace => self.braces()?,
            Kind::If => self.if_expr()?,
            Kind::Match => self.match_expr()?,
            Kind::Call => return self.misplaced_call(),
            _ => return self.fail("an expression"),
        };
        Ok(self.expr_since(start, kind))
    }

    fn misplaced_call(&mut self) -> Outcome<Expr> {
        let finding = Diagnostic::error(self.span(self.token()), "`call` cannot stand inside an expression");
        let help = "it is the whole right side of `let`, `var` or `:=`, or a statement of its own";
        self.fail_with(finding.label("this has to wait for a peer").help(help))
    }

    fn choose(&mut self) -> Outcome<ExprKind> {
        self.advance();
        if self.at_type() { Ok(ExprKind::Choose(Some(self.type_expr()?))) } else { Ok(ExprKind::Choose(None)) }
    }

    fn parenthesised(&mut self) -> Outcome<ExprKind> {
        let open = self.token();
        let mut trailing = None;
        let mut elements = self.bracketed((Kind::LParen, Kind::RParen), |p| {
            let element = p.expr()?;
            trailing = if p.at(Kind::Comma) { Some(p.token()) } else { None };
            Ok(element)
        })?;
        if elements.len() > 1 {
            return Ok(ExprKind::Tuple(elements));
        }
        if let Some(comma) = trailing {
            self.report(Diagnostic::error(self.span(comma), "a tuple has two or more elements"));
        }
        match elements.pop() {
            Some(only) => Ok(ExprKind::Paren(Box::new(only))),
            None => {
                let place = self.since(open.start);
                self.report(Diagnostic::error(place, "expected an expression between the parentheses"));
                Ok(ExprKind::Error)
            }
        }
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

/// Whether an expression is `Name` or `Name.Name`.
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
