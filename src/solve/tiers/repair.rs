//! Model repair: the cached model is kept if it satisfies the new constraints, or changed in the value of one variable.
//!
//! For example with `#1 != #2`, a fresh #3 with `#3 != #1`, `#3 != #2` takes a third value, in one pass over the constraints of
//! #3; and a fresh #3 with `#3 >= #2` takes the value of #2. This is exact: the constraints of the changed variable are evaluated,
//! and all others keep their values.

use crate::scalar::Scalar;
use crate::solve::domains::domain::{Domain, Narrowing};
use crate::solve::facts::{Facts, Touched, solve_for};
use crate::solve::forgetting::eliminate::{coefficient_and_rest, inequality};
use crate::solve::persistent::sorted_map::SortedMap;
use crate::solve::residual::{Id, Residual};
use crate::term::{Kind, Term, Var, count_walked};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// At most this many variables are tried, each alone, to repair a model by a change of its value.
const SUSPECTS: usize = 4;
/// At most this many values are tried for one variable; values that disequalities forbid do not count.
const REPAIRS: usize = 6;

/// Tests whether the cached model satisfies the touched constraints; variables without a value that matter get one first.
pub(crate) fn model_stays(facts: &mut Facts, touched: &Touched) -> bool {
    let Some(rest) = &facts.rest else { return true };
    let mut fresh: SmallVec<[Var; 4]> = SmallVec::new();
    let mut stated: SmallVec<[(Var, bool); 2]> = SmallVec::new();
    for term in touched.added.iter().filter_map(|id| rest.terms.get(id)) {
        match free_literal(rest, term) {
            Some(literal) => stated.push(literal),
            None => term.vars(&mut |var| {
                if !rest.model.contains_key(var) {
                    fresh.push(var);
                }
            }),
        }
    }
    for (var, holds) in stated {
        facts.rest_mut().model.insert(var, Scalar::Bool(holds));
    }
    for var in fresh {
        let value = first_value(facts, var);
        facts.rest_mut().model.insert(var, value);
    }
    let Some(rest) = &facts.rest else { return true };
    holds_under(facts, rest, touched, &|var| rest.model.get(var).cloned())
}

/// The first value that the domain of a variable and its inequalities allow under the values of the others.
fn first_value(facts: &Facts, var: Var) -> Scalar {
    let domain = facts.domain(var);
    let left = facts.rest.as_deref().and_then(|rest| {
        let own = rest.terms_of(var);
        count_walked(own.len());
        window(domain, var, &own, &rest.model)
    });
    left.as_ref().unwrap_or(domain).first(var)
}

/// Changes the value of one variable so that all constraints hold again; returns whether such a value was found.
pub(crate) fn repair(facts: &mut Facts, touched: &Touched) -> bool {
    let Some(rest) = &facts.rest else { return true };
    let of = |var: Var| rest.model.get(var).cloned();
    let mut suspects: BTreeSet<Var> =
        touched.vars.iter().copied().filter(|var| rest.of_var.contains_key(var)).collect();
    for term in touched.added.iter().filter_map(|id| rest.terms.get(id)).filter(|term| !holds(term, &of)) {
        term.vars(&mut |var| _ = suspects.insert(var));
    }
    let mut suspects = suspects.into_iter().rev().take(SUSPECTS);
    let Some((var, value)) = suspects.find_map(|var| Some((var, mending(facts, rest, var, touched)?))) else {
        return false;
    };
    facts.rest_mut().model.insert(var, value);
    true
}

/// A value of one variable with which all its constraints and all touched ones hold. Only values are tried that its domain and
/// its inequalities allow under the values of the others.
fn mending(facts: &Facts, rest: &Residual, var: Var, touched: &Touched) -> Option<Scalar> {
    let own = rest.terms_of(var);
    count_walked(own.len());
    let window = window(facts.domain(var), var, &own, &rest.model)?;
    let forbidden = forbidden_values(&rest.model, var, &own);
    let fits = |value: &Scalar| {
        let of = |other: Var| if other == var { Some(value.clone()) } else { rest.model.get(other).cloned() };
        own.iter().all(|term| holds(term, &of)) && holds_under(facts, rest, touched, &of)
    };
    let mut values = window.candidates(var).filter(|value| !forbidden.contains(value));
    values.by_ref().take(REPAIRS).find(fits)
}

/// Tests whether the touched constraints hold under the values that `of` gives, and these are in the touched domains.
fn holds_under(facts: &Facts, rest: &Residual, touched: &Touched, of: &impl Fn(Var) -> Option<Scalar>) -> bool {
    let within = |var: &Var| of(*var).is_none_or(|value| facts.domain(*var).admits(&value));
    let kept = |id: &Id| rest.terms.get(id).is_none_or(|term| holds(term, of));
    touched.vars.iter().all(within) && touched.added.iter().all(kept)
}

