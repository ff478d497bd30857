//! Deleting steps: chunks of any run, then groups and spans of short ones, and what a length governs with the length.

use super::super::Search;
use super::{FEW, GROUP, few, pick, positive, width, with_pick, without};
use std::ops::Range;

/// The number of deletions in a row that delete nothing which show that the program asks for a fixed number of choices.
const FUTILE: usize = 16;

/// Chunks of all sizes, large ones first: s steps that matter among n cost about s·log n runs.
pub fn chunks(search: &mut Search) {
    multiples(search, 1);
}

/// Chunks whose sizes are a number of steps times a power of two, the later ones of a size first: what is deleted there
/// leaves earlier steps in place.
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

/// The number of deletions in a row that deleted nothing.
struct Futile(usize);

impl Futile {
    /// Considers the best run without these steps; returns whether it is adopted, `None` if nothing is to be tried any
    /// more.
    fn delete(&mut self, search: &mut Search, steps: Range<usize>) -> Option<bool> {
        let before = search.best.len();
        let attempt = search.attempt(without(&search.best, steps))?;
        self.0 = if attempt.is_longer || attempt.length < before { 0 } else { self.0 + 1 };
        (self.0 < FUTILE).then_some(attempt.adopted)
    }
}

/// Deletes steps at regular distances of a long run: programs may do something every N steps.
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

/// Small groups of steps at every place: halves do not meet all of them.
pub fn groups(search: &mut Search) {
    for size in (1..=2 * GROUP).rev() {
        let mut end = search.best.len();
        while end >= size && search.best.len() <= 2 * FEW && !search.is_over() {
            search.consider(without(&search.best, end - size..end));
            end = (end - 1).min(search.best.len());
        }
    }
}

/// From any step to a later one of its label: what is between them may be a part inside a part of its kind.
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

/// Makes a step alternative 0, and deletes with that the next steps, which may stand below it.
pub fn below(search: &mut Search) {
    for at in positive(search) {
        for size in (1..=GROUP).chain([8, 16, 32]) {
            if at + size < search.best.len() && few(search) {
                search.consider(with_pick(without(&search.best, at + 1..at + 1 + size), at, 0));
            }
        }
    }
}

/// A lower alternative that asks for something else next: what is after it is read as that.
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

/// A pick that says how many follow: it is lowered and as many are deleted after it.
pub fn lengths(search: &mut Search) {
    for at in positive(search) {
        if let Some(width) = width(search, at) {
            shorten(search, at, width);
        }
    }
}

/// Lowers a pick that says how many follow, by numbers that are no powers of two, and deletes as many at some places after
/// it: it may be the remainder of a length that counts.
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

/// Considers the best run without these steps, a length lowered by their count.
fn delete_counted(search: &mut Search, length: usize, count: usize, steps: Range<usize>) -> bool {
    let Some(lower) = pick(search, length).checked_sub(count) else { return false };
    if steps.end > search.best.len() || search.is_over() {
        return false;
    }
    search.consider(with_pick(without(&search.best, steps), length, lower))
}

/// Deletes elements of `width` steps each, as many as the length at `at` is lowered by: many at first, then single ones.
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
