//! Scripts judged on the answers that were recorded: which candidate is worth the first run.

use std::cell::Cell;
use std::sync::Arc;

use crate::judge::Options;
use crate::script::{Script, observed_events};
use crate::session::{Session, SessionProgress};
use crate::spec::Spec;

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
        for (_, event) in observed_events(script) {
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
