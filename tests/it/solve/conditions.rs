//! Random conditions over nine variables: bools 0 to 2, integers 3 to 5, tokens 6 to 8; and all of their small worlds.
//!
//! For example `#3 + 2 * #4 <= 1 || #6 != #7` holds in some of the 592,704 worlds.

use mayhap::scalar::{Int, Scalar, Sort, Token};
use mayhap::solve::{Answer, Solver, Store};
use mayhap::term::{Column, KeySet, Term, Var};
use proptest::prelude::*;

pub fn var(id: u64, sort: Sort) -> Var {
    Var { id, sort }
}

pub fn v(id: u64, sort: Sort) -> Term {
    Term::var(var(id, sort))
}

pub fn k(n: i64) -> Term {
    Term::int(n)
}

pub const TOKEN: Sort = Sort::Token(0);

pub fn token(n: i64) -> Scalar {
    Scalar::Token(Token::Number(Int::from(n)))
}

/// Bools 0–2, ints 3–5, tokens 6–8.
pub fn all_vars() -> Vec<Var> {
    (0..9).map(|id| var(id, [Sort::Bool, Sort::Int, TOKEN][id as usize / 3])).collect()
}

pub fn sum() -> BoxedStrategy<Term> {
    let part = (3u64..6, prop::sample::select(vec![-2i64, -1, -1, 1, 1, 1, 3]));
    (prop::collection::vec(part, 1..3), -3i64..4)
        .prop_map(|(parts, constant)| {
            parts.into_iter().fold(k(constant), |s, (id, c)| s.add(&v(id, Sort::Int).mul(&k(c))))
        })
        .boxed()
}

/// One of several known scalars, by a sum.
pub fn table(scalar: BoxedStrategy<Scalar>) -> impl Strategy<Value = Term> {
    (sum(), prop::collection::vec(scalar, 1..5)).prop_map(|(at, known)| Term::table(&at, &Column::new(known).unwrap()))
}

/// Integer terms beyond sums.
pub fn rich_sum() -> BoxedStrategy<Term> {
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

pub fn int_literal() -> BoxedStrategy<Term> {
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

pub fn token_literal() -> BoxedStrategy<Term> {
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

pub fn literal() -> BoxedStrategy<Term> {
    prop_oneof![
        1 => (0u64..3).prop_map(|id| v(id, Sort::Bool)),
        1 => (0u64..3).prop_map(|id| v(id, Sort::Bool).not()),
        3 => int_literal(),
        3 => token_literal(),
    ]
    .boxed()
}

pub fn condition() -> BoxedStrategy<Term> {
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
pub fn worlds() -> impl Iterator<Item = Vec<Scalar>> {
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

pub fn holds(term: &Term, world: &[Scalar]) -> bool {
    term.eval(&mut |var| Some(world[var.id as usize].clone())).and_then(|value| value.as_bool()).unwrap()
}

/// −3 <= x <= 3 for the ints.
pub fn bounds() -> Vec<Term> {
    (3..6).flat_map(|id| [Term::le(&k(-3), &v(id, Sort::Int)), Term::le(&v(id, Sort::Int), &k(3))]).collect()
}

pub fn fill(conditions: &[Term], solver: &mut Solver) -> (Store, Answer) {
    let mut store = Store::default();
    let mut answer = Answer::Sat;
    for condition in conditions {
        answer = store.assume(condition, solver);
    }
    (store, answer)
}
