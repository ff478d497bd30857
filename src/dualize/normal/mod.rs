//! The normal form of a frontier: candidates that differ in few cells are put together, and what is independent is taken
//! apart (`frontier.md`, *Normal form*).
//!
//! ```text
//! {n: 1, a: 0}, {n: 2, a: 0}, {n: 1, a: 1}, {n: 2, a: 1}   four candidates
//! {n: 1 to 2, a: 0 to 1}                                   one, with two variables
//! ```
//!
//! Candidates become boxes: contents of the cells in which they differ, or of which they know different things. Boxes are
//! dropped, united, and taken apart into parts; a part of one box is written into memory with fresh variables, one of few
//! boxes with a *selector* that says which of them it is. The note `proofs-notes/frontier.md` says why no state comes or goes.

mod atoms;
mod boxes;
mod content;
mod lists;
mod rebuild;
mod row;
mod unordered;

use rustc_hash::{FxHashMap, FxHashSet};

use super::candidate::Candidate;
use super::cells;
use super::frontier::Judge;
use super::havoc::Cell;
use crate::solve::Solver;
use crate::term::Var;
use boxes::Sum;
use content::Content;
use row::Row;

/// More rows than this are not made.
const ROWS: usize = 512;
/// More candidates than this are not put together.
const CANDIDATES: usize = 4_096;

impl Judge {
    /// Puts candidates together, where that is possible. What is solved has been substituted into their memories.
    pub(super) fn normalize(&mut self, candidates: &mut Vec<Candidate>) {
        if candidates.len() > CANDIDATES || !candidates.iter().all(|candidate| candidate.is_plain()) {
            return;
        }
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
            if group.len() > 1 {
                self.normalize_alike(&mut group);
            }
            candidates.append(&mut group);
        }
        unordered::to_lists(candidates, &spec.program.unordered);
    }

    fn normalize_alike(&mut self, candidates: &mut Vec<Candidate>) {
        let cells = Cells::of(candidates);
        let mut met = FxHashSet::default();
        candidates.retain(|candidate| met.insert(Row::of(candidate, &cells.own).state()));
        if let Some((sum, groups)) = self.boxes(candidates, &cells.own) {
            self.rebuild(candidates, &cells, (&sum, &groups));
        }
    }

    /// The candidates as boxes over groups of cells, which are given by their positions.
    fn boxes(&mut self, candidates: &[Candidate], cells: &[Cell]) -> Option<(Sum, Vec<Vec<usize>>)> {
        let (mut rows, mut linked) = (Vec::new(), Vec::new());
        for candidate in candidates {
            let limit = ROWS.checked_sub(rows.len())?;
            rows.extend(Row::of(candidate, cells).independent(limit, &mut linked, &mut self.solver)?);
        }
        let groups = groups(cells.len(), linked);
        let contents = |row: &Row, solver: &mut Solver| groups.iter().map(|group| row.content(group, solver)).collect();
        let boxes: Vec<Vec<Content>> = rows.iter().map(|row| contents(row, &mut self.solver)).collect();
        let mut sum = Sum::of(&boxes);
        sum.reduce();
        Some((sum, groups))
    }
}

/// Groups of cells that are linked somewhere, and the other cells alone.
fn groups(cells: usize, linked: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = (0..cells).map(|cell| vec![cell]).collect();
    for link in linked {
        let (together, apart): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| group.iter().any(|cell| link.contains(cell)));
        groups = apart;
        let mut merged: Vec<usize> = together.concat();
        merged.sort_unstable();
        groups.push(merged);
    }
    groups
}

/// The cells in which candidates differ, or of whose variables they know different things; and the variables of the others.
struct Cells {
    own: Vec<Cell>,
    common: FxHashSet<Var>,
}

impl Cells {
    fn of(candidates: &[Candidate]) -> Cells {
        let mut own = cells::differing(candidates);
        let mut mentions: FxHashMap<Var, Vec<Cell>> = cells::mentions(&candidates[0].process);
        let is_own = |cell: &Cell| own.iter().any(|own| own.slot == cell.slot && (own.key.is_none() || own == cell));
        mentions.values_mut().for_each(|cells| cells.retain(|cell| !is_own(cell)));
        let mut open: Vec<Var> =
            mentions.keys().copied().filter(|var| is_known_differently(candidates, *var)).collect();
        for candidate in candidates {
            let entries = own.iter().map(|cell| cells::read(&candidate.process, cell));
            entries.for_each(|entry| open.extend(cells::variables(&entry)));
        }
        let mut met: FxHashSet<Var> = FxHashSet::default();
        while let Some(var) = open.pop() {
            if !met.insert(var) {
                continue;
            }
            for candidate in candidates {
                candidate
                    .store
                    .constraints_on(var)
                    .for_each(|constraint| constraint.vars(&mut |other| open.push(other)));
            }
            for cell in mentions.remove(&var).unwrap_or_default() {
                if !own.contains(&cell) {
                    open.extend(cells::variables(&cells::read(&candidates[0].process, &cell)));
                    own.push(cell);
                }
            }
        }
        let common = mentions.into_iter().filter(|(_, cells)| cells.iter().any(|cell| !own.contains(cell)));
        Cells { common: common.map(|(var, _)| var).collect(), own }
    }
}

/// Tests whether candidates know different things of a variable.
fn is_known_differently(candidates: &[Candidate], var: Var) -> bool {
    let (first, others) = (&candidates[0].store, &candidates[1..]);
    others.iter().any(|other| {
        let same = first.domain(var) == other.store.domain(var)
            && first.constraints_on(var).count() == other.store.constraints_on(var).count()
            && first.constraints_on(var).all(|own| other.store.constraints_on(var).any(|theirs| own == theirs));
        !same
    })
}
