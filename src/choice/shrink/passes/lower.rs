//! Lowering picks: many at once, each alone, equal ones together, and one while another is raised.

use super::super::Search;
use super::{FEW, GROUP, few, gallop, is_threshold, pick, positive, set, traded};
use std::collections::BTreeSet;
use std::ops::Range;

/// The largest number of picks above 1, thresholds aside, among which quotients are tried.
const RATIOS: usize = 3;

/// Calls `edit` with all steps; where it fails, with the halves of the chunk, earlier ones first, since lower picks are worth more there.
fn halves(search: &mut Search, mut edit: impl FnMut(&mut Search, Range<usize>) -> bool) {
    let mut open = Vec::from([Range { start: 0, end: search.best.len() }]);
    while let Some(chunk) = open.pop() {
        let chunk = chunk.start..chunk.end.min(search.best.len());
        if search.is_over() {
            return;
        }
        if !chunk.is_empty() && !edit(search, chunk.clone()) && chunk.len() > 1 {
            let middle = chunk.start + chunk.len() / 2;
            open.extend([middle..chunk.end, chunk.start..middle]);
        }
    }
}

/// Replaces the picks of chunks by the results of `lower`.
fn lower_by(search: &mut Search, lower: impl Fn(usize) -> usize) {
    halves(search, |search, chunk| {
        let mut steps = search.best.clone();
        steps[chunk].iter_mut().for_each(|step| step.pick = lower(step.pick));
        // If nothing changes in a chunk, nothing changes in its halves.
        steps == search.best || search.consider(steps)
    });
}

pub fn zero_chunks(search: &mut Search) {
    lower_by(search, |_| 0);
}

pub fn chunks(search: &mut Search) {
    lower_by(search, |pick| pick.min(1));
    lower_by(search, |pick| pick / 2);
    lower_by(search, |pick| pick.saturating_sub(1));
}

/// Lowers each pick alone.
pub fn picks(search: &mut Search) {
    for at in 0..search.best.len() {
        if search.is_over() {
            return;
        }
        minimise(search, &[at]);
    }
}

/// Lowers these positions together to the least pick that fails, as if it were a threshold, and then tries some lower picks.
fn minimise(search: &mut Search, positions: &[usize]) {
    let at = positions[0];
    let lower = |search: &mut Search, to: usize| {
        let edits: Vec<(usize, usize)> = positions.iter().map(|at| (*at, to)).collect();
        to < pick(search, at) && set(search, &edits)
    };
    if pick(search, at) == 0 || lower(search, 0) || lower(search, 1) {
        return;
    }
    let mut passes = 1;
    while passes + 1 < pick(search, at) && !search.is_over() {
        let middle = passes + (pick(search, at) - passes) / 2;
        if !lower(search, middle) {
            passes = middle;
        }
    }
    for below in 1..=GROUP {
        let to = pick(search, at).saturating_sub(below);
        lower(search, to);
    }
}

/// Lowers picks that are no thresholds: to small numbers, to other picks of the run, and in steps of every size, as the failure may depend
/// on a remainder or on some bits.
pub fn steps(search: &mut Search) {
    for at in positive(search) {
        let others = search.best.iter().map(|step| step.pick).collect::<BTreeSet<_>>();
        for to in (0..=2 * GROUP).chain(others.into_iter().take(FEW)) {
            if to < pick(search, at) && set(search, &[(at, to)]) {
                break;
            }
        }
        let sizes = (1..=FEW / 2).chain((6..usize::BITS).map(|bit| 1 << bit)).chain((2..=9).map(|n| 10_usize.pow(n)));
        let tried = if is_threshold(search, at) { 2 * GROUP } else { usize::MAX };
        sizes.take(tried).for_each(|size| step_down(search, at, size));
    }
}

/// Lowers equal picks together: those of one label, and all.
pub fn alike(search: &mut Search) {
    for at in positive(search) {
        for one_label in [true, false] {
            let Some(&step) = search.best.get(at).filter(|step| step.pick > 0) else { continue };
            let is_alike = |&other: &usize| match one_label {
                true => search.best[other] == step,
                false => search.best[other].pick == step.pick,
            };
            let alike: Vec<usize> = (at..search.best.len()).filter(is_alike).collect();
            if alike.len() > 1 && !search.is_over() {
                minimise(search, &alike);
            }
        }
    }
}

