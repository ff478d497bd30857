//! The values of a term about whose variables only the domains are known. The domains of a sum are moved and added; a term of one
//! variable with few values is computed for each of them.
//!
//! For example `#1 + #2` with `#1 in 3..=5` and `#2 in 0..=9` is in `3..=14`, with `{0, 4}` and `{0, 1}` in `{0, 1, 4, 5}`, and
//! `#1 % 2` in `0..=1`. Nothing if the values are no domain: `2 * x` skips every other one.

use super::values::ValueSet;
use super::{Domain, Store};
use crate::scalar::{Int, Scalar};
use crate::term::{Kind, Term, Var};
use smallvec::SmallVec;

/// A term of one variable with at most this many values is computed for each of them.
const COMPUTED: usize = 64;

/// One of several known values, for each of them.
const LOOKED_UP: usize = 4096;

/// Sets are added if one of them has at most this many values.
const ADDED: usize = 64;

/// The values of a term, if its variables are in no constraint and in no binding, so that its values are all that is
/// known of it. `None` if they are no domain, or too many to compute.
pub fn of(store: &Store, term: &Term) -> Option<Domain> {
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

fn vars(term: &Term) -> SmallVec<[Var; 4]> {
    let mut vars = SmallVec::new();
    term.vars(&mut |var| {
        if !vars.contains(&var) {
            vars.push(var);
        }
    });
    vars
}

impl Domain {
    /// The values of `factor * x + by`, for x in this domain.
    fn moved(&self, factor: &Int, by: &Int) -> Option<Domain> {
        let (same, opposite) = (*factor == Int::ONE, *factor == Int::MINUS_ONE);
        if !same && !opposite {
            return None;
        }
        if self.is_interval() {
            let [lo, hi] = [self.lo(), self.hi()].map(|end| end.map(|end| end.mul(factor).add(by)));
            return Some(if same { Domain::interval(lo, hi) } else { Domain::interval(hi, lo) });
        }
        let values = if same { self.only()?.clone() } else { self.only()?.negated()? };
        Domain::listed(values.shifted(by.to_i64()?)?)
    }

    /// The values of `y + factor * x`, for y in this domain and x in the other one.
    fn plus(&self, other: &Domain, factor: &Int) -> Option<Domain> {
        if self.is_interval() && other.is_interval() {
            return self.plus_interval(other, factor);
        }
        let (mine, theirs) = (self.listing()?, other.moved(factor, &Int::ZERO)?.listing()?);
        let (few, many) = if mine.len() < theirs.len() { (mine, theirs) } else { (theirs, mine) };
        if few.len() > ADDED {
            return None;
        }
        let mut sum = ValueSet::of([]);
        for value in few.iter() {
            sum = sum.union(&many.shifted(value.as_int()?.to_i64()?)?);
        }
        Domain::listed(sum)
    }

    /// Without holes, if the steps of one are no longer than the other one and its next value.
    fn plus_interval(&self, other: &Domain, factor: &Int) -> Option<Domain> {
        let width = |domain: &Domain| Some(domain.hi()?.sub(domain.lo()?));
        let steps_fit = width(self).is_none_or(|width| factor.abs() <= width.add(&Int::ONE));
        let single = other.lo().is_some() && other.lo() == other.hi();
        if !steps_fit && !single {
            return None;
        }
        let [lo, hi] = [other.lo(), other.hi()].map(|end| end.map(|end| end.mul(factor)));
        let (low, high) = if factor.signum() < 0 { (hi, lo) } else { (lo, hi) };
        let add = |a: Option<&Int>, b: Option<Int>| Some(a?.add(&b?));
        Some(Domain::interval(add(self.lo(), low), add(self.hi(), high)))
    }
}
