//! The part that candidates have in common, and what each holds beside it: work on few cells costs what these cells are.
//!
//! ```text
//! {a: 1, b: #1, c: #2}, {a: 1, b: #1, c: #3 + 1}        two candidates
//! {a: 1, b: #1}  beside  {c: #2}, {c: #3 + 1}           what they have in common, and two parts
//! ```
//!
//! Beside the cells of the parts all candidates hold the same, and no constraint or binding connects its variables with those of
//! the parts: the states of a candidate are the product of those of its part and of what is common. So parts may be replaced by any
//! others that stand for the same states together (`proofs-notes/frontier.md`, *Parts*).

use rustc_hash::{FxHashMap, FxHashSet};

use super::candidate::Candidate;
use super::cells::{self, Cell, mentioned, variables};
use super::frontier::Judge;
use super::normal::{self, unordered};
use super::{forget, redundant, tidy};
use crate::solve::Connections;
use crate::term::Var;
use crate::value::{Map, Value};

/// Candidates are put together where that makes so many times fewer of them.
const GAIN: usize = 2;

/// Memory and store that candidates have in common.
struct Common {
    base: Candidate,
    /// The cells of the parts.
    cells: Vec<Cell>,
}

/// Puts candidates together, each group of n into no more than `most(n)`, by what they hold beside what they have in common, and
/// in cells that mention variables behind the number `since`. Candidates must be separable ([`are_separable`]). Returns `false`
/// where some are not in normal form.
pub(super) fn put_together(
    judge: &mut Judge,
    candidates: &mut Vec<Candidate>,
    since: Option<u64>,
    most: fn(usize) -> usize,
) -> bool {
    let spec = judge.spec.clone();
    unordered::to_sets(candidates, &spec.program.unordered);
    // With the same under way in all of them, only their memories differ.
    let mut alike: Vec<Vec<Candidate>> = Vec::new();
    for candidate in candidates.drain(..) {
        match alike.iter_mut().find(|others| others[0].process.has_same_pending(&candidate.process)) {
            Some(others) => others.push(candidate),
            None => alike.push(vec![candidate]),
        }
    }
    let mut all_normal = true;
    for mut group in alike {
        let coupled = Coupled::of(&group, since);
        if !coupled.left {
            // All that is unknown is in the cells: the parts would be no smaller.
            all_normal &= put_parts_together(judge, &mut group, &coupled.cells, most);
            candidates.append(&mut group);
            continue;
        }
        let common = Common::of(&group[0], coupled);
        let mut parts = group.iter().map(|candidate| common.part(candidate)).collect();
        all_normal &= put_parts_together(judge, &mut parts, &common.cells, most);
        candidates.extend(parts.iter().map(|part| common.with(part)));
    }
    unordered::to_lists(candidates, &spec.program.unordered);
    all_normal
}

fn put_parts_together(judge: &mut Judge, parts: &mut Vec<Candidate>, cells: &[Cell], most: fn(usize) -> usize) -> bool {
    tidy::each(judge, parts, forget::dead);
    let is_normal = normal::normalize(judge, parts, cells, most(parts.len()));
    // In boxes none covers another one.
    if !is_normal || !parts.iter().all(|part| part.store.has_only_domains()) {
        redundant::drop_some(judge, parts);
    }
    is_normal
}

/// The number of candidates that so many are to become at most, where they are put together.
pub(super) fn fewer(candidates: usize) -> usize {
    candidates / GAIN
}

/// Tests whether candidates can be taken apart into what they have in common and the rest.
pub(super) fn are_separable(candidates: &[Candidate]) -> bool {
    candidates.iter().all(|candidate| candidate.is_plain() && candidate.store.is_separable())
}

impl Common {
    fn of(first: &Candidate, Coupled { cells, vars, .. }: Coupled) -> Common {
        let mut base = first.clone();
        base.store.remove_part(&vars);
        base.growth.open = true;
        Common { base, cells }
    }

    /// The part of a candidate: the cells, and what is known of their variables.
    fn part(&self, candidate: &Candidate) -> Candidate {
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

    /// The candidate that holds a part beside what is common.
    fn with(&self, part: &Candidate) -> Candidate {
        let mut whole = self.base.clone();
        for cell in &self.cells {
            cells::write(&mut whole.process, cell, cells::read(&part.process, cell));
        }
        whole.store.add_part(&part.store);
        (whole.doubt, whole.doubted) = (part.doubt.clone(), part.doubted);
        whole.growth.choices += part.growth.choices;
        whole.growth.variables += part.growth.variables;
        whole.growth.open |= part.growth.open;
        whole
    }
}

/// The cells in which candidates differ, or of whose variables they know different things, and all that is connected with these.
struct Coupled {
    cells: Vec<Cell>,
    vars: FxHashSet<Var>,
    /// Set where another cell mentions a variable.
    left: bool,
}

impl Coupled {
    fn of(candidates: &[Candidate], since: Option<u64>) -> Coupled {
        let first = &candidates[0];
        let mut cells = cells::differing(candidates);
        cells::add_sharing(candidates, &mut cells);
        let mut mentions: FxHashMap<Var, Vec<Cell>> = cells::mentions(&first.process);
        let mut known: FxHashSet<Cell> = cells.iter().cloned().collect();
        let whole: FxHashSet<u32> = cells.iter().filter(|cell| cell.key.is_none()).map(|cell| cell.slot).collect();
        mentions
            .values_mut()
            .for_each(|cells| cells.retain(|cell| !whole.contains(&cell.slot) && !known.contains(cell)));
        let is_new = |var: &Var| since.is_some_and(|last| var.id > last);
        let mut open: Vec<Var> = mentions.keys().copied().filter(is_new).collect();
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
