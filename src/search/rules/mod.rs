//! The rules that leave out orders of service: exact, so they change speed only.
//!
//! The note `proofs-notes/schedules.md` says why they are exact. Tests compare the search by all rules with the search by none, and with
//! trying all orders. Without rules, a search still serves requests just in time, looks ahead at answers, and follows no configuration
//! twice.

pub(crate) mod absorption;
pub(crate) mod every_state;
pub(crate) mod kinds;
pub(crate) mod pairs;
pub(crate) mod shape;
pub(crate) mod unseen;

use crate::judge::Reductions;

/// The rules that a search follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OrderRules {
    reductions: Reductions,
    /// Set if only rules are followed that leave out no order in which a request may have failed (proofs-notes/schedules.md, *Failing
    /// orders*).
    is_failing: bool,
}

/// Until this many ways were looked up, trying orders is faster than asking the solver.
const PATIENCE: u64 = 4000;

impl OrderRules {
    /// All rules, as far as reductions are made.
    pub(super) fn of(reductions: Reductions) -> OrderRules {
        OrderRules { reductions, is_failing: false }
    }

    /// These rules without those that leave out orders in which a request may have failed.
    pub(super) fn failing(self) -> OrderRules {
        OrderRules { is_failing: true, ..self }
    }

    /// Tests whether the rule is followed that keeps failing orders: a request that can get its answer, and changes nothing in any state in
    /// which it can, is served at once.
    pub(super) fn serves_at_once(self) -> bool {
        self.reductions != Reductions::None
    }

    /// Tests whether the other rules are followed:
    ///
    /// * A request that changes nothing in a state was perhaps served; so was a request whose change the next one overwrites.
    /// * A configuration that another one covers is left out.
    /// * A request without an answer that changes nothing is left out.
    /// * Independent keys are judged one by one.
    /// * Texts that no answer shows, and that nothing else tells apart, are one text.
    pub(super) fn uses_all_rules(self) -> bool {
        self.serves_at_once() && !self.is_failing
    }

    /// The number of looked-up ways after which the solver is asked which requests absorb others; and the work without coming
    /// further after which a search jumps back from dead ends.
    pub(super) fn patience(self) -> u64 {
        match self.reductions {
            Reductions::None => u64::MAX,
            Reductions::Usual if !self.is_failing => PATIENCE,
            Reductions::Usual | Reductions::Eager => 0,
        }
    }
}
