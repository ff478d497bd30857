//! Instructions on lists, and loops: cursors over collections, and collections that loops build.
//!
//! For example `log := log + [x]` appends to a list in its slot in place, unless it is shared.

use std::sync::Arc;

use super::effects;
use super::evaluate::{self, Evaluated, Executed, Obstacle};
use super::operands::At;
use crate::process::task::Task;
use crate::process::{Limit, Process};
use crate::scalar::{Int, Scalar};
use crate::spec::code::{Binary, FaultKind, Function, Op, Operand, Pc, Register};
use crate::value::{self, Ask, Entry, LENGTH_LIMIT, ListItems, OpenItem, Presence, Reach, Truth, Value};

/// At most this many elements are appended, or taken off, one by one.
pub(crate) const SHORT: usize = 32;
/// The tag of a cursor over a range, with the next integer and the one after the last.
pub(crate) const RANGE: u32 = 1;
/// The tag of a cursor over a set whose elements come in no known order, in a loop that depends on the order.
const DISORDERED: u32 = 3;
/// The tag of a cursor over a list of known length, with the list and the position in it.
const LISTED: u32 = 2;
/// The tag of a cursor over an open list, with the elements left: a stretch of unknown length is looked at when the loop comes to it.
const OPEN: u32 = 4;

pub(crate) fn replace(
    process: &mut Process,
    at: At<'_>,
    dst: Register,
    [list, place, value]: [Operand; 3],
) -> Result<Executed, Obstacle> {
    let [list, place, value] = [list, place, value].map(|operand| at.read(process, operand));
    value::index(list, place)?;
    let (inside, replaced) = match list {
        Value::List(elements) => {
            let mut replaced = Vec::with_capacity(elements.len());
            for (position, old) in elements.iter().enumerate() {
                let here = value::equal(place, &Value::from(position as i64))?.term();
                replaced.push(if here.as_bool() == Some(false) {
                    old.clone()
                } else {
                    value::merge(&here, value.clone(), old.clone())
                });
            }
            (value::element(elements, place).0, Value::list(replaced))
        }
        // The position is known and that of a certain element, or out of range: otherwise `index` had something to decide first.
        Value::Open(items) => {
            let position = place.as_int().and_then(Int::to_i64).and_then(|at| usize::try_from(at).ok());
            let position = position.filter(|at| *at < items.len());
            let replaced = |at| Value::sequence(items.update(at, OpenItem::One(value.clone())));
            (Truth::Known(position.is_some()), position.map_or_else(|| list.clone(), replaced))
        }
        Value::Union(alternatives) => return Err(Obstacle::Decide(alternatives[0].0.clone())),
        _ => return process.task.keep(dst, Ok(Value::Absent)),
    };
    effects::partial(&mut process.task, at, (dst, FaultKind::OutOfRange), (inside, replaced))
}

/// A known position for a symbolic one, by decisions: one of `0..=length`, or -1 for any that is out of range.
pub(crate) fn position(task: &Task, at: &Value, length: usize) -> Evaluated {
    if at.is_known() {
        return Ok(at.clone());
    }
    for position in 0..=length as i64 {
        if task.asked(&value::equal(at, &Value::from(position))?.term())? {
            return Ok(Value::from(position));
        }
    }
    Ok(Value::from(-1))
}

/// Adds a short list or set to one in its slot in place, and skips the next instruction, the store. Other sums go to a register, which
/// the next instruction stores.
pub(crate) fn append(
    process: &mut Process,
    at: At<'_>,
    dst: Register,
    slot: u32,
    src: Operand,
) -> Result<Executed, Obstacle> {
    let more = at.read(process, src).clone();
    is_within_limit(&process.memory[slot as usize])?;
    if add_in_place(&mut process.memory[slot as usize], &more) {
        process.task.stored.insert(slot);
        return process.task.goto(at.frame.pc + 2);
    }
    let sum = evaluate::binary(Binary::Add, &process.memory[slot as usize], &more);
    process.task.keep(dst, sum)
}

/// Checks that a collection may grow.
fn is_within_limit(collection: &Value) -> Result<(), Obstacle> {
    if value::extent(collection) < LENGTH_LIMIT { Ok(()) } else { Err(Obstacle::Limit(Limit::Extent)) }
}

/// Appends one element to a list in its slot in place, and skips the next instruction, the store. If the slot has no list, the sum goes
/// to a register, which the next instruction stores.
pub(crate) fn append_one(
    process: &mut Process,
    at: At<'_>,
    dst: Register,
    slot: u32,
    element: Operand,
) -> Result<Executed, Obstacle> {
    let element = at.read(process, element).clone();
    is_within_limit(&process.memory[slot as usize])?;
    if value::append_in_place(&mut process.memory[slot as usize], element.clone()) {
        process.task.stored.insert(slot);
        return process.task.goto(at.frame.pc + 2);
    }
    let sum = evaluate::binary(Binary::Add, &process.memory[slot as usize], &Value::list([element]));
    process.task.keep(dst, sum)
}

