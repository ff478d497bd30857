//! Tables: terms that are one of several known scalars, selected by an integer term.
//!
//! For example `[0, 5, 3, 5][i]` is 5 if i is 1 or 3: only the index is unknown, so a condition on the table is one on the index.
//! Beyond both ends a table has its last scalar, so it has a value like any other term; an operation that reads a list checks first
//! that the position is inside. `proofs-notes/tables.md` says why each law holds.

pub(crate) mod column;

use super::{Column, KeySet, Kind, Linear, Term};
use crate::scalar::{Int, Scalar};
use column::{Test, positions};

/// The term without tables: each becomes nested conditionals, a binary search for the position.
pub fn without_tables(term: &Term) -> Term {
    let mut any = false;
    term.visit(&mut |node| any |= node.as_table().is_some());
    let written_out = |node: &Term| node.as_table().map(|(index, column)| conditional(index, column));
    if any { term.replace(&written_out) } else { term.clone() }
}

/// Tests whether a term is a known scalar or a table.
pub(super) fn is_tabular(term: &Term) -> bool {
    matches!(term.kind(), Kind::Const(_) | Kind::Table(..))
}

fn conditional(index: &Term, column: &Column) -> Term {
    let last = Term::constant(column.last().clone());
    Term::ite(&Term::at_least(index, &Int::ZERO), &halved(index, column, 0, column.len() - 1), &last)
}

/// The scalar of a column at an index, as a binary search from one position to another. The index is in this range, or beyond the
/// end of the column, which leads to the last scalar.
fn halved(index: &Term, column: &Column, from: usize, to: usize) -> Term {
    if from == to {
        return column.at(from).map_or_else(Term::falsity, |scalar| Term::constant(scalar.clone()));
    }
    let middle = from.midpoint(to);
    let low = Term::at_most(index, &Int::from(middle));
    Term::ite(&low, &halved(index, column, from, middle), &halved(index, column, middle + 1, to))
}

/// The condition on the index of a table that its scalar passes a test. A column goes on with its last scalar beyond its ends: if
/// that one passes, the condition excludes the positions whose scalars fail.
pub(super) fn where_passes(index: &Term, column: &Column, test: Test) -> Term {
    let beyond = test.passes(column.last());
    let mut differs = |scalar: &Scalar| test.passes(scalar) != beyond;
    let Some(high) = column.last_where(column.len(), &mut differs) else { return Term::from(beyond) };
    let below = column.last_where(high, &mut |scalar| !differs(scalar));
    let low = below.map_or(0, |below| below + 1);
    let is_run = below.is_none_or(|below| column.last_where(below, &mut differs).is_none());
    let [first, last] = [low, high].map(|position| Term::int(Int::from(position)));
    let differing = match is_run {
        true if low == high => Term::eq(index, &first),
        true if !beyond => Term::and(&Term::le(&first, index), &Term::le(index, &last)),
        _ => Term::member(index, &positions(column, test, !beyond)),
    };
    if beyond { differing.not() } else { differing }
}

/// The condition `term in set`, if the term is a table.
pub(super) fn member(term: &Term, set: &KeySet) -> Option<Term> {
    let (index, column) = term.as_table()?;
    Some(where_passes(index, column, Test::In(set.clone())))
}

/// The equality of two terms without arithmetic, if it depends on one index only.
pub(super) fn equal(a: &Term, b: &Term) -> Option<Term> {
    match (a.as_table(), b.as_const()) {
        (Some((index, column)), Some(known)) => Some(where_passes(index, column, Test::Is(known.clone()))),
        _ => pointwise(&[a, b], &|values| Some(Scalar::Bool(values[0] == values[1]))),
    }
}

/// The condition `a < b` on two texts, if it depends on one index only.
pub(super) fn less(a: &Term, b: &Term) -> Option<Term> {
    match (a.as_table(), b.as_table()) {
        (Some((index, column)), None) => Some(where_passes(index, column, Test::Before(b.as_const()?.clone()))),
        (None, Some((index, column))) => Some(where_passes(index, column, Test::UpTo(a.as_const()?.clone())).not()),
        (Some(_), Some(_)) => pointwise(&[a, b], &|values| Some(Scalar::Bool(values[0] < values[1]))),
        (None, None) => None,
    }
}

/// The condition `linear <= 0`, if it depends on one index only; the coefficients have no common divisor.
pub(super) fn at_most_zero(linear: &Linear) -> Option<Term> {
    if let [(atom, coefficient)] = linear.terms() {
        let (index, column) = atom.as_table()?;
        let up_to = |end: Int| where_passes(index, column, Test::UpTo(Scalar::Int(end)));
        return Some(match coefficient.signum() > 0 {
            true => up_to(linear.constant().neg()),
            false => up_to(linear.constant().sub(&Int::ONE)).not(),
        });
    }
    sum_passes(linear, &|sum| sum.signum() <= 0)
}

/// The condition `linear = 0`, if it depends on one index only; the coefficients have no common divisor.
pub(super) fn zero(linear: &Linear) -> Option<Term> {
    if let [(atom, _)] = linear.terms() {
        let (index, column) = atom.as_table()?;
        return Some(where_passes(index, column, Test::Is(Scalar::Int(linear.constant().neg()))));
    }
    sum_passes(linear, &Int::is_zero)
}

fn sum_passes(linear: &Linear, test: &dyn Fn(&Int) -> bool) -> Option<Term> {
    let sum = || linear.clone().into_term();
    linear
        .terms()
        .iter()
        .all(|(atom, _)| is_tabular(atom))
        .then(sum)
        .and_then(|sum| pointwise(&[&sum], &|values| Some(Scalar::Bool(test(values[0].as_int()?)))))
}

/// The result of an operation, done at each position, if its arguments are known scalars, tables by one index, or sums of these.
pub(super) fn pointwise(args: &[&Term], apply: &dyn Fn(&[Scalar]) -> Option<Scalar>) -> Option<Term> {
    let (mut index, mut len) = (None, 0);
    for arg in args {
        if !is_of_one_index(arg, &mut index, &mut len) {
            return None;
        }
    }
    let values = |position: usize| args.iter().map(|arg| value_at(arg, position)).collect::<Option<Vec<Scalar>>>();
    let results: Option<Vec<Scalar>> = (0..len).map(|position| apply(&values(position)?)).collect();
    Some(Term::table(index?, &Column::new(results?)?))
}

fn is_of_one_index<'t>(arg: &'t Term, index: &mut Option<&'t Term>, len: &mut usize) -> bool {
    match arg.kind() {
        Kind::Const(_) => true,
        Kind::Table(own, column) => {
            *len = column.len().max(*len);
            *index.get_or_insert(own) == own
        }
        Kind::Linear(sum) => sum.terms().iter().all(|(atom, _)| is_tabular(atom) && is_of_one_index(atom, index, len)),
        _ => false,
    }
}

fn value_at(arg: &Term, position: usize) -> Option<Scalar> {
    match arg.kind() {
        Kind::Const(scalar) => Some(scalar.clone()),
        Kind::Table(_, column) => Some(column.at(position).unwrap_or(column.last()).clone()),
        Kind::Linear(sum) => {
            let mut total = sum.constant().clone();
            for (atom, coefficient) in sum.terms() {
                total = total.add(&value_at(atom, position)?.as_int()?.mul(coefficient));
            }
            Some(Scalar::Int(total))
        }
        _ => None,
    }
}
