//! Large terms of few variables with few values as decision diagrams: no larger than what they may be (Bryant, *Graph-based algorithms
//! for Boolean function manipulation*, 1986).
//!
//! A server with a hidden setting goes from `n` to `if #1 { n + 2 } else { n + 1 }` with each request; after a hundred of them that
//! is `if #1 { 200 } else { 100 }`.

use smallvec::SmallVec;

use super::Solver;
use super::facts::Touched;
use super::mdd::{ValuedVar, conditions_of};
use super::store::Store;
use crate::scalar::Scalar;
use crate::term::{Term, Var, count_walked};

/// Terms that are no larger stay as they are.
const SMALL: u32 = 48;
/// Variables of a diagram.
const VARIABLES: usize = 4;
/// Assignments for which a term is evaluated at most, each variable's values counted.
const ASSIGNMENTS: usize = 64;

/// The decision diagram of a large term of few variables, if these have few values together. It has the same value for each
/// assignment that the store allows.
#[must_use]
pub fn of(store: &Store, term: &Term) -> Option<Term> {
    if term.size() <= SMALL {
        return None;
    }
    let mut vars: SmallVec<[Var; VARIABLES]> = SmallVec::new();
    let many = term.any_var(&mut |var| {
        if !vars.contains(&var) {
            vars.push(var);
        }
        vars.len() > VARIABLES
    });
    if many {
        return None;
    }
    let mut left = ASSIGNMENTS;
    let mut values: SmallVec<[ValuedVar; VARIABLES]> = SmallVec::new();
    for var in vars {
        let own = store.few_values(var, left)?;
        left /= own.len().max(1);
        values.push((var, own));
    }
    let diagram = built(term, &values, &mut SmallVec::new())?;
    (diagram.size() < term.size()).then_some(diagram)
}

/// Puts the diagrams of large constraints in their places.
pub fn of_constraints(store: &mut Store, solver: &mut Solver) {
    let Some(rest) = &store.facts.rest else { return };
    let decided = rest.terms.iter().filter(|(id, _)| !rest.open.contains_key(*id));
    let large: Vec<_> = decided.filter_map(|(id, term)| Some((id, of(store, term)?))).collect();
    if large.is_empty() {
        return;
    }
    let (mut touched, mut changed) = (Touched::default(), Ok(()));
    for (id, diagram) in large {
        // One that an earlier one has simplified is gone.
        if changed.is_ok() && store.facts.rest_mut().remove(id).is_some() {
            changed = store.facts.conjoin(diagram, &mut touched);
        }
    }
    store.check_after(changed, &touched, solver);
}

/// The diagram of a term under some values, over the variables that are left.
fn built(term: &Term, left: &[ValuedVar], given: &mut SmallVec<[(Var, Scalar); VARIABLES]>) -> Option<Term> {
    let Some(((var, values), left)) = left.split_first() else {
        count_walked((term.size() as usize).min(WALKED));
        let value = |var: Var| given.iter().find(|(known, _)| *known == var).map(|(_, value)| value.clone());
        return Some(Term::constant(term.eval(&mut |var| value(var))?));
    };
    let mut results: SmallVec<[(&Scalar, Term); 4]> = SmallVec::new();
    for value in values {
        given.push((*var, value.clone()));
        results.push((value, built(term, left, given)?));
        given.pop();
    }
    let mut ways = conditions_of(*var, results);
    let (last, _) = ways.pop()?;
    let otherwise = |rest, (result, conditions)| Term::ite(&Term::or_all(conditions), &result, &rest);
    Some(ways.into_iter().rfold(last, otherwise))
}

/// The most nodes that the evaluation of a term counts as, since shared nodes are met once.
const WALKED: usize = 1_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::{Sort, numbers};
    use crate::solve::{Answer, Limits};

    const BIT: Var = Var { id: 1, sort: Sort::Bool };
    const NUMBERS: [Var; 2] = [Var { id: 2, sort: Sort::Int }, Var { id: 3, sort: Sort::Int }];

    /// The values that a bit and two numbers from 0 to 2 may have together, if the numbers differ by no more than 1.
    fn worlds() -> impl Iterator<Item = [Scalar; 3]> {
        let all = (0..18).map(|n| (n % 2 == 1, n / 2 % 3, n / 6));
        all.filter(|(_, a, b): &(bool, i64, i64)| (a - b).abs() <= 1)
            .map(|(bit, a, b)| [Scalar::Bool(bit), Scalar::int(a), Scalar::int(b)])
    }

    fn value(term: &Term, world: &[Scalar; 3]) -> Option<Scalar> {
        term.eval(&mut |var| world.get(usize::try_from(var.id).ok()? - 1).cloned())
    }

    /// A number as a server with hidden settings goes on from it.
    fn step(random: &mut impl FnMut(u64) -> u64, n: &Term) -> Term {
        let [a, b] = NUMBERS.map(Term::var);
        let condition = match random(4) {
            0 => Term::var(BIT),
            1 => Term::eq(&a, &Term::int(random(3) as i64)),
            2 => Term::le(&n.rem(&Term::int(3)), &b),
            _ => Term::le(&n.add(&a), &Term::int(random(20) as i64)),
        };
        Term::ite(&condition, &n.add(&Term::int(random(4) as i64)), &n.sub(&b))
    }

    #[test]
    fn a_diagram_is_its_term() {
        let (mut random, mut smaller) = (numbers(11), 0);
        for _ in 0..60 {
            let (mut store, mut solver) = (Store::default(), Solver::new(Limits::default()));
            let [a, b] = NUMBERS.map(Term::var);
            let ends = [&a, &b].map(|n| [Term::at_least(n, &0.into()), Term::at_most(n, &2.into())]).concat();
            let near = [Term::le(&a, &b.add(&Term::int(1))), Term::le(&b, &a.add(&Term::int(1)))];
            for fact in ends.iter().chain(&near) {
                assert_eq!(store.assume(fact, &mut solver), Answer::Sat);
            }
            let mut term = Term::int(0);
            for _ in 0..20 {
                term = step(&mut random, &term);
                let Some(diagram) = of(&store, &term) else { continue };
                smaller += 1;
                for world in worlds() {
                    assert_eq!(value(&diagram, &world), value(&term, &world), "{term:?} in {world:?}");
                }
                let fact = Term::le(&term.rem(&Term::int(5)), &Term::int(2));
                let holds = |world: &[Scalar; 3]| value(&fact, world) == Some(Scalar::Bool(true));
                let mut stated = store.clone();
                if stated.assume(&fact, &mut solver) == Answer::Unsat {
                    assert!(!worlds().any(|world| holds(&world)), "{fact:?}");
                    continue;
                }
                of_constraints(&mut stated, &mut solver);
                for world in worlds() {
                    let is = |(var, value): (&Var, &Scalar)| Term::eq(&Term::var(*var), &Term::constant(value.clone()));
                    let vars = [BIT, NUMBERS[0], NUMBERS[1]];
                    let asked = Term::and_all(vars.iter().zip(&world).map(is));
                    assert_eq!(
                        stated.check(&asked, &mut solver) == Answer::Sat,
                        holds(&world),
                        "{fact:?} in {world:?}"
                    );
                }
            }
        }
        assert!(smaller > 300, "{smaller}");
    }
}
