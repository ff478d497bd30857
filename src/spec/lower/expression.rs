//! Expressions: each gives an operand.

use super::choice::unparenthesized;
use super::emit::{Emitter, Label};
use super::pattern::text_value;
use crate::scalar::Scalar;
use crate::spec::check::{Builtin, Res};
use crate::spec::code::{Binary, FaultKind, Op, Operand, Unary};
use crate::spec::types::Type;
use crate::syntax::ast::{Arm, BinaryOp, Expr, ExprKind, Init, Name, Pattern, PatternKind, Rest, UnaryOp};
use crate::term::TextOp;
use crate::value::{self, Arithmetic, Map, Value};

impl Emitter<'_, '_, '_> {
    /// Emits an expression; the operand holds its value.
    pub(super) fn expr(&mut self, expr: &Expr) -> Operand {
        let outer = std::mem::replace(&mut self.site, expr.id);
        let operand = self.expr_kind(expr);
        self.site = outer;
        operand
    }

    fn expr_kind(&mut self, expr: &Expr) -> Operand {
        match &expr.kind {
            ExprKind::Int(int) => self.constant(Value::Scalar(Scalar::Int(int.clone()))),
            ExprKind::Text(text) => {
                let value = text_value(text, self.type_of(expr.id));
                self.constant(value)
            }
            ExprKind::Bool(known) => self.constant(Value::from(*known)),
            ExprKind::Cell(cell) => self.cell(*cell),
            ExprKind::Name(name) => self.name(name),
            ExprKind::Paren(inner) => self.expr(inner),
            ExprKind::Choose(_) => self.choose(self.type_of(expr.id)),
            ExprKind::ChooseWhere { name, condition, .. } => self.choose_where(name, self.type_of(expr.id), condition),
            ExprKind::Pick(over) => self.pick(over),
            ExprKind::PickWhere { name, over, condition } => self.pick_where(name, over, condition),
            ExprKind::Either(alternatives) => self.either(alternatives),
            ExprKind::Quantified { quantifier, binder, over, body } => self.quantified(*quantifier, binder, over, body),
            ExprKind::Unary(op, inner) => self.unary(*op, inner),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
            ExprKind::Is(inner, pattern) => {
                let src = self.expr(inner);
                self.test(pattern, src)
            }
            ExprKind::Range(from, to) => {
                let (from, to) = (self.expr(from), self.expr(to));
                self.give(|dst| Op::RangeList { dst, from, to })
            }
            ExprKind::Field(base, name) => self.field(base, name),
            ExprKind::Method { receiver, name, args } => self.method(receiver, name, args),
            ExprKind::Index(base, at) => self.index(base, at),
            ExprKind::Call { name, args } => self.call_named(name, args),
            ExprKind::Tuple(parts) => self.make(0, parts),
            ExprKind::Record { name, fields, rest, .. } => self.record(expr, name, fields, *rest),
            ExprKind::List(elements) => {
                let elements: Box<[Operand]> = elements.iter().map(|element| self.expr(element)).collect();
                match self.all_known(&elements) {
                    Some(known) => self.constant(Value::list(known)),
                    None => self.give(|dst| Op::MakeList { dst, elements }),
                }
            }
            ExprKind::EmptyBraces => self.constant(Value::Map(Map::default())),
            ExprKind::Set(elements) => self.set_literal(elements),
            ExprKind::Map(entries) => self.map_literal(entries),
            ExprKind::With { base, fields } => self.with(base, fields),
            ExprKind::ListComprehension { element, clauses } => self.list_comprehension(element, clauses),
            ExprKind::SetComprehension { element, clauses } => self.map_comprehension(element, None, clauses),
            ExprKind::MapComprehension { key, value, clauses } => self.map_comprehension(key, Some(value), clauses),
            ExprKind::Let { bindings, body } => {
                for (pattern, value) in bindings {
                    let value = self.expr(value);
                    self.bind_or_fault(pattern, value);
                }
                self.expr(body)
            }
            ExprKind::If { condition, then, otherwise } => {
                let cond = self.expr(condition);
                if let Some(known) = self.known_condition(cond) {
                    return self.expr(if known { then } else { otherwise });
                }
                let arm = self.open_arm(cond, |emitter| emitter.expr(then));
                let value = self.expr(otherwise);
                self.close_arms(vec![arm], value)
            }
            ExprKind::Match { subject, arms } => self.match_expression(subject, arms),
            ExprKind::PeerCall { .. } => self.refuse(expr.span, "calling a peer"),
            ExprKind::Error => self.constant(Value::Absent),
        }
    }

    fn name(&mut self, name: &Name) -> Operand {
        match self.context.checked.tables.resolution(name.id) {
            Some(Res::Local(binding)) => match self.locals.get(&binding) {
                Some(register) => Operand::Register(*register),
                None => self.constant(Value::Absent),
            },
            Some(Res::StateVar(slot)) => Operand::Slot(slot),
            Some(Res::Const(at)) => self.named_constant(at),
            Some(Res::Variant { index, .. }) => self.constant(Value::unit(index)),
            _ => self.constant(Value::Absent),
        }
    }

    /// A pattern as a condition.
    pub(super) fn test(&mut self, pattern: &Pattern, src: Operand) -> Operand {
        match self.pattern(pattern, src) {
            Some(test) => test,
            None => self.constant(Value::from(true)),
        }
    }

    /// Binds the names of a pattern; where it does not fit, that is a fault.
    pub(super) fn bind_or_fault(&mut self, pattern: &Pattern, src: Operand) {
        if let PatternKind::Name(name) = &pattern.kind
            && let Some(Res::Local(binding)) = self.context.checked.tables.resolution(name.id)
        {
            let dst = self.bind(binding);
            self.emit(Op::Copy { dst, src });
            return;
        }
        let Some(cond) = self.pattern(pattern, src) else { return };
        let fits = self.open_arm(cond, |emitter| emitter.constant(Value::UNIT));
        self.emit(Op::Fault { kind: FaultKind::NoArm });
        let nothing = self.constant(Value::Absent);
        self.close_arms(vec![fits], nothing);
    }

    fn unary(&mut self, op: UnaryOp, inner: &Expr) -> Operand {
        let a = self.expr(inner);
        let op = match op {
            UnaryOp::Not => Unary::Not,
            UnaryOp::Neg => Unary::Neg,
        };
        self.give(|dst| Op::Unary { dst, op, a })
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> Operand {
        let set = matches!(self.kind(self.type_of(a.id)), Type::Set(_) | Type::Map(..));
        let op = match op {
            BinaryOp::And => return self.both(a, b),
            BinaryOp::Or => return self.one(a, b),
            BinaryOp::In => return self.member(a, b),
            BinaryOp::Gt => return self.compare(Binary::Lt, b, a),
            BinaryOp::Ge => return self.compare(Binary::Le, b, a),
            BinaryOp::Sub if set => Binary::Difference,
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
        let ty = self.type_of(a.id);
        let (a, b) = (self.expr(a), self.expr(b));
        if matches!(op, Binary::Eq | Binary::Ne | Binary::Add | Binary::Difference) {
            self.counts(ty);
        }
        match self.computed(op, a, b) {
            Some(known) => self.constant(known),
            None => self.give(|dst| Op::Binary { dst, op, a, b }),
        }
    }

    /// Computes an arithmetic operation on integers while the code is made, where both operands are constants.
    fn computed(&self, op: Binary, a: Operand, b: Operand) -> Option<Value> {
        let (a, b) = (self.known(a)?, self.known(b)?);
        let (x, y) = (a.as_int()?, b.as_int()?);
        match op {
            Binary::Add => Some(Value::Scalar(Scalar::Int(x.add(y)))),
            Binary::Arithmetic(op) => Some(value::arithmetic(op, a, b)),
            _ => None,
        }
    }

    /// A comparison written the other way round: the operands keep their order of evaluation.
    fn compare(&mut self, op: Binary, small: &Expr, large: &Expr) -> Operand {
        let b = self.expr(large);
        let a = self.expr(small);
        self.give(|dst| Op::Binary { dst, op, a, b })
    }

    /// The value of a condition that is a constant.
    fn known_condition(&self, cond: Operand) -> Option<bool> {
        match self.known(cond)? {
            Value::Scalar(Scalar::Bool(known)) => Some(*known),
            _ => None,
        }
    }

    fn both(&mut self, a: &Expr, b: &Expr) -> Operand {
        let first = self.expr(a);
        if let Some(known) = self.known_condition(first) {
            return if known { self.expr(b) } else { first };
        }
        if !self.is_pure(b) {
            let arm = self.open_arm(first, |emitter| emitter.expr(b));
            let no = self.constant(Value::from(false));
            return self.close_arms(vec![arm], no);
        }
        let dst = self.register();
        let mut end = Label::default();
        self.emit(Op::Copy { dst, src: first });
        self.emit_to(&mut end, Op::Unless { cond: Operand::Register(dst), to: 0 });
        let second = self.expr(b);
        self.emit(Op::Binary { dst, op: Binary::And, a: Operand::Register(dst), b: second });
        self.place(end);
        Operand::Register(dst)
    }

    fn one(&mut self, a: &Expr, b: &Expr) -> Operand {
        let first = self.expr(a);
        if let Some(known) = self.known_condition(first) {
            return if known { first } else { self.expr(b) };
        }
        if !self.is_pure(b) {
            let arm = self.open_arm(first, |emitter| emitter.constant(Value::from(true)));
            let second = self.expr(b);
            return self.close_arms(vec![arm], second);
        }
        let dst = self.register();
        let mut end = Label::default();
        self.emit(Op::Copy { dst, src: first });
        let open = self.give(|dst| Op::Unary { dst, op: Unary::Not, a: first });
        self.emit_to(&mut end, Op::Unless { cond: open, to: 0 });
        let second = self.expr(b);
        self.emit(Op::Binary { dst, op: Binary::Or, a: Operand::Register(dst), b: second });
        self.place(end);
        Operand::Register(dst)
    }

    fn member(&mut self, a: &Expr, b: &Expr) -> Operand {
        let element = self.expr(a);
        if let ExprKind::Range(from, to) = &unparenthesized(b).kind {
            let (from, to) = (self.expr(from), self.expr(to));
            let low = self.give(|dst| Op::Binary { dst, op: Binary::Le, a: from, b: element });
            let high = self.give(|dst| Op::Binary { dst, op: Binary::Lt, a: element, b: to });
            return self.give(|dst| Op::Binary { dst, op: Binary::And, a: low, b: high });
        }
        let collection = self.expr(b);
        self.give(|dst| Op::Binary { dst, op: Binary::In, a: element, b: collection })
    }

    fn field(&mut self, base: &Expr, name: &Name) -> Operand {
        if let Some(Res::Variant { index, .. }) = self.context.checked.tables.resolution(name.id) {
            return self.constant(Value::unit(index));
        }
        let src = self.expr(base);
        let index = self.context.checked.tables.field(name.id).unwrap_or(0);
        self.give(|dst| Op::Field { dst, src, tag: 0, index })
    }

    fn index(&mut self, base: &Expr, at: &Expr) -> Operand {
        let src = self.expr(base);
        if let ExprKind::Range(from, to) = &unparenthesized(at).kind {
            let (from, to) = (self.expr(from), self.expr(to));
            return self.give(|dst| Op::Slice { dst, src, from, to });
        }
        let at = self.expr(at);
        self.give(|dst| Op::Index { dst, src, at })
    }

    fn make(&mut self, tag: u32, parts: &[Expr]) -> Operand {
        let fields: Box<[Operand]> = parts.iter().map(|part| self.expr(part)).collect();
        self.give(|dst| Op::Make { dst, tag, fields })
    }

    fn call_named(&mut self, name: &Name, args: &[Expr]) -> Operand {
        match self.context.checked.tables.resolution(name.id) {
            Some(Res::Variant { index, .. }) => self.make(index, args),
            Some(Res::Function(function)) => {
                let args: Box<[Operand]> = args.iter().map(|arg| self.expr(arg)).collect();
                self.give(|dst| Op::Call { dst, function, args })
            }
            Some(Res::Builtin(Builtin::Len)) if args.len() == 1 => {
                if let ExprKind::Range(from, to) = &unparenthesized(&args[0]).kind {
                    let (from, to) = (self.expr(from), self.expr(to));
                    return self.two(Binary::RangeLen, from, to);
                }
                let a = self.expr(&args[0]);
                self.counts(self.type_of(args[0].id));
                self.give(|dst| Op::Unary { dst, op: Unary::Len, a })
            }
            _ => self.constant(Value::Absent),
        }
    }

    fn method(&mut self, receiver: &Expr, name: &Name, args: &[Expr]) -> Operand {
        let builtin = match self.context.checked.tables.resolution(name.id) {
            Some(Res::Variant { index, .. }) => return self.make(index, args),
            Some(Res::Builtin(builtin)) => builtin,
            _ => return self.constant(Value::Absent),
        };
        let a = self.expr(receiver);
        let args: Vec<Operand> = args.iter().map(|arg| self.expr(arg)).collect();
        if matches!(builtin, Builtin::Len | Builtin::Values | Builtin::Entries | Builtin::ToList) {
            self.counts(self.type_of(receiver.id));
        }
        match (builtin, args.as_slice()) {
            (Builtin::GetOr, [key, default]) => self.get_or(a, *key, *default),
            (Builtin::Contains, [key]) => self.give(|dst| Op::Binary { dst, op: Binary::In, a: *key, b: a }),
            (Builtin::Get, [b]) => self.two(Binary::Get, a, *b),
            (Builtin::Remove, [b]) => self.two(Binary::Remove, a, *b),
            (Builtin::ContainsText, [b]) => self.two(Binary::Text(TextOp::Contains), a, *b),
            (Builtin::StartsWith, [b]) => self.two(Binary::Text(TextOp::StartsWith), a, *b),
            (Builtin::EndsWith, [b]) => self.two(Binary::Text(TextOp::EndsWith), a, *b),
            (Builtin::Split, [b]) => self.two(Binary::Split, a, *b),
            (Builtin::Len, []) => self.single(Unary::Len, a),
            (Builtin::Keys, []) => self.single(Unary::Keys, a),
            (Builtin::Values, []) => self.single(Unary::Values, a),
            (Builtin::Entries, []) => self.single(Unary::Entries, a),
            (Builtin::ToList, []) => self.single(Unary::ToList, a),
            (Builtin::Lower, []) => self.single(Unary::Text(TextOp::Lower), a),
            (Builtin::ToInt, []) => self.single(Unary::ToInt, a),
            (Builtin::ToString, []) => self.single(Unary::Text(TextOp::FromInt), a),
            _ => self.constant(Value::Absent),
        }
    }

    fn two(&mut self, op: Binary, a: Operand, b: Operand) -> Operand {
        self.give(|dst| Op::Binary { dst, op, a, b })
    }

    fn single(&mut self, op: Unary, a: Operand) -> Operand {
        self.give(|dst| Op::Unary { dst, op, a })
    }

    fn get_or(&mut self, map: Operand, key: Operand, default: Operand) -> Operand {
        let found = self.two(Binary::Get, map, key);
        let cond = self.give(|dst| Op::IsVariant { dst, src: found, tag: 1 });
        let arm = self.open_arm(cond, |emitter| emitter.give(|dst| Op::Field { dst, src: found, tag: 1, index: 0 }));
        self.close_arms(vec![arm], default)
    }

    fn record(&mut self, expr: &Expr, name: &Name, fields: &[Init], rest: Rest) -> Operand {
        let tables = &self.context.checked.tables;
        let (ty, tag) = match tables.resolution(name.id) {
            Some(Res::Variant { ty, index }) => (ty, index),
            _ => (self.type_of(expr.id), 0),
        };
        let types: Vec<_> = self.context.checked.types.fields(ty, tag).into_iter().map(|field| field.1).collect();
        let mut operands: Vec<Option<Operand>> = vec![None; types.len()];
        for init in fields {
            let operand = self.init(init);
            let at = self.context.checked.tables.field(init.name.id).unwrap_or(0);
            if let Some(place) = operands.get_mut(at as usize) {
                *place = Some(operand);
            }
        }
        let mut complete = Vec::with_capacity(types.len());
        for (operand, ty) in operands.into_iter().zip(types) {
            complete.push(match (operand, rest) {
                (Some(operand), _) => operand,
                (None, Rest::Choose(..)) => self.choose(ty),
                (None, Rest::Nothing) => self.constant(Value::Absent),
            });
        }
        self.give(|dst| Op::Make { dst, tag, fields: complete.into() })
    }

    fn init(&mut self, init: &Init) -> Operand {
        match &init.value {
            Some(value) => self.expr_for(&init.name.text, value),
            None => self.name(&init.name),
        }
    }

    fn with(&mut self, base: &Expr, fields: &[Init]) -> Operand {
        let src = self.expr(base);
        let mut replaced = Vec::with_capacity(fields.len());
        for init in fields {
            let operand = self.init(init);
            replaced.push((self.context.checked.tables.field(init.name.id).unwrap_or(0), operand));
        }
        self.give(|dst| Op::With { dst, src, fields: replaced.into() })
    }

    fn match_expression(&mut self, subject: &Expr, arms: &[Arm<Expr>]) -> Operand {
        let src = self.expr(subject);
        let covered = self.last_arm_is_certain(subject, arms.iter().map(|arm| (&arm.pattern, arm.guard.is_some())));
        let mut opened = Vec::new();
        for (at, arm) in arms.iter().enumerate() {
            let is_certain = covered && at + 1 == arms.len();
            let pattern = if is_certain { Self::last_pattern } else { Self::pattern };
            let test = pattern(self, &arm.pattern, src);
            let cond = match (&arm.guard, test) {
                (None, None) => {
                    let value = self.expr(&arm.body);
                    return self.close_arms(opened, value);
                }
                (None, Some(test)) => test,
                (Some(guard), None) => self.expr(guard),
                (Some(guard), Some(test)) => {
                    let fits = self.open_arm(test, |emitter| emitter.expr(guard));
                    let no = self.constant(Value::from(false));
                    self.close_arms(vec![fits], no)
                }
            };
            opened.push(self.open_arm(cond, |emitter| emitter.expr(&arm.body)));
        }
        self.emit(Op::Fault { kind: FaultKind::NoArm });
        let nothing = self.constant(Value::Absent);
        self.close_arms(opened, nothing)
    }

    /// Binds the names of the last pattern of those that cover everything: it needs no test.
    pub(super) fn last_pattern(&mut self, pattern: &Pattern, src: Operand) -> Option<Operand> {
        if self.plain_variant(pattern).is_some() {
            self.certain_pattern(pattern, src);
        } else {
            self.pattern(pattern, src);
        }
        None
    }

    /// Tests whether the arms without a guard cover all variants by patterns that look no deeper, so that the last one
    /// needs no test.
    pub(super) fn last_arm_is_certain<'p>(
        &self,
        subject: &Expr,
        arms: impl Iterator<Item = (&'p Pattern, bool)>,
    ) -> bool {
        let variants = match self.kind(self.type_of(subject.id)) {
            Type::Enum(at) => self.context.checked.types.enums[*at as usize].variants.len(),
            Type::Option(_) => 2,
            _ => return false,
        };
        let mut seen = std::collections::BTreeSet::new();
        for (pattern, guarded) in arms {
            if !guarded && let Some(tag) = self.plain_variant(pattern) {
                seen.insert(tag);
            }
        }
        seen.len() == variants
    }

    /// The variant that a pattern tests for, if it tests nothing else.
    fn plain_variant(&self, pattern: &Pattern) -> Option<u32> {
        let plain = |pattern: &Pattern| match &pattern.kind {
            PatternKind::Wildcard => true,
            PatternKind::Name(name) => {
                matches!(self.context.checked.tables.resolution(name.id), Some(Res::Local(_)))
            }
            _ => false,
        };
        let name = match &pattern.kind {
            PatternKind::Name(name) => name,
            PatternKind::Variant { name, args, .. } if args.iter().all(plain) => name,
            PatternKind::Record { name, fields, .. }
                if fields.iter().all(|field| field.pattern.as_ref().is_none_or(plain)) =>
            {
                name
            }
            _ => return None,
        };
        match self.context.checked.tables.resolution(name.id) {
            Some(Res::Variant { index, .. }) => Some(index),
            _ => None,
        }
    }

    fn named_constant(&mut self, at: u32) -> Operand {
        match &self.context.const_at(at).value.kind {
            ExprKind::Int(int) => self.constant(Value::Scalar(Scalar::Int(int.clone()))),
            ExprKind::Bool(known) => self.constant(Value::from(*known)),
            _ => Operand::Slot(self.context.state_slots + at),
        }
    }
}
