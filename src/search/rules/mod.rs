//! The rules that leave out orders of service: exact, so they change speed only.
//!
//! Tests compare the search by all rules with the search by none, and with trying all orders. The rules are those of
//! `proofs-notes/schedules.md`. What is left without any is: just in time, lookahead, and no configuration twice.

pub(crate) mod every_state;
pub(crate) mod kinds;
pub(crate) mod pairs;
pub(crate) mod recent;
pub(crate) mod relations;
pub(crate) mod shape;
pub(crate) mod unseen;

use crate::judge::Reductions;

/// The rules that a search follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OrderRules {
    reductions: Reductions,
    /// Set if only those are followed that leave out no order in which the server may have failed (proofs-notes/schedules.md, *Failing
    /// orders*).
    is_failing: bool,
}

/// Less is found out sooner by trying than by asking.
const PATIENCE: u64 = 4_000;

impl OrderRules {
    /// All rules, as far as reductions are made.
    pub(super) fn of(reductions: Reductions) -> OrderRules {
        OrderRules { reductions, is_failing: false }
    }

    /// These rules without those that leave out orders in which the server may have failed.
    pub(super) fn failing(self) -> OrderRules {
        OrderRules { is_failing: true, ..self }
    }

    /// Tests whether a request that is answered as it was, and changes nothing in any state in which it is, is served at once; and of two
    /// equal requests the one first whose answer is seen first.
    pub(super) fn keep_failures(self) -> bool {
        self.reductions != Reductions::None
    }

    /// Tests whether the other rules are followed:
    ///
    /// * A request that changes nothing here was perhaps served; so was one that others overwrite, so that it makes no difference.
    /// * A configuration that another one covers is left out, and one in which an answer can never come any more.
    /// * A request without an answer that changes nothing is left out.
    /// * Keys that have nothing to do with each other are judged one by one.
    /// * Texts that no answer shows, and that nothing else tells apart, are one.
    pub(super) fn are_all(self) -> bool {
        self.keep_failures() && !self.is_failing
    }

    /// The number of ways between states that are looked up before the solver is asked what holds in every state; and the work that is done
    /// without coming further before the search jumps back from dead ends.
    pub(super) fn patience(self) -> u64 {
        match self.reductions {
            Reductions::None => u64::MAX,
            Reductions::Usual if !self.is_failing => PATIENCE,
            Reductions::Usual | Reductions::Eager => 0,
        }
    }
}
