//! Stores against enumeration of small worlds and against Z3 alone: every tier is exact where it answers, every elimination
//! keeps what is possible, every model checks out.

use super::conditions::{all_vars, bounds, condition, fill, holds, k, token, var, worlds};
use crate::random::Rng;
use mayhap::scalar::{Scalar, Sort};
use mayhap::solve::{Answer, Domain, Limits, Model, Solver, Store, Tiers};
use mayhap::term::{Term, Var};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 4, ..ProptestConfig::default() })]

    #[test]
    fn answers_agree_with_enumeration(conditions in prop::collection::vec(condition(), 1..7)) {
        let mut solver = Solver::default();
        let mut store = Store::default();
        for bound in bounds() {
            prop_assert_eq!(store.assume(&bound, &mut solver), Answer::Sat);
        }
        let mut left: Vec<Vec<Scalar>> = worlds().collect();
        for condition in &conditions {
            let decided = store.decide(condition);
            let checked = store.check(condition, &mut solver);
            let before = left.len();
            left.retain(|world| holds(condition, world));
            match decided {
                Some(true) => prop_assert_eq!(left.len(), before, "{:?} decides {}", store, condition),
                Some(false) => prop_assert_eq!(left.len(), 0, "{:?} decides {}", store, condition),
                None => {}
            }
            let answer = store.assume(condition, &mut solver);
            prop_assert_eq!(answer, checked);
            let want = if left.is_empty() { Answer::Unsat } else { Answer::Sat };
            prop_assert_eq!(answer, want, "after {} : {:?}", condition, store);
            if left.is_empty() {
                break;
            }
        }
    }
}

