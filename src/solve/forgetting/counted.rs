//! Elimination of a Boolean variable that is counted in sums, or stands in clauses.
//!
//! For example `[p] + [x] = 1` and `q implies p` without p is `[q] + [x] <= 1`, if `[p]` is the bit `if p { 1 } else { 0 }`. A bit is
//! an integer from 0 to 1, and a clause says that the bits of its literals sum to at least 1. So lower and upper bounds of the
//! bit are paired, which is exact for coefficients ±1.

use super::eliminate::BoundPairs;
use crate::scalar::{Int, Sort};
use crate::solve::facts::Facts;
use crate::solve::residual::Residual;
use crate::term::{Kind, Linear, Term, Var};

/// A bit with more constraints than this stays: their bounds are paired, and the results compared with each other.
const MANY: usize = 24;

/// The conditions that stand for `∃var. terms`, if they are fewer than the inequalities that are paired: those of the terms
/// (an equation is two) and the two bounds of the bit.
pub(crate) fn without_bit(facts: &Facts, rest: &Residual, var: Var, terms: &[&Term]) -> Option<Vec<Term>> {
    if var.sort != Sort::Bool || !facts.domain(var).is_all() || terms.len() > MANY {
        return None;
    }
    let bit = Term::bit(&Term::var(var));
    let mut inequalities = vec![Linear::of(&bit).negated(), Linear::of(&bit).plus_constant(&Int::MINUS_ONE)];
    for term in terms {
        inequalities.extend(at_most_zero(term)?.iter().map(|sum| with_single_bits(facts, sum)));
    }
    let sides = BoundPairs::of_atom(&bit, var, &inequalities)?;
    let others = rest.terms.values().filter(|term| !term.mentions(var)).take(MANY);
    let known: Vec<Linear> = others.filter_map(at_most_zero).flatten().collect();
    let left = strongest(sides.pairs().collect(), &known);
    let news: Vec<Term> = left.into_iter().map(condition).filter(|term| facts.decide(term) != Some(true)).collect();
    (news.len() < inequalities.len()).then_some(news)
}

/// The sums of which a condition says that they are at most zero.
fn at_most_zero(condition: &Term) -> Option<Vec<Linear>> {
    match condition.kind() {
        Kind::Le0(sum) => Some(vec![(**sum).clone()]),
        Kind::Eq0(sum) => Some(vec![(**sum).clone(), sum.negated()]),
        Kind::Or(literals) => {
            let mut sum = Linear::constant_of(Int::ONE);
            for literal in literals {
                sum = sum.plus(&Int::MINUS_ONE, &literal_bit(literal)?);
            }
            Some(vec![sum])
        }
        _ => None,
    }
}

/// The sum with the bit of each conjunction written as a sum of bits, if no two of its parts fail together: `[p && q]` is
/// `[p] + [q] - 1` if `p || q` holds.
fn with_single_bits(facts: &Facts, sum: &Linear) -> Linear {
    let mut single = sum.clone();
    for (atom, coefficient) in sum.terms() {
        let Some(Kind::And(parts)) = atom.as_bit().map(Term::kind) else { continue };
        let pairs = parts.iter().enumerate().flat_map(|(at, a)| parts.iter().skip(at + 1).map(move |b| Term::or(a, b)));
        let bits: Option<Vec<Linear>> = parts.iter().map(literal_bit).collect();
        if let Some(bits) = bits.filter(|_| pairs.into_iter().all(|either| facts.decide(&either) == Some(true))) {
            let all_but = Linear::constant_of(Int::from(1 - bits.len() as i64));
            let both = bits.iter().fold(all_but, |sum, bit| sum.plus(&Int::ONE, bit));
            single = single.without(atom).plus(coefficient, &both);
        }
    }
    single
}

/// The bit of a literal: `1 - [p]` for `not p`.
fn literal_bit(literal: &Term) -> Option<Linear> {
    match literal.kind() {
        Kind::Var(_) => Some(Linear::of(&Term::bit(literal))),
        Kind::Not(inner) if inner.as_var().is_some() => {
            Some(Linear::of(&Term::bit(inner)).negated().plus_constant(&Int::ONE))
        }
        _ => None,
    }
}

/// The condition that a sum is at most zero, as a clause if it is one: for `1 - [p] - (1 - [q])` it is `p or not q`.
fn condition(sum: Linear) -> Term {
    let mut literals = Vec::new();
    let mut least = Int::ONE;
    for (atom, coefficient) in sum.terms() {
        match (atom.as_bit().filter(|condition| condition.as_var().is_some()), coefficient.to_i64()) {
            (Some(holds), Some(-1)) => literals.push(holds.clone()),
            (Some(holds), Some(1)) => {
                least = least.add(&Int::MINUS_ONE);
                literals.push(Term::not(holds));
            }
            _ => return Term::le0(sum),
        }
    }
    if *sum.constant() == least { Term::or_all(literals) } else { Term::le0(sum) }
}

