//! Expressions of graphs: `low <= high && A[mid] == elem`, over integers, booleans and arrays.
//!
//! They are written as in specifications, and are a part of their expressions.

use super::variables::{FlowScope, FlowType};
use crate::diagnostic::{Diagnostic, Span};
use crate::scalar::Int;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::term::Term;

/// An expression of a known type.
#[derive(Clone, Debug)]
pub(super) enum Formula {
    Int(Int),
    Bool(bool),
    /// The value of a variable that is no array.
    Variable(usize),
    /// An element of an array.
    Element(usize, Box<Formula>),
    Not(Box<Formula>),
    Neg(Box<Formula>),
    Binary(BinaryOp, Box<[Formula; 2]>),
    If(Box<[Formula; 3]>),
}

/// Reads an expression of a type.
pub(super) fn typed(expr: &Expr, wanted: FlowType, scope: &FlowScope) -> Result<Formula, Diagnostic> {
    let (formula, ty) = read(expr, scope)?;
    if ty == wanted {
        return Ok(formula);
    }
    let message = format!("expected {}, found {}", wanted.name(), ty.name());
    Err(Diagnostic::error(expr.span, message).label(format!("this is {}", ty.name())))
}

fn read(expr: &Expr, scope: &FlowScope) -> Result<(Formula, FlowType), Diagnostic> {
    use FlowType::{Bool, Int};
    let known = match &expr.kind {
        ExprKind::Paren(inner) => return read(inner, scope),
        ExprKind::Int(value) => (Formula::Int(value.clone()), Int),
        ExprKind::Bool(value) => (Formula::Bool(*value), Bool),
        ExprKind::Name(name) => {
            let (number, ty) = scope.variable(&name.text, expr.span)?;
            (Formula::Variable(number), ty)
        }
        ExprKind::Index(array, at) => {
            let ExprKind::Name(name) = &array.kind else { return Err(no_array(array.span)) };
            let (number, element) = scope.array(&name.text, array.span)?;
            (Formula::Element(number, Box::new(typed(at, Int, scope)?)), element)
        }
        ExprKind::Unary(UnaryOp::Not, of) => (Formula::Not(Box::new(typed(of, Bool, scope)?)), Bool),
        ExprKind::Unary(UnaryOp::Neg, of) => (Formula::Neg(Box::new(typed(of, Int, scope)?)), Int),
        ExprKind::Binary(op, left, right) => {
            let (operands, result) = match op {
                BinaryOp::Or | BinaryOp::And => (Bool, Bool),
                BinaryOp::Eq | BinaryOp::Ne => (read(left, scope)?.1, Bool),
                BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => (Int, Bool),
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => (Int, Int),
                BinaryOp::In | BinaryOp::Intersect => return Err(unknown(expr.span)),
            };
            if matches!(operands, FlowType::Ints | FlowType::Bools) {
                return Err(Diagnostic::error(left.span, "arrays are not compared").help("compare their elements"));
            }
            let both = [typed(left, operands, scope)?, typed(right, operands, scope)?];
            (Formula::Binary(*op, Box::new(both)), result)
        }
        ExprKind::If { condition, then, otherwise } => {
            let (yes, ty) = read(then, scope)?;
            let parts = [typed(condition, Bool, scope)?, yes, typed(otherwise, ty, scope)?];
            (Formula::If(Box::new(parts)), ty)
        }
        _ => return Err(unknown(expr.span)),
    };
    Ok(known)
}

fn no_array(span: Span) -> Diagnostic {
    Diagnostic::error(span, "only an array has elements").label("expected the name of an array")
}

fn unknown(span: Span) -> Diagnostic {
    let help = "there are integers, booleans, variables, `a[i]`, `! - + * / % == != < <= > >= && ||` and `if c { a } else { b }`";
    Diagnostic::error(span, "expressions of graphs do not have this").help(help)
}

/// The values of variables at a place of a path.
pub(super) trait FlowValues {
    fn variable(&mut self, variable: usize) -> Term;

    fn element(&mut self, array: usize, at: &Term) -> Term;
}

impl Formula {
    /// The value of the expression.
    pub fn value(&self, values: &mut impl FlowValues) -> Term {
        match self {
            Formula::Int(value) => Term::int(value.clone()),
            Formula::Bool(true) => Term::truth(),
            Formula::Bool(false) => Term::falsity(),
            Formula::Variable(variable) => values.variable(*variable),
            Formula::Element(array, at) => {
                let at = at.value(values);
                values.element(*array, &at)
            }
            Formula::Not(of) => of.value(values).not(),
            Formula::Neg(of) => of.value(values).neg(),
            Formula::Binary(op, of) => {
                let [a, b] = [of[0].value(values), of[1].value(values)];
                match op {
                    BinaryOp::Or => Term::or(&a, &b),
                    BinaryOp::And => Term::and(&a, &b),
                    BinaryOp::Eq => Term::eq(&a, &b),
                    BinaryOp::Ne => Term::ne(&a, &b),
                    BinaryOp::Lt => Term::lt(&a, &b),
                    BinaryOp::Le => Term::le(&a, &b),
                    BinaryOp::Gt => Term::lt(&b, &a),
                    BinaryOp::Ge => Term::le(&b, &a),
                    BinaryOp::Add => a.add(&b),
                    BinaryOp::Sub => a.sub(&b),
                    BinaryOp::Mul => a.mul(&b),
                    BinaryOp::Div => a.div(&b),
                    BinaryOp::Rem => a.rem(&b),
                    BinaryOp::In | BinaryOp::Intersect => unreachable!("no expression of graphs has them"),
                }
            }
            Formula::If(of) => {
                let [condition, yes, no] = [of[0].value(values), of[1].value(values), of[2].value(values)];
                Term::ite(&condition, &yes, &no)
            }
        }
    }
}
