//! Elimination of a variable with few values, by one case for each of them.
//!
//! For example `#1 = 1 or #1 = 2`, `#2 = 1 or #2 = (#1 + 1) % 4` without #1 is `#2 in 1..=3`: the other variable keeps the values
//! that some case allows.

use crate::limits;
use crate::scalar::Scalar;
use crate::term::{Term, Var};

use crate::solve::domains::domain::Domain;
use crate::solve::domains::literal::listed;
use crate::solve::facts::Facts;

/// A variable stays if its constraints have more nodes than this, together: each case makes them anew.
const NODES: u64 = 128;

/// The conditions that stand for `∃var. terms`, if the terms mention one other variable, and both variables have few values.
pub(crate) fn without_cases(facts: &Facts, var: Var, terms: &[&Term]) -> Option<Vec<Term>> {
    let other = other_of(var, terms)?;
    if terms.iter().map(|term| u64::from(term.size())).sum::<u64>() > NODES {
        return None;
    }
    let values = few_values(facts, var, terms)?;
    let case = |value: &Scalar| {
        let value = Term::constant(value.clone());
        Term::and_all(terms.iter().map(|term| term.substitute(&mut |own| (own == var).then(|| value.clone()))))
    };
    let left = Term::or_all(values.iter().map(case));
    if left.as_bool() == Some(true) {
        return Some(Vec::new());
    }
    let mut others = few_values(facts, other, &[&left])?;
    let is_left = |value: &Scalar| left.eval(&mut |_| Some(value.clone()))?.as_bool();
    let is_left: Vec<bool> = others.iter().map(is_left).collect::<Option<_>>()?;
    let mut is_left = is_left.into_iter();
    others.retain(|_| is_left.next().unwrap_or_default());
    let domain = Domain::of(others);
    Some(domain.map_or_else(|| vec![Term::falsity()], |domain| domain.conditions(&Term::var(other))))
}

/// The only variable beside `var` that some conditions mention.
fn other_of(var: Var, terms: &[&Term]) -> Option<Var> {
    let mut other = None;
    let is_third = &mut |own: Var| own != var && *other.get_or_insert(own) != own;
    let any = terms.iter().any(|term| term.any_var(is_third));
    other.filter(|_| !any)
}

/// The values that the domain, or one of the conditions and the domain, leave a variable, if they are few.
fn few_values(facts: &Facts, var: Var, terms: &[&Term]) -> Option<Vec<Scalar>> {
    let by_domain = facts.domains.few_values(var, limits::CASES);
    let admitted = |values: Vec<Scalar>| values.into_iter().filter(|value| facts.domain(var).admits(value)).collect();
    by_domain.or_else(|| terms.iter().find_map(|term| listed(term, var, limits::CASES)).map(admitted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::numbers;
    use crate::scalar::Sort;
    use crate::solve::{Answer, Solver, Store};

    const LARGEST: i64 = 6;

    /// A condition on the first of two variables, on both, or on the second one.
    fn condition(next: &mut dyn FnMut(u64) -> u64) -> Term {
        let [x, y] = [1, 2].map(|id| Term::var(Var { id, sort: Sort::Int }));
        let one = |next: &mut dyn FnMut(u64) -> u64, of: &Term| Term::eq(of, &Term::int(next(5) as i64));
        let moved = x.add(&Term::int(next(3) as i64)).rem(&Term::int(4));
        match next(6) {
            0 => Term::or_all((0..3).map(|_| one(next, &x))),
            1 => Term::le(&x, &Term::int(next(5) as i64)),
            2 => Term::or_all([one(next, &y), Term::eq(&y, &moved)]),
            3 => Term::or_all([one(next, &x).not(), one(next, &y)]),
            4 => Term::or_all((0..2).map(|_| Term::and(&one(next, &x), &one(next, &y)))),
            _ => Term::or_all([one(next, &y), Term::le(&moved, &y)]),
        }
    }

    #[test]
    fn what_is_left_of_cases_is_what_was_possible() {
        let (mut next, mut solver, mut eliminated) = (numbers(17), Solver::default(), 0);
        let [x, y] = [1, 2].map(|id| Var { id, sort: Sort::Int });
        for _ in 0..1_500 {
            let mut conditions =
                vec![Term::le(&Term::int(0), &Term::var(x)), Term::le(&Term::var(x), &Term::int(LARGEST))];
            conditions.extend((0..1 + next(4)).map(|_| condition(&mut next)));
            let mut store = Store::default();
            let is_possible = store.assume_all(conditions.iter().cloned(), &mut solver) == Answer::Sat;
            store.forget(&|var| var == y, &mut solver);
            eliminated += usize::from(is_possible && !store.vars().contains(&x));
            for own in 0..=LARGEST {
                let holds = |other: i64, condition: &Term| {
                    let value = &mut |var: Var| Some(Scalar::int(if var == x { other } else { own }));
                    condition.eval(value) == Some(Scalar::Bool(true))
                };
                let was = (0..=LARGEST).any(|other| conditions.iter().all(|condition| holds(other, condition)));
                let is = Term::eq(&Term::var(y), &Term::int(own));
                assert_eq!(store.check(&is, &mut solver) == Answer::Sat, was, "{conditions:?}: {store:?}, {own}");
            }
        }
        assert!(eliminated > 700, "{eliminated}");
    }
}
