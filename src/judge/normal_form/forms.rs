//! Canonical forms of candidates: candidates that differ in the names of variables alone have equal forms.
//!
//! `{n: #1}` and `{n: #2}`, with equal constraints on #1 and #2, have one form. A doubtful state does not stand for a clean one.

use std::collections::hash_map::Entry::{Occupied, Vacant};

use rustc_hash::FxHashMap;

use crate::judge::candidate::Candidate;
use crate::judge::terms::Renaming;
use crate::process::Situation;
use crate::term::{Term, count_walked};
use crate::value::Value;

/// A state up to the names of variables.
pub(crate) type CanonicalForm = (Situation, Vec<Value>, Vec<Term>);

/// The forms of the states that were met, each with `true` if a clean state had it: states of one form are followed once.
#[derive(Default)]
pub(crate) struct MetForms(FxHashMap<CanonicalForm, bool>);

impl MetForms {
    /// Adds the form of a state.
    pub(crate) fn add(&mut self, form: CanonicalForm, state: &Candidate) {
        *self.0.entry(form).or_default() |= state.is_clean();
    }

    /// Tests whether a state of this form was met that can stand for this one: a clean state, or any if this one is doubtful.
    pub(crate) fn stand_for(&self, form: &CanonicalForm, state: &Candidate) -> bool {
        self.0.get(form).is_some_and(|is_clean| *is_clean || !state.is_clean())
    }
}

/// Drops candidates that are equal to an earlier one up to the names of variables; a clean one takes the place of a doubtful one.
pub(crate) fn merge_equal(candidates: &mut Vec<Candidate>) {
    let mut met: FxHashMap<CanonicalForm, usize> = FxHashMap::default();
    let mut kept: Vec<Candidate> = Vec::with_capacity(candidates.len());
    for candidate in candidates.drain(..) {
        match met.entry(canonical(&candidate)) {
            Occupied(entry) => {
                let same = &mut kept[*entry.get()];
                if !same.is_clean() && candidate.is_clean() {
                    *same = candidate;
                }
            }
            Vacant(entry) => {
                entry.insert(kept.len());
                kept.push(candidate);
            }
        }
    }
    *candidates = kept;
}

/// The form of a candidate: its values and constraints, with variables numbered in the order in which they are mentioned.
pub(crate) fn canonical(candidate: &Candidate) -> CanonicalForm {
    with_constraints(candidate, &candidate.store.constraints())
}

/// The form of a candidate with these constraints in the place of its own.
pub(crate) fn with_constraints(candidate: &Candidate, constraints: &[Term]) -> CanonicalForm {
    count_walked(constraints.len());
    let values = numbered(candidate);
    let mut renaming = Renaming::default();
    values.iter().for_each(|value| value.visit_variables(&mut |var| renaming.meet(var)));
    constraints.iter().for_each(|constraint| constraint.vars(&mut |var| renaming.meet(var)));
    let memory = values.into_iter().map(|value| renaming.value(&value).unwrap_or(value)).collect();
    (candidate.process.situation(), memory, renaming.facts(constraints))
}

/// The values that a candidate holds, then the expanded parts of unknown values. Unknown values are numbered in the order in which
/// they are mentioned.
pub(crate) fn numbered(candidate: &Candidate) -> Vec<Value> {
    let process = &candidate.process;
    let mut order: Vec<u64> = Vec::new();
    let mut numbers: FxHashMap<u64, u64> = FxHashMap::default();
    let mut meet = |value: &Value, order: &mut Vec<u64>| {
        value.visit_unknowns(&mut |id| {
            let next = numbers.len() as u64 + 1;
            if *numbers.entry(id).or_insert(next) == next {
                order.push(id);
            }
        });
    };
    process.held().for_each(|value| meet(value, &mut order));
    let mut at = 0;
    while at < order.len() {
        process.unknowns.seen_of(order[at]).iter().for_each(|seen| meet(seen, &mut order));
        at += 1;
    }
    if order.is_empty() {
        return process.held().cloned().collect();
    }
    let number = |id: u64| numbers.get(&id).copied().unwrap_or(id);
    let renumbered = |value: &Value| value.renumbered(&number).unwrap_or_else(|| value.clone());
    let seen = order.iter().map(|id| process.unknowns.seen_of(*id).map_or(Value::Absent, renumbered));
    process.held().map(renumbered).chain(seen).collect()
}
