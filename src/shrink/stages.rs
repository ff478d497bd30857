//! The first candidates, from the minimal reason, and the removal of requests and waits. The candidates have the requests of the
//! reason, and then more and more of the requests that these may depend on.
//!
//! For example `Get a` was answered wrongly, and the reason names the answer of an earlier `Get a`. The candidates are both
//! requests; with all requests that were under way together with them; with the last `Put a`; with every `Put a`; with all requests
//! on `a`; and everything. Keys are scalars that requests share.

use rustc_hash::FxHashSet;

use super::edit::{
    ClientConnections, answers, asks, keeping, labels, last_asked, lengthened, paused, rebound, rejected, sequential,
    steps_text,
};
use super::restated::restated;
use super::search::{Halt, ScriptSearch};
use crate::scalar::Scalar;
use crate::script::{RecordedOutcome, RequestTemplate, Script, ScriptStep, scalar_parts};
use crate::spec::Spec;
use crate::spec::analysis::pure::RequestFacts;
use crate::value::Value;

/// The most chunks that are ordered by promise; more chunks are tried from the end.
const ORDERED: usize = 16;
/// The most times that a wait is halved.
const HALVINGS: u32 = 4;
/// The most scripts whose waits are made longer, as each takes their time.
const LENGTHENED: usize = 2;
/// The most requests of a script that gets waits, the most such scripts, and the wait in seconds: HTTP counts dates in seconds.
const FEW: u64 = 5;
const PAUSED: usize = 3;
const PAUSE: f64 = 1.1;

