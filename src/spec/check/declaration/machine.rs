//! Machines: integer programs of `return`, `!k := e` and `if`, over integers and conditions only.
//!
//! `if !1 <= !2 { !1 := 0; } else { !1 := 1; !2 := !0; }` is one; a `let` in it is an error.

use crate::spec::check::checked::Machine;
use crate::spec::check::context::{Checker, Want};
use crate::spec::check::expression::requirements::{Operands, operands};
use crate::spec::check::report::mistake;
use crate::spec::check::statement::flow::lint_machine_flow;
use crate::spec::check::statement::lint::lint_comparison;
use crate::spec::types::{BOOL, INT, TypeId};
use crate::syntax::ast::{Block, Expr, ExprKind, Name, PlaceRoot, Statement, StatementKind, UnaryOp};
use std::collections::BTreeSet;

/// The cells that a machine names.
type Cells = BTreeSet<u32>;

/// Checks a machine and adds it to those of the load.
pub(crate) fn machine<'a>(cx: &mut Checker<'a>, name: &'a Name, body: &'a Block) {
    let errors = cx.errors();
    let mut cells = Cells::from([0, 1]);
    block(cx, body, &mut cells);
    cx.tables.set_span(name.id, name.span);
    cx.machines.push(Machine { name, body, cells: cells.into_iter().collect() });
    if cx.errors() == errors {
        lint_machine_flow(cx, body);
    }
}

fn block(cx: &mut Checker, block: &Block, cells: &mut Cells) {
    for one in &block.statements {
        cx.tables.set_span(one.id, one.span);
        statement(cx, one, cells);
    }
}

fn statement(cx: &mut Checker, statement: &Statement, cells: &mut Cells) {
    match &statement.kind {
        StatementKind::Assign { place, value } => {
            match &place.root {
                PlaceRoot::Cell(cell, _) => drop(cells.insert(*cell)),
                PlaceRoot::Name(name) => {
                    cx.error(name.span, "a machine has no variables", "expected a cell, such as `!2`");
                }
            }
            check(cx, value, INT, cells);
        }
        StatementKind::If { condition, then, otherwise } => {
            check(cx, condition, BOOL, cells);
            block(cx, then, cells);
            otherwise.iter().for_each(|otherwise| block(cx, otherwise, cells));
        }
        StatementKind::Return(None) | StatementKind::Error => {}
        _ => {
            let message = "this statement is not allowed in a machine";
            let report = mistake(statement.span, message, "expected `!k := e;`, `if` or `return;`");
            cx.report(report.help("all statements are allowed in a `protocol`"));
        }
    }
}

fn check(cx: &mut Checker, expr: &Expr, wanted: TypeId, cells: &mut Cells) {
    let ty = kind(cx, expr, cells);
    if let Some(ty) = ty {
        cx.expect(expr.span, ty, Want::of(wanted));
    }
    cx.record(expr.id, expr.span, ty.unwrap_or(wanted));
}

/// The type of an expression; none if an error was reported.
fn kind(cx: &mut Checker, expr: &Expr, cells: &mut Cells) -> Option<TypeId> {
    match &expr.kind {
        ExprKind::Int(_) => Some(INT),
        ExprKind::Bool(_) => Some(BOOL),
        ExprKind::Cell(cell) => {
            cells.insert(*cell);
            Some(INT)
        }
        ExprKind::Paren(inner) => {
            let ty = kind(cx, inner, cells);
            cx.record(inner.id, inner.span, ty.unwrap_or(INT));
            ty
        }
        ExprKind::Unary(op, of) => {
            let ty = if *op == UnaryOp::Not { BOOL } else { INT };
            check(cx, of, ty, cells);
            Some(ty)
        }
        ExprKind::Binary(op, left, right) => {
            let (symbol, operands) = (op.sign(), operands(*op));
            let (operand, ty) = match operands {
                Operands::Of(ty) => (ty, ty),
                Operands::Compared(_) => (INT, BOOL),
                Operands::Summed(_) => (INT, INT),
                Operands::Member => {
                    let message = format!("`{symbol}` is not allowed in a machine");
                    cx.error(expr.span, message, "expected an operator on integers or conditions");
                    return None;
                }
            };
            check(cx, left, operand, cells);
            check(cx, right, operand, cells);
            lint_comparison(cx, *op, left, right, expr.span);
            Some(ty)
        }
        ExprKind::Error => None,
        _ => {
            let expected = "expected integers, cells, `+ - * / %`, comparisons and `! && ||`";
            let report = mistake(expr.span, "this expression is not allowed in a machine", expected);
            cx.report(report.help("all expressions are allowed in a `protocol`"));
            None
        }
    }
}
