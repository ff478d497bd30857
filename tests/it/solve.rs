//! Stores against enumeration of small worlds and against Z3 alone: every tier is exact where it answers, every elimination
//! keeps what is possible, every model checks out.

use mayhap::scalar::{Int, Scalar, Sort, Token};
use mayhap::solve::{Answer, Domain, Limits, Model, Solver, Store, Tiers, seen};
use mayhap::term::{Column, KeySet, Term, TextOp, Var};
use proptest::prelude::*;

fn var(id: u64, sort: Sort) -> Var {
    Var { id, sort }
}

fn v(id: u64, sort: Sort) -> Term {
    Term::var(var(id, sort))
}

fn k(n: i64) -> Term {
    Term::int(n)
}

const TOKEN: Sort = Sort::Token(0);

fn token(n: i64) -> Scalar {
    Scalar::Token(Token::Number(Int::from(n)))
}

/// Bools 0–2, ints 3–5, tokens 6–8.
fn all_vars() -> Vec<Var> {
    (0..9).map(|id| var(id, [Sort::Bool, Sort::Int, TOKEN][id as usize / 3])).collect()
}

fn sum() -> BoxedStrategy<Term> {
    let part = (3u64..6, prop::sample::select(vec![-2i64, -1, -1, 1, 1, 1, 3]));
    (prop::collection::vec(part, 1..3), -3i64..4)
        .prop_map(|(parts, constant)| {
            parts.into_iter().fold(k(constant), |s, (id, c)| s.add(&v(id, Sort::Int).mul(&k(c))))
        })
        .boxed()
}

/// One of several known scalars, by a sum.
fn table(scalar: BoxedStrategy<Scalar>) -> impl Strategy<Value = Term> {
    (sum(), prop::collection::vec(scalar, 1..5)).prop_map(|(at, known)| Term::table(&at, &Column::new(known).unwrap()))
}

/// Integer terms beyond sums.
fn rich_sum() -> BoxedStrategy<Term> {
    let divisor = prop::sample::select(vec![-3i64, -2, 2, 3, 0]);
    prop_oneof![
        6 => sum(),
        1 => (sum(), divisor.clone()).prop_map(|(s, d)| s.div(&k(d))),
        1 => (sum(), divisor).prop_map(|(s, d)| s.rem(&k(d))),
        1 => (0u64..3, sum(), sum()).prop_map(|(b, s, t)| Term::ite(&v(b, Sort::Bool), &s, &t)),
        2 => (table((-3i64..4).prop_map(Scalar::int).boxed()), sum()).prop_map(|(t, s)| t.add(&s)),
    ]
    .boxed()
}

fn int_literal() -> BoxedStrategy<Term> {
    let small_set = prop::collection::vec(-3i64..4, 1..4);
    prop_oneof![
        4 => (rich_sum(), rich_sum()).prop_map(|(s, t)| Term::le(&s, &t)),
        2 => (rich_sum(), rich_sum()).prop_map(|(s, t)| Term::eq(&s, &t)),
        2 => (sum(), sum()).prop_map(|(s, t)| Term::ne(&s, &t)),
        2 => (3u64..6, -3i64..4).prop_map(|(x, n)| Term::ne(&v(x, Sort::Int), &k(n))),
        2 => (3u64..6, -3i64..4).prop_map(|(x, n)| Term::le(&v(x, Sort::Int), &k(n))),
        2 => (3u64..6, -3i64..4).prop_map(|(x, n)| Term::le(&k(n), &v(x, Sort::Int))),
        1 => (3u64..6, small_set).prop_map(|(x, set)| Term::member(&v(x, Sort::Int), &KeySet::of(set.into_iter().map(Scalar::int)))),
    ]
    .boxed()
}

