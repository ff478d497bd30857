//! Lowering of statements: they fork if a condition is open.

use super::Tasks;
use super::choice::assume;
use super::collection::{close_loop, open_sorted_loop, skip_absent};
use super::emit::{BlockExit, Body, Emitter, JumpTarget};
use super::expression::run_proc;
use super::pattern::{bind_or_fault, is_exhaustive, last_arm_is_certain, last_pattern, lower_pattern};
use super::place::{assign, entry_of};
use super::pure::is_pure;
use super::subject::{expr_for, note_choice, of_pattern, of_place};
use crate::spec::check::Res;
use crate::spec::code::{FaultKind, Op, Operand};
use crate::syntax::ast::{Arm, Block, Expr, ExprKind, Name, Statement, StatementKind, UnaryOp};
use crate::value::Value;

pub(super) fn lower_block(e: &mut Emitter, block: &Block) {
    block.statements.iter().for_each(|statement| lower_statement(e, statement));
}

pub(super) fn lower_statement(e: &mut Emitter, statement: &Statement) {
    let outer = std::mem::replace(&mut e.site, statement.id);
    lower_statement_kind(e, statement);
    e.site = outer;
}

fn lower_statement_kind(e: &mut Emitter, statement: &Statement) {
    match &statement.kind {
        StatementKind::Let { pattern, value, .. } => {
            let value = expr_for(e, of_pattern(pattern), value);
            bind_or_fault(e, pattern, value);
        }
        StatementKind::Var { name, value, .. } => {
            let src = expr_for(e, &name.text, value);
            let dst = e.bind(name.id);
            e.emit(Op::Copy { dst, src });
        }
        StatementKind::Assign { place, value } => {
            let value = expr_for(e, of_place(place), value);
            assign(e, place, value);
        }
        StatementKind::ProcCall { name, args } => proc_call(e, name, args),
        StatementKind::PeerCall(call) => drop(e.expr(call)),
        StatementKind::If { condition, then, otherwise } => if_statement(e, condition, then, otherwise.as_ref()),
        StatementKind::Match { subject, arms } => match_statement(e, subject, arms),
        StatementKind::For { binder, over, body } => {
            let open = open_sorted_loop(e, binder, over);
            skip_absent(e, &open);
            lower_block(e, body);
            close_loop(e, open);
        }
        StatementKind::While { condition, body } => while_statement(e, condition, body),
        StatementKind::Either(blocks) => either_statement(e, blocks),
        StatementKind::Assume(condition) => assume(e, condition),
        StatementKind::Expects(condition) => expects(e, condition),
        StatementKind::Reply(answer) => {
            let src = expr_for(e, "reply", answer);
            e.emit(Op::Reply { src });
        }
        StatementKind::ReplyThen { answer, then } => {
            let src = expr_for(e, "reply", answer);
            reply_then(e, src, then);
        }
        StatementKind::Close(client) => {
            e.context.refuse_alone(statement.span, "closing a connection");
            let client = e.expr(client);
            e.emit(Op::Close { client });
        }
        StatementKind::Send { to, message } => {
            e.context.refuse_alone(statement.span, "sending without a request");
            let client = e.expr(to);
            let src = expr_for(e, "send", message);
            e.emit(Op::SendTo { client, src });
        }
        StatementKind::Yield => end_section(e),
        StatementKind::Error => {}
        StatementKind::Return(None) => end_function(e),
        StatementKind::Return(Some(value)) => return_value(e, value),
    }
}

/// Emits a block and the answer after it. The answer is announced before the block.
fn reply_then(e: &mut Emitter, src: Operand, then: &Block) {
    let answer = e.give(|dst| Op::Copy { dst, src });
    e.emit(Op::Announce { src: answer });
    lower_block(e, then);
    e.emit(Op::Reply { src: answer });
}

/// Emits the end of a section, if other tasks may run.
fn end_section(e: &mut Emitter) {
    match e.context.tasks {
        Tasks::Alone => {}
        Tasks::Interleaved | Tasks::Either => drop(e.emit(Op::Yield)),
    }
}

/// Emits the exit of a handler or procedure.
pub(super) fn end_function(e: &mut Emitter) {
    match e.body {
        Body::Handler => e.emit(Op::End),
        Body::Machine => e.emit(Op::Reply { src: Operand::Slot(1) }),
        Body::Procedure => {
            let src = e.constant(Value::UNIT);
            e.emit(Op::Return { src })
        }
    };
}

/// Emits the exit of a procedure with a value: a jump to its only `return`, so that the procedure can be inlined.
fn return_value(e: &mut Emitter, value: &Expr) {
    let Some(mut way_out) = e.way_out.take() else { return };
    let src = expr_for(e, &way_out.subject, value);
    e.emit(Op::Copy { dst: way_out.result, src });
    jump_to(e, &mut way_out.end);
    e.way_out = Some(way_out);
}

/// Emits the only `return` of a procedure that gives a value.
pub(super) fn end_with_value(e: &mut Emitter, way_out: BlockExit) {
    e.place(way_out.end);
    e.emit(Op::Return { src: Operand::Register(way_out.result) });
}