/// Removes the first elements of a list in its slot.
pub(crate) fn drop_first(process: &mut Process, slot: u32, count: usize) -> Result<Executed, Obstacle> {
    let list = &mut process.memory[slot as usize];
    evaluate::places(list, count)?;
    match list {
        Value::List(own) if count <= SHORT.min(own.len()) => drop_first_in_place(own, count),
        Value::Open(own) if count <= SHORT.min(own.len()) => {
            let mut own = std::mem::take(own);
            drop_first_in_place(&mut own, count);
            *list = Value::sequence(Arc::unwrap_or_clone(own));
        }
        list => *list = evaluate::tail(list, count),
    }
    process.task.stored.insert(slot);
    Ok(Executed::Following)
}

/// Adds an element to the list that a loop builds, with its presence.
pub(crate) fn push(
    process: &mut Process,
    at: At<'_>,
    dst: Register,
    [src, when]: [Operand; 2],
) -> Result<Executed, Obstacle> {
    let here = at.read(process, when).truth();
    if let Some(item) = OpenItem::under(here, at.read(process, src).clone()) {
        value::append_item_in_place(&mut process.task.registers[at.index(dst)], item);
    }
    Ok(Executed::Following)
}

/// Adds an entry to the map that a loop builds, if a condition holds.
pub(crate) fn gather(
    process: &mut Process,
    at: At<'_>,
    dst: Register,
    [key, value, when, from]: [Operand; 4],
) -> Result<Executed, Obstacle> {
    let is_member = matches!(at.read(process, from), Value::Map(from) if from.has_apart(at.read(process, key)));
    let [key, value, when] = [key, value, when].map(|operand| at.read(process, operand).clone());
    if matches!(key, Value::Absent) {
        return Ok(Executed::Following);
    }
    let Value::Map(map) = &mut process.task.registers[at.index(dst)] else { return Ok(Executed::Following) };
    let here = when.truth_or_absent();
    if is_member && map.add_apart(&key, &here, &value) {
        return Ok(Executed::Following);
    }
    if here.is_true() && !matches!(key, Value::Union(_)) {
        map.set_in_place(&key, Some(Entry::always(value)));
        return Ok(Executed::Following);
    }
    let gathered = match Presence::of(here.clone()) {
        None => return Ok(Executed::Following),
        Some(Presence::Always) => map.set(&key, Some(Entry::always(value)))?,
        Some(presence) => {
            let (there, old) = map.get(&key)?;
            let condition = here.clone().term();
            let joined = value::merge(&condition, value, old);
            let presence = Presence::of(there.or(here)).unwrap_or(presence);
            map.set(&key, Some(Entry { presence, value: joined }))?
        }
    };
    process.task.keep(dst, Ok(Value::Map(gathered)))
}

/// Takes the next element from a cursor, with its presence; the loop ends if none is left.
pub(crate) fn next(task: &mut Task, registers: [Register; 3], done: Pc) -> Result<Executed, Obstacle> {
    let [cursor, element, presence] = registers.map(|register| (task.frame.base + register) as usize);
    let at = std::mem::replace(&mut task.registers[cursor], Value::Absent);
    let Some([after, head, there]) = moved_on(task, cursor, at)? else { return task.goto(done) };
    task.registers[presence] = there;
    task.registers[element] = head;
    task.registers[cursor] = after;
    Ok(Executed::Following)
}

/// The cursor after its next element, the element, and its presence; nothing if no element is left.
fn moved_on(task: &mut Task, cursor: usize, at: Value) -> Result<Option<[Value; 3]>, Obstacle> {
    let taken = |list: &mut Arc<im::Vector<Value>>| {
        Arc::make_mut(list).pop_front().map(|head| [head.field(0, 1), head.field(0, 0)])
    };
    Ok(match at {
        Value::List(mut rest) => taken(&mut rest).map(|[head, there]| [Value::List(rest), head, there]),
        Value::Data { tag: LISTED, fields: Some(mut rest), depth } => {
            let [Value::List(list), Value::Scalar(Scalar::Int(at))] = &mut Arc::make_mut(&mut rest)[..] else {
                return Ok(None);
            };
            let Some(head) = at.to_i64().and_then(|at| list.get(at as usize)).cloned() else { return Ok(None) };
            *at = at.add(&Int::ONE);
            Some([Value::Data { tag: LISTED, fields: Some(rest), depth }, head, true.into()])
        }
        Value::Data { tag: DISORDERED, fields: Some(mut rest), depth } => {
            let Value::List(elements) = &mut Arc::make_mut(&mut rest)[0] else { return Ok(None) };
            let found = taken(elements);
            task.disordered -= u32::from(found.is_none());
            found.map(|[head, there]| [Value::Data { tag: DISORDERED, fields: Some(rest), depth }, head, there])
        }
        Value::Data { tag: OPEN, fields: Some(mut rest), depth } => {
            let Some(first) = ListItems::of(&rest[0]).and_then(|list| list.iter().next()) else { return Ok(None) };
            let Some((there, element)) = first.element() else {
                let unseen = first.rest().cloned();
                task.registers[cursor] = Value::Data { tag: OPEN, fields: Some(rest), depth };
                return unseen.map_or(Ok(None), |rest| Err(Obstacle::Ask(Ask::Item(rest, Reach::Unbounded))));
            };
            let (there, element) = (there.into(), element.clone());
            match &mut Arc::make_mut(&mut rest)[0] {
                Value::List(list) => drop_first_in_place(list, 1),
                Value::Open(list) => drop_first_in_place(list, 1),
                _ => {}
            }
            Some([Value::Data { tag: OPEN, fields: Some(rest), depth }, element, there])
        }
        Value::Data { fields: Some(bounds), .. } => {
            let is_inside = match value::less(&bounds[0], &bounds[1]) {
                Truth::Known(holds) => holds,
                Truth::Term(open) => match task.decided(&open) {
                    Some(holds) => holds,
                    None => {
                        task.registers[cursor] = Value::data(RANGE, bounds);
                        return Err(Obstacle::Decide(open));
                    }
                },
            };
            if !is_inside {
                return Ok(None);
            }
            let following = value::add(&bounds[0], &Value::from(1))?;
            Some([Value::data(RANGE, [following, bounds[1].clone()]), bounds[0].clone(), true.into()])
        }
        _ => None,
    })
}

