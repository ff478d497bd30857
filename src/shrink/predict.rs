//! Scripts judged on the answers that were recorded: which candidate is worth the first run.

use std::cell::Cell;
use std::sync::Arc;

use crate::dualize::Options;
use crate::script::{RecordedOutcome, Script, ScriptStep};
use crate::session::{Session, SessionProgress};
use crate::spec::Spec;
use crate::trace::{EventKind, TraceEvent};
use crate::value::Value;

/// Scripts with more steps are not judged: that may take longer than running them.
const LONGEST: usize = 200;
/// The number of steps that are judged in all.
const STEPS: usize = 20_000;
/// The candidates at which judging stops, and the work on one event.
const PATIENCE: (usize, u64) = (1_000, 100_000);

/// A judge of recorded answers.
pub(super) struct Predictor {
    spec: Arc<Spec>,
    /// The number of steps that may still be judged.
    left: Cell<usize>,
}

impl Predictor {
    pub(super) fn new(spec: &Arc<Spec>) -> Predictor {
        Predictor { spec: spec.clone(), left: Cell::new(STEPS) }
    }

    /// Tests whether the system would fail if it answered as it did.
    pub(super) fn fails(&self, script: &Script) -> bool {
        let steps = script.steps.len();
        if steps > LONGEST || steps > self.left.get() {
            return false;
        }
        self.left.set(self.left.get() - steps);
        let (candidates, effort) = PATIENCE;
        let mut session = Session::tcp(&self.spec, Options { candidates, effort, ..Options::default() });
        for event in events(script) {
            match session.push(event) {
                Ok(SessionProgress::Rejected(_)) => return true,
                Ok(SessionProgress::Explained | SessionProgress::Lagging(_)) => {}
                Ok(SessionProgress::Unknown(_)) | Err(_) => return false,
            }
        }
        matches!(session.settle(), SessionProgress::Rejected(_))
    }

    /// Puts those first that would fail.
    pub(super) fn order(&self, candidates: &mut [Script]) {
        if candidates.len() > 1 {
            candidates.sort_by_cached_key(|candidate| !self.fails(candidate));
        }
    }
}

/// The events of a script, as they were observed.
fn events(script: &Script) -> Vec<TraceEvent<Value>> {
    let mut clients = rustc_hash::FxHashMap::default();
    let mut events = Vec::new();
    for step in &script.steps {
        let (client, kind) = match step {
            ScriptStep::Ask { label, client, request } => {
                clients.insert(*label, *client);
                (Some(*client), Some(EventKind::Request(request.value.clone())))
            }
            ScriptStep::Await { label, seen } => (clients.get(label).copied(), outcome(seen)),
            ScriptStep::Seen { client, seen } => (Some(*client), outcome(seen)),
            ScriptStep::Restart => (None, Some(EventKind::Restart)),
            ScriptStep::Wait(_) | ScriptStep::Together { .. } => (None, None),
        };
        let line = events.len() as u64 + 1;
        events.extend(kind.map(|kind| TraceEvent { line, client, kind }));
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
