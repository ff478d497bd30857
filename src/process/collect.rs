//! Collections: entries set and read, cursors moved, elements gathered.
//!
//! `m[k] := v` changes a map in its slot in place where nobody shares it.

use std::sync::Arc;

use super::evaluate::{self, Evaluated, Next, Obstacle};
use super::{Frame, Process};
use crate::scalar::{Int, Scalar};
use crate::spec::code::{Binary, FaultKind, Function, Op, Operand, Pc, Program, Register};
use crate::value::{self, Entry, Presence, Truth, Value};

/// Up to so many elements are appended, or taken off, one by one.
pub(super) const SHORT: usize = 32;
/// The cursor over a range, from its first integer to the one behind the last.
pub(super) const RANGE: u32 = 1;
/// The cursor over a list, all of whose elements are there: the list, and the position in it.
const LISTED: u32 = 2;

impl Process {
    pub(super) fn replace(
        &mut self,
        program: &Program,
        frame: Frame,
        dst: Register,
        [list, at, value]: [Operand; 3],
    ) -> Result<Next, Obstacle> {
        let [list, at, value] = [list, at, value].map(|operand| self.read(program, frame.base, operand));
        value::index(list, at)?;
        let (Value::List(elements) | Value::Open(elements)) = list else {
            return match list {
                Value::Union(alternatives) => Err(Obstacle::Decide(alternatives[0].0.clone())),
                _ => self.keep(dst, Ok(Value::Absent)),
            };
        };
        let (inside, _) = value::element(elements, at);
        let mut replaced = Vec::with_capacity(elements.len());
        for (position, old) in elements.iter().enumerate() {
            let here = value::equal(at, &Value::from(position as i64))?.term();
            replaced.push(if here.as_bool() == Some(false) {
                old.clone()
            } else {
                value::merge(&here, value.clone(), old.clone())
            });
        }
        self.partial(
            program,
            frame,
            dst,
            (inside, Value::sequence(replaced.into_iter().collect())),
            FaultKind::OutOfRange,
        )
    }

    /// A symbolic position, decided to be one of `0..=length` (or, if none, one that is out of range).
    pub(super) fn position(&self, at: &Value, length: usize) -> Evaluated {
        if at.is_known() {
            return Ok(at.clone());
        }
        for position in 0..=length as i64 {
            let here = value::equal(at, &Value::from(position))?.term();
            match here.as_bool().or_else(|| self.decided(&here)) {
                Some(true) => return Ok(Value::from(position)),
                Some(false) => {}
                None => return Err(Obstacle::Decide(here)),
            }
        }
        Ok(Value::from(-1))
    }

    /// Sets an entry of a map in its slot; what is not shared is changed in place.
    pub(super) fn put(
        &mut self,
        program: &Program,
        base: u32,
        slot: u32,
        key: Operand,
        value: Operand,
    ) -> Result<Next, Obstacle> {
        let entry = Entry::always(self.read(program, base, value).clone());
        self.write(program, base, slot, key, Some(entry))
    }

    /// Removes an entry of a map in its slot.
    pub(super) fn delete(&mut self, program: &Program, base: u32, slot: u32, key: Operand) -> Result<Next, Obstacle> {
        self.write(program, base, slot, key, None)
    }

    fn write(
        &mut self,
        program: &Program,
        base: u32,
        slot: u32,
        key: Operand,
        entry: Option<Entry>,
    ) -> Result<Next, Obstacle> {
        let key = self.read(program, base, key).clone();
        if let Value::Union(alternatives) = &key {
            return Err(Obstacle::Decide(alternatives[0].0.clone()));
        }
        match &mut self.memory[slot as usize] {
            Value::Map(map) => map.set_in_place(&key, entry),
            Value::Union(alternatives) => return Err(Obstacle::Decide(alternatives[0].0.clone())),
            _ => {}
        }
        self.note_stored(slot);
        Ok(Next::Following)
    }

