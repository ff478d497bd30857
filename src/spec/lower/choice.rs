//! `choose`, `pick` and `either` as expressions.

use super::emit::{Emitter, Label};
use crate::spec::code::{Binary, Domain, Op, Operand};
use crate::spec::types::{Type, TypeId};
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Name};
use crate::value::Value;

impl Emitter<'_, '_, '_> {
    /// `choose T`
    pub(super) fn choose(&mut self, ty: TypeId) -> Operand {
        self.context.chooses_maps |= self.context.checked.types.holds_maps(ty);
        self.note_choice("choice");
        self.give(|dst| Op::Choose { dst, domain: Domain::Type(ty) })
    }

    /// `choose x: T where e`
    pub(super) fn choose_where(&mut self, name: &Name, ty: TypeId, condition: &Expr) -> Operand {
        let chosen = self.named(name, |emitter| emitter.choose(ty));
        self.such_that(name, chosen, condition)
    }

    /// A choice that is for a name of its own, unless it is for something that has one.
    fn named(&mut self, name: &Name, choose: impl FnOnce(&mut Self) -> Operand) -> Operand {
        if !self.subject.is_empty() {
            return choose(self);
        }
        self.subject.clone_from(&name.text);
        let chosen = choose(self);
        self.subject.clear();
        chosen
    }

    fn such_that(&mut self, name: &Name, chosen: Operand, condition: &Expr) -> Operand {
        let register = self.bind(name.id);
        self.emit(Op::Copy { dst: register, src: chosen });
        self.assume(condition);
        Operand::Register(register)
    }

    /// Assumes a condition; of a conjunction one part after the other, so that no conjunction is built, and those without a loop
    /// first: with `len(l) == 3` it is known how often a loop over `l` goes round. What is pure may be evaluated in any order.
    pub(super) fn assume(&mut self, condition: &Expr) {
        let mut parts = self.conjuncts(condition);
        let pure = usize::from(!self.is_pure(parts[0]));
        parts[pure..].sort_by_key(|part| has_loop(part));
        let mut end = Label::default();
        for (at, part) in parts.iter().enumerate() {
            let cond = self.expr(part);
            self.emit(Op::Assume { cond });
            if at + 1 < parts.len() {
                self.emit_to(&mut end, Op::Unless { cond, to: 0 });
            }
        }
        self.place(end);
    }

    /// The parts of a conjunction whose right sides have no effect but their faults.
    fn conjuncts<'e>(&self, condition: &'e Expr) -> Vec<&'e Expr> {
        match &unparenthesized(condition).kind {
            ExprKind::Binary(BinaryOp::And, a, b) if self.is_pure(b) => [self.conjuncts(a), self.conjuncts(b)].concat(),
            _ => vec![condition],
        }
    }

    /// `pick e`
    pub(super) fn pick(&mut self, over: &Expr) -> Operand {
        if let ExprKind::Range(from, to) = &unparenthesized(over).kind {
            let (from, to) = (self.expr(from), self.expr(to));
            self.note_choice("pick");
            return self.give(|dst| Op::Choose { dst, domain: Domain::Range(from, to) });
        }
        let collection = self.expr(over);
        let ty = self.type_of(over.id);
        let element = match self.kind(ty) {
            Type::List(of) | Type::Set(of) | Type::Map(of, _) => *of,
            _ => return self.constant(Value::Absent),
        };
        self.note_choice("pick");
        let chosen = match self.kind(element) {
            Type::Int | Type::Bool | Type::Str | Type::Bytes | Type::Client | Type::Json | Type::Token(_) => {
                self.give(|dst| Op::Choose { dst, domain: Domain::Element(collection, element) })
            }
            _ => self.give(|dst| Op::PickElement { dst, over: collection, ty: element }),
        };
        if self.may_be_unknown(ty) {
            self.emit(Op::Within { element: chosen, over: collection });
        }
        chosen
    }

    /// `pick x in e where p`
    pub(super) fn pick_where(&mut self, name: &Name, over: &Expr, condition: &Expr) -> Operand {
        let chosen = self.named(name, |emitter| emitter.pick(over));
        self.such_that(name, chosen, condition)
    }

    /// `either e or f ..`: a joined value.
    pub(super) fn either(&mut self, alternatives: &[Expr]) -> Operand {
        let [.., last] = alternatives else { return self.constant(Value::Absent) };
        let count = alternatives.len() as u32;
        self.note_choice("either");
        let which = self.give(|dst| Op::Choose { dst, domain: Domain::Alternatives(count) });
        let mut opened = Vec::new();
        for (at, alternative) in alternatives[..alternatives.len() - 1].iter().enumerate() {
            let cond = if count == 2 {
                which
            } else {
                let number = self.constant(Value::from(at as i64));
                self.give(|dst| Op::Binary { dst, op: Binary::Eq, a: which, b: number })
            };
            opened.push(self.open_arm(cond, |emitter| emitter.expr(alternative)));
        }
        let value = self.expr(last);
        self.close_arms(opened, value)
    }

    /// Emits the first arm of a joining conditional; [`Emitter::close_arms`] ends the second one.
    pub(super) fn open_arm(&mut self, cond: Operand, arm: impl FnOnce(&mut Self) -> Operand) -> Arm {
        let mut second = Label::default();
        let split = self.emit_to(&mut second, Op::Split { cond, otherwise: 0 }) as u32;
        let src = arm(self);
        let dst = self.register();
        let mut end = Label::default();
        self.emit_to(&mut end, Op::Swap { dst, src, end: 0, split });
        self.place(second);
        Arm { dst, split, end }
    }

    /// Ends the second arms of conditionals that stand within each other; `value` is that of the innermost.
    pub(super) fn close_arms(&mut self, opened: Vec<Arm>, value: Operand) -> Operand {
        let mut src = value;
        for Arm { dst, split, end } in opened.into_iter().rev() {
            self.emit(Op::Join { dst, src, split });
            self.place(end);
            src = Operand::Register(dst);
        }
        src
    }
}

/// A joining conditional whose second arm is being emitted.
pub(super) struct Arm {
    dst: u32,
    split: u32,
    end: Label,
}

pub(super) fn unparenthesized(expr: &Expr) -> &Expr {
    let mut expr = expr;
    while let ExprKind::Paren(inner) = &expr.kind {
        expr = inner;
    }
    expr
}

/// Tests whether elements of a collection are gone through to evaluate an expression.
fn has_loop(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::SetComprehension { .. } | ExprKind::MapComprehension { .. } => true,
        ExprKind::ListComprehension { .. } | ExprKind::Quantified { .. } => true,
        ExprKind::Paren(inner) | ExprKind::Unary(_, inner) | ExprKind::Is(inner, _) => has_loop(inner),
        ExprKind::Field(inner, _) => has_loop(inner),
        ExprKind::Binary(_, a, b) => has_loop(a) || has_loop(b),
        ExprKind::Method { receiver, args, .. } => has_loop(receiver) || args.iter().any(has_loop),
        ExprKind::Call { args, .. } => args.iter().any(has_loop),
        _ => false,
    }
}
