//! The facts about pairs of requests that were asked for last: of fifty requests under way each two are looked at with every request
//! that is served.
//!
//! `(kind 3, kind 7)` has the place `3 * k + 7`, up to the number of places; what was there before is found out again if need be.

/// The number of places, a power of two.
const PLACES: usize = 1 << 12;
/// An odd number, so that pairs are spread over the places.
const SPREAD: u32 = 0x9e37_79b1;

/// The facts about pairs of kinds of requests, each at a place of its own or in the place of another pair.
pub(crate) struct RecentPairs<F>(Vec<Option<((u32, u32), F)>>);

impl<F: Copy> RecentPairs<F> {
    pub(crate) fn new() -> RecentPairs<F> {
        RecentPairs(vec![None; PLACES])
    }

    /// The facts about a pair, if they are there.
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