fn proc_call(e: &mut Emitter, name: &Name, args: &[Expr]) {
    if let Some(Res::Proc(proc)) = e.context.checked.tables.resolution(name.id) {
        run_proc(e, proc, args);
    }
}

fn if_statement(e: &mut Emitter, condition: &Expr, then: &Block, otherwise: Option<&Block>) {
    match constant_condition(e, condition) {
        Some(true) => return lower_block(e, then),
        Some(false) => return otherwise.into_iter().for_each(|block| lower_block(e, block)),
        None => {}
    }
    let cond = e.expr(condition);
    let mut other = JumpTarget::default();
    if otherwise.is_none()
        && let [Statement { id, kind: StatementKind::Assign { place, value }, .. }] = then.statements.as_slice()
        && let Some((slot, key)) = entry_of(e, place)
        && is_pure(e, key)
        && is_pure(e, value)
    {
        let outer = std::mem::replace(&mut e.site, *id);
        e.emit_to(&mut other, Op::Unless { cond, to: 0 });
        let (value, key) = (expr_for(e, of_place(place), value), e.expr(key));
        e.emit(Op::PutIf { slot, key, value, when: cond });
        e.site = outer;
        return e.place(other);
    }
    e.emit_to(&mut other, Op::Branch { cond, otherwise: 0 });
    lower_block(e, then);
    let Some(otherwise) = otherwise else { return e.place(other) };
    let mut end = JumpTarget::default();
    jump_to(e, &mut end);
    e.place(other);
    lower_block(e, otherwise);
    e.place(end);
}

/// The value of a condition on named constants and literals. A statement that it excludes is not in the program, such as the `yield`
/// in `if !ATOMIC { yield; }`.
fn constant_condition(e: &Emitter, condition: &Expr) -> Option<bool> {
    match &condition.kind {
        ExprKind::Bool(known) => Some(*known),
        ExprKind::Paren(inner) => constant_condition(e, inner),
        ExprKind::Unary(UnaryOp::Not, inner) => constant_condition(e, inner).map(|known| !known),
        ExprKind::Name(name) => match e.context.checked.tables.resolution(name.id) {
            Some(Res::Const(at)) => match &e.context.const_at(at).value.kind {
                ExprKind::Bool(known) => Some(*known),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// A duty that nobody can break is none, and nothing comes after one that nobody can keep, as in `expects PUTS;`.
fn expects(e: &mut Emitter, condition: &Expr) {
    let known = constant_condition(e, condition);
    if known == Some(true) {
        return;
    }
    let cond = e.expr(condition);
    e.emit(Op::Expects { cond });
    if known == Some(false) {
        e.emit(Op::End);
    }
}

fn jump_to(e: &mut Emitter, end: &mut JumpTarget) {
    e.emit_to(end, Op::Jump { to: 0 });
}

fn match_statement(e: &mut Emitter, subject: &Expr, arms: &[Arm<Block>]) {
    let src = e.expr(subject);
    let is_last_certain = last_arm_is_certain(e, subject, arms);
    let mut end = JumpTarget::default();
    for (at, arm) in arms.iter().enumerate() {
        let mut next = JumpTarget::default();
        let is_certain = is_last_certain && at + 1 == arms.len();
        let pattern = if is_certain { last_pattern } else { lower_pattern };
        if let Some(cond) = pattern(e, &arm.pattern, src) {
            e.emit_to(&mut next, Op::Branch { cond, otherwise: 0 });
        }
        if let Some(guard) = &arm.guard {
            let cond = e.expr(guard);
            e.emit_to(&mut next, Op::Branch { cond, otherwise: 0 });
        }
        lower_block(e, &arm.body);
        jump_to(e, &mut end);
        e.place(next);
    }
    if !is_last_certain && is_exhaustive(e, subject) {
        // No run comes here: one of the arms fits.
        let cond = e.constant(Value::from(false));
        e.emit(Op::Assume { cond });
    } else if !is_last_certain {
        e.emit(Op::Fault { kind: FaultKind::NoArm });
    }
    e.place(end);
}

fn while_statement(e: &mut Emitter, condition: &Expr, body: &Block) {
    let again = e.here();
    let cond = e.expr(condition);
    let mut done = JumpTarget::default();
    e.emit_to(&mut done, Op::Branch { cond, otherwise: 0 });
    lower_block(e, body);
    e.emit(Op::Jump { to: again });
    e.place(done);
}

fn either_statement(e: &mut Emitter, blocks: &[Block]) {
    note_choice(e, "either");
    let select = e.emit(Op::Select { targets: [].into() });
    let mut end = JumpTarget::default();
    let mut targets = Vec::with_capacity(blocks.len());
    for block in blocks {
        targets.push(e.here());
        lower_block(e, block);
        jump_to(e, &mut end);
    }
    e.code[select] = Op::Select { targets: targets.into() };
    e.place(end);
}
