//! Domains, all that is known of one variable alone: bounds, values it does not have, sets it is in or outside of.
//!
//! The tier that answers most questions: `q <= #n` for a known q is one bound. A domain is never empty, and that is seen
//! without search: finite ends are admitted themselves. For example `3..` without 3 and 4 is kept as `5..`.

use super::values::ValueSet;
use crate::scalar::{Int, Json, Scalar, Sort};
use crate::term::{KeySet, Term, Var};
use im::OrdSet;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Known sets up to this size are kept as explicit values.
const EXPLICIT: usize = 64;

/// The values that a variable can still have, as far as this is known of it alone.
///
/// 1. It is never empty, and ends of integers that there are are values of it.
/// 2. If `more` has explicit values, the ends are the least and the greatest of these, and nothing else is stored; integers
///    without holes have no explicit values, and neither have both booleans.
/// 3. If `more` has excluded values, they lie within the ends. `more` is not empty.
/// 4. A large set that it is in has more than 64 of its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain {
    lo: Option<Int>,
    hi: Option<Int>,
    more: Option<Arc<More>>,
}

/// Of the bounds, and of how many values are listed.
impl Hash for Domain {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.lo, &self.hi, self.only().map(ValueSet::len)).hash(state);
    }
}

/// The parts of a domain that few variables need: explicit values, excluded ones, and sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct More {
    /// The only values.
    only: Option<ValueSet>,
    /// Values it does not have.
    excluded: OrdSet<Scalar>,
    /// Large sets that it is in.
    inside: Vec<KeySet>,
    /// Sets that it is not in.
    outside: Vec<KeySet>,
}

/// The effect that an addition had on a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Narrowing {
    Same,
    Narrowed,
    Empty,
}

use Narrowing::{Empty, Narrowed, Same};

impl Domain {
    /// Every value of the sort.
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

    /// Values it is known not to have one by one (beside bounds and sets), sorted.
    pub fn excluded(&self) -> impl Iterator<Item = &Scalar> {
        self.more.iter().flat_map(|more| more.excluded.iter())
    }

    /// Large known sets that it is in.
    pub fn inside(&self) -> &[KeySet] {
        self.more.as_ref().map_or(&[], |more| &more.inside)
    }

    /// Known sets that it is not in.
    pub fn outside(&self) -> &[KeySet] {
        self.more.as_ref().map_or(&[], |more| &more.outside)
    }

    /// Tests whether nothing is known: every value of the sort is possible.
    pub fn is_all(&self) -> bool {
        self.lo.is_none() && self.hi.is_none() && self.more.is_none()
    }

    /// Tests whether nothing but bounds is known, if anything is.
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

    /// The one value that is left, if it is one.
    pub fn single(&self) -> Option<Scalar> {
        match (&self.lo, &self.hi) {
            (Some(lo), Some(hi)) => return (lo == hi).then(|| Scalar::Int(lo.clone())),
            (Some(_), None) | (None, Some(_)) => return None,
            (None, None) => {}
        }
        self.only().filter(|only| only.len() == 1).and_then(ValueSet::least)
    }

    /// Tests whether a domain (of a sort other than `bool`) is sure to have more than `n` values: between two bounds, each value
    /// of a set that it is outside of counts as lost.
    pub fn has_more_than(&self, n: usize) -> bool {
        if let Some(mut elements) = self.elements() {
            return elements.nth(n).is_some();
        }
        let lost = self.excluded().count() + self.outside().iter().map(KeySet::len).sum::<usize>();
        match (&self.lo, &self.hi) {
            (Some(lo), Some(hi)) => hi.sub(lo).sub(&Int::from(lost)) >= Int::from(n),
            _ => true,
        }
    }

