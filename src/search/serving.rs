//! Serving one of the requests under way: the rules by which it is tried, and the configuration after it.
//!
//! If `Write(2)` is served while `Write(1)` and a read that saw 2 are under way, the read is served at once, and `Write(1)` perhaps was
//! served before.

use std::ops::BitOr;

use super::bits::PlaceSet;
use super::configuration::{Configuration, ServedSet};
use super::forms::StateNumber;
use super::history::Request;
use super::moments::Moment;
use super::rules::kinds::FirstEvents;
use super::rules::pairs::{MomentPairs, may_lose_effect};
use super::states::States;

/// The requests under way before an event, with their relations.
#[derive(Clone, Copy)]
pub(super) struct UnderWay<'m> {
    pub(super) at: usize,
    pub(super) moment: &'m Moment,
    pub(super) pairs: &'m MomentPairs,
}

/// The outcome of looking at a request that is not served yet.
enum LookedAt {
    /// The request cannot get its answer in this state, nor in any later one.
    Impossible,
    /// The request was served, or perhaps served, as it changes nothing.
    Served,
    Open,
}

/// The places of a set whose requests were neither served nor perhaps served.
fn unsettled(places: &PlaceSet, ServedSet { served, perhaps }: &ServedSet) -> PlaceSet {
    PlaceSet::of_words([places, served, perhaps], |[places, served, perhaps]| places & !served & !perhaps)
}

