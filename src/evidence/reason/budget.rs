//! The work that the search for a reason may take, counted in the same units on every machine.
//!
//! A unit is about the work of making one term, and a second is [`limits::SECOND`] units. No clock is read here, so one trace has one
//! reason on every machine, unless a slow machine calls the search off.

use std::sync::Arc;

use crate::judge::{Cell, Context, Exchange, Judge, Observed};
use crate::limits;
use crate::spec::Spec;
use crate::term::made;

/// The units that a question to Z3 costs.
const ASKED: u64 = limits::Z3_QUESTION / 2;

/// The work that is left, and whether somebody has called it off.
pub struct Budget<'b> {
    left: u64,
    is_over: Option<&'b IsOver<'b>>,
}

/// The part of an exchange that is shown to a judge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::evidence) enum Shown {
    /// The request and the answer.
    Answer,
    /// The request, with a hole in the place of the answer.
    Hole,
}

/// A test whether the search is to end early.
type IsOver<'b> = dyn Fn() -> bool + Sync + 'b;

impl std::fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Budget").field("left", &self.left).finish_non_exhaustive()
    }
}

impl<'b> Budget<'b> {
    /// A budget for this number of seconds.
    #[must_use]
    pub fn seconds(seconds: f64) -> Budget<'b> {
        Budget { left: (seconds * limits::SECOND as f64) as u64, is_over: None }
    }

    /// Lets `is_over` end the work: from the moment that it returns true, the budget is spent.
    #[must_use]
    pub fn until(self, is_over: &'b IsOver<'b>) -> Budget<'b> {
        Budget { is_over: Some(is_over), ..self }
    }

    /// Tests whether nothing is left, or the work was called off.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.left == 0 || self.is_called_off()
    }

    /// Tests whether the work was called off.
    pub(super) fn is_called_off(&self) -> bool {
        limits::end::is_over() || self.is_over.is_some_and(|is_over| is_over())
    }

    /// The units that are left.
    pub(in crate::evidence) fn left(&self) -> u64 {
        self.left
    }

    /// Sets the units that are left.
    pub(super) fn renew(&mut self, units: u64) {
        self.left = units;
    }

    /// Adds units.
    pub(super) fn add(&mut self, units: u64) {
        self.left = self.left.saturating_add(units);
    }

    pub(in crate::evidence) fn spend(&mut self, units: u64) {
        self.left = self.left.saturating_sub(units);
    }

    /// Shows an exchange to a judge, and charges the budget for it; returns whether anything still explains the exchange.
    pub(in crate::evidence) fn observe(&mut self, judge: &mut Judge, exchange: &Exchange) -> bool {
        let before = Self::paid(judge);
        let alive = judge.observe(exchange);
        self.spend(Self::paid(judge).saturating_sub(before) + 1);
        alive
    }

    /// Shows an exchange to a judge as [`Self::observe`] does, or with a hole in the place of its answer.
    pub(in crate::evidence) fn show(&mut self, judge: &mut Judge, exchange: &Exchange, shown: Shown) -> bool {
        match shown {
            Shown::Answer => self.observe(judge, exchange),
            Shown::Hole => self.observe(judge, &without_answer(exchange)),
        }
    }

    /// The judge that knows only these cells; the budget is charged for making it.
    pub(super) fn knowing_only(&mut self, judge: &Judge, cells: &[Cell], spec: &Arc<Spec>) -> Judge {
        let before = Self::paid(judge);
        let only = judge.knowing_only(cells, spec);
        self.spend(Self::paid(&only).saturating_sub(before) + cells.len() as u64 + judge.copied_size());
        only
    }

    /// The work of a judge so far. The difference of two such figures is the cost of the work between them.
    pub(in crate::evidence) fn paid(judge: &Judge) -> u64 {
        Self::paid_of([judge.context()])
    }

    /// The work in several contexts of one thread so far. The terms that the thread made are counted once.
    pub(in crate::evidence) fn paid_of<'j>(contexts: impl IntoIterator<Item = &'j Context>) -> u64 {
        let besides_terms = |context: &Context| {
            let counts = context.counts();
            let asked = context.statistics().z3_checks * ASKED;
            context.worked_besides_terms() + asked + (counts.walked + 4 * counts.compared) / limits::LOOKUPS_PER_TERM
        };
        made() + contexts.into_iter().map(besides_terms).sum::<u64>()
    }

    /// Does some work with a budget of at most `units`, and charges this one for what the work spent.
    pub(in crate::evidence) fn within<T>(&mut self, units: u64, work: impl FnOnce(&mut Budget<'b>) -> T) -> T {
        let mut own = Budget { left: self.left.min(units), is_over: self.is_over };
        let before = own.left;
        let found = work(&mut own);
        self.spend(before - own.left);
        found
    }
}

/// The exchange with its answer replaced by a hole.
fn without_answer(exchange: &Exchange) -> Exchange {
    let observed = match &exchange.observed {
        Observed::Answer(_) | Observed::Any => Observed::Any,
        Observed::Nothing => Observed::Nothing,
        Observed::Lost => Observed::Lost,
        Observed::Restarted => Observed::Restarted,
    };
    Exchange { observed, ..exchange.clone() }
}
