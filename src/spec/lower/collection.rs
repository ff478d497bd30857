//! Lowering of literals and comprehensions of lists, sets and maps, and of quantifiers: loops over a cursor.

use super::emit::{Emitter, JumpTarget};
use super::pattern::bind_or_fault;
use super::pure::{is_plain, is_pure, unparenthesized};
use crate::spec::check::Res;
use crate::spec::code::{Binary, Op, Operand, Pc, Register, Unary};
use crate::spec::types::Type;
use crate::syntax::ast::{Clause, Expr, ExprKind, GatheredKind, GatheredPart, Name, Pattern, PatternKind, Quantifier};
use crate::value::{Map, Value};

/// A quantifier over at most this many literals is unrolled; over more it is a loop.
const WRITTEN_OUT: usize = 8;

/// A loop that is being emitted.
pub(super) struct Loop {
    again: Pc,
    done: JumpTarget,
    /// The register with the presence of the current element.
    presence: Register,
    /// The set or map, if it is one.
    over: Option<Operand>,
}

pub(super) fn set_literal(e: &mut Emitter, elements: &[Expr]) -> Operand {
    let mut map = e.constant(Value::Map(Map::default()));
    let value = e.constant(Value::UNIT);
    for element in elements {
        let key = e.expr(element);
        let old = map;
        map = e.give(|dst| Op::Insert { dst, map: old, key, value });
    }
    map
}

pub(super) fn map_literal(e: &mut Emitter, entries: &[(Expr, Expr)]) -> Operand {
    let mut map = e.constant(Value::Map(Map::default()));
    for (key, value) in entries {
        let (key, value) = (e.expr(key), e.expr(value));
        let old = map;
        map = e.give(|dst| Op::Insert { dst, map: old, key, value });
    }
    map
}

/// Opens a loop over a collection or range, and binds each element; for a map, each key with its value.
fn open_loop(e: &mut Emitter, binder: &Pattern, over: &Expr) -> Loop {
    open_loop_with(e, binder, over, |dst, over| Op::Iterate { dst, over })
}

/// Opens a loop in which the order of the elements matters: a set or map is sorted first.
pub(super) fn open_sorted_loop(e: &mut Emitter, binder: &Pattern, over: &Expr) -> Loop {
    let sort = match e.kind(e.type_of(over.id)) {
        Type::Set(_) => Unary::ToList,
        Type::Map(..) => Unary::Entries,
        _ => return open_loop(e, binder, over),
    };
    let collection = e.expr(over);
    e.counts(e.type_of(over.id));
    let sorted = e.give(|dst| Op::Unary { dst, op: sort, a: collection });
    let cursor = e.register();
    e.emit(Op::Iterate { dst: cursor, over: sorted });
    next_element(e, binder, cursor, None)
}

/// Opens a loop over a collection or range in which the order of the elements matters, and binds each element. While the loop runs,
/// the register `ordered` holds whether the order is known.
fn open_ordered_loop(e: &mut Emitter, binder: &Pattern, over: &Expr, ordered: Register) -> Loop {
    let known = e.constant(Value::from(true));
    if is_unordered(e, over) {
        return open_loop_with(e, binder, over, |dst, over| Op::IterateInOrder { dst, over, ordered });
    }
    e.emit(Op::Copy { dst: ordered, src: known });
    open_loop(e, binder, over)
}

fn open_loop_with(
    e: &mut Emitter,
    binder: &Pattern,
    over: &Expr,
    iterate: impl FnOnce(Register, Operand) -> Op,
) -> Loop {
    let cursor = e.register();
    let (mut map, mut members) = (None, None);
    if let ExprKind::Range(from, to) = &unparenthesized(over).kind {
        let (from, to) = (e.expr(from), e.expr(to));
        e.emit(Op::IterateRange { dst: cursor, from, to });
    } else {
        let collection = e.expr(over);
        e.counts(e.type_of(over.id));
        e.emit(iterate(cursor, collection));
        let kind = e.kind(e.type_of(over.id));
        map = matches!(kind, Type::Map(..)).then_some(collection);
        members = matches!(kind, Type::Map(..) | Type::Set(_)).then_some(collection);
    }
    Loop { over: members, ..next_element(e, binder, cursor, map) }
}

