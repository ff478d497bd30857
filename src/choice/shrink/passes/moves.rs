//! Two and three small edits at once, for changes that succeed only together.
//!
//! A move is a small edit at one place. Every pair of moves is tried on short runs, of the kinds that have to do with each
//! other, and every three on very short ones; what succeeds is repeated.

use super::super::super::Step;
use super::super::Search;
use super::{FEW, GROUP, few, gallop, item, items, pick, positive, set, width};
use std::ops::Range;

/// The number of moves up to which they are combined by threes.
const THREES: usize = 26;

/// A small edit at one place, which can be made several times at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Move {
    Lower(usize),
    /// Raises a pick by an amount.
    Raise(usize, usize),
    Zero(usize),
    Delete(Range<usize>),
    /// Deletes an item of those whose number a pick says, which is lowered.
    Shorten(usize, Range<usize>),
}

/// Steps in the making; those that are deleted are none.
pub type Draft = Vec<Option<Step>>;

impl Move {
    /// Makes the edit `times` times; none if it cannot be.
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

    /// Tests whether a run may come first by this move alone.
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

/// A pick that is a length is lowered with each of the items that it may count.
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

/// All that delete an item.
pub fn deletions(search: &mut Search) -> Vec<Move> {
    [shortens, deletes].into_iter().flat_map(|kind| kind(search)).collect()
}

/// Moves of one kind.
type MovesOf = fn(&mut Search) -> Vec<Move>;

/// The kinds of moves that are made two at once.
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

/// The best run with each of these moves made `times` times; none if they cannot be.
pub fn drafted(search: &Search, moves: &[&Move], times: usize) -> Option<Draft> {
    let mut draft: Draft = search.best.iter().copied().map(Some).collect();
    moves.iter().try_for_each(|it| it.make(&mut draft, times))?;
    Some(draft)
}

/// Considers the steps that are not deleted.
pub fn consider_draft(search: &mut Search, draft: Draft) -> bool {
    search.consider(draft.into_iter().flatten().collect())
}

/// Considers the best run with these moves made, again and again.
fn make(search: &mut Search, moves: &[&Move]) -> bool {
    gallop(search, |search, times| drafted(search, moves, times).is_some_and(|draft| consider_draft(search, draft)))
}

/// Every two moves of kinds that go together: each of one kind with one of the other, then each with the next, and so on.
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

/// Every three moves, if there are few.
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

/// Another alternative may end the run sooner, though it comes later.
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
