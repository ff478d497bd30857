//! The order in which a search deepest first follows its nodes, by the discrepancies on the paths to them.
//!
//! ```text
//! c1 A   c2 B   c2 b      the server reads B before `c2 b`, which leads on; to read A first is a discrepancy
//! ```

use std::cmp::Reverse;

use super::composition::Composition;
use crate::network::PacketOrder;

/// The importance of discrepancies (`proofs-notes/deepest.md`, *Order*).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DiscrepancyOrder {
    /// Nodes with the fewest are followed first.
    Fewest,
    /// Nodes before the latest event are followed first, and a discrepancy counts as one event less. This is the order if packets have an order.
    Deepest,
}

impl DiscrepancyOrder {
    pub(crate) fn of(composed: Composition<'_>) -> DiscrepancyOrder {
        if composed.network.order() == PacketOrder::Free { DiscrepancyOrder::Fewest } else { DiscrepancyOrder::Deepest }
    }

    /// The priority of a node before an event: the highest is followed first.
    pub(crate) fn priority(self, event: usize, discrepancies: usize) -> (Reverse<usize>, isize) {
        match self {
            DiscrepancyOrder::Fewest => (Reverse(discrepancies), event as isize),
            DiscrepancyOrder::Deepest => (Reverse(0), event as isize - discrepancies as isize),
        }
    }

    /// The number of discrepancies that an alternative counts as: 0 for the first; with `Fewest`, 1 for each other.
    pub(crate) fn of_alternative(self, is_first: bool) -> usize {
        usize::from(self == DiscrepancyOrder::Fewest && !is_first)
    }

    /// Tests whether a section is a discrepancy.
    pub(crate) fn is_discrepancy(self, is_read_again: bool, leads_on: impl FnOnce() -> bool) -> bool {
        match self {
            DiscrepancyOrder::Fewest => !leads_on(),
            DiscrepancyOrder::Deepest => is_read_again,
        }
    }

    /// Tests whether discrepancies are counted anew after an event; `is_last` is set if no later event was explained so far.
    pub(crate) fn begins_anew(self, is_last: bool) -> bool {
        is_last || self == DiscrepancyOrder::Deepest
    }
}
