//! The cells of memories: those in which candidates differ, and what a candidate holds in a cell.
//!
//! `{"a": 1, "b": 2}` and `{"a": 1, "b": 3}` in one variable differ in the cell under `"b"`; two lists are one cell each.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::judge::candidate::Candidate;
use crate::judge::terms;
use crate::process::Process;
use crate::term::Var;
use crate::value::{Entry, Presence, Value};

/// A place in the server's memory: a variable, or the entry that a map or set has, or lacks, under a key.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell {
    /// The variable.
    pub slot: u32,
    /// The key; `None` is the whole variable.
    pub key: Option<Value>,
}

/// The cells in which some candidate differs from the first one.
pub(crate) fn differing(candidates: &[Candidate]) -> Vec<Cell> {
    let Some((first, others)) = candidates.split_first() else { return Vec::new() };
    let mut cells = Vec::new();
    for (slot, own) in first.process.memory.iter().enumerate() {
        let theirs = others.iter().map(|other| &other.process.memory[slot]);
        match differing_keys(own, theirs) {
            Some(keys) => cells.extend(keys.into_iter().map(|key| Cell { slot: slot as u32, key: Some(key) })),
            None => cells.push(Cell { slot: slot as u32, key: None }),
        }
    }
    cells
}

/// Adds the server's variables that share an unknown value with one of the cells: the two cannot be described apart.
pub(crate) fn add_sharing(candidates: &[Candidate], cells: &mut Vec<Cell>) {
    let mut shared = FxHashSet::default();
    loop {
        for slot in cells.iter().filter(|cell| cell.key.is_none()).map(|cell| cell.slot as usize) {
            for candidate in candidates {
                candidate.process.memory[slot].visit_unknowns(&mut |id| _ = shared.insert(id));
            }
        }
        if shared.is_empty() {
            return;
        }
        let shares = |value: &Value| {
            let mut any = false;
            value.visit_unknowns(&mut |id| any |= shared.contains(&id));
            any
        };
        let is_whole = |slot: u32| cells.iter().any(|cell| cell.slot == slot && cell.key.is_none());
        let slots = 0..candidates[0].process.memory.len() as u32;
        let new = slots.filter(|&slot| {
            !is_whole(slot) && candidates.iter().any(|candidate| shares(&candidate.process.memory[slot as usize]))
        });
        let new: Vec<u32> = new.collect();
        if new.is_empty() {
            return;
        }
        cells.retain(|cell| !new.contains(&cell.slot));
        cells.extend(new.into_iter().map(|slot| Cell { slot, key: None }));
    }
}

/// The keys under which other maps differ from a map; `None` if a value differs that is no map of cells.
fn differing_keys<'v>(own: &Value, others: impl Iterator<Item = &'v Value>) -> Option<BTreeSet<Value>> {
    let mut keys = BTreeSet::new();
    for other in others {
        match (own, other) {
            (Value::Map(own), Value::Map(other)) if own.is_same(other) => {}
            (Value::Map(own), Value::Map(other)) if own.has_cells() && other.has_cells() => {
                keys.extend(own.differing_keys(other)?);
            }
            (own, other) if own == other => {}
            _ => return None,
        }
    }
    Some(keys)
}

/// The content of a cell; a whole variable is an entry that is always there.
pub(crate) fn read(process: &Process, cell: &Cell) -> Entry {
    let slot = &process.memory[cell.slot as usize];
    match (&cell.key, slot) {
        (Some(key), Value::Map(map)) => map.cell(key).flatten().cloned().unwrap_or(Entry::HIDDEN),
        (Some(_) | None, slot) => Entry::always(slot.clone()),
    }
}

/// Puts an entry into a cell.
pub(crate) fn write(process: &mut Process, cell: &Cell, entry: Entry) {
    let slot = &mut process.memory[cell.slot as usize];
    match (&cell.key, slot) {
        (Some(key), Value::Map(map)) => {
            map.set_in_place(key, (entry.presence != Presence::Never).then_some(entry));
        }
        (Some(_) | None, slot) => *slot = entry.value,
    }
}

/// The cells that mention each variable.
pub(crate) fn mentions(process: &Process) -> FxHashMap<Var, Vec<Cell>> {
    let mut mentions: FxHashMap<Var, Vec<Cell>> = FxHashMap::default();
    let mut add = |cell: &Cell, vars: FxHashSet<Var>| {
        vars.into_iter().for_each(|var| mentions.entry(var).or_default().push(cell.clone()));
    };
    for (slot, value) in (0u32..).zip(&process.memory) {
        match value {
            Value::Map(map) if map.has_cells() => {
                for (key, entry) in map.open_entries() {
                    add(&Cell { slot, key: Some(key.clone()) }, variables(entry));
                }
            }
            value => add(&Cell { slot, key: None }, variables(&Entry::always(value.clone()))),
        }
    }
    mentions
}

/// The variables that an entry mentions.
pub(crate) fn variables(entry: &Entry) -> FxHashSet<Var> {
    let mut vars = FxHashSet::default();
    terms::visit_entry(entry, &mut |var| _ = vars.insert(var));
    vars
}

/// The variables that a candidate mentions in some cells, perhaps several times.
pub(crate) fn mentioned(candidate: &Candidate, cells: &[Cell]) -> impl Iterator<Item = Var> {
    cells.iter().flat_map(|cell| variables(&read(&candidate.process, cell)))
}
