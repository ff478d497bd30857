//! One of the states that a candidate stands for: a model of its constraints, put into its memory.
//!
//! For example `n = 4` if all that is known is `n >= 4`.

use super::describe::{Fact, resolved};
use crate::json;
use crate::judge::Candidate;
use crate::server::Completion;
use crate::solve::{Limits, Solver};
use crate::spec::Spec;
use crate::value::Value;

/// The values of the server's variables in one state that a candidate allows; empty if the solver finds no such state.
#[must_use]
pub fn example(spec: &Spec, candidate: &Candidate) -> Vec<Fact> {
    let mut solver = Solver::new(Limits::default());
    let Ok(model) = candidate.store.model(&[], &mut solver, &mut |_| 0) else { return Vec::new() };
    let completion = Completion { types: &spec.types, model: &model, process: &candidate.process };
    let state = spec.program.slots.iter().zip(&candidate.process.memory).take(spec.program.state_slots());
    let known = state.filter(|(_, value)| **value != Value::Absent);
    known
        .map(|(slot, value)| {
            let value = resolved(&candidate.store, value);
            Fact::new(format!("{} = {}", slot.name, json::encode(&spec.types, slot.ty, &completion.value(&value))))
        })
        .collect()
}