fn token_literal() -> BoxedStrategy<Term> {
    let value = prop_oneof![(6u64..9).prop_map(|id| v(id, TOKEN)), (0i64..3).prop_map(|n| Term::constant(token(n)))];
    let choice = (0u64..3, value.clone(), value.clone()).prop_map(|(b, s, t)| Term::ite(&v(b, Sort::Bool), &s, &t));
    let one_of = table((0i64..3).prop_map(token).boxed());
    let value = prop_oneof![4 => value, 1 => choice, 1 => one_of].boxed();
    let set = prop::collection::vec(0i64..3, 1..3).prop_map(|set| KeySet::of(set.into_iter().map(token)));
    prop_oneof![
        4 => (value.clone(), value.clone()).prop_map(|(s, t)| Term::eq(&s, &t)),
        4 => (value.clone(), value.clone()).prop_map(|(s, t)| Term::ne(&s, &t)),
        1 => (value.clone(), set.clone()).prop_map(|(s, set)| Term::member(&s, &set)),
        1 => (value, set).prop_map(|(s, set)| Term::member(&s, &set).not()),
    ]
    .boxed()
}

fn literal() -> BoxedStrategy<Term> {
    prop_oneof![
        1 => (0u64..3).prop_map(|id| v(id, Sort::Bool)),
        1 => (0u64..3).prop_map(|id| v(id, Sort::Bool).not()),
        3 => int_literal(),
        3 => token_literal(),
    ]
    .boxed()
}

fn condition() -> BoxedStrategy<Term> {
    let cube = prop::collection::vec(literal(), 1..3).prop_map(Term::and_all);
    prop_oneof![
        4 => literal(),
        3 => prop::collection::vec(literal(), 2..4).prop_map(Term::or_all),
        1 => prop::collection::vec(cube, 2..3).prop_map(Term::or_all),
        1 => (literal(), literal()).prop_map(|(a, b)| Term::eq(&a, &b)),
    ]
    .boxed()
}

/// All assignments: ints −3..=3; tokens: those that are named, and three others (more cannot matter).
fn worlds() -> impl Iterator<Item = Vec<Scalar>> {
    let counts = [2usize, 2, 2, 7, 7, 7, 6, 6, 6];
    let total: usize = counts.iter().product();
    (0..total).map(move |mut n| {
        let mut world = Vec::with_capacity(9);
        for (id, count) in counts.iter().enumerate() {
            let i = (n % count) as i64;
            n /= count;
            world.push([Scalar::Bool(i == 1), Scalar::int(i - 3), token(i)][id / 3].clone());
        }
        world
    })
}

fn holds(term: &Term, world: &[Scalar]) -> bool {
    term.eval(&mut |var| Some(world[var.id as usize].clone())).and_then(|value| value.as_bool()).unwrap()
}

/// −3 <= x <= 3 for the ints.
fn bounds() -> Vec<Term> {
    (3..6).flat_map(|id| [Term::le(&k(-3), &v(id, Sort::Int)), Term::le(&v(id, Sort::Int), &k(3))]).collect()
}

fn fill(conditions: &[Term], solver: &mut Solver) -> (Store, Answer) {
    let mut store = Store::default();
    let mut answer = Answer::Sat;
    for condition in conditions {
        answer = store.assume(condition, solver);
    }
    (store, answer)
}

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
        let mut state = seed;
        let mut pick = |n: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % n
        };
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

#[test]
fn division_is_coqs_also_in_z3() {
    let mut solver = Solver::default();
    let (x, y, q, r) = (v(1, Sort::Int), v(2, Sort::Int), v(3, Sort::Int), v(4, Sort::Int));
    for a in [-7i64, -6, -1, 0, 1, 5, 7] {
        for b in [-3i64, -2, -1, 0, 1, 2, 3] {
            let (quotient, remainder) = (Int::from(a).floor_div(&Int::from(b)), Int::from(a).modulo(&Int::from(b)));
            let known = [
                Term::eq(&x.div(&y), &q),
                Term::eq(&x.rem(&y), &r),
                Term::eq(&x.div(&k(b)), &q),
                Term::eq(&x.rem(&k(b)), &r),
            ];
            let inputs = [Term::eq(&x, &k(a)), Term::eq(&y, &k(b))];
            let right = [Term::eq(&q, &Term::int(quotient.clone())), Term::eq(&r, &Term::int(remainder.clone()))];
            let asked: Vec<Term> = known.iter().chain(&inputs).chain(&right).cloned().collect();
            assert_eq!(solver.ask_z3(&asked), Answer::Sat, "{a} / {b}");
            for wrong in [Term::ne(&q, &Term::int(quotient)), Term::ne(&r, &Term::int(remainder))] {
                let asked: Vec<Term> = known.iter().chain(&inputs).cloned().chain([wrong]).collect();
                assert_eq!(solver.ask_z3(&asked), Answer::Unsat, "{a} / {b}");
            }
        }
    }
}

