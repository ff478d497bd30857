//! Failures that do not show in every run: a sequential test of how often they show.
//!
//! A candidate is run until Wald's sequential probability ratio test decides. It is kept if it fails in at least the share
//! `often` of its runs, and dropped if it fails in at most the share `seldom`.
//!
//! ```
//! use mayhap::shrink::{OddsVerdict, RatioTest};
//! let test = RatioTest::for_share(0.3);
//! assert_eq!(test.decision(0, 1), OddsVerdict::Open);
//! assert_eq!(test.decision(2, 2), OddsVerdict::Yes);
//! assert_eq!(test.decision(0, 30), OddsVerdict::No);
//! ```

/// The probability that a script that seldom fails is kept.
pub const FALSE_KEPT: f64 = 0.05;
/// The probability that a script that often fails is dropped.
pub const FALSE_DROPPED: f64 = 0.03;

/// Wald's test of how often a script fails.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RatioTest {
    /// The share of runs; a script that fails in at least this share is to be kept.
    often: f64,
    /// The share of runs; a script that fails in at most this share is to be dropped.
    seldom: f64,
}

/// A decision of the test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OddsVerdict {
    /// The script fails often enough.
    Yes,
    /// The script does not fail often enough.
    No,
    /// More runs are needed.
    Open,
}

impl RatioTest {
    /// The test for scripts that are smaller than one with this share of failing runs; smaller ones may fail more seldom.
    #[must_use]
    pub fn for_share(share: f64) -> RatioTest {
        let often = (share * 0.6).clamp(0.02, 0.9);
        RatioTest { often, seldom: often / 8.0 }
    }

    /// The decision after `failures` failures in `runs` runs.
    #[must_use]
    pub fn decision(&self, failures: u64, runs: u64) -> OddsVerdict {
        let (failed, passed) = (failures as f64, runs.saturating_sub(failures) as f64);
        let ratio = failed * (self.often / self.seldom).ln() + passed * ((1.0 - self.often) / (1.0 - self.seldom)).ln();
        if ratio >= ((1.0 - FALSE_DROPPED) / FALSE_KEPT).ln() {
            OddsVerdict::Yes
        } else if ratio <= (FALSE_DROPPED / (1.0 - FALSE_KEPT)).ln() {
            OddsVerdict::No
        } else {
            OddsVerdict::Open
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::{Choices, Random};

    /// The share of scripts that the test keeps, and its mean number of runs. The scripts fail with this probability, in per
    /// mille.
    fn kept(test: RatioTest, failing: usize) -> (f64, f64) {
        let mut source = Random::new(failing as u64);
        let (mut kept, mut runs) = (0, 0);
        for _ in 0..2_000 {
            let (mut failures, mut own) = (0, 0);
            while test.decision(failures, own) == OddsVerdict::Open {
                failures += u64::from(source.choose("run", 1_000).unwrap() < failing);
                own += 1;
            }
            kept += u64::from(test.decision(failures, own) == OddsVerdict::Yes);
            runs += own;
        }
        (kept as f64 / 2_000.0, runs as f64 / 2_000.0)
    }

    #[test]
    fn the_stated_rates_hold() {
        for share in [0.1, 0.3, 0.7] {
            let test = RatioTest::for_share(share);
            let per_mille = |share: f64| (share * 1_000.0) as usize;
            assert!(kept(test, per_mille(test.seldom)).0 <= FALSE_KEPT + 0.02);
            assert!(kept(test, per_mille(test.often)).0 >= 1.0 - FALSE_DROPPED - 0.02);
            assert!(kept(test, per_mille(share)).1 <= 4.0 / share, "{share}");
        }
    }
}
