//! Instructions that read, set and remove entries of maps.
//!
//! `m[k] := v` changes a map in its slot in place, unless it is shared. The answer `Some("a")` to `reply data.get(key)` says what
//! `data` has under the key: the section remembers the entry that it read, which is `"a"` from then on.

use super::effects;
use super::evaluate::{self, Evaluated, Executed, Obstacle};
use super::operands::At;
use crate::process::Process;
use crate::process::task::READ_OPEN;
use crate::spec::code::{Binary, FaultKind, Operand, Pc, Register};
use crate::value::{self, Entry, Truth, Value};

/// Checks that the value in a cell is no union of states of a part of the memory; an error forks on the first state.
pub(crate) fn decide_state(map: &Value, key: &Value) -> Result<(), Obstacle> {
    if let Value::Map(map) = map
        && let Some(Some(Entry { value: Value::Union(states), .. })) = map.cell(key)
        && states.is_apart()
    {
        return Err(Obstacle::Decide(states[0].0.clone()));
    }
    Ok(())
}

/// Executes `dst := collection[at]`.
pub(crate) fn index(
    process: &mut Process,
    at: At<'_>,
    dst: Register,
    [src, place]: [Operand; 2],
) -> Result<Executed, Obstacle> {
    decide_state(at.read(process, src), at.read(process, place))?;
    let (src, place) = (at.read(process, src), at.read(process, place));
    let is_list = matches!(src, Value::List(_) | Value::Open(_));
    let kind = if is_list { FaultKind::OutOfRange } else { FaultKind::MissingKey };
    let found = value::index(src, place)?;
    effects::partial(&mut process.task, at, (dst, kind), found)
}

/// Executes `dst := slot.get(key)`.
pub(crate) fn get(
    process: &mut Process,
    at: At<'_>,
    dst: Register,
    slot: u32,
    key: Operand,
) -> Result<Executed, Obstacle> {
    decide_state(&process.memory[slot as usize], at.read(process, key))?;
    let (map, under) = (&process.memory[slot as usize], at.read(process, key));
    let found = evaluate::binary(Binary::Get, map, under)?;
    if found.has_terms() {
        note_read(process, at, Operand::Slot(slot), key);
    }
    process.task.keep(dst, Ok(found))
}

/// Executes `dst := map[key]`, and sets `there` to the condition that the map has the key.
pub(crate) fn find(
    process: &mut Process,
    at: At<'_>,
    [dst, there]: [Register; 2],
    map: Operand,
    key: Operand,
) -> Result<Executed, Obstacle> {
    decide_state(at.read(process, map), at.read(process, key))?;
    let [of, under] = [map, key].map(|operand| at.read(process, operand));
    let (is_there, found) = evaluate::found(of, under)?;
    if is_there.has_terms() || found.has_terms() {
        note_read(process, at, map, key);
    }
    process.task.set(there, is_there);
    process.task.keep(dst, Ok(found))
}

/// Remembers an open entry of a variable that the section read.
fn note_read(process: &mut Process, at: At<'_>, map: Operand, key: Operand) {
    if let Operand::Slot(slot) = map
        && process.task.read_open.len() < READ_OPEN
    {
        let key = at.read(process, key).clone();
        process.task.read_open.push((slot, key));
    }
}

/// Sets an entry of a map in its slot; a map that is not shared is changed in place.
pub(crate) fn put(
    process: &mut Process,
    at: At<'_>,
    slot: u32,
    [key, value]: [Operand; 2],
) -> Result<Executed, Obstacle> {
    let entry = Entry::always(at.read(process, value).clone());
    write(process, at, slot, key, Some(entry))
}

/// Sets an entry of a map in its slot if a condition holds. If that is open, the map is the one with the entry or the one without.
pub(crate) fn put_if(
    process: &mut Process,
    at: At<'_>,
    slot: u32,
    [key, value]: [Operand; 2],
    when: Operand,
) -> Result<Executed, Obstacle> {
    let condition = match at.read(process, when).truth() {
        Truth::Known(true) => return put(process, at, slot, [key, value]),
        Truth::Known(false) => return Ok(Executed::Following),
        Truth::Term(condition) => condition,
    };
    let before = &process.memory[slot as usize];
    let after = insert([before, at.read(process, key), at.read(process, value)])?;
    if let Some(ask) = value::before_joining(&after, before) {
        return Err(Obstacle::Ask(ask));
    }
    let Value::Map(joined) = value::merge(&condition, after, before.clone()) else {
        return Err(Obstacle::Decide(condition));
    };
    process.memory[slot as usize] = Value::Map(joined);
    process.task.stored.insert(slot);
    Ok(Executed::Following)
}

/// Removes an entry of a map in its slot.
pub(crate) fn delete(process: &mut Process, at: At<'_>, slot: u32, key: Operand) -> Result<Executed, Obstacle> {
    write(process, at, slot, key, None)
}

fn write(
    process: &mut Process,
    at: At<'_>,
    slot: u32,
    key: Operand,
    entry: Option<Entry>,
) -> Result<Executed, Obstacle> {
    let key = at.read(process, key).clone();
    if let Value::Union(alternatives) = &key {
        return Err(Obstacle::Decide(alternatives[0].0.clone()));
    }
    match &mut process.memory[slot as usize] {
        Value::Map(map) => map.set_in_place(&key, entry),
        Value::Union(alternatives) => return Err(Obstacle::Decide(alternatives[0].0.clone())),
        _ => {}
    }
    process.task.stored.insert(slot);
    Ok(Executed::Following)
}

/// The map with an entry set.
pub(crate) fn insert([map, key, value]: [&Value; 3]) -> Evaluated {
    match map {
        Value::Map(map) => Ok(Value::Map(map.set(key, Some(Entry::always(value.clone())))?)),
        Value::Union(alternatives) => Err(Obstacle::Decide(alternatives[0].0.clone())),
        _ => Ok(Value::Absent),
    }
}

/// Executes `dst := if kept { slot } else { slot.remove(key) }` for a `kept` that was chosen: the entry stays present if it was and the
/// choice is to keep it. If no guard is open the variable is changed in place, and the process goes on after the store.
pub(crate) fn retain(
    process: &mut Process,
    at: At<'_>,
    dst: Register,
    slot: u32,
    stored: Pc,
    [key, kept]: [Operand; 2],
) -> Result<Executed, Obstacle> {
    let kept = at.read(process, kept).truth();
    let key = at.read(process, key).clone();
    if process.task.guards.is_empty()
        && let (Value::Map(map), Value::Scalar(_)) = (&mut process.memory[slot as usize], &key)
        && map.keep_where(&key, &kept)
    {
        process.task.stored.insert(slot);
        return process.task.goto(stored);
    }
    let all = &process.memory[slot as usize];
    let value = match kept {
        Truth::Known(true) => all.clone(),
        Truth::Known(false) => evaluate::binary(Binary::Remove, all, &key)?,
        Truth::Term(condition) => {
            let fewer = evaluate::binary(Binary::Remove, all, &key)?;
            if let Some(ask) = value::before_joining(all, &fewer) {
                return Err(Obstacle::Ask(ask));
            }
            value::merge(&condition, all.clone(), fewer)
        }
    };
    process.task.keep(dst, Ok(value))
}
