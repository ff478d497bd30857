//! Serving one of the requests under way: the rules by which it is tried, and the configuration after it.
//!
//! If `Write(2)` is served while `Write(1)` and a read that saw 2 are under way, the read is served at once, and `Write(1)` perhaps was
//! served before.

use super::bits::PlaceSet;
use super::configuration::{Configuration, ServedSet};
use super::history::Request;
use super::pending::PendingRequests;
use super::rules::kinds::FirstEvents;
use super::rules::pairs::AbsorbedPairs;
use super::states::States;

/// The requests under way before an event, with those that each of them absorbs.
#[derive(Clone, Copy)]
pub(super) struct BeforeEvent<'m> {
    pub(super) at: usize,
    pub(super) pending: &'m PendingRequests,
    pub(super) pairs: &'m AbsorbedPairs,
}

/// The places of a set whose requests were neither served nor perhaps served.
fn unsettled(places: &PlaceSet, ServedSet { served, perhaps }: &ServedSet) -> PlaceSet {
    PlaceSet::of_words([places, served, perhaps], |[places, served, perhaps]| places & !served & !perhaps)
}

impl FirstEvents<'_> {
    /// Tests whether serving a request next is tried. The state that stands for every one stands for those after a request without a seen
    /// answer, too, so in it none of these is tried.
    pub(super) fn is_tried(self, states: &States, at: usize, configuration: &Configuration, request: usize) -> bool {
        let about = self.about(request);
        let is_for_nothing = states.is_every(configuration.state) && !about.is_owed(self.end) && !about.chained;
        !is_for_nothing && self.may_serve(at, configuration, request)
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
    /// Requests that change nothing in this state, or whose change the last request overwrites, were perhaps served.
    pub(super) fn serve_at_once(
        self,
        states: &mut States,
        BeforeEvent { at, pending, pairs }: BeforeEvent<'_>,
        configuration: &mut Configuration,
        last: usize,
    ) {
        let absorbed = unsettled(pairs.absorbs(self.about(last).place), &configuration.done);
        let before = configuration.done.clone();
        configuration.done.perhaps.add(&absorbed);
        let mut served = Vec::new();
        for request in pending.requests() {
            let place = self.about(request).place;
            if !before.contains(place)
                && !absorbed.contains(place)
                && self.is_served_at_once(states, at, configuration, request)
            {
                served.push(request);
            }
        }
        if !absorbed.is_empty() {
            let is_absorbed = |request: &usize| absorbed.contains(self.about(*request).place);
            configuration.note_before_last(pending.requests().filter(is_absorbed));
        }
        served.into_iter().for_each(|request| configuration.note(request));
    }

    /// Serves a request that was just sent, if that can be done at once.
    pub(super) fn serve_on_arrival(
        self,
        states: &mut States,
        at: usize,
        configuration: &mut Configuration,
        request: usize,
    ) {
        if self.is_served_at_once(states, at, configuration, request) {
            configuration.note(request);
        }
    }

    /// Marks a request as served, or as perhaps served, if it gets its answer here and changes nothing; returns whether it does.
    fn is_served_at_once(
        self,
        states: &mut States,
        at: usize,
        configuration: &mut Configuration,
        request: usize,
    ) -> bool {
        let (about, rules) = (self.about(request), self.known.rules);
        let changes_nothing = about.is_owed(self.end)
            && states.after(configuration.state, about, self.end) == Some(configuration.state)
            && self.is_first(at, configuration, request);
        if !changes_nothing {
            return false;
        }
        match (rules.serves_at_once() && self.known.changes_nothing(request, self.end), rules.uses_all_rules()) {
            (true, _) => configuration.done.served.insert(about.place),
            (false, true) => configuration.done.perhaps.insert(about.place),
            (false, false) => return false,
        }
        true
    }
}