proptest! {
    #[test]
    fn tiers_agree_with_z3_alone(conditions in prop::collection::vec(condition(), 1..9)) {
        let mut own = Solver::new(Limits { tiers: Tiers::WithoutZ3, ..Limits::default() });
        let mut solver = Solver::default();
        let (mut own_store, mut store) = (Store::default(), Store::default());
        for (i, condition) in conditions.iter().enumerate() {
            let z3 = solver.ask_z3(&conditions[..=i]);
            prop_assume!(!matches!(z3, Answer::Unknown(_)));
            prop_assert_eq!(store.assume(condition, &mut solver), z3, "{:?}", &conditions[..=i]);
            let alone = own_store.assume(condition, &mut own);
            prop_assert!(alone == z3 || matches!(alone, Answer::Unknown(_)), "{:?}: {:?} {:?}", &conditions[..=i], alone, z3);
        }
    }

    #[test]
    fn models_check_out(conditions in prop::collection::vec(condition(), 1..6), extra in condition(), seed in any::<u64>()) {
        let mut solver = Solver::default();
        let (store, answer) = fill(&conditions, &mut solver);
        if answer != Answer::Sat {
            return Ok(());
        }
        let mut random = Rng::new(seed);
        let mut pick = |n: usize| random.below(n);
        let want = store.check(&extra, &mut solver);
        match store.model(std::slice::from_ref(&extra), &mut solver, &mut pick) {
            Ok(model) => {
                prop_assert_eq!(want, Answer::Sat);
                for condition in conditions.iter().chain([&extra]) {
                    let value = model.eval_or_simplest(condition);
                    prop_assert_eq!(value, Some(Scalar::Bool(true)), "{} under {:?}", condition, model);
                }
            }
            Err(answer) => prop_assert_eq!(answer, want),
        }
    }

    #[test]
    fn forgetting_keeps_what_is_possible(
        conditions in prop::collection::vec(condition(), 1..6),
        memory in prop::collection::btree_set(0usize..9, 0..4),
        bounded in any::<bool>(),
        samples in prop::collection::vec(prop::collection::vec(0i64..7, 9), 6),
    ) {
        let conditions: Vec<Term> = if bounded { bounds().into_iter().chain(conditions).collect() } else { conditions };
        let mut solver = Solver::default();
        let mut store = Store::with_trail();
        for condition in &conditions {
            if store.assume(condition, &mut solver) != Answer::Sat {
                return Ok(());
            }
        }
        let before = store.constraints().len();
        let slots: Vec<Var> = memory.iter().map(|i| all_vars()[*i]).collect();
        let resolved: Vec<Term> = slots.iter().map(|var| store.resolve(&Term::var(*var))).collect();
        let mut live = std::collections::BTreeSet::new();
        for term in &resolved {
            term.vars(&mut |var| { live.insert(var); });
        }
        let mut after = store.clone();
        after.forget(&|var| live.contains(&var), &mut solver);
        prop_assert!(after.constraints().len() <= before, "{:?} became {:?}", store, after);
        for sample in samples {
            let value = |var: &Var| match var.sort {
                Sort::Bool => Scalar::Bool(sample[var.id as usize] % 2 == 1),
                Sort::Int => Scalar::int(sample[var.id as usize] - 3),
                _ => token(sample[var.id as usize]),
            };
            let known: Vec<Term> = slots.iter().map(|var| Term::eq(&Term::var(*var), &Term::constant(value(var)))).collect();
            let asked: Vec<Term> = conditions.iter().chain(&known).cloned().collect();
            let want = solver.ask_z3(&asked);
            let now: Vec<Term> = slots.iter().zip(&resolved).map(|(var, term)| Term::eq(term, &Term::constant(value(var)))).collect();
            let got = after.check(&Term::and_all(now.clone()), &mut solver);
            if matches!(want, Answer::Unknown(_)) || matches!(got, Answer::Unknown(_)) {
                continue;
            }
            prop_assert_eq!(got, want, "{:?} live {:?}: {:?} became {:?} at {:?}", conditions, live, store, after, known);
            if got == Answer::Sat {
                let mut model: Model = after.model(&now, &mut solver, &mut |_| 0).unwrap();
                for var in &live {
                    if model.get(*var).is_none() {
                        model.insert(*var, var.sort.simplest());
                    }
                }
                let extended = model.extend(after.trail().unwrap(), &mut solver);
                if extended == Answer::Sat {
                    for condition in &conditions {
                        let value = model.eval_or_simplest(condition);
                        prop_assert_eq!(value, Some(Scalar::Bool(true)), "{} under {:?}, trail {:?}", condition, model, after.trail());
                    }
                } else {
                    prop_assert!(matches!(extended, Answer::Unknown(_)), "{:?}: {:?}", extended, after.trail());
                }
            }
        }
    }

    #[test]
    fn a_store_implies_what_it_says(conditions in prop::collection::vec(condition(), 1..6)) {
        let mut solver = Solver::default();
        let (store, _) = fill(&conditions, &mut solver);
        if !store.is_dead() {
            prop_assert_eq!(store.implies(&store.constraints(), &mut solver), Some(true));
        }
    }

    #[test]
    fn joining_is_union(a in -6i64..6, b in -6i64..6, c in -6i64..6, d in -6i64..6, one in any::<bool>()) {
        let mut solver = Solver::default();
        let x = var(1, Sort::Int);
        let make = |solver: &mut Solver, lo: i64, hi: i64| {
            let mut store = Store::default();
            if one {
                store.set_domain(x, Domain::of([Scalar::int(lo), Scalar::int(hi)]).expect("values"));
            } else {
                store.assume(&Term::le(&k(lo), &Term::var(x)), solver);
                store.assume(&Term::le(&Term::var(x), &k(hi)), solver);
            }
            store
        };
        prop_assume!(one || (a < b && c < d));
        let (left, right) = (make(&mut solver, a, b), make(&mut solver, c, d));
        if let Some(union) = left.domain(x).union(right.domain(x)) {
            for n in -8..8 {
                let mut has = |store: &Store| store.check(&Term::eq(&Term::var(x), &k(n)), &mut solver) == Answer::Sat;
                prop_assert_eq!(union.admits(&Scalar::int(n)), has(&left) || has(&right), "{:?} or {:?}", left, right);
            }
        } else {
            prop_assert!(!one, "explicit sets always join");
        }
    }
}
