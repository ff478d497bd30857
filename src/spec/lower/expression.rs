//! Lowering of expressions: each gives an operand with its value.

use super::choice::{choose_where, chosen, either, pick, pick_where};
use super::collection::{gathered, list_comprehension, map_comprehension, map_literal, quantified, set_literal};
use super::emit::{Emitter, JumpTarget};
use super::pattern::{
    bind_or_fault, is_exhaustive, last_arm_is_certain, last_pattern, lower_pattern, test, text_value,
};
use super::place::cell_of;
use super::pure::{is_pure, unparenthesized};
use super::subject::expr_for;
use crate::scalar::Scalar;
use crate::spec::check::{Builtin, Res};
use crate::spec::code::{Binary, FaultKind, Op, Operand, Unary};
use crate::spec::types::Type;
use crate::syntax::ast::{Arm, BinaryOp, Clause, Expr, ExprKind, Init, Name, Rest, UnaryOp};
use crate::term::TextOp;
use crate::value::{self, Arithmetic, Map, Value};

impl Emitter<'_, '_, '_> {
    /// Emits an expression; the operand holds its value.
    pub(super) fn expr(&mut self, expr: &Expr) -> Operand {
        let outer = std::mem::replace(&mut self.site, expr.id);
        let operand = lower_kind(self, expr);
        self.site = outer;
        operand
    }
}

fn lower_kind(e: &mut Emitter, expr: &Expr) -> Operand {
    match &expr.kind {
        ExprKind::Int(int) => e.constant(Value::Scalar(Scalar::Int(int.clone()))),
        ExprKind::Text(text) => {
            let value = text_value(text, e.type_of(expr.id));
            e.constant(value)
        }
        ExprKind::Bool(known) => e.constant(Value::from(*known)),
        ExprKind::Cell(cell) => cell_of(e, *cell),
        ExprKind::Name(name) => variable(e, name),
        ExprKind::Paren(inner) => e.expr(inner),
        ExprKind::Choose(_) => chosen(e, e.type_of(expr.id)),
        ExprKind::ChooseWhere { name, condition, .. } => choose_where(e, name, e.type_of(expr.id), condition),
        ExprKind::Pick(over) => pick(e, over),
        ExprKind::PickWhere { name, over, condition } => pick_where(e, name, over, condition),
        ExprKind::Either(alternatives) => either(e, alternatives),
        ExprKind::Quantified { quantifier, binder, over, body } => quantified(e, *quantifier, binder, over, body),
        ExprKind::Unary(op, inner) => unary(e, *op, inner),
        ExprKind::Binary(op, a, b) => binary(e, *op, a, b),
        ExprKind::Is(inner, pattern) => {
            let src = e.expr(inner);
            test(e, pattern, src)
        }
        ExprKind::Range(from, to) => {
            let (from, to) = (e.expr(from), e.expr(to));
            e.give(|dst| Op::RangeList { dst, from, to })
        }
        ExprKind::Field(base, name) => field_of(e, base, name),
        ExprKind::Method { receiver, name, args } => method_call(e, receiver, name, args),
        ExprKind::Index(base, at) => indexed(e, base, at),
        ExprKind::Call { name, args } => call_named(e, name, args),
        ExprKind::Tuple(parts) => make(e, 0, parts),
        ExprKind::Record { name, fields, rest, .. } => record_of(e, expr, name, fields, *rest),
        ExprKind::List(elements) => {
            let elements: Box<[Operand]> = elements.iter().map(|element| e.expr(element)).collect();
            match e.all_known(&elements) {
                Some(known) => e.constant(Value::list(known)),
                None => e.give(|dst| Op::MakeList { dst, elements }),
            }
        }
        ExprKind::EmptyBraces => e.constant(Value::Map(Map::default())),
        ExprKind::Gathered { of, parts } => gathered(e, *of, parts),
        ExprKind::Set(elements) => set_literal(e, elements),
        ExprKind::Map(entries) => map_literal(e, entries),
        ExprKind::With { base, fields } => updated(e, base, fields),
        ExprKind::ListComprehension { element, clauses } => list_comprehension(e, element, clauses),
        ExprKind::SetComprehension { element, clauses } => map_comprehension(e, element, None, clauses),
        ExprKind::MapComprehension { key, value, clauses } => map_comprehension(e, key, Some(value), clauses),
        ExprKind::Let { bindings, body } => {
            for (pattern, value) in bindings {
                let value = e.expr(value);
                bind_or_fault(e, pattern, value);
            }
            e.expr(body)
        }
        ExprKind::If { condition, then, otherwise } => {
            let cond = e.expr(condition);
            if let Some(known) = known_condition(e, cond) {
                return e.expr(if known { then } else { otherwise });
            }
            let arm = e.open_arm(cond, |e| e.expr(then));
            let value = e.expr(otherwise);
            e.close_arms(vec![arm], value)
        }
        ExprKind::Match { subject, arms } => match_expr(e, subject, arms),
        ExprKind::PeerCall { peer, args, message } => peer_call(e, expr, peer, args, message),
        ExprKind::PeerCalls { least, peer, args, clauses, message } => {
            peer_calls(e, expr, peer, least.as_deref(), args, message, clauses)
        }
        ExprKind::Error => e.constant(Value::Absent),
    }
}

