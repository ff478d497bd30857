//! Choices drawn from a seed: the xoshiro256++ generator of Blackman and Vigna, its state filled by splitmix64.
//!
//! What a seed gives never changes, whatever version of whatever library is installed: regression stores and shared
//! seeds depend on it, which is why the published algorithms stand here in full and have golden numbers as a test.
//!
//! ```
//! use mayhap::choice::{Choices, Random};
//! assert_eq!(Random::new(1).choose(1_000), Random::new(1).choose(1_000));
//! ```

use super::{ChoiceError, Choices};

/// A seeded source of uniformly distributed choices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// The source that `seed` stands for.
    #[must_use]
    pub fn new(seed: u64) -> Random {
        let mut counter = seed;
        Random { state: std::array::from_fn(|_| splitmix64(&mut counter)) }
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
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

    /// A number in `0..bound`, every one as likely as every other (Lemire's multiplication with rejection).
    fn below(&mut self, bound: u64) -> u64 {
        let threshold = bound.wrapping_neg() % bound;
        loop {
            let product = u128::from(self.next_u64()) * u128::from(bound);
            if product as u64 >= threshold {
                return (product >> 64) as u64;
            }
        }
    }
}

impl Choices for Random {
    fn branch(&mut self, arity: usize) -> Result<usize, ChoiceError> {
        Ok(self.below(arity as u64) as usize)
    }
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
        let drawn: Vec<usize> = (0..10).map(|_| random.choose(10).unwrap()).collect();
        assert_eq!(drawn, [3, 3, 3, 0, 4, 0, 8, 8, 2, 0]);
    }

    #[test]
    fn every_alternative_is_about_as_likely() {
        let mut random = Random::new(42);
        let mut counts = [0_u32; 7];
        for _ in 0..70_000 {
            counts[random.choose(7).unwrap()] += 1;
        }
        assert!(counts.iter().all(|&n| (9_500..10_500).contains(&n)), "{counts:?}");
    }
}