#[test]
fn strings_are_code_points() {
    let limits = Limits { time_text: std::time::Duration::from_secs(5), ..Limits::default() };
    let mut solver = Solver::new(limits);
    let s = v(1, Sort::Str);
    let len = |n: i64| Term::eq(&Term::text(TextOp::Len, [s.clone()]), &k(n));
    let starts = |text: &str| Term::text(TextOp::StartsWith, [s.clone(), Term::str(text)]);
    let ends = |text: &str| Term::text(TextOp::EndsWith, [s.clone(), Term::str(text)]);
    let sat: [Vec<Term>; 6] = [
        vec![len(1), starts("é")],
        vec![len(1), starts("😀")],
        vec![len(1), ends("\0")],
        vec![len(6), starts("\\u{41}")],
        vec![starts("é"), ends("😀"), len(2)],
        vec![starts("\u{2fffe}"), len(1)],
    ];
    for conditions in sat {
        assert_eq!(solver.ask_z3(&conditions), Answer::Sat, "{conditions:?}");
        let (store, answer) = fill(&conditions, &mut solver);
        assert_eq!(answer, Answer::Sat, "{conditions:?}");
        assert!(store.model(&[], &mut solver, &mut |_| 0).is_ok());
    }
    let unsat: [Vec<Term>; 3] =
        [vec![len(0), starts("é")], vec![len(1), starts("\\u{41}")], vec![starts("é"), starts("😀")]];
    for conditions in unsat {
        assert_eq!(solver.ask_z3(&conditions), Answer::Unsat, "{conditions:?}");
        assert_eq!(fill(&conditions, &mut solver).1, Answer::Unsat, "{conditions:?}");
    }
    let beyond = [starts("\u{30000}"), len(1)];
    assert!(matches!(solver.ask_z3(&beyond), Answer::Unknown(_)));
    assert_ne!(fill(&beyond, &mut solver).1, Answer::Unsat);
}

#[test]
fn sorts_are_infinite() {
    let mut solver = Solver::default();
    for sort in [TOKEN, Sort::Str, Sort::Bytes, Sort::Client] {
        let distinct: Vec<Term> =
            (0..12).flat_map(|i| (0..i).map(move |j| Term::ne(&v(i, sort), &v(j, sort)))).collect();
        assert_eq!(solver.ask_z3(&distinct), Answer::Sat, "{sort}");
        let (store, answer) = fill(&distinct, &mut solver);
        assert_eq!(answer, Answer::Sat);
        assert!(store.model(&[], &mut solver, &mut |_| 0).is_ok());
    }
    assert_eq!(solver.statistics.z3_checks, 4);
}

#[test]
fn too_few_values_are_noticed() {
    let mut solver = Solver::default();
    let mut store = Store::default();
    for i in 0..4 {
        store.assume(&Term::le(&k(0), &v(i, Sort::Int)), &mut solver);
        store.assume(&Term::le(&v(i, Sort::Int), &k(2)), &mut solver);
    }
    let mut last = Answer::Sat;
    for i in 0..4 {
        for j in 0..i {
            last = store.assume(&Term::ne(&v(i, Sort::Int), &v(j, Sort::Int)), &mut solver);
        }
    }
    assert_eq!(last, Answer::Unsat);
    assert_eq!(solver.statistics.z3_checks, 0);
}

