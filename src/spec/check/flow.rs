//! The flow of control: handlers that may end without a reply, and code that nothing reaches.
//!
//! In `on q { if q > 0 { reply 1; } }` a path ends without an answer. That is legal, so a warning; `return;` says that it
//! is meant. After `reply 1;` nothing in the same block is reached.

use super::checked::{Handler, Protocol, Res};
use super::context::Checker;
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::ast::{Block, Expr, ExprKind, Statement, StatementKind, Trigger};

/// The ways in which a block can end.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Ends {
    /// At its closing brace.
    falls: bool,
    /// By `return`.
    returns: bool,
}

impl Ends {
    fn or(self, other: Ends) -> Ends {
        Ends { falls: self.falls || other.falls, returns: self.returns || other.returns }
    }
}

const FALLS: Ends = Ends { falls: true, returns: false };
const RETURNS: Ends = Ends { falls: false, returns: true };
const NEVER: Ends = Ends { falls: false, returns: false };

/// A walk over bodies that finds the procs which can give control back to their caller, and dead code.
struct Walk<'c, 'a> {
    checker: &'c Checker<'a>,
    /// A flag for each proc: true if it can give control back.
    comes_back: Vec<bool>,
    /// The first dead statement of a block, to its end.
    dead: Vec<Span>,
}

impl<'a> Checker<'a> {
    /// Findings about the flow in a protocol without errors.
    pub(super) fn lint_flow(&mut self, protocol: &Protocol<'a>) {
        let mut walk = Walk { checker: self, comes_back: vec![false; protocol.procs.len()], dead: Vec::new() };
        walk.solve_procs(protocol);
        walk.dead.clear();
        for proc in &protocol.procs {
            walk.block(proc.body);
        }
        for step in &protocol.steps {
            walk.block(step.body);
        }
        let ends: Vec<Ends> = protocol.handlers.iter().map(|handler| walk.block(handler.body)).collect();
        let dead = std::mem::take(&mut walk.dead);
        self.report_dead(&dead);
        for (handler, ends) in protocol.handlers.iter().zip(ends) {
            if ends.falls {
                self.report_silent(handler);
            }
        }
    }

    /// Findings about the flow in a machine without errors.
    pub(super) fn lint_machine(&mut self, body: &Block) {
        let mut walk = Walk { checker: self, comes_back: Vec::new(), dead: Vec::new() };
        walk.block(body);
        let dead = std::mem::take(&mut walk.dead);
        self.report_dead(&dead);
    }

    fn report_dead(&mut self, dead: &[Span]) {
        for &span in dead {
            let report = Diagnostic::warning(span, "this is never reached");
            self.report(report.label("every path before it ends earlier"));
        }
    }

    fn report_silent(&mut self, handler: &Handler<'a>) {
        let Trigger::Request(pattern) = handler.trigger else { return };
        let end = handler.body.span;
        let brace = Span { start: end.end.saturating_sub(1).max(end.start), ..end };
        let report = Diagnostic::warning(pattern.span, "this handler may end without a reply");
        let report = report.label("some path has no answer").also(brace, "it can end here");
        self.report(report.help("if no answer is intended, write `return;`"));
    }
}

impl Walk<'_, '_> {
    /// The least fixed point: a proc comes back if some path through it does.
    fn solve_procs(&mut self, protocol: &Protocol<'_>) {
        let mut changed = true;
        while changed {
            changed = false;
            for (index, proc) in protocol.procs.iter().enumerate() {
                let ends = self.block(proc.body);
                let back = ends.falls || ends.returns;
                changed |= back != std::mem::replace(&mut self.comes_back[index], back);
            }
        }
    }

    fn block(&mut self, block: &Block) -> Ends {
        let mut ends = FALLS;
        for statement in &block.statements {
            if !ends.falls {
                let last = block.statements.last().unwrap_or(statement);
                self.dead.push(statement.span.to(last.span));
                break;
            }
            let next = self.statement(statement);
            ends = Ends { falls: next.falls, returns: ends.returns || next.returns };
        }
        ends
    }

    fn any(&mut self, blocks: &mut dyn Iterator<Item = &Block>) -> Ends {
        let mut ends = NEVER;
        for block in blocks {
            ends = ends.or(self.block(block));
        }
        ends
    }

    fn statement(&mut self, statement: &Statement) -> Ends {
        match &statement.kind {
            StatementKind::If { then, otherwise, .. } => {
                let then = self.block(then);
                then.or(otherwise.as_ref().map_or(FALLS, |otherwise| self.block(otherwise)))
            }
            StatementKind::Match { arms, .. } => self.any(&mut arms.iter().map(|arm| &arm.body)),
            StatementKind::Either(blocks) => self.any(&mut blocks.iter()),
            StatementKind::For { body, .. } => FALLS.or(self.block(body)),
            StatementKind::While { condition, body } => {
                let ends = self.block(body);
                Ends { falls: !is_literal(condition, Literal::True), returns: ends.returns }
            }
            StatementKind::ProcCall { name, .. } => match self.checker.tables.resolution(name.id) {
                Some(Res::Proc(index)) if !self.comes_back[index as usize] => NEVER,
                _ => FALLS,
            },
            StatementKind::Assume(condition) if is_literal(condition, Literal::False) => NEVER,
            StatementKind::Reply(_) => NEVER,
            StatementKind::Return => RETURNS,
            StatementKind::Let { .. } | StatementKind::Var { .. } | StatementKind::Assign { .. } => FALLS,
            StatementKind::PeerCall(_) | StatementKind::Assume(_) | StatementKind::Expects(_) => FALLS,
            StatementKind::Close(_) | StatementKind::Send { .. } | StatementKind::Yield => FALLS,
            StatementKind::Error => FALLS,
        }
    }
}

/// A truth value that is written out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Literal {
    True,
    False,
}

fn is_literal(expr: &Expr, literal: Literal) -> bool {
    match &expr.kind {
        ExprKind::Bool(known) => *known == (literal == Literal::True),
        ExprKind::Paren(inner) => is_literal(inner, literal),
        _ => false,
    }
}