impl FirstEvents<'_> {
    /// Tests whether serving a request next is tried.
    pub(super) fn is_tried(
        self,
        states: &mut States,
        under_way: UnderWay<'_>,
        configuration: &Configuration,
        request: usize,
    ) -> bool {
        let about = self.about(request);
        if !self.may_serve(under_way.at, configuration, request) {
            return false;
        }
        if states.is_every(configuration.state) && !about.is_owed(self.end) && !about.chained {
            // The state that stands for every one stands for those after this request, too.
            return false;
        }
        // Most requests without a seen answer cannot be served in this state.
        let is_open = about.is_owed(self.end) || states.after(configuration.state, about, self.end).is_some();
        is_open
            && !kills_another(under_way.pairs, configuration, about.place)
            && !self.is_postponed(states, under_way, configuration, request)
    }

    /// Notes the runs that fail as a request is served next, if failing runs are noted.
    pub(super) fn fail(self, states: &mut States, at: usize, configuration: &Configuration, request: usize) {
        if states.notes_failures() && self.may_serve(at, configuration, request) {
            states.fail(configuration.state, self.about(request), self.known.history.lines[at], self.end);
        }
    }

    /// Tests whether a request may be served next: it was not served, and the request before it on its connection was, or perhaps was.
    fn may_serve(self, at: usize, configuration: &Configuration, request: usize) -> bool {
        let Request { place, before, .. } = self.about(request);
        let is_before = |before: usize| {
            let place = self.about(before).place;
            self.was_served(at, configuration, before) || configuration.done.perhaps.contains(place)
        };
        !configuration.done.served.contains(*place) && before.is_none_or(is_before)
    }

    /// Tests whether the request before another one on its connection was certainly served.
    fn is_first(self, at: usize, configuration: &Configuration, request: usize) -> bool {
        self.about(request).before.is_none_or(|before| self.was_served(at, configuration, before))
    }

    fn was_served(self, at: usize, configuration: &Configuration, request: usize) -> bool {
        let Request { answered, place, .. } = self.about(request);
        answered.is_some_and(|answered| answered < at)
            || configuration.done.served.contains(*place)
            || !self.known.matters(request, self.end)
    }

    /// Tests whether an equal request, whose answer is seen earlier, may be served in the place of this one. If nobody sees the answer of
    /// this one, both must lead to the same state: the server's choices for the seen answer may differ.
    fn is_postponed(
        self,
        states: &mut States,
        UnderWay { at, moment, pairs }: UnderWay<'_>,
        configuration: &Configuration,
        request: usize,
    ) -> bool {
        let own = self.about(request);
        let equal = &pairs.row(own.place).equal;
        if equal.is_empty() {
            return false;
        }
        let open = unsettled(equal, &configuration.done);
        let mut equal = moment.requests().filter(|other| open.contains(self.about(*other).place));
        equal.any(|other| {
            let equal = self.about(other);
            self.may_serve(at, configuration, other)
                && states.after(configuration.state, equal, self.end).is_some_and(|after| {
                    equal.kind(self.end) == own.kind(self.end)
                        || states.after(configuration.state, own, self.end) == Some(after)
                })
        })
    }

    /// The configuration after a request was served; `None` if it cannot get its answer.
    pub(super) fn serve(
        self,
        states: &mut States,
        at: usize,
        configuration: &Configuration,
        request: usize,
    ) -> Option<Configuration> {
        let about = self.about(request);
        let state = states.after(configuration.state, about, self.end)?;
        let mut after = configuration.clone();
        let ServedSet { served, perhaps } = &mut after.done;
        let mut before = about.before.filter(|before| !self.was_served(at, configuration, *before));
        while let Some(earlier) = before {
            // Earlier requests of its connection that perhaps were served certainly were.
            let Request { place, before: next, .. } = self.about(earlier);
            perhaps.remove(*place);
            served.insert(*place);
            before = next.filter(|next| !self.was_served(at, configuration, *next));
        }
        perhaps.remove(about.place);
        served.insert(about.place);
        after.state = state;
        after.note(request);
        Some(after)
    }

    /// The configuration after a request was served just before a restart, so that nobody sees its answer.
    pub(super) fn before_restart(
        self,
        states: &mut States,
        at: usize,
        configuration: &Configuration,
        request: usize,
    ) -> Option<Configuration> {
        self.fail(states, at, configuration, request);
        let may_be = self.may_serve(at, configuration, request);
        may_be.then(|| self.serve(states, at, configuration, request)).flatten()
    }

    /// Serves the requests that can be served at once after the last one: they change nothing in any state, and get their answers here.
    /// Requests that change nothing in this state, or whose change the last request overwrites, were perhaps served. Returns `false` if
    /// some request under way waits in vain.
    pub(super) fn serve_at_once(
        self,
        states: &mut States,
        UnderWay { at, moment, pairs }: UnderWay<'_>,
        configuration: &mut Configuration,
        last: usize,
    ) -> bool {
        let row = pairs.row(self.about(last).place);
        let ServedSet { served, perhaps } = &configuration.done;
        let absorbed = unsettled(&row.absorbs, &configuration.done);
        let left = PlaceSet::of_words([&row.leaves, &pairs.lasting, served, perhaps, &absorbed], |sets| {
            sets.into_iter().fold(0, BitOr::bitor)
        });
        configuration.done.perhaps.add(&absorbed);
        let mut served = Vec::new();
        for request in moment.requests().filter(|request| !left.contains(self.about(*request).place)) {
            match self.arrival(states, at, configuration, request) {
                LookedAt::Impossible => return false,
                LookedAt::Served => served.push(request),
                LookedAt::Open => {}
            }
        }
        if !absorbed.is_empty() {
            let is_absorbed = |request: &usize| absorbed.contains(self.about(*request).place);
            configuration.note_before_last(moment.requests().filter(is_absorbed));
        }
        served.into_iter().for_each(|request| configuration.note(request));
        true
    }

    /// Serves a request that was just sent, if that can be done at once. Returns `false` if it waits in vain.
    pub(super) fn serve_on_arrival(
        self,
        states: &mut States,
        at: usize,
        configuration: &mut Configuration,
        request: usize,
    ) -> bool {
        match self.arrival(states, at, configuration, request) {
            LookedAt::Impossible => return false,
            LookedAt::Served => configuration.note(request),
            LookedAt::Open => {}
        }
        true
    }

    fn arrival(self, states: &mut States, at: usize, configuration: &mut Configuration, request: usize) -> LookedAt {
        let (about, rules) = (self.about(request), self.known.rules);
        if !about.is_owed(self.end) {
            if self.has_no_effect_any_more(states, configuration.state, request) {
                configuration.done.served.insert(about.place);
            }
            return LookedAt::Open;
        }
        let after = states.after(configuration.state, about, self.end);
        if after.is_none() && self.waits_in_vain(states, about) {
            return LookedAt::Impossible;
        }
        if after != Some(configuration.state) || !self.is_first(at, configuration, request) {
            return LookedAt::Open;
        }
        match (rules.uses_harmless_rules() && self.known.changes_nothing(request, self.end), rules.uses_all_rules()) {
            (true, _) => configuration.done.served.insert(about.place),
            (false, true) => configuration.done.perhaps.insert(about.place),
            (false, false) => return LookedAt::Open,
        }
        LookedAt::Served
    }

    /// Tests whether a request without a seen answer changes nothing in this state, nor after any other request.
    fn has_no_effect_any_more(self, states: &mut States, state: StateNumber, request: usize) -> bool {
        may_lose_effect(self, states, request)
            && states.is_known(state)
            && states.after(state, self.about(request), self.end) == Some(state)
    }

    /// Tests whether an answer that is impossible in a state stays impossible.
    fn waits_in_vain(self, states: &mut States, request: &Request) -> bool {
        let relations = states.relations(self.known.rules).filter(|_| self.known.rules.uses_all_rules());
        relations.is_some_and(|relations| relations.stays_impossible(request, self.end))
    }
}

/// Tests whether an answer that is still to come would be impossible after the request at a place.
fn kills_another(pairs: &MomentPairs, configuration: &Configuration, place: usize) -> bool {
    let ServedSet { served, perhaps } = &configuration.done;
    let killed = PlaceSet::words([&pairs.row(place).kills, served, perhaps]);
    killed.into_iter().any(|[kills, served, perhaps]| kills & !served & !perhaps != 0)
}