/// Emits a call of a peer, whose answer is an option.
fn peer_call(e: &mut Emitter, call: &Expr, name: &Name, args: &[Expr], message: &Expr) -> Operand {
    e.context.refuse_alone(call.span, "calling a peer");
    let Some(Res::Peer(peer)) = e.context.checked.tables.resolution(name.id) else { return e.constant(Value::NONE) };
    let key = match args.first() {
        Some(key) => e.expr(key),
        None => e.constant(Value::UNIT),
    };
    let request = e.expr(message);
    e.give(|dst| Op::CallPeer { dst, peer, key, request })
}

/// Emits calls of several peers at once, whose answers are a map.
fn peer_calls(
    e: &mut Emitter,
    call: &Expr,
    name: &Name,
    least: Option<&Expr>,
    args: &[Expr],
    message: &Expr,
    clauses: &[Clause],
) -> Operand {
    e.context.refuse_alone(call.span, "calling peers");
    let (Some(Res::Peer(peer)), [key]) = (e.context.checked.tables.resolution(name.id), args) else {
        return e.constant(Value::Absent);
    };
    let least = match least {
        Some(least) => e.expr(least),
        None => e.constant(Value::Absent),
    };
    let requests = map_comprehension(e, key, Some(message), clauses);
    e.give(|dst| Op::CallPeers { dst, peer, requests, least })
}

fn variable(e: &mut Emitter, name: &Name) -> Operand {
    match e.context.checked.tables.resolution(name.id) {
        Some(Res::Local(binding)) => match e.locals.get(&binding) {
            Some(register) => Operand::Register(*register),
            None => e.constant(Value::Absent),
        },
        Some(Res::StateVar(slot)) => Operand::Slot(slot),
        Some(Res::Const(at)) => named_constant(e, at),
        Some(Res::Variant { index, .. }) => e.constant(Value::unit(index)),
        _ => e.constant(Value::Absent),
    }
}

fn unary(e: &mut Emitter, op: UnaryOp, inner: &Expr) -> Operand {
    let a = e.expr(inner);
    let op = match op {
        UnaryOp::Not => Unary::Not,
        UnaryOp::Neg => Unary::Neg,
    };
    e.give(|dst| Op::Unary { dst, op, a })
}

