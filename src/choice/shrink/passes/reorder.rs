//! Reordering: groups and items are swapped, if that gives lexicographically lower picks.

use super::super::super::{Label, Step};
use super::super::Search;
use super::{GROUP, consider_lower, few, item, labels, pick, positive, rename, set};
use std::ops::Range;

/// Swaps neighbouring groups.
pub fn swap_groups(search: &mut Search) {
    for (first, second) in (1..=GROUP).flat_map(|first| (1..=GROUP).map(move |second| (first, second))) {
        let mut at = 0;
        while at + first + second <= search.best.len() && few(search) {
            let mut steps = search.best.clone();
            steps[at..at + first + second].rotate_left(first);
            consider_lower(search, steps);
            at += 1;
        }
    }
}

/// Swaps two neighbours, and with them two later ones with the same two picks, as one list may be made from another.
pub fn swap_twice(search: &mut Search) {
    for at in 1..search.best.len() {
        for other in at + 1..search.best.len() {
            let (Some(&a), Some(&b)) = (search.best.get(at - 1), search.best.get(at)) else { return };
            let there = search.best.get(other - 1..=other).map(|pair| [pair[0].pick, pair[1].pick]);
            if a.pick > b.pick && few(search) && [[a.pick, b.pick], [b.pick, a.pick]].map(Some).contains(&there) {
                let mut steps = search.best.clone();
                steps.swap(at - 1, at);
                steps.swap(other - 1, other);
                consider_lower(search, steps);
            }
        }
    }
}

/// Sorts the items of one label.
pub fn sort_items(search: &mut Search) {
    for label in labels(&search.best) {
        let items = items_of(&search.best, label);
        let picks = |at: usize| search.best[items[at].clone()].iter().map(|step| step.pick);
        let mut order: Vec<usize> = (0..items.len()).collect();
        order.sort_by(|&a, &b| picks(a).cmp(picks(b)));
        consider_lower(search, ordered(&search.best, &items, &order));
    }
}

/// Swaps any two items of one label, and then may rename values.
pub fn swap_items(search: &mut Search) {
    for label in labels(&search.best) {
        let (mut first, mut second) = (0, 1);
        while few(search) {
            let items = items_of(&search.best, label);
            if second >= items.len() {
                (first, second) = (first + 1, first + 2);
            }
            if second >= items.len() {
                break;
            }
            let mut order: Vec<usize> = (0..items.len()).collect();
            order.swap(first, second);
            let swapped = ordered(&search.best, &items, &order);
            if !consider_lower(search, swapped.clone()) && items.len() <= 2 * GROUP {
                rename::in_order_of(search, &swapped);
            }
            second += 1;
        }
    }
}

fn items_of(steps: &[Step], label: Label) -> Vec<Range<usize>> {
    (0..steps.len()).filter(|&at| steps[at].label == label).filter_map(|at| item(steps, at)).collect()
}

/// The steps with the items in another order.
fn ordered(steps: &[Step], items: &[Range<usize>], order: &[usize]) -> Vec<Step> {
    let (Some(first), Some(last)) = (items.first(), items.last()) else { return steps.to_vec() };
    let middle = order.iter().flat_map(|&at| &steps[items[at].clone()]);
    steps[..first.start].iter().chain(middle).chain(&steps[last.end..]).copied().collect()
}

/// Swaps a pick with alternative 0 at a later step: the last step, then half as far, and so on.
pub fn move_later(search: &mut Search) {
    for mut at in positive(search).into_iter().rev() {
        let mut distance = search.best.len().saturating_sub(at + 1);
        while distance > 0 && !search.is_over() {
            let pick = pick(search, at);
            let free = search.best.get(at + distance).is_some_and(|other| other.pick == 0);
            if free && pick > 0 && set(search, &[(at, 0), (at + distance, pick)]) {
                at += distance;
            } else {
                distance /= 2;
            }
        }
    }
}
