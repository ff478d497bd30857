//! The common part of candidates, and the cells in which they differ: work on few cells costs no more than these cells.
//!
//! ```text
//! {a: 1, b: #1, c: #2}, {a: 1, b: #1, c: #3 + 1}        two candidates
//! {a: 1, b: #1}  beside  {c: #2}, {c: #3 + 1}           what they have in common, and two parts
//! ```
//!
//! Outside the cells of the parts all candidates hold the same values, and no constraint or binding connects the variables of these values
//! with those of the parts. So the states of a candidate are the product of the states of its part and of the common part, and parts may
//! be replaced by any others that stand for the same states together (`proofs-notes/frontier.md`, *Parts*).

use rustc_hash::{FxHashMap, FxHashSet};

use super::cells::{self, Cell, mentioned, variables};
use crate::judge::candidate::Candidate;
use crate::solve::Connections;
use crate::term::Var;
use crate::value::{Map, Value};

/// The memory and the store that candidates have in common.
///
/// 1. No constraint or binding connects variables of `base` with those of a part.
/// 2. A part holds nothing outside of `cells`; what `base` holds in `cells` does not matter.
pub(crate) struct CommonPart {
    base: Candidate,
    /// The cells of the parts.
    pub(crate) cells: Vec<Cell>,
}

impl CommonPart {
    /// The part that the first of some candidates has in common with the others.
    pub(crate) fn of(first: &Candidate, Coupled { cells, vars, .. }: Coupled) -> CommonPart {
        let mut base = first.clone();
        base.store.remove_part(&vars);
        base.growth.open = true;
        CommonPart { base, cells }
    }

    /// The part of a candidate: its values in the cells, with the constraints on their variables.
    pub(crate) fn part(&self, candidate: &Candidate) -> Candidate {
        let mut part = candidate.clone();
        let whole = &candidate.process.memory;
        let mut memory = vec![Value::Absent; whole.len()];
        let mut maps: FxHashMap<u32, Map> = FxHashMap::default();
        for cell in &self.cells {
            match (&cell.key, &whole[cell.slot as usize]) {
                (Some(key), Value::Map(map)) => {
                    let entry = map.cell(key).flatten().cloned();
                    maps.entry(cell.slot).or_default().set_in_place(key, entry);
                }
                (Some(_) | None, value) => memory[cell.slot as usize] = value.clone(),
            }
        }
        maps.into_iter().for_each(|(slot, map)| memory[slot as usize] = Value::Map(map));
        part.process.memory = memory;
        let vars = mentioned(&part, &self.cells).collect();
        part.store = candidate.store.part(&Connections::of([&candidate.store]).close(vars));
        part
    }

    /// The candidate that consists of a part and the common part.
    pub(crate) fn with(&self, part: &Candidate) -> Candidate {
        let mut whole = self.base.clone();
        for cell in &self.cells {
            cells::write(&mut whole.process, cell, cells::read(&part.process, cell));
        }
        whole.store.add_part(&part.store);
        whole.doubt.clone_from(&part.doubt);
        whole.growth.choices += part.growth.choices;
        whole.growth.variables += part.growth.variables;
        whole.growth.open |= part.growth.open;
        whole
    }
}

/// The cells in which candidates differ, or on whose variables they have different constraints; and all cells and variables that are
/// connected with these.
pub(crate) struct Coupled {
    pub(crate) cells: Vec<Cell>,
    vars: FxHashSet<Var>,
    /// Set if another cell mentions a variable.
    pub(crate) left: bool,
}

impl Coupled {
    /// The coupled cells of some candidates, at least one.
    pub(crate) fn of(candidates: &[Candidate]) -> Coupled {
        let first = &candidates[0];
        let mut cells = cells::differing(candidates);
        cells::add_sharing(candidates, &mut cells);
        let mut mentions: FxHashMap<Var, Vec<Cell>> = cells::mentions(&first.process);
        let mut known: FxHashSet<Cell> = cells.iter().cloned().collect();
        let whole: FxHashSet<u32> = cells.iter().filter(|cell| cell.key.is_none()).map(|cell| cell.slot).collect();
        mentions
            .values_mut()
            .for_each(|cells| cells.retain(|cell| !whole.contains(&cell.slot) && !known.contains(cell)));
        let mut open: Vec<Var> = Vec::new();
        for candidate in candidates {
            open.extend(mentioned(candidate, &cells));
            first.store.differing_variables(&candidate.store, &mut |var| open.push(var));
        }
        let connections = Connections::of(candidates.iter().map(|candidate| &candidate.store));
        let mut vars: FxHashSet<Var> = FxHashSet::default();
        while !open.is_empty() {
            let new = connections.extend(&mut vars, open.drain(..));
            for cell in new.iter().flat_map(|var| mentions.remove(var).unwrap_or_default()) {
                if known.insert(cell.clone()) {
                    open.extend(variables(&cells::read(&first.process, &cell)));
                    cells.push(cell);
                }
            }
        }
        let left = mentions.values().flatten().any(|cell| !known.contains(cell));
        Coupled { cells, vars, left }
    }
}
