//! What was taken of the limits on work and memory.

use super::few::Few;
use crate::term::made;

/// What was taken of the limits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spent {
    /// The work that had been done when the current exchange began.
    pub(super) begun: u64,
    /// Set where something had been cut off when it began, or all candidates were doubtful.
    pub(super) follows_few: bool,
    /// The work that the current exchange may take: less than the limit where those before it took much.
    pub(super) credit: u64,
    /// The work that all exchanges that begin so may still take together.
    pub(super) left: u64,
    /// The work that had been done when the memory was measured last.
    pub(super) measured: u64,
    /// The memory that was in use when a single explanation was left, in bytes.
    pub(super) base: usize,
    /// Whether explanations took too much memory.
    pub(super) full: bool,
    /// The number of candidates that are followed beyond a limit.
    pub(super) few: Few,
}

impl Spent {
    pub(super) fn new(effort: u64) -> Spent {
        Spent {
            begun: made(),
            follows_few: false,
            credit: effort,
            left: effort,
            measured: made(),
            base: 0,
            full: false,
            few: Few::default(),
        }
    }
}
