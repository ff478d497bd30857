//! The statements at which explanations forked, so that an author sees which of them are dear.
//!
//! For example 40 of 42 forks at `either {} or { n := n + 1; }`: what the server may have done there is kept apart each time.

use std::cmp::Reverse;

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
    /// Counts a fork at a place.
    pub(super) fn add(&mut self, place: Place) {
        self.last = Some(place);
        *self.at.entry(place.site).or_default() += 1;
    }

    /// The place of the last one.
    pub(super) fn last(&self) -> Option<Place> {
        self.last
    }
}

impl Judge {
    /// All statements at which candidates forked, and how often; the one that did most often first.
    #[must_use]
    pub fn forks(&self) -> Vec<(Site, u64)> {
        let mut all: Vec<(Site, u64)> = self.forks.at.iter().map(|(site, count)| (*site, *count)).collect();
        all.sort_unstable_by_key(|(site, count)| (Reverse(*count), *site));
        all
    }
}
