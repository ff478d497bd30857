//! Deleting steps: chunks of any run, groups and spans of short ones, and elements together with the length that counts them.

use super::super::Search;
use super::{FEW, GROUP, few, pick, positive, width, with_pick, without};
use std::ops::Range;

/// The number of unsuccessful deletions in a row after which the program is taken to ask for a fixed number of choices.
const FUTILE: usize = 16;

/// Deletes chunks of all sizes, large ones first: s relevant steps among n cost about s·log n runs.
pub fn chunks(search: &mut Search) {
    multiples(search, 1);
}

/// Deletes chunks whose sizes are `unit` times a power of two; of one size, later ones come first, as their deletion leaves earlier steps
/// in place.
fn multiples(search: &mut Search, unit: usize) {
    let mut futile = Futile(0);
    let mut size = unit * (search.best.len() / unit).next_power_of_two();
    while size >= unit {
        let mut end = search.best.len();
        while end > 0 {
            let start = end.saturating_sub(size);
            if futile.delete(search, start..end).is_none() {
                return;
            }
            end = start.min(search.best.len());
        }
        size /= 2;
    }
}

/// The number of deletions in a row that made no run shorter.
struct Futile(usize);

impl Futile {
    /// Considers the best run without these steps; returns whether it is adopted, `None` if no more deletions should be tried.
    fn delete(&mut self, search: &mut Search, steps: Range<usize>) -> Option<bool> {
        let before = search.best.len();
        let attempt = search.attempt(without(&search.best, steps))?;
        self.0 = if attempt.is_longer || attempt.length < before { 0 } else { self.0 + 1 };
        (self.0 < FUTILE).then_some(attempt.adopted)
    }
}

/// Deletes steps at regular distances in a long run, as programs may do something every N steps.
pub fn periods(search: &mut Search) {
    let mut futile = Futile(0);
    for unit in 2..=FEW {
        for place in [0, 4, 7] {
            let length = search.best.len();
            if length <= FEW {
                return;
            }
            let start = (length * place / 8).min(length - unit);
            match futile.delete(search, start..start + unit) {
                None => return,
                Some(true) => multiples(search, unit),
                Some(false) => {}
            }
        }
    }
}

/// Deletes small groups of steps at every place, as halving does not reach all of them.
pub fn groups(search: &mut Search) {
    for size in (1..=2 * GROUP).rev() {
        let mut end = search.best.len();
        while end >= size && search.best.len() <= 2 * FEW && !search.is_over() {
            search.consider(without(&search.best, end - size..end));
            end = (end - 1).min(search.best.len());
        }
    }
}

/// Deletes from a step to a later one with the same label: the steps between may be a part that is nested in a part of its kind.
pub fn spans(search: &mut Search) {
    let mut start = 0;
    while start < search.best.len() && few(search) {
        let mut end = search.best.len();
        while end > start && few(search) {
            let ends = search.best.get(end).is_none_or(|step| step.label == search.best[start].label);
            if ends && search.consider(without(&search.best, start..end)) {
                end = search.best.len();
            } else {
                end = (end - 1).min(search.best.len());
            }
        }
        start += 1;
    }
}

/// Sets a step to alternative 0 and deletes the next steps, which may have depended on it.
pub fn below(search: &mut Search) {
    for at in positive(search) {
        for size in (1..=GROUP).chain([8, 16, 32]) {
            if at + size < search.best.len() && few(search) {
                search.consider(with_pick(without(&search.best, at + 1..at + 1 + size), at, 0));
            }
        }
    }
}

/// Lowers a pick to an alternative after which the program asks for something else; the later steps are then read for that.
pub fn recast(search: &mut Search) {
    for at in positive(search) {
        for lower in 0..pick(search, at).min(2 * GROUP) {
            if !few(search) || lower >= pick(search, at) {
                break;
            }
            let mut steps = with_pick(search.best.clone(), at, lower);
            if search.consider(steps.clone()) {
                break;
            }
            let asked = search.made(&steps).and_then(|made| made.get(at + 1).map(|step| step.label));
            if let (Some(next), Some(label)) = (steps.get_mut(at + 1), asked)
                && next.label != label
            {
                next.label = label;
                search.consider(steps);
            }
        }
    }
}

/// Lowers a pick that is a length, and deletes as many elements after it.
pub fn lengths(search: &mut Search) {
    for at in positive(search) {
        if let Some(width) = width(search, at) {
            shorten(search, at, width);
        }
    }
}

/// Lowers a pick that is a length by numbers that are no powers of two, and deletes as many elements at some places after it: the failure
/// may depend on the remainder of the length.
pub fn length_periods(search: &mut Search) {
    for at in positive(search) {
        let Some(width) = width(search, at) else { continue };
        for count in (3..=FEW / 2).filter(|count| !count.is_power_of_two()) {
            let steps = count * width;
            for place in [0, 2, 4] {
                let Some(room) = search.best.len().checked_sub(at + 1 + steps) else { continue };
                let from = at + 1 + room * place / 4;
                while delete_counted(search, at, count, from..from + steps) {}
            }
        }
    }
}

/// Considers the best run without these steps, with a length lowered by their count.
fn delete_counted(search: &mut Search, length: usize, count: usize, steps: Range<usize>) -> bool {
    let Some(lower) = pick(search, length).checked_sub(count) else { return false };
    if steps.end > search.best.len() || search.is_over() {
        return false;
    }
    search.consider(with_pick(without(&search.best, steps), length, lower))
}

/// Deletes elements of `width` steps each, and lowers the length at `at` by their number: many at first, then single ones.
///
/// ```text
///   length 3 | a 7  b 0 | a 2  b 1 | a 5  b 0      width 2
///   length 2 |          | a 2  b 1 | a 5  b 0      considered, as are the run without the second and without the third
/// ```
fn shorten(search: &mut Search, at: usize, width: usize) {
    let mut count = pick(search, at);
    while count > 0 {
        let (mut from, steps) = (at + 1, count.saturating_mul(width));
        while steps <= search.best.len().saturating_sub(from) && count <= pick(search, at) && !search.is_over() {
            if !delete_counted(search, at, count, from..from + steps) {
                from += steps;
            }
        }
        count /= 2;
    }
}
