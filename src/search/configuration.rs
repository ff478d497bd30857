//! Configurations, the nodes of the search for an order.
//!
//! ```text
//! state 7, served {2}, perhaps {0, 4}     the server's memory; the requests that were served; and those that may have been, or not
//! ```
//!
//! A state is a number: that of a frontier of candidates (`states`).

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::bits::PlaceSet;
use super::forms::StateNumber;

/// A state of server and network: the possible memory of the server, and the requests under way that it has served.
#[derive(Clone, Debug)]
pub(super) struct Configuration {
    pub(super) state: StateNumber,
    /// The requests that were served, or perhaps were, and whose answer has not been seen.
    pub(super) done: ServedSet,
    /// The requests served on the path to this configuration, the last first.
    pub(super) order: Option<Arc<Served>>,
    /// The place of the last configuration on the path to this one that was taken to be followed.
    pub(super) branch: Branch,
}

/// The place of a configuration in a search: the event before which it is, and its number among all that were added.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Branch {
    pub(super) at: usize,
    pub(super) number: u64,
}

/// The places of requests that were served, and of those that perhaps were.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct ServedSet {
    pub(super) served: PlaceSet,
    /// Owed requests that may have been served or not: the configuration stands for both.
    pub(super) perhaps: PlaceSet,
}

/// A list of served requests, the last first.
#[derive(Debug)]
pub(super) struct Served {
    pub(super) request: usize,
    /// The configuration in which the request was served.
    pub(super) branch: Branch,
    before: Option<Arc<Served>>,
}

impl Served {
    /// The list without the last request.
    pub(super) fn before(&self) -> Option<&Served> {
        self.before.as_deref()
    }
}

/// Drops a long list from its end, not by recursion.
impl Drop for Served {
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(mut served) = next.and_then(Arc::into_inner) {
            next = served.before.take();
        }
    }
}

impl Configuration {
    /// The configuration in a state, with no request served.
    pub(super) fn first(state: StateNumber) -> Configuration {
        Configuration::of(state, ServedSet::default())
    }

    /// A configuration without the path to it.
    pub(super) fn of(state: StateNumber, done: ServedSet) -> Configuration {
        Configuration { state, done, order: None, branch: Branch::default() }
    }

    /// The requests in the order in which they were served.
    pub(super) fn order(&self) -> Vec<usize> {
        let mut met = FxHashSet::default();
        let backwards = std::iter::successors(self.order.as_deref(), |served| served.before.as_deref());
        // A request may be noted twice, first as perhaps served: the last note counts.
        let mut order: Vec<usize> =
            backwards.map(|served| served.request).filter(|request| met.insert(*request)).collect();
        order.reverse();
        order
    }

    /// Notes that a request was served last.
    pub(super) fn note(&mut self, request: usize) {
        self.order = Some(Arc::new(Served { request, branch: self.branch, before: self.order.take() }));
    }

    /// Notes that requests were served just before the last one.
    pub(super) fn note_before_last(&mut self, requests: impl Iterator<Item = usize>) {
        let Some(last) = self.order.clone() else { return };
        self.order.clone_from(&last.before);
        requests.for_each(|request| self.note(request));
        self.note(last.request);
    }
}

impl ServedSet {
    /// Tests whether a request at a place was served, or perhaps was.
    pub(super) fn contains(&self, place: usize) -> bool {
        self.served.contains(place) || self.perhaps.contains(place)
    }

    /// Removes the request at a place.
    pub(super) fn remove(&mut self, place: usize) {
        self.served.remove(place);
        self.perhaps.remove(place);
    }

    /// Tests whether a configuration with these requests explains everything that one with the others does, in the same state: it has the
    /// same bound requests as served, or as perhaps served; it has no more unbound requests as served, and no fewer as perhaps served.
    pub(super) fn covers(&self, other: &ServedSet, bound: &PlaceSet) -> bool {
        let words = PlaceSet::words([&self.served, &self.perhaps, &other.served, &other.perhaps, bound]);
        words.into_iter().all(|[served, perhaps, others, others_perhaps, bound]| {
            let is_more = others_perhaps & !perhaps | served & !bound & !others;
            let differs = (served ^ others) & bound & !perhaps;
            is_more | differs == 0
        })
    }
}