    /// Its values in order, if they are explicit or in a set that it is in.
    fn elements(&self) -> Option<Box<dyn Iterator<Item = Scalar> + '_>> {
        if let Some(only) = self.only() {
            return Some(only.iter());
        }
        let set = self.inside().iter().min_by_key(|set| set.len())?;
        Some(Box::new(set.sorted().into_iter().filter(|scalar| self.admits(scalar))))
    }

    /// Tests whether a domain is finite by its bounds, its explicit values or a set that it is in.
    pub fn is_finite(&self) -> bool {
        (self.lo.is_some() && self.hi.is_some()) || self.only().is_some() || !self.inside().is_empty()
    }

    /// All its values, if they are at most `limit`, sorted.
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

    /// `value >= bound`.
    pub(crate) fn at_least(&mut self, bound: &Int) -> Narrowing {
        if self.lo.as_ref().is_some_and(|lo| lo >= bound) {
            return Same;
        }
        self.lo = Some(bound.clone());
        self.normalize()
    }

    /// `value <= bound`.
    pub(crate) fn at_most(&mut self, bound: &Int) -> Narrowing {
        if self.hi.as_ref().is_some_and(|hi| hi <= bound) {
            return Same;
        }
        self.hi = Some(bound.clone());
        self.normalize()
    }

    /// `value != scalar`.
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

    /// `value in set`.
    pub(crate) fn restrict(&mut self, set: &KeySet) -> Narrowing {
        if self.inside().contains(set) {
            return Same;
        }
        if let Some((all, inside)) = self.sifted(set) {
            return if inside.len() == all.len() { Same } else { self.allow(inside) };
        }
        if set.len() <= EXPLICIT {
            let left = ValueSet::of(set.sorted().into_iter().filter(|scalar| self.admits(scalar)));
            return self.allow(left);
        }
        Arc::make_mut(self.more.get_or_insert_default()).inside.push(set.clone());
        self.normalize_within()
    }

    /// `value not in set`.
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

    /// Its values, and those in a set, if they are explicit, or neighbours and no more than the set may have.
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

    /// Only these values, all admitted before.
    fn allow(&mut self, left: ValueSet) -> Narrowing {
        if self.only().is_some_and(|only| only.len() == left.len()) {
            return Same;
        }
        self.more = Some(Arc::new(More { only: Some(left), ..More::default() }));
        self.normalize()
    }

    /// Restores the invariants after something was taken away.
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

    /// Ends that are not admitted move inwards.
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

    /// Excluded values beyond the bounds say nothing.
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

    /// Within a large set: some element must be left; few elements are listed.
    fn normalize_within(&mut self) -> Narrowing {
        let Some(set) = self.inside().iter().min_by_key(|set| set.len()).cloned() else { return Narrowed };
        let mut left = BTreeSet::new();
        let beyond = set.find(|scalar| {
            if self.admits(scalar) {
                left.insert(scalar.clone());
            }
            left.len() > EXPLICIT
        });
        match beyond {
            Some(_) => Narrowed,
            None if left.is_empty() => Empty,
            None => self.allow(ValueSet::of(left)),
        }
    }

    /// Either, if that is a domain again: intervals that touch or overlap, explicit sets (an interval of up to 64 values
    /// counts as one, a value too). `None` if the union is not one.
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

    /// All its values, if they are not too many.
    pub(crate) fn listing(&self) -> Option<ValueSet> {
        match self.only() {
            Some(only) => (only.len() <= JOINED).then(|| only.clone()),
            None if self.is_interval() => ValueSet::neighbours(self.lo.as_ref()?, self.hi.as_ref()?),
            None => self.values(JOINED).map(ValueSet::of),
        }
    }

    /// The values of `x + by`, for the integers x in this domain; `None` if they cannot be listed.
    pub fn moved(&self, by: &Int) -> Option<Domain> {
        if self.is_interval() {
            let [lo, hi] = [&self.lo, &self.hi].map(|end| end.as_ref().map(|end| end.add(by)));
            return Some(Domain::interval(lo, hi));
        }
        let moved = |value: Scalar| value.as_int().map(|value| Scalar::Int(value.add(by)));
        Domain::of(self.values(JOINED)?.into_iter().map(moved).collect::<Option<Vec<Scalar>>>()?)
    }

    /// The explicit set of these values; `None` for no value.
    pub fn of(values: impl IntoIterator<Item = Scalar>) -> Option<Domain> {
        Domain::listed(ValueSet::of(values))
    }

    /// The domain of all integers between two ends, the first not above the second; on a side without an end there is no bound.
    pub(crate) fn interval(lo: Option<Int>, hi: Option<Int>) -> Domain {
        Domain { lo, hi, more: None }
    }

    /// These values; `None` for no value. A set of integers without holes is an interval, both booleans are all.
    pub(crate) fn listed(only: ValueSet) -> Option<Domain> {
        let [lo, hi] = [only.least()?, only.greatest()?].map(|end| end.as_int().cloned());
        let whole = match (&lo, &hi) {
            (Some(lo), Some(hi)) => hi.sub(lo).add(&Int::ONE) == Int::from(only.len()),
            _ => only.len() == 2 && only.contains(&Scalar::Bool(true)),
        };
        let more = (!whole).then(|| Arc::new(More { only: Some(only), ..More::default() }));
        Some(Domain { lo, hi, more })
    }

    /// A single value.
    pub fn single_value(value: &Scalar) -> Domain {
        match value {
            Scalar::Int(n) => Domain::interval(Some(n.clone()), Some(n.clone())),
            other => {
                let only = Some(ValueSet::of([other.clone()]));
                Domain { lo: None, hi: None, more: Some(Arc::new(More { only, ..More::default() })) }
            }
        }
    }

    /// Starts before the other one ends, or right after it.
    fn touches(&self, other: &Domain) -> bool {
        match (&self.lo, &other.hi) {
            (Some(lo), Some(hi)) => *lo <= hi.add(&Int::ONE),
            _ => true,
        }
    }

    /// The facts that it stands for, about `subject`.
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

    /// Its values, simple ones first: the explicit ones, else from the smallest up, else from the largest down, else plain
    /// ones that name the variable. Ends after a large number.
    pub(crate) fn candidates(&self, var: Var) -> Box<dyn Iterator<Item = Scalar> + '_> {
        let tried = move || (0..self.picks(var.sort)).map(move |n| self.candidate(var, n));
        self.elements().unwrap_or_else(|| Box::new(tried().filter(|scalar| self.admits(scalar))))
    }

    /// The number of values to try of a domain without explicit values: all of them, if there are not very many.
    fn picks(&self, sort: Sort) -> u64 {
        match (sort, &self.lo, &self.hi) {
            (Sort::Bool, ..) => 2,
            (Sort::Int, Some(lo), Some(hi)) => {
                let width = hi.sub(lo).to_i64().and_then(|width| u64::try_from(width).ok());
                width.map_or(PICKS, |width| PICKS.min(width.saturating_add(1)))
            }
            _ => PICKS,
        }
    }

    /// The first of its values.
    pub(crate) fn first(&self, var: Var) -> Scalar {
        let first = self.candidate(var, 0);
        if self.admits(&first) { first } else { self.candidates(var).next().unwrap_or_else(|| var.sort.simplest()) }
    }

    /// The n-th value to try of a domain without explicit values.
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

