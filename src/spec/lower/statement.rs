//! Statements: they fork where a condition is open.

use super::Tasks;
use super::emit::{Body, Emitter, Label};
use super::subject::{of_pattern, of_place};
use crate::spec::check::Res;
use crate::spec::code::{FaultKind, Op, Operand};
use crate::syntax::ast::{Arm, Block, Expr, Name, Statement, StatementKind};
use crate::value::Value;

impl Emitter<'_, '_, '_> {
    pub(super) fn block(&mut self, block: &Block) {
        block.statements.iter().for_each(|statement| self.statement(statement));
    }

    pub(super) fn statement(&mut self, statement: &Statement) {
        let outer = std::mem::replace(&mut self.site, statement.id);
        self.statement_kind(statement);
        self.site = outer;
    }

    fn statement_kind(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Let { pattern, value, .. } => {
                let value = self.expr_for(of_pattern(pattern), value);
                self.bind_or_fault(pattern, value);
            }
            StatementKind::Var { name, value, .. } => {
                let src = self.expr_for(&name.text, value);
                let dst = self.bind(name.id);
                self.emit(Op::Copy { dst, src });
            }
            StatementKind::Assign { place, value } => {
                let value = self.expr_for(of_place(place), value);
                self.assign(place, value);
            }
            StatementKind::ProcCall { name, args } => self.proc_call(name, args),
            StatementKind::PeerCall(_) => drop(self.refuse(statement.span, "calling a peer")),
            StatementKind::If { condition, then, otherwise } => self.if_statement(condition, then, otherwise.as_ref()),
            StatementKind::Match { subject, arms } => self.match_statement(subject, arms),
            StatementKind::For { binder, over, body } => {
                let open = self.open_loop(binder, over);
                self.skip_absent(&open);
                self.block(body);
                self.close_loop(open);
            }
            StatementKind::While { condition, body } => self.while_statement(condition, body),
            StatementKind::Either(blocks) => self.either_statement(blocks),
            StatementKind::Assume(condition) => self.assume(condition),
            StatementKind::Expects(condition) => {
                let cond = self.expr(condition);
                self.emit(Op::Expects { cond });
            }
            StatementKind::Reply(answer) => {
                let src = self.expr_for("reply", answer);
                self.emit(Op::Reply { src });
            }
            StatementKind::Close(_) => drop(self.refuse(statement.span, "closing a connection")),
            StatementKind::Send { .. } => drop(self.refuse(statement.span, "sending to other clients")),
            StatementKind::Yield => self.end_section(),
            StatementKind::Error => {}
            StatementKind::Return => self.end(),
        }
    }

    /// Lets other tasks run, where there are any.
    fn end_section(&mut self) {
        match self.context.tasks {
            Tasks::Alone => {}
            Tasks::Interleaved => drop(self.emit(Op::Yield)),
        }
    }

    /// Leaves the handler or procedure.
    pub(super) fn end(&mut self) {
        match self.body {
            Body::Handler => self.emit(Op::End),
            Body::Machine => self.emit(Op::Reply { src: Operand::Slot(1) }),
            Body::Procedure => {
                let src = self.constant(Value::UNIT);
                self.emit(Op::Return { src })
            }
        };
    }

    fn proc_call(&mut self, name: &Name, args: &[Expr]) {
        let args: Box<[Operand]> = args.iter().map(|arg| self.expr(arg)).collect();
        if let Some(Res::Proc(proc)) = self.context.checked.tables.resolution(name.id) {
            let function = self.context.checked.functions.len() as u32 + proc;
            self.give(|dst| Op::Call { dst, function, args });
        }
    }

    fn if_statement(&mut self, condition: &Expr, then: &Block, otherwise: Option<&Block>) {
        let cond = self.expr(condition);
        let mut other = Label::default();
        self.emit_to(&mut other, Op::Branch { cond, otherwise: 0 });
        self.block(then);
        let Some(otherwise) = otherwise else { return self.place(other) };
        let mut end = Label::default();
        self.leave(&mut end);
        self.place(other);
        self.block(otherwise);
        self.place(end);
    }

    fn leave(&mut self, end: &mut Label) {
        self.emit_to(end, Op::Jump { to: 0 });
    }

    fn match_statement(&mut self, subject: &Expr, arms: &[Arm<Block>]) {
        let src = self.expr(subject);
        let covered = self.last_arm_is_certain(subject, arms.iter().map(|arm| (&arm.pattern, arm.guard.is_some())));
        let mut end = Label::default();
        for (at, arm) in arms.iter().enumerate() {
            let mut next = Label::default();
            let is_certain = covered && at + 1 == arms.len();
            let pattern = if is_certain { Self::last_pattern } else { Self::pattern };
            if let Some(cond) = pattern(self, &arm.pattern, src) {
                self.emit_to(&mut next, Op::Branch { cond, otherwise: 0 });
            }
            if let Some(guard) = &arm.guard {
                let cond = self.expr(guard);
                self.emit_to(&mut next, Op::Branch { cond, otherwise: 0 });
            }
            self.block(&arm.body);
            self.leave(&mut end);
            self.place(next);
        }
        if !covered {
            self.emit(Op::Fault { kind: FaultKind::NoArm });
        }
        self.place(end);
    }

    fn while_statement(&mut self, condition: &Expr, body: &Block) {
        let again = self.here();
        let cond = self.expr(condition);
        let mut done = Label::default();
        self.emit_to(&mut done, Op::Branch { cond, otherwise: 0 });
        self.block(body);
        self.emit(Op::Jump { to: again });
        self.place(done);
    }

    fn either_statement(&mut self, blocks: &[Block]) {
        self.note_choice("either");
        let select = self.emit(Op::Select { targets: [].into() });
        let mut end = Label::default();
        let mut targets = Vec::with_capacity(blocks.len());
        for block in blocks {
            targets.push(self.here());
            self.block(block);
            self.leave(&mut end);
        }
        self.code[select] = Op::Select { targets: targets.into() };
        self.place(end);
    }
}