fn binary(e: &mut Emitter, op: BinaryOp, a: &Expr, b: &Expr) -> Operand {
    let kind = e.kind(e.type_of(a.id));
    let (set, map) = (matches!(kind, Type::Set(_) | Type::Map(..)), matches!(kind, Type::Map(..)));
    let op = match op {
        BinaryOp::And => return both(e, a, b),
        BinaryOp::Or => return one(e, a, b),
        BinaryOp::In => return member(e, a, b),
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge if set => return included(e, op, a, b),
        BinaryOp::Gt => return compare(e, Binary::Lt, b, a),
        BinaryOp::Ge => return compare(e, Binary::Le, b, a),
        BinaryOp::Sub if set => Binary::Difference,
        BinaryOp::Add if map => Binary::Overlay,
        BinaryOp::Intersect => Binary::Intersection,
        BinaryOp::Eq => Binary::Eq,
        BinaryOp::Ne => Binary::Ne,
        BinaryOp::Lt => Binary::Lt,
        BinaryOp::Le => Binary::Le,
        BinaryOp::Add => Binary::Add,
        BinaryOp::Sub => Binary::Arithmetic(Arithmetic::Sub),
        BinaryOp::Mul => Binary::Arithmetic(Arithmetic::Mul),
        BinaryOp::Div => Binary::Arithmetic(Arithmetic::Div),
        BinaryOp::Rem => Binary::Arithmetic(Arithmetic::Rem),
    };
    let ty = e.type_of(a.id);
    let (a, b) = (e.expr(a), e.expr(b));
    let counts = matches!(op, Binary::Eq | Binary::Ne | Binary::Add | Binary::Difference);
    if counts || matches!(op, Binary::Overlay | Binary::Intersection) {
        e.counts(ty);
    }
    match computed(e, op, a, b) {
        Some(known) => e.constant(known),
        None => e.give(|dst| Op::Binary { dst, op, a, b }),
    }
}

/// Computes an arithmetic operation on integers while the code is made, if both operands are constants.
fn computed(e: &Emitter, op: Binary, a: Operand, b: Operand) -> Option<Value> {
    let (a, b) = (e.known(a)?, e.known(b)?);
    let (x, y) = (a.as_int()?, b.as_int()?);
    match op {
        Binary::Add => Some(Value::Scalar(Scalar::Int(x.add(y)))),
        Binary::Arithmetic(op) => Some(value::arithmetic(op, a, b)),
        _ => None,
    }
}

/// Emits a comparison that was written the other way round: the operands keep their order of evaluation.
fn compare(e: &mut Emitter, op: Binary, small: &Expr, large: &Expr) -> Operand {
    let b = e.expr(large);
    let a = e.expr(small);
    e.give(|dst| Op::Binary { dst, op, a, b })
}

/// Emits a comparison of sets by inclusion; `a < b` is `a <= b && a != b`.
fn included(e: &mut Emitter, op: BinaryOp, a: &Expr, b: &Expr) -> Operand {
    let ty = e.type_of(a.id);
    let (a, b) = (e.expr(a), e.expr(b));
    let (small, large) = if matches!(op, BinaryOp::Gt | BinaryOp::Ge) { (b, a) } else { (a, b) };
    e.counts(ty);
    let within = two(e, Binary::Subset, small, large);
    if matches!(op, BinaryOp::Le | BinaryOp::Ge) {
        return within;
    }
    e.counts(ty);
    let differs = two(e, Binary::Ne, small, large);
    two(e, Binary::And, within, differs)
}

/// The value of a condition that is a constant.
fn known_condition(e: &Emitter, cond: Operand) -> Option<bool> {
    match e.known(cond)? {
        Value::Scalar(Scalar::Bool(known)) => Some(*known),
        _ => None,
    }
}

fn both(e: &mut Emitter, a: &Expr, b: &Expr) -> Operand {
    let first = e.expr(a);
    if let Some(known) = known_condition(e, first) {
        return if known { e.expr(b) } else { first };
    }
    if !is_pure(e, b) {
        let arm = e.open_arm(first, |e| e.expr(b));
        let no = e.constant(Value::from(false));
        return e.close_arms(vec![arm], no);
    }
    let dst = e.register();
    let mut end = JumpTarget::default();
    e.emit(Op::Copy { dst, src: first });
    e.emit_to(&mut end, Op::Unless { cond: Operand::Register(dst), to: 0 });
    let second = e.expr(b);
    e.emit(Op::Binary { dst, op: Binary::And, a: Operand::Register(dst), b: second });
    e.place(end);
    Operand::Register(dst)
}

