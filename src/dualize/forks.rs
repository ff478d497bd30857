//! The statements at which explanations forked, so that an author sees which of them are dear.
//!
//! For example 40 of 42 forks at `either {} or { n := n + 1; }`: what the server may have done there is kept apart each time.

use rustc_hash::FxHashMap;

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

    /// Counts a fork.
    pub(super) fn count(&mut self, at: Place) {
        self.last = Some(at);
        *self.at.entry(at.site).or_default() += 1;
    }

    /// All statements at which candidates forked, and how often; in the order of the specification.
    pub(super) fn all(&self) -> Vec<(Site, u64)> {
        let mut all: Vec<(Site, u64)> = self.at.iter().map(|(site, count)| (*site, *count)).collect();
        all.sort_unstable();
        all
    }
}