/// Emits the next element of a cursor, and binds it. The elements of a map are its keys, which are bound with their values.
fn next_element(e: &mut Emitter, binder: &Pattern, cursor: Register, map: Option<Operand>) -> Loop {
    let (element, presence) = (e.register(), e.register());
    let again = e.here();
    let mut done = JumpTarget::default();
    e.emit_to(&mut done, Op::Next { cursor, element, presence, done: 0 });
    let element = Operand::Register(element);
    let element = map.map_or(element, |map| entry_of(e, map, element));
    bind_or_fault(e, binder, element);
    Loop { again, done, presence, over: None }
}

/// Emits a key of a map with its value, as a pair.
fn entry_of(e: &mut Emitter, map: Operand, key: Operand) -> Operand {
    let there = e.register();
    let value = e.give(|dst| Op::Find { dst, there, map, key });
    e.give(|dst| Op::Make { dst, tag: 0, fields: [key, value].into() })
}

pub(super) fn close_loop(e: &mut Emitter, open: Loop) {
    e.emit(Op::Jump { to: open.again });
    e.place(open.done);
}

pub(super) fn list_comprehension(e: &mut Emitter, element: &Expr, clauses: &[Clause]) -> Operand {
    let empty = e.constant(Value::list([]));
    let dst = e.register();
    e.emit(Op::Copy { dst, src: empty });
    let always = e.constant(Value::from(true));
    list_clauses(e, dst, element, clauses, always);
    Operand::Register(dst)
}

/// Emits a literal some of whose parts have clauses.
pub(super) fn gathered(e: &mut Emitter, of: GatheredKind, parts: &[GatheredPart]) -> Operand {
    let empty = if of == GatheredKind::List { Value::list([]) } else { Value::Map(Map::default()) };
    let empty = e.constant(empty);
    let dst = e.register();
    e.emit(Op::Copy { dst, src: empty });
    let always = e.constant(Value::from(true));
    for GatheredPart { element, value, clauses } in parts {
        match of {
            GatheredKind::List => list_clauses(e, dst, element, clauses, always),
            GatheredKind::Set | GatheredKind::Map => {
                map_clauses(e, GatheredEntry { dst, key: element, value: value.as_ref(), from: None }, clauses, always);
            }
        }
    }
    Operand::Register(dst)
}

/// Emits the clauses of a list comprehension. Filters fork if they are open. An optional element gives an optional one, if the rest of
/// the loop is pure; else its presence forks, as that of an element of a set does.
fn list_clauses(e: &mut Emitter, dst: Register, element: &Expr, clauses: &[Clause], when: Operand) {
    match clauses {
        [] => {
            let src = e.expr(element);
            e.emit(Op::Push { dst, src, when });
        }
        [Clause::For { binder, over }, rest @ ..] => {
            let open = open_sorted_loop(e, binder, over);
            let when = if keeps_presence(e, over, element, rest) {
                where_there(e, &open, when)
            } else {
                skip_absent(e, &open);
                when
            };
            list_clauses(e, dst, element, rest, when);
            close_loop(e, open);
        }
        [Clause::If(condition), rest @ ..] => {
            let mut skip = JumpTarget::default();
            let cond = e.expr(condition);
            e.emit_to(&mut skip, Op::Branch { cond, otherwise: 0 });
            list_clauses(e, dst, element, rest, when);
            e.place(skip);
        }
    }
}

/// Tests whether a loop is over a list and pure for each element, so that the presence of the elements need not fork.
fn keeps_presence(e: &Emitter, over: &Expr, element: &Expr, clauses: &[Clause]) -> bool {
    let is_list = matches!(e.kind(e.type_of(over.id)), Type::List(_));
    is_list && is_pure_for_each(e, (element, None), clauses)
}

