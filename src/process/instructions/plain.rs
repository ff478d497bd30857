//! The results of instructions on plain operands: known texts and numbers, known constructors, lists of known length, maps under known keys.
//!
//! For example `items[key] := data` with known keys is a write to a table, and `data.contains(" ")` on a known text is a search. They
//! need no decision. If a key or a text is symbolic, the general evaluator executes the instruction.

use std::sync::Arc;

use super::evaluate;
use super::operands::PlainOperands;
use crate::process::task::{READ_OPEN, is_forced};
use crate::scalar::{Int, Scalar, text};
use crate::spec::code::{Binary, Op, Operand, Register, Unary};
use crate::value::{self, Entry, Presence, Value};

/// A text of at most this many octets is short: an operation on it counts as one instruction.
const SHORT: usize = 512;

/// The result of an instruction that reads plain operands only, and the register for it.
#[inline(always)] // Its only caller is the loop of the fast path.
pub(crate) fn value(place: &PlainOperands<'_>, op: &Op) -> Option<(Register, Value)> {
    match op {
        Op::IsVariant { dst, src, tag } => Some((*dst, (constructor(place.read(*src))? == *tag).into())),
        Op::Field { dst, src, tag, index } => match place.read(*src) {
            Value::Data { tag: own, fields: Some(fields), .. } if own == tag => {
                Some((*dst, few(fields.get(*index as usize)?)?.copied()))
            }
            _ => None,
        },
        Op::HasLength { dst, src, length, exact } => {
            let (own, length) = (elements(place.read(*src))?.len(), *length as usize);
            Some((*dst, if *exact { own == length } else { own >= length }.into()))
        }
        Op::Nth { dst, src, at } => Some((*dst, few(elements(place.read(*src))?.get(*at as usize)?)?.copied())),
        Op::Unary { dst, op, a } => Some((*dst, of_one(*op, place.read(*a))?)),
        Op::Binary { dst, op, a, b } => Some((*dst, of_two(*op, place.read(*a), place.read(*b))?)),
        _ => None,
    }
}

/// Executes an instruction on maps and constructors if its operands are plain; returns false, and does nothing, if they are not.
#[inline(never)] // Keeps the loop of the fast path small.
pub(crate) fn carry_out(place: &mut PlainOperands<'_>, op: &Op) -> bool {
    let (dst, value) = match op {
        Op::Put { slot, key, value } => {
            let entry = Entry::always(place.read(*value).clone());
            return write(place, *slot, *key, Some(entry));
        }
        Op::PutIf { slot, key, value, when } if *place.read(*when) == Value::from(true) => {
            let entry = Entry::always(place.read(*value).clone());
            return write(place, *slot, *key, Some(entry));
        }
        Op::Delete { slot, key } => return write(place, *slot, *key, None),
        Op::Find { dst, there, map, key } => return find(place, [*dst, *there], *map, *key),
        Op::Binary { dst, op: Binary::Get, a, b } => (*dst, get(place, *a, *b)),
        Op::Binary { dst, op: Binary::In, a, b } => {
            let found = plain_entry(place.read(*b), place.read(*a));
            (*dst, found.map(|found| Value::from(found.is_some())))
        }
        Op::Index { dst, src, at } => {
            let found = plain_entry(place.read(*src), place.read(*at)).flatten();
            (*dst, found.cloned())
        }
        Op::Make { dst, tag, fields } => {
            let fields: Arc<[Value]> = fields.iter().map(|field| place.read(*field).clone()).collect();
            (*dst, made(*tag, fields))
        }
        Op::With { dst, src, fields } => (*dst, with(place, *src, fields)),
        _ => return false,
    };
    let Some(value) = value else { return false };
    place.registers[dst as usize].put(value);
    true
}

/// The option `map.get(key)`; an open entry is remembered, as it may be known after the answer.
fn get(place: &mut PlainOperands<'_>, map: Operand, key: Operand) -> Option<Value> {
    let Some(found) = plain_entry(place.read(map), place.read(key))? else { return Some(Value::NONE) };
    let found = found.clone();
    note_read(place, map, key, &found);
    Some(Value::some(found))
}

/// Executes `dst := map[key]`, and sets `there` to whether the map has the key.
fn find(place: &mut PlainOperands<'_>, [dst, there]: [Register; 2], map: Operand, key: Operand) -> bool {
    let Some(found) = plain_entry(place.read(map), place.read(key)) else { return false };
    let (is_there, value) = (found.is_some(), found.map_or(Value::Absent, Value::clone));
    note_read(place, map, key, &value);
    place.registers[there as usize].put(is_there.into());
    place.registers[dst as usize].put(value);
    true
}

/// Remembers an open entry of a variable that the section read.
fn note_read(place: &mut PlainOperands<'_>, map: Operand, key: Operand, found: &Value) {
    if let Operand::Slot(slot) = map
        && place.read_open.len() < READ_OPEN
        && found.has_terms()
    {
        let key = place.read(key).clone();
        place.read_open.push((slot, key));
    }
}

