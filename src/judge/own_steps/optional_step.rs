//! A run of a step that was taken or not, as one candidate.
//!
//! ```text
//! {m: {"a", "b"}}, and after a step {m: {"b"}}    two candidates
//! {m: {"a" if q, "b"}}                            one: q says that the step was not taken
//! ```
//!
//! States do not multiply: the conditions of the run are required only if it was taken. The note `proofs-notes/steps-together.md`
//! says why no state is added or lost.

use rustc_hash::FxHashSet;

use super::changed_place::ChangedPlace;
use crate::judge::candidate::{Candidate, State};
use crate::judge::context::Context;
use crate::judge::terms;
use crate::judge::terms::changed;
use crate::scalar::Sort;
use crate::solve::{Answer, Solver, Store};
use crate::term::Term;
use crate::value::{self, Value};

/// The condition on which a run was taken, and the place that it changed.
struct TakenRun {
    condition: Term,
    /// The place that the run changed, and the condition under which the value before it is still there: a variable.
    place: Option<(ChangedPlace, Term)>,
}

/// Merges the result of a step, `after`, into `joined`: the candidate `before` the step, perhaps already merged with other results.
/// Returns whether that was possible. The run made the variables after the number `last`; their bindings must have been substituted.
pub(crate) fn put_beside(
    context: &mut Context,
    before: &Candidate,
    last: u64,
    joined: &mut Candidate,
    mut after: Candidate,
) -> bool {
    if ![before, &*joined, &after].into_iter().all(|candidate| candidate.is_plain()) {
        return false;
    }
    let mut live = FxHashSet::default();
    after.process.memory.iter().for_each(|slot| slot.visit_variables(&mut |var| _ = live.insert(var)));
    after.store.forget(&|var| var.id <= last || live.contains(&var), &mut context.solver);
    let mut store = joined.store.clone();
    let place = ChangedPlace::of(before, &after).filter(|place| place.is_same_in(before, joined));
    let required = required(before, &after, place.as_ref(), &mut context.solver);
    let taken = taken(context, place, &mut store);
    let of_run = required.iter().map(|required| Term::implies(&taken.condition, required));
    if !of_run.into_iter().all(|guarded| store.assume(&guarded, &mut context.solver) == Answer::Sat) {
        return false;
    }
    let mut memory = joined.process.memory.clone();
    for slot in after.process.stored().iter() {
        let (new, old) = (&after.process.memory[slot as usize], &mut memory[slot as usize]);
        let merged = value::merge(&taken.condition, new.clone(), old.clone());
        if matches!((&merged, &*old), (Value::Union(_), Value::Map(_))) {
            return false;
        }
        *old = merged;
    }
    joined.process.memory = memory;
    joined.store = store;
    if let Some((place, now)) = &taken.place {
        place.write(&taken.condition, now, joined);
    }
    joined.growth.open = true;
    true
}

/// The conditions that a run requires of the state before it, without those that follow from the store and from the value of the
/// changed place.
fn required(before: &Candidate, after: &Candidate, place: Option<&ChangedPlace>, solver: &mut Solver) -> Vec<Term> {
    let mut known = before.store.clone();
    if let Some(place) = place {
        known.assume(&place.before, solver);
    }
    let mut required = Vec::new();
    for condition in after.store.constraints() {
        if known.decide(&condition) != Some(true) {
            known.assume(&condition, solver);
            required.push(condition);
        }
    }
    required
}

/// The condition under which a run was taken: the value of the changed place was there before, and is not there any more. If no place
/// certainly changed, a fresh variable is the condition.
fn taken(context: &mut Context, place: Option<ChangedPlace>, store: &mut Store) -> TakenRun {
    let fresh = context.fresh.variable(Sort::Bool);
    let Some(place) = place else { return TakenRun { condition: fresh, place: None } };
    let condition = Term::and(&place.before, &Term::not(&fresh));
    store.assume(&Term::implies(&fresh, &place.before), &mut context.solver);
    for other in &place.others {
        store.assume(&Term::not(&Term::and(&fresh, other)), &mut context.solver);
    }
    TakenRun { condition, place: Some((place, fresh)) }
}

/// Substitutes the bindings of variables after the number `last`. The bindings of earlier ones stay: they may not hold without the run.
pub(crate) fn substitute_new(after: &mut Candidate, last: u64) {
    let State { process, store, .. } = &mut **after;
    terms::rewrite(process, &mut |term| {
        changed(term, term.substitute(&mut |var| (var.id > last).then(|| store.binding(var)).flatten()))
    });
}
