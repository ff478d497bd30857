//! Deleting an item and making up for it elsewhere: a failure may depend on a sum, or on some other number computed from all items.

use super::super::super::{Choices, Random, Step};
use super::super::Search;
use super::moves::{Move, consider_draft, deletions, drafted};
use super::{GROUP, fails_with, few, pick, traded};

/// Picks with fewer alternatives make up for nothing that small edits do not.
const WIDE: usize = 4 * GROUP;
/// The number of edits that are drawn at random, and the distance from what is there within which half of them are.
const DRAWN: usize = 800;
const AROUND: usize = 256;

/// An item is deleted, and what one of its steps has is added to another step, taken from it, or its bits change.
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

/// An item is deleted, and another pick becomes what is drawn at random.
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

/// Tests whether a run does not fail if a pick with many alternatives is as high as can be: it is no threshold that
/// counts, but a value.
fn is_bounded(search: &mut Search, at: usize) -> bool {
    let Some(&step) = search.best.get(at).filter(|step| step.arity > WIDE && step.pick + 1 < step.arity) else {
        return false;
    };
    fails_with(search, at, step.arity - 1) == Some(false)
}