/// Sets or removes an entry of a variable under a known key.
fn write(place: &mut PlainOperands<'_>, slot: u32, key: Operand, entry: Option<Entry>) -> bool {
    let Value::Scalar(key) = place.read(key) else { return false };
    let key = Value::Scalar(key.clone());
    let Value::Map(map) = &mut place.memory[slot as usize] else { return false };
    map.set_in_place(&key, entry);
    place.stored.insert(slot);
    true
}

/// A constructor with some fields replaced.
fn with(place: &PlainOperands<'_>, src: Operand, fields: &[(u32, Operand)]) -> Option<Value> {
    let Value::Data { tag, fields: Some(own), .. } = place.read(src) else { return None };
    let replaced = |at: usize| fields.iter().rev().find(|(index, _)| *index as usize == at);
    let field = |(at, own)| replaced(at).map_or(own, |(_, operand)| place.read(*operand));
    let fields: Arc<[Value]> = own.iter().enumerate().map(|pair| field(pair).clone()).collect();
    made(*tag, fields)
}

/// A constructor with fields, unless it is too deep.
fn made(tag: u32, fields: Arc<[Value]>) -> Option<Value> {
    Some(Value::data(tag, fields)).filter(|value| !value::is_too_large(value))
}

/// The value under a key of a map, if any; `None` if the map or the key is not plain, or the entry conditional or a union.
fn plain_entry<'m>(map: &'m Value, key: &Value) -> Option<Option<&'m Value>> {
    let (Value::Map(map), Value::Scalar(_)) = (map, key) else { return None };
    match map.plain_entry(key)? {
        None => Some(None),
        Some(Entry { presence: Presence::Always, value: Value::Union(_) }) => None,
        Some(Entry { presence: Presence::Always, value }) => Some(Some(value)),
        Some(Entry { presence: Presence::When(_) | Presence::Never, .. }) => None,
    }
}

/// The value; `None` if it has too many alternatives, so that it must be forced first.
pub(crate) fn few(value: &Value) -> Option<&Value> {
    match value {
        Value::Union(alternatives) if is_forced(alternatives) => None,
        value => Some(value),
    }
}

/// The truth value of a known condition.
pub(crate) fn known(value: &Value) -> Option<bool> {
    match value {
        Value::Scalar(Scalar::Bool(known)) => Some(*known),
        _ => None,
    }
}

/// The constructor of a tree, if it is known.
pub(crate) fn constructor(value: &Value) -> Option<u32> {
    match value {
        Value::Data { tag, .. } => Some(*tag),
        _ => None,
    }
}

/// The elements of a list of known length.
fn elements(value: &Value) -> Option<&im::Vector<Value>> {
    match value {
        Value::List(list) => Some(list),
        _ => None,
    }
}

/// The result of an operation on a plain value.
#[inline(always)] // It belongs to the loop of the fast path.
fn of_one(op: Unary, value: &Value) -> Option<Value> {
    match (op, value) {
        (Unary::Len, Value::List(list)) => Some(Value::from(list.len() as i64)),
        (Unary::Not, value) => Some((!known(value)?).into()),
        (op, value) => of_scalar(op, value),
    }
}

/// The result of an operation on two plain values.
#[inline(always)] // It belongs to the loop of the fast path.
fn of_two(op: Binary, a: &Value, b: &Value) -> Option<Value> {
    match op {
        Binary::And => Some((known(a)? & known(b)?).into()),
        Binary::Or => Some((known(a)? | known(b)?).into()),
        _ => of_numbers(op, a, b).or_else(|| of_scalars(op, a, b)),
    }
}

/// The result of an operation on two known integers.
#[inline(always)] // It belongs to the loop of the fast path.
fn of_numbers(op: Binary, a: &Value, b: &Value) -> Option<Value> {
    let (Value::Scalar(Scalar::Int(a)), Value::Scalar(Scalar::Int(b))) = (a, b) else { return None };
    match op {
        Binary::Eq => Some(Value::from(a == b)),
        Binary::Ne => Some(Value::from(a != b)),
        Binary::Le => Some(Value::from(a <= b)),
        Binary::Lt => Some(Value::from(a < b)),
        // A large sum may exceed the limit of bits, which the general evaluator checks.
        Binary::Add => Some(a.add(b)).filter(Int::is_small).map(|sum| Value::Scalar(Scalar::Int(sum))),
        _ => None,
    }
}

/// Tests whether a scalar is so short that `prices` counts an operation on it as one instruction.
fn is_short(scalar: &Scalar) -> bool {
    match scalar {
        Scalar::Int(value) => value.is_small(),
        Scalar::Str(text) => text.len() <= SHORT,
        Scalar::Bytes(octets) => octets.len() <= SHORT,
        _ => true,
    }
}

