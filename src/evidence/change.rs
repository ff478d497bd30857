//! The effect of an exchange on a cell of the state, in words: `set m["a"] to 2`, `left m without "a"`.

use super::describe::{Names, STEPPED, is_stepped, shortened};
use crate::dualize::{Candidate, Cell, Judge};
use crate::json;
use crate::spec::code::Op;
use crate::spec::{Site, Spec, Type, TypeId};
use crate::value::{Presence, Substitution, Value};

/// The contents of cells are not put into words where there are more candidates than this.
const DESCRIBED: usize = 64;

/// A cell, and what it holds.
#[derive(Clone, PartialEq, Debug)]
struct Held {
    /// `m["a"]`.
    path: String,
    content: Content,
}

/// The content of a cell, as far as it is known.
#[derive(Clone, PartialEq, Debug)]
enum Content {
    /// A value, as JSON, and whether all of it is known.
    Value(String, bool),
    /// A member of a set: the element, and the set.
    Member(String, String),
    /// Nothing under the key, of the map or set of that name.
    Nothing(String, String),
    /// Something that depends.
    Open,
}

impl Content {
    /// Tests whether the content is not known, or only in part, so that another one may look the same.
    fn is_open(&self) -> bool {
        match self {
            Content::Open => true,
            Content::Value(_, is_known) => !is_known,
            Content::Member(..) | Content::Nothing(..) => false,
        }
    }
}

/// Describes what writes to these places, a variable each and perhaps one key, did to cells; unknown parts have one name in all
/// of them.
#[must_use]
pub(super) fn done(
    spec: &Spec,
    around: Option<[&Judge; 2]>,
    cells: &[Cell],
    writes: &[(u32, Option<Value>)],
) -> Vec<String> {
    let open = |cell: &Cell| Held { path: path(spec, cell), content: Content::Open };
    let held_in = |judge: Option<&Judge>| match judge {
        Some(judge) => held(spec, judge, cells),
        None => cells.iter().map(open).collect(),
    };
    let (before, after) = (around.map(|[before, _]| before), around.map(|[_, after]| after));
    let contents = held_in(before).into_iter().zip(held_in(after));
    let changed = cells.iter().zip(contents).filter(|(cell, (old, new))| {
        let mut own = writes.iter().filter(|(slot, _)| *slot == cell.slot);
        let is_open = old.content.is_open() || new.content.is_open();
        own.any(|(_, key)| match is_open {
            true => cell.key.is_none() || *key == cell.key,
            false => old != new,
        })
    });
    let said = changed.map(|(cell, (old, Held { path, content }))| match (content, old.content) {
        (Content::Value(value, _), _) if cell.key.is_none() && is_stepped(spec, cell.slot as usize) => {
            format!("set {path} to {value}{STEPPED}")
        }
        // Where it depends what was there before, it may have been the same already.
        (Content::Value(value, _), Content::Open) => format!("left {path} at {value}"),
        (Content::Member(element, set), Content::Open) => format!("left {set} with {element}"),
        (Content::Value(value, _), _) => format!("set {path} to {value}"),
        (Content::Member(element, set), _) => format!("put {element} into {set}"),
        (Content::Nothing(key, map), _) => format!("left {map} without {key}"),
        (Content::Open, _) => format!("may have changed {path}"),
    });
    said.collect()
}

/// Describes what a cell was in the beginning, and returns the place where that is written, if there is one.
#[must_use]
pub(super) fn initial(spec: &Spec, start: &Judge, cell: &Cell) -> (String, Option<Site>) {
    let content = held(spec, start, std::slice::from_ref(cell)).pop().map_or(Content::Open, |held| held.content);
    let path = path(spec, cell);
    let said = match content {
        Content::Value(value, _) => format!("{path} was {value} from the beginning"),
        Content::Member(element, set) => format!("{set} had {element} from the beginning"),
        Content::Nothing(key, map) => format!("{map} had no {key} from the beginning"),
        Content::Open => format!("{path} has not changed since the beginning"),
    };
    let init = &spec.program.functions[spec.program.init as usize];
    let stores = init.code.iter().zip(&init.origin);
    let site = stores.rev().find(|(op, _)| matches!(op, Op::Store { slot, .. } if *slot == cell.slot));
    (said, site.map(|(_, site)| *site))
}

/// The cells with what they hold in every candidate; [`Content::Open`] where that differs, or there are too many candidates.
fn held(spec: &Spec, judge: &Judge, cells: &[Cell]) -> Vec<Held> {
    let in_each = judge.candidates().iter().map(|candidate| {
        let mut names = Names::anonymous();
        cells.iter().map(|cell| held_in(spec, candidate, cell, &mut names)).collect::<Vec<Content>>()
    });
    let in_each: Vec<Vec<Content>> = in_each.take(DESCRIBED + 1).collect();
    let of = |(at, cell): (usize, &Cell)| {
        let mut all = in_each.iter().map(|contents| &contents[at]);
        let first = all.next();
        let first = first.filter(|first| in_each.len() <= DESCRIBED && all.all(|other| other == *first));
        let content = first.cloned().unwrap_or(Content::Open);
        Held { path: path(spec, cell), content }
    };
    cells.iter().enumerate().map(of).collect()
}

/// A part of the state as specifications write it: `m["a"]`.
pub(crate) fn path(spec: &Spec, cell: &Cell) -> String {
    let slot = &spec.program.slots[cell.slot as usize];
    match &cell.key {
        Some(key) => format!("{}[{}]", slot.name, json::encode(&spec.types, spec.types.parts(slot.ty)[0], key)),
        None => slot.name.clone(),
    }
}

fn held_in(spec: &Spec, candidate: &Candidate, cell: &Cell, names: &mut Names) -> Content {
    let slot = &spec.program.slots[cell.slot as usize];
    let value = &candidate.process.memory[cell.slot as usize];
    let Some(key) = &cell.key else {
        let is_open = matches!(value, Value::Map(map) if !map.is_known()) || matches!(value, Value::Union(_));
        return if is_open { Content::Open } else { shown(spec, candidate, (slot.ty, value), names) };
    };
    let Value::Map(map) = value else { return Content::Open };
    let key_text = json::encode(&spec.types, spec.types.parts(slot.ty)[0], key);
    match (map.certain_entry(key), spec.types.get(slot.ty)) {
        (Some(None), _) => Content::Nothing(key_text, slot.name.clone()),
        (Some(Some(entry)), Type::Map(_, of)) if entry.presence == Presence::Always => {
            shown(spec, candidate, (*of, &entry.value), names)
        }
        (Some(Some(entry)), Type::Set(_)) if entry.presence == Presence::Always => {
            Content::Member(key_text, slot.name.clone())
        }
        _ => Content::Open,
    }
}

fn shown(spec: &Spec, candidate: &Candidate, (ty, value): (TypeId, &Value), names: &mut Names) -> Content {
    let mut resolve = |term: &crate::term::Term| Some(candidate.store.resolve(term));
    let value = candidate.process.unknowns.expanded(value);
    let value = Substitution::everywhere(&mut resolve).apply(&value).unwrap_or(value);
    let text = shortened(&names.render(&spec.types, ty, &candidate.store, &value));
    Content::Value(text, value.is_known())
}
