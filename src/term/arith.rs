//! Constructors of integer terms and comparisons.
//!
//! For example `2x <= 5` is `x <= 2`, and `2x = 5` is false. Sums are linear; comparisons are `linear <= 0` or `linear = 0`, divided
//! by the common divisor of the coefficients and tightened to integers. Division is Coq's (`x / 0 = 0`).

use super::node::make;
use super::{Kind, Linear, Term, TextOp, bits, table};
use crate::scalar::{Int, Scalar, Sort};

impl Term {
    /// The sum.
    pub fn add(&self, other: &Term) -> Term {
        match (self.as_int(), other.as_int()) {
            (Some(a), Some(b)) => Term::int(a.add(b)),
            _ => Linear::of(self).plus(&Int::ONE, &Linear::of(other)).into_term(),
        }
    }

    /// The sum with a known integer.
    pub fn plus(&self, value: &Int) -> Term {
        match self.as_int() {
            Some(own) => Term::int(own.add(value)),
            None => Linear::of(self).plus_constant(value).into_term(),
        }
    }

    /// The difference.
    pub fn sub(&self, other: &Term) -> Term {
        match (self.as_int(), other.as_int()) {
            (Some(a), Some(b)) => Term::int(a.sub(b)),
            _ => Linear::of(self).plus(&Int::MINUS_ONE, &Linear::of(other)).into_term(),
        }
    }

    /// The negation of an integer.
    pub fn neg(&self) -> Term {
        Linear::of(self).negated().into_term()
    }

    /// The product.
    pub fn mul(&self, other: &Term) -> Term {
        match (self.as_int(), other.as_int()) {
            (Some(a), Some(b)) => Term::int(a.mul(b)),
            (Some(a), None) => Linear::of(other).scaled(a).into_term(),
            (None, Some(b)) => Linear::of(self).scaled(b).into_term(),
            (None, None) => at_each_position(self, other, Int::mul).unwrap_or_else(|| product(self, other)),
        }
    }

    /// The quotient towards minus infinity; `x / 0 = 0`.
    pub fn div(&self, other: &Term) -> Term {
        match (self.as_int(), other.as_int()) {
            (Some(a), Some(b)) => Term::int(a.floor_div(b)),
            (None, Some(_)) => {
                at_each_position(self, other, Int::floor_div).unwrap_or_else(|| quotient_by(self, other))
            }
            (Some(a), None) if a.is_zero() => Term::int(Int::ZERO),
            (_, None) => at_each_position(self, other, Int::floor_div)
                .unwrap_or_else(|| make(Kind::Div(self.clone(), other.clone()), Sort::Int)),
        }
    }

    /// The remainder, such that `x = y * (x / y) + x % y`; so `x % 0 = x`.
    pub fn rem(&self, other: &Term) -> Term {
        match (self.as_int(), other.as_int()) {
            (Some(a), Some(b)) => Term::int(a.modulo(b)),
            (None, Some(_)) => remainder_by(self, other),
            (Some(a), None) if a.is_zero() => Term::int(Int::ZERO),
            (_, None) => at_each_position(self, other, Int::modulo)
                .unwrap_or_else(|| make(Kind::Mod(self.clone(), other.clone()), Sort::Int)),
        }
    }

    /// The condition `a <= b` on integers.
    pub fn le(a: &Term, b: &Term) -> Term {
        match (a.as_int(), b.as_int()) {
            (Some(low), _) => Term::at_least(b, low),
            (None, Some(high)) => Term::at_most(a, high),
            (None, None) => Term::le0(difference(a, b)),
        }
    }

    /// The condition `a < b` on integers.
    pub fn lt(a: &Term, b: &Term) -> Term {
        match (a.as_int(), b.as_int()) {
            (Some(low), _) => Term::at_least(b, &low.add(&Int::ONE)),
            (None, Some(high)) => Term::at_most(a, &high.sub(&Int::ONE)),
            (None, None) => Term::le0(difference(a, b).plus_constant(&Int::ONE)),
        }
    }

    /// The condition `low <= term` for a known number.
    #[must_use]
    pub fn at_least(term: &Term, low: &Int) -> Term {
        match term.as_int() {
            Some(known) => Term::from(low <= known),
            // The comparison of every exchange: a known query against an unknown state.
            None if is_plain_atom(term) => bound(term, Int::MINUS_ONE, low.clone()),
            None => Term::le0(Linear::constant_of(low.clone()).plus(&Int::MINUS_ONE, &Linear::of(term))),
        }
    }

