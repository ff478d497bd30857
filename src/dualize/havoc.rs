//! Forgetting all of a candidate but a few cells: fresh symbols for the rest (*havoc*).
//!
//! Every state that the candidate stood for is one of those that it stands for then (an over-approximation), so a rejection after it
//! is a rejection; an acceptance says nothing.

use super::candidate::Candidate;
use super::cells::Cell;
use super::frontier::Judge;
use crate::process::{Choice, Fresh};
use crate::spec::{Spec, TypeId, Types};
use crate::symbolic::Infeasible;
use crate::term::Term;
use crate::value::Value;

/// Puts fresh symbols into each variable of a candidate, but for these cells.
pub(super) fn all_but(
    judge: &mut Judge,
    spec: &Spec,
    candidate: &mut Candidate,
    cells: &[Cell],
) -> Result<(), Infeasible> {
    candidate.process.rest();
    let first = judge.fresh.last;
    let mut facts = Vec::new();
    for (slot, variable) in spec.program.slots.iter().enumerate().take(spec.program.state_slots()) {
        let kept: Vec<&Cell> = cells.iter().filter(|cell| cell.slot as usize == slot).collect();
        let old = &candidate.process.memory[slot];
        if *old == Value::Absent || kept.iter().any(|cell| cell.key.is_none()) {
            continue;
        }
        let keys = kept.iter().filter_map(|cell| cell.key.as_ref());
        let (new, restrictions) = havoc_map(&mut judge.fresh, &spec.types, (variable.ty, old), keys);
        facts.extend(restrictions);
        candidate.process.memory[slot] = new;
    }
    candidate.growth.count_choice(judge.fresh.last - first);
    candidate.assume_each(&facts, None, &mut judge.solver)
}

/// An unknown value that has, or lacks, under each of these keys what the old one has, without keys of any type; and what restricts it.
fn havoc_map<'k>(
    fresh: &mut Fresh,
    types: &Types,
    (ty, old): (TypeId, &Value),
    keys: impl Iterator<Item = &'k Value>,
) -> (Value, Vec<Term>) {
    let (mut new, restrictions) = fresh.havoc(types, &Choice::Type(ty));
    let (Value::Map(map), Value::Map(old)) = (&mut new, old) else { return (new, restrictions) };
    for key in keys {
        if let Some(entry) = old.certain_entry(key) {
            map.set_in_place(key, entry.cloned());
        }
    }
    (new, restrictions)
}