fn one(e: &mut Emitter, a: &Expr, b: &Expr) -> Operand {
    let first = e.expr(a);
    if let Some(known) = known_condition(e, first) {
        return if known { first } else { e.expr(b) };
    }
    if !is_pure(e, b) {
        let arm = e.open_arm(first, |e| e.constant(Value::from(true)));
        let second = e.expr(b);
        return e.close_arms(vec![arm], second);
    }
    let dst = e.register();
    let mut end = JumpTarget::default();
    e.emit(Op::Copy { dst, src: first });
    let open = e.give(|dst| Op::Unary { dst, op: Unary::Not, a: first });
    e.emit_to(&mut end, Op::Unless { cond: open, to: 0 });
    let second = e.expr(b);
    e.emit(Op::Binary { dst, op: Binary::Or, a: Operand::Register(dst), b: second });
    e.place(end);
    Operand::Register(dst)
}

fn member(e: &mut Emitter, a: &Expr, b: &Expr) -> Operand {
    let element = e.expr(a);
    if let ExprKind::Range(from, to) = &unparenthesized(b).kind {
        let (from, to) = (e.expr(from), e.expr(to));
        let low = e.give(|dst| Op::Binary { dst, op: Binary::Le, a: from, b: element });
        let high = e.give(|dst| Op::Binary { dst, op: Binary::Lt, a: element, b: to });
        return e.give(|dst| Op::Binary { dst, op: Binary::And, a: low, b: high });
    }
    let collection = e.expr(b);
    e.give(|dst| Op::Binary { dst, op: Binary::In, a: element, b: collection })
}

fn field_of(e: &mut Emitter, base: &Expr, name: &Name) -> Operand {
    if let Some(Res::Variant { index, .. }) = e.context.checked.tables.resolution(name.id) {
        return e.constant(Value::unit(index));
    }
    let src = e.expr(base);
    let index = e.context.checked.tables.field(name.id).unwrap_or(0);
    e.give(|dst| Op::Field { dst, src, tag: 0, index })
}

fn indexed(e: &mut Emitter, base: &Expr, at: &Expr) -> Operand {
    let src = e.expr(base);
    if let ExprKind::Range(from, to) = &unparenthesized(at).kind {
        let (from, to) = (e.expr(from), e.expr(to));
        return e.give(|dst| Op::Slice { dst, src, from, to });
    }
    let at = e.expr(at);
    e.give(|dst| Op::Index { dst, src, at })
}

fn make(e: &mut Emitter, tag: u32, parts: &[Expr]) -> Operand {
    let fields: Box<[Operand]> = parts.iter().map(|part| e.expr(part)).collect();
    e.give(|dst| Op::Make { dst, tag, fields })
}

/// Emits a call of a procedure of the protocol.
pub(super) fn run_proc(e: &mut Emitter, proc: u32, args: &[Expr]) -> Operand {
    let args: Box<[Operand]> = args.iter().map(|arg| e.expr(arg)).collect();
    let function = e.context.checked.functions.len() as u32 + proc;
    e.give(|dst| Op::Call { dst, function, args })
}

fn call_named(e: &mut Emitter, name: &Name, args: &[Expr]) -> Operand {
    match e.context.checked.tables.resolution(name.id) {
        Some(Res::Variant { index, .. }) => make(e, index, args),
        Some(Res::Function(function)) => {
            let args: Box<[Operand]> = args.iter().map(|arg| e.expr(arg)).collect();
            e.give(|dst| Op::Call { dst, function, args })
        }
        Some(Res::Proc(proc)) => run_proc(e, proc, args),
        Some(Res::Builtin(Builtin::Len)) if args.len() == 1 => {
            if let ExprKind::Range(from, to) = &unparenthesized(&args[0]).kind {
                let (from, to) = (e.expr(from), e.expr(to));
                return two(e, Binary::RangeLen, from, to);
            }
            let a = e.expr(&args[0]);
            e.counts(e.type_of(args[0].id));
            e.give(|dst| Op::Unary { dst, op: Unary::Len, a })
        }
        _ => e.constant(Value::Absent),
    }
}

