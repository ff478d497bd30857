//! The domains of all variables, and interval arithmetic on terms: it decides conditions, and derives bounds from sums.
//!
//! For example with `#1 in 0..=9`, `#1 % 20 + 3` lies in `3..=12`, so `#1 % 20 + 3 <= 15` holds and `#1 % 20 + 3 = 2` does not.
//! The facts imply every answer and every bound; nothing is guessed.

pub(crate) mod domain;
pub(crate) mod literal;
pub(crate) mod values;

use super::persistent::sorted_map::SortedMap;
use crate::limits;
use crate::scalar::{Int, Scalar, Sort};
use crate::term::{Column, Kind, Linear, Side, Term, TextOp, Var};
use domain::{Domain, Narrowing};
use literal::literal;

/// The lower and the upper end of an interval, as far as there are any.
pub(super) type Interval = (Option<Int>, Option<Int>);

/// A product has an end only if the factors have at most this many bits together.
const BITS: u64 = 4096;

/// The domains of variables; one that is not in the map has any value.
pub(super) type Domains = SortedMap<Domain>;

impl Domains {
    pub(super) fn of(&self, var: Var) -> &Domain {
        self.get(var).unwrap_or(&Domain::ALL)
    }

    /// The values in the domain of a variable, if they are at most `most`; both truth values for a boolean.
    pub(super) fn few_values(&self, var: Var, most: usize) -> Option<Vec<Scalar>> {
        if var.sort == Sort::Bool {
            Some(vec![Scalar::Bool(true), Scalar::Bool(false)])
        } else {
            self.of(var).values(most)
        }
    }

    /// Tests whether a resolved condition holds, as far as domains alone say; `None` if they leave it open.
    pub(super) fn decide(&self, term: &Term) -> Option<bool> {
        self.decide_within(term, limits::DEPTH)
    }

    fn decide_within(&self, term: &Term, depth: u32) -> Option<bool> {
        if depth == 0 {
            return None;
        }
        match term.kind() {
            Kind::Const(scalar) => scalar.as_bool(),
            Kind::Not(inner) => self.decide_within(inner, depth - 1).map(|value| !value),
            Kind::And(parts) => decide_all(parts, false, |part| self.decide_within(part, depth - 1)),
            Kind::Or(parts) => decide_all(parts, true, |part| self.decide_within(part, depth - 1)),
            Kind::Le0(linear) => self.decide_le(linear),
            Kind::Eq0(linear) => self.decide_zero(linear),
            Kind::Eq(a, b) => self.decide_eq(a, b),
            Kind::Member(subject, _) if subject.as_var().is_some() => self.decide_member(term),
            _ => None,
        }
    }

    fn decide_le(&self, linear: &Linear) -> Option<bool> {
        if let [(atom, factor)] = linear.terms()
            && let Some(var) = atom.as_var()
            && let Some(sign @ (1 | -1)) = factor.to_i64()
        {
            return self.decide_signed(var, sign, linear.constant());
        }
        let (lo, hi) = self.interval_of(linear, limits::DEPTH);
        if hi.is_some_and(|hi| hi.signum() <= 0) {
            return Some(true);
        }
        lo.is_some_and(|lo| lo.signum() > 0).then_some(false)
    }

    /// Tests whether a bound holds, as far as the variable's own bounds say; `None` if they leave it open.
    pub(super) fn decide_bound(&self, var: Var, side: Side, end: &Int) -> Option<bool> {
        let domain = self.get(var)?;
        match side {
            Side::Least if domain.lo().is_some_and(|lo| lo >= end) => Some(true),
            Side::Least => domain.hi().is_some_and(|hi| hi < end).then_some(false),
            Side::Most if domain.hi().is_some_and(|hi| hi <= end) => Some(true),
            Side::Most => domain.lo().is_some_and(|lo| lo > end).then_some(false),
        }
    }

    /// Tests whether `sign * x + constant <= 0` holds, for the signs 1 and -1, as far as the bounds of `x` say.
    fn decide_signed(&self, var: Var, sign: i64, constant: &Int) -> Option<bool> {
        match sign > 0 {
            true => self.decide_bound(var, Side::Most, &constant.neg()),
            false => self.decide_bound(var, Side::Least, constant),
        }
    }

    fn decide_zero(&self, linear: &Linear) -> Option<bool> {
        if let [(atom, _)] = linear.terms()
            && let Some(var) = atom.as_var()
        {
            return (!self.of(var).admits(&Scalar::Int(linear.constant().neg()))).then_some(false);
        }
        let (lo, hi) = self.interval_of(linear, limits::DEPTH);
        let misses = lo.is_some_and(|lo| lo.signum() > 0) || hi.is_some_and(|hi| hi.signum() < 0);
        misses.then_some(false)
    }

