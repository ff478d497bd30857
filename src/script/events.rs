//! Scripts as traces: the events that were observed in a run of the script.

use rustc_hash::FxHashMap;

use super::{RecordedOutcome, Script, ScriptStep};
use crate::trace::{EventKind, TraceEvent};
use crate::value::Value;

/// The observed events, each with the index of its step; the first one is on line 1.
#[must_use]
pub fn observed_events(script: &Script) -> Vec<(usize, TraceEvent<Value>)> {
    let mut clients = FxHashMap::default();
    let mut events = Vec::new();
    for (at, step) in script.steps.iter().enumerate() {
        let (client, kind) = match step {
            ScriptStep::Ask { label, client, request } => {
                clients.insert(*label, *client);
                (Some(*client), Some(EventKind::Request(request.value.clone())))
            }
            ScriptStep::Await { label, seen } => (clients.get(label).copied(), outcome(seen)),
            ScriptStep::Seen { client, seen } => (Some(*client), outcome(seen)),
            ScriptStep::Close { client, noticed } => {
                (Some(*client), Some(if *noticed { EventKind::Left } else { EventKind::Lost }))
            }
            ScriptStep::Restart => (None, Some(EventKind::Restart)),
            ScriptStep::Peer(event) => (None, Some(EventKind::Peer(event.clone()))),
            ScriptStep::Wait(_) | ScriptStep::Together { .. } => (None, None),
        };
        let line = events.len() as u64 + 1;
        events.extend(kind.map(|kind| (at, TraceEvent { line, client, kind })));
    }
    events
}

fn outcome(seen: &RecordedOutcome) -> Option<EventKind<Value>> {
    match seen {
        RecordedOutcome::Answer(answer) => Some(EventKind::Answer(answer.clone())),
        RecordedOutcome::Lost => Some(EventKind::Lost),
        RecordedOutcome::Closed => Some(EventKind::Closed),
        RecordedOutcome::Nothing => None,
    }
}
