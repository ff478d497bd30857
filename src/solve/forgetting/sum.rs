//! A fresh variable for a sum: one of the summands is a difference from then on.
//!
//! For example `#5` for `#1 + #2` makes `#2` the difference `#5 - #1`, and `#2 <= 7` the bound `#5 <= #1 + 7`.

use crate::scalar::Scalar;
use crate::solve::facts::Touched;
use crate::solve::persistent::sorted_map::SortedMap;
use crate::solve::{Solver, Store};
use crate::term::{Term, Var};
use smallvec::SmallVec;

/// Makes a fresh variable stand for the sum of a variable and another term: the variable is their difference then, which is
/// returned. The caller puts that in its place.
pub fn stand_for_sum(store: &mut Store, other: &Term, var: Var, fresh: Var, solver: &mut Solver) -> Term {
    let sum = Term::add(other, &Term::var(var));
    let difference = Term::var(fresh).sub(other);
    put(store, var, difference.clone(), (fresh, &sum), solver);
    difference
}

/// Puts a term in the place of a variable, in which a fresh variable stands for another term.
fn put(store: &mut Store, var: Var, value: Term, (fresh, term): (Var, &Term), solver: &mut Solver) {
    let values = store.facts.rest.as_ref().map(|rest| with_value(store, &rest.model, fresh, term));
    let mut touched = Touched::default();
    let bound = store.facts.bind(var, value, &mut touched).and_then(|()| store.facts.propagate(&mut touched));
    values.into_iter().for_each(|values| give_values(store, &values, &touched));
    store.check_after(bound, &touched, solver);
}

/// A model with the value of a term for a variable; variables of the term that have none there take the first of theirs.
fn with_value(store: &Store, model: &SortedMap<Scalar>, fresh: Var, term: &Term) -> SortedMap<Scalar> {
    let mut values = model.clone();
    let value = term.eval(&mut |var| {
        let known = model.get(var).cloned().unwrap_or_else(|| store.domain(var).first(var));
        values.insert(var, known.clone());
        Some(known)
    });
    values.extend(value.map(|value| (fresh, value)));
    values
}

/// Gives values to the variables of constraints that were added that have none in the cached model: to no others, of which a
/// domain may change without a look at the model.
fn give_values(store: &mut Store, values: &SortedMap<Scalar>, touched: &Touched) {
    let Some(rest) = &store.facts.rest else { return };
    let mut given: SmallVec<[(Var, Scalar); 4]> = SmallVec::new();
    for term in touched.added.iter().filter_map(|id| rest.terms.get(id)) {
        term.vars(&mut |var| {
            let value = values.get(var).filter(|value| store.domain(var).admits(value));
            let missing = value.filter(|_| !rest.model.contains_key(var));
            given.extend(missing.map(|value| (var, value.clone())));
        });
    }
    store.facts.rest_mut().model.extend(given);
}
