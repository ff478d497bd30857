//! Variables that are eliminated, against enumeration: by one that stands for a sum, and by a bound that is the last to mention one.
//!
//! For example `#0 + #1 <= 3` says of #1, if #0 is at least 1 and is mentioned nowhere else, that it is at most 2.

use mayhap::scalar::{Scalar, Sort};
use mayhap::solve::{Answer, Domain, Model, Solver, Store, sum};
use mayhap::term::{Term, Var};
use proptest::prelude::*;

/// Values of a variable: neighbours, or any few.
#[derive(Clone, Debug)]
struct Values(Vec<i64>);

fn values() -> BoxedStrategy<Values> {
    let span = (-4i64..5, 0i64..6).prop_map(|(from, width)| Values((from..=from + width).collect()));
    let any = prop::collection::btree_set(-6i64..7, 1..5).prop_map(|set| Values(set.into_iter().collect()));
    prop_oneof![span, any].boxed()
}

fn var(id: u64) -> Term {
    Term::var(Var { id, sort: Sort::Int })
}

/// Facts about variables 0 to 3; 3 is mentioned elsewhere.
fn fact() -> BoxedStrategy<Term> {
    let ends = (0u64..4, 0u64..4, -3i64..4);
    ends.prop_map(|(a, b, n)| Term::le(&var(a), &var(b).add(&Term::int(n)))).boxed()
}

/// All values of the variables that satisfy the facts.
fn assignments(domains: &[Values], facts: &[Term]) -> Vec<Model> {
    let mut all = vec![Model::default()];
    for (id, Values(values)) in (0..).zip(domains) {
        let with = |model: &Model, n: i64| {
            let mut model = model.clone();
            model.insert(Var { id, sort: Sort::Int }, Scalar::int(n));
            model
        };
        all = all.iter().flat_map(|model| values.iter().map(|n| with(model, *n)).collect::<Vec<_>>()).collect();
    }
    all.retain(|model| facts.iter().all(|fact| model.satisfies(fact)));
    all
}

fn store(domains: &[Values]) -> Store {
    let mut store = Store::default();
    for (id, Values(values)) in (0..).zip(domains) {
        let domain = Domain::of(values.iter().copied().map(Scalar::int)).expect("values");
        store.set_domain(Var { id, sort: Sort::Int }, domain);
    }
    store
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_sum_stands_for_one_of_its_variables(
        domains in prop::collection::vec(values(), 4),
        facts in prop::collection::vec(fact(), 0..4),
    ) {
        prop_assume!(!assignments(&domains, &facts).is_empty());
        check_difference(&domains, &facts)?;
    }
}

/// Once a variable is a difference, its sum with another one and that one may be what they were together.
fn check_difference(domains: &[Values], facts: &[Term]) -> Result<(), TestCaseError> {
    let (mut solver, mut store) = (Solver::default(), store(domains));
    for fact in facts {
        store.assume(fact, &mut solver);
    }
    let [replaced, sum] = [0, 10].map(|id| Var { id, sort: Sort::Int });
    if store.binding(replaced).is_some() {
        return Ok(());
    }
    let other = store.resolve(&var(1));
    let difference = sum::stand_for_sum(&mut store, &other, replaced, sum, &mut solver);
    prop_assert_eq!(&difference, &Term::var(sum).sub(&other));
    let all = assignments(domains, facts);
    for (a, b) in (-6i64..7).flat_map(|a| (-6i64..7).map(move |b| (a, b))) {
        let met =
            |model: &Model| model.eval(&var(0)) == Some(Scalar::int(a)) && model.eval(&var(1)) == Some(Scalar::int(b));
        let asked = Term::and(&Term::eq(&var(10), &Term::int(a + b)), &Term::eq(&other, &Term::int(b)));
        let found = store.check(&asked, &mut solver) == Answer::Sat;
        prop_assert_eq!(found, all.iter().any(met), "#0 = {} and #1 = {}", a, b);
    }
    Ok(())
}

fn bound(a: i64, b: i64, c: i64) -> Term {
    let times = |id: u64, factor: i64| var(id).mul(&Term::int(factor));
    Term::le(&times(0, a).add(&times(1, b)).add(&Term::int(c)), &Term::int(0))
}

/// `a * x + b * y + c <= 0` without x, of which only its ends are known: y has a value iff some x goes with it.
#[test]
fn a_bound_that_is_the_last_of_a_variable_is_one_of_the_other() {
    let (mut solver, mut answered) = (Solver::default(), 0);
    let x = Var { id: 0, sort: Sort::Int };
    let ends = [None, Some(-2), Some(1), Some(3)];
    let all = ends.into_iter().flat_map(|lo| ends.into_iter().map(move |hi| (lo, hi)));
    for (lo, hi) in all.filter(|(lo, hi)| lo.zip(*hi).is_none_or(|(lo, hi)| lo < hi)) {
        for (a, b, c) in
            [1, -1, 2].into_iter().flat_map(|a| [-2, -1, 1].map(|b| [-3, 0, 2].map(|c| (a, b, c)))).flatten()
        {
            let mut store = Store::default();
            let known =
                [lo.map(|lo| Term::le(&Term::int(lo), &var(0))), hi.map(|hi| Term::le(&var(0), &Term::int(hi)))];
            known.iter().flatten().for_each(|end| assert_eq!(store.assume(end, &mut solver), Answer::Sat));
            let condition = bound(a, b, c);
            assert_eq!(store.last_of(&condition), Some(x));
            let Some(answer) = store.assume_without(&condition, x, &mut solver) else { continue };
            answered += 1;
            assert!(answer == Answer::Sat && !store.vars().contains(&x), "{store:?}");
            for y in -9..10 {
                let possible = (lo.unwrap_or(-99)..=hi.unwrap_or(99)).any(|x| a * x + b * y + c <= 0);
                let answer = store.check(&Term::eq(&var(1), &Term::int(y)), &mut solver);
                assert_eq!(answer == Answer::Sat, possible, "{condition}, {lo:?}..={hi:?}, y = {y}");
            }
        }
    }
    assert!(answered > 100, "{answered}");
}

/// Where the variable is in another constraint, or something refers to it, the bound is assumed as any other.
#[test]
fn a_variable_that_is_needed_is_not_left_out() {
    let mut solver = Solver::default();
    let mut store = Store::default();
    assert_eq!(store.assume(&Term::lt(&var(0), &var(2)), &mut solver), Answer::Sat);
    assert_eq!(store.last_of(&bound(1, -1, 0)), None);
    let held = var(5);
    let condition = Term::le(&held, &var(6));
    assert_eq!(Store::default().last_of(&condition), Some(Var { id: 6, sort: Sort::Int }));
    assert_eq!(Store::with_trail().last_of(&condition), None);
    let other = Term::le(&held, &held.add(&var(6)));
    assert_eq!(Store::default().last_of(&other), None);
}