/// Tests whether a loop is pure for each element.
fn is_pure_for_each(e: &Emitter, (key, value): (&Expr, Option<&Expr>), clauses: &[Clause]) -> bool {
    let pure = |clause: &Clause| match clause {
        Clause::For { over, .. } => is_pure(e, over),
        Clause::If(condition) => is_pure(e, condition),
    };
    is_pure(e, key) && value.is_none_or(|value| is_pure(e, value)) && clauses.iter().all(pure)
}

/// Tests whether a collection has no order of its own: it is a set or a map.
fn is_unordered(e: &Emitter, over: &Expr) -> bool {
    matches!(e.kind(e.type_of(over.id)), Type::Set(_) | Type::Map(..))
}

/// Emits a jump to the next element if this one is certainly missing; returns its presence, with the condition `when` of the loops
/// around.
fn where_there(e: &mut Emitter, open: &Loop, when: Operand) -> Operand {
    let presence = Operand::Register(open.presence);
    e.emit(Op::Unless { cond: presence, to: open.again });
    if let Operand::Constant(_) = when {
        return presence;
    }
    e.give(|dst| Op::Binary { dst, op: Binary::And, a: when, b: presence })
}

/// Emits a fork on the presence of an element: if it is missing, the loop goes on with the next one.
pub(super) fn skip_absent(e: &mut Emitter, open: &Loop) {
    e.emit(Op::Branch { cond: Operand::Register(open.presence), otherwise: open.again });
}

/// Emits the comprehension of a set (`value` is `None`) or map: elements are joined under their conditions.
pub(super) fn map_comprehension(e: &mut Emitter, key: &Expr, value: Option<&Expr>, clauses: &[Clause]) -> Operand {
    let empty = e.constant(Value::Map(Map::default()));
    let dst = e.register();
    e.emit(Op::Copy { dst, src: empty });
    let always = e.constant(Value::from(true));
    let nothing = e.constant(Value::UNIT);
    let is_loop = |clause: &&Clause| matches!(clause, Clause::For { .. });
    let from = (clauses.iter().filter(is_loop).count() == 1).then_some(nothing);
    map_clauses(e, GatheredEntry { dst, key, value, from }, clauses, always);
    Operand::Register(dst)
}

/// The entries that the clauses of a comprehension gather.
#[derive(Clone, Copy)]
struct GatheredEntry<'a> {
    dst: Register,
    key: &'a Expr,
    /// The value; the entry is that of an element of a set without one.
    value: Option<&'a Expr>,
    /// The set or map whose members are the keys, if its loop is the only one: a unit before that loop, and if they are others.
    from: Option<Operand>,
}

/// Tests whether an expression is the element of a set, or the key of a map, that a loop binds.
fn is_member(e: &Emitter, key: &Expr, binder: &Pattern) -> bool {
    let bound = match &binder.kind {
        PatternKind::Tuple(parts) => parts.first(),
        _ => Some(binder),
    };
    let (Some(Pattern { kind: PatternKind::Name(bound), .. }), ExprKind::Name(name)) =
        (bound, &unparenthesized(key).kind)
    else {
        return false;
    };
    let resolution = |name: &Name| e.context.checked.tables.resolution(name.id);
    matches!((resolution(bound), resolution(name)), (Some(Res::Local(a)), Some(Res::Local(b))) if a == b)
}

