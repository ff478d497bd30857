//! Domains, all that is known of one variable alone: bounds, excluded values, known sets that it is in or outside of.
//!
//! For example `3..` without 3 and 4 is kept as `5..`. This tier answers most questions: `q <= #n` for a known q is one bound. A
//! domain is never empty, which needs no search to see: its ends are values of it.

use super::values::ValueSet;
use crate::limits;
use crate::scalar::{Int, Json, Scalar, Sort};
use crate::term::{KeySet, Term, Var};
use im::OrdSet;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The values that a variable can still have, as far as facts about it alone say.
///
/// 1. A domain is never empty, and its finite ends are values of it, unless it is inside a large set.
/// 2. Explicit values in `more` stand alone: nothing else is in `more`, and the ends of integers are the least and the greatest of
///    them. Integers without holes, and both booleans, are not explicit.
/// 3. Excluded values in `more` lie within the ends, unless the domain is inside a large set. `more` is not empty.
/// 4. A domain that is inside a large set has more than 64 values in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain {
    lo: Option<Int>,
    hi: Option<Int>,
    more: Option<Arc<More>>,
}

/// A hash of the bounds and of the number of explicit values.
impl Hash for Domain {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.lo, &self.hi, self.only().map(ValueSet::len)).hash(state);
    }
}

/// The parts of a domain that few variables need: explicit values, excluded ones, and sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct More {
    /// The explicit values: there are no others.
    only: Option<ValueSet>,
    /// The values that are excluded one by one.
    excluded: OrdSet<Scalar>,
    /// Large sets of which the variable is an element.
    inside: Vec<KeySet>,
    /// Sets of which the variable is no element.
    outside: Vec<KeySet>,
}

/// The effect of a literal on a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Narrowing {
    Same,
    Narrowed,
    Empty,
}

use Narrowing::{Empty, Narrowed, Same};

/// The members of a set that become a domain of values.
const MEMBERS: usize = 64;
/// The values that a domain lists.
const VALUES: usize = 4_096;

impl Domain {
    /// The domain with every value of the sort.
    pub const ALL: Domain = Domain { lo: None, hi: None, more: None };

    /// The smallest value, if it is bounded below (integers only).
    pub fn lo(&self) -> Option<&Int> {
        self.lo.as_ref()
    }

    /// The largest value, if it is bounded above (integers only).
    pub fn hi(&self) -> Option<&Int> {
        self.hi.as_ref()
    }

    /// The explicit set of its values, sorted, if there is one.
    pub fn one_of(&self) -> Option<Vec<Scalar>> {
        self.only().map(|only| only.iter().collect())
    }

    /// The values that are excluded one by one, not by bounds or sets, sorted.
    pub fn excluded(&self) -> impl Iterator<Item = &Scalar> {
        self.more.iter().flat_map(|more| more.excluded.iter())
    }

    /// Large known sets of which the variable is an element.
    pub fn inside(&self) -> &[KeySet] {
        self.more.as_ref().map_or(&[], |more| &more.inside)
    }

    /// Known sets of which the variable is no element.
    pub fn outside(&self) -> &[KeySet] {
        self.more.as_ref().map_or(&[], |more| &more.outside)
    }

    /// Tests whether nothing is known: every value of the sort is possible.
    pub fn is_all(&self) -> bool {
        self.lo.is_none() && self.hi.is_none() && self.more.is_none()
    }

    /// Tests whether a domain has bounds at most: no excluded or explicit values and no sets.
    pub fn is_interval(&self) -> bool {
        self.more.is_none()
    }

    pub(crate) fn only(&self) -> Option<&ValueSet> {
        self.more.as_ref().and_then(|more| more.only.as_ref())
    }

    /// Tests whether `scalar` (of the right sort) is a possible value.
    pub fn admits(&self, scalar: &Scalar) -> bool {
        if let Scalar::Int(value) = scalar
            && (self.lo.as_ref().is_some_and(|lo| value < lo) || self.hi.as_ref().is_some_and(|hi| value > hi))
        {
            return false;
        }
        self.more.as_ref().is_none_or(|more| more.admits(scalar))
    }

    /// The only value of the domain, if it has just one.
    pub fn single(&self) -> Option<Scalar> {
        match (&self.lo, &self.hi) {
            (Some(lo), Some(hi)) => return (lo == hi).then(|| Scalar::Int(lo.clone())),
            (Some(_), None) | (None, Some(_)) => return None,
            (None, None) => {}
        }
        self.only().filter(|only| only.len() == 1).and_then(ValueSet::least)
    }

