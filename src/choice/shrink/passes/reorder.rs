//! Other orders and other names: groups and items change places, and so do values, where that brings lower picks to the
//! front.

use super::super::super::Step;
use super::super::Search;
use super::{FEW, GROUP, few, item, pick, positive, set};
use std::collections::BTreeSet;
use std::ops::Range;

/// Whether the picks come first in lexicographic order.
fn is_lower(steps: &[Step], than: &[Step]) -> bool {
    steps.iter().map(|step| step.pick).lt(than.iter().map(|step| step.pick))
}

fn consider_lower(search: &mut Search, steps: Vec<Step>) -> bool {
    is_lower(&steps, &search.best) && search.consider(steps)
}

/// Neighbouring groups change places.
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

/// The same two neighbours change places wherever they are: two lists of which one is made of the other.
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

/// Items of one label change places: all of them into their order, then any two.
pub fn sort_items(search: &mut Search) {
    let labels: BTreeSet<_> = search.best.iter().map(|step| step.label).collect();
    for label in labels {
        let mut sorted = true;
        let (mut first, mut second) = (0, 0);
        while few(search) {
            let starts = (0..search.best.len()).filter(|&at| search.best[at].label == label);
            let items: Vec<Range<usize>> = starts.filter_map(|at| item(&search.best, at)).collect();
            if std::mem::take(&mut sorted) {
                let mut order: Vec<usize> = (0..items.len()).collect();
                order.sort_by(|&a, &b| {
                    let picks = |at: usize| search.best[items[at].clone()].iter().map(|step| step.pick);
                    picks(a).cmp(picks(b))
                });
                consider_lower(search, ordered(&search.best, &items, &order));
                continue;
            }
            second += 1;
            if second >= items.len() {
                (first, second) = (first + 1, first + 2);
            }
            if second >= items.len() {
                break;
            }
            let mut order: Vec<usize> = (0..items.len()).collect();
            order.swap(first, second);
            consider_lower(search, ordered(&search.best, &items, &order));
        }
    }
}

/// The steps with the items in another order.
fn ordered(steps: &[Step], items: &[Range<usize>], order: &[usize]) -> Vec<Step> {
    let (Some(first), Some(last)) = (items.first(), items.last()) else { return steps.to_vec() };
    let middle = order.iter().flat_map(|&at| &steps[items[at].clone()]);
    steps[..first.start].iter().chain(middle).chain(&steps[last.end..]).copied().collect()
}

/// A pick changes places with alternative 0 at a later step: the last one, else half as far, and so on.
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

/// Steps whose picks may be names of the same things: those of one label, of two, of one arity, and all.
fn namings(steps: &[Step]) -> BTreeSet<Vec<usize>> {
    let labels: BTreeSet<_> = steps.iter().map(|step| step.label).collect();
    let labels: Vec<_> = labels.into_iter().take(2 * GROUP).collect();
    let is_one_of = |at: usize, one: usize, other: usize| [labels[one], labels[other]].contains(&steps[at].label);
    let of = |is_named: &dyn Fn(usize) -> bool| (0..steps.len()).filter(|&at| is_named(at)).collect::<Vec<usize>>();
    let of_labels = (0..labels.len()).flat_map(|other| (0..=other).map(move |one| (one, other)));
    let of_labels = of_labels.map(|(one, other)| of(&|at| is_one_of(at, one, other)));
    let of_arity = steps.iter().map(|step| of(&|at| steps[at].arity == step.arity));
    of_labels.chain(of_arity).chain([of(&|_| true)]).filter(|naming| naming.len() > 1).collect()
}

/// Values change their names: in the order in which they come first, and any two of them.
pub fn relabel(search: &mut Search) {
    if !few(search) {
        return;
    }
    for naming in namings(&search.best) {
        let renamed = |search: &mut Search, rename: &dyn Fn(usize) -> usize| {
            let mut steps = search.best.clone();
            for &at in naming.iter().filter(|&&at| at < search.best.len()) {
                steps[at].pick = rename(steps[at].pick).min(steps[at].arity - 1);
            }
            consider_lower(search, steps)
        };
        let mut values: Vec<usize> = Vec::new();
        for &at in naming.iter().filter(|&&at| at < search.best.len()) {
            let value = search.best[at].pick;
            if !values.contains(&value) {
                values.push(value);
            }
        }
        if renamed(search, &|value| values.iter().position(|known| *known == value).unwrap_or(value)) {
            continue;
        }
        values.sort_unstable();
        for (upper, &one) in values.iter().enumerate().take(FEW / GROUP) {
            for &other in &values[..upper] {
                renamed(search, &|value| match value {
                    _ if value == one => other,
                    _ if value == other => one,
                    _ => value,
                });
            }
        }
    }
}
