//! What candidates have in common, and what each holds beside it: work on few cells costs what these cells are.
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
use super::cells::{self, variables};
use super::frontier::Judge;
use super::havoc::Cell;
use super::normal::unordered;
use crate::solve::Store;
use crate::term::Var;
use crate::value::{Map, Value};

/// Something that is done to the parts of candidates, which hold something in these cells alone.
pub(super) type Work<'w> = &'w mut dyn FnMut(&mut Judge, &mut Vec<Candidate>, &[Cell]);

/// What candidates have in common.
pub(super) struct Common {
    base: Candidate,
    /// The cells of the parts.
    pub(super) cells: Vec<Cell>,
}

impl Judge {
    /// Works on what candidates hold beside what they have in common, and on what depends on variables behind the `last`. All that is
    /// under way is known ([`are_separable`]).
    pub(super) fn beside_common(&mut self, candidates: &mut Vec<Candidate>, last: u64, work: Work<'_>) {
        let spec = self.spec.clone();
        unordered::to_sets(candidates, &spec.program.unordered);
        // With the same under way in all of them, only their memories differ.
        let mut alike: Vec<Vec<Candidate>> = Vec::new();
        for candidate in candidates.drain(..) {
            match alike.iter_mut().find(|others| others[0].process.has_same_pending(&candidate.process)) {
                Some(others) => others.push(candidate),
                None => alike.push(vec![candidate]),
            }
        }
        for mut group in alike {
            let coupled = Coupled::of(&group, last);
            if !coupled.left {
                // All that is unknown is in the cells: the parts would be no smaller.
                work(self, &mut group, &coupled.cells);
                candidates.append(&mut group);
                continue;
            }
            let common = Common::of(&group[0], coupled);
            let mut parts = group.iter().map(|candidate| common.part(candidate)).collect();
            work(self, &mut parts, &common.cells);
            candidates.extend(parts.iter().map(|part| common.with(part)));
        }
        unordered::to_lists(candidates, &spec.program.unordered);
    }
}

/// Tests whether candidates can be taken apart into what they have in common and the rest.
pub(super) fn are_separable(candidates: &[Candidate]) -> bool {
    candidates.iter().all(|candidate| candidate.is_plain() && candidate.store.is_separable())
}

impl Common {
    fn of(first: &Candidate, Coupled { cells, vars, .. }: Coupled) -> Common {
        let mut base = first.clone();
        base.store.remove_part(&vars);
        base.open = true;
        Common { base, cells }
    }

    /// What a candidate holds in the cells, and what is known of it.
    fn part(&self, candidate: &Candidate) -> Candidate {
        let mut part = candidate.clone();
        let whole = &candidate.process.memory;
        let mut memory = vec![Value::Absent; whole.len()];
        let mut maps: FxHashMap<u32, Map> = FxHashMap::default();
        for cell in &self.cells {
            match (&cell.key, &whole[cell.slot as usize]) {
                (Some(key), Value::Map(map)) => {
                    let entry = map.plain_entry(key).flatten().cloned();
                    maps.entry(cell.slot).or_default().set_in_place(key, entry);
                }
                (Some(_) | None, value) => memory[cell.slot as usize] = value.clone(),
            }
        }
        maps.into_iter().for_each(|(slot, map)| memory[slot as usize] = Value::Map(map));
        part.process.memory = memory;
        let read = |cell| variables(&cells::read(&part.process, cell));
        let vars = self.cells.iter().flat_map(read).collect();
        part.store = candidate.store.part(&connected(&candidate.store, vars));
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
        whole.fresh += part.fresh;
        whole.unseen += part.unseen;
        whole.open |= part.open;
        whole
    }
}

/// What is known of a candidate beside some cells with which no other one is connected.
pub(super) fn known_beside(candidate: &Candidate, cells: &[Cell]) -> Store {
    let vars = cells.iter().flat_map(|cell| variables(&cells::read(&candidate.process, cell))).collect();
    let mut store = candidate.store.clone();
    store.remove_part(&connected(&candidate.store, vars));
    store
}

/// Variables, and those that constraints and bindings of a store connect them with.
fn connected(store: &Store, vars: FxHashSet<Var>) -> FxHashSet<Var> {
    let bound = Bound::of([store]);
    let mut open: Vec<Var> = vars.iter().copied().collect();
    let mut all = vars;
    while let Some(var) = open.pop() {
        let mut visit = |other: Var| {
            if all.insert(other) {
                open.push(other);
            }
        };
        bound.visit(var, &mut visit);
        store.constraints_on(var).for_each(|constraint| constraint.vars(&mut visit));
    }
    all
}

/// The variables that bindings connect.
struct Bound(FxHashMap<Var, Vec<Var>>);

impl Bound {
    fn of<'s>(stores: impl IntoIterator<Item = &'s Store>) -> Bound {
        let mut edges: FxHashMap<Var, Vec<Var>> = FxHashMap::default();
        for (var, value) in stores.into_iter().flat_map(Store::bindings) {
            value.vars(&mut |other| {
                edges.entry(var).or_default().push(other);
                edges.entry(other).or_default().push(var);
            });
        }
        Bound(edges)
    }

    fn visit(&self, var: Var, visit: &mut dyn FnMut(Var)) {
        self.0.get(&var).into_iter().flatten().for_each(|other| visit(*other));
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
    fn of(candidates: &[Candidate], last: u64) -> Coupled {
        let mut cells = cells::differing(candidates);
        let mut mentions: FxHashMap<Var, Vec<Cell>> = cells::mentions(&candidates[0].process);
        let mut known: FxHashSet<Cell> = cells.iter().cloned().collect();
        let whole: FxHashSet<u32> = cells.iter().filter(|cell| cell.key.is_none()).map(|cell| cell.slot).collect();
        mentions
            .values_mut()
            .for_each(|cells| cells.retain(|cell| !whole.contains(&cell.slot) && !known.contains(cell)));
        let mut open: Vec<Var> = mentions.keys().copied().filter(|var| var.id > last).collect();
        for candidate in candidates {
            cells.iter().for_each(|cell| open.extend(variables(&cells::read(&candidate.process, cell))));
            candidates[0].store.differing_variables(&candidate.store, &mut |var| open.push(var));
        }
        let bound = Bound::of(candidates.iter().map(|candidate| &candidate.store));
        let mut vars: FxHashSet<Var> = FxHashSet::default();
        while let Some(var) = open.pop() {
            if !vars.insert(var) {
                continue;
            }
            bound.visit(var, &mut |other| open.push(other));
            for candidate in candidates {
                let constraints = candidate.store.constraints_on(var);
                constraints.for_each(|constraint| constraint.vars(&mut |other| open.push(other)));
            }
            for cell in mentions.remove(&var).unwrap_or_default() {
                if known.insert(cell.clone()) {
                    open.extend(variables(&cells::read(&candidates[0].process, &cell)));
                    cells.push(cell);
                }
            }
        }
        let left = mentions.values().flatten().any(|cell| !known.contains(cell));
        Coupled { cells, vars, left }
    }
}
