//! Fewer requests: chunks from the end, half as large each time, down to single ones; then fewer waits and restarts.

use rustc_hash::FxHashSet;

use super::edit::{keeping, labels, rejected};
use super::search::{Halt, ScriptSearch};
use crate::script::{Script, ScriptStep};

/// More chunks than this are tried in their order.
const ORDERED: usize = 16;
/// The number of times that a wait is halved.
const HALVINGS: u32 = 4;

impl ScriptSearch<'_> {
    /// Leaves out requests until no single one can go. The one whose answer is rejected stays.
    pub(super) fn delete_requests(&mut self) -> Result<(), Halt> {
        let mut size = (labels(&self.best).len() / 2).max(1);
        loop {
            let is_smaller = self.delete_chunks(size)?;
            match (size, is_smaller) {
                (1, false) => return Ok(()),
                (1, true) => {}
                _ => size /= 2,
            }
        }
    }

    /// Leaves out chunks of this size, the promising ones first, else from the end; whether one went.
    fn delete_chunks(&mut self, size: usize) -> Result<bool, Halt> {
        let last = rejected(&self.best);
        let deletable: Vec<u64> = labels(&self.best).into_iter().filter(|label| Some(*label) != last).collect();
        let mut chunks: Vec<&[u64]> = deletable.rchunks(size).collect();
        if chunks.len() <= ORDERED {
            chunks
                .sort_by_cached_key(|chunk| !self.without(chunk).is_some_and(|without| self.predictor.fails(&without)));
        }
        let mut is_smaller = false;
        for chunk in chunks {
            if let Some(candidate) = self.without(chunk) {
                is_smaller |= self.consider(candidate)?;
            }
        }
        Ok(is_smaller)
    }

    /// The best script without these requests, if it has one of them.
    fn without(&self, chunk: &[u64]) -> Option<Script> {
        let own = labels(&self.best);
        let last = rejected(&self.best);
        let kept: FxHashSet<u64> =
            own.iter().copied().filter(|label| Some(*label) == last || !chunk.contains(label)).collect();
        (!kept.is_empty() && kept.len() < own.len()).then(|| keeping(&self.best, &kept))
    }

    /// Leaves out waits and restarts, all at once or one by one, and makes the waits shorter that must stay.
    pub(super) fn delete_waits(&mut self) -> Result<(), Halt> {
        let is_pause = |step: &ScriptStep| matches!(step, ScriptStep::Wait(_) | ScriptStep::Restart);
        let pauses = self.best.steps.iter().filter(|step| is_pause(step)).count();
        if pauses == 0 {
            return Ok(());
        }
        if pauses > 1 {
            let mut candidate = self.best.clone();
            candidate.steps.retain(|step| !is_pause(step));
            if self.consider(candidate)? {
                return Ok(());
            }
        }
        for number in (0..pauses).rev() {
            let place = |script: &Script| {
                script.steps.iter().enumerate().filter(|(_, step)| is_pause(step)).nth(number).map(|(at, _)| at)
            };
            let Some(at) = place(&self.best) else { continue };
            let mut candidate = self.best.clone();
            candidate.steps.remove(at);
            if self.consider(candidate)? {
                continue;
            }
            for _ in 0..HALVINGS {
                let mut candidate = self.best.clone();
                let Some(ScriptStep::Wait(seconds)) = place(&candidate).and_then(|at| candidate.steps.get_mut(at))
                else {
                    break;
                };
                *seconds /= 2.0;
                if !self.consider(candidate)? {
                    break;
                }
            }
        }
        Ok(())
    }
}