/// The key-value store with tags: weak or not, missing or not, and which.
#[test]
fn clauses_never_reach_z3() {
    let mut solver = Solver::default();
    let mut store = Store::default();
    for i in 0..200u64 {
        let (b, w, o) = (v(3 * i, Sort::Bool), v(3 * i + 1, Sort::Bool), v(3 * i + 2, TOKEN));
        for n in 0..4 {
            let clause = Term::or_all([b.clone(), w.clone(), Term::ne(&o, &Term::constant(token(n)))]);
            assert_eq!(store.assume(&clause, &mut solver), Answer::Sat);
        }
        match i % 3 {
            0 => {
                assert_eq!(store.assume(&Term::and(&b.not(), &w.not()), &mut solver), Answer::Sat);
                assert_eq!(store.decide(&Term::eq(&o, &Term::constant(token(2)))), Some(false));
            }
            1 => assert_eq!(store.assume(&Term::eq(&o, &Term::constant(token(3))), &mut solver), Answer::Sat),
            _ => {}
        }
        let none = Term::and_all([b.not(), w.not(), Term::eq(&o, &Term::constant(token(1)))]);
        assert_eq!(store.check(&none, &mut solver), Answer::Unsat);
    }
    store.forget(&|var| var.id >= 590, &mut solver);
    assert!(store.constraints().len() < 60, "{}", store.constraints().len());
    assert_eq!(solver.statistics.z3_checks, 0);
}

#[test]
fn one_comparison_an_exchange_is_one_bound() {
    let mut solver = Solver::default();
    let mut store = Store::default();
    for exchange in 0..1000u64 {
        let n = v(exchange, Sort::Int);
        assert_eq!(store.assume(&Term::le(&k(5), &n), &mut solver), Answer::Sat);
        assert_eq!(store.decide(&Term::le(&k(3), &n)), Some(true));
        assert_eq!(store.assume(&Term::lt(&n, &k(9)), &mut solver), Answer::Sat);
        store.forget(&|var| var.id > exchange, &mut solver);
        assert!(store.is_empty());
    }
    assert_eq!(solver.statistics.z3_checks, 0);
}

#[test]
fn products_end_quickly_and_are_asked_once() {
    let mut solver = Solver::default();
    let (x, y, z) = (v(1, Sort::Int), v(2, Sort::Int), v(3, Sort::Int));
    let cube = |t: &Term| t.mul(t).mul(t);
    let hard = Term::eq(&cube(&x).add(&cube(&y)).add(&cube(&z)), &k(33));
    let start = std::time::Instant::now();
    let mut store = Store::default();
    assert!(matches!(store.assume(&hard, &mut solver), Answer::Unknown(_)));
    assert!(store.doubt().is_some());
    let checks = solver.statistics.z3_checks;
    let shifted = hard.substitute(&mut |var| Some(Term::var(Var { id: var.id + 10, ..var })));
    assert!(matches!(Store::default().assume(&shifted, &mut solver), Answer::Unknown(_)));
    assert_eq!(solver.statistics.z3_checks, checks);
    assert!(start.elapsed().as_secs() < 20);
    // What is learned later may still decide it.
    let known = Term::and_all([Term::eq(&x, &k(1)), Term::eq(&y, &k(2)), Term::eq(&z, &k(3))]);
    assert_eq!(store.assume(&known, &mut solver), Answer::Unsat);
}

