//! Cells that depend on each other: once the value of one is known, the other is restricted.
//!
//! With `a = #1` and `b = #1 + 1`, the cells a and b are coupled. Coupled cells cannot be judged apart, so they show an author which
//! parts of a specification make judging expensive.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::cells::{self, Cell};
use crate::judge::candidate::Candidate;
use crate::term::Var;

/// The candidates whose cells are compared for a report.
const LOOKED_AT: usize = 64;

/// The groups of cells that depend on each other in some candidate, the largest first.
#[must_use]
pub fn coupled(candidates: &[Candidate]) -> Vec<Vec<Cell>> {
    let mut groups: Vec<BTreeSet<Cell>> = Vec::new();
    for candidate in candidates.iter().take(LOOKED_AT) {
        linked(candidate).into_iter().for_each(|group| add(&mut groups, group));
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    groups.into_iter().map(Vec::from_iter).collect()
}

/// The cells in which candidates differ.
#[must_use]
pub fn differing(candidates: &[Candidate]) -> Vec<Cell> {
    cells::differing(&candidates[..candidates.len().min(LOOKED_AT)])
}

/// Adds a group, merged with the groups that share a cell with it; a single cell is no group.
fn add(groups: &mut Vec<BTreeSet<Cell>>, mut group: BTreeSet<Cell>) {
    if group.len() > 1 {
        groups
            .extract_if(.., |other| !other.is_disjoint(&group))
            .collect::<Vec<_>>()
            .into_iter()
            .for_each(|mut other| group.append(&mut other));
        groups.push(group);
    }
}

/// The cells of a candidate that mention the same variables, or variables that constraints or bindings connect.
fn linked(candidate: &Candidate) -> Vec<BTreeSet<Cell>> {
    let mentions = cells::mentions(&candidate.process);
    let mut bound: FxHashMap<Var, Vec<Var>> = FxHashMap::default();
    for var in mentions.keys() {
        if let Some(value) = candidate.store.binding(*var) {
            value.vars(&mut |other| {
                bound.entry(*var).or_default().push(other);
                bound.entry(other).or_default().push(*var);
            });
        }
    }
    let (mut met, mut groups) = (FxHashSet::default(), Vec::new());
    for first in mentions.keys() {
        let (mut open, mut group): (Vec<Var>, _) = (vec![*first], BTreeSet::new());
        while let Some(var) = open.pop() {
            if !met.insert(var) {
                continue;
            }
            group.extend(mentions.get(&var).into_iter().flatten().cloned());
            open.extend(bound.get(&var).into_iter().flatten());
            for constraint in candidate.store.constraints_on(var) {
                constraint.vars(&mut |other| open.push(other));
            }
        }
        groups.push(group);
    }
    groups
}