/// Appends an element to a list.
pub(crate) fn append_in_place(list: &mut Arc<im::Vector<Value>>, element: Value) {
    Arc::make_mut(list).push_back(element);
}

/// Removes the first elements of a list that has at least as many.
pub(crate) fn drop_first_in_place<T: Clone>(list: &mut Arc<im::Vector<T>>, count: usize) {
    let list = Arc::make_mut(list);
    (0..count).for_each(|_| drop(list.pop_front()));
}

/// Adds a short collection to a list or a set in place; returns whether it did.
fn add_in_place(collection: &mut Value, more: &Value) -> bool {
    match (collection, more) {
        (Value::List(list), Value::List(more)) if more.len() <= SHORT => {
            Arc::make_mut(list).extend(more.iter().cloned());
            true
        }
        (list @ Value::Open(_), Value::List(more)) if more.len() <= SHORT => {
            more.iter().all(|element| value::append_in_place(list, element.clone()))
        }
        (list @ (Value::List(_) | Value::Open(_)), Value::Open(more)) if more.len() <= SHORT => {
            more.iter().all(|item| value::append_item_in_place(list, item.clone()))
        }
        (Value::Map(set), Value::Map(more)) if more.bound() <= SHORT => value::add_to_set(set, more),
        _ => false,
    }
}

/// Tests whether a loop chooses for each element, or calls a function that may: then equal elements must be visited once.
fn chooses_for_each(function: &Function, iterate: Pc) -> bool {
    let first = iterate as usize + 1;
    let Some(Op::Next { done, .. }) = function.code.get(first).map(Op::plain) else { return true };
    let chooses = |op: &Op| {
        matches!(op.plain(), Op::Choose { .. } | Op::PickElement { .. } | Op::Select { .. } | Op::Call { .. })
    };
    function.code[first..*done as usize].iter().any(chooses)
}

/// The cursor of an iteration over a collection.
pub(crate) fn iterate(over: &Value, at: At<'_>) -> Evaluated {
    if chooses_for_each(at.function, at.frame.pc) {
        value::decided_apart(over)?;
    }
    cursor(over)
}

/// Makes the cursor of a loop that depends on the order of the elements, and sets `ordered` to whether they come in that order.
pub(crate) fn in_order(
    process: &mut Process,
    at: At<'_>,
    [dst, ordered]: [Register; 2],
    over: Operand,
) -> Result<Executed, Obstacle> {
    let cursor = iterate(at.read(process, over), at)?;
    let Value::List(elements) = &cursor else { return process.task.keep(dst, Ok(cursor)) };
    let is_ordered = elements.len() < 2 || elements.iter().all(|element| element.field(0, 1).is_known());
    process.task.set(ordered, is_ordered.into());
    if is_ordered {
        return process.task.keep(dst, Ok(cursor));
    }
    process.task.disordered += 1;
    process.task.keep(dst, Ok(Value::data(DISORDERED, [cursor])))
}

/// The cursor over a list, with its position or the elements left, or over another collection: the list of the elements left, each with
/// its presence.
fn cursor(over: &Value) -> Evaluated {
    if let Value::List(_) = over {
        return Ok(Value::data(LISTED, [over.clone(), Value::from(0)]));
    }
    if let Value::Open(_) = over {
        return Ok(Value::data(OPEN, [over.clone()]));
    }
    let elements = value::elements(over)?;
    Ok(Value::list(elements.into_iter().map(|(presence, element)| {
        let here = match presence {
            Presence::Always => Value::from(true),
            Presence::Never => Value::from(false),
            Presence::When(term) => Value::Term(term),
        };
        Value::data(0, [here, element])
    })))
}