    fn decide_eq(&self, a: &Term, b: &Term) -> Option<bool> {
        let var = a.as_var()?;
        match (b.as_const(), b.as_var()) {
            (Some(scalar), _) => (!self.of(var).admits(scalar)).then_some(false),
            (None, Some(other)) if self.get(var).is_some() && self.get(other).is_some() => {
                let (mine, theirs) = (self.of(var).one_of()?, self.of(other));
                mine.iter().all(|scalar| !theirs.admits(scalar)).then_some(false)
            }
            _ => None,
        }
    }

    fn decide_member(&self, term: &Term) -> Option<bool> {
        let Kind::Member(subject, set) = term.kind() else { return None };
        let domain = self.get(subject.as_var()?)?;
        if domain.inside().contains(set) {
            return Some(true);
        }
        if domain.outside().contains(set) {
            return Some(false);
        }
        let values = domain.values(1024)?;
        let within = values.iter().filter(|scalar| set.contains(scalar)).count();
        if within == values.len() { Some(true) } else { (within == 0).then_some(false) }
    }

    /// The interval of a sum.
    pub(super) fn interval_of(&self, linear: &Linear, depth: u32) -> Interval {
        let constant = linear.constant().clone();
        linear.terms().iter().fold((Some(constant.clone()), Some(constant)), |sum, (atom, c)| {
            if sum.0.is_none() && sum.1.is_none() { sum } else { plus(sum, times(&self.interval(atom, depth), c)) }
        })
    }

    /// The interval of an integer term.
    pub(super) fn interval(&self, term: &Term, depth: u32) -> Interval {
        if depth == 0 {
            return (None, None);
        }
        match term.kind() {
            Kind::Var(var) => {
                let domain = self.of(*var);
                (domain.lo().cloned(), domain.hi().cloned())
            }
            Kind::Const(scalar) => (scalar.as_int().cloned(), scalar.as_int().cloned()),
            Kind::Linear(linear) => self.interval_of(linear, depth - 1),
            Kind::Ite(_, a, b) => hull(self.interval(a, depth - 1), self.interval(b, depth - 1)),
            Kind::Mul(a, b) if a == b => square(self.interval(a, depth - 1)),
            Kind::Mul(a, b) => product(self.interval(a, depth - 1), self.interval(b, depth - 1)),
            Kind::Div(a, b) => b.as_int().map_or((None, None), |by| quotient(self.interval(a, depth - 1), by)),
            Kind::Mod(a, b) => b.as_int().map_or((None, None), |by| remainder(self.interval(a, depth - 1), by)),
            Kind::Table(index, column) => self.interval_of_table(index, column, depth - 1),
            Kind::Text(TextOp::Len, _) => (Some(Int::ZERO), None),
            _ => (None, None),
        }
    }

    /// The interval of a table: the smallest and the largest number at the positions that the index can still have.
    fn interval_of_table(&self, index: &Term, column: &Column, depth: u32) -> Interval {
        let (lo, hi) = self.interval(index, depth);
        let inside = |end: &Int| end.to_usize().filter(|end| *end < column.len());
        // An index that may lie outside may have the last one, too.
        let ends = lo.as_ref().and_then(inside).zip(hi.as_ref().and_then(inside));
        let (from, to) = ends.unwrap_or((0, column.len() - 1));
        let domain = index.as_var().filter(|_| ends.is_some()).map(|var| self.of(var));
        let admitted = |at: &usize| domain.is_none_or(|domain| domain.admits(&Scalar::Int(Int::from(*at))));
        let numbers = (from..=to).filter(admitted).filter_map(|at| column.at(at)?.as_int());
        numbers.fold((None, None), |(lo, hi): Interval, n| {
            (
                Some(lo.map_or_else(|| n.clone(), |lo| lo.min(n.clone()))),
                Some(hi.map_or_else(|| n.clone(), |hi| hi.max(n.clone()))),
            )
        })
    }

    /// The new bounds that `linear <= 0` gives to its variables.
    pub(super) fn bounds_from(&self, linear: &Linear, bounds: &mut Vec<Term>) {
        let lows: Vec<Option<Int>> =
            linear.terms().iter().map(|(atom, c)| times(&self.interval(atom, limits::DEPTH), c).0).collect();
        let unbounded = lows.iter().filter(|low| low.is_none()).count();
        if unbounded > 1 {
            return;
        }
        let finite = lows.iter().flatten().fold(linear.constant().clone(), |sum, low| sum.add(low));
        if unbounded == 0 && finite.signum() > 0 {
            bounds.push(Term::falsity());
            return;
        }
        for ((atom, coefficient), low) in linear.terms().iter().zip(&lows) {
            if atom.as_var().is_none() || (unbounded == 1 && low.is_some()) {
                continue;
            }
            let others = low.as_ref().map_or_else(|| finite.clone(), |low| finite.sub(low));
            let bound = Term::le0(Linear::constant_of(others).plus(coefficient, &Linear::of(atom)));
            if self.is_news(&bound) {
                bounds.push(bound);
            }
        }
    }

