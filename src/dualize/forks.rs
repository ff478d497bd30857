//! The statements at which explanations forked, so that an author sees which of them are dear.
//!
//! For example 40 of 42 forks at `either {} or { n := n + 1; }`: what the server may have done there is kept apart each time.

use rustc_hash::FxHashMap;

use super::frontier::Judge;
use super::verdict::Place;
use crate::spec::Site;

/// The forks so far.
#[derive(Clone, Default, Debug)]
pub(super) struct Forks {
    last: Option<Place>,
    at: FxHashMap<Site, u64>,
}

impl Forks {
    /// The place of the last one.
    pub(super) fn last(&self) -> Option<Place> {
        self.last
    }
}

impl Judge {
    /// Counts a fork at a statement.
    pub(super) fn count_fork(&mut self, site: Site) {
        self.counts.forks += 1;
        self.forks.last = Some(self.place(site));
        *self.forks.at.entry(site).or_default() += 1;
    }

    /// All statements at which candidates forked, and how often; in the order of the specification.
    #[must_use]
    pub fn forks(&self) -> Vec<(Site, u64)> {
        let mut all: Vec<(Site, u64)> = self.forks.at.iter().map(|(site, count)| (*site, *count)).collect();
        all.sort_unstable();
        all
    }
}
