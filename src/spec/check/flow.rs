//! The flow of control: handlers that may end without a reply, and code that nothing reaches.
//!
//! In `on q { if q > 0 { reply 1; } }` a path ends without an answer. That is legal, so a warning; `return;` says that it
//! is meant. After `reply 1;` nothing in the same block is reached.

use super::checked::{Handler, Protocol, Res};
use super::context::Checker;
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::ast::{Block, Expr, ExprKind, Statement, StatementKind, Trigger};

/// The ways in which a block can end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
struct FlowWalk<'c, 'a> {
    cx: &'c Checker<'a>,
    /// A flag for each proc: true if it can give control back.
    comes_back: Vec<bool>,
    /// The first dead statement of a block, to its end.
    dead: Vec<Span>,
}

/// Findings about the flow in a protocol without errors.
pub(super) fn lint_protocol_flow(cx: &mut Checker, protocol: &Protocol) {
    let mut walk = FlowWalk { cx, comes_back: vec![false; protocol.procs.len()], dead: Vec::new() };
    walk.solve_procs(protocol);
    walk.dead.clear();
    let others = protocol.procs.iter().map(|proc| proc.body).chain(protocol.steps.iter().map(|step| step.body));
    for body in others {
        walk.block(body);
    }
    let ends: Vec<Ends> = protocol.handlers.iter().map(|handler| walk.block(handler.body)).collect();
    let dead = walk.dead;
    report_dead(cx, dead);
    for (handler, _) in protocol.handlers.iter().zip(ends).filter(|(_, ends)| ends.falls) {
        report_silent(cx, handler);
    }
}

/// Findings about the flow in a machine without errors.
pub(super) fn lint_machine_flow(cx: &mut Checker, body: &Block) {
    let mut walk = FlowWalk { cx, comes_back: Vec::new(), dead: Vec::new() };
    walk.block(body);
    let dead = walk.dead;
    report_dead(cx, dead);
}

fn report_dead(cx: &mut Checker, dead: Vec<Span>) {
    for span in dead {
        cx.report(Diagnostic::warning(span, "this is never reached").label("every path before it ends earlier"));
    }
}

fn report_silent(cx: &mut Checker, handler: &Handler) {
    let Trigger::Request(pattern) = handler.trigger else { return };
    let end = handler.body.span;
    let brace = Span { start: end.end.saturating_sub(1).max(end.start), ..end };
    let report = Diagnostic::warning(pattern.span, "this handler may end without a reply");
    let report = report.label("some path has no answer").also(brace, "it can end here");
    cx.report(report.help("if no answer is intended, write `return;`"));
}

impl FlowWalk<'_, '_> {
    /// The least fixed point: a proc comes back if some path through it does.
    fn solve_procs(&mut self, protocol: &Protocol) {
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

    fn statement(&mut self, statement: &Statement) -> Ends {
        match &statement.kind {
            StatementKind::If { then, otherwise, .. } => {
                let then = self.block(then);
                then.or(otherwise.as_ref().map_or(FALLS, |otherwise| self.block(otherwise)))
            }
            StatementKind::Match { arms, .. } => arms.iter().fold(NEVER, |ends, arm| ends.or(self.block(&arm.body))),
            StatementKind::Either(blocks) => blocks.iter().fold(NEVER, |ends, block| ends.or(self.block(block))),
            StatementKind::For { body, .. } => FALLS.or(self.block(body)),
            StatementKind::While { condition, body } => {
                Ends { falls: literal(condition) != Some(true), ..self.block(body) }
            }
            StatementKind::ProcCall { name, .. } => match self.cx.tables.resolution(name.id) {
                Some(Res::Proc(index)) if !self.comes_back[index as usize] => NEVER,
                _ => FALLS,
            },
            StatementKind::Assume(condition) if literal(condition) == Some(false) => NEVER,
            StatementKind::Reply(_) => NEVER,
            StatementKind::Return => RETURNS,
            StatementKind::Let { .. } | StatementKind::Var { .. } | StatementKind::Assign { .. } => FALLS,
            StatementKind::PeerCall(_) | StatementKind::Assume(_) | StatementKind::Expects(_) => FALLS,
            StatementKind::Close(_) | StatementKind::Send { .. } | StatementKind::Yield => FALLS,
            StatementKind::Error => FALLS,
        }
    }
}

/// The truth value that is written out.
fn literal(expr: &Expr) -> Option<bool> {
    match &expr.kind {
        ExprKind::Bool(known) => Some(*known),
        ExprKind::Paren(inner) => literal(inner),
        _ => None,
    }
}
