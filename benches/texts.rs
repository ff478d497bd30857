//! Questions about unknown strings and bytes: the number per second, and the time before one is given up.
//!
//! `cargo bench --bench texts` prints a line for each kind of question, with the answers and the slowest one.

use mayhap::scalar::{Scalar, Sort};
use mayhap::solve::{Answer, Solver, Store};
use mayhap::term::{Term, TextOp, Var};
use std::time::{Duration, Instant};

/// The number of questions of each kind.
const QUESTIONS: u64 = 300;

/// A kind of question: conditions on two unknown texts and a known one.
type Kind = (&'static str, Sort, fn(&Term, &Term, &Term) -> Vec<Term>);

const KINDS: &[Kind] = &[
    ("x + y == k", Sort::Str, |x, y, k| vec![equal(&[x, y], &[k]), starts(y, k).not()]),
    ("x + k + y == k + k", Sort::Str, |x, y, k| vec![equal(&[x, k, y], &[k, k]), Term::ne(x, y)]),
    ("x + y == k, bytes", Sort::Bytes, |x, y, k| vec![equal(&[x, y], &[k]), Term::ne(x, y)]),
    ("prefixes", Sort::Str, |x, y, k| vec![starts(x, k), starts(&cat(&[x, y]), &cat(&[k, k])), at_most(x, 9)]),
    ("suffixes", Sort::Str, |x, y, k| {
        vec![op(TextOp::EndsWith, &[x, k]), op(TextOp::EndsWith, &[&cat(&[y, x]), &cat(&[k, k])]), at_most(x, 9)]
    }),
    ("parts", Sort::Str, |x, y, k| vec![op(TextOp::Contains, &[&cat(&[x, y]), k]), at_most(x, 2), at_most(y, 2)]),
    ("numbers", Sort::Str, |x, y, k| {
        vec![equal(&[k, &op(TextOp::FromInt, &[&len(x)]), y], &[k, &Term::str("12-")]), starts(x, k)]
    }),
    ("to_int", Sort::Str, |x, _, k| {
        vec![op(TextOp::IsInt, &[x]), Term::eq(&op(TextOp::ToInt, &[x]), &len(k)), Term::le(&Term::int(3), &len(x))]
    }),
    ("too hard", Sort::Str, |x, y, k| vec![equal(&[x, k, &like(x, "a"), y], &[y, &like(x, "b"), k, x])]),
];

fn op(op: TextOp, args: &[&Term]) -> Term {
    Term::text(op, args.iter().map(|arg| (*arg).clone()))
}

fn cat(parts: &[&Term]) -> Term {
    op(TextOp::Concat, parts)
}

fn equal(left: &[&Term], right: &[&Term]) -> Term {
    Term::eq(&cat(left), &cat(right))
}

fn starts(text: &Term, prefix: &Term) -> Term {
    op(TextOp::StartsWith, &[text, prefix])
}

fn len(text: &Term) -> Term {
    op(TextOp::Len, &[text])
}

fn at_most(text: &Term, n: i64) -> Term {
    Term::le(&len(text), &Term::int(n))
}

fn like(text: &Term, known: &str) -> Term {
    Term::constant(if text.sort() == Sort::Bytes { Scalar::bytes(known.as_bytes()) } else { Scalar::str(known) })
}

fn main() {
    for kind in KINDS {
        measure(kind);
    }
}

fn measure((name, sort, conditions): &Kind) {
    let mut solver = Solver::default();
    let [x, y] = [1, 2].map(|id| Term::var(Var { id, sort: *sort }));
    let (mut answers, mut slowest) = ([0u64; 3], Duration::ZERO);
    let start = Instant::now();
    for i in 0..QUESTIONS {
        let mut store = Store::default();
        for condition in conditions(&x, &y, &like(&x, &format!("key{i}"))) {
            let asked = Instant::now();
            let answer = store.assume(&condition, &mut solver);
            slowest = slowest.max(asked.elapsed());
            answers[match answer {
                Answer::Sat => 0,
                Answer::Unsat => 1,
                Answer::Unknown(_) => 2,
            }] += 1;
        }
    }
    let (seconds, asked) = (start.elapsed().as_secs_f64(), answers.iter().sum::<u64>());
    println!(
        "{name:20} {:9.0} questions/s  sat {} unsat {} unknown {}  slowest {:5.1} ms  z3 checks {}",
        asked as f64 / seconds,
        answers[0],
        answers[1],
        answers[2],
        slowest.as_secs_f64() * 1e3,
        solver.statistics.z3_checks,
    );
}