    /// The condition `term <= high` for a known number.
    #[must_use]
    pub fn at_most(term: &Term, high: &Int) -> Term {
        match term.as_int() {
            Some(known) => Term::from(known <= high),
            None if is_plain_atom(term) => bound(term, Int::ONE, high.neg()),
            None => Term::le0(Linear::of(term).plus(&Int::MINUS_ONE, &Linear::constant_of(high.clone()))),
        }
    }

    /// The condition `linear <= 0`.
    pub fn le0(linear: Linear) -> Term {
        let content = linear.content();
        if content.is_zero() {
            return Term::from(linear.constant().signum() <= 0);
        }
        // Σ g·cᵢxᵢ + k <= 0 iff Σ cᵢxᵢ + ⌈k/g⌉ <= 0.
        let tight = if content == Int::ONE { linear } else { linear.negated().divided(&content).negated() };
        split_choice(&tight, &Term::le0)
            .or_else(|| bits::at_most_zero(&tight))
            .or_else(|| table::at_most_zero(&tight))
            .or_else(|| short(&tight))
            .or_else(|| few_pieces(&tight))
            .unwrap_or_else(|| make(Kind::Le0(Box::new(tight)), Sort::Bool))
    }

    /// The condition `linear = 0`.
    pub fn eq0(linear: Linear) -> Term {
        let content = linear.content();
        if content.is_zero() {
            return Term::from(linear.constant().is_zero());
        }
        if !linear.constant().modulo(&content).is_zero() {
            return Term::falsity();
        }
        let positive = linear.terms()[0].1.signum() > 0;
        let divisor = if positive { content } else { content.neg() };
        let linear = if divisor == Int::ONE { linear } else { linear.divided(&divisor) };
        split_choice(&linear, &Term::eq0)
            .or_else(|| bits::zero(&linear))
            .or_else(|| table::zero(&linear))
            .or_else(|| no_length(&linear))
            .or_else(|| one_piece(&linear))
            .unwrap_or_else(|| make(Kind::Eq0(Box::new(linear)), Sort::Bool))
    }
}

/// Tests whether an integer term is an atom whose comparisons no rule simplifies.
fn is_plain_atom(term: &Term) -> bool {
    !matches!(
        term.kind(),
        Kind::Linear(_)
            | Kind::Ite(..)
            | Kind::Table(..)
            | Kind::Lookup(..)
            | Kind::Const(_)
            | Kind::Text(TextOp::Len | TextOp::Pieces, _)
    )
}

fn difference(a: &Term, b: &Term) -> Linear {
    Linear::of(a).plus(&Int::MINUS_ONE, &Linear::of(b))
}

/// The condition `sign · atom + constant <= 0`.
fn bound(atom: &Term, sign: Int, constant: Int) -> Term {
    make(Kind::Le0(Box::new(Linear::single(atom.clone(), sign, constant))), Sort::Bool)
}

/// The comparison of a conditional with a constant, arm by arm, if an arm is a constant or a table.
fn split_choice(linear: &Linear, compare: &dyn Fn(Linear) -> Term) -> Option<Term> {
    let [(atom, coefficient)] = linear.terms() else { return None };
    let Kind::Ite(condition, yes, no) = atom.kind() else { return None };
    let is_known = |arm: &Term| arm.as_const().is_some() || arm.is_listed();
    if !is_known(yes) && !is_known(no) {
        return None;
    }
    let arm =
        |value: &Term| compare(Linear::constant_of(linear.constant().clone()).plus(coefficient, &Linear::of(value)));
    Some(Term::ite(condition, &arm(yes), &arm(no)))
}

/// The texts whose lengths a sum adds (sign 1) or subtracts (sign −1), if it has no other summands.
fn lengths(linear: &Linear) -> Option<(i32, Vec<&Term>)> {
    let sign = linear.terms()[0].1.signum();
    let text = |(atom, c): &'_ (Term, Int)| match atom.kind() {
        Kind::Text(TextOp::Len, _) if c.signum() == sign => Some(()),
        _ => None,
    };
    linear.terms().iter().try_for_each(text)?;
    let texts = linear.terms().iter().filter_map(|(atom, _)| match atom.kind() {
        Kind::Text(_, args) => args.first(),
        _ => None,
    });
    Some((sign, texts.collect()))
}

fn is_empty(text: &&Term) -> Term {
    Term::eq(text, &Term::constant(text.sort().simplest()))
}

/// The condition `linear <= 0` on a sum of lengths, simplified since these are not negative.
fn short(linear: &Linear) -> Option<Term> {
    let (sign, texts) = lengths(linear)?;
    match (sign, linear.constant().signum()) {
        (1, 1) => Some(Term::falsity()),
        (1, 0) => Some(Term::and_all(texts.iter().map(is_empty))),
        (-1, 0 | -1) => Some(Term::truth()),
        (-1, _) if *linear.constant() == Int::ONE => Some(Term::and_all(texts.iter().map(is_empty)).not()),
        _ => None,
    }
}

