//! The events of a session that are kept, up to a bound, for evidence and for saving the session.
//!
//! If there are too many events, the first ones are forgotten, and the reason of a rejection says less. Now and then the state of
//! the engine is remembered. A long session is saved as the last such state and the events after it.

use super::engine::EngineMoment;
use super::going_on::GoingOn;
use crate::limits;
use crate::trace::TraceEvent;
use crate::value::Value;

/// The most events of a session that is saved as all of its events.
const WHOLE: usize = limits::KEPT / 64;
/// The most events after the last moment that are kept once older ones were forgotten.
const SINCE: usize = limits::KEPT / 4;
/// The events between two moments for each state of the first.
const LARGER: usize = limits::FACTOR / 2;
/// The events between two tries to find a moment.
const LOOK: usize = limits::INTERVAL / 64;

/// A state of the session at which nothing is under way.
pub(super) type SessionMoment = (EngineMoment, GoingOn);

/// The events of a session.
pub(super) struct KeptEvents {
    events: Vec<TraceEvent<Value>>,
    most: usize,
    /// Set if the first events were forgotten: those before the moment, or, if there is no moment, an unknown number.
    is_cut: bool,
    /// The last remembered moment, and the number of kept events before it.
    moment: Option<(usize, SessionMoment)>,
    /// The number of events before a moment is looked for again.
    wait: usize,
}

/// The events of a session to be saved.
pub(super) enum SavedEvents<'k> {
    /// All events.
    All(&'k [TraceEvent<Value>]),
    /// The events since a moment; if there is no moment, the session cannot be saved.
    Since(Option<&'k SessionMoment>, &'k [TraceEvent<Value>]),
}

impl KeptEvents {
    /// An empty list that keeps at most `most` events.
    pub(super) fn at_most(most: usize) -> KeptEvents {
        KeptEvents { events: Vec::new(), most, is_cut: false, moment: None, wait: 0 }
    }

    /// An empty list that begins at a moment, of a session whose earlier events are not kept.
    pub(super) fn since(moment: Option<SessionMoment>) -> KeptEvents {
        let wait = moment.as_ref().map_or(0, |moment| (LARGER * moment.0.size()).max(limits::INTERVAL));
        KeptEvents { events: Vec::new(), most: 0, is_cut: true, moment: moment.map(|moment| (0, moment)), wait }
    }

    /// The list with another bound.
    pub(super) fn keeping(self, most: usize) -> KeptEvents {
        KeptEvents { most, ..self }
    }

    pub(super) fn push(&mut self, event: TraceEvent<Value>) {
        self.events.push(event);
        let is_too_long = if self.is_cut { self.events.len() > SINCE } else { self.events.len() > self.most };
        if is_too_long {
            let before = self.moment.as_ref().map(|(before, _)| *before);
            match before.filter(|before| !self.is_cut && self.events.len() - before <= SINCE) {
                Some(before) => {
                    self.events.drain(..before);
                    self.moment.iter_mut().for_each(|(before, _)| *before = 0);
                }
                // The kept events are useless until there is a moment.
                None => (self.events, self.moment) = (Vec::new(), None),
            }
            self.is_cut = true;
        }
    }

    /// Tests whether the state after the last event should be remembered, if nothing is under way.
    pub(super) fn wants_moment(&mut self) -> bool {
        let is_long = self.is_cut || self.events.len() >= WHOLE;
        if !is_long || self.wait > 0 {
            self.wait = self.wait.saturating_sub(1);
            return false;
        }
        self.wait = LOOK;
        true
    }

    /// Remembers the state after the last event.
    pub(super) fn remember(&mut self, moment: SessionMoment) {
        self.wait = (LARGER * moment.0.size()).max(limits::INTERVAL);
        if self.is_cut {
            self.events.clear();
        }
        self.moment = Some((self.events.len(), moment));
    }

    /// All events; `None` if some were forgotten.
    pub(super) fn all(&self) -> Option<&[TraceEvent<Value>]> {
        (!self.is_cut).then_some(&self.events)
    }

    /// The events to be saved.
    pub(super) fn saved(&self) -> SavedEvents<'_> {
        match &self.moment {
            _ if !self.is_cut && self.events.len() <= WHOLE => SavedEvents::All(&self.events),
            Some((before, moment)) => SavedEvents::Since(Some(moment), &self.events[*before..]),
            None if self.is_cut => SavedEvents::Since(None, &self.events),
            None => SavedEvents::All(&self.events),
        }
    }
}
