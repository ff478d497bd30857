//! The flow of control: handlers that may end without a reply, and code that is never reached.
//!
//! In `on q { if q > 0 { reply 1; } }` a path ends without an answer. That is legal, so it is a warning; `return;` makes the intention
//! explicit. After `reply 1;` nothing in the same block is reached. A proc that returns a value must do so on every path; otherwise it is
//! an error.

use crate::diagnostic::{Diagnostic, Span};
use crate::spec::check::checked::{Handler, Proc, Protocol, Res};
use crate::spec::check::context::Checker;
use crate::spec::check::report::mistake;
use crate::syntax::ast::{Block, Expr, ExprKind, Name, Statement, StatementKind, Trigger};

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
    /// The dead code of each block: from its first dead statement to its end.
    dead: Vec<Span>,
}

/// Warns about the flow in a protocol without errors.
pub(crate) fn lint_protocol_flow(cx: &mut Checker, protocol: &Protocol) {
    let mut walk = FlowWalk { cx, comes_back: vec![false; protocol.procs.len()], dead: Vec::new() };
    walk.solve_procs(protocol);
    walk.dead.clear();
    for step in &protocol.steps {
        walk.block(step.body);
    }
    let procs: Vec<Ends> = protocol.procs.iter().map(|proc| walk.block(proc.body)).collect();
    let ends: Vec<Ends> = protocol.handlers.iter().map(|handler| walk.block(handler.body)).collect();
    let dead = walk.dead;
    report_dead(cx, dead);
    for (proc, _) in protocol.procs.iter().zip(procs).filter(|(_, ends)| ends.falls) {
        report_valueless(cx, proc);
    }
    for (handler, _) in protocol.handlers.iter().zip(ends).filter(|(_, ends)| ends.falls) {
        report_silent(cx, handler);
    }
}

/// Warns about the flow in a machine without errors.
pub(crate) fn lint_machine_flow(cx: &mut Checker, body: &Block) {
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

/// Reports a proc that should return a value, but may end without one.
fn report_valueless(cx: &mut Checker, proc: &Proc) {
    let Some((_, written)) = proc.result else { return };
    let message = format!("the proc `{}` may end without a value", proc.name.text);
    let report = mistake(written, message, "expected a `return e;` on every path");
    cx.report(report.also(closing_brace(proc.body), "it can end here"));
}

fn report_silent(cx: &mut Checker, handler: &Handler) {
    let Trigger::Request(pattern) = handler.trigger else { return };
    let report = Diagnostic::warning(pattern.span, "this handler may end without a reply");
    let report = report.label("some path has no answer").also(closing_brace(handler.body), "it can end here");
    cx.report(report.help("if no answer is intended, write `return;`"));
}

fn closing_brace(block: &Block) -> Span {
    let end = block.span;
    Span { start: end.end.saturating_sub(1).max(end.start), ..end }
}

impl FlowWalk<'_, '_> {
    /// Computes the procs that can return to their caller, the least fixed point: a proc returns if some path through it does.
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
            StatementKind::ProcCall { name, .. } => self.call(name),
            StatementKind::Let { value, .. }
            | StatementKind::Var { value, .. }
            | StatementKind::Assign { value, .. } => match &value.kind {
                ExprKind::Call { name, .. } => self.call(name),
                _ => FALLS,
            },
            StatementKind::Assume(condition) if literal(condition) == Some(false) => NEVER,
            StatementKind::Reply(_) => NEVER,
            StatementKind::ReplyThen { then, .. } => {
                self.block(then);
                NEVER
            }
            StatementKind::Return(_) => RETURNS,
            StatementKind::PeerCall(_) | StatementKind::Assume(_) | StatementKind::Expects(_) => FALLS,
            StatementKind::Close(_) | StatementKind::Send { .. } | StatementKind::Yield => FALLS,
            StatementKind::Error => FALLS,
        }
    }

    /// The ends of a call of a function or proc; a proc may never return.
    fn call(&self, name: &Name) -> Ends {
        match self.cx.tables.resolution(name.id) {
            Some(Res::Proc(index)) if !self.comes_back[index as usize] => NEVER,
            _ => FALLS,
        }
    }
}

/// The truth value of a literal.
fn literal(expr: &Expr) -> Option<bool> {
    match &expr.kind {
        ExprKind::Bool(known) => Some(*known),
        ExprKind::Paren(inner) => literal(inner),
        _ => None,
    }
}
