//! Deleting an item and compensating elsewhere, as a failure may depend on a sum or another number computed from all items.

use super::super::super::{Choices, Random, Step};
use super::super::Search;
use super::moves::{Move, consider_draft, deletions, drafted};
use super::{GROUP, fails_with, few, pick, traded};

/// The number of alternatives up to which a pick is not used for compensation, since small edits try all of its alternatives.
const WIDE: usize = 4 * GROUP;
/// The number of random edits, and the distance from the present pick within which half of them are.
const DRAWN: usize = 800;
const AROUND: usize = 256;

/// Deletes an item; one of its picks is added to another pick, subtracted from it, or changes its bits.
pub fn merges(search: &mut Search) {
    for it in deletions(search) {
        let (Move::Shorten(_, item) | Move::Delete(item)) = &it else { continue };
        for from in item.clone().filter(|&from| pick(search, from) > 0).collect::<Vec<_>>() {
            for to in (0..search.best.len()).rev().filter(|to| !item.contains(to)) {
                merge(search, &it, from, to);
            }
        }
    }
}

fn merge(search: &mut Search, deletion: &Move, from: usize, to: usize) {
    let given = pick(search, from);
    for above in [0, 1] {
        let traded = search.best.get(to).map_or(Vec::new(), |step| traded(step, given.saturating_add(above)));
        for merged in traded {
            let Some(mut draft) = drafted(search, &[deletion], 1).filter(|_| few(search)) else { return };
            let Some(Some(step)) = draft.get_mut(to) else { return };
            step.pick = merged.min(step.arity - 1);
            consider_draft(search, draft);
        }
    }
}

/// Deletes an item, and sets another pick to a random number.
pub fn compensate(search: &mut Search) {
    let bounded: Vec<usize> = (0..search.best.len()).filter(|&at| is_bounded(search, at)).collect();
    let items = if bounded.is_empty() { Vec::new() } else { deletions(search) };
    let mut random = Random::new(DRAWN as u64);
    let mut below = |bound: usize| random.choose("drawn", bound).unwrap_or(0);
    for _ in 0..if items.is_empty() { 0 } else { DRAWN } {
        let (deletion, to) = (&items[below(items.len())], bounded[below(bounded.len())]);
        let (far, around, is_far) =
            (below(search.best.get(to).map_or(1, |step| step.arity)), below(2 * AROUND), below(2) == 1);
        let Some(mut draft) = drafted(search, &[deletion], 1).filter(|_| few(search)) else { continue };
        if let Some(Some(Step { arity, pick, .. })) = draft.get_mut(to) {
            let near = pick.saturating_add(around).saturating_sub(AROUND).min(*arity - 1);
            *pick = if is_far { far } else { near };
            consider_draft(search, draft);
        }
    }
}

/// Tests whether a pick with many alternatives is a value and no threshold: with its highest alternative the run does not fail.
fn is_bounded(search: &mut Search, at: usize) -> bool {
    let Some(&step) = search.best.get(at).filter(|step| step.arity > WIDE && step.pick + 1 < step.arity) else {
        return false;
    };
    fails_with(search, at, step.arity - 1) == Some(false)
}