#[test]
fn ten_thousand_unknowns_are_cheap() {
    let mut solver = Solver::default();
    let mut store = Store::default();
    for i in 0..10_000u64 {
        assert_eq!(store.assume(&Term::le(&k(i as i64), &v(i, Sort::Int)), &mut solver), Answer::Sat);
    }
    let start = std::time::Instant::now();
    for i in 0..10_000u64 {
        let mut fork = store.clone();
        assert_eq!(fork.assume(&Term::ne(&v(i, Sort::Int), &k(20_000)), &mut solver), Answer::Sat);
        assert_eq!(fork.decide(&Term::lt(&v(i, Sort::Int), &k(i as i64))), Some(false));
    }
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn fresh_names_stay_distinct() {
    let mut solver = Solver::default();
    let mut store = Store::default();
    for i in 0..300u64 {
        let distinct = Term::and_all((0..i).map(|j| Term::ne(&v(i, TOKEN), &v(j, TOKEN))));
        assert_eq!(store.assume(&distinct, &mut solver), Answer::Sat);
    }
    assert_eq!(store.assume(&Term::eq(&v(7, TOKEN), &v(250, TOKEN)), &mut solver), Answer::Unsat);
    assert_eq!(solver.statistics.z3_checks, 0);
}

/// A clock that goes on once an exchange, of which now and then is seen that it is before or past an instant. The plain
/// algorithm: all that matters of its past is the latest instant that it was past.
#[test]
fn a_clock_that_goes_on_needs_no_search() {
    let mut solver = Solver::default();
    let mut store = Store::default();
    let mut past: Option<i64> = None;
    for id in 1..1_000u64 {
        let (before, now) = (v(id - 1, Sort::Int), v(id, Sort::Int));
        assert_eq!(store.assume(&Term::le(&before, &now), &mut solver), Answer::Sat);
        let instant = (id * 7 % 31 + id / 4) as i64;
        let seen = if id % 3 == 0 { Term::le(&k(instant), &now) } else { Term::lt(&now, &k(instant)) };
        let possible = id % 3 == 0 || past.is_none_or(|past| past < instant);
        if possible {
            let searched = solver.statistics.by_search;
            assert_eq!(store.assume(&seen, &mut solver), Answer::Sat, "{id}");
            assert_eq!(solver.statistics.by_search, searched, "{id}: searched");
            past = if id % 3 == 0 { past.max(Some(instant)) } else { past };
        } else {
            assert_eq!(store.check(&seen, &mut solver), Answer::Unsat, "{id}");
        }
        if id % 50 == 0 {
            store.forget(&|var| var.id == id, &mut solver);
            assert_eq!(store.size().2, 0, "{store:?}");
        }
    }
}

/// Of few constraints and of many it is seen that one is there already.
#[test]
fn a_constraint_that_is_there_is_not_kept_twice() {
    let mut solver = Solver::default();
    let mut store = Store::default();
    let sum = |id: u64| Term::le(&v(id, Sort::Int).add(&v(id + 100, Sort::Int)), &v(id + 200, Sort::Int));
    for round in 0..2 {
        for id in 0..60 {
            assert_eq!(store.assume(&sum(id), &mut solver), Answer::Sat);
            assert_eq!(store.size().2, if round == 0 { id as usize + 1 } else { 60 });
        }
    }
    store.forget(&|var| var.id % 100 < 5, &mut solver);
    (0..5).for_each(|id| assert_eq!(store.assume(&sum(id), &mut solver), Answer::Sat));
    assert_eq!(store.size().2, 5, "{store:?}");
}

/// Telling the value of a term at once says what assuming the equation says.
#[test]
fn a_value_told_at_once_is_the_equation() {
    let (x, y) = (v(3, Sort::Int), v(4, Sort::Int));
    let terms =
        [x.clone(), x.add(&k(3)), k(3).sub(&x), x.add(&y), x.sub(&y).add(&k(1)), x.mul(&k(2)), x.add(&y.mul(&k(3)))];
    for (term, value) in terms.iter().flat_map(|term| (-8..=14).map(move |value| (term, value))) {
        let mut solver = Solver::default();
        let mut store = Store::default();
        for var in [&x, &y] {
            store.assume(&Term::le(&k(0), var), &mut solver);
            store.assume(&Term::le(var, &k(4)), &mut solver);
        }
        let equation = Term::eq(term, &k(value));
        let mut plain = store.clone();
        let said = plain.assume(&equation, &mut solver) == Answer::Sat;
        let mut at_once = store.clone();
        if let Some(told) = seen::variable(&store, term, &Scalar::int(value)) {
            assert_eq!(seen::bind(&mut at_once, told, &mut solver), said, "{equation}");
            (-9..15).for_each(|n| {
                let is = Term::eq(&x, &k(n));
                assert_eq!(at_once.check(&is, &mut solver), plain.check(&is, &mut solver), "{equation}, {is}");
            });
        }
        if let Some((var, value)) = seen::variable(&store, term, &Scalar::int(value)) {
            let mut last = store.clone();
            assert_eq!(seen::admit_last(&mut last, (var, &value), &mut solver), said, "{equation}");
            plain.forget(&|var| !term.mentions(var), &mut solver);
            assert_eq!(last.constraints(), plain.constraints(), "{equation}");
        }
    }
}
