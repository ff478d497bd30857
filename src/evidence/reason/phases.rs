//! The cells of the state that matter in each stretch of the trace, and the questions that they alone can decide.
//!
//! The same cells matter between two exchanges that change them. A run that forgets all other cells again and again costs little,
//! however long it is. A run that keeps everything grows with every hole.

use std::sync::Arc;

use super::budget::{Budget, Shown};
use super::outcome::{Suffix, shown};
use crate::judge::{Cell, Exchange, Judge};
use crate::limits;
use crate::reading::Recording;
use crate::search::RelaxedOutcome;
use crate::spec::Spec;
use crate::value::Value;

/// The number of exchanges after which the cells that do not matter are forgotten again.
const EVERY: usize = 8;

/// The cells that matter, the last stretch first.
pub(super) struct Phases {
    /// The specification, compiled for states whose maps and sets may be unknown.
    pub(super) spec: Arc<Spec>,
    /// Positions, each with the cells that matter right before the exchange there, and since their last change.
    stretches: Vec<(usize, Vec<Cell>)>,
}

impl Phases {
    /// Phases in which nothing is known to matter yet.
    pub(super) fn new(spec: &Arc<Spec>) -> Phases {
        Phases { spec: spec.for_unknown_maps(), stretches: Vec::new() }
    }

    /// Adds the cells that matter before the exchange at a position, which is before all positions added so far.
    pub(super) fn add(&mut self, before: usize, cells: &[Cell]) {
        self.stretches.push((before, cells.to_vec()));
    }

    /// The cells that matter before the exchange at a position; `None` if that is not known.
    fn at(&self, at: usize) -> Option<&[Cell]> {
        let first = self.stretches.iter().rev().find(|(before, _)| *before >= at);
        first.map(|(_, cells)| cells.as_slice())
    }

    /// Tests whether a part of the state does not matter after a position, so that it may be forgotten.
    fn forget_after(&self, from: usize, start: &Judge) -> bool {
        let Some(candidate) = start.candidates().first() else { return false };
        let state = &candidate.process.memory[..self.spec.program.state_slots()];
        let whole = |cells: &[Cell], slot| cells.iter().any(|cell| cell.slot as usize == slot && cell.key.is_none());
        let forgets = |cells: &[Cell]| (0..state.len()).any(|slot| state[slot] != Value::Absent && !whole(cells, slot));
        self.at(from + 1).is_some() && self.stretches.iter().any(|(before, cells)| *before > from && forgets(cells))
    }

    /// Tests whether the event is rejected even if the cells that do not matter are forgotten again and again. Then it is
    /// rejected in any case.
    pub(super) fn reject<R: Recording + ?Sized>(
        &self,
        suffix: &Suffix<'_, R>,
        start: &Judge,
        from: usize,
        kept: &[usize],
        budget: &mut Budget<'_>,
    ) -> bool {
        if !self.forget_after(from, start) {
            return false;
        }
        let mut forget = |at: usize, judge: &mut Judge, budget: &mut Budget<'_>| {
            if let Some(cells) = self.at(at).filter(|_| at.is_multiple_of(EVERY)) {
                *judge = budget.knowing_only(judge, cells, &self.spec);
            }
        };
        let outcome = budget.within(suffix.share(budget, limits::MAIN_SHARE, from), |budget| {
            suffix.run(few(start, budget), from, budget, &mut |at, _| shown(kept, at), &mut forget)
        });
        outcome == RelaxedOutcome::Rejected
    }

    /// Tests whether some run explains the event even with more answers known: the only holes are at the position, and at
    /// exchanges that name the key of a cell that matters. Such a run explains the event with fewer answers, too.
    pub(super) fn is_explained<R: Recording + ?Sized>(
        &self,
        suffix: &Suffix<'_, R>,
        start: &Judge,
        from: usize,
        kept: &[usize],
        budget: &mut Budget<'_>,
    ) -> bool {
        let mut show = |at: usize, exchange: &Exchange| match shown(kept, at) {
            Shown::Hole if at > from && !self.names_key(at, exchange) => Shown::Answer,
            shown => shown,
        };
        let outcome = budget.within(budget.left() / limits::MAIN_SHARE, |budget| {
            suffix.run(few(start, budget), from, budget, &mut show, &mut |_, _, _| {})
        });
        outcome == RelaxedOutcome::Explained
    }

    /// Tests whether an exchange names the key of a cell that matters after it.
    fn names_key(&self, at: usize, exchange: &Exchange) -> bool {
        let keys = self.at(at + 1).unwrap_or_default().iter().filter_map(|cell| cell.key.as_ref());
        let answer = exchange.observed.answer();
        keys.into_iter()
            .any(|key| contains(&exchange.request, key) || answer.is_some_and(|answer| contains(answer, key)))
    }
}

/// A copy of the judge that follows at most twice as many candidates as it has, or a few.
fn few(judge: &Judge, budget: &Budget<'_>) -> Judge {
    let mut judge = judge.clone();
    judge.follow_at_most((2 * judge.candidates().len()).max(limits::FOLLOWED_BRIEFLY), budget.left());
    judge
}

/// Tests whether a value is the given part, or contains it.
fn contains(value: &Value, part: &Value) -> bool {
    value == part
        || match value {
            Value::Data { .. } => value.fields().iter().any(|field| contains(field, part)),
            Value::List(_) | Value::Open(_) => {
                value.items().any(|item| item.value().is_some_and(|element| contains(element, part)))
            }
            Value::Map(map) => {
                let entries = map.entries().unwrap_or_default();
                entries.into_iter().any(|(key, entry)| contains(key, part) || contains(&entry.value, part))
            }
            Value::Scalar(_) | Value::Term(_) | Value::Union(_) => false,
            Value::Unknown(_) | Value::Any | Value::Absent => false,
        }
}