    /// Adds to a list or set in its slot, and leaves the next instruction out; what is not short goes to a register.
    pub(super) fn append(
        &mut self,
        program: &Program,
        frame: Frame,
        dst: Register,
        slot: u32,
        src: Operand,
    ) -> Result<Next, Obstacle> {
        let more = self.read(program, frame.base, src).clone();
        if add_in_place(&mut self.memory[slot as usize], &more) {
            self.note_stored(slot);
            return self.goto(frame.pc + 2);
        }
        let sum = evaluate::binary(Binary::Add, &self.memory[slot as usize], &more);
        self.keep(dst, sum)
    }

    /// Adds one element to a list of unknown length in its slot, and leaves the next instruction out; what is no list goes to a
    /// register, which that one stores.
    pub(super) fn append_one(
        &mut self,
        program: &Program,
        frame: Frame,
        dst: Register,
        slot: u32,
        element: Operand,
    ) -> Result<Next, Obstacle> {
        let element = self.read(program, frame.base, element).clone();
        if value::append_in_place(&mut self.memory[slot as usize], element.clone()) {
            self.note_stored(slot);
            return self.goto(frame.pc + 2);
        }
        let sum = evaluate::binary(Binary::Add, &self.memory[slot as usize], &Value::list([element]));
        self.keep(dst, sum)
    }

    /// Takes the first elements off a list in its slot.
    pub(super) fn behead(&mut self, slot: u32, count: usize) -> Result<Next, Obstacle> {
        let list = &mut self.memory[slot as usize];
        evaluate::places(list, count)?;
        match list {
            Value::List(own) if count <= SHORT.min(own.len()) => behead_in_place(own, count),
            Value::Open(own) if count <= SHORT.min(own.len()) => {
                let mut own = std::mem::take(own);
                behead_in_place(&mut own, count);
                *list = Value::sequence(Arc::unwrap_or_clone(own));
            }
            list => *list = evaluate::tail(list, count),
        }
        self.note_stored(slot);
        Ok(Next::Following)
    }

    pub(super) fn insert(&self, program: &Program, base: u32, [map, key, value]: [Operand; 3]) -> Evaluated {
        let [map, key, value] = [map, key, value].map(|operand| self.read(program, base, operand));
        match map {
            Value::Map(map) => Ok(Value::Map(map.set(key, Some(Entry::always(value.clone())))?)),
            Value::Union(alternatives) => Err(Obstacle::Decide(alternatives[0].0.clone())),
            _ => Ok(Value::Absent),
        }
    }

    pub(super) fn push(
        &mut self,
        program: &Program,
        base: u32,
        dst: Register,
        [src, when]: [Operand; 2],
    ) -> Result<Next, Obstacle> {
        let here = self.read(program, base, when).truth();
        if let Some(element) = Value::maybe(here, self.read(program, base, src).clone()) {
            value::append_in_place(&mut self.task.registers[(base + dst) as usize], element);
        }
        Ok(Next::Following)
    }

    pub(super) fn gather(
        &mut self,
        program: &Program,
        base: u32,
        dst: Register,
        [key, value, when]: [Operand; 3],
    ) -> Result<Next, Obstacle> {
        let [key, value, when] = [key, value, when].map(|operand| self.read(program, base, operand).clone());
        let Value::Map(map) = self.read(program, base, Operand::Register(dst)) else { return Ok(Next::Following) };
        if matches!(key, Value::Absent) {
            return Ok(Next::Following);
        }
        let here = when.truth_or_absent();
        let gathered = match Presence::of(here.clone()) {
            None => return Ok(Next::Following),
            Some(Presence::Always) => map.set(&key, Some(Entry::always(value)))?,
            Some(presence) => {
                let (there, old) = map.get(&key)?;
                let condition = here.clone().term();
                let joined = value::merge(&condition, value, old);
                let presence = Presence::of(there.or(here)).unwrap_or(presence);
                map.set(&key, Some(Entry { presence, value: joined }))?
            }
        };
        self.keep(dst, Ok(Value::Map(gathered)))
    }

