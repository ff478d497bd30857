//! The last comparison of candidates, by which it is seen when to compare them again.

/// The cost of an exchange for a candidate, in values that comparing walks through.
const EXCHANGE: usize = 8;

/// The last time that candidates were compared.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Compared {
    /// The number that was left.
    pub(super) left: usize,
    /// The number of their values.
    pub(super) walked: usize,
    /// The cost of the exchanges since then, in values.
    pub(super) spent: usize,
    /// The number that was left the last time that putting them together gained little.
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
