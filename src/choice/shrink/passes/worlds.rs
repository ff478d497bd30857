//! Small worlds: all runs that only use some of the alternatives, if they are few enough to try each of them.

use super::super::super::Step;
use super::super::Search;
use super::few;
use std::collections::{BTreeMap, BTreeSet};

/// The approximate number of runs up to which a world is small.
const SMALL: u64 = 500;

/// Tries all runs whose picks are 0, 1, or a pick of the best run at the same label.
pub fn small(search: &mut Search) {
    let mut worlds = BTreeMap::<_, BTreeSet<usize>>::new();
    for step in &search.best {
        worlds.entry(step.label).or_insert_with(|| BTreeSet::from([0, 1])).insert(step.pick);
    }
    let next = move |step: &Step| {
        let above = worlds.get(step.label).and_then(|picks| picks.range(step.pick + 1..).next().copied());
        above.or((step.pick == 0).then_some(1)).filter(|pick| *pick < step.arity)
    };
    let size = |step: &Step| {
        std::iter::successors(Some(Step { pick: 0, ..*step }), |step| Some(Step { pick: next(step)?, ..*step })).count()
    };
    let runs = search.best.iter().try_fold(1_u64, |runs, step| runs.checked_mul(size(step) as u64));
    if few(search) && runs.is_some_and(|runs| runs <= SMALL) {
        enumerate(search, &next);
    }
}

/// Tries all runs that are no longer than the best one, which is then the least; returns whether all were tried.
pub fn least_of_all(search: &mut Search) -> bool {
    enumerate(search, &|step| (step.pick + 1 < step.arity).then_some(step.pick + 1))
}

/// Tries all runs in lexicographic order, in which `next` gives the pick after one; returns whether all were tried.
fn enumerate(search: &mut Search, next: &dyn Fn(&Step) -> Option<usize>) -> bool {
    let mut steps = Vec::new();
    loop {
        search.attempt(steps.clone());
        let Some(mut made) = search.made(&steps) else { return false };
        while let Some(last) = made.pop() {
            if let Some(pick) = next(&last) {
                made.push(Step { pick, ..last });
                break;
            }
        }
        if made.is_empty() {
            return true;
        }
        steps = made;
    }
}
