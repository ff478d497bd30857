//! The events of a session, kept for evidence and to be saved: all of them, up to a bound.
//!
//! With more events the first ones are forgotten, and a rejection says less. Now and then the state at a moment is remembered. A long
//! session is saved as the last such state, and the events since then.

use super::engine::EngineMoment;
use super::going_on::GoingOn;
use crate::trace::TraceEvent;
use crate::value::Value;

/// The number of events that are kept.
pub(super) const KEPT: usize = 1 << 18;
/// The most events that are saved as they are.
const WHOLE: usize = 1 << 12;
/// The most events since a moment that are kept.
const SINCE: usize = 1 << 16;
/// The fewest events between two moments; the events more for each state that there was; and the events between two looks for a moment.
const APART: usize = 256;
const LARGER: usize = 4;
const LOOK: usize = 4;

/// The state of judging after an event.
pub(super) type SessionMoment = (EngineMoment, GoingOn);

/// The events of a session.
pub(super) struct KeptEvents {
    events: Vec<TraceEvent<Value>>,
    most: usize,
    /// Set if some events are missing: those before the moment, or, if there is no moment, more.
    is_cut: bool,
    /// The last moment that is remembered, and the number of the events before it.
    moment: Option<(usize, SessionMoment)>,
    /// The number of events that are waited for before the next moment.
    wait: usize,
}

/// The events that are saved.
pub(super) enum SavedEvents<'k> {
    /// They are all.
    All(&'k [TraceEvent<Value>]),
    /// They are those since a moment, if one is remembered.
    Since(Option<&'k SessionMoment>, &'k [TraceEvent<Value>]),
}

impl KeptEvents {
    /// No events so far; at most `most` are kept.
    pub(super) fn at_most(most: usize) -> KeptEvents {
        KeptEvents { events: Vec::new(), most, is_cut: false, moment: None, wait: 0 }
    }

    /// None, of those before which nothing is known but the moment, if it is at hand.
    pub(super) fn since(moment: Option<SessionMoment>) -> KeptEvents {
        let wait = moment.as_ref().map_or(0, |moment| (LARGER * moment.0.size()).max(APART));
        KeptEvents { events: Vec::new(), most: 0, is_cut: true, moment: moment.map(|moment| (0, moment)), wait }
    }

    /// The events, of which at most `most` are kept from now on.
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
                // Nothing is to be had of the events up to the next moment.
                None => (self.events, self.moment) = (Vec::new(), None),
            }
            self.is_cut = true;
        }
    }

    /// Tests whether a moment after the last event is to be looked for.
    pub(super) fn wants_moment(&mut self) -> bool {
        let is_long = self.is_cut || self.events.len() >= WHOLE;
        if !is_long || self.wait > 0 {
            self.wait = self.wait.saturating_sub(1);
            return false;
        }
        self.wait = LOOK;
        true
    }

    /// Remembers the moment after the last event.
    pub(super) fn remember(&mut self, moment: SessionMoment) {
        self.wait = (LARGER * moment.0.size()).max(APART);
        if self.is_cut {
            self.events.clear();
        }
        self.moment = Some((self.events.len(), moment));
    }

    /// The events, if none is missing.
    pub(super) fn all(&self) -> Option<&[TraceEvent<Value>]> {
        (!self.is_cut).then_some(&self.events)
    }

    /// The events that are saved.
    pub(super) fn saved(&self) -> SavedEvents<'_> {
        match &self.moment {
            _ if !self.is_cut && self.events.len() <= WHOLE => SavedEvents::All(&self.events),
            Some((before, moment)) => SavedEvents::Since(Some(moment), &self.events[*before..]),
            None if self.is_cut => SavedEvents::Since(None, &self.events),
            None => SavedEvents::All(&self.events),
        }
    }
}