/// Lowers all positive picks by the same amount: those of one label, and all.
pub fn together(search: &mut Search) {
    let labels: BTreeSet<_> = search.best.iter().map(|step| Some(step.label)).collect();
    for label in labels.into_iter().chain([None]) {
        gallop(search, |search, by| {
            let mut steps = search.best.clone();
            let lowered =
                steps.iter_mut().filter(|step| step.pick > 0 && label.is_none_or(|label| label == step.label));
            let done =
                lowered.map(|step| step.pick.checked_sub(by).map(|pick| step.pick = pick)).collect::<Option<()>>();
            done.is_some() && search.consider(steps)
        });
    }
}

/// Pairs of positions whose first pick is positive, in long runs the second too; neighbours and pairs with the last steps come first.
fn pairs(search: &Search) -> Vec<(usize, usize)> {
    let (first, length) = (positive(search), search.best.len());
    let second = if few(search) { (0..length).collect() } else { first.clone() };
    let after = |at: usize| second.iter().filter(move |&&other| other > at).map(move |&other| (at, other));
    let mut pairs: Vec<(usize, usize)> = first.iter().flat_map(|&at| after(at)).collect();
    pairs.sort_by_key(|(at, other)| (other - at).min(length - other));
    pairs
}

/// Moves all of a pick to a later one, the last steps first, as in [`trade_pairs`].
pub fn give_all(search: &mut Search) {
    for from_end in 1..search.best.len() {
        for at in positive(search) {
            if let Some(other) = search.best.len().checked_sub(from_end).filter(|&other| other > at && few(search)) {
                let all = pick(search, at);
                trade(search, at, other, all);
            }
        }
    }
}

/// Moves an amount from one pick to a later one, see [`traded`]: all of it, then powers of two.
pub fn trade_pairs(search: &mut Search) {
    for (at, other) in pairs(search) {
        let mut amount = pick(search, at);
        while amount > 0 && !search.is_over() {
            if !trade(search, at, other, amount) {
                amount = (amount - 1).checked_ilog2().map_or(0, |bit| 1 << bit);
            }
        }
    }
}

fn trade(search: &mut Search, at: usize, other: usize, amount: usize) -> bool {
    let (Some(from), Some(to)) = (search.best.get(at), search.best.get(other)) else { return false };
    let Some(left) = from.pick.checked_sub(amount) else { return false };
    let changed = to.pick ^ from.pick ^ left;
    traded(to, amount).into_iter().chain([changed]).any(|traded| set(search, &[(at, left), (other, traded)]))
}

/// Lowers a pick while a later one is set to its highest, and then lowers the later one as far as possible.
pub fn make_room(search: &mut Search) {
    for (at, other) in pairs(search) {
        let made = gallop(search, |search, by| {
            let top = search.best.get(other).map_or(0, |step| step.arity - 1);
            pick(search, at).checked_sub(by).is_some_and(|to| set(search, &[(at, to), (other, top)]))
        });
        if made {
            minimise(search, &[other]);
        }
    }
}

/// Lowers two picks by different amounts, or raises one of them, as the failure may depend on their quotient.
pub fn ratios(search: &mut Search) {
    let large = above(search, 1);
    if large.len() > RATIOS {
        return;
    }
    for (number, &at) in large.iter().enumerate() {
        for &other in &large[number + 1..] {
            for (less, change) in (1..=2 * GROUP).flat_map(|less| (1..=2 * GROUP).map(move |change| (less, change))) {
                for sign in [usize::checked_sub, usize::checked_add] {
                    gallop(search, |search, times| {
                        let by = |step: usize| step.checked_mul(times);
                        let lower = by(less).and_then(|by| pick(search, at).checked_sub(by));
                        let changed = by(change).and_then(|by| sign(pick(search, other), by));
                        lower.zip(changed).is_some_and(|(lower, changed)| set(search, &[(at, lower), (other, changed)]))
                    });
                }
            }
        }
    }
}

/// Lowers single picks in steps of many sizes, as the failure may depend on the remainder for a large divisor.
pub fn large_steps(search: &mut Search) {
    for at in above(search, FEW / 2).into_iter().rev().take(GROUP) {
        (FEW / 2 + 1..=4 * FEW).for_each(|size| step_down(search, at, size));
    }
}

/// The positions of picks above a number that are no thresholds.
fn above(search: &mut Search, number: usize) -> Vec<usize> {
    let mut large = positive(search);
    large.retain(|&at| pick(search, at) > number && !is_threshold(search, at));
    large
}

fn step_down(search: &mut Search, at: usize, size: usize) {
    if size <= pick(search, at) {
        gallop(search, |search, times| {
            let lower = size.checked_mul(times).and_then(|by| pick(search, at).checked_sub(by));
            lower.is_some_and(|to| set(search, &[(at, to)]))
        });
    }
}
