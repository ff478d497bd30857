//! Operators: `expr`, `and`, `rel`, `range`, `sum`, `prod` of the grammar, read by precedence; and `unary`.
//!
//! `a || b && c + d * -e` is `a || (b && (c + (d * (-e))))`; `a < b < c` and `a..b..c` are errors, since neither chains.

use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::syntax::lexer::Kind;

use super::{Outcome, Parser};

/// The precedence of an infix operator, loosest first; [`Level::Unary`] is tighter than all of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    Rel,
    Range,
    Sum,
    Prod,
    Unary,
}

impl Level {
    fn tighter(self) -> Level {
        match self {
            Level::Or => Level::And,
            Level::And => Level::Rel,
            Level::Rel => Level::Range,
            Level::Range => Level::Sum,
            Level::Sum => Level::Prod,
            Level::Prod | Level::Unary => Level::Unary,
        }
    }
}

/// The construct that an infix operator makes.
#[derive(Clone, Copy)]
enum Infix {
    Binary(BinaryOp),
    Is,
    Range,
}

/// The infix operator that a token is, and its level.
fn infix(kind: Kind) -> Option<(Infix, Level)> {
    let (op, level) = match kind {
        Kind::DotDot => return Some((Infix::Range, Level::Range)),
        Kind::Is => return Some((Infix::Is, Level::Rel)),
        Kind::OrOr => (BinaryOp::Or, Level::Or),
        Kind::AndAnd => (BinaryOp::And, Level::And),
        Kind::EqEq => (BinaryOp::Eq, Level::Rel),
        Kind::NotEq => (BinaryOp::Ne, Level::Rel),
        Kind::Less => (BinaryOp::Lt, Level::Rel),
        Kind::LessEq => (BinaryOp::Le, Level::Rel),
        Kind::Greater => (BinaryOp::Gt, Level::Rel),
        Kind::GreaterEq => (BinaryOp::Ge, Level::Rel),
        Kind::In => (BinaryOp::In, Level::Rel),
        Kind::Plus => (BinaryOp::Add, Level::Sum),
        Kind::Minus => (BinaryOp::Sub, Level::Sum),
        Kind::Star => (BinaryOp::Mul, Level::Prod),
        Kind::Slash => (BinaryOp::Div, Level::Prod),
        Kind::Percent => (BinaryOp::Rem, Level::Prod),
        _ => return None,
    };
    Some((Infix::Binary(op), level))
}

impl Parser<'_> {
    /// `expr`
    pub(super) fn expr(&mut self) -> Outcome<Expr> {
        self.enter()?;
        let expr = self.binary(Level::Or);
        self.leave();
        expr
    }

    /// Operands joined by operators of this level or tighter ones. (What nests goes through small frames only: this one
    /// and those of `unary`, `postfix` and `atom`.)
    fn binary(&mut self, loosest: Level) -> Outcome<Expr> {
        let outer = self.begin_chain();
        let mut outcome = self.unary();
        if infix(self.peek()).is_some() {
            outcome = outcome.and_then(|first| self.operators(first, loosest));
        }
        self.end_chain(outer);
        outcome
    }

    fn operators(&mut self, mut left: Expr, loosest: Level) -> Outcome<Expr> {
        while let Some((op, level)) = infix(self.peek()).filter(|(_, level)| *level >= loosest) {
            self.advance();
            left = self.join(left, op, level)?;
            self.deepen(self.deepest)?;
            self.must_not_chain(level)?;
        }
        Ok(left)
    }

    /// Reads the right operand and joins it to the left one.
    fn join(&mut self, left: Expr, op: Infix, level: Level) -> Outcome<Expr> {
        let start = left.span.start;
        let left = Box::new(left);
        let kind = match op {
            Infix::Is => ExprKind::Is(left, Box::new(self.pattern()?)),
            Infix::Range => ExprKind::Range(left, Box::new(self.binary(level.tighter())?)),
            Infix::Binary(op) => ExprKind::Binary(op, left, Box::new(self.binary(level.tighter())?)),
        };
        Ok(self.expr_since(start, kind))
    }

    fn must_not_chain(&mut self, level: Level) -> Outcome<()> {
        let again = infix(self.peek()).is_some_and(|(_, next)| next == level);
        if !again || !matches!(level, Level::Rel | Level::Range) {
            return Ok(());
        }
        let (what, help) = match level {
            Level::Range => ("ranges cannot be chained", "put one of them in parentheses"),
            _ => ("comparisons cannot be chained", "join them with `&&`, or put one of them in parentheses"),
        };
        let place = self.span(self.token());
        self.fail_with(Diagnostic::error(place, what).label("a second operator").help(help))
    }

    /// `unary`
    pub(super) fn unary(&mut self) -> Outcome<Expr> {
        match self.peek() {
            Kind::Bang => self.prefixed(UnaryOp::Not),
            Kind::Minus => self.prefixed(UnaryOp::Neg),
            kind if opens_far(kind) => self.open(),
            _ => self.postfix(),
        }
    }

    fn prefixed(&mut self, op: UnaryOp) -> Outcome<Expr> {
        let start = self.advance().start;
        self.enter()?;
        let operand = Box::new(self.unary()?);
        self.leave();
        Ok(self.expr_since(start, ExprKind::Unary(op, operand)))
    }

    pub(super) fn expr_since(&mut self, start: u32, kind: ExprKind) -> Expr {
        Expr { kind, span: self.since(start), id: self.id() }
    }
}

/// Tests whether an expression that begins with this token may be one that reaches as far right as it can.
fn opens_far(kind: Kind) -> bool {
    matches!(kind, Kind::Choose | Kind::Pick | Kind::Either | Kind::Any | Kind::All)
}
