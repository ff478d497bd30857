//! A judge that has forgotten all of the state but a few cells: what it still rejects, those cells alone reject.
//!
//! With `m = {"a": 1, "b": 2}` and `n = 5`, a judge that knows only the cell `m["a"]` allows any `n`, and anything else in `m`.
//! Every state that the judge allowed is one of those that it allows then (an over-approximation), so a rejection by the
//! new one is a rejection by the old one; an acceptance says nothing.

use std::sync::Arc;

use super::candidate::Candidate;
use super::frontier::Judge;
use crate::process::{Choice, Fresh};
use crate::spec::Spec;
use crate::symbolic::Infeasible;
use crate::term::Term;
use crate::value::Value;

/// A place in the server's memory: a variable, or the entry that a map or set has, or lacks, under a key.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell {
    /// The variable.
    pub slot: u32,
    /// The key; `None` is all of the variable.
    pub key: Option<Value>,
}

impl Judge {
    /// The judge that knows of the state only these cells; it goes on with that specification, which is its own for states in
    /// which any map may be unknown ([`Spec::for_unknown_maps`]).
    #[must_use]
    pub fn knowing_only(&self, cells: &[Cell], spec: &Arc<Spec>) -> Judge {
        let mut judge = self.clone();
        judge.spec = spec.clone();
        let mut candidates = std::mem::take(&mut judge.candidates);
        candidates.retain_mut(|candidate| judge.havoc_but(spec, candidate, cells).is_ok());
        judge.settle(candidates);
        judge
    }

    /// Follows at most so many candidates from now on, and does at most so much for an exchange.
    pub(crate) fn follow_at_most(&mut self, candidates: usize, effort: u64) {
        self.options.candidates = candidates;
        self.options.effort = self.options.effort.min(effort.max(1));
    }

    /// What a copy of it copies, in values.
    pub(crate) fn copied_size(&self) -> u64 {
        let of = |candidate: &Candidate| (candidate.process.memory.len() + candidate.process.size()) as u64;
        self.candidates.iter().map(of).sum()
    }

    /// Puts fresh symbols into each variable of a candidate, but for these cells.
    fn havoc_but(&mut self, spec: &Spec, candidate: &mut Candidate, cells: &[Cell]) -> Result<(), Infeasible> {
        candidate.process.rest();
        let first = self.fresh.last;
        let mut facts = Vec::new();
        for (slot, variable) in spec.program.slots.iter().enumerate().take(spec.program.state_slots()) {
            let kept: Vec<&Cell> = cells.iter().filter(|cell| cell.slot as usize == slot).collect();
            let old = &candidate.process.memory[slot];
            if *old == Value::Absent || kept.iter().any(|cell| cell.key.is_none()) {
                continue;
            }
            let keys = kept.iter().filter_map(|cell| cell.key.as_ref());
            let new = havoc_map(&mut self.fresh, spec, (variable.ty, old), keys, &mut facts);
            candidate.process.memory[slot] = new;
        }
        candidate.growth.count_choice(self.fresh.last - first);
        candidate.assume_each(&facts, None, &mut self.solver)
    }
}

/// An unknown value that has, or lacks, under each of these keys what the old one has; without keys, of any type.
fn havoc_map<'k>(
    fresh: &mut Fresh,
    spec: &Spec,
    (ty, old): (crate::spec::TypeId, &Value),
    keys: impl Iterator<Item = &'k Value>,
    facts: &mut Vec<Term>,
) -> Value {
    let (mut new, restrictions) = fresh.havoc(&spec.types, &Choice::Type(ty));
    facts.extend(restrictions);
    let (Value::Map(map), Value::Map(old)) = (&mut new, old) else { return new };
    for key in keys {
        if let Some(entry) = old.certain_entry(key) {
            map.set_in_place(key, entry.cloned());
        }
    }
    new
}
