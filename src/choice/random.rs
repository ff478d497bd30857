//! Choices drawn from a seed: the xoshiro256++ generator of Blackman and Vigna, its state filled by splitmix64.
//!
//! The choices of a seed never change, with any version of any library: regression stores and shared seeds depend on them. So the published
//! algorithms are implemented here in full, and their reference values are a test.
//!
//! ```
//! use mayhap_choice::{Choices, Random};
//! assert_eq!(Random::new(1).choose("x", 1_000), Random::new(1).choose("x", 1_000));
//! ```

use super::{ChoiceError, Choices, Label};

/// A seeded source of uniformly distributed choices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// The source for a seed.
    #[must_use]
    pub fn new(seed: u64) -> Random {
        let mut counter = seed;
        Random { state: std::array::from_fn(|_| splitmix64(&mut counter)) }
    }

    /// The source of one of many runs with a common seed, independent of the other runs.
    #[must_use]
    pub fn of_run(seed: u64, index: u64) -> Random {
        let mut counter = seed;
        Random::new(splitmix64(&mut counter) ^ index.wrapping_mul(0xd1b5_4a32_d192_ed03))
    }

    /// The next 64 bits.
    pub(super) fn next_u64(&mut self) -> u64 {
        let [s0, s1, s2, s3] = &mut self.state;
        let result = s0.wrapping_add(*s3).rotate_left(23).wrapping_add(*s0);
        let shifted = *s1 << 17;
        *s2 ^= *s0;
        *s3 ^= *s1;
        *s1 ^= *s2;
        *s0 ^= *s3;
        *s2 ^= shifted;
        *s3 = s3.rotate_left(45);
        result
    }

    /// A uniformly distributed number in `0..bound` (Lemire's multiplication with rejection).
    pub fn below(&mut self, bound: u64) -> u64 {
        loop {
            let product = u128::from(self.next_u64()) * u128::from(bound);
            // The threshold of the rejection is below the bound, so it is rarely computed.
            if product as u64 >= bound || product as u64 >= bound.wrapping_neg() % bound {
                return (product >> 64) as u64;
            }
        }
    }

    /// A uniformly distributed number in `0..bound`, for bounds of more than 64 bits: draws as many bits as the bound has until they are
    /// below it.
    pub(super) fn below_wide(&mut self, bound: u128) -> u128 {
        loop {
            let bits = u128::from(self.next_u64()) << 64 | u128::from(self.next_u64());
            let drawn = bits >> bound.leading_zeros();
            if drawn < bound {
                return drawn;
            }
        }
    }
}

/// A function whose calls give the next number below n, for tests.
pub fn numbers(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut random = Random::new(seed);
    move |n| random.below(n)
}

impl Choices for Random {
    fn branch(&mut self, label: Label, arity: usize, weights: Option<&[u64]>) -> Result<usize, ChoiceError> {
        let Some(weights) = weights else { return Ok(self.below(arity as u64) as usize) };
        let picked = match weights.iter().try_fold(0_u64, |total, weight| total.checked_add(*weight)) {
            Some(0) => None,
            Some(total) => at_place(weights, self.below(total)),
            None => at_place(weights, self.below_wide(weights.iter().copied().map(u128::from).sum())),
        };
        picked.ok_or(ChoiceError::BadWeights { label })
    }
}

/// The index of the weight whose range contains a number below the sum of all weights; the ranges follow each other, each as long as its
/// weight.
fn at_place<N: Copy + PartialOrd + From<u64> + std::ops::Sub<Output = N>>(weights: &[u64], number: N) -> Option<usize> {
    let mut left = number;
    weights.iter().map(|weight| N::from(*weight)).position(|weight| {
        let is_here = left < weight;
        if !is_here {
            left = left - weight;
        }
        is_here
    })
}

fn splitmix64(counter: &mut u64) -> u64 {
    *counter = counter.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *counter;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reference values of the published C programs.
    #[test]
    fn the_published_algorithms() {
        let mut counter = 1_234_567;
        assert_eq!(splitmix64(&mut counter), 6_457_827_717_110_365_317);
        assert_eq!(splitmix64(&mut counter), 3_203_168_211_198_807_973);
        let mut random = Random { state: [1, 2, 3, 4] };
        let first: [u64; 4] = std::array::from_fn(|_| random.next_u64());
        assert_eq!(first, [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386]);
    }

    #[test]
    fn a_seed_means_the_same_for_ever() {
        let mut random = Random::new(0);
        let drawn: Vec<usize> = (0..10).map(|_| random.choose("x", 10).unwrap()).collect();
        assert_eq!(drawn, [3, 3, 3, 0, 4, 0, 8, 8, 2, 0]);
    }

    #[test]
    fn every_alternative_is_about_as_likely() {
        let mut random = Random::new(42);
        let mut counts = [0_u32; 7];
        for _ in 0..70_000 {
            counts[random.choose("x", 7).unwrap()] += 1;
        }
        assert!(counts.iter().all(|&n| (9_500..10_500).contains(&n)), "{counts:?}");
    }

    #[test]
    fn weights_are_proportions() {
        let mut random = Random::new(42);
        let mut counts = [0_u32; 4];
        for _ in 0..60_000 {
            counts[random.weighted("x", &[1, 0, 3, 2]).unwrap()] += 1;
        }
        assert_eq!(counts[1], 0);
        for (count, expected) in counts.iter().zip([10_000, 0, 30_000, 20_000]) {
            assert!(count.abs_diff(expected) < 600, "{counts:?}");
        }
        let large = [u64::MAX, u64::MAX, 2];
        let drawn = (0..1_000).filter(|_| random.weighted("x", &large) == Ok(0)).count();
        assert!((400..600).contains(&drawn), "{drawn}");
        assert_eq!(random.weighted("x", &[0, 0]), Err(ChoiceError::Empty { label: "x" }));
        assert_eq!(random.weighted("x", &[0, 5]), Ok(1));
    }
}
