//! The edits that make a run smaller.
//!
//! Each pass walks over the best run and offers edited copies to the gate. On long runs edits are tried on large chunks
//! first and on the halves of those that fail, so that s steps that matter among n cost about s·log n runs; what compares
//! pairs of steps comes last and looks at runs of at most [`FEW`] steps only. Edits that were tried are not tried again,
//! so a pass may simply begin anew.

use super::super::Step;
use super::Search;
use std::ops::Range;

/// Runs of more steps are not searched for groups and pairs.
const FEW: usize = 64;
/// Steps that belong together are looked for up to this number.
const GROUP: usize = 4;
/// So many deletions of chunks that delete nothing show that the program asks for a fixed number of choices.
const FUTILE: usize = 16;

/// All passes, in the order in which they are tried: what removes most comes first.
pub(super) const ALL: &[fn(&mut Search)] = &[
    delete_chunks,
    zero_chunks,
    lower_lengths,
    lower_chunks,
    minimise_picks,
    delete_groups,
    zero_and_delete,
    lower_alike,
    swap_groups,
    move_later,
    trade_pairs,
    delete_pairs,
];

/// Which half of a chunk is tried first.
#[derive(Clone, Copy)]
enum First {
    /// The earlier one: lower picks are worth more there.
    Earlier,
    /// The later one: what is deleted there leaves earlier steps in place.
    Later,
}

/// Calls with a chunk, at first all of it, and with the halves of each chunk that it says false to.
fn halves(search: &mut Search, first: First, mut edit: impl FnMut(&mut Search, Range<usize>) -> bool) {
    let mut open = Vec::from([Range { start: 0, end: search.best.len() }]);
    while let Some(chunk) = open.pop() {
        let chunk = chunk.start..chunk.end.min(search.best.len());
        if search.is_over() {
            return;
        }
        if !chunk.is_empty() && !edit(search, chunk.clone()) && chunk.len() > 1 {
            let middle = chunk.start + chunk.len() / 2;
            let (earlier, later) = (chunk.start..middle, middle..chunk.end);
            open.extend(match first {
                First::Earlier => [later, earlier],
                First::Later => [earlier, later],
            });
        }
    }
}

fn without(steps: &[Step], chunk: Range<usize>) -> Vec<Step> {
    [&steps[..chunk.start], &steps[chunk.end..]].concat()
}

fn delete_chunks(search: &mut Search) {
    let mut futile = 0;
    halves(search, First::Later, |search, chunk| {
        let before = search.best.len();
        let Some(attempt) = (futile < FUTILE).then(|| search.attempt(without(&search.best, chunk))) else {
            return true;
        };
        futile = if attempt.as_ref().is_none_or(|attempt| attempt.length < before) { 0 } else { futile + 1 };
        attempt.is_some_and(|attempt| attempt.adopted)
    });
}

/// Small groups of steps at every place: halves do not meet all of them.
fn delete_groups(search: &mut Search) {
    for size in (1..=2 * GROUP).rev() {
        let mut end = search.best.len();
        while end >= size && few(search) {
            search.consider(without(&search.best, end - size..end));
            end = (end - 1).min(search.best.len());
        }
    }
}

fn few(search: &Search) -> bool {
    !search.is_over() && search.best.len() <= FEW
}

/// Replaces the picks of chunks by what `lower` makes of them.
fn lower_by(search: &mut Search, lower: impl Fn(usize) -> usize) {
    halves(search, First::Earlier, |search, chunk| {
        let mut steps = search.best.clone();
        steps[chunk].iter_mut().for_each(|step| step.pick = lower(step.pick));
        // Where nothing would change in a chunk, nothing would in its halves.
        steps == search.best || search.consider(steps)
    });
}

fn zero_chunks(search: &mut Search) {
    lower_by(search, |_| 0);
}

fn lower_chunks(search: &mut Search) {
    lower_by(search, |pick| pick.min(1));
    lower_by(search, |pick| pick / 2);
    lower_by(search, |pick| pick.saturating_sub(1));
}

/// The positions of picks that can be lowered, the first of them only.
fn positive(search: &Search) -> Vec<usize> {
    (0..search.best.len()).filter(|&at| search.best[at].pick > 0).take(FEW).collect()
}

/// A pick that says how many follow: it is lowered and as many are deleted behind it.
fn lower_lengths(search: &mut Search) {
    for at in positive(search) {
        let Some(step) = search.best.get(at).filter(|step| step.pick > 0) else { continue };
        let (pick, before) = (step.pick, search.best.len());
        let mut steps = search.best.clone();
        steps[at].pick = pick - 1;
        let shorter = search.attempt(steps).map_or(before, |attempt| attempt.length);
        if shorter < before {
            shorten(search, at, before - shorter);
        }
    }
}