/// Sums that are at most zero, without redundant ones: those that hold for all bits, or follow from one or two of the other and
/// the known sums.
fn strongest(mut sums: Vec<Linear>, known: &[Linear]) -> Vec<Linear> {
    sums.retain(|sum| !is_never_positive(sum));
    let mut at = 0;
    while at < sums.len() {
        let others =
            || known.iter().chain(sums.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, sum)| sum));
        let less = |one: &Linear| sums[at].plus(&Int::MINUS_ONE, one);
        let follows = others().map(less).any(|rest| {
            is_never_positive(&rest) || others().any(|other| is_never_positive(&rest.plus(&Int::MINUS_ONE, other)))
        });
        if follows {
            sums.remove(at);
        } else {
            at += 1;
        }
    }
    sums
}

/// Tests whether a sum of bits is at most zero, whatever they are.
fn is_never_positive(sum: &Linear) -> bool {
    sum.range_of_bits().is_some_and(|(_, largest)| largest.signum() <= 0)
}

#[cfg(test)]
mod tests {
    use crate::choice::numbers;
    use crate::scalar::{Scalar, Sort};
    use crate::solve::{Answer, Solver, Store};
    use crate::term::{Term, Var};

    const BITS: u64 = 6;

    fn var(id: u64) -> Var {
        Var { id, sort: Sort::Bool }
    }

    /// A bound of a sum of bits, or a clause.
    fn condition(next: &mut dyn FnMut(u64) -> u64) -> Term {
        let mut atoms = Vec::new();
        for id in 1..=BITS {
            match next(4) {
                0 => atoms.push((id, 1)),
                1 if next(3) == 0 => atoms.push((id, -1)),
                _ => {}
            }
        }
        let literal =
            |(id, sign): &(u64, i64)| if *sign > 0 { Term::var(var(*id)) } else { Term::not(&Term::var(var(*id))) };
        if next(3) == 0 {
            return Term::or_all(atoms.iter().map(literal));
        }
        let bit = |sum: Term, (id, sign): &(u64, i64)| {
            let bit = Term::bit(&Term::var(var(*id)));
            if *sign > 0 { sum.add(&bit) } else { sum.sub(&bit) }
        };
        let sum = atoms.iter().fold(Term::int(0), bit);
        let bound = Term::int(next(4) as i64 - 1);
        match next(3) {
            0 => Term::eq(&sum, &bound),
            1 => Term::le(&bound, &sum),
            _ => Term::le(&sum, &bound),
        }
    }

    /// Tests whether all conditions hold if each variable has the value of the bit of `assignment` at its number.
    fn satisfies(conditions: &[Term], assignment: u64) -> bool {
        let value = |var: Var| Some(Scalar::Bool(assignment >> var.id & 1 == 1));
        conditions.iter().all(|condition| condition.eval(&mut { value }) == Some(Scalar::Bool(true)))
    }

    #[test]
    fn what_is_left_of_bits_is_what_was_possible() {
        let (mut next, mut solver) = (numbers(5), Solver::default());
        let mut eliminated = 0;
        for _ in 0..1_500 {
            let conditions: Vec<Term> = (0..1 + next(5)).map(|_| condition(&mut next)).collect();
            let live = next(1 << BITS) << 1;
            let mut store = Store::default();
            if store.assume_all(conditions.iter().cloned(), &mut solver) == Answer::Unsat {
                continue;
            }
            let before = store.vars().len();
            store.forget(&|var| live >> var.id & 1 == 1, &mut solver);
            eliminated += before.saturating_sub(store.vars().len());
            for assignment in (0..2 << BITS).filter(|bits| bits & !live == 0) {
                let was =
                    (0..2 << BITS).filter(|bits| bits & live == assignment).any(|bits| satisfies(&conditions, bits));
                let same = |id: u64| Term::eq(&Term::var(var(id)), &Term::from(assignment >> id & 1 == 1));
                let mut now = store.clone();
                let of_live = (1..=BITS).filter(|id| live >> id & 1 == 1).map(same);
                let is = now.assume_all(of_live, &mut solver) != Answer::Unsat;
                assert_eq!(was, is, "{conditions:?} without {live:b}: {store:?}, {assignment:b}");
            }
        }
        assert!(eliminated > 1_000, "{eliminated}");
    }
}
