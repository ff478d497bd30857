//! Tables: terms that are one of several known scalars, selected by an integer term.
//!
//! For example `[0, 5, 3, 5][i]` is 5 if i is 1 or 3: only the index is unknown, so a condition on the table is one on the index.
//! Beyond both ends a table has its last scalar, so it has a value like any other term; an operation that reads a list checks first
//! that the position is inside. `proofs-notes/tables.md` says why each law holds.

pub(crate) mod column;

use super::{Column, Kind, Linear, Term, lookup};
use crate::scalar::{Int, Scalar};
use column::{Test, positions};

/// The term without tables, and without lookups among few keys: each becomes nested conditionals, for a table a binary search for the
/// position.
pub fn without_tables(term: &Term) -> Term {
    let mut any = false;
    term.visit(&mut |node| any |= node.is_listed());
    let written_out = |node: &Term| match node.kind() {
        Kind::Table(index, column) => Some(conditional(index, column)),
        Kind::Lookup(key, dictionary) => lookup::conditional(key, dictionary),
        _ => None,
    };
    if any { term.replace(&written_out) } else { term.clone() }
}

/// Tests whether a term is a known scalar or a table.
fn is_tabular(term: &Term) -> bool {
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

/// The condition that the scalar of a table, or of a lookup, passes a test.
pub(super) fn passes(term: &Term, test: Test) -> Option<Term> {
    match term.kind() {
        Kind::Table(index, column) => Some(where_passes(index, column, test)),
        Kind::Lookup(key, dictionary) => Some(lookup::where_passes(key, dictionary, test)),
        _ => None,
    }
}

/// The equality of two terms without arithmetic, if it depends on one index only.
pub(super) fn equal(a: &Term, b: &Term) -> Option<Term> {
    match b.as_const() {
        Some(known) if a.is_listed() => passes(a, Test::Is(known.clone())),
        _ => pointwise(&[a, b], &|values| Some(Scalar::Bool(values[0] == values[1]))),
    }
}

/// The condition `a < b` on two texts, if it depends on one index only.
pub(super) fn less(a: &Term, b: &Term) -> Option<Term> {
    match (a.as_const(), b.as_const()) {
        (None, Some(end)) => passes(a, Test::Before(end.clone())),
        (Some(end), None) => passes(b, Test::UpTo(end.clone())).map(|up_to| up_to.not()),
        _ => pointwise(&[a, b], &|values| Some(Scalar::Bool(values[0] < values[1]))),
    }
}

/// The condition `linear <= 0`, if it depends on one index only; the coefficients have no common divisor.
pub(super) fn at_most_zero(linear: &Linear) -> Option<Term> {
    if let [(atom, coefficient)] = linear.terms() {
        let up_to = |end: Int| passes(atom, Test::UpTo(Scalar::Int(end)));
        return match coefficient.signum() > 0 {
            true => up_to(linear.constant().neg()),
            false => up_to(linear.constant().sub(&Int::ONE)).map(|up_to| up_to.not()),
        };
    }
    sum_passes(linear, &|sum| sum.signum() <= 0)
}

/// The condition `linear = 0`, if it depends on one index only; the coefficients have no common divisor.
pub(super) fn zero(linear: &Linear) -> Option<Term> {
    if let [(atom, _)] = linear.terms() {
        return passes(atom, Test::Is(Scalar::Int(linear.constant().neg())));
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