fn method_call(e: &mut Emitter, receiver: &Expr, name: &Name, args: &[Expr]) -> Operand {
    let builtin = match e.context.checked.tables.resolution(name.id) {
        Some(Res::Variant { index, .. }) => return make(e, index, args),
        Some(Res::Builtin(builtin)) => builtin,
        _ => return e.constant(Value::Absent),
    };
    let a = e.expr(receiver);
    let args: Vec<Operand> = args.iter().map(|arg| e.expr(arg)).collect();
    if builtin.counts() {
        e.counts(e.type_of(receiver.id));
    }
    match (method_code(builtin), args.as_slice()) {
        (MethodCode::One(op), []) => single(e, op, a),
        (MethodCode::Two(op), [b]) => two(e, op, a, *b),
        (MethodCode::In, [key]) => two(e, Binary::In, *key, a),
        (MethodCode::GetOr, [key, default]) => get_or(e, a, *key, *default),
        (MethodCode::Or, [default]) => or_default(e, a, *default),
        (MethodCode::With, [key, value]) => e.give(|dst| Op::Insert { dst, map: a, key: *key, value: *value }),
        _ => e.constant(Value::Absent),
    }
}

/// The code of a method.
enum MethodCode {
    /// An operation on the receiver.
    One(Unary),
    /// An operation on the receiver and the argument.
    Two(Binary),
    /// The operator `in` on the argument and the receiver.
    In,
    /// A lookup and a conditional.
    GetOr,
    /// A conditional.
    Or,
    /// A map with an entry set.
    With,
}

fn method_code(builtin: Builtin) -> MethodCode {
    match builtin {
        Builtin::Len => MethodCode::One(Unary::Len),
        Builtin::Get => MethodCode::Two(Binary::Get),
        Builtin::GetOr => MethodCode::GetOr,
        Builtin::Contains => MethodCode::In,
        Builtin::With => MethodCode::With,
        Builtin::Or => MethodCode::Or,
        Builtin::BeginsWith => MethodCode::Two(Binary::BeginsWith),
        Builtin::Remove => MethodCode::Two(Binary::Remove),
        Builtin::Keys => MethodCode::One(Unary::Keys),
        Builtin::Values => MethodCode::One(Unary::Values),
        Builtin::Entries => MethodCode::One(Unary::Entries),
        Builtin::ToList => MethodCode::One(Unary::ToList),
        Builtin::ContainsText => MethodCode::Two(Binary::Text(TextOp::Contains)),
        Builtin::StartsWith => MethodCode::Two(Binary::Text(TextOp::StartsWith)),
        Builtin::EndsWith => MethodCode::Two(Binary::Text(TextOp::EndsWith)),
        Builtin::Split => MethodCode::Two(Binary::Split),
        Builtin::Lower => MethodCode::One(Unary::Text(TextOp::Lower)),
        Builtin::ToInt => MethodCode::One(Unary::ToInt),
        Builtin::ToString => MethodCode::One(Unary::Text(TextOp::FromInt)),
    }
}

fn two(e: &mut Emitter, op: Binary, a: Operand, b: Operand) -> Operand {
    e.give(|dst| Op::Binary { dst, op, a, b })
}

fn single(e: &mut Emitter, op: Unary, a: Operand) -> Operand {
    e.give(|dst| Op::Unary { dst, op, a })
}

fn get_or(e: &mut Emitter, map: Operand, key: Operand, default: Operand) -> Operand {
    let found = two(e, Binary::Get, map, key);
    or_default(e, found, default)
}

