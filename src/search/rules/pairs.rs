//! The relations of each request under way to the others.
//!
//! ```text
//! under way    c1 Write(1)    c2 Write(2)    c3 Read, answered 1
//! c2           absorbs c1: it makes no difference whether Write(1) was served just before Write(2)
//! ```
//!
//! Each two requests are looked at once, when the later one is sent; a search then reads a few words of bits.

use super::kinds::FirstEvents;
use crate::search::bits::PlaceSet;
use crate::search::moments::Moment;
use crate::search::states::States;

/// The relations between the requests under way before an event.
#[derive(Clone)]
pub(crate) struct MomentPairs {
    /// The relations of each request, by its place.
    rows: Vec<PairRow>,
    /// The places of requests without a seen answer that may have an effect whenever they are served.
    pub(crate) lasting: PlaceSet,
    /// Set if the relations that hold in every state were known when these were made.
    pub(crate) knows_relations: bool,
}

/// The relations of a request under way to the others, which are given by their places.
#[derive(Clone, Default)]
pub(crate) struct PairRow {
    /// The requests whose answer never comes after this one.
    pub(crate) kills: PlaceSet,
    /// The requests of which it makes no difference whether they are served just before this one.
    pub(crate) absorbs: PlaceSet,
    /// The requests that can get their answer after this one if they could before it, and that change every state in which they get it.
    pub(crate) leaves: PlaceSet,
    /// The equal requests that are to be served before this one.
    pub(crate) equal: PlaceSet,
}

impl PairRow {
    fn sets(&mut self) -> [&mut PlaceSet; 4] {
        [&mut self.kills, &mut self.absorbs, &mut self.leaves, &mut self.equal]
    }
}

impl MomentPairs {
    /// The pairs of the requests under way before an event.
    pub(crate) fn of(events: FirstEvents<'_>, states: &mut States, moment: &Moment) -> MomentPairs {
        let knows_relations = states.relations(events.known.rules).is_some();
        let mut pairs = MomentPairs { rows: Vec::new(), lasting: PlaceSet::default(), knows_relations };
        let mut before = Moment::default();
        for request in moment.requests() {
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
        before: &Moment,
        request: usize,
    ) -> MomentPairs {
        let mut pairs = self.clone();
        pairs.add(events, states, before, request);
        pairs
    }

    /// Adds a request to those that are under way.
    fn add(&mut self, events: FirstEvents<'_>, states: &mut States, before: &Moment, request: usize) {
        let about = events.about(request);
        if self.rows.len() <= about.place {
            self.rows.resize_with(about.place + 1, PairRow::default);
        }
        self.rows[about.place] = PairRow::default();
        if !about.is_owed(events.end) && !may_lose_effect(events, states, request) {
            self.lasting.insert(about.place);
        }
        for other in before.requests() {
            self.look_at(events, states, request, other);
            self.look_at(events, states, other, request);
        }
    }

    /// The pairs without the request at a place.
    pub(crate) fn without(&self, place: usize) -> MomentPairs {
        let mut pairs = self.clone();
        pairs.lasting.remove(place);
        pairs.rows.iter_mut().flat_map(PairRow::sets).for_each(|set| set.remove(place));
        pairs
    }

    /// The pairs of the request at a place.
    pub(crate) fn row(&self, place: usize) -> &PairRow {
        &self.rows[place]
    }

    /// Adds the relations of the first request to the second.
    fn look_at(&mut self, events: FirstEvents<'_>, states: &mut States, first: usize, second: usize) {
        let rules = events.known.rules;
        let place = events.about(second).place;
        let row = &mut self.rows[events.about(first).place];
        if rules.uses_harmless_rules() && is_served_before(events, second, first) {
            row.equal.insert(place);
        }
        let is_owed = events.about(second).is_owed(events.end);
        let Some(relations) = states.relations(rules).filter(|_| is_owed) else { return };
        let facts = relations.pair(events.about(first), events.about(second), events.end);
        if facts.kills && rules.uses_all_rules() {
            row.kills.insert(place);
        }
        if events.known.changes_nothing(second, events.end) {
            return;
        }
        if facts.absorbs && rules.uses_all_rules() && !events.about(second).chained {
            row.absorbs.insert(place);
        } else if facts.keeps && relations.always_changes(events.about(second), events.end) {
            row.leaves.insert(place);
        }
    }
}

/// Tests whether a request without a seen answer may come to have no effect any more.
pub(crate) fn may_lose_effect(events: FirstEvents<'_>, states: &mut States, request: usize) -> bool {
    let about = events.about(request);
    let relations =
        states.relations(events.known.rules).filter(|_| events.known.rules.uses_all_rules() && !about.chained);
    relations.is_some_and(|relations| relations.stays_without_effect(about, events.end))
}

/// Tests whether of two equal requests the first is served before the second, if both may be.
fn is_served_before(events: FirstEvents<'_>, first: usize, second: usize) -> bool {
    let [one, other] = [first, second].map(|request| events.about(request));
    one.asks == other.asks
        && !one.chained
        && !other.chained
        && (one.deadline(events.end), first) < (other.deadline(events.end), second)
        && (one.kind(events.end) == other.kind(events.end) || !other.is_owed(events.end))
}
