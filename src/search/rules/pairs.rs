//! The requests under way that each request under way absorbs.
//!
//! ```text
//! under way    c1 Write(1)    c2 Write(2)    c3 Read, answered 1
//! c2           absorbs c1: it makes no difference whether Write(1) was served just before Write(2)
//! ```
//!
//! Each two requests are looked at once, when the later one is sent; a search then reads a few words of bits.

use super::kinds::FirstEvents;
use crate::search::bits::PlaceSet;
use crate::search::pending::PendingRequests;
use crate::search::states::States;

/// The requests under way before an event that each of them absorbs.
#[derive(Clone)]
pub(crate) struct AbsorbedPairs {
    /// For the place of each request, the places of those that it absorbs: it makes no difference whether these are served just before it.
    absorbs: Vec<PlaceSet>,
    /// Set if it was looked for when these pairs were made.
    pub(crate) knows_absorption: bool,
}

impl AbsorbedPairs {
    /// The pairs of the requests under way before an event.
    pub(crate) fn of(events: FirstEvents<'_>, states: &mut States, pending: &PendingRequests) -> AbsorbedPairs {
        let knows_absorption = states.absorption(events.known.rules).is_some();
        let mut pairs = AbsorbedPairs { absorbs: Vec::new(), knows_absorption };
        let mut before = PendingRequests::default();
        for request in pending.requests() {
            pairs.add(events, states, &before, request);
            before.under_way.push(request as u32);
        }
        pairs
    }

    /// The pairs with one more request under way.
    pub(crate) fn with(
        &self,
        events: FirstEvents<'_>,
        states: &mut States,
        before: &PendingRequests,
        request: usize,
    ) -> AbsorbedPairs {
        let mut pairs = self.clone();
        pairs.add(events, states, before, request);
        pairs
    }

    /// Adds a request to those that are under way.
    fn add(&mut self, events: FirstEvents<'_>, states: &mut States, before: &PendingRequests, request: usize) {
        let place = events.about(request).place;
        if self.absorbs.len() <= place {
            self.absorbs.resize_with(place + 1, PlaceSet::default);
        }
        self.absorbs[place] = PlaceSet::default();
        for other in before.requests() {
            self.look_at(events, states, request, other);
            self.look_at(events, states, other, request);
        }
    }

    /// The pairs without the request at a place.
    pub(crate) fn without(&self, place: usize) -> AbsorbedPairs {
        let mut pairs = self.clone();
        pairs.absorbs.iter_mut().for_each(|absorbed| absorbed.remove(place));
        pairs
    }

    /// The places of the requests that the request at a place absorbs.
    pub(crate) fn absorbs(&self, place: usize) -> &PlaceSet {
        &self.absorbs[place]
    }

    /// Notes whether the first request absorbs the second.
    fn look_at(&mut self, events: FirstEvents<'_>, states: &mut States, first: usize, second: usize) {
        let [one, other] = [first, second].map(|request| events.about(request));
        if !other.is_owed(events.end) || other.chained || events.known.changes_nothing(second, events.end) {
            return;
        }
        let absorption = states.absorption(events.known.rules);
        if absorption.is_some_and(|absorption| absorption.absorbs(one, other, events.end)) {
            self.absorbs[one.place].insert(other.place);
        }
    }
}