/// Values tried before a domain is said to have none that fits.
const PICKS: u64 = 100_000;
/// Explicit sets grow up to this size when candidates are joined.
const JOINED: usize = 4096;

impl More {
    fn admits(&self, scalar: &Scalar) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(scalar))
            && !self.excluded.contains(scalar)
            && self.inside.iter().all(|set| set.contains(scalar))
            && !self.outside.iter().any(|set| set.contains(scalar))
    }
}

/// Integers without bounds are drawn from this many around zero or around their bound.
const DRAWN: usize = 200;

/// A value of the domain, drawn with `pick`; `None` if the one that was drawn is not admitted.
pub(crate) fn draw(domain: &Domain, var: Var, pick: &mut dyn FnMut(usize) -> usize) -> Option<Scalar> {
    if let Some(values) = domain.values(JOINED) {
        return values.get(pick(values.len().max(1))).cloned();
    }
    let value = match (var.sort, domain.lo(), domain.hi()) {
        (Sort::Int, Some(lo), Some(hi)) => {
            let width = hi.sub(lo).to_usize().unwrap_or(usize::MAX - 1) + 1;
            Scalar::Int(lo.add(&Int::from(pick(width))))
        }
        (Sort::Int, Some(lo), None) => Scalar::Int(lo.add(&Int::from(pick(DRAWN)))),
        (Sort::Int, None, Some(hi)) => Scalar::Int(hi.sub(&Int::from(pick(DRAWN)))),
        (Sort::Int, None, None) => Scalar::Int(Int::from(pick(DRAWN)).sub(&Int::from(DRAWN / 2))),
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
