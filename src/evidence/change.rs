//! What an exchange did to a cell of the state, in words: `set m["a"] to 2`, `removed "a" from m`.

use super::describe::{Names, shortened};
use crate::dualize::{Candidate, Cell, Judge};
use crate::json;
use crate::spec::code::Op;
use crate::spec::{Site, Spec, Type};
use crate::value::{Presence, Substitution, Value};

/// A cell, and what it holds.
#[derive(Clone, PartialEq, Debug)]
struct Held {
    /// `m["a"]`.
    path: String,
    content: Content,
}

/// What a cell holds.
#[derive(Clone, PartialEq, Debug)]
enum Content {
    /// A value, as JSON.
    Value(String),
    /// A member of a set: the element, and the set.
    Member(String, String),
    /// Nothing under the key, of the map or set of that name.
    Nothing(String, String),
    /// Something that depends.
    Open,
}

/// What was done to make a cell what it is now in every candidate.
#[must_use]
pub(super) fn done(spec: &Spec, after: &Judge, cell: &Cell) -> String {
    let Held { path, content } = held(spec, after, cell);
    match content {
        Content::Value(value) => format!("set {path} to {value}"),
        Content::Member(element, set) => format!("put {element} into {set}"),
        Content::Nothing(key, map) => format!("left {map} without {key}"),
        Content::Open => format!("changed {path}"),
    }
}

/// What a cell was in the beginning, and where that is written.
#[must_use]
pub(super) fn initial(spec: &Spec, start: &Judge, cell: &Cell) -> (String, Option<Site>) {
    let Held { path, content } = held(spec, start, cell);
    let said = match content {
        Content::Value(value) => format!("{path} was {value} from the beginning"),
        Content::Member(element, set) => format!("{set} had {element} from the beginning"),
        Content::Nothing(key, map) => format!("{map} had no {key} from the beginning"),
        Content::Open => format!("{path} has not changed since the beginning"),
    };
    let init = &spec.program.functions[spec.program.init as usize];
    let stores = init.code.iter().zip(&init.origin);
    let site = stores.filter(|(op, _)| matches!(op, Op::Store { slot, .. } if *slot == cell.slot)).last();
    (said, site.map(|(_, site)| *site))
}

/// What a cell holds in every candidate.
fn held(spec: &Spec, judge: &Judge, cell: &Cell) -> Held {
    let mut all = judge.candidates().iter().map(|candidate| held_in(spec, candidate, cell));
    let first = all.next();
    let path = path(spec, cell);
    match first {
        Some(first) if all.all(|other| other == first) => Held { path, content: first },
        Some(_) | None => Held { path, content: Content::Open },
    }
}

fn path(spec: &Spec, cell: &Cell) -> String {
    let slot = &spec.program.slots[cell.slot as usize];
    match &cell.key {
        Some(key) => format!("{}[{}]", slot.name, json::encode(&spec.types, spec.types.parts(slot.ty)[0], key)),
        None => slot.name.clone(),
    }
}

fn held_in(spec: &Spec, candidate: &Candidate, cell: &Cell) -> Content {
    let slot = &spec.program.slots[cell.slot as usize];
    let value = &candidate.process.memory[cell.slot as usize];
    let Some(key) = &cell.key else {
        let is_open = matches!(value, Value::Map(map) if !map.is_known()) || matches!(value, Value::Union(_));
        return if is_open { Content::Open } else { Content::Value(shown(spec, candidate, slot.ty, value)) };
    };
    let Value::Map(map) = value else { return Content::Open };
    let key_text = json::encode(&spec.types, spec.types.parts(slot.ty)[0], key);
    match (map.certain_entry(key), spec.types.get(slot.ty)) {
        (Some(None), _) => Content::Nothing(key_text, slot.name.clone()),
        (Some(Some(entry)), Type::Map(_, of)) if entry.presence == Presence::Always => {
            Content::Value(shown(spec, candidate, *of, &entry.value))
        }
        (Some(Some(entry)), Type::Set(_)) if entry.presence == Presence::Always => {
            Content::Member(key_text, slot.name.clone())
        }
        _ => Content::Open,
    }
}

fn shown(spec: &Spec, candidate: &Candidate, ty: crate::spec::TypeId, value: &Value) -> String {
    let mut resolve = |term: &crate::term::Term| Some(candidate.store.resolve(term));
    let value = candidate.process.expanded(value);
    let value = Substitution::everywhere(&mut resolve).apply(&value).unwrap_or(value);
    shortened(Names::anonymous().render(&spec.types, ty, &candidate.store, &value)).to_string()
}
