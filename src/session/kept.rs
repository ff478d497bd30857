//! The events of a session that are kept, up to a bound, for evidence and for saving the session.
//!
//! If there are too many events, the first ones are forgotten, and the reason of a rejection says less. Now and then the state of
//! the engine is remembered. A long session is saved as the last such state and the events after it.

use super::engine::EngineCheckpoint;
use super::recovery::Recovery;
use crate::trace::TraceEvent;
use crate::value::Value;

/// At least this many events are between two checkpoints.
const WAIT: usize = 256;
/// The most events of a session that is saved as all of its events.
const WHOLE: usize = 4096;
/// The most events after the last checkpoint that are kept once older ones were forgotten.
const SINCE: usize = 65_536;
/// The events between two checkpoints for each state of the first.
const LARGER: usize = 4;
/// The events between two tries to find a checkpoint.
const LOOK: usize = 4;

/// A state of the session at which nothing is under way.
pub(super) type SessionCheckpoint = (EngineCheckpoint, Recovery);

/// The events of a session.
pub(super) struct KeptEvents {
    events: Vec<TraceEvent<Value>>,
    most: usize,
    /// Set if the first events were forgotten: those before the checkpoint, or, if there is no checkpoint, an unknown number.
    is_cut: bool,
    /// The last remembered checkpoint, and the number of kept events before it.
    checkpoint: Option<(usize, SessionCheckpoint)>,
    /// The number of events before a checkpoint is looked for again.
    wait: usize,
}

/// The events of a session to be saved.
pub(super) enum SavedEvents<'k> {
    /// All events.
    All(&'k [TraceEvent<Value>]),
    /// The events since a checkpoint; if there is no checkpoint, the session cannot be saved.
    Since(Option<&'k SessionCheckpoint>, &'k [TraceEvent<Value>]),
}

impl KeptEvents {
    /// An empty list that keeps at most `most` events.
    pub(super) fn at_most(most: usize) -> KeptEvents {
        KeptEvents { events: Vec::new(), most, is_cut: false, checkpoint: None, wait: 0 }
    }

    /// An empty list that begins at a checkpoint, of a session whose earlier events are not kept.
    pub(super) fn since(checkpoint: Option<SessionCheckpoint>) -> KeptEvents {
        let wait = checkpoint.as_ref().map_or(0, |checkpoint| (LARGER * checkpoint.0.size()).max(WAIT));
        KeptEvents {
            events: Vec::new(),
            most: 0,
            is_cut: true,
            checkpoint: checkpoint.map(|checkpoint| (0, checkpoint)),
            wait,
        }
    }

    /// The list with another bound.
    pub(super) fn keeping(self, most: usize) -> KeptEvents {
        KeptEvents { most, ..self }
    }

    pub(super) fn push(&mut self, event: TraceEvent<Value>) {
        self.events.push(event);
        let is_too_long = if self.is_cut { self.events.len() > SINCE } else { self.events.len() > self.most };
        if is_too_long {
            let before = self.checkpoint.as_ref().map(|(before, _)| *before);
            match before.filter(|before| !self.is_cut && self.events.len() - before <= SINCE) {
                Some(before) => {
                    self.events.drain(..before);
                    self.checkpoint.iter_mut().for_each(|(before, _)| *before = 0);
                }
                // The kept events are useless until there is a checkpoint.
                None => (self.events, self.checkpoint) = (Vec::new(), None),
            }
            self.is_cut = true;
        }
    }

    /// Tests whether the state after the last event should be remembered, if nothing is under way.
    pub(super) fn wants_checkpoint(&mut self) -> bool {
        let is_long = self.is_cut || self.events.len() >= WHOLE;
        if !is_long || self.wait > 0 {
            self.wait = self.wait.saturating_sub(1);
            return false;
        }
        self.wait = LOOK;
        true
    }

    /// Remembers the state after the last event.
    pub(super) fn remember(&mut self, checkpoint: SessionCheckpoint) {
        self.wait = (LARGER * checkpoint.0.size()).max(WAIT);
        if self.is_cut {
            self.events.clear();
        }
        self.checkpoint = Some((self.events.len(), checkpoint));
    }

    /// All events; `None` if some were forgotten.
    pub(super) fn all(&self) -> Option<&[TraceEvent<Value>]> {
        (!self.is_cut).then_some(&self.events)
    }

    /// The events to be saved.
    pub(super) fn saved(&self) -> SavedEvents<'_> {
        match &self.checkpoint {
            _ if !self.is_cut && self.events.len() <= WHOLE => SavedEvents::All(&self.events),
            Some((before, checkpoint)) => SavedEvents::Since(Some(checkpoint), &self.events[*before..]),
            None if self.is_cut => SavedEvents::Since(None, &self.events),
            None => SavedEvents::All(&self.events),
        }
    }
}
