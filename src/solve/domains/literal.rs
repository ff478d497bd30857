//! Literals: what a condition says of one variable alone, which its domain can hold.
//!
//! `#1 >= 5` is *at least 5*, `not (#1 = "a")` is *not "a"*.

use super::domain::{Domain, Narrowing};
use crate::scalar::{Int, Scalar};
use crate::term::{Bound, KeySet, Kind, Side, Term, Var};

/// The statement of a literal about its only variable.
pub(crate) enum About<'a> {
    AtLeast(Int),
    AtMost(Int),
    IsNot(Scalar),
    In(&'a KeySet),
    NotIn(&'a KeySet),
}

impl About<'_> {
    /// The statement of a bound about its variable.
    pub(crate) fn bound(bound: &Bound) -> About<'static> {
        let (side, end) = bound.end();
        About::end(side, end)
    }

    /// The statement that a variable is at least, or at most, this.
    pub(crate) fn end(side: Side, end: &Int) -> About<'static> {
        match side {
            Side::Least => About::AtLeast(end.clone()),
            Side::Most => About::AtMost(end.clone()),
        }
    }

    pub(crate) fn apply(&self, domain: &mut Domain) -> Narrowing {
        match self {
            About::AtLeast(bound) => domain.at_least(bound),
            About::AtMost(bound) => domain.at_most(bound),
            About::IsNot(scalar) => domain.exclude(scalar),
            About::In(set) => domain.restrict(set),
            About::NotIn(set) => domain.avoid(set),
        }
    }
}

/// A literal that a domain can hold: bounds, disequalities with constants, membership of known sets.
pub(crate) fn literal(term: &Term) -> Option<(Var, About<'_>)> {
    match term.kind() {
        Kind::Le0(linear) => {
            let [(atom, coefficient)] = linear.terms() else { return None };
            let var = atom.as_var()?;
            let above = coefficient.signum() > 0;
            Some((
                var,
                if above { About::AtMost(linear.constant().neg()) } else { About::AtLeast(linear.constant().clone()) },
            ))
        }
        Kind::Member(subject, set) => Some((subject.as_var()?, About::In(set))),
        Kind::Not(inner) => match inner.kind() {
            Kind::Eq(subject, value) => Some((subject.as_var()?, About::IsNot(value.as_const()?.clone()))),
            Kind::Member(subject, set) => Some((subject.as_var()?, About::NotIn(set))),
            Kind::Eq0(linear) => match linear.terms() {
                [(atom, _)] => Some((atom.as_var()?, About::IsNot(Scalar::Int(linear.constant().neg())))),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// The values that a disjunction leaves a variable, in order, if each of its parts says which: `x = 1 or (x = 2 and p)`.
#[must_use]
pub fn listed(condition: &Term, var: Var, most: usize) -> Option<Vec<Scalar>> {
    let Kind::Or(parts) = condition.kind() else { return None };
    let mut values: Vec<Scalar> = parts.iter().map(|part| equated(part, var)).collect::<Option<_>>()?;
    values.sort_unstable();
    values.dedup();
    (values.len() <= most).then_some(values)
}

/// The value that a condition says a variable has.
fn equated(condition: &Term, var: Var) -> Option<Scalar> {
    match condition.kind() {
        Kind::And(parts) => parts.iter().find_map(|part| equated(part, var)),
        _ => condition.as_equation().filter(|(of, _)| *of == var).map(|(_, value)| value),
    }
}
