//! Fewer connections and less concurrency. A sequence over one connection is tried first, then fewer connections, then single
//! answers before the next request. Requests that must overlap are released at a barrier.

use super::edit::{ClientConnections, answers, asks, sequential};
use super::search::{Halt, ScriptSearch};
use crate::script::{RecordedOutcome, Script, ScriptStep};

impl ScriptSearch<'_> {
    /// Tries to make the script sequential, or at least to remove clients and overlaps.
    pub(super) fn make_sequential(&mut self) -> Result<(), Halt> {
        let (several, overlaps) = (clients(&self.best).len() > 1, !overlapping(&self.best).is_empty());
        if several || overlaps {
            let candidate = sequential(&self.best, ClientConnections::One);
            if self.consider(candidate)? {
                return Ok(());
            }
        }
        if several && overlaps {
            let candidate = sequential(&self.best, ClientConnections::Own);
            self.consider(candidate)?;
        }
        self.merge_clients()?;
        self.answer_at_once()?;
        self.release_together()?;
        self.zero_offsets()
    }

    /// Gives the requests of one client to another, for each pair of clients, if the failure stays.
    fn merge_clients(&mut self) -> Result<(), Halt> {
        let all = clients(&self.best);
        for (at, from) in all.iter().enumerate().rev() {
            for to in &all[..at] {
                let mut candidate = self.best.clone();
                for step in &mut candidate.steps {
                    if let ScriptStep::Ask { client, .. } | ScriptStep::Seen { client, .. } = step
                        && client == from
                    {
                        *client = *to;
                    }
                }
                if self.consider(candidate)? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Moves single answers before the next request.
    fn answer_at_once(&mut self) -> Result<(), Halt> {
        for label in overlapping(&self.best) {
            let mut candidate = self.best.clone();
            let seen = answers(&self.best).get(&label).map_or(RecordedOutcome::Lost, |seen| (*seen).clone());
            candidate.steps.retain(|step| !is_await_of(step, label));
            let asked = |step: &ScriptStep| matches!(step, ScriptStep::Ask { label: own, .. } if *own == label);
            let Some(at) = candidate.steps.iter().position(asked) else { continue };
            candidate.steps.insert(at + 1, ScriptStep::Await { label, seen });
            self.consider(candidate)?;
        }
        Ok(())
    }

    /// If the failure is flaky, releases overlapping requests at once, so that they race in more of the runs.
    pub(super) fn release_together(&mut self) -> Result<(), Halt> {
        let is_barrier = |step: &ScriptStep| matches!(step, ScriptStep::Together { .. });
        if !self.is_flaky() || clients(&self.best).len() < 2 || self.best.steps.iter().any(is_barrier) {
            return Ok(());
        }
        let Some((first, group)) = last_group(&self.best) else { return Ok(()) };
        let mut candidate = self.best.clone();
        let offsets = vec![0.0; group.len()];
        candidate.steps.insert(first, ScriptStep::Together { labels: group, offsets });
        self.consider(candidate).map(|_| ())
    }

    fn zero_offsets(&mut self) -> Result<(), Halt> {
        let mut candidate = self.best.clone();
        let mut is_other = false;
        for step in &mut candidate.steps {
            if let ScriptStep::Together { offsets, .. } = step {
                is_other |= offsets.iter().any(|offset| *offset != 0.0);
                offsets.fill(0.0);
            }
        }
        if is_other { self.consider(candidate).map(|_| ()) } else { Ok(()) }
    }
}

/// The clients of a script, in the order of their first requests.
fn clients(script: &Script) -> Vec<u64> {
    let mut clients = Vec::new();
    for (_, client, _) in asks(script) {
        if !clients.contains(&client) {
            clients.push(client);
        }
    }
    clients
}

fn is_await_of(step: &ScriptStep, asked: u64) -> bool {
    matches!(step, ScriptStep::Await { label, .. } if *label == asked)
}

/// The requests that are still unanswered when the next request is sent.
fn overlapping(script: &Script) -> Vec<u64> {
    let mut found = Vec::new();
    let mut open: Vec<u64> = Vec::new();
    for step in &script.steps {
        match step {
            ScriptStep::Ask { label, .. } => {
                found.append(&mut open);
                open.push(*label);
            }
            ScriptStep::Await { label, .. } => open.retain(|own| own != label),
            ScriptStep::Seen { .. } | ScriptStep::Wait(_) | ScriptStep::Together { .. } => {}
            ScriptStep::Close { .. } | ScriptStep::Restart | ScriptStep::Peer(_) => {}
        }
    }
    found
}

/// The last requests of different clients that are under way together, and the index of the first of them.
fn last_group(script: &Script) -> Option<(usize, Vec<u64>)> {
    let mut open: Vec<(usize, u64, u64)> = Vec::new();
    let mut last = None;
    for (at, step) in script.steps.iter().enumerate() {
        match step {
            ScriptStep::Ask { label, client, .. } => {
                if open.iter().all(|(_, _, other)| other != client) {
                    open.push((at, *label, *client));
                }
                if open.len() > 1 {
                    last = Some((open[0].0, open.iter().map(|(_, label, _)| *label).collect()));
                }
            }
            ScriptStep::Await { label, .. } => open.retain(|(_, own, _)| own != label),
            ScriptStep::Seen { .. } | ScriptStep::Wait(_) | ScriptStep::Together { .. } => {}
            ScriptStep::Close { .. } | ScriptStep::Restart | ScriptStep::Peer(_) => {}
        }
    }
    last
}