/// The result of an operation on a known text or number.
#[inline(never)] // Keeps the loop of the fast path small.
fn of_scalar(op: Unary, value: &Value) -> Option<Value> {
    let Value::Scalar(known) = value else { return None };
    if !is_short(known) {
        return None;
    }
    match (op, known) {
        (Unary::Len, Scalar::Str(_) | Scalar::Bytes(_)) => Some(Value::Scalar(Scalar::Int(text::len(known)?))),
        (Unary::ToInt | Unary::Text(_), Scalar::Str(_)) => evaluate::unary(op, value).ok(),
        (Unary::Neg | Unary::Text(_), Scalar::Int(_)) => evaluate::unary(op, value).ok(),
        _ => None,
    }
}

/// The result of an operation on two known scalars.
#[inline(never)] // Keeps the loop of the fast path small.
fn of_scalars(op: Binary, a: &Value, b: &Value) -> Option<Value> {
    let (Value::Scalar(x), Value::Scalar(y)) = (a, b) else { return None };
    if !(is_short(x) && is_short(y)) {
        return None;
    }
    match (op, x) {
        (Binary::Eq, _) => Some(Value::from(x == y)),
        (Binary::Ne, _) => Some(Value::from(x != y)),
        (Binary::Text(op), _) => op.apply_to(&[x, y]).map(Value::Scalar),
        (Binary::Add, Scalar::Str(_) | Scalar::Bytes(_)) => text::concat(x, y).map(Value::Scalar),
        (Binary::Arithmetic(_), Scalar::Int(_)) => evaluate::binary(op, a, b).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Sort;
    use crate::term::{Term, TextOp, Var};
    use crate::value::{Arithmetic, Map, index, member};

    fn values() -> Vec<Value> {
        let texts = ["", "a", "ab", "-7", "007", "b a"].map(Value::str);
        let open = [Sort::Int, Sort::Str].map(|sort| Value::Term(Term::var(Var { id: 1, sort })));
        let numbers = [-3, 0, 2, 7].map(Value::from);
        let others = [Value::from(true), Value::NONE, Value::some(Value::from(2)), Value::list([]), Value::Absent];
        texts.into_iter().chain(open).chain(numbers).chain(others).collect()
    }

    #[test]
    fn operations_on_known_scalars_are_those_on_any() {
        let ones = [Unary::Len, Unary::ToInt, Unary::Neg, Unary::Not, Unary::Text(TextOp::Lower)];
        let texts = [TextOp::Contains, TextOp::StartsWith, TextOp::EndsWith].map(Binary::Text);
        let twos = [Binary::Eq, Binary::Ne, Binary::Add, Binary::Arithmetic(Arithmetic::Sub), Binary::Lt, Binary::Get];
        let mut stated = 0;
        for a in values() {
            for op in ones {
                let plain = of_one(op, &a);
                stated += usize::from(plain.is_some());
                assert!(plain.is_none_or(|plain| evaluate::unary(op, &a) == Ok(plain)), "{op:?} {a:?}");
            }
            for (b, op) in values().iter().flat_map(|b| twos.iter().chain(&texts).map(move |op| (b, *op))) {
                let plain = of_two(op, &a, b);
                stated += usize::from(plain.is_some());
                assert!(plain.is_none_or(|plain| evaluate::binary(op, &a, b) == Ok(plain)), "{a:?} {op:?} {b:?}");
            }
        }
        assert!(stated > 300, "{stated} were plain");
    }

    #[test]
    fn what_a_map_has_under_a_plain_key_is_what_it_has() {
        let condition = Term::var(Var { id: 2, sort: Sort::Bool });
        let mut maps = vec![Map::default()];
        for key in values().iter().filter(|key| key.as_term().is_some()) {
            for value in values() {
                let mut map = maps[maps.len() / 2].clone();
                let when = crate::value::Truth::Term(condition.clone());
                let entry = if maps.len() % 3 == 0 { Entry::when(when, value) } else { Entry::always(value) };
                map.set_in_place(key, (maps.len() % 5 > 0).then_some(entry));
                maps.push(map);
            }
        }
        let mut stated = 0;
        for (map, key) in maps.into_iter().flat_map(|map| values().into_iter().map(move |key| (map.clone(), key))) {
            let map = Value::Map(map);
            let Some(found) = plain_entry(&map, &key) else { continue };
            stated += 1;
            let there = found.is_some().into();
            assert_eq!(member(&key, &map).map(Value::from), Ok(there), "{key:?} in {map:?}");
            let given = index(&map, &key).map(|(_, value)| value);
            assert_eq!(given, Ok(found.cloned().unwrap_or(Value::Absent)), "{map:?} under {key:?}");
        }
        assert!(stated > 300, "{stated} lookups were plain");
    }
}