/// The boolean variable of a clause that no other constraint mentions, with the value that makes the clause true: the other
/// variables of the clause need no value then.
fn free_literal(rest: &Residual, term: &Term) -> Option<(Var, bool)> {
    let Kind::Or(parts) = term.kind() else { return None };
    let mut literals = parts.iter().filter_map(|part| match part.kind() {
        Kind::Var(var) => Some((*var, true)),
        Kind::Not(inner) => Some((inner.as_var()?, false)),
        _ => None,
    });
    literals.find(|(var, _)| rest.of_var.get(var).is_some_and(|ids| ids.len() == 1))
}

fn holds(term: &Term, of: &impl Fn(Var) -> Option<Scalar>) -> bool {
    term.eval(&mut |var| of(var)).and_then(|value| value.as_bool()) == Some(true)
}

/// The part of a variable's domain that its inequalities allow under the values of the other variables; `None` if it is empty.
fn window(domain: &Domain, var: Var, own: &[&Term], model: &SortedMap<Scalar>) -> Option<Domain> {
    let mut window = domain.clone();
    for linear in own.iter().filter_map(|term| inequality(term)) {
        count_walked(linear.terms().len());
        let of = |other: Var| model.get(other).filter(|_| other != var).cloned();
        let Some((factor, others)) = coefficient_and_rest(linear, var, &of) else { continue };
        // factor·x + others <= 0
        let narrowed = match factor.signum() {
            1 => window.at_most(&others.neg().floor_div(&factor)),
            _ => window.at_least(&others.neg().floor_div(&factor.neg()).neg()),
        };
        if narrowed == Narrowing::Empty {
            return None;
        }
    }
    Some(window)
}

/// The values that the disequalities of a variable forbid under the model.
fn forbidden_values(model: &SortedMap<Scalar>, var: Var, own: &[&Term]) -> FxHashSet<Scalar> {
    let value = |term: &Term| term.eval(&mut |other| if other == var { None } else { model.get(other).cloned() });
    let apart = |term: &Term| match term.kind() {
        Kind::Not(inner) => match inner.kind() {
            Kind::Eq(a, b) if a.as_var() == Some(var) => value(b),
            Kind::Eq(a, b) if b.as_var() == Some(var) => value(a),
            Kind::Eq0(linear) => {
                let (_, other) = solve_for(linear, &|known| known == var)?;
                value(&other)
            }
            _ => None,
        },
        _ => None,
    };
    own.iter().filter_map(|term| apart(term)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::numbers;
    use crate::scalar::Sort;
    use crate::solve::{Answer, Limits, Solver, Store};

    fn truth(id: u64) -> Term {
        Term::var(Var { id, sort: Sort::Bool })
    }

    /// Tests whether every constraint that remains holds under the cached values, whatever the values of other variables are.
    fn model_is_one(store: &Store) -> bool {
        let Some(rest) = &store.facts.rest else { return true };
        rest.terms.values().all(|term| holds(term, &|var| rest.model.get(var).cloned()))
    }

    #[test]
    fn one_free_literal_is_all_the_model_that_a_clause_needs() {
        let (mut store, mut solver) = (Store::default(), Solver::new(Limits::default()));
        let token = Term::var(Var { id: 1, sort: Sort::Token(0) });
        let known = Term::constant(Scalar::token("t1"));
        let clause = Term::or_all([truth(2).not(), truth(3), Term::ne(&token, &known)]);
        assert_eq!(store.assume(&clause, &mut solver), Answer::Sat);
        assert_eq!(store.facts.rest.as_ref().map(|rest| rest.model.len()), Some(1));
        for literal in [truth(2), truth(3).not()] {
            assert_eq!(store.assume(&literal, &mut solver), Answer::Sat);
            assert!(model_is_one(&store));
        }
        assert_eq!(store.assume(&Term::eq(&token, &known), &mut solver), Answer::Unsat);
    }

    #[test]
    fn clauses_that_share_variables_are_decided_as_by_enumeration() {
        const VARS: u64 = 6;
        let mut random = numbers(1);
        let mut refuted = 0;
        for _ in 0..400 {
            let (mut store, mut solver) = (Store::default(), Solver::new(Limits::default()));
            let mut all = Vec::new();
            let mut answer = Answer::Sat;
            while answer == Answer::Sat && all.len() < 40 {
                let literal = |at| if at % 2 == 0 { truth(at / 2) } else { truth(at / 2).not() };
                let clause = Term::or_all((0..2 + random(2)).map(|_| literal(random(2 * VARS))));
                answer = store.assume(&clause, &mut solver);
                all.push(clause);
                let bit = |world: u64, var: Var| Some(Scalar::Bool(world >> var.id & 1 == 1));
                let holds_in = |world| all.iter().all(|term: &Term| holds(term, &|var| bit(world, var)));
                assert_eq!(answer == Answer::Sat, (0..1 << VARS).any(holds_in), "{all:?}");
                assert!(answer != Answer::Sat || model_is_one(&store), "{all:?}");
            }
            refuted += u32::from(answer == Answer::Unsat);
        }
        assert!(refuted > 100, "{refuted} of 400 were refuted");
    }
}
