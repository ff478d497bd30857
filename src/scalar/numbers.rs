//! Numbers that look random, the same in every run, for tests.
//!
//! `numbers(1)` gives other numbers than `numbers(2)`; each call takes the next one below what is asked for.

/// Numbers below n, by Knuth's linear congruential generator (MMIX).
pub(crate) fn numbers(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed;
    move |n| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    }
}