    pub(super) fn next(&mut self, base: u32, registers: [Register; 3], done: Pc) -> Result<Next, Obstacle> {
        let [cursor, element, presence] = registers.map(|register| (base + register) as usize);
        let at = std::mem::replace(&mut self.task.registers[cursor], Value::Absent);
        match at {
            Value::List(mut rest) => {
                let Some(head) = Arc::make_mut(&mut rest).pop_front() else { return self.goto(done) };
                self.task.registers[presence] = head.field(0, 0);
                self.task.registers[element] = head.field(0, 1);
                self.task.registers[cursor] = Value::List(rest);
                Ok(Next::Following)
            }
            Value::Data { tag: LISTED, fields: Some(mut rest) } => {
                let [Value::List(list), Value::Scalar(Scalar::Int(at))] = &mut Arc::make_mut(&mut rest)[..] else {
                    return self.goto(done);
                };
                let Some(next) = at.to_i64().and_then(|at| list.get(at as usize)).cloned() else {
                    return self.goto(done);
                };
                *at = at.add(&Int::ONE);
                self.task.registers[presence] = true.into();
                self.task.registers[element] = next;
                self.task.registers[cursor] = Value::Data { tag: LISTED, fields: Some(rest) };
                Ok(Next::Following)
            }
            Value::Data { fields: Some(bounds), .. } => {
                let inside = match value::less(&bounds[0], &bounds[1]) {
                    Truth::Known(true) => true,
                    Truth::Known(false) => return self.goto(done),
                    Truth::Term(open) => match self.decided(&open) {
                        Some(true) => true,
                        Some(false) => return self.goto(done),
                        None => {
                            self.task.registers[cursor] = Value::Data { tag: RANGE, fields: Some(bounds) };
                            return Err(Obstacle::Decide(open));
                        }
                    },
                };
                self.task.registers[presence] = inside.into();
                self.task.registers[element] = bounds[0].clone();
                let following = value::add(&bounds[0], &Value::from(1))?;
                self.task.registers[cursor] = Value::data(RANGE, [following, bounds[1].clone()]);
                Ok(Next::Following)
            }
            _ => self.goto(done),
        }
    }

    /// Keeps the result of an operation that is a fault where it is not defined.
    pub(super) fn partial(
        &mut self,
        program: &Program,
        frame: Frame,
        dst: Register,
        (defined, value): (Truth, Value),
        kind: FaultKind,
    ) -> Result<Next, Obstacle> {
        self.set(dst, value);
        if defined.is_true() { Ok(Next::Following) } else { self.fault(program, frame, defined.not(), kind) }
    }
}

/// Adds an element to a list.
pub(super) fn append_in_place(list: &mut Arc<im::Vector<Value>>, element: Value) {
    Arc::make_mut(list).push_back(element);
}

/// Takes the first elements off a list that has so many.
pub(super) fn behead_in_place(list: &mut Arc<im::Vector<Value>>, count: usize) {
    let list = Arc::make_mut(list);
    (0..count).for_each(|_| drop(list.pop_front()));
}

/// Adds what is short to a list or a set; whether it was done.
fn add_in_place(collection: &mut Value, more: &Value) -> bool {
    match (collection, more) {
        (Value::List(list), Value::List(more)) if more.len() <= SHORT => {
            Arc::make_mut(list).extend(more.iter().cloned());
            true
        }
        (list @ (Value::List(_) | Value::Open(_)), Value::List(more) | Value::Open(more)) if more.len() <= SHORT => {
            more.iter().all(|element| value::append_in_place(list, element.clone()))
        }
        (Value::Map(set), Value::Map(more)) if more.bound() <= SHORT => value::add_to_set(set, more),
        _ => false,
    }
}

/// Tests whether the loop that begins there chooses for each element, or calls what may: then equal elements must be met once.
pub(super) fn chooses_for_each(function: &Function, iterate: Pc) -> bool {
    let first = iterate as usize + 1;
    let Some(Op::Next { done, .. }) = function.code.get(first).map(Op::plain) else { return true };
    let chooses = |op: &Op| {
        matches!(op.plain(), Op::Choose { .. } | Op::PickElement { .. } | Op::Select { .. } | Op::Call { .. })
    };
    function.code[first..*done as usize].iter().any(chooses)
}

/// The cursor over a list or set: where it is in the list; what is left of the set, each element with its presence.
pub(super) fn cursor(over: &Value) -> Evaluated {
    if let Value::List(_) = over {
        return Ok(Value::data(LISTED, [over.clone(), Value::from(0)]));
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