/// Deletes elements of `width` steps each, as many as the length at `at` is lowered by: many at first, then single ones.
fn shorten(search: &mut Search, at: usize, width: usize) {
    let mut count = search.best[at].pick;
    while count > 0 {
        let mut from = at + 1;
        while from + count * width <= search.best.len() && count <= search.best[at].pick && !search.is_over() {
            let mut steps = without(&search.best, from..from + count * width);
            steps[at].pick -= count;
            if !search.consider(steps) {
                from += count * width;
            }
        }
        count /= 2;
    }
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

/// Each pick alone.
fn minimise_picks(search: &mut Search) {
    for at in 0..search.best.len() {
        if search.is_over() {
            return;
        }
        minimise(search, &[at]);
    }
}

/// The least pick that fails at all these positions, as if there were a threshold, and then some below it.
fn minimise(search: &mut Search, positions: &[usize]) {
    let pick = |search: &Search| search.best.get(positions[0]).map_or(0, |step| step.pick);
    let lower = |search: &mut Search, to: usize| {
        let edits: Vec<(usize, usize)> = positions.iter().map(|at| (*at, to)).collect();
        to < pick(search) && set(search, &edits)
    };
    if pick(search) == 0 || lower(search, 0) || lower(search, 1) {
        return;
    }
    let mut passes = 1;
    while passes + 1 < pick(search) && !search.is_over() {
        let middle = passes + (pick(search) - passes) / 2;
        if !lower(search, middle) {
            passes = middle;
        }
    }
    for below in 1..=GROUP {
        let to = pick(search).saturating_sub(below);
        lower(search, to);
    }
}

/// What stands below a step goes with it, where it becomes alternative 0.
fn zero_and_delete(search: &mut Search) {
    for at in positive(search) {
        for size in (1..=GROUP).chain([8, 16, 32]) {
            if at + size < search.best.len() && few(search) {
                let mut steps = without(&search.best, at + 1..at + 1 + size);
                steps[at].pick = 0;
                search.consider(steps);
            }
        }
    }
}

/// Equal picks of one label are lowered together.
fn lower_alike(search: &mut Search) {
    for at in positive(search) {
        let Some(&step) = search.best.get(at) else { return };
        let alike: Vec<usize> = (at..search.best.len()).filter(|&other| search.best[other] == step).collect();
        if alike.len() > 1 && !search.is_over() {
            minimise(search, &alike);
        }
    }
}

/// Neighbouring groups change places where that brings lower picks to the front.
fn swap_groups(search: &mut Search) {
    for (first, second) in (1..=GROUP).flat_map(|first| (1..=GROUP).map(move |second| (first, second))) {
        let mut at = 0;
        while at + first + second <= search.best.len() && few(search) {
            let mut steps = search.best.clone();
            steps[at..at + first + second].rotate_left(first);
            let picks = |steps: &[Step]| steps.iter().map(|step| step.pick).collect::<Vec<_>>();
            if picks(&steps) < picks(&search.best) {
                search.consider(steps);
            }
            at += 1;
        }
    }
}

/// A pick changes places with alternative 0 at a later step: the last one, else half as far, and so on.
fn move_later(search: &mut Search) {
    for mut at in positive(search).into_iter().rev() {
        let mut distance = search.best.len().saturating_sub(at + 1);
        while distance > 0 && !search.is_over() {
            let pick = search.best.get(at).map_or(0, |step| step.pick);
            let free = search.best.get(at + distance).is_some_and(|other| other.pick == 0);
            if free && pick > 0 && set(search, &[(at, 0), (at + distance, pick)]) {
                at += distance;
            } else {
                distance /= 2;
            }
        }
    }
}

/// Two positions, the first with a pick that can be lowered; in long runs both.
fn pairs(search: &Search) -> Vec<(usize, usize)> {
    let first = positive(search);
    let second = if few(search) { (0..search.best.len()).collect() } else { first.clone() };
    first
        .iter()
        .flat_map(|&at| second.iter().filter(move |&&other| other > at).map(move |&other| (at, other)))
        .collect()
}

/// What is taken from one pick is added to a later one (a sum stays), or taken from it too (a difference stays).
fn trade_pairs(search: &mut Search) {
    for (at, other) in pairs(search) {
        let mut amount = search.best.get(at).map_or(0, |step| step.pick);
        while amount > 0 && !search.is_over() {
            let (Some(a), Some(b)) = (search.best.get(at), search.best.get(other)) else { return };
            let (a, b) = (a.pick, b.pick);
            let traded = amount <= a && set(search, &[(at, a - amount), (other, b + amount)]);
            let lowered = !traded && amount <= a.min(b) && set(search, &[(at, a - amount), (other, b - amount)]);
            if !traded && !lowered {
                amount /= 2;
            }
        }
    }
}

/// Two groups that only go together, as a bracket and the one that closes it.
fn delete_pairs(search: &mut Search) {
    for (size, other) in [(1, 1), (2, 2), (1, 2), (2, 1)] {
        for at in 0..search.best.len() {
            for second in at + size..search.best.len() {
                if second + other <= search.best.len() && few(search) {
                    let steps = without(&search.best, second..second + other);
                    search.consider(without(&steps, at..at + size));
                }
            }
        }
    }
}
