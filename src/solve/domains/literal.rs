//! Literals: conditions on one variable that its domain can hold.
//!
//! For example `#1 >= 5` says *at least 5* of `#1`, and `not (#1 = "a")` says *not "a"*.

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

    /// The statement that a variable is at least, or at most, `end`.
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

/// The variable of a literal and the statement about it: a bound, a disequality with a constant, membership of a known set or the
/// negation of that.
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

/// The values that a disjunction leaves a variable, in order, if each of its parts gives one: 1 and 2 for
/// `x = 1 or (x = 2 and p)`. `None` if they are more than `most`.
#[must_use]
pub fn listed(condition: &Term, var: Var, most: usize) -> Option<Vec<Scalar>> {
    let Kind::Or(parts) = condition.kind() else { return None };
    let mut values: Vec<Scalar> = parts.iter().map(|part| equated(part, var)).collect::<Option<_>>()?;
    values.sort_unstable();
    values.dedup();
    (values.len() <= most).then_some(values)
}

/// The value that a condition gives a variable, if it is an equation or a conjunction with one.
fn equated(condition: &Term, var: Var) -> Option<Scalar> {
    match condition.kind() {
        Kind::And(parts) => parts.iter().find_map(|part| equated(part, var)),
        _ => condition.as_equation().filter(|(of, _)| *of == var).map(|(_, value)| value),
    }
}
