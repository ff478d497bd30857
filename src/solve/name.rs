//! Naming what a term may be by one variable (rule 5 of *Forgetting, exactly*), and joining what two stores say of one.
//!
//! A term whose variables occur nowhere else stands for its values alone. For example `#1 + #2` with `#1 in 3..=5` and
//! `#2 in 0..=9` is a fresh `#3 in 3..=14`, and the store has one variable less; `#1 % 2` is a fresh `#3 in 0..=1`.

use super::facts::{Touched, solve_for};
use super::sorted_map::SortedMap;
use super::trail::Elimination;
use super::{Domain, Solver, Store};
use crate::scalar::{Int, Scalar, Sort};
use crate::term::{Kind, Linear, Term, Var};
use smallvec::SmallVec;

/// A term of one variable with at most this many values is computed for each of them.
const COMPUTED: usize = 64;

/// One of several known values, for each of them.
const LOOKED_UP: usize = 4096;

/// Variables of a term.
type Vars = SmallVec<[Var; 4]>;

/// Rule 5: a variable for a live term whose own variables occur nowhere else in the memory, so that they die. The caller
/// replaces the term by what is returned, everywhere. `fresh` must be new. `None` where nothing would be gained.
pub fn name(store: &mut Store, term: &Term, fresh: &Term, solver: &mut Solver) -> Option<Term> {
    if let Some(named) = name_range(store, term, fresh) {
        return Some(named);
    }
    let vars = vars(term);
    if vars.iter().all(|var| !store.is_constrained(*var)) {
        return None;
    }
    let mut named = store.clone();
    if !name_term(&mut named, term, fresh, solver) {
        return None;
    }
    named.forget(&|var| !vars.contains(&var), solver);
    let (before, after) = (store.size(), named.size());
    let gone = !named.vars().iter().any(|var| vars.contains(var));
    (gone && after.0 <= before.0 && after.2 <= before.2).then(|| {
        *store = named;
        fresh.clone()
    })
}

/// Names a live term of which its values are all that is known ([`range`]): a fresh variable gets these as its domain.
/// Returns the variable, or the only value, by which the caller replaces the term everywhere. `fresh` must be new.
fn name_range(store: &mut Store, term: &Term, fresh: &Term) -> Option<Term> {
    let range = range(store, term)?;
    let named = range.single().map_or_else(|| fresh.clone(), Term::constant);
    replace_range(store, term, &named);
    if let Some(var) = named.as_var() {
        store.set_domain(var, range);
    }
    Some(named)
}

/// Unifies a live term of which its values are all that is known ([`range`]) with a value that it was seen to have; returns
/// whether it can have it, else the store is dead. The caller replaces the term by the value everywhere. `None` where [`range`]
/// gives none.
pub fn unify_range(store: &mut Store, term: &Term, value: &Scalar) -> Option<bool> {
    let stated = range(store, term)?.admits(value);
    match stated {
        true => replace_range(store, term, &Term::constant(value.clone())),
        false => store.dead = true,
    }
    Some(stated)
}

/// Forgets the variables of a term that is replaced, as its values were all that was known of it.
fn replace_range(store: &mut Store, term: &Term, by: &Term) {
    let vars = vars(term);
    if store.trail.is_some() {
        let mut constraints: Vec<Term> =
            vars.iter().flat_map(|var| store.domain(*var).conditions(&Term::var(*var))).collect();
        constraints.push(Term::eq(term, by));
        store.log(|| Elimination::Projected { vars: vars.to_vec(), constraints });
    }
    vars.iter().for_each(|var| drop(store.facts.domains.remove(*var)));
}

/// The values of a term, where its variables are in no constraint and in no binding, so that its values are all that is
/// known of it. `None` where they are no domain, or too many to compute.
pub fn range(store: &Store, term: &Term) -> Option<Domain> {
    if let Some(var) = term.as_var() {
        return store.is_alone(var).then(|| store.domain(var).clone());
    }
    let vars = vars(term);
    if !vars.iter().all(|var| store.is_alone(*var)) {
        return None;
    }
    range_of_sum(store, term).or_else(|| match vars.as_slice() {
        [var] => range_by_value(store, term, *var),
        _ => None,
    })
}

/// Tests whether all variables of a term are known by their domains alone.
pub fn is_free(store: &Store, term: &Term) -> bool {
    vars(term).iter().all(|var| store.is_alone(*var))
}

/// The values of a sum of variables: each atom's own, shifted and added.
fn range_of_sum(store: &Store, term: &Term) -> Option<Domain> {
    let Kind::Linear(linear) = term.kind() else { return None };
    let mut parts: SmallVec<[(&Domain, &Int); 4]> = SmallVec::new();
    for (atom, coefficient) in linear.terms() {
        parts.push((store.domain(atom.as_var()?), coefficient));
    }
    if let [(domain, coefficient)] = parts.as_slice() {
        return domain.moved(coefficient, linear.constant());
    }
    parts.sort_by_key(|(_, coefficient)| coefficient.abs());
    let mut sum = Domain::single_value(&Scalar::Int(linear.constant().clone()));
    for (domain, coefficient) in parts {
        sum = sum.plus(domain, coefficient)?;
    }
    Some(sum)
}

/// A table is computed for as many values as there may be in a domain.
fn range_by_value(store: &Store, term: &Term, only: Var) -> Option<Domain> {
    let computed = if matches!(term.kind(), Kind::Table(..)) { LOOKED_UP } else { COMPUTED };
    let values = store.few_values(only, computed)?;
    let value = |of: &Scalar| term.eval(&mut |var| (var == only).then(|| of.clone()));
    let range: Option<Vec<Scalar>> = values.iter().map(value).collect();
    Domain::of(range?)
}

/// Names a live term by a fresh variable, where an equation in which one of its variables has coefficient ±1 can be solved
/// for that one. True if it was done: the caller replaces the term by `fresh` in its memory. Only for terms whose variables
/// occur nowhere else in the memory; `fresh` must be new.
pub fn name_term(store: &mut Store, term: &Term, fresh: &Term, solver: &mut Solver) -> bool {
    let term = store.resolve(term);
    if term.sort() != Sort::Int || fresh.sort() != Sort::Int {
        return false;
    }
    let equation = Linear::of(&term).plus(&Int::MINUS_ONE, &Linear::of(fresh));
    let Some(named) = fresh.as_var() else { return false };
    let Some((var, value)) = solve_for(&equation, &|var| var != named) else { return false };
    put(store, var, value, (named, &term), solver);
    true
}

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
    store.settle(bound, &touched, solver);
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

fn vars(term: &Term) -> Vars {
    let mut vars = Vars::new();
    term.vars(&mut |var| {
        if !vars.contains(&var) {
            vars.push(var);
        }
    });
    vars
}
