//! The judgement of scripts on their recorded answers, which tells the candidates that are worth the first runs.

use std::cell::Cell;
use std::sync::Arc;

use crate::judge::Options;
use crate::script::{Script, observed_events};
use crate::session::{Session, SessionProgress};
use crate::spec::Spec;

/// The most steps of a script that is judged, as judging a longer one may take longer than running it.
const LONGEST: usize = 200;
/// The most steps that are judged in one search.
const STEPS: usize = 20_000;
/// The most candidates of the judge, and its most work on one event; beyond these, a script counts as one that passes.
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

    /// Tests whether the script would fail if the system gave the recorded answers again.
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
                Ok(SessionProgress::Explained) => {}
                Ok(SessionProgress::Unknown(_) | SessionProgress::Outside(_) | SessionProgress::Faulty(_)) | Err(_) => {
                    return false;
                }
            }
        }
        matches!(session.settle(), SessionProgress::Rejected(_))
    }

    /// Moves the scripts that would fail to the front.
    pub(super) fn order(&self, candidates: &mut [Script]) {
        if candidates.len() > 1 {
            candidates.sort_by_cached_key(|candidate| !self.fails(candidate));
        }
    }
}
