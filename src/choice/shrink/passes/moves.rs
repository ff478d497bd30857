//! Two or three small edits at once, for changes that only succeed together.
//!
//! A move is a small edit at one place. On short runs every pair of moves of related kinds is tried, on very short runs every three moves;
//! a success is repeated.

use super::super::super::Step;
use super::super::Search;
use super::{FEW, GROUP, few, gallop, item, items, pick, positive, set, width};
use std::ops::Range;

/// The largest number of moves of which all combinations of three are tried.
const THREES: usize = 26;

/// A small edit at one place, which can be made several times at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Move {
    Lower(usize),
    /// Raises a pick by an amount.
    Raise(usize, usize),
    Zero(usize),
    Delete(Range<usize>),
    /// Deletes an item, and lowers the pick that counts such items.
    Shorten(usize, Range<usize>),
}

/// Edited steps, with `None` for deleted ones.
pub type Draft = Vec<Option<Step>>;

impl Move {
    /// Makes the edit `times` times; `None` if that is impossible.
    fn make(&self, draft: &mut Draft, times: usize) -> Option<()> {
        match self {
            Move::Lower(at) => {
                let step = draft.get_mut(*at)?.as_mut()?;
                step.pick = step.pick.checked_sub(times)?;
            }
            Move::Raise(at, by) => {
                let step = draft.get_mut(*at)?.as_mut()?;
                let raised = by.checked_mul(times).and_then(|by| step.pick.checked_add(by));
                step.pick = raised.filter(|pick| *pick < step.arity)?;
            }
            Move::Zero(at) => draft.get_mut(*at)?.as_mut()?.pick = 0,
            Move::Delete(item) => {
                let end = item.len().checked_mul(times).and_then(|length| item.start.checked_add(length))?;
                for step in draft.get_mut(item.start..end)? {
                    step.take()?;
                }
            }
            Move::Shorten(length, item) => {
                Move::Lower(*length).make(draft, times)?;
                Move::Delete(item.clone()).make(draft, times)?;
            }
        }
        Some(())
    }

    /// Tests whether this move alone may make a run smaller.
    fn makes_smaller(&self) -> bool {
        !matches!(self, Move::Raise(..))
    }
}

fn lowers(search: &mut Search) -> Vec<Move> {
    positive(search).into_iter().map(Move::Lower).collect()
}

fn raises(search: &mut Search) -> Vec<Move> {
    (0..search.best.len()).map(|at| Move::Raise(at, 1)).collect()
}

fn leaps(search: &mut Search) -> Vec<Move> {
    (0..search.best.len()).flat_map(|at| (2..=GROUP).map(move |by| Move::Raise(at, by))).collect()
}

fn zeros(search: &mut Search) -> Vec<Move> {
    positive(search).into_iter().filter(|&at| pick(search, at) > 1).map(Move::Zero).collect()
}

fn deletes(search: &mut Search) -> Vec<Move> {
    items(&search.best).into_iter().filter(|item| item.len() <= 4 * GROUP).map(Move::Delete).collect()
}

/// The moves that delete an item and lower the length that may count it.
fn shortens(search: &mut Search) -> Vec<Move> {
    let mut moves = Vec::new();
    for at in positive(search) {
        let Some(width) = width(search, at) else { continue };
        let steps = &search.best;
        let Some(first) = steps.get(at + 1) else { continue };
        for start in (at + 1..steps.len()).filter(|&start| steps[start].label == first.label) {
            let as_wide = (start + width <= steps.len()).then_some(start..start + width);
            let other = item(steps, start).filter(|item| Some(item) != as_wide.as_ref());
            moves.extend([as_wide, other].into_iter().flatten().map(|item| Move::Shorten(at, item)));
        }
    }
    moves
}

/// The moves that delete an item.
pub fn deletions(search: &mut Search) -> Vec<Move> {
    [shortens, deletes].into_iter().flat_map(|kind| kind(search)).collect()
}

/// A function that returns the moves of one kind.
type MovesOf = fn(&mut Search) -> Vec<Move>;

/// The kinds of moves that are tried in pairs.
const PAIRS: &[[MovesOf; 2]] = &[
    [shortens, shortens],
    [shortens, lowers],
    [deletes, deletes],
    [lowers, lowers],
    [lowers, raises],
    [zeros, raises],
    [deletes, lowers],
    [deletes, zeros],
    [deletes, raises],
    [shortens, deletes],
    [shortens, raises],
    [shortens, leaps],
    [deletes, leaps],
];

/// The best run after each of these moves, made `times` times; `None` if that is impossible.
pub fn drafted(search: &Search, moves: &[&Move], times: usize) -> Option<Draft> {
    let mut draft: Draft = search.best.iter().copied().map(Some).collect();
    moves.iter().try_for_each(|it| it.make(&mut draft, times))?;
    Some(draft)
}

/// Considers the steps that are not deleted.
pub fn consider_draft(search: &mut Search, draft: Draft) -> bool {
    search.consider(draft.into_iter().flatten().collect())
}

/// Considers the best run after these moves, repeatedly.
fn make(search: &mut Search, moves: &[&Move]) -> bool {
    gallop(search, |search, times| drafted(search, moves, times).is_some_and(|draft| consider_draft(search, draft)))
}

/// Tries every pair of moves of related kinds: first each move with the one at the same position of the other kind, then with the next one,
/// and so on.
pub fn pairs(search: &mut Search) {
    for [one, other] in PAIRS {
        let (ones, others) = (one(search), other(search));
        let is_one_kind = ones == others;
        for shift in 0..others.len() {
            for (number, first) in ones.iter().enumerate() {
                let second = (number + shift) % others.len();
                if !few(search) {
                    return;
                }
                if !is_one_kind || second >= number {
                    make(search, &[first, &others[second]]);
                }
            }
        }
    }
}

/// Tries every three moves, if there are few moves.
pub fn triples(search: &mut Search) {
    let kinds: [MovesOf; 4] = [shortens, deletes, lowers, raises];
    let moves: Vec<Move> = kinds.into_iter().flat_map(|kind| kind(search)).collect();
    if moves.len() > THREES {
        return;
    }
    for (a, first) in moves.iter().enumerate().filter(|(_, first)| first.makes_smaller()) {
        for (b, second) in moves.iter().enumerate().skip(a) {
            for third in &moves[b..] {
                if !few(search) {
                    return;
                }
                make(search, &[first, second, third]);
            }
        }
    }
}

/// Raises a pick, as another alternative may end the run sooner.
pub fn raise(search: &mut Search) {
    for at in 0..search.best.len().min(FEW) {
        let Some(&step) = search.best.get(at) else { return };
        for to in (step.pick + 1..step.arity).take(2 * GROUP) {
            if few(search) {
                set(search, &[(at, to)]);
            }
        }
    }
}