    fn is_news(&self, bound: &Term) -> bool {
        match literal(bound) {
            Some((var, about)) => about.apply(&mut self.of(var).clone()) != Narrowing::Same,
            None => bound.as_bool() == Some(false),
        }
    }
}

/// Decides a connective: one part that equals `zero` decides it, else all parts must be decided.
pub(super) fn decide_all(parts: &[Term], zero: bool, decide: impl Fn(&Term) -> Option<bool>) -> Option<bool> {
    let mut complete = true;
    for part in parts {
        match decide(part) {
            Some(value) if value == zero => return Some(zero),
            Some(_) => {}
            None => complete = false,
        }
    }
    complete.then_some(!zero)
}

fn plus(a: Interval, b: Interval) -> Interval {
    (a.0.zip(b.0).map(|(x, y)| x.add(&y)), a.1.zip(b.1).map(|(x, y)| x.add(&y)))
}

fn times((lo, hi): &Interval, factor: &Int) -> Interval {
    let scaled = |end: &Option<Int>| end.as_ref().map(|end| end.mul(factor));
    if factor.signum() >= 0 { (scaled(lo), scaled(hi)) } else { (scaled(hi), scaled(lo)) }
}

fn hull(a: Interval, b: Interval) -> Interval {
    (a.0.zip(b.0).map(|(x, y)| x.min(y)), a.1.zip(b.1).map(|(x, y)| x.max(y)))
}

fn square((lo, hi): Interval) -> Interval {
    let ends = product((lo.clone(), hi.clone()), (lo, hi));
    (Some(ends.0.filter(|lo| lo.signum() > 0).unwrap_or(Int::ZERO)), ends.1)
}

fn product(a: Interval, b: Interval) -> Interval {
    let corners = match (&a, &b) {
        ((Some(p), Some(q)), (Some(r), Some(s))) => [(p, r), (p, s), (q, r), (q, s)].map(|(x, y)| multiplied(x, y)),
        ((Some(p), _), (Some(r), _)) if p.signum() >= 0 && r.signum() >= 0 => return (multiplied(p, r), None),
        _ => return (None, None),
    };
    let known: Option<Vec<Int>> = corners.into_iter().collect();
    known.map_or((None, None), |corners| (corners.iter().min().cloned(), corners.iter().max().cloned()))
}

/// The product of two ends, as an end; none if it would be too long. Without the limit each round of propagation over
/// `x == y * y && y == x * x` would square the ends.
fn multiplied(x: &Int, y: &Int) -> Option<Int> {
    (x.bits() + y.bits() <= BITS).then(|| x.mul(y))
}

fn quotient((lo, hi): Interval, by: &Int) -> Interval {
    let divided = |end: Option<Int>| end.map(|end| end.floor_div(by));
    match by.signum() {
        0 => (Some(Int::ZERO), Some(Int::ZERO)),
        1 => (divided(lo), divided(hi)),
        _ => (divided(hi), divided(lo)),
    }
}

fn remainder((lo, hi): Interval, by: &Int) -> Interval {
    let whole = match by.signum() {
        0 => return (lo, hi),
        1 => (Int::ZERO, by.sub(&Int::ONE)),
        _ => (by.add(&Int::ONE), Int::ZERO),
    };
    match (lo, hi) {
        (Some(lo), Some(hi)) if whole.0 <= lo && hi <= whole.1 => (Some(lo), Some(hi)),
        _ => (Some(whole.0), Some(whole.1)),
    }
}

#[cfg(test)]
mod tests {
    use crate::scalar::Sort;
    use crate::solve::{Solver, Store};
    use crate::term::{Term, Var};

    #[test]
    fn ends_that_are_squared_in_turn_stay_short() {
        let [x, y] = [1, 2].map(|id| Term::var(Var { id, sort: Sort::Int }));
        let is_square = |x: &Term, y: &Term| Term::eq(&x.add(&Term::int(1)), &y.mul(y));
        let large = [&x, &y].map(|var| Term::le(&Term::int(3), var));
        let start = std::time::Instant::now();
        Store::default()
            .assume_all(large.into_iter().chain([is_square(&x, &y), is_square(&y, &x)]), &mut Solver::default());
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    }
}