    /// Tests whether a domain (of a sort other than `bool`) has more than `n` values for certain: each value of a set that it is
    /// outside of counts as lost.
    pub fn has_more_than(&self, n: usize) -> bool {
        if let Some(mut elements) = self.elements() {
            return elements.nth(n).is_some();
        }
        let lost = || self.excluded().count() + self.outside().iter().map(KeySet::len).sum::<usize>();
        match (&self.lo, &self.hi) {
            (Some(lo), Some(hi)) => hi.sub(lo).sub(&Int::from(lost())) >= Int::from(n),
            _ => true,
        }
    }

    /// The values in order, if they are explicit, or elements of a set.
    fn elements(&self) -> Option<Box<dyn Iterator<Item = Scalar> + '_>> {
        if let Some(only) = self.only() {
            return Some(only.iter());
        }
        let set = self.inside().iter().min_by_key(|set| set.len())?;
        Some(Box::new(set.sorted().into_iter().filter(|scalar| self.admits(scalar))))
    }

    /// Tests whether a domain is finite: it has two bounds, explicit values, or is inside a set.
    pub fn is_finite(&self) -> bool {
        (self.lo.is_some() && self.hi.is_some()) || self.only().is_some() || !self.inside().is_empty()
    }

    /// All values, sorted, if they are at most `limit`. An interval wider than `limit` is not listed, whatever it excludes.
    pub fn values(&self, limit: usize) -> Option<Vec<Scalar>> {
        if let Some(elements) = self.elements() {
            let list: Vec<Scalar> = elements.take(limit.saturating_add(1)).collect();
            return (list.len() <= limit).then_some(list);
        }
        let (lo, hi) = (self.lo.as_ref()?, self.hi.as_ref()?);
        let width = hi.sub(lo).to_usize().filter(|width| *width < limit)?;
        let range = (0..=width).map(|i| Scalar::Int(lo.add(&Int::from(i))));
        Some(range.filter(|scalar| self.admits(scalar)).collect())
    }

    /// Narrows to `value >= bound`.
    pub(crate) fn at_least(&mut self, bound: &Int) -> Narrowing {
        if self.lo.as_ref().is_some_and(|lo| lo >= bound) {
            return Same;
        }
        self.lo = Some(bound.clone());
        self.normalize()
    }

    /// Narrows to `value <= bound`.
    pub(crate) fn at_most(&mut self, bound: &Int) -> Narrowing {
        if self.hi.as_ref().is_some_and(|hi| hi <= bound) {
            return Same;
        }
        self.hi = Some(bound.clone());
        self.normalize()
    }

    /// Narrows to `value != scalar`.
    pub(crate) fn exclude(&mut self, scalar: &Scalar) -> Narrowing {
        if !self.admits(scalar) {
            return Same;
        }
        let more = Arc::make_mut(self.more.get_or_insert_default());
        match &mut more.only {
            Some(only) => *only = only.without(scalar),
            None => drop(more.excluded.insert(scalar.clone())),
        }
        self.normalize()
    }

    /// Narrows to `value in set`.
    pub(crate) fn restrict(&mut self, set: &KeySet) -> Narrowing {
        if self.inside().contains(set) {
            return Same;
        }
        if let Some((all, inside)) = self.sifted(set) {
            return if inside.len() == all.len() { Same } else { self.allow(inside) };
        }
        if set.len() <= MEMBERS {
            let left = ValueSet::of(set.sorted().into_iter().filter(|scalar| self.admits(scalar)));
            return self.allow(left);
        }
        Arc::make_mut(self.more.get_or_insert_default()).inside.push(set.clone());
        self.normalize_within()
    }

    /// Narrows to `value not in set`.
    pub(crate) fn avoid(&mut self, set: &KeySet) -> Narrowing {
        if self.outside().contains(set) {
            return Same;
        }
        if let Some((all, inside)) = self.sifted(set) {
            return if inside.len() == 0 { Same } else { self.allow(all.minus(&inside)) };
        }
        Arc::make_mut(self.more.get_or_insert_default()).outside.push(set.clone());
        self.normalize()
    }

    /// All values of the domain, and those of them in a set, if listing them is cheap: they are explicit, or an interval of no more
    /// values than the set may have.
    fn sifted(&self, set: &KeySet) -> Option<(ValueSet, ValueSet)> {
        match (self.only(), &self.lo, &self.hi) {
            (Some(only), ..) => Some((only.clone(), only.filter(|scalar| set.contains(scalar)))),
            (None, Some(lo), Some(hi)) if self.is_interval() => {
                let all = ValueSet::neighbours(lo, hi).filter(|all| all.len() <= set.at_most())?;
                let listed = ValueSet::found(set, lo, hi);
                let inside = listed.unwrap_or_else(|| all.filter(|scalar| set.contains(scalar)));
                Some((all, inside))
            }
            _ => None,
        }
    }

    /// Narrows to these values, all of which were in the domain.
    fn allow(&mut self, left: ValueSet) -> Narrowing {
        if self.only().is_some_and(|only| only.len() == left.len()) {
            return Same;
        }
        self.more = Some(Arc::new(More { only: Some(left), ..More::default() }));
        self.normalize()
    }

    /// Restores the invariants after values were taken away.
    fn normalize(&mut self) -> Narrowing {
        if self.only().is_some() {
            return self.normalize_only();
        }
        if let (Some(lo), Some(hi)) = (&self.lo, &self.hi)
            && lo > hi
        {
            return Empty;
        }
        let Some(more) = &self.more else { return Narrowed };
        if !more.inside.is_empty() {
            return self.normalize_within();
        }
        self.normalize_ends()
    }

    /// Moves ends inwards that are excluded.
    fn normalize_ends(&mut self) -> Narrowing {
        let Some(more) = &self.more else { return Narrowed };
        let admitted = |end: &Int| more.admits(&Scalar::Int(end.clone()));
        let (mut lo, mut hi) = (self.lo.clone(), self.hi.clone());
        while let Some(end) = lo.as_ref().filter(|end| !admitted(end)) {
            if hi.as_ref() == Some(end) {
                return Empty;
            }
            lo = Some(end.add(&Int::ONE));
        }
        while let Some(end) = hi.as_ref().filter(|end| !admitted(end)) {
            hi = Some(end.sub(&Int::ONE));
        }
        (self.lo, self.hi) = (lo, hi);
        self.prune();
        Narrowed
    }

    /// Drops excluded values beyond the bounds, which say nothing.
    fn prune(&mut self) {
        let beyond = |scalar: &Scalar| {
            scalar
                .as_int()
                .is_some_and(|n| self.lo.as_ref().is_some_and(|lo| n < lo) || self.hi.as_ref().is_some_and(|hi| n > hi))
        };
        let mut lost: Vec<Scalar> = self.excluded().take_while(|scalar| beyond(scalar)).cloned().collect();
        if let Some(more) = &self.more {
            lost.extend(more.excluded.iter().rev().take_while(|scalar| beyond(scalar)).cloned());
        }
        if lost.is_empty() {
            return;
        }
        let Some(more) = &mut self.more else { return };
        let more = Arc::make_mut(more);
        for scalar in lost {
            more.excluded.remove(&scalar);
        }
        if *more == More::default() {
            self.more = None;
        }
    }

    fn normalize_only(&mut self) -> Narrowing {
        let left = self.only().map(|only| only.between(self.lo.as_ref(), self.hi.as_ref()));
        let Some(normalized) = left.and_then(Domain::listed) else { return Empty };
        *self = normalized;
        Narrowed
    }

    /// Restores the invariants of a domain inside a large set: it is empty if no element is left, and few elements become explicit.
    fn normalize_within(&mut self) -> Narrowing {
        let Some(set) = self.inside().iter().min_by_key(|set| set.len()).cloned() else { return Narrowed };
        let mut left = BTreeSet::new();
        let beyond = set.find(|scalar| {
            if self.admits(scalar) {
                left.insert(scalar.clone());
            }
            left.len() > MEMBERS
        });
        match beyond {
            Some(_) => Narrowed,
            None if left.is_empty() => Empty,
            None => self.allow(ValueSet::of(left)),
        }
    }

    /// The union of two domains, if it is a domain: intervals that touch or overlap, or values that can be listed on both sides
    /// ([`Domain::listing`]).
    pub fn union(&self, other: &Domain) -> Option<Domain> {
        if self == other {
            return Some(self.clone());
        }
        if self.is_interval() && other.is_interval() && self.touches(other) && other.touches(self) {
            let end = |a: &Option<Int>, b: &Option<Int>, pick: fn(Int, Int) -> Int| Some(pick(a.clone()?, b.clone()?));
            return Some(Domain {
                lo: end(&self.lo, &other.lo, Int::min),
                hi: end(&self.hi, &other.hi, Int::max),
                more: None,
            });
        }
        Domain::listed(self.listing()?.union(&other.listing()?))
    }

    /// All values of the domain, if they are not too many.
    pub(crate) fn listing(&self) -> Option<ValueSet> {
        match self.only() {
            Some(only) => (only.len() <= VALUES).then(|| only.clone()),
            None if self.is_interval() => ValueSet::neighbours(self.lo.as_ref()?, self.hi.as_ref()?),
            None => self.values(VALUES).map(ValueSet::of),
        }
    }

    /// The values of `x + by`, for the integers x in this domain; `None` if they cannot be listed.
    pub fn moved(&self, by: &Int) -> Option<Domain> {
        if self.is_interval() {
            let [lo, hi] = [&self.lo, &self.hi].map(|end| end.as_ref().map(|end| end.add(by)));
            return Some(Domain::interval(lo, hi));
        }
        let moved = |value: Scalar| value.as_int().map(|value| Scalar::Int(value.add(by)));
        Domain::of(self.values(VALUES)?.into_iter().map(moved).collect::<Option<Vec<Scalar>>>()?)
    }

    /// The domain of these values; `None` for no value.
    pub fn of(values: impl IntoIterator<Item = Scalar>) -> Option<Domain> {
        Domain::listed(ValueSet::of(values))
    }

    /// The domain of all integers between two ends, the first not above the second; a side without an end is unbounded.
    pub(crate) fn interval(lo: Option<Int>, hi: Option<Int>) -> Domain {
        Domain { lo, hi, more: None }
    }

    /// The domain of these values; `None` for no value. Integers without holes become an interval, both booleans become
    /// [`Domain::ALL`].
    pub(crate) fn listed(only: ValueSet) -> Option<Domain> {
        let [lo, hi] = [only.least()?, only.greatest()?].map(|end| end.as_int().cloned());
        let whole = match (&lo, &hi) {
            (Some(lo), Some(hi)) => hi.sub(lo).add(&Int::ONE) == Int::from(only.len()),
            _ => only.len() == 2 && only.contains(&Scalar::Bool(true)),
        };
        let more = (!whole).then(|| Arc::new(More { only: Some(only), ..More::default() }));
        Some(Domain { lo, hi, more })
    }

    /// The domain of a single value.
    pub fn single_value(value: &Scalar) -> Domain {
        match value {
            Scalar::Int(n) => Domain::interval(Some(n.clone()), Some(n.clone())),
            other => {
                let only = Some(ValueSet::of([other.clone()]));
                Domain { lo: None, hi: None, more: Some(Arc::new(More { only, ..More::default() })) }
            }
        }
    }

    /// Tests whether this interval starts before the other one ends, or right after it.
    fn touches(&self, other: &Domain) -> bool {
        match (&self.lo, &other.hi) {
            (Some(lo), Some(hi)) => *lo <= hi.add(&Int::ONE),
            _ => true,
        }
    }

    /// The conditions on `subject` that say that it is in the domain.
    pub(crate) fn conditions(&self, subject: &Term) -> Vec<Term> {
        if let Some(only) = self.only() {
            return vec![Term::member(subject, &KeySet::of(only.iter()))];
        }
        let mut list = Vec::new();
        list.extend(self.lo.iter().map(|lo| Term::le(&Term::int(lo.clone()), subject)));
        list.extend(self.hi.iter().map(|hi| Term::le(subject, &Term::int(hi.clone()))));
        list.extend(self.excluded().map(|scalar| Term::ne(subject, &Term::constant(scalar.clone()))));
        list.extend(self.inside().iter().map(|set| Term::member(subject, set)));
        list.extend(self.outside().iter().map(|set| Term::member(subject, set).not()));
        list
    }

    /// Values of the domain to try, simple ones first: the explicit ones, else integers from the lower end up or from the upper end
    /// down, else texts that name the variable. They end after a large number of tries.
    pub(crate) fn candidates(&self, var: Var) -> Box<dyn Iterator<Item = Scalar> + '_> {
        let tried = move || (0..self.picks(var.sort)).map(move |n| self.candidate(var, n));
        self.elements().unwrap_or_else(|| Box::new(tried().filter(|scalar| self.admits(scalar))))
    }

    /// The number of values to try in a domain without explicit values: all of them, if they are not very many.
    fn picks(&self, sort: Sort) -> u64 {
        match (sort, &self.lo, &self.hi) {
            (Sort::Bool, ..) => 2,
            (Sort::Int, Some(lo), Some(hi)) => {
                let width = hi.sub(lo).to_i64().and_then(|width| u64::try_from(width).ok());
                width.map_or(limits::PICKS, |width| limits::PICKS.min(width.saturating_add(1)))
            }
            _ => limits::PICKS,
        }
    }

    /// The first value to try.
    pub(crate) fn first(&self, var: Var) -> Scalar {
        let first = self.candidate(var, 0);
        if self.admits(&first) { first } else { self.candidates(var).next().unwrap_or_else(|| var.sort.simplest()) }
    }

    /// The n-th value to try in a domain without explicit values; it may be excluded.
    fn candidate(&self, var: Var, n: u64) -> Scalar {
        let step = Int::from(n);
        let numbered =
            |prefix: &str| if n == 0 { format!("{prefix}{}", var.id) } else { format!("{prefix}{}_{n}", var.id) };
        match (var.sort, &self.lo, &self.hi) {
            (Sort::Int, Some(lo), _) => Scalar::Int(lo.add(&step)),
            (Sort::Int, None, Some(hi)) => Scalar::Int(hi.sub(&step)),
            (Sort::Int, None, None) if n.is_multiple_of(2) => Scalar::Int(Int::from(n / 2)),
            (Sort::Int, None, None) => Scalar::Int(Int::from(n / 2 + 1).neg()),
            (Sort::Bool, ..) => Scalar::Bool(n % 2 == 1),
            (Sort::Str, ..) => Scalar::str(&numbered("s")),
            (Sort::Bytes, ..) => Scalar::bytes(numbered("b").as_bytes()),
            (Sort::Token(_), ..) => Scalar::token(&numbered("t")),
            (Sort::Client, ..) => Scalar::Client(n + 1),
            (Sort::Json, ..) => Scalar::Json(Json::word(&numbered("j"))),
        }
    }
}

