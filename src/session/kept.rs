//! The events of a session, kept for evidence: all of them, up to a bound.
//!
//! Of more events than that the first ones are forgotten, and what a rejection says then is less.

use crate::trace::TraceEvent;
use crate::value::Value;

/// So many events are kept.
pub(super) const KEPT: usize = 1 << 18;

/// The events of a session.
#[derive(Clone, Debug)]
pub(super) struct KeptEvents {
    events: Vec<TraceEvent<Value>>,
    most: usize,
    /// Set where some are missing.
    is_cut: bool,
}

impl KeptEvents {
    /// None so far; at most so many.
    pub(super) fn at_most(most: usize) -> KeptEvents {
        KeptEvents { events: Vec::new(), most, is_cut: false }
    }

    pub(super) fn push(&mut self, event: &TraceEvent<Value>) {
        if self.events.len() < self.most {
            self.events.push(event.clone());
        } else {
            self.events = Vec::new();
            self.is_cut = true;
            self.most = 0;
        }
    }

    /// The events, where none is missing.
    pub(super) fn all(&self) -> Option<&[TraceEvent<Value>]> {
        (!self.is_cut).then_some(&self.events)
    }
}
