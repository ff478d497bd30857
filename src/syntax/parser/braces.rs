//! The constructs between braces and brackets: literals, comprehensions, `{ let … }`, `with`, and the branches of `if` and
//! `match` where they are expressions.
//!
//! `{}` `{a, b}` `{k: v}` `{f for x in e if p}` `{ e with f: v }` `{ let x = e; f }` all begin alike.

use crate::syntax::ast::{Arm, Clause, Expr, ExprKind, Pattern};
use crate::syntax::lexer::{Kind, Token};

use super::{Mode, Outcome, Parser};

impl Parser<'_> {
    /// `"[" list(expr) "]"` or a comprehension
    pub(super) fn list_literal(&mut self) -> Outcome<ExprKind> {
        let open = self.advance();
        self.in_mode(Mode::Free, |p| {
            if p.eat(Kind::RBracket).is_some() {
                return Ok(ExprKind::List(Vec::new()));
            }
            let first = p.expr()?;
            if p.at_clause() {
                let clauses = p.clauses()?;
                p.close(Kind::RBracket, open, "`for`, `if` or `]`")?;
                return Ok(ExprKind::ListComprehension { element: Box::new(first), clauses });
            }
            Ok(ExprKind::List(p.further_elements(first, Kind::RBracket, open)?))
        })
    }

    fn further_elements(&mut self, first: Expr, close: Kind, open: Token) -> Outcome<Vec<Expr>> {
        let mut elements = vec![first];
        if self.eat(Kind::Comma).is_some() {
            elements.extend(self.list(close, Self::expr)?);
        }
        self.end_of_list(close, open)?;
        Ok(elements)
    }

    /// `braces` or `letin`
    pub(super) fn braces(&mut self) -> Outcome<ExprKind> {
        let open = self.advance();
        self.in_mode(Mode::Free, |p| match p.peek() {
            Kind::RBrace => {
                p.advance();
                Ok(ExprKind::EmptyBraces)
            }
            Kind::Let => p.let_in(open),
            _ => {
                let first = p.expr()?;
                p.after_first(first, open)
            }
        })
    }

    fn after_first(&mut self, first: Expr, open: Token) -> Outcome<ExprKind> {
        match self.peek() {
            Kind::Colon => self.map(first, open),
            Kind::With => self.with(first, open),
            Kind::For | Kind::If => {
                let clauses = self.clauses()?;
                self.close(Kind::RBrace, open, "`for`, `if` or `}`")?;
                Ok(ExprKind::SetComprehension { element: Box::new(first), clauses })
            }
            _ => Ok(ExprKind::Set(self.further_elements(first, Kind::RBrace, open)?)),
        }
    }

    fn map(&mut self, key: Expr, open: Token) -> Outcome<ExprKind> {
        self.advance();
        let value = self.expr()?;
        if self.at_clause() {
            let clauses = self.clauses()?;
            self.close(Kind::RBrace, open, "`for`, `if` or `}`")?;
            return Ok(ExprKind::MapComprehension { key: Box::new(key), value: Box::new(value), clauses });
        }
        let mut entries = vec![(key, value)];
        if self.eat(Kind::Comma).is_some() {
            entries.extend(self.list(Kind::RBrace, Self::entry)?);
        }
        self.end_of_list(Kind::RBrace, open)?;
        Ok(ExprKind::Map(entries))
    }

    fn entry(&mut self) -> Outcome<(Expr, Expr)> {
        let key = self.expr()?;
        self.expect(Kind::Colon, "`:` and a value")?;
        Ok((key, self.expr()?))
    }

    fn with(&mut self, base: Expr, open: Token) -> Outcome<ExprKind> {
        self.advance();
        let fields = self.inits()?;
        self.end_of_list(Kind::RBrace, open)?;
        Ok(ExprKind::With { base: Box::new(base), fields })
    }

    fn at_clause(&self) -> bool {
        matches!(self.peek(), Kind::For | Kind::If)
    }

    /// `{clause}`
    fn clauses(&mut self) -> Outcome<Vec<Clause>> {
        let mut clauses = Vec::new();
        loop {
            if self.eat(Kind::For).is_some() {
                let binder = self.binder()?;
                self.expect(Kind::In, "`in`")?;
                clauses.push(Clause::For { binder, over: self.expr()? });
            } else if self.eat(Kind::If).is_some() {
                clauses.push(Clause::If(self.expr()?));
            } else {
                return Ok(clauses);
            }
        }
    }

    /// `letin`, after its `{`
    fn let_in(&mut self, open: Token) -> Outcome<ExprKind> {
        let mut bindings: Vec<(Pattern, Expr)> = Vec::new();
        while self.eat(Kind::Let).is_some() {
            bindings.push(self.binding()?);
        }
        let body = Box::new(self.expr()?);
        self.close(Kind::RBrace, open, "`}`")?;
        Ok(ExprKind::Let { bindings, body })
    }

    fn binding(&mut self) -> Outcome<(Pattern, Expr)> {
        let pattern = self.pattern()?;
        if self.at(Kind::Colon) {
            let finding = self.unexpected("`=`");
            return self.fail_with(finding.help("`let` cannot have a type inside an expression"));
        }
        self.expect(Kind::Equals, "`=`")?;
        let value = self.expr()?;
        self.semicolon()?;
        Ok((pattern, value))
    }

    /// `branch`: an expression in braces.
    fn branch(&mut self) -> Outcome<Expr> {
        let open = self.expect(Kind::LBrace, "`{`")?;
        self.in_mode(Mode::Free, |p| match p.peek() {
            Kind::Let => {
                let kind = p.let_in(open)?;
                Ok(p.expr_since(open.start, kind))
            }
            Kind::RBrace => {
                let finding = p.unexpected("an expression");
                p.fail_with(finding.help("write the empty map or set as `{ {} }` here"))
            }
            _ => {
                let value = p.expr()?;
                p.close(Kind::RBrace, open, "`}`")?;
                Ok(value)
            }
        })
    }

    /// `if` as an expression
    pub(super) fn if_expr(&mut self) -> Outcome<ExprKind> {
        let start = self.advance();
        let condition = Box::new(self.head()?);
        let then = Box::new(self.branch()?);
        if !self.at(Kind::Else) {
            let finding = self.unexpected("`else`").also(self.span(start), "this `if` is an expression");
            return self.fail_with(finding);
        }
        self.advance();
        let otherwise = if self.at(Kind::If) {
            let start = self.token().start;
            self.nested(|p| {
                let kind = p.if_expr()?;
                Ok(p.expr_since(start, kind))
            })?
        } else {
            self.branch()?
        };
        Ok(ExprKind::If { condition, then, otherwise: Box::new(otherwise) })
    }

    /// `match` as an expression
    pub(super) fn match_expr(&mut self) -> Outcome<ExprKind> {
        self.advance();
        let subject = Box::new(self.head()?);
        let arms = self.bracketed((Kind::LBrace, Kind::RBrace), Self::expr_arm)?;
        Ok(ExprKind::Match { subject, arms })
    }

    fn expr_arm(&mut self) -> Outcome<Arm<Expr>> {
        let start = self.token().start;
        let (pattern, guard) = self.arm_head()?;
        let body = self.expr()?;
        Ok(Arm { pattern, guard, body, span: self.since(start) })
    }

    /// `pattern ["if" expr] "=>"`
    pub(super) fn arm_head(&mut self) -> Outcome<(Pattern, Option<Expr>)> {
        let pattern = self.pattern()?;
        let guard = match self.eat(Kind::If) {
            Some(_) => Some(self.expr()?),
            None => None,
        };
        self.expect(Kind::FatArrow, if guard.is_some() { "`=>`" } else { "`=>` or `if`" })?;
        Ok((pattern, guard))
    }

    /// `head`: an expression before a block.
    pub(super) fn head(&mut self) -> Outcome<Expr> {
        self.in_mode(Mode::Head, Self::expr)
    }
}
