//! The work that looking for a reason may take, counted in the same units on every machine.
//!
//! A unit is about what it takes to make a term; a second is [`SECOND`] of them. Nothing is asked of a clock here, so the same
//! trace has the same reason whenever and wherever it is looked for, unless a slow machine calls the search off.

use std::sync::Arc;

use crate::judge::{Cell, Exchange, Judge};
use crate::spec::Spec;
use crate::term::made;

/// The units that take about a second; code that is not optimized does a fifth of that.
pub const SECOND: u64 = if cfg!(debug_assertions) { 300_000 } else { 1_400_000 };
/// The number of terms that a question to Z3 counts as.
const ASKED: u64 = 20_000;
/// The number of walked values that count as one term.
const WALKED: u64 = 4;

/// The work that is left, and whether somebody has called it off.
pub struct Budget<'b> {
    left: u64,
    is_over: Option<&'b IsOver<'b>>,
}

/// A test whether a search is to end.
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
        Budget { left: (seconds * SECOND as f64) as u64, is_over: None }
    }

    /// Lets a test call the work off: as soon as it holds, the budget is spent.
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
        self.is_over.is_some_and(|is_over| is_over())
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

    /// Shows an exchange to a judge, and pays for it; returns whether anything still explains it.
    pub(in crate::evidence) fn observe(&mut self, judge: &mut Judge, exchange: &Exchange) -> bool {
        let before = Self::paid(judge);
        let alive = judge.observe(exchange);
        self.spend(Self::paid(judge).saturating_sub(before) + 1);
        alive
    }

    /// The judge that knows only these cells, paid for.
    pub(super) fn knowing_only(&mut self, judge: &Judge, cells: &[Cell], spec: &Arc<Spec>) -> Judge {
        let before = Self::paid(judge);
        let only = judge.knowing_only(cells, spec);
        self.spend(Self::paid(&only).saturating_sub(before) + cells.len() as u64 + judge.copied_size());
        only
    }

    /// The cost of a judge so far, to be compared with what it costs later.
    pub(in crate::evidence) fn paid(judge: &Judge) -> u64 {
        Self::paid_of([judge])
    }

    /// That of several judges of one thread, of which all terms that it made are counted once.
    pub(in crate::evidence) fn paid_of<'j>(judges: impl IntoIterator<Item = &'j Judge>) -> u64 {
        let besides_terms = |judge: &Judge| {
            let counts = judge.counts();
            let asked = judge.statistics().z3_checks * ASKED;
            judge.worked_besides_terms() + asked + (counts.walked + 4 * counts.compared) / WALKED
        };
        made() + judges.into_iter().map(besides_terms).sum::<u64>()
    }

    /// Spends units, at most those that are left.
    pub(in crate::evidence) fn within<T>(&mut self, units: u64, work: impl FnOnce(&mut Budget<'b>) -> T) -> T {
        let mut own = Budget { left: self.left.min(units), is_over: self.is_over };
        let before = own.left;
        let found = work(&mut own);
        self.spend(before - own.left);
        found
    }
}
