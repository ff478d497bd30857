//! What a store is told, one thing after the other, and what it knows then: mostly without a question to Z3.
//!
//! For example a clock that goes on a thousand times is one bound, and ten thousand unknowns cost no more than they are many.

use super::conditions::{TOKEN, fill, k, token, v};
use mayhap::scalar::{Int, Sort};
use mayhap::solve::{Answer, Limits, Solver, Store};
use mayhap::term::{Term, TextOp, made};

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
fn products_end_quickly() {
    let mut solver = Solver::default();
    let (x, y, z) = (v(1, Sort::Int), v(2, Sort::Int), v(3, Sort::Int));
    let cube = |t: &Term| t.mul(t).mul(t);
    let hard = Term::eq(&cube(&x).add(&cube(&y)).add(&cube(&z)), &k(33));
    let start = std::time::Instant::now();
    let mut store = Store::default();
    assert!(matches!(store.assume(&hard, &mut solver), Answer::Unknown(_)));
    assert!(store.doubt().is_some());
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

/// A hidden setting that each step reads makes terms of few nodes that stand for very many. Walking them is little work, and is counted so.
#[test]
fn forgetting_counts_shared_nodes_once() {
    let mut solver = Solver::default();
    let mut store = Store::default();
    let (x, y) = (v(1, Sort::Int), v(2, Sort::Int));
    let twice = |term: Term, _| term.rem(&k(5)).mul(&term.rem(&k(7))).add(&y);
    let shared = (0..60).fold(x, twice);
    assert_eq!(shared.size(), u32::MAX);
    store.assume(&Term::eq(&shared.rem(&k(2)), &k(0)), &mut solver);
    let before = made();
    store.forget(&|var| var.id == 1, &mut solver);
    assert!(made() - before < 10_000, "{}", made() - before);
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

#[test]
fn what_is_undecided_is_asked_again_when_more_is_known() {
    let mut solver = Solver::default();
    let [x, y, z, w] = [1, 2, 3, 4].map(|id| v(id, Sort::Int));
    let cube = |t: &Term| t.mul(t).mul(t);
    let sum = cube(&x).add(&cube(&y)).add(&cube(&z));
    let mut store = Store::default();
    assert!(matches!(store.assume(&Term::eq(&sum, &k(33)), &mut solver), Answer::Unknown(_)));
    let asked = solver.statistics.z3_checks;
    for n in 0..50 {
        assert!(matches!(store.assume(&Term::ne(&x.add(&w), &y.add(&k(n))), &mut solver), Answer::Unknown(_)));
    }
    assert_eq!(solver.statistics.z3_checks, asked, "nothing became known");
    let mut other = store.clone();
    let known = Term::and_all([Term::eq(&x, &k(1)), Term::eq(&y, &k(2))]);
    let decided = store.assume(&Term::and(&known, &Term::eq(&z, &k(3))), &mut solver);
    assert_eq!(decided, Answer::Unsat);
    // What contradicts it by itself needs no question.
    let (low, high) = (Term::le(&x, &k(3)), Term::le(&k(4), &x));
    assert!(matches!(other.assume(&low, &mut solver), Answer::Unknown(_)));
    assert_eq!(other.assume(&high, &mut solver), Answer::Unsat);
}