impl More {
    fn admits(&self, scalar: &Scalar) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(scalar))
            && !self.excluded.contains(scalar)
            && self.inside.iter().all(|set| set.contains(scalar))
            && !self.outside.iter().any(|set| set.contains(scalar))
    }
}

/// A value of the domain, drawn with `pick`; `None` if the value that was drawn is excluded.
pub(crate) fn draw(domain: &Domain, var: Var, pick: &mut dyn FnMut(usize) -> usize) -> Option<Scalar> {
    if let Some(values) = domain.values(VALUES) {
        return values.get(pick(values.len().max(1))).cloned();
    }
    let value = match (var.sort, domain.lo(), domain.hi()) {
        (Sort::Int, Some(lo), Some(hi)) => {
            let width = hi.sub(lo).to_usize().unwrap_or(usize::MAX - 1) + 1;
            Scalar::Int(lo.add(&Int::from(pick(width))))
        }
        (Sort::Int, Some(lo), None) => Scalar::Int(lo.add(&Int::from(pick(limits::DRAWN)))),
        (Sort::Int, None, Some(hi)) => Scalar::Int(hi.sub(&Int::from(pick(limits::DRAWN)))),
        (Sort::Int, None, None) => Scalar::Int(Int::from(pick(limits::DRAWN)).sub(&Int::from(limits::DRAWN / 2))),
        (Sort::Bool, ..) => Scalar::Bool(pick(2) == 1),
        (Sort::Str | Sort::Bytes | Sort::Token(_) | Sort::Client | Sort::Json, ..) => domain.candidate(var, 0),
    };
    domain.admits(&value).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_domain_has_the_moved_values() {
        let ints = |values: &[i64]| Domain::of(values.iter().copied().map(Scalar::int)).expect("values");
        let [lo, hi] = [-2, 3].map(|end| Some(Int::small(end)));
        let ends = [
            Domain::ALL,
            Domain::interval(lo.clone(), hi.clone()),
            Domain::interval(None, hi),
            Domain::interval(lo, None),
        ];
        let all = ends.into_iter().chain([ints(&[-1, 2, 5]), ints(&[0, i64::MAX]), ints(&[7])]);
        for (domain, by) in all.flat_map(|domain| [-3, 0, 1, 4].map(|by| (domain.clone(), by))) {
            let moved = domain.moved(&Int::small(by)).expect("it can be listed");
            for value in (-12..12).chain([i64::MAX - 1, i64::MAX]) {
                let from = Scalar::Int(Int::small(value).add(&Int::small(-by)));
                assert_eq!(
                    moved.admits(&Scalar::int(value)),
                    domain.admits(&from),
                    "{value} in {domain:?} moved by {by}"
                );
            }
        }
    }
}
