//! A reason among the exchanges that have a value in common with the rejected one, whatever the state was before the first of
//! them.
//!
//! ```text
//! 898  GET /a  body "x", tag 7
//! 899  GET /b  …                    nothing in common: a hole
//! 999  GET /a  body "y", tag 7      rejected in any state before line 898
//! ```
//!
//! An exchange that is rejected from any state is rejected whatever state the server was in, so nothing further back is judged.
//! After each exchange without a common value, all parts of the state that the rejected exchange does not name are forgotten. So
//! each exchange of a long recording costs little.

use std::convert::Infallible;

use super::budget::{Budget, Shown};
use super::needed::add_keys;
use super::outcome::shown;
use super::{Minimality, Reason, ReasonSearch};
use crate::evidence::narrowing::needed;
use crate::judge::{Cell, Judge, least_above};
use crate::limits;
use crate::reading::Recording;
use crate::search::RelaxedOutcome;
use crate::spec::Type;

/// The related exchanges that are looked at, the last ones.
const RELATED: usize = 64;

/// The questions about the rejection from any state before a position.
struct FromAnyState<'f, 's, 'r, R: ?Sized> {
    search: &'f mut ReasonSearch<'r, R>,
    start: &'s Judge,
    cells: &'s [Cell],
    /// The positions of the related exchanges, in order.
    related: &'s [usize],
    from: usize,
}

impl<R: Recording + ?Sized> ReasonSearch<'_, R> {
    /// The reason among the related exchanges, whatever the state was before the first of them, if there is one.
    pub(super) fn find_related(&mut self) -> Option<Reason> {
        let related = self.related();
        let start = Judge::of_any_state(self.spec, &self.options);
        let cells = self.named_cells();
        let mut questions = FromAnyState { search: self, start: &start, cells: &cells, related: &related, from: 0 };
        let from = questions.first()?;
        questions.from = from;
        let answers = match questions.rejects(&related) {
            true => related.iter().copied().filter(|at| *at >= from).collect(),
            false => (from..questions.search.suffix.at).collect(),
        };
        let (mut answers, rest) =
            needed(&mut questions, |asked| asked.search.budget.is_spent(), FromAnyState::rejects, answers);
        let found = Reason { from: Some(from), ..Reason::unknown(questions.search.suffix.at) };
        if !rest.is_empty() || answers.len() > limits::NAMED_ANSWERS {
            let because = (from..found.rejected).collect();
            let all_from = Some(from + 1).filter(|next| *next < found.rejected);
            return Some(Reason { because, all_from, minimal: Minimality::CutOff, ..found });
        }
        let minimal = questions.leave_out(&mut answers);
        Some(Reason { because: answers, minimal, ..found })
    }

    /// The positions of the last exchanges that have a scalar in common with the rejected one.
    fn related(&self) -> Vec<usize> {
        let own = self.suffix.rejected.scalars();
        let (mut found, mut at) = (Vec::new(), 0);
        self.suffix.recording.read(0, &mut |exchange| {
            if at == self.suffix.at {
                return std::ops::ControlFlow::Break(());
            }
            if !own.is_disjoint(&exchange.scalars()) {
                found.push(at);
            }
            at += 1;
            std::ops::ControlFlow::Continue(())
        });
        found.split_off(found.len().saturating_sub(RELATED))
    }

    /// The cells of the state that the rejected exchange names: the entries of maps and sets under its keys, and all other
    /// variables.
    fn named_cells(&self) -> Vec<Cell> {
        let (types, program) = (&self.spec.types, &self.spec.program);
        let mut cells = Vec::new();
        for (slot, variable) in (0..).zip(&program.slots[..program.state_slots()]) {
            let (Type::Map(key, _) | Type::Set(key)) = types.get(variable.ty) else {
                cells.push(Cell { slot, key: None });
                continue;
            };
            let mut keys = Vec::new();
            add_keys(self.spec, &self.suffix.rejected, *key, &mut keys);
            cells.extend(keys.into_iter().map(|key| Cell { slot, key: Some(key) }));
        }
        cells
    }
}

impl<R: Recording + ?Sized> FromAnyState<'_, '_, '_, R> {
    /// The position of the last related exchange such that the event is rejected from any state before this exchange.
    fn first(&mut self) -> Option<usize> {
        let (related, all) = (self.related, (0..self.search.suffix.at).collect::<Vec<usize>>());
        let rejects = |count: usize| {
            self.from = related[related.len() - count];
            Ok(self.rejects(related) || self.rejects(&all))
        };
        let Ok(least) = least_above::<Infallible>(0, related.len(), rejects);
        least.map(|least| related[related.len() - least])
    }

    /// Tests whether the event is rejected with these answers known, and holes in the place of all others.
    fn rejects(&mut self, known: &[usize]) -> bool {
        let FromAnyState { search, start, cells, from, related } = self;
        let ReasonSearch { suffix, budget, phases, .. } = &mut **search;
        let mut judge = start.clone();
        judge.follow_at_most(limits::FOLLOWED_BRIEFLY, budget.left());
        let mut forget = |at: usize, judge: &mut Judge, budget: &mut Budget<'_>| {
            if shown(related, at - 1) == Shown::Hole {
                *judge = budget.knowing_only(judge, cells, &phases.spec);
            }
        };
        let outcome = budget.within(budget.left() / limits::SIDE_SHARE, |budget| {
            suffix.run(judge, *from, budget, &mut |at, _| shown(known, at), &mut forget)
        });
        outcome == RelaxedOutcome::Rejected
    }

    /// Leaves out answers that are not needed. Returns whether each of the answers that stay was found to be needed.
    fn leave_out(&mut self, found: &mut Vec<usize>) -> Minimality {
        let (mut at, mut minimal) = (0, Minimality::Minimal);
        while at < found.len() {
            let fewer = [&found[..at], &found[at + 1..]].concat();
            let ReasonSearch { suffix, budget, .. } = &mut *self.search;
            match suffix.outcome_briefly(self.start, self.from, &fewer, budget) {
                RelaxedOutcome::Rejected => {
                    *found = fewer;
                    continue;
                }
                RelaxedOutcome::Explained => {}
                RelaxedOutcome::Undecided => minimal = Minimality::CutOff,
            }
            at += 1;
        }
        minimal
    }
}
