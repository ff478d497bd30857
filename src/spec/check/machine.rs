//! Machines: the integer programs of the theory, `return`, `!k := e` and `if`, over integers and conditions only.
//!
//! `if !1 <= !2 { !1 := 0; } else { !1 := 1; !2 := !0; }` is one; a `let` in it is an error.

use super::checked::Machine;
use super::context::{Checker, Want};
use crate::diagnostic::{Diagnostic, Span};
use crate::spec::types::{BOOL, INT, TypeId};
use crate::syntax::ast::{BinaryOp, Block, Expr, ExprKind, Name, PlaceRoot, Statement, StatementKind, UnaryOp};
use std::collections::BTreeSet;

impl<'a> Checker<'a> {
    /// Checks a machine and adds it to those of the load.
    pub(super) fn machine(&mut self, name: &'a Name, body: &'a Block) {
        let errors = self.errors();
        let mut cells = BTreeSet::from([0, 1]);
        self.machine_block(body, &mut cells);
        self.tables.set_span(name.id, name.span);
        self.machines.push(Machine { name, body, cells: cells.into_iter().collect() });
        if self.errors() == errors {
            self.lint_machine(body);
        }
    }

    fn machine_block(&mut self, block: &'a Block, cells: &mut BTreeSet<u32>) {
        for statement in &block.statements {
            self.tables.set_span(statement.id, statement.span);
            self.machine_statement(statement, cells);
        }
    }

    fn machine_statement(&mut self, statement: &'a Statement, cells: &mut BTreeSet<u32>) {
        match &statement.kind {
            StatementKind::Assign { place, value } => {
                match &place.root {
                    PlaceRoot::Cell(cell, _) => drop(cells.insert(*cell)),
                    PlaceRoot::Name(name) => {
                        let report = Diagnostic::error(name.span, "a machine has no variables");
                        self.report(report.label("expected a cell, such as `!2`"));
                    }
                }
                self.machine_expr(value, Want::of(INT), cells);
            }
            StatementKind::If { condition, then, otherwise } => {
                self.machine_expr(condition, Want::of(BOOL), cells);
                self.machine_block(then, cells);
                if let Some(otherwise) = otherwise {
                    self.machine_block(otherwise, cells);
                }
            }
            StatementKind::Return | StatementKind::Error => {}
            StatementKind::Let { .. } | StatementKind::Var { .. } => self.not_in_machine(statement.span),
            StatementKind::ProcCall { .. } | StatementKind::PeerCall(_) => self.not_in_machine(statement.span),
            StatementKind::Match { .. } | StatementKind::For { .. } => self.not_in_machine(statement.span),
            StatementKind::While { .. } | StatementKind::Either(_) => self.not_in_machine(statement.span),
            StatementKind::Assume(_) | StatementKind::Expects(_) => self.not_in_machine(statement.span),
            StatementKind::Reply(_) | StatementKind::Close(_) => self.not_in_machine(statement.span),
            StatementKind::Send { .. } | StatementKind::Yield => self.not_in_machine(statement.span),
        }
    }

    fn not_in_machine(&mut self, span: Span) {
        let report = Diagnostic::error(span, "this statement is not allowed in a machine");
        let report = report.label("expected `!k := e;`, `if` or `return;`");
        self.report(report.help("all statements are allowed in a `protocol`"));
    }

    fn machine_expr(&mut self, expr: &'a Expr, want: Want, cells: &mut BTreeSet<u32>) {
        let ty = self.machine_kind(expr, cells);
        if let Some(ty) = ty {
            self.expect(expr.span, ty, want);
        }
        self.record(expr.id, expr.span, ty.unwrap_or(want.ty));
    }

    /// The type of an expression; none where something is reported.
    fn machine_kind(&mut self, expr: &'a Expr, cells: &mut BTreeSet<u32>) -> Option<TypeId> {
        match &expr.kind {
            ExprKind::Int(_) => Some(INT),
            ExprKind::Bool(_) => Some(BOOL),
            ExprKind::Cell(cell) => {
                cells.insert(*cell);
                Some(INT)
            }
            ExprKind::Paren(inner) => {
                let ty = self.machine_kind(inner, cells);
                self.record(inner.id, inner.span, ty.unwrap_or(INT));
                ty
            }
            ExprKind::Unary(op, of) => {
                let ty = if *op == UnaryOp::Not { BOOL } else { INT };
                self.machine_expr(of, Want::of(ty), cells);
                Some(ty)
            }
            ExprKind::Binary(op, left, right) => {
                let (operand, ty) = self.machine_operator(*op, expr.span)?;
                self.machine_expr(left, Want::of(operand), cells);
                self.machine_expr(right, Want::of(operand), cells);
                self.lint_comparison(*op, left, right, expr.span);
                Some(ty)
            }
            ExprKind::Error => None,
            _ => {
                let report = Diagnostic::error(expr.span, "this expression is not allowed in a machine");
                let report = report.label("expected integers, cells, `+ - * / %`, comparisons and `! && ||`");
                self.report(report.help("all expressions are allowed in a `protocol`"));
                None
            }
        }
    }

    /// Returns the type of an operator's operands and that of its result in a machine; reports an operator that is not
    /// allowed there.
    fn machine_operator(&mut self, op: BinaryOp, span: Span) -> Option<(TypeId, TypeId)> {
        match op {
            BinaryOp::Or | BinaryOp::And => Some((BOOL, BOOL)),
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                Some((INT, BOOL))
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => Some((INT, INT)),
            BinaryOp::In => {
                let report = Diagnostic::error(span, format!("`{}` is not allowed in a machine", op.sign()));
                self.report(report.label("expected an operator on integers or conditions"));
                None
            }
        }
    }
}
