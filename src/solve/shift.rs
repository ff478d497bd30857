//! Domains moved and added: the values of `c * x + k`, and of a sum of variables that have nothing to do with each other.
//!
//! For example `3..=5` and `0..=9` add up to `3..=14`, `{0, 4}` and `{0, 1}` to `{0, 1, 4, 5}`. Nothing where the result is no
//! domain: `2 * x` skips every other value.

use super::domain::Domain;
use super::values::ValueSet;
use crate::scalar::Int;

/// Sets are added where one of them has at most this many values.
const ADDED: usize = 64;

impl Domain {
    /// The values of `factor * x + by`, for x in this domain.
    pub(super) fn moved(&self, factor: &Int, by: &Int) -> Option<Domain> {
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
    pub(super) fn plus(&self, other: &Domain, factor: &Int) -> Option<Domain> {
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

    /// Without holes, where the steps of one are no longer than the other one and its next value.
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