/// Emits the value of an option, or a default.
fn or_default(e: &mut Emitter, option: Operand, default: Operand) -> Operand {
    let cond = e.give(|dst| Op::IsVariant { dst, src: option, tag: 1 });
    let arm = e.open_arm(cond, |e| e.give(|dst| Op::Field { dst, src: option, tag: 1, index: 0 }));
    e.close_arms(vec![arm], default)
}

fn record_of(e: &mut Emitter, expr: &Expr, name: &Name, fields: &[Init], rest: Rest) -> Operand {
    let tables = &e.context.checked.tables;
    let (ty, tag) = match tables.resolution(name.id) {
        Some(Res::Variant { ty, index }) => (ty, index),
        _ => (e.type_of(expr.id), 0),
    };
    let types: Vec<_> = e.context.checked.types.fields(ty, tag).into_iter().map(|field| field.1).collect();
    let mut operands: Vec<Option<Operand>> = vec![None; types.len()];
    for init in fields {
        let operand = init_value(e, init);
        let at = e.context.checked.tables.field(init.name.id).unwrap_or(0);
        if let Some(place) = operands.get_mut(at as usize) {
            *place = Some(operand);
        }
    }
    let mut complete = Vec::with_capacity(types.len());
    for (operand, ty) in operands.into_iter().zip(types) {
        complete.push(match (operand, rest) {
            (Some(operand), _) => operand,
            (None, Rest::Choose(..)) => chosen(e, ty),
            (None, Rest::Nothing) => e.constant(Value::Absent),
        });
    }
    e.give(|dst| Op::Make { dst, tag, fields: complete.into() })
}

fn init_value(e: &mut Emitter, init: &Init) -> Operand {
    match &init.value {
        Some(value) => expr_for(e, &init.name.text, value),
        None => variable(e, &init.name),
    }
}

fn updated(e: &mut Emitter, base: &Expr, fields: &[Init]) -> Operand {
    let src = e.expr(base);
    let mut replaced = Vec::with_capacity(fields.len());
    for init in fields {
        let operand = init_value(e, init);
        replaced.push((e.context.checked.tables.field(init.name.id).unwrap_or(0), operand));
    }
    e.give(|dst| Op::With { dst, src, fields: replaced.into() })
}

fn match_expr(e: &mut Emitter, subject: &Expr, arms: &[Arm<Expr>]) -> Operand {
    let src = e.expr(subject);
    let is_last_certain = last_arm_is_certain(e, subject, arms);
    let mut opened = Vec::new();
    for (at, arm) in arms.iter().enumerate() {
        let is_certain = is_last_certain && at + 1 == arms.len();
        let pattern = if is_certain { last_pattern } else { lower_pattern };
        let test = pattern(e, &arm.pattern, src);
        let cond = match (&arm.guard, test) {
            (None, None) => {
                let value = e.expr(&arm.body);
                return e.close_arms(opened, value);
            }
            (None, Some(test)) => test,
            (Some(guard), None) => e.expr(guard),
            (Some(guard), Some(test)) => {
                let fits = e.open_arm(test, |e| e.expr(guard));
                let no = e.constant(Value::from(false));
                e.close_arms(vec![fits], no)
            }
        };
        opened.push(e.open_arm(cond, |e| e.expr(&arm.body)));
    }
    if !is_exhaustive(e, subject) {
        e.emit(Op::Fault { kind: FaultKind::NoArm });
    }
    let nothing = e.constant(Value::Absent);
    e.close_arms(opened, nothing)
}

fn named_constant(e: &mut Emitter, at: u32) -> Operand {
    match &e.context.const_at(at).value.kind {
        ExprKind::Int(int) => e.constant(Value::Scalar(Scalar::Int(int.clone()))),
        ExprKind::Bool(known) => e.constant(Value::from(*known)),
        _ => Operand::Slot(e.context.state_slots + at),
    }
}
