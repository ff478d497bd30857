//! The order in which a search deepest first follows its nodes, by the detours on the paths to them.
//!
//! ```text
//! c1 A   c2 B   c2 b      the server reads B before `c2 b`, which leads on; to read A first is a detour
//! ```

use std::cmp::Reverse;

use super::composed::Composed;
use crate::network::PacketOrder;

/// The importance of detours (`proofs-notes/deepest.md`, *Order*).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DetourOrder {
    /// Nodes with the fewest are followed first.
    Fewest,
    /// Nodes before the latest event are followed first, and a detour counts as one event less. This is the order if packets have an order.
    Deepest,
}

impl DetourOrder {
    pub(crate) fn of(composed: Composed<'_>) -> DetourOrder {
        if composed.network.order() == PacketOrder::Free { DetourOrder::Fewest } else { DetourOrder::Deepest }
    }

    /// The priority of a node before an event: the highest is followed first.
    pub(crate) fn priority(self, event: usize, detours: usize) -> (Reverse<usize>, isize) {
        match self {
            DetourOrder::Fewest => (Reverse(detours), event as isize),
            DetourOrder::Deepest => (Reverse(0), event as isize - detours as isize),
        }
    }

    /// The number of detours that an alternative counts as: 0 for the first; with `Fewest`, 1 for each other.
    pub(crate) fn of_alternative(self, is_first: bool) -> usize {
        usize::from(self == DetourOrder::Fewest && !is_first)
    }

    /// Tests whether a section is a detour.
    pub(crate) fn is_detour(self, is_read_again: bool, leads_on: impl FnOnce() -> bool) -> bool {
        match self {
            DetourOrder::Fewest => !leads_on(),
            DetourOrder::Deepest => is_read_again,
        }
    }

    /// Tests whether detours are counted anew after an event; `is_last` is set if no later event was explained so far.
    pub(crate) fn begins_anew(self, is_last: bool) -> bool {
        is_last || self == DetourOrder::Deepest
    }
}
