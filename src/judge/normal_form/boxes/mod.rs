//! The normal form of a frontier: candidates that differ in few cells are put together, and independent cells are taken apart
//! (`proofs-notes/frontier.md`, *Normal form*).
//!
//! ```text
//! {n: 1, a: 0}, {n: 2, a: 0}, {n: 1, a: 1}, {n: 2, a: 1}   four candidates
//! {n: 1 to 2, a: 0 to 1}                                   one, with two variables
//! ```
//!
//! Candidates become boxes: contents of the cells in which they differ, or on which they have different constraints. Boxes are
//! dropped, united, and taken apart into parts. A part is written into memory with fresh variables; if it has a few boxes, one
//! variable is a *selector* that says which box it is. The note `proofs-notes/frontier.md` says why no state is added or lost.

pub(crate) mod cells;
pub(crate) mod coupled;
pub(crate) mod focus;

mod atoms;
mod content;
mod lists;
mod rebuild;
mod row;
mod sum;
pub(crate) mod unordered;

use rustc_hash::FxHashSet;

use crate::judge::candidate::Candidate;
use crate::judge::context::Context;
use crate::limits;
use crate::solve::Solver;
use cells::Cell;
use content::Content;
use row::CellRow;
use sum::Sum;

/// Puts candidates that differ in these cells only together into at most `most` candidates in normal form; returns whether it did.
/// The bindings of their stores must have been substituted into their memories.
pub(crate) fn subsume_unite_split(
    context: &mut Context,
    candidates: &mut Vec<Candidate>,
    cells: &[Cell],
    most: usize,
) -> bool {
    if candidates.len() > limits::FOLLOWED {
        return false;
    }
    let mut met = FxHashSet::default();
    candidates.retain(|candidate| met.insert(CellRow::of(candidate, cells).state()));
    let boxes = as_boxes(candidates, cells, &mut context.solver);
    boxes.is_some_and(|(sum, groups)| rebuild::rebuild(context, candidates, cells, &sum, &groups, most))
}

/// The candidates as boxes over groups of cells, which are given by their positions.
fn as_boxes(candidates: &[Candidate], cells: &[Cell], solver: &mut Solver) -> Option<(Sum, Vec<Vec<usize>>)> {
    let (mut rows, mut linked) = (Vec::new(), Vec::new());
    for candidate in candidates {
        let limit = limits::ROWS.checked_sub(rows.len())?;
        rows.extend(CellRow::of(candidate, cells).independent(limit, &mut linked, solver)?);
    }
    let groups = groups(cells.len(), linked);
    let contents = |row: &CellRow, solver: &mut Solver| groups.iter().map(|group| row.content(group, solver)).collect();
    let boxes: Vec<Vec<Content>> = rows.iter().map(|row| contents(row, solver)).collect();
    let mut sum = Sum::of(&boxes);
    sum.reduce();
    Some((sum, groups))
}

/// The groups of cells that are linked in some candidate, and each other cell alone.
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