fn map_clauses(e: &mut Emitter, entry: GatheredEntry<'_>, clauses: &[Clause], when: Operand) {
    match clauses {
        [] => {
            let GatheredEntry { dst, key, value, from } = entry;
            let pure = is_pure(e, key) && value.is_none_or(|value| is_pure(e, value));
            let gathered = under(e, when, pure, |e| {
                let key = e.expr(key);
                match value {
                    Some(value) => {
                        let value = e.expr(value);
                        e.give(|dst| Op::Make { dst, tag: 0, fields: [key, value].into() })
                    }
                    None => {
                        let unit = e.constant(Value::UNIT);
                        e.give(|dst| Op::Make { dst, tag: 0, fields: [key, unit].into() })
                    }
                }
            });
            let key = e.give(|dst| Op::Field { dst, src: gathered, tag: 0, index: 0 });
            let value = e.give(|dst| Op::Field { dst, src: gathered, tag: 0, index: 1 });
            let from = from.unwrap_or_else(|| e.constant(Value::UNIT));
            e.emit(Op::Gather { dst, key, value, when, from });
        }
        [Clause::For { binder, over }, rest @ ..] => {
            let mut outside = JumpTarget::default();
            if !is_pure(e, over) && !matches!(when, Operand::Constant(_)) {
                // The collection may be faulty if the element of the outer loop is missing.
                e.emit_to(&mut outside, Op::Branch { cond: when, otherwise: 0 });
            }
            let open = open_loop(e, binder, over);
            e.context.chooses_for_elements |=
                is_unordered(e, over) && !is_pure_for_each(e, (entry.key, entry.value), rest);
            let presence = Operand::Register(open.presence);
            let when = e.give(|dst| Op::Binary { dst, op: Binary::And, a: when, b: presence });
            let mut skip = JumpTarget::default();
            e.emit_to(&mut skip, Op::Unless { cond: when, to: 0 });
            let over = open.over.filter(|_| entry.from.is_some() && is_member(e, entry.key, binder));
            map_clauses(e, GatheredEntry { from: over.or(entry.from), ..entry }, rest, when);
            e.place(skip);
            close_loop(e, open);
            e.place(outside);
        }
        [Clause::If(condition), rest @ ..] => {
            let cond = under(e, when, is_pure(e, condition), |e| e.expr(condition));
            let when = e.give(|dst| Op::Binary { dst, op: Binary::And, a: when, b: cond });
            let mut skip = JumpTarget::default();
            e.emit_to(&mut skip, Op::Unless { cond: when, to: 0 });
            map_clauses(e, entry, rest, when);
            e.place(skip);
        }
    }
}

/// Emits an evaluation under a condition; a pure one needs no arm of its own.
fn under(e: &mut Emitter, when: Operand, pure: bool, evaluate: impl FnOnce(&mut Emitter) -> Operand) -> Operand {
    if pure || matches!(when, Operand::Constant(_)) {
        return evaluate(e);
    }
    let arm = e.open_arm(when, evaluate);
    let nothing = e.constant(Value::Absent);
    e.close_arms(vec![arm], nothing)
}

/// Emits `any x in e: p` or `all x in e: p`; `all` is the negation of `any` with the opposite body.
pub(super) fn quantified(
    e: &mut Emitter,
    quantifier: Quantifier,
    binder: &Pattern,
    over: &Expr,
    body: &Expr,
) -> Operand {
    let mut decisive = |e: &mut Emitter| {
        let holds = e.expr(body);
        toward(e, quantifier, holds)
    };
    let found = match &unparenthesized(over).kind {
        ExprKind::List(elements) if e.is_optimized() && is_written_out(elements, body) => {
            one_by_one(e, binder, elements, &mut decisive)
        }
        _ if is_pure(e, body) => quantified_at_once(e, binder, over, &mut decisive),
        _ => quantified_in_order(e, binder, over, &mut decisive),
    };
    toward(e, quantifier, Operand::Register(found))
}

/// Emits the condition that decides a quantifier: the body of `any`, or the opposite of the body of `all`.
fn toward(e: &mut Emitter, quantifier: Quantifier, a: Operand) -> Operand {
    match quantifier {
        Quantifier::Any => a,
        Quantifier::All => e.give(|dst| Op::Unary { dst, op: Unary::Not, a }),
    }
}

/// A function that emits the condition under which an element decides a quantifier.
type Decisive<'d> = &'d mut dyn FnMut(&mut Emitter) -> Operand;

