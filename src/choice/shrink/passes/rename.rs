//! Renaming: a value is replaced wherever it occurs, if that gives lexicographically lower picks.

use super::super::super::Step;
use super::super::Search;
use super::{FEW, GROUP, consider_lower, few, labels};
use std::collections::{BTreeSet, HashMap};

/// The sets of steps whose picks may name the same things: those of one label, of two labels, of one arity, and all.
fn namings(steps: &[Step]) -> BTreeSet<Vec<usize>> {
    let labels: Vec<_> = labels(steps).into_iter().take(2 * GROUP).collect();
    let arities: BTreeSet<_> = steps.iter().map(|step| step.arity).collect();
    let is_one_of = |at: usize, one: usize, other: usize| [labels[one], labels[other]].contains(&steps[at].label);
    let of = |is_named: &dyn Fn(usize) -> bool| (0..steps.len()).filter(|&at| is_named(at)).collect::<Vec<usize>>();
    let of_labels = (0..labels.len()).flat_map(|other| (0..=other).map(move |one| (one, other)));
    let of_labels = of_labels.map(|(one, other)| of(&|at| is_one_of(at, one, other)));
    let of_arity = arities.into_iter().take(2 * GROUP).map(|arity| of(&|at| steps[at].arity == arity));
    of_labels.chain(of_arity).chain([of(&|_| true)]).filter(|naming| naming.len() > 1).collect()
}

/// The steps with these picks renamed.
fn renamed(steps: &[Step], naming: &[usize], mut rename: impl FnMut(usize) -> usize) -> Vec<Step> {
    let mut steps = steps.to_vec();
    for &at in naming {
        steps[at].pick = rename(steps[at].pick).min(steps[at].arity - 1);
    }
    steps
}

/// Renames values to 0, 1, 2 in the order of their first occurrence.
pub fn in_order(search: &mut Search) {
    in_order_of(search, &search.best.clone());
}

/// Renames the values of steps, which need not fail, to 0, 1, 2 in the order of their first occurrence.
pub fn in_order_of(search: &mut Search, steps: &[Step]) {
    for naming in namings(steps) {
        let mut names = HashMap::new();
        let named = renamed(steps, &naming, |value| {
            let next = names.len();
            *names.entry(value).or_insert(next)
        });
        if consider_lower(search, named) {
            return;
        }
    }
}

/// Swaps any two values.
pub fn swap_names(search: &mut Search) {
    for naming in namings(&search.best) {
        let values: BTreeSet<usize> =
            naming.iter().filter_map(|&at| search.best.get(at)).map(|step| step.pick).take(FEW / GROUP).collect();
        for &one in &values {
            for &other in values.range(..one) {
                if !few(search) || naming.last() >= Some(&search.best.len()) {
                    return;
                }
                let swapped = renamed(&search.best, &naming, |value| match value {
                    _ if value == one => other,
                    _ if value == other => one,
                    _ => value,
                });
                consider_lower(search, swapped);
            }
        }
    }
}
