//! Statements and blocks.
//!
//! A block collects what it can: in `{ n := ; reply 0; }` the first statement is reported, the second one kept.

use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{Arm, Block, Expr, ExprKind, Place, PlaceRoot, PlaceStep, Statement, StatementKind, TypeExpr};
use crate::syntax::lexer::{Kind, Token};

use super::recovery::Level;
use super::{Mode, Outcome, Parser};

impl Parser<'_> {
    /// `block`
    pub(super) fn block(&mut self) -> Outcome<Block> {
        let open = self.expect(Kind::LBrace, "`{`")?;
        self.in_mode(Mode::Free, |p| {
            let statements = p.statements(open);
            Ok(Block { statements, span: p.since(open.start) })
        })
    }

    /// The statements of a block and its closing brace, which may be missing.
    fn statements(&mut self, open: Token) -> Vec<Statement> {
        let inside = self.braces;
        let mut statements = Vec::new();
        loop {
            if self.eat(Kind::RBrace).is_some() {
                return statements;
            }
            if self.at(Kind::End) || self.at_declaration() {
                let _ = self.close(Kind::RBrace, open, "a statement or `}`");
                self.braces = inside - 1;
                return statements;
            }
            let begin = self.mark();
            let start = self.token().start;
            match self.nested(Self::statement) {
                Ok(statement) => statements.push(statement),
                Err(_) => {
                    self.recover(Level::Statement, begin);
                    let kind = StatementKind::Error;
                    statements.push(Statement { kind, span: self.since(start), id: self.id() });
                }
            }
        }
    }

    fn statement(&mut self) -> Outcome<Statement> {
        let start = self.token().start;
        let kind = self.statement_kind()?;
        Ok(Statement { kind, span: self.since(start), id: self.id() })
    }

    fn statement_kind(&mut self) -> Outcome<StatementKind> {
        match self.peek() {
            Kind::Let => self.let_statement(),
            Kind::Var => self.var_statement(),
            Kind::If => self.if_statement(),
            Kind::Match => self.match_statement(),
            Kind::For => self.for_statement(),
            Kind::While => self.while_statement(),
            Kind::Either => self.either_statement(),
            Kind::Assume => self.one_expr(StatementKind::Assume),
            Kind::Expects => self.one_expr(StatementKind::Expects),
            Kind::Reply => self.one_expr(StatementKind::Reply),
            Kind::Close => self.one_expr(StatementKind::Close),
            Kind::Send => self.send_statement(),
            Kind::Yield => self.bare(StatementKind::Yield),
            Kind::Return => self.bare(StatementKind::Return),
            Kind::Call => self.call_statement(),
            Kind::Name | Kind::Quoted | Kind::Cell => self.assignment_or_call(),
            _ => self.fail("a statement"),
        }
    }

    fn one_expr(&mut self, make: impl FnOnce(Expr) -> StatementKind) -> Outcome<StatementKind> {
        self.advance();
        let value = self.expr()?;
        self.semicolon()?;
        Ok(make(value))
    }

    fn bare(&mut self, kind: StatementKind) -> Outcome<StatementKind> {
        self.advance();
        self.semicolon()?;
        Ok(kind)
    }

    fn let_statement(&mut self) -> Outcome<StatementKind> {
        self.advance();
        let pattern = self.pattern()?;
        let ty = self.type_annotation()?;
        let value = self.right_side()?;
        Ok(StatementKind::Let { pattern, ty, value })
    }

    fn var_statement(&mut self) -> Outcome<StatementKind> {
        self.advance();
        let name = self.name("the name of a variable")?;
        let ty = self.type_annotation()?;
        let value = self.right_side()?;
        Ok(StatementKind::Var { name, ty, value })
    }

    fn type_annotation(&mut self) -> Outcome<Option<TypeExpr>> {
        match self.eat(Kind::Colon) {
            Some(_) => Ok(Some(self.type_expr()?)),
            None => Ok(None),
        }
    }

    /// `"=" rhs ";"`
    fn right_side(&mut self) -> Outcome<Expr> {
        if self.at(Kind::Assign) {
            let place = self.span(self.token());
            self.report(Diagnostic::error(place, "expected `=`, found `:=`").help("`=` declares, `:=` assigns"));
            self.advance();
        } else {
            self.expect(Kind::Equals, "`=`")?;
        }
        self.rhs()
    }

    /// `rhs ";"`
    fn rhs(&mut self) -> Outcome<Expr> {
        let value = if self.at(Kind::Call) { self.peer_call()? } else { self.expr()? };
        self.semicolon()?;
        Ok(value)
    }

    /// `call`
    fn peer_call(&mut self) -> Outcome<Expr> {
        let start = self.advance().start;
        let peer = self.name("the name of a peer")?;
        let args = self.arguments()?;
        self.expect(Kind::Comma, "`,` and the request")?;
        let message = Box::new(self.expr()?);
        Ok(self.expr_since(start, ExprKind::PeerCall { peer, args, message }))
    }

    fn call_statement(&mut self) -> Outcome<StatementKind> {
        let call = self.peer_call()?;
        self.semicolon()?;
        Ok(StatementKind::PeerCall(call))
    }

    fn send_statement(&mut self) -> Outcome<StatementKind> {
        self.advance();
        let to = self.expr()?;
        self.expect(Kind::Comma, "`,` and the message")?;
        let message = self.expr()?;
        self.semicolon()?;
        Ok(StatementKind::Send { to, message })
    }

    /// `if`
    fn if_statement(&mut self) -> Outcome<StatementKind> {
        self.advance();
        let condition = self.head()?;
        let then = self.block()?;
        let otherwise = match self.eat(Kind::Else) {
            Some(_) if self.at(Kind::If) => Some(self.else_if()?),
            Some(_) => Some(self.block()?),
            None => None,
        };
        Ok(StatementKind::If { condition, then, otherwise })
    }

    /// `else if`: a block of one `if`.
    fn else_if(&mut self) -> Outcome<Block> {
        let only = self.nested(Self::statement)?;
        let span = only.span;
        Ok(Block { statements: vec![only], span })
    }

    fn match_statement(&mut self) -> Outcome<StatementKind> {
        self.advance();
        let subject = self.head()?;
        let open = self.expect(Kind::LBrace, "`{`")?;
        let mut arms = Vec::new();
        while !self.at(Kind::RBrace) {
            arms.push(self.in_mode(Mode::Free, |p| p.block_arm(open))?);
            self.eat(Kind::Comma);
        }
        self.advance();
        Ok(StatementKind::Match { subject, arms })
    }

    fn block_arm(&mut self, open: Token) -> Outcome<Arm<Block>> {
        if self.at(Kind::End) {
            return self.close(Kind::RBrace, open, "a pattern or `}`").and_then(|_| self.fail("`}`"));
        }
        let start = self.token().start;
        let (pattern, guard) = self.arm_head()?;
        if !self.at(Kind::LBrace) {
            let finding = self.unexpected("`{`");
            return self.fail_with(finding.help("in a statement each arm is a block: `P => { … }`"));
        }
        let body = self.block()?;
        Ok(Arm { pattern, guard, body, span: self.since(start) })
    }

    fn for_statement(&mut self) -> Outcome<StatementKind> {
        self.advance();
        let binder = self.binder()?;
        self.expect(Kind::In, "`in`")?;
        let over = self.head()?;
        let body = self.block()?;
        Ok(StatementKind::For { binder, over, body })
    }

    fn while_statement(&mut self) -> Outcome<StatementKind> {
        self.advance();
        let condition = self.head()?;
        let body = self.block()?;
        Ok(StatementKind::While { condition, body })
    }

    fn either_statement(&mut self) -> Outcome<StatementKind> {
        self.advance();
        let mut blocks = vec![self.block()?];
        if !self.at(Kind::Or) {
            return self.fail("`or` and another block");
        }
        while self.eat(Kind::Or).is_some() {
            blocks.push(self.block()?);
        }
        Ok(StatementKind::Either(blocks))
    }

    /// Reads a statement that begins with a name or a cell: `place := rhs;` or `p(..);`
    fn assignment_or_call(&mut self) -> Outcome<StatementKind> {
        let left = self.postfix()?;
        if self.at(Kind::Equals) {
            let finding = self.unexpected("`:=`").help("`:=` assigns; `=` is for declarations");
            self.report(finding);
            self.advance();
            return self.assign(left);
        }
        if self.eat(Kind::Assign).is_some() {
            return self.assign(left);
        }
        if let ExprKind::Call { name, args } = left.kind {
            self.semicolon()?;
            return Ok(StatementKind::ProcCall { name, args });
        }
        if !self.at(Kind::Semi) {
            return self.fail("`:=`");
        }
        self.advance();
        self.report(dropped(&left));
        Ok(StatementKind::Error)
    }

    fn assign(&mut self, left: Expr) -> Outcome<StatementKind> {
        let span = left.span;
        let value = self.rhs()?;
        match place_of(left) {
            Some(place) => Ok(StatementKind::Assign { place, value }),
            None => {
                let finding = Diagnostic::error(span, "this cannot be assigned to");
                self.report(finding.label("expected a variable, then `.field` or `[key]`"));
                Ok(StatementKind::Error)
            }
        }
    }
}

