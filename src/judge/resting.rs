//! A judge at a moment when nothing is under way and nothing was left open, taken apart so that an equal judge can be made of the parts.
//!
//! `n = #1`, `#1 >= 3` after two exchanges is one candidate with a memory and a constraint.

use std::sync::Arc;

use super::candidate::Candidate;
use super::frontier::Judge;
use super::options::Options;
use crate::process::{Fresh, Port, Process};
use crate::spec::Spec;
use crate::term::Term;
use crate::value::Value;

/// The states that explain what was observed, if nothing is under way, and nothing but them matters to what comes.
#[derive(Clone, Debug)]
pub struct RestingFrontier {
    /// The line of the last event.
    pub event: u64,
    /// The number of the last variable.
    pub last: u64,
    /// The states, symbolic ones.
    pub states: Vec<RestingState>,
    /// The connections that are there, each with the number of answers that were seen on it.
    pub connections: Vec<(u64, usize)>,
}

/// A symbolic state of a server that does nothing.
#[derive(Clone, Debug)]
pub struct RestingState {
    /// The values of the variables.
    pub memory: Vec<Value>,
    /// Parts of unknown values that have been seen, by their identity.
    pub seen: Vec<(u64, Value)>,
    /// All that is known of the variables of these values.
    pub constraints: Vec<Term>,
}

impl RestingFrontier {
    /// Tests whether a judge has nothing under way, and has found or left open nothing but states that explain what was observed.
    #[must_use]
    pub fn is_of(judge: &Judge) -> bool {
        let is_plain = |candidate: &Candidate| {
            let store = &candidate.store;
            candidate.is_clean() && !store.is_dead() && store.doubt().is_none() && candidate.process.is_at_rest()
        };
        let is_open = judge.findings.found().is_some() || judge.options.keep_paths() || judge.wire.looks_ahead();
        !(is_open || judge.candidates.is_empty()) && judge.candidates.iter().all(is_plain)
    }

    /// The states that explain what a judge observed; nothing if something is under way, or was found or left open besides.
    #[must_use]
    pub fn of(judge: &Judge) -> Option<RestingFrontier> {
        if !RestingFrontier::is_of(judge) {
            return None;
        }
        let state = |candidate: &Candidate| RestingState {
            memory: candidate.process.memory.clone(),
            seen: candidate.process.unknowns.seen().map(|(id, value)| (id, value.clone())).collect(),
            constraints: candidate.store.constraints(),
        };
        Some(RestingFrontier {
            event: judge.event,
            last: judge.fresh.last,
            states: judge.candidates.iter().map(state).collect(),
            connections: judge.wire.shown(),
        })
    }

    /// The judge whose candidates are these states; nothing if they are none of the specification.
    #[must_use]
    pub fn judge(self, spec: &Arc<Spec>, options: Options) -> Option<Judge> {
        let mut judge = Judge::without_candidates(spec.clone(), options);
        judge.event = self.event;
        judge.fresh = Fresh { last: self.last };
        self.connections.iter().for_each(|(port, shown)| judge.wire.resume(Port(*port), *shown));
        let mut candidates = Vec::new();
        for RestingState { memory, seen, constraints } in self.states {
            if memory.len() != spec.program.slots.len() {
                return None;
            }
            let is_open = !(seen.is_empty() && memory.iter().all(Value::is_known));
            let mut candidate = Candidate::new(Process::at_rest(memory, seen));
            candidate.growth.open = is_open;
            let answer = candidate.store.assume_all(constraints, &mut judge.solver);
            candidate.take_up(answer, None).ok()?;
            candidates.push(candidate);
        }
        if candidates.is_empty() {
            return None;
        }
        judge.go_on_with(candidates);
        Some(judge)
    }
}