/// The condition `linear = 0` on a sum of lengths, simplified since these are not negative.
fn no_length(linear: &Linear) -> Option<Term> {
    let (sign, texts) = lengths(linear)?;
    match linear.constant().signum() * sign {
        1 => Some(Term::falsity()),
        0 => Some(Term::and_all(texts.iter().map(is_empty))),
        _ => None,
    }
}

/// The sign of the number of pieces, if that is the only summand, and the condition that the separator occurs at all.
fn separator(linear: &Linear) -> Option<(i32, Term)> {
    let [(atom, coefficient)] = linear.terms() else { return None };
    let Kind::Text(TextOp::Pieces, args) = atom.kind() else { return None };
    let known = args.last()?.as_const().is_some();
    let known = known && coefficient.abs() == Int::ONE;
    known.then(|| (coefficient.signum(), Term::text(TextOp::Contains, args.clone())))
}

/// The condition `linear <= 0` on the number of pieces: there is at least one, and a second one if the separator occurs.
fn few_pieces(linear: &Linear) -> Option<Term> {
    let (sign, occurs) = separator(linear)?;
    let bound = linear.constant().to_i64()?;
    match (sign, bound) {
        (1, 0..) => Some(Term::falsity()),
        (1, -1) => Some(occurs.not()),
        (-1, ..=1) => Some(Term::truth()),
        (-1, 2) => Some(occurs),
        _ => None,
    }
}

/// The condition `linear = 0` on the number of pieces.
fn one_piece(linear: &Linear) -> Option<Term> {
    let (sign, occurs) = separator(linear)?;
    match linear.constant().to_i64()? * i64::from(sign) {
        0.. => Some(Term::falsity()),
        -1 => Some(occurs.not()),
        _ => None,
    }
}

/// The result of an operation on tables by one index, position by position.
fn at_each_position(a: &Term, b: &Term, apply: fn(&Int, &Int) -> Int) -> Option<Term> {
    table::pointwise(&[a, b], &|values| Some(Scalar::Int(apply(values[0].as_int()?, values[1].as_int()?))))
}

/// The product of two terms; coefficients of single atoms go outside: `2x * 3y = 6 (x * y)`.
fn product(a: &Term, b: &Term) -> Term {
    let ((a, p), (b, q)) = (split_content(a), split_content(b));
    let (a, b) = if a <= b { (a, b) } else { (b, a) };
    let atom = make(Kind::Mul(a, b), Sort::Int);
    Linear::of(&atom).scaled(&p.mul(&q)).into_term()
}

/// The atom and the coefficient of a multiple; any other term is once itself.
fn split_content(term: &Term) -> (Term, Int) {
    match term.kind() {
        Kind::Linear(linear) => match linear.terms() {
            [(atom, coefficient)] if linear.constant().is_zero() => (atom.clone(), coefficient.clone()),
            _ => (term.clone(), Int::ONE),
        },
        _ => (term.clone(), Int::ONE),
    }
}

/// The quotient by a constant: `(d·p + r) / d = p + r / d`, with everything in p that d divides.
fn quotient_by(term: &Term, divisor: &Term) -> Term {
    let Some(known) = divisor.as_int().filter(|known| !known.is_zero()) else { return Term::int(Int::ZERO) };
    let linear = Linear::of(term);
    let rest = linear.map(|c| c.modulo(known));
    let whole = linear.plus(&Int::MINUS_ONE, &rest).divided(known);
    if rest.terms().is_empty() {
        return whole.into_term();
    }
    let rest = rest.into_term();
    let atom = at_each_position(&rest, divisor, Int::floor_div)
        .unwrap_or_else(|| make(Kind::Div(rest, divisor.clone()), Sort::Int));
    whole.plus(&Int::ONE, &Linear::of(&atom)).into_term()
}

/// The remainder by a constant: `(d·p + r) % d = r % d`.
fn remainder_by(term: &Term, divisor: &Term) -> Term {
    let Some(known) = divisor.as_int().filter(|known| !known.is_zero()) else { return term.clone() };
    let rest = Linear::of(term).map(|c| c.modulo(known)).into_term();
    match rest.as_int() {
        Some(constant) => Term::int(constant.modulo(known)),
        None => at_each_position(&rest, divisor, Int::modulo)
            .unwrap_or_else(|| make(Kind::Mod(rest, divisor.clone()), Sort::Int)),
    }
}
