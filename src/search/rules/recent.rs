//! A cache of the facts about pairs of requests: if fifty requests are under way, each two are looked at with every request that is
//! served.
//!
//! `(kind 3, kind 7)` has the place `3 * k + 7`, modulo the number of places. Facts that another pair has displaced are found again when
//! they are needed.

/// The cache has this many places, a power of two.
const PLACES: usize = 1 << 12;
/// The factor k is an odd number, so that pairs are spread over the places.
const SPREAD: u32 = 0x9e37_79b1;

/// The facts about pairs of kinds of requests; each place has the last pair that was added there.
pub(crate) struct RecentPairs<F>(Vec<Option<((u32, u32), F)>>);

impl<F: Copy> RecentPairs<F> {
    pub(crate) fn new() -> RecentPairs<F> {
        RecentPairs(vec![None; PLACES])
    }

    /// The facts about a pair, if the cache has them.
    pub(crate) fn of(&self, pair: (u32, u32)) -> Option<F> {
        self.0[place(pair)].filter(|(own, _)| *own == pair).map(|(_, facts)| facts)
    }

    /// Adds the facts about a pair.
    pub(crate) fn add(&mut self, pair: (u32, u32), facts: F) {
        self.0[place(pair)] = Some((pair, facts));
    }
}

fn place((first, second): (u32, u32)) -> usize {
    first.wrapping_mul(SPREAD).wrapping_add(second) as usize % PLACES
}
