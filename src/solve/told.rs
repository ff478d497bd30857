//! An answer that is one variable, and the value that it was seen to have.
//!
//! Implements the rule *unify* of Figure 3.1 where it costs least: nothing but a domain is known of the variable, so its domain
//! is asked, and the variable is bound; or, where nothing else mentions it, forgotten at once. For example `#1 + 2` with
//! `#1 <= 9` seen as 5 binds `#1 := 3`.

use super::Solver;
use super::store::{Dead, Store};
use crate::scalar::{Int, Scalar};
use crate::term::{Kind, Linear, Term, Var};

impl Store {
    /// The variable of which a term and its value tell the value, where nothing but its domain says anything of it.
    #[inline]
    pub fn variable_told(&self, term: &Term) -> Option<Var> {
        let var = match term.as_var() {
            Some(var) => var,
            None => shifted(term)?.0,
        };
        (self.dead.is_none() && self.doubt.is_none() && self.is_quiet(var)).then_some(var)
    }

    /// [`Store::assume`] for such a term and its value: whether it can have it. `None` where this is no such question.
    #[inline]
    pub fn assume_value(&mut self, term: &Term, value: &Scalar, solver: &mut Solver) -> Option<bool> {
        let var = self.variable_told(term)?;
        let value = solved(term, value)?;
        let admitted = self.admit(var, &value, solver);
        if admitted {
            self.facts.bindings.insert(var, Term::constant(value));
        }
        Some(admitted)
    }

    /// The same where nothing else mentions the variable, here or in memory: nothing is left of it.
    #[inline]
    pub fn tell_last(&mut self, term: &Term, value: &Scalar, solver: &mut Solver) -> Option<bool> {
        let var = self.variable_told(term)?;
        Some(self.admit(var, &solved(term, value)?, solver))
    }

    /// Whether a bound variable or the value of one mentions a variable.
    pub fn is_in_binding(&self, var: Var) -> bool {
        self.facts.bindings.any(&mut |bound, value| bound == var || value.mentions(var))
    }

    /// Takes up the value of a variable of which a domain is known at most: whether it can have it.
    fn admit(&mut self, var: Var, value: &Scalar, solver: &mut Solver) -> bool {
        solver.statistics.by_domain += 1;
        let admitted = self.facts.domains.remove(var).is_none_or(|domain| domain.admits(value));
        if !admitted {
            self.dead = Some(Dead);
        }
        admitted
    }
}

/// The value that the variable of a term has where the term has this one.
fn solved(term: &Term, value: &Scalar) -> Option<Scalar> {
    match shifted(term) {
        Some((_, sum, factor)) => Some(Scalar::Int(value.as_int()?.sub(sum.constant()).mul(factor))),
        None => Some(value.clone()),
    }
}

/// The only variable of a sum in which it has the factor ±1, with both.
fn shifted(term: &Term) -> Option<(Var, &Linear, &Int)> {
    let Kind::Linear(sum) = term.kind() else { return None };
    let [(atom, factor)] = sum.terms() else { return None };
    let unit = *factor == Int::ONE || *factor == Int::MINUS_ONE;
    Some((atom.as_var().filter(|_| unit)?, sum, factor))
}