/// Emits a quantifier whose body is pure: it may be evaluated for more elements than necessary.
fn quantified_at_once(e: &mut Emitter, binder: &Pattern, over: &Expr, decisive: Decisive<'_>) -> Register {
    let found = nothing_found(e);
    let open = open_loop(e, binder, over);
    let mut skip = JumpTarget::default();
    let presence = Operand::Register(open.presence);
    e.emit_to(&mut skip, Op::Unless { cond: presence, to: 0 });
    let holds = decisive(e);
    note_found(e, found, presence, holds);
    // Once an element is known to decide, the loop ends.
    let a = Operand::Register(found);
    let open_still = e.give(|dst| Op::Unary { dst, op: Unary::Not, a });
    let mut decided = JumpTarget::default();
    e.emit_to(&mut decided, Op::Unless { cond: open_still, to: 0 });
    e.place(skip);
    close_loop(e, open);
    e.place(decided);
    found
}

/// Emits a quantifier whose body may be faulty: it is evaluated up to the first element that decides, each time under the condition
/// that no earlier element did. If the order of the elements is not known it is evaluated for all of them ([`Op::IterateInOrder`]).
fn quantified_in_order(e: &mut Emitter, binder: &Pattern, over: &Expr, decisive: Decisive<'_>) -> Register {
    let found = nothing_found(e);
    let ordered = e.register();
    let open = open_ordered_loop(e, binder, over, ordered);
    let [a, b, presence] = [found, ordered, open.presence].map(Operand::Register);
    let enough = e.give(|dst| Op::Binary { dst, op: Binary::And, a, b });
    let needed = e.give(|dst| Op::Unary { dst, op: Unary::Not, a: enough });
    let mut decided = JumpTarget::default();
    e.emit_to(&mut decided, Op::Unless { cond: needed, to: 0 });
    let when = e.give(|dst| Op::Binary { dst, op: Binary::And, a: presence, b: needed });
    e.emit(Op::Unless { cond: when, to: open.again });
    let holds = under(e, when, false, decisive);
    note_found(e, found, when, holds);
    close_loop(e, open);
    e.place(decided);
    found
}

/// Emits the register that says whether an element was found that decides; it begins as false.
fn nothing_found(e: &mut Emitter) -> Register {
    let no = e.constant(Value::from(false));
    let found = e.register();
    e.emit(Op::Copy { dst: found, src: no });
    found
}

fn note_found(e: &mut Emitter, found: Register, when: Operand, holds: Operand) {
    let b = e.give(|dst| Op::Binary { dst, op: Binary::And, a: when, b: holds });
    e.emit(Op::Binary { dst: found, op: Binary::Or, a: Operand::Register(found), b });
}

/// Emits an unrolled quantifier over a few literals: the body once for each of them.
fn one_by_one(e: &mut Emitter, binder: &Pattern, elements: &[Expr], decisive: Decisive<'_>) -> Register {
    let dst = e.register();
    let so_far = Operand::Register(dst);
    let mut decided = JumpTarget::default();
    for (at, element) in elements.iter().enumerate() {
        let element = e.expr(element);
        bind_or_fault(e, binder, element);
        let here = decisive(e);
        if at > 0 {
            e.emit(Op::Binary { dst, op: Binary::Or, a: so_far, b: here });
        } else {
            e.emit(Op::Copy { dst, src: here });
        }
        if at + 1 < elements.len() {
            let open = e.give(|dst| Op::Unary { dst, op: Unary::Not, a: so_far });
            e.emit_to(&mut decided, Op::Unless { cond: open, to: 0 });
        }
    }
    e.place(decided);
    dst
}

/// Tests whether a quantifier may be unrolled: its elements are a few literals, and its body has no loop.
fn is_written_out(elements: &[Expr], body: &Expr) -> bool {
    let literal = |element: &Expr| matches!(element.kind, ExprKind::Int(_) | ExprKind::Text(_) | ExprKind::Bool(_));
    (1..=WRITTEN_OUT).contains(&elements.len()) && elements.iter().all(literal) && is_plain(body)
}
