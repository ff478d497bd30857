//! A change of variables: a fresh variable stands for a sum, and one of the summands becomes a difference.
//!
//! For example with `#5` for `#1 + #2`, `#2` is the difference `#5 - #1`, and `#2 <= 7` is `#5 <= #1 + 7`.

use crate::scalar::Scalar;
use crate::solve::facts::Touched;
use crate::solve::persistent::sorted_map::SortedMap;
use crate::solve::{Solver, Store};
use crate::term::{Term, Var};
use smallvec::SmallVec;

/// Makes a fresh variable stand for the sum of `other` and `var`. Returns the difference of the fresh variable and `other`, which
/// the caller puts in the place of `var`.
pub fn stand_for_sum(store: &mut Store, other: &Term, var: Var, fresh: Var, solver: &mut Solver) -> Term {
    let sum = Term::add(other, &Term::var(var));
    let difference = Term::var(fresh).sub(other);
    put(store, var, difference.clone(), fresh, &sum, solver);
    difference
}

/// Binds a variable to a value in which a fresh variable stands for a term; the cached model gives the fresh variable the value
/// of that term.
fn put(store: &mut Store, var: Var, value: Term, fresh: Var, term: &Term, solver: &mut Solver) {
    let values = store.facts.rest.as_ref().map(|rest| with_value(store, &rest.model, fresh, term));
    let mut touched = Touched::default();
    let bound = store.facts.bind(var, value, &mut touched).and_then(|()| store.facts.propagate(&mut touched));
    values.into_iter().for_each(|values| give_values(store, &values, &touched));
    store.check_after(bound, &touched, solver);
}

/// The model with the value of a term for a fresh variable. A variable of the term without a value takes the first of its domain.
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

/// Gives values to the variables of added constraints that have none in the cached model. Other variables get none, because their
/// domains may change without a look at the model.
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
