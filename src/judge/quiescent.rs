//! The frontier of a judge as data, from which an equal judge can be made: possible while nothing is under way and no question is open.
//!
//! `n = #1`, `#1 >= 3` after two exchanges is one candidate with a memory and a constraint.

use std::sync::Arc;

use super::Judge;
use super::candidate::Candidate;
use super::context::Context;
use super::frontier::Frontier;
use super::options::Options;
use crate::process::{Fresh, Port, Process};
use crate::spec::Spec;
use crate::term::Term;
use crate::value::Value;

/// The states that explain what was observed, while nothing is under way. Nothing else matters to later events.
#[derive(Clone, Debug)]
pub struct QuiescentFrontier {
    /// The line of the last event.
    pub event: u64,
    /// The number of the last variable.
    pub last: u64,
    /// The symbolic states.
    pub states: Vec<QuiescentState>,
    /// The connections, each with the number of answers that were seen on it.
    pub connections: Vec<(u64, usize)>,
}

/// A symbolic state of an idle server.
#[derive(Clone, Debug)]
pub struct QuiescentState {
    /// The values of the server's variables.
    pub memory: Vec<Value>,
    /// The expanded parts of unknown values, each with the identity of its value.
    pub seen: Vec<(u64, Value)>,
    /// The constraints on the symbols in these values.
    pub constraints: Vec<Term>,
}

impl QuiescentFrontier {
    /// Tests whether a judge has candidates, with nothing under way and no open question, and has no findings and keeps no paths.
    #[must_use]
    pub fn is_of(judge: &Judge) -> bool {
        let is_plain = |candidate: &Candidate| {
            let store = &candidate.store;
            candidate.is_clean() && !store.is_dead() && store.doubt().is_none() && candidate.process.is_at_rest()
        };
        let Judge { context, frontier } = judge;
        let is_open = context.findings.found().is_some() || context.options.keep_paths() || context.wire.looks_ahead();
        !(is_open || frontier.candidates.is_empty()) && frontier.candidates.iter().all(is_plain)
    }

    /// The frontier of a judge, if it is a resting one ([`QuiescentFrontier::is_of`]).
    #[must_use]
    pub fn of(judge: &Judge) -> Option<QuiescentFrontier> {
        if !QuiescentFrontier::is_of(judge) {
            return None;
        }
        let state = |candidate: &Candidate| QuiescentState {
            memory: candidate.process.memory.clone(),
            seen: candidate.process.unknowns.seen().map(|(id, value)| (id, value.clone())).collect(),
            constraints: candidate.store.constraints(),
        };
        Some(QuiescentFrontier {
            event: judge.event(),
            last: judge.context.fresh.last,
            states: judge.candidates().iter().map(state).collect(),
            connections: judge.context.wire.shown(),
        })
    }

    /// The judge whose candidates are these states; `None` if they are no states of the specification.
    #[must_use]
    pub fn judge(self, spec: &Arc<Spec>, options: Options) -> Option<Judge> {
        let mut context = Context::new(spec.clone(), options);
        context.event = self.event;
        context.fresh = Fresh { last: self.last };
        self.connections.iter().for_each(|(port, shown)| context.wire.resume(Port(*port), *shown));
        let mut candidates = Vec::new();
        for QuiescentState { memory, seen, constraints } in self.states {
            if memory.len() != spec.program.slots.len() {
                return None;
            }
            let is_open = !(seen.is_empty() && memory.iter().all(Value::is_known));
            let mut candidate = Candidate::new(Process::at_rest(memory, seen));
            candidate.growth.open = is_open;
            let answer = candidate.store.assume_all(constraints, &mut context.solver);
            candidate.take_up(answer, None).ok()?;
            candidates.push(candidate);
        }
        if candidates.is_empty() {
            return None;
        }
        let frontier = Frontier::default().with(&mut context, candidates);
        Some(Judge { context, frontier })
    }
}
