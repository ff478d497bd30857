//! The effect of an exchange on a cell of the state, in words: `set m["a"] to 2`, `left m without "a"`.

use super::describe::{PartNames, STEPPED, is_stepped, resolved, shortened};
use crate::json;
use crate::judge::{Candidate, Cell, Judge};
use crate::spec::code::Op;
use crate::spec::{Site, Spec, Type, TypeId};
use crate::value::{Presence, Value};

/// The candidates whose cells are compared.
const COMPARED: usize = 64;

/// A cell with its content.
#[derive(Clone, PartialEq, Debug)]
struct HeldCell {
    /// `m["a"]`.
    path: String,
    content: CellContent,
}

/// The content of a cell, as far as it is known.
#[derive(Clone, PartialEq, Debug)]
enum CellContent {
    /// A value as JSON; true if all of it is known.
    Value(String, bool),
    /// Membership in a set: the element, and the name of the set.
    Member(String, String),
    /// No entry: the key, and the name of the map or set.
    Nothing(String, String),
    /// Something that differs between candidates.
    Open,
}

impl CellContent {
    /// Tests whether some of the content is not known, so that different contents may look alike.
    fn is_open(&self) -> bool {
        match self {
            CellContent::Open => true,
            CellContent::Value(_, is_known) => !is_known,
            CellContent::Member(..) | CellContent::Nothing(..) => false,
        }
    }
}

/// Describes how the writes of a request changed cells. A write is a variable, and the key if there is one. Unknown parts are
/// called alike in all descriptions.
#[must_use]
pub(super) fn done(
    spec: &Spec,
    around: Option<[&Judge; 2]>,
    cells: &[Cell],
    writes: &[(u32, Option<Value>)],
) -> Vec<String> {
    let open = |cell: &Cell| HeldCell { path: path(spec, cell), content: CellContent::Open };
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
    let said = changed.map(|(cell, (old, HeldCell { path, content }))| match (content, old.content) {
        (CellContent::Value(value, _), _) if cell.key.is_none() && is_stepped(spec, cell.slot as usize) => {
            format!("set {path} to {value}{STEPPED}")
        }
        // If the old content is not known, it may have been the same.
        (CellContent::Value(value, _), CellContent::Open) => format!("left {path} at {value}"),
        (CellContent::Member(element, set), CellContent::Open) => format!("left {set} with {element}"),
        (CellContent::Value(value, _), _) => format!("set {path} to {value}"),
        (CellContent::Member(element, set), _) => format!("put {element} into {set}"),
        (CellContent::Nothing(key, map), _) => format!("left {map} without {key}"),
        (CellContent::Open, _) => format!("may have changed {path}"),
    });
    said.collect()
}

/// Describes the content of a cell in the beginning, and returns the statement that stored it, if there is one.
#[must_use]
pub(super) fn initial(spec: &Spec, start: &Judge, cell: &Cell) -> (String, Option<Site>) {
    let content = held(spec, start, std::slice::from_ref(cell)).pop().map_or(CellContent::Open, |held| held.content);
    let path = path(spec, cell);
    let said = match content {
        CellContent::Value(value, _) => format!("{path} was {value} from the beginning"),
        CellContent::Member(element, set) => format!("{set} had {element} from the beginning"),
        CellContent::Nothing(key, map) => format!("{map} had no {key} from the beginning"),
        CellContent::Open => format!("{path} has not changed since the beginning"),
    };
    let init = &spec.program.functions[spec.program.init as usize];
    let stores = init.code.iter().zip(&init.origin);
    let site = stores.rev().find(|(op, _)| matches!(op, Op::Store { slot, .. } if *slot == cell.slot));
    (said, site.map(|(_, site)| *site))
}

/// The cells with what they hold in every candidate; [`CellContent::Open`] if candidates differ, or there are too many of them.
fn held(spec: &Spec, judge: &Judge, cells: &[Cell]) -> Vec<HeldCell> {
    let in_each = judge.candidates().iter().map(|candidate| {
        let mut names = PartNames::anonymous();
        cells.iter().map(|cell| held_in(spec, candidate, cell, &mut names)).collect::<Vec<CellContent>>()
    });
    let in_each: Vec<Vec<CellContent>> = in_each.take(COMPARED + 1).collect();
    let of = |(at, cell): (usize, &Cell)| {
        let mut all = in_each.iter().map(|contents| &contents[at]);
        let first = all.next();
        let first = first.filter(|first| in_each.len() <= COMPARED && all.all(|other| other == *first));
        let content = first.cloned().unwrap_or(CellContent::Open);
        HeldCell { path: path(spec, cell), content }
    };
    cells.iter().enumerate().map(of).collect()
}

/// A cell as specifications write it: `m["a"]`.
pub(crate) fn path(spec: &Spec, cell: &Cell) -> String {
    let slot = &spec.program.slots[cell.slot as usize];
    match &cell.key {
        Some(key) => format!("{}[{}]", slot.name, json::encode(&spec.types, spec.types.parts(slot.ty)[0], key)),
        None => slot.name.clone(),
    }
}

fn held_in(spec: &Spec, candidate: &Candidate, cell: &Cell, names: &mut PartNames) -> CellContent {
    let slot = &spec.program.slots[cell.slot as usize];
    let value = &candidate.process.memory[cell.slot as usize];
    let Some(key) = &cell.key else {
        let is_open = matches!(value, Value::Map(map) if !map.is_known()) || matches!(value, Value::Union(_));
        return if is_open { CellContent::Open } else { shown(spec, candidate, slot.ty, value, names) };
    };
    let Value::Map(map) = value else { return CellContent::Open };
    let key_text = json::encode(&spec.types, spec.types.parts(slot.ty)[0], key);
    match (map.certain_entry(key), spec.types.get(slot.ty)) {
        (Some(None), _) => CellContent::Nothing(key_text, slot.name.clone()),
        (Some(Some(entry)), Type::Map(_, of)) if entry.presence == Presence::Always => {
            shown(spec, candidate, *of, &entry.value, names)
        }
        (Some(Some(entry)), Type::Set(_)) if entry.presence == Presence::Always => {
            CellContent::Member(key_text, slot.name.clone())
        }
        _ => CellContent::Open,
    }
}

fn shown(spec: &Spec, candidate: &Candidate, ty: TypeId, value: &Value, names: &mut PartNames) -> CellContent {
    let value = resolved(&candidate.store, &candidate.process.unknowns.expanded(value));
    let text = shortened(&names.render(&spec.types, ty, &candidate.store, &value));
    CellContent::Value(text, value.is_known())
}