fn dropped(value: &Expr) -> Diagnostic {
    if let ExprKind::Name(name) = &value.kind
        && matches!(name.text.as_str(), "break" | "continue")
    {
        let finding = Diagnostic::error(value.span, format!("there is no `{}`", name.text));
        return finding
            .label("expected a statement")
            .help("put the condition that ends the loop in its head: `while c { … }`");
    }
    let finding = Diagnostic::error(value.span, "the value of this expression is not used");
    finding.label("this changes nothing").help("only `:=` changes anything, as in `m := m.remove(k);` and `m[k] := v;`")
}

/// `place`, out of the expression that it looks like. (Not recursive: the expression nests to its left.)
fn place_of(left: Expr) -> Option<Place> {
    let span = left.span;
    let mut path = Vec::new();
    let mut rest = left;
    let root = loop {
        match rest.kind {
            ExprKind::Name(name) => break PlaceRoot::Name(name),
            ExprKind::Cell(number) if path.is_empty() => break PlaceRoot::Cell(number, rest.span),
            ExprKind::Field(base, name) => {
                path.push(PlaceStep::Field(name));
                rest = *base;
            }
            ExprKind::Index(base, index) => {
                path.push(PlaceStep::Index(*index));
                rest = *base;
            }
            _ => return None,
        }
    };
    path.reverse();
    Some(Place { root, path, span })
}
