//! The edits that make a run smaller.
//!
//! Each pass walks over the best run and offers edited copies to the gate. Passes are in tiers: later tiers try more edits, on shorter
//! runs, and a tier begins if the tiers before it did not make the run smaller. Edits that lead to a known run are free, so a pass may
//! simply start again.

mod delete;
mod lower;
mod merge;
mod moves;
mod rename;
mod reorder;
mod worlds;

use super::super::{Label, Step};
use super::Search;
use std::collections::BTreeSet;
use std::ops::Range;

pub(super) use worlds::least_of_all;

/// A pass, which tries edits of the best run one after another.
pub(super) type Pass = fn(&mut Search);

/// All passes, by tiers, in the order in which they are tried: those that remove most come first.
pub(super) const TIERS: &[&[Pass]] = &[
    // A few edits for each relevant step, however long the run is.
    &[delete::chunks, lower::zero_chunks, delete::lengths, lower::chunks, lower::picks],
    // Some edits for each step.
    &[delete::periods, delete::length_periods, delete::groups, delete::below, delete::recast],
    &[lower::alike, lower::together, lower::give_all],
    &[rename::in_order, rename::swap_names, reorder::sort_items],
    &[reorder::swap_groups, reorder::swap_twice, reorder::swap_items, reorder::move_later],
    &[lower::steps, delete::spans],
    // Some edits for each pair of steps.
    &[lower::trade_pairs, lower::make_room, merge::merges, moves::pairs, moves::raise],
    // Some edits for each three steps.
    &[lower::large_steps, lower::ratios, moves::triples, worlds::small, merge::compensate],
];

/// The largest number of steps of a run for which pairs are tried; groups are tried for twice as many.
const FEW: usize = 64;
/// The largest number of steps of a group.
const GROUP: usize = 4;

fn few(search: &Search) -> bool {
    !search.is_over() && search.best.len() <= FEW
}

fn without(steps: &[Step], chunk: Range<usize>) -> Vec<Step> {
    [&steps[..chunk.start], &steps[chunk.end..]].concat()
}

fn with_pick(mut steps: Vec<Step>, at: usize, pick: usize) -> Vec<Step> {
    steps[at].pick = pick;
    steps
}

fn pick(search: &Search, at: usize) -> usize {
    search.best.get(at).map_or(0, |step| step.pick)
}

/// The positions of picks that can be lowered, up to [`FEW`] of them.
fn positive(search: &Search) -> Vec<usize> {
    (0..search.best.len()).filter(|&at| search.best[at].pick > 0).take(FEW).collect()
}

fn labels(steps: &[Step]) -> BTreeSet<Label> {
    steps.iter().map(|step| step.label).collect()
}

/// Considers steps if their picks are lexicographically lower.
fn consider_lower(search: &mut Search, steps: Vec<Step>) -> bool {
    let is_lower = steps.iter().map(|step| step.pick).lt(search.best.iter().map(|step| step.pick));
    is_lower && search.consider(steps)
}

/// Considers the best run with other picks at these positions.
fn set(search: &mut Search, picks: &[(usize, usize)]) -> bool {
    let mut steps = search.best.clone();
    for (at, pick) in picks {
        match steps.get_mut(*at) {
            Some(step) if *pick < step.arity => step.pick = *pick,
            _ => return false,
        }
    }
    search.consider(steps)
}

/// Tests whether the best run fails with another pick at a position, even if that run comes later; `None` if no test is allowed.
fn fails_with(search: &mut Search, at: usize, pick: usize) -> Option<bool> {
    let mut steps = search.best.clone();
    steps.get_mut(at).filter(|step| pick < step.arity)?.pick = pick;
    if few(search) { search.fails(&steps) } else { None }
}

/// The number of steps by which the run becomes shorter if a pick is lowered by one; `None` unless the pick is a length.
fn width(search: &mut Search, at: usize) -> Option<usize> {
    let (lower, before) = (pick(search, at).checked_sub(1)?, search.best.len());
    let attempt = search.attempt(with_pick(search.best.clone(), at, lower))?;
    before.checked_sub(attempt.length).filter(|width| *width > 0 && !attempt.adopted)
}

/// Tests whether higher picks, as far as some of them show, fail as well: the least failing pick is then found by bisection.
fn is_threshold(search: &mut Search, at: usize) -> bool {
    let Some(&Step { arity, pick, .. }) = search.best.get(at) else { return true };
    let mut higher = [pick + 1, pick + (arity - pick) / 2, arity - 1].into_iter().filter(|&to| to > pick && to < arity);
    higher.all(|to| fails_with(search, at, to) == Some(true))
}

/// The picks that a step may get if another step loses an amount: their sum or their difference stays, modulo the arity.
fn traded(step: &Step, amount: usize) -> Vec<usize> {
    let (pick, arity, amount) = (step.pick as u128, step.arity as u128, amount as u128 % step.arity as u128);
    let mut traded = vec![((pick + amount) % arity) as usize, ((pick + arity - amount) % arity) as usize];
    traded.dedup();
    traded
}

/// Repeats an edit that can be made several times at once: twice as often after each success, half as often after each failure.
///
/// ```text
///   times        1   2   4   8  16   8   8   4   2   2   1
///   lowered to  99  97  93  85   ·  77   ·   ·  75   ·   ·      a pick of 100 that fails from 75 on
/// ```
fn gallop(search: &mut Search, mut edit: impl FnMut(&mut Search, usize) -> bool) -> bool {
    let (mut times, mut grows, mut succeeded) = (1_usize, true, false);
    while times > 0 && !search.is_over() {
        let succeeds = edit(search, times);
        (grows, succeeded) = (grows && succeeds, succeeded || succeeds);
        times = match succeeds {
            true if grows => times.saturating_mul(2),
            true => times,
            false => times / 2,
        };
    }
    succeeded
}

/// The items of a run: from each step to the next one with its label. The last item of a label is as long as the shortest before it.
fn items(steps: &[Step]) -> Vec<Range<usize>> {
    (0..steps.len()).filter_map(|at| item(steps, at)).collect()
}

fn item(steps: &[Step], at: usize) -> Option<Range<usize>> {
    let label = steps[at].label;
    let same = |other: &usize| steps[*other].label == label;
    if let Some(next) = (at + 1..steps.len()).find(same) {
        return Some(at..next);
    }
    let mut starts = (0..=at).filter(same).peekable();
    let widths = std::iter::from_fn(|| starts.next().and_then(|start| Some(*starts.peek()? - start)));
    let end = at + widths.min().unwrap_or(steps.len() - at);
    (end <= steps.len()).then_some(at..end)
}
