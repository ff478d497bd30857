//! An answer that is one variable, and its observed value.
//!
//! Implements the cheapest case of the rule *unify* of Figure 3.1: only a domain is known of the variable, so the domain
//! is asked, and the variable is bound; or, if nothing else mentions it, forgotten at once. For example `#1 + 2` with
//! `#1 <= 9` seen as 5 binds `#1 := 3`.

use super::{Solver, Store};
use crate::scalar::{Int, Scalar};
use crate::term::{Kind, Term, Var};

/// The variable whose value follows from a term and the value of the term, and this value; `None` unless only its domain restricts it.
pub fn variable(store: &Store, term: &Term, value: &Scalar) -> Option<(Var, Scalar)> {
    let (var, value) = match term.as_var() {
        Some(var) => (var, value.clone()),
        None => solved(term, value)?,
    };
    (!store.dead && store.doubt.is_none() && store.is_only_in_domain(var)).then_some((var, value))
}

/// Binds the variable of [`variable`] to its value, if it can have it; returns whether it can, else the store is dead.
pub fn bind(store: &mut Store, (var, value): (Var, Scalar), solver: &mut Solver) -> bool {
    let admitted = admit_last(store, (var, &value), solver);
    if admitted {
        store.facts.bindings.insert(var, Term::constant(value));
    }
    admitted
}

/// Unifies the variable of [`variable`] with its value if nothing mentions the variable any more, here or in memory:
/// nothing is left of it. Returns whether it can have the value, else the store is dead.
pub fn admit_last(store: &mut Store, (var, value): (Var, &Scalar), solver: &mut Solver) -> bool {
    solver.statistics.by_domain += 1;
    let admitted = store.facts.domains.remove(var).is_none_or(|domain| domain.admits(value));
    store.dead |= !admitted;
    admitted
}

/// The only variable of a sum in which it has the factor ±1, and its value if the sum has this one.
fn solved(term: &Term, value: &Scalar) -> Option<(Var, Scalar)> {
    let Kind::Linear(sum) = term.kind() else { return None };
    let [(atom, factor)] = sum.terms() else { return None };
    let unit = *factor == Int::ONE || *factor == Int::MINUS_ONE;
    let own = value.as_int()?.sub(sum.constant()).mul(factor);
    Some((atom.as_var().filter(|_| unit)?, Scalar::Int(own)))
}