impl ScriptSearch<'_> {
    /// Adopts the first candidate from the reason that fails; returns whether one does.
    pub(super) fn adopt_of_reason(&mut self, whole: &Script, reason: &[u64]) -> Result<bool, Halt> {
        let mut candidates: Vec<Script> = Vec::new();
        let mut texts = FxHashSet::default();
        for kept in stages(&self.spec, whole, reason) {
            let part = rebound(&self.spec, keeping(whole, &kept));
            // The requests of a race are not sequential, and each candidate costs many runs.
            let in_order = (!self.is_flaky()).then(|| sequential(&part, ClientConnections::One));
            for candidate in in_order.into_iter().chain([part]) {
                if texts.insert(steps_text(&self.spec, &candidate)) {
                    candidates.push(candidate);
                }
            }
        }
        self.predictor.order(&mut candidates);
        let is_small = |script: &Script| script.requests() <= FEW;
        let mut is_adopted = false;
        for candidate in &candidates {
            is_adopted = self.consider(candidate.clone())?;
            if is_adopted {
                break;
            }
        }
        if is_adopted && is_small(&self.best) {
            return Ok(true);
        }
        // The requests that were left out took time, which may be what matters.
        for candidate in candidates.iter().filter_map(lengthened).take(LENGTHENED) {
            if self.consider(candidate)? {
                is_adopted = true;
                break;
            }
        }
        if is_adopted && is_small(&self.best) {
            return Ok(true);
        }
        for candidate in candidates.iter().filter(|candidate| is_small(candidate)).take(PAUSED) {
            if self.consider(paused(candidate, PAUSE))? {
                return Ok(true);
            }
        }
        Ok(is_adopted)
    }

    /// Removes requests until no single one can be removed. The request whose answer is rejected stays.
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

    /// Removes chunks of this size, the promising ones first; returns whether a chunk was removed.
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
            let Some(candidate) = self.without(chunk) else { continue };
            let other = match chunk {
                [label] => restated(&self.spec, &self.best, *label, candidate.clone()),
                _ => None,
            };
            let mut is_gone = self.consider(candidate)?;
            if let Some(other) = other.filter(|_| !is_gone) {
                is_gone = self.consider(other)?;
            }
            is_smaller |= is_gone;
        }
        Ok(is_smaller)
    }

    /// The best script without these requests; `None` if it has none of them, or no others.
    fn without(&self, chunk: &[u64]) -> Option<Script> {
        let own = labels(&self.best);
        let last = rejected(&self.best);
        let kept: FxHashSet<u64> =
            own.iter().copied().filter(|label| Some(*label) == last || !chunk.contains(label)).collect();
        (!kept.is_empty() && kept.len() < own.len()).then(|| rebound(&self.spec, keeping(&self.best, &kept)))
    }

    /// Removes all waits, restarts and ends of connections at once, as each run takes their time.
    pub(super) fn delete_all_waits(&mut self) -> Result<(), Halt> {
        if self.best.steps.iter().any(is_pause) {
            let mut candidate = self.best.clone();
            candidate.steps.retain(|step| !is_pause(step));
            self.consider(candidate)?;
        }
        Ok(())
    }

    /// Removes waits, restarts and ends of connections one by one, and shortens the waits that must stay.
    pub(super) fn delete_waits(&mut self) -> Result<(), Halt> {
        let pauses = self.best.steps.iter().filter(|step| is_pause(step)).count();
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

/// Tests whether a step is a wait, a restart or the end of a connection.
fn is_pause(step: &ScriptStep) -> bool {
    matches!(step, ScriptStep::Close { .. } | ScriptStep::Wait(_) | ScriptStep::Restart)
}

/// An exchange of a script, with everything that tells what it may depend on.
struct Related {
    label: u64,
    /// The variant of the request.
    variant: Option<u32>,
    scalars: FxHashSet<Scalar>,
    /// Set if the request has no scalars.
    is_general: bool,
    /// Set if the request may have changed something.
    is_write: bool,
}

impl Related {
    /// Tests whether the exchange is about one of these keys. A request without scalars may be about all keys.
    fn is_about(&self, keys: &FxHashSet<Scalar>) -> bool {
        self.is_general || self.scalars.iter().any(|scalar| keys.contains(scalar))
    }
}

/// The labels of the requests in each stage.
fn stages(spec: &Spec, whole: &Script, reason: &[u64]) -> Vec<FxHashSet<u64>> {
    let related = related(spec, whole);
    let request = |label: &u64| if label % 2 == 1 { *label } else { label.saturating_sub(1) };
    let mut kept: FxHashSet<u64> = reason.iter().map(request).chain(last_asked(whole)).collect();
    add_referred(whole, &mut kept);
    let mut keys: FxHashSet<Scalar> = FxHashSet::default();
    let of_reason = related.iter().filter(|exchange| kept.contains(&exchange.label));
    of_reason.for_each(|exchange| keys.extend(exchange.scalars.iter().cloned()));
    let mut stages = vec![kept];
    let last_writes = last_writes(&related, &keys);
    let writes = related.iter().filter(|exchange| exchange.is_write && exchange.is_about(&keys));
    let about = related.iter().filter(|exchange| exchange.is_about(&keys));
    let more: [Vec<u64>; 5] = [
        under_way(whole, &stages[0]),
        last_writes,
        writes.map(|exchange| exchange.label).collect(),
        about.map(|exchange| exchange.label).collect(),
        related.iter().map(|exchange| exchange.label).collect(),
    ];
    for labels in more {
        let mut kept = stages.last().cloned().unwrap_or_default();
        kept.extend(labels);
        add_referred(whole, &mut kept);
        stages.push(kept);
    }
    stages
}

/// The requests that were under way together with one of these.
fn under_way(whole: &Script, kept: &FxHashSet<u64>) -> Vec<u64> {
    let (mut found, mut open) = (Vec::new(), FxHashSet::default());
    for step in &whole.steps {
        match step {
            ScriptStep::Ask { label, .. } => {
                open.insert(*label);
                if open.iter().any(|label| kept.contains(label)) {
                    found.extend(open.iter().copied());
                }
            }
            ScriptStep::Await { label, .. } => _ = open.remove(label),
            ScriptStep::Restart => open.clear(),
            ScriptStep::Seen { .. } | ScriptStep::Close { .. } | ScriptStep::Peer(_) => {}
            ScriptStep::Wait(_) | ScriptStep::Together { .. } => {}
        }
    }
    found
}

/// The last writes of each key, and the last write without scalars of each variant.
fn last_writes(related: &[Related], keys: &FxHashSet<Scalar>) -> Vec<u64> {
    let mut labels = Vec::new();
    let (mut seen, mut variants) = (FxHashSet::default(), FxHashSet::default());
    for exchange in related.iter().rev().filter(|exchange| exchange.is_write) {
        let own = exchange.scalars.iter().filter(|scalar| keys.contains(*scalar));
        // All of its scalars are marked as seen, even after the first new one.
        let is_last = own.filter(|scalar| seen.insert(*scalar)).count() > 0;
        if is_last || exchange.is_general && variants.insert(exchange.variant) {
            labels.push(exchange.label);
        }
    }
    labels
}

fn related(spec: &Spec, whole: &Script) -> Vec<Related> {
    let answered = answers(whole);
    let mut facts = RequestFacts::new(&spec.program);
    let exchange = |(label, _, request): (u64, u64, &RequestTemplate)| {
        let answer = match answered.get(&label) {
            Some(RecordedOutcome::Answer(answer)) if !answer.has_holes() => Some(answer),
            _ => None,
        };
        let mut scalars = FxHashSet::default();
        let parts = scalar_parts(&spec.types, spec.program.request, &request.value);
        let shown = answer.map(|answer| scalar_parts(&spec.types, spec.program.response, answer)).unwrap_or_default();
        let keys = parts.iter().chain(&shown).filter(|part| !matches!(part.scalar, Scalar::Bool(_)));
        scalars.extend(keys.map(|part| part.scalar.clone()));
        let variant = match &request.value {
            Value::Data { tag, .. } => Some(*tag),
            _ => None,
        };
        let is_write = !facts.changes_nothing(&request.value, answer);
        Related { label, variant, is_general: parts.is_empty(), scalars, is_write }
    };
    asks(whole).map(exchange).collect()
}

/// Adds the requests that the kept ones refer to, or whose answers they refer to.
fn add_referred(whole: &Script, kept: &mut FxHashSet<u64>) {
    for (label, _, request) in asks(whole).collect::<Vec<_>>().into_iter().rev() {
        if kept.contains(&label) {
            let referred = request.references.iter().map(|reference| reference.to.label);
            kept.extend(referred.map(|label| if label % 2 == 1 { label } else { label.saturating_sub(1) }));
        }
    }
}
