//! Literals and comprehensions of lists, sets and maps, and quantifiers: loops over a cursor.

use super::choice::unparenthesized;
use super::emit::{Emitter, Label};
use crate::spec::code::{Binary, Op, Operand, Pc, Register, Unary};
use crate::spec::types::Type;
use crate::syntax::ast::{Clause, Expr, ExprKind, Pattern, Quantifier};
use crate::value::{Map, Value};

/// A quantifier over more literals than this is a loop.
const WRITTEN_OUT: usize = 8;

/// A loop that is being emitted.
pub(super) struct Loop {
    again: Pc,
    done: Label,
    /// The condition under which the current element is there.
    presence: Register,
}

impl Emitter<'_, '_, '_> {
    pub(super) fn set_literal(&mut self, elements: &[Expr]) -> Operand {
        let mut map = self.constant(Value::Map(Map::default()));
        let value = self.constant(Value::UNIT);
        for element in elements {
            let key = self.expr(element);
            let old = map;
            map = self.give(|dst| Op::Insert { dst, map: old, key, value });
        }
        map
    }

    pub(super) fn map_literal(&mut self, entries: &[(Expr, Expr)]) -> Operand {
        let mut map = self.constant(Value::Map(Map::default()));
        for (key, value) in entries {
            let (key, value) = (self.expr(key), self.expr(value));
            let old = map;
            map = self.give(|dst| Op::Insert { dst, map: old, key, value });
        }
        map
    }

    /// Opens a loop over a collection or range and binds each element.
    pub(super) fn open_loop(&mut self, binder: &Pattern, over: &Expr) -> Loop {
        self.open_loop_with(binder, over, |dst, over| Op::Iterate { dst, over })
    }

    /// Opens a loop over a collection or range where it makes a difference which element comes first, and binds each
    /// element; when the loop runs, the register `ordered` holds whether that is known.
    fn open_ordered_loop(&mut self, binder: &Pattern, over: &Expr, ordered: Register) -> Loop {
        let known = self.constant(Value::from(true));
        if self.is_unordered(over) {
            return self.open_loop_with(binder, over, |dst, over| Op::IterateInOrder { dst, over, ordered });
        }
        self.emit(Op::Copy { dst: ordered, src: known });
        self.open_loop(binder, over)
    }

    fn open_loop_with(&mut self, binder: &Pattern, over: &Expr, iterate: impl FnOnce(Register, Operand) -> Op) -> Loop {
        let cursor = self.register();
        if let ExprKind::Range(from, to) = &unparenthesized(over).kind {
            let (from, to) = (self.expr(from), self.expr(to));
            self.emit(Op::IterateRange { dst: cursor, from, to });
        } else {
            let collection = self.iterable(over);
            self.counts(self.type_of(over.id));
            self.emit(iterate(cursor, collection));
        }
        let (element, presence) = (self.register(), self.register());
        let again = self.here();
        let mut done = Label::default();
        self.emit_to(&mut done, Op::Next { cursor, element, presence, done: 0 });
        self.bind_or_fault(binder, Operand::Register(element));
        Loop { again, done, presence }
    }

    /// Emits the collection that a loop iterates over: a map stands for its keys.
    fn iterable(&mut self, over: &Expr) -> Operand {
        let collection = self.expr(over);
        match self.kind(self.type_of(over.id)) {
            Type::Map(..) => self.give(|dst| Op::Unary { dst, op: Unary::Keys, a: collection }),
            _ => collection,
        }
    }

    pub(super) fn close_loop(&mut self, open: Loop) {
        self.emit(Op::Jump { to: open.again });
        self.place(open.done);
    }

    pub(super) fn list_comprehension(&mut self, element: &Expr, clauses: &[Clause]) -> Operand {
        let empty = self.constant(Value::list([]));
        let dst = self.register();
        self.emit(Op::Copy { dst, src: empty });
        let always = self.constant(Value::from(true));
        self.list_clauses(dst, element, clauses, always);
        Operand::Register(dst)
    }

    /// Filters of lists fork where they are open. An element of a list that may or may not be there gives one that may or may
    /// not be there, where what is done with it is pure; else its presence forks too, as that of an element of a set does.
    fn list_clauses(&mut self, dst: Register, element: &Expr, clauses: &[Clause], when: Operand) {
        match clauses {
            [] => {
                let src = self.expr(element);
                self.emit(Op::Push { dst, src, when });
            }
            [Clause::For { binder, over }, rest @ ..] => {
                let open = self.open_loop(binder, over);
                let when = if self.keeps_presence(over, element, rest) {
                    self.where_there(&open, when)
                } else {
                    self.skip_absent(&open);
                    when
                };
                self.list_clauses(dst, element, rest, when);
                self.close_loop(open);
            }
            [Clause::If(condition), rest @ ..] => {
                let mut skip = Label::default();
                let cond = self.expr(condition);
                self.emit_to(&mut skip, Op::Branch { cond, otherwise: 0 });
                self.list_clauses(dst, element, rest, when);
                self.place(skip);
            }
        }
    }

    /// Tests whether a loop is over a list and does nothing with its elements but what is pure, so that their presence
    /// need not fork.
    fn keeps_presence(&self, over: &Expr, element: &Expr, clauses: &[Clause]) -> bool {
        let is_list = matches!(self.kind(self.type_of(over.id)), Type::List(_));
        is_list && self.is_pure_for_each((element, None), clauses)
    }

    /// Tests whether a loop does nothing with its elements but what is pure.
    fn is_pure_for_each(&self, (key, value): (&Expr, Option<&Expr>), clauses: &[Clause]) -> bool {
        let pure = |clause: &Clause| match clause {
            Clause::For { over, .. } => self.is_pure(over),
            Clause::If(condition) => self.is_pure(condition),
        };
        self.is_pure(key) && value.is_none_or(|value| self.is_pure(value)) && clauses.iter().all(pure)
    }

    /// Tests whether the elements of a collection come in no order of their own: it is a set or a map.
    fn is_unordered(&self, over: &Expr) -> bool {
        matches!(self.kind(self.type_of(over.id)), Type::Set(_) | Type::Map(..))
    }

    /// Goes on with the next element where this one is certainly not there; when it is, on a condition of what is around it.
    fn where_there(&mut self, open: &Loop, when: Operand) -> Operand {
        let presence = Operand::Register(open.presence);
        self.emit(Op::Unless { cond: presence, to: open.again });
        if let Operand::Constant(_) = when {
            return presence;
        }
        self.give(|dst| Op::Binary { dst, op: Binary::And, a: when, b: presence })
    }

    /// Goes on with the next element where this one is not there.
    pub(super) fn skip_absent(&mut self, open: &Loop) {
        self.emit(Op::Branch { cond: Operand::Register(open.presence), otherwise: open.again });
    }

    /// A set (`value` is `None`) or map: elements join under their conditions.
    pub(super) fn map_comprehension(&mut self, key: &Expr, value: Option<&Expr>, clauses: &[Clause]) -> Operand {
        let empty = self.constant(Value::Map(Map::default()));
        let dst = self.register();
        self.emit(Op::Copy { dst, src: empty });
        let always = self.constant(Value::from(true));
        self.map_clauses(dst, (key, value), clauses, always);
        Operand::Register(dst)
    }

    fn map_clauses(&mut self, dst: Register, entry: (&Expr, Option<&Expr>), clauses: &[Clause], when: Operand) {
        match clauses {
            [] => {
                let (key, value) = entry;
                let pure = self.is_pure(key) && value.is_none_or(|value| self.is_pure(value));
                let gathered = self.under(when, pure, |emitter| {
                    let key = emitter.expr(key);
                    match value {
                        Some(value) => {
                            let value = emitter.expr(value);
                            emitter.give(|dst| Op::Make { dst, tag: 0, fields: [key, value].into() })
                        }
                        None => {
                            let unit = emitter.constant(Value::UNIT);
                            emitter.give(|dst| Op::Make { dst, tag: 0, fields: [key, unit].into() })
                        }
                    }
                });
                let key = self.give(|dst| Op::Field { dst, src: gathered, tag: 0, index: 0 });
                let value = self.give(|dst| Op::Field { dst, src: gathered, tag: 0, index: 1 });
                self.emit(Op::Gather { dst, key, value, when });
            }
            [Clause::For { binder, over }, rest @ ..] => {
                let open = self.open_loop(binder, over);
                self.context.chooses_for_elements |= self.is_unordered(over) && !self.is_pure_for_each(entry, rest);
                let presence = Operand::Register(open.presence);
                let when = self.give(|dst| Op::Binary { dst, op: Binary::And, a: when, b: presence });
                let mut skip = Label::default();
                self.emit_to(&mut skip, Op::Unless { cond: when, to: 0 });
                self.map_clauses(dst, entry, rest, when);
                self.place(skip);
                self.close_loop(open);
            }
            [Clause::If(condition), rest @ ..] => {
                let cond = self.under(when, self.is_pure(condition), |emitter| emitter.expr(condition));
                let when = self.give(|dst| Op::Binary { dst, op: Binary::And, a: when, b: cond });
                let mut skip = Label::default();
                self.emit_to(&mut skip, Op::Unless { cond: when, to: 0 });
                self.map_clauses(dst, entry, rest, when);
                self.place(skip);
            }
        }
    }

    /// Evaluates something where a condition holds; what is pure needs no arm of its own.
    fn under(&mut self, when: Operand, pure: bool, evaluate: impl FnOnce(&mut Self) -> Operand) -> Operand {
        if pure || matches!(when, Operand::Constant(_)) {
            return evaluate(self);
        }
        let arm = self.open_arm(when, evaluate);
        let nothing = self.constant(Value::Absent);
        self.close_arms(vec![arm], nothing)
    }

    /// `any x in e: p` and `all x in e: p`; `all` is `any` of the opposite, negated.
    pub(super) fn quantified(&mut self, quantifier: Quantifier, binder: &Pattern, over: &Expr, body: &Expr) -> Operand {
        if let ExprKind::List(elements) = &unparenthesized(over).kind
            && self.is_optimized()
            && is_written_out(elements, body)
        {
            return self.one_by_one(quantifier, binder, elements, body);
        }
        if self.is_pure(body) {
            return self.quantified_at_once(quantifier, binder, over, body);
        }
        self.quantified_in_order(quantifier, binder, over, body)
    }

    /// A quantifier whose body is defined for every element: it may be evaluated for more of them than is needed.
    fn quantified_at_once(&mut self, quantifier: Quantifier, binder: &Pattern, over: &Expr, body: &Expr) -> Operand {
        let found = self.nothing_found();
        let open = self.open_loop(binder, over);
        let mut skip = Label::default();
        let presence = Operand::Register(open.presence);
        self.emit_to(&mut skip, Op::Unless { cond: presence, to: 0 });
        let holds = self.decisive(quantifier, body);
        self.note_found(found, presence, holds);
        // Once an element is known to decide, the rest is not looked at.
        let a = Operand::Register(found);
        let open_still = self.give(|dst| Op::Unary { dst, op: Unary::Not, a });
        let mut decided = Label::default();
        self.emit_to(&mut decided, Op::Unless { cond: open_still, to: 0 });
        self.place(skip);
        self.close_loop(open);
        self.place(decided);
        self.outcome(quantifier, found)
    }

    /// A quantifier whose body may be a fault: it is evaluated up to the first element that decides, on the
    /// condition that none before it did. Where the elements are in no known order it is evaluated for all of them
    /// ([`Op::IterateInOrder`]).
    fn quantified_in_order(&mut self, quantifier: Quantifier, binder: &Pattern, over: &Expr, body: &Expr) -> Operand {
        let found = self.nothing_found();
        let ordered = self.register();
        let open = self.open_ordered_loop(binder, over, ordered);
        let [a, b, presence] = [found, ordered, open.presence].map(Operand::Register);
        let enough = self.give(|dst| Op::Binary { dst, op: Binary::And, a, b });
        let needed = self.give(|dst| Op::Unary { dst, op: Unary::Not, a: enough });
        let mut decided = Label::default();
        self.emit_to(&mut decided, Op::Unless { cond: needed, to: 0 });
        let when = self.give(|dst| Op::Binary { dst, op: Binary::And, a: presence, b: needed });
        self.emit(Op::Unless { cond: when, to: open.again });
        let holds = self.under(when, false, |emitter| emitter.decisive(quantifier, body));
        self.note_found(found, when, holds);
        self.close_loop(open);
        self.place(decided);
        self.outcome(quantifier, found)
    }

    /// A register for whether an element was found that decides.
    fn nothing_found(&mut self) -> Register {
        let no = self.constant(Value::from(false));
        let found = self.register();
        self.emit(Op::Copy { dst: found, src: no });
        found
    }

    /// Emits the condition under which the body of a quantifier decides it: it holds for `any`, and does not for `all`.
    fn decisive(&mut self, quantifier: Quantifier, body: &Expr) -> Operand {
        let a = self.expr(body);
        match quantifier {
            Quantifier::Any => a,
            Quantifier::All => self.give(|dst| Op::Unary { dst, op: Unary::Not, a }),
        }
    }

    fn note_found(&mut self, found: Register, when: Operand, holds: Operand) {
        let b = self.give(|dst| Op::Binary { dst, op: Binary::And, a: when, b: holds });
        self.emit(Op::Binary { dst: found, op: Binary::Or, a: Operand::Register(found), b });
    }

    fn outcome(&mut self, quantifier: Quantifier, found: Register) -> Operand {
        let a = Operand::Register(found);
        match quantifier {
            Quantifier::Any => a,
            Quantifier::All => self.give(|dst| Op::Unary { dst, op: Unary::Not, a }),
        }
    }

    /// Emits a quantifier over a few literals without a loop: the body once for each of them.
    fn one_by_one(&mut self, quantifier: Quantifier, binder: &Pattern, elements: &[Expr], body: &Expr) -> Operand {
        let dst = self.register();
        let so_far = Operand::Register(dst);
        let mut decided = Label::default();
        for (at, element) in elements.iter().enumerate() {
            let element = self.expr(element);
            self.bind_or_fault(binder, element);
            let body = self.expr(body);
            let here = match quantifier {
                Quantifier::Any => body,
                Quantifier::All => self.give(|dst| Op::Unary { dst, op: Unary::Not, a: body }),
            };
            if at > 0 {
                self.emit(Op::Binary { dst, op: Binary::Or, a: so_far, b: here });
            } else {
                self.emit(Op::Copy { dst, src: here });
            }
            if at + 1 < elements.len() {
                let open = self.give(|dst| Op::Unary { dst, op: Unary::Not, a: so_far });
                self.emit_to(&mut decided, Op::Unless { cond: open, to: 0 });
            }
        }
        self.place(decided);
        match quantifier {
            Quantifier::Any => so_far,
            Quantifier::All => self.give(|dst| Op::Unary { dst, op: Unary::Not, a: so_far }),
        }
    }
}

/// Tests whether elements are a few literals, and a body has no loop in it, so that it may stand there for each of them.
fn is_written_out(elements: &[Expr], body: &Expr) -> bool {
    let literal = |element: &Expr| matches!(element.kind, ExprKind::Int(_) | ExprKind::Text(_) | ExprKind::Bool(_));
    (1..=WRITTEN_OUT).contains(&elements.len()) && elements.iter().all(literal) && is_plain(body)
}

/// Tests whether an expression is made of operations on literals and names.
fn is_plain(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Text(_) | ExprKind::Bool(_) | ExprKind::Name(_) => true,
        ExprKind::Paren(inner) | ExprKind::Unary(_, inner) | ExprKind::Field(inner, _) => is_plain(inner),
        ExprKind::Binary(_, a, b) => is_plain(a) && is_plain(b),
        ExprKind::Method { receiver, args, .. } => is_plain(receiver) && args.iter().all(is_plain),
        _ => false,
    }
}
