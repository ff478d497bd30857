//! When candidates were compared last, and when they are to be compared again.

/// What an exchange costs a candidate, in values that comparing walks through.
const EXCHANGE: usize = 8;

/// When candidates were compared last.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Compared {
    /// How many were left.
    pub(super) left: usize,
    /// How many values they had.
    pub(super) walked: usize,
    /// What the exchanges since then cost, in values.
    pub(super) spent: usize,
    /// How many were left the last time that putting them together gained little.
    pub(super) stuck: usize,
}

impl Compared {
    /// Tests whether so many candidates are to be compared: there are more than were left, or the exchanges since then have cost as
    /// much as comparing will.
    pub(super) fn is_due(&mut self, candidates: usize) -> bool {
        self.spent += EXCHANGE * candidates;
        candidates > self.left || self.spent >= self.walked
    }
}
