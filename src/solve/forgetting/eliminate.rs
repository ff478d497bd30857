//! Fourier-Motzkin elimination of integer variables with coefficients ±1, for which it is exact over the integers.
//!
//! For example `x <= y`, `y <= z` without y is `x <= z`: each lower bound of y is paired with each upper bound. Eliminating all
//! variables one by one decides a system.

use crate::scalar::{Int, Scalar};
use crate::term::{Kind, Linear, Term, Var};
use std::collections::BTreeMap;

/// The constraints that an elimination may leave.
const LEFT: usize = 160;

/// The inequalities (`linear <= 0`) of a variable, by the side on which they bound it.
pub(crate) struct BoundPairs {
    /// The lower bounds: the variable has coefficient −1.
    pub(crate) lower: Vec<Linear>,
    /// The upper bounds: the variable has coefficient +1.
    pub(crate) upper: Vec<Linear>,
}

impl BoundPairs {
    /// Sorts inequalities that mention `var`; `None` if it has a coefficient other than ±1 in one, or occurs inside an atom.
    pub(crate) fn of<'a>(var: Var, inequalities: impl IntoIterator<Item = &'a Linear>) -> Option<BoundPairs> {
        BoundPairs::of_atom(&Term::var(var), var, inequalities)
    }

    /// Sorts inequalities by the coefficient of an atom that mentions `var`; `None` if the atom has a coefficient other than ±1 in one,
    /// or `var` occurs in another atom.
    pub(crate) fn of_atom<'a>(
        atom: &Term,
        var: Var,
        inequalities: impl IntoIterator<Item = &'a Linear>,
    ) -> Option<BoundPairs> {
        let mut sides = BoundPairs { lower: Vec::new(), upper: Vec::new() };
        for linear in inequalities {
            if linear.terms().iter().any(|(known, _)| known != atom && known.mentions(var)) {
                return None;
            }
            let coefficient = linear.coefficient(atom);
            if coefficient == Int::ONE {
                sides.upper.push(linear.clone());
            } else if coefficient == Int::MINUS_ONE {
                sides.lower.push(linear.clone());
            } else {
                return None;
            }
        }
        Some(sides)
    }

    /// The sums of each lower with each upper bound: some integer satisfies all bounds if and only if no sum is positive.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = Linear> {
        self.lower.iter().flat_map(|low| self.upper.iter().map(move |high| low.plus(&Int::ONE, high)))
    }

    /// The inequalities that are left without the variable, sorted; true ones and duplicates are left out.
    pub(crate) fn paired(&self) -> Vec<Term> {
        let mut list: Vec<Term> = self.pairs().map(Term::le0).filter(|term| term.as_bool() != Some(true)).collect();
        list.sort();
        list.dedup();
        list
    }
}

/// The sum of an inequality `sum <= 0`.
pub(crate) fn inequality(term: &Term) -> Option<&Linear> {
    if let Kind::Le0(linear) = term.kind() { Some(linear) } else { None }
}

/// The coefficient of a variable in a sum, and the value of the other summands under the values that `of` gives; `None` if the
/// variable is no summand, or a value is missing.
pub(crate) fn coefficient_and_rest(
    linear: &Linear,
    var: Var,
    of: &dyn Fn(Var) -> Option<Scalar>,
) -> Option<(Int, Int)> {
    let (mut factor, mut rest) = (Int::ZERO, linear.constant().clone());
    for (atom, coefficient) in linear.terms() {
        match atom.as_var() == Some(var) {
            true => factor = coefficient.clone(),
            false => rest = rest.add(&atom.eval(&mut |var| of(var))?.as_int()?.mul(coefficient)),
        }
    }
    (!factor.is_zero()).then_some((factor, rest))
}

/// Decides a system of inequalities by eliminating all its variables: `Some(Some(model))`, or `Some(None)` if it has no solution;
/// `None` if the method does not apply, or the system grows too large.
pub(crate) fn eliminate_all(system: Vec<Linear>) -> Option<Option<BTreeMap<Var, Scalar>>> {
    let mut left = system;
    let mut done: Vec<(Var, BoundPairs)> = Vec::new();
    while !left.is_empty() {
        if left.len() > LEFT {
            return None;
        }
        let (var, sides) = cheapest(&left)?;
        let next = sides.paired();
        if next.iter().any(|term| term.as_bool() == Some(false)) {
            return Some(None);
        }
        let atom = Term::var(var);
        left.retain(|linear| linear.coefficient(&atom).is_zero());
        left.extend(next.iter().filter_map(inequality).cloned());
        done.push((var, sides));
    }
    reconstruct(done).map(Some)
}

/// The variable with the fewest pairs of bounds, among the variables that can be eliminated.
fn cheapest(system: &[Linear]) -> Option<(Var, BoundPairs)> {
    let mut by_var: BTreeMap<Var, Vec<&Linear>> = BTreeMap::new();
    for linear in system {
        for (atom, _) in linear.terms() {
            by_var.entry(atom.as_var()?).or_default().push(linear);
        }
    }
    let sides = by_var.into_iter().filter_map(|(var, list)| Some((var, BoundPairs::of(var, list)?)));
    sides.min_by_key(|(var, sides)| (sides.lower.len() * sides.upper.len(), *var))
}

/// Values for the eliminated variables, the last one first: each between its lower and upper bounds, as near to zero as possible.
fn reconstruct(done: Vec<(Var, BoundPairs)>) -> Option<BTreeMap<Var, Scalar>> {
    let mut values: BTreeMap<Var, Scalar> = BTreeMap::new();
    for (var, sides) in done.into_iter().rev() {
        let atom = Term::var(var);
        let mut rest = |linear: &Linear| {
            let term = linear.without(&atom).into_term();
            let value = term.eval(&mut |var| Some(values.get(&var).cloned().unwrap_or(Scalar::Int(Int::ZERO))));
            value.and_then(|value| value.as_int().cloned())
        };
        let lows: Option<Vec<Int>> = sides.lower.iter().map(&mut rest).collect();
        let highs: Option<Vec<Int>> = sides.upper.iter().map(&mut rest).collect();
        let (low, high) = (lows?.into_iter().max(), highs?.into_iter().map(|bound| bound.neg()).min());
        let value = low.map_or(Int::ZERO, |low| low.max(Int::ZERO));
        let value = high.map_or(value.clone(), |high| value.min(high));
        values.insert(var, Scalar::Int(value));
    }
    Some(values)
}
