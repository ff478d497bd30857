//! Pseudo-random numbers for tests, the same in every run: for example those of `numbers(1)` and of `numbers(2)` differ.

/// A generator whose calls give the next number below n: Knuth's linear congruential generator (MMIX).
pub(crate) fn numbers(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed;
    move |n| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    }
}
