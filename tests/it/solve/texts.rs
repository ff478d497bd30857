//! Operations on strings and octets: what is said of unknown ones against all known ones that are short.
//!
//! A relation is a condition on two unknown texts and a known one. Its term, evaluated, is what its definition gives for
//! known texts; and a store never refutes what some short texts satisfy. Example: `x + k == y`, where k is `"é"`.

use mayhap::scalar::{Int, Scalar, Sort};
use mayhap::solve::{Answer, Limits, Solver, Store, Tiers};
use mayhap::term::{Term, TextOp, Var};

const X: Var = Var { id: 1, sort: Sort::Str };
const Y: Var = Var { id: 2, sort: Sort::Str };

/// A condition on x, y and k.
type Relation = (&'static str, fn(&Term, &Term, &Term) -> Term);

fn op<const N: usize>(op: TextOp, args: [&Term; N]) -> Term {
    Term::text(op, args.map(Term::clone))
}

fn cat<const N: usize>(args: [&Term; N]) -> Term {
    op(TextOp::Concat, args)
}

fn len(s: &Term) -> Term {
    op(TextOp::Len, [s])
}

fn lower(s: &Term) -> Term {
    op(TextOp::Lower, [s])
}

fn starts(s: &Term, t: &Term) -> Term {
    op(TextOp::StartsWith, [s, t])
}

fn ends(s: &Term, t: &Term) -> Term {
    op(TextOp::EndsWith, [s, t])
}

fn contains(s: &Term, t: &Term) -> Term {
    op(TextOp::Contains, [s, t])
}

fn printed(n: &Term) -> Term {
    op(TextOp::FromInt, [n])
}

fn slice(s: &Term, from: impl Into<Int>, to: &Term) -> Term {
    op(TextOp::Slice, [s, &Term::int(from.into()), to])
}

fn int(n: i64) -> Term {
    Term::int(n)
}

fn like(k: &Term, text: &str) -> Term {
    Term::constant(if k.sort() == Sort::Str { Scalar::str(text) } else { Scalar::bytes(text.as_bytes()) })
}

/// For strings and for octets.
const BOTH: &[Relation] = &[
    ("x + k == y", |x, y, k| Term::eq(&cat([x, k]), y)),
    ("x + y == k", |x, y, k| Term::eq(&cat([x, y]), k)),
    ("k + x == y + k", |x, y, k| Term::eq(&cat([k, x]), &cat([y, k]))),
    ("x + k + y == y + x", |x, y, k| Term::eq(&cat([x, k, y]), &cat([y, x]))),
    ("x + k + y == k + k", |x, y, k| Term::eq(&cat([x, k, y]), &cat([k, k]))),
    ("x + x == k", |x, _, k| Term::eq(&cat([x, x]), k)),
    ("x == k + x", |x, _, k| Term::eq(x, &cat([k, x]))),
    ("len(x + k) == len(y)", |x, y, k| Term::eq(&len(&cat([x, k])), &len(y))),
    ("len(x) <= 0", |x, _, _| Term::le(&len(x), &int(0))),
    ("len(x) >= 1", |x, _, _| Term::le(&int(1), &len(x))),
    ("len(x) + len(y) <= len(k)", |x, y, k| Term::le(&len(x).add(&len(y)), &len(k))),
    ("2 * len(x) + len(y) == len(k)", |x, y, k| Term::eq(&len(x).mul(&int(2)).add(&len(y)), &len(k))),
    ("1 <= len(x) + len(y)", |x, y, _| Term::le(&int(1), &len(x).add(&len(y)))),
    ("x starts with k", |x, _, k| starts(x, k)),
    ("k starts with x", |x, _, k| starts(k, x)),
    ("k + x starts with x + k", |x, _, k| starts(&cat([k, x]), &cat([x, k]))),
    ("k + x starts with k + y", |x, y, k| starts(&cat([k, x]), &cat([k, y]))),
    ("k + x starts with y", |x, y, k| starts(&cat([k, x]), y)),
    ("x ends with k", |x, _, k| ends(x, k)),
    ("k ends with x", |x, _, k| ends(k, x)),
    ("x + k ends with k + x", |x, _, k| ends(&cat([x, k]), &cat([k, x]))),
    ("x + k ends with y + k", |x, y, k| ends(&cat([x, k]), &cat([y, k]))),
    ("x contains k", |x, _, k| contains(x, k)),
    ("k contains x", |x, _, k| contains(k, x)),
    ("x + k contains y", |x, y, k| contains(&cat([x, k]), y)),
    ("x + y contains k", |x, y, k| contains(&cat([x, y]), k)),
    ("x + a + y contains k", |x, y, k| contains(&cat([x, &like(k, "a"), y]), k)),
    ("x < k", |x, _, k| Term::less(x, k)),
    ("k < x", |x, _, k| Term::less(k, x)),
    ("k + x < k + y", |x, y, k| Term::less(&cat([k, x]), &cat([k, y]))),
    ("x + k < y", |x, y, k| Term::less(&cat([x, k]), y)),
    ("a + x < k", |x, _, k| Term::less(&cat([&like(k, "a"), x]), k)),
    ("lower(x) == k", |x, _, k| Term::eq(&lower(x), k)),
    ("lower(x) == lower(y + k)", |x, y, k| Term::eq(&lower(x), &lower(&cat([y, k])))),
    ("lower(x) starts with k", |x, _, k| starts(&lower(x), k)),
    ("lower(k + x) contains y", |x, y, k| contains(&lower(&cat([k, x])), y)),
    ("lower(x) contains k", |x, _, k| contains(&lower(x), k)),
    ("lower(x) < k", |x, _, k| Term::less(&lower(x), k)),
    ("x[0..2] == k", |x, _, k| Term::eq(&slice(x, 0, &int(2)), k)),
    ("(k + x)[1..2] == y", |x, y, k| Term::eq(&slice(&cat([k, x]), 1, &int(2)), y)),
    ("(k + x)[1..len(y)] == x", |x, y, k| Term::eq(&slice(&cat([k, x]), 1, &len(y)), x)),
    ("(x + k)[0..len(x) + len(k)] == y", |x, y, k| Term::eq(&slice(&cat([x, k]), 0, &len(x).add(&len(k))), y)),
    ("x[-1..1] == k", |x, _, k| Term::eq(&slice(x, -1, &int(1)), k)),
    ("(k + a)[0..len(x) - 1] == k", |x, _, k| Term::eq(&slice(&cat([k, &like(k, "a")]), 0, &len(x).sub(&int(1))), k)),
    ("(k + aa)[1..len(x)] == a + y", |x, y, k| {
        let a = like(k, "a");
        Term::eq(&slice(&cat([k, &a, &a]), 1, &len(x)), &cat([&a, y]))
    }),
    ("(k + a)[0..len(x)] is a", |x, _, k| {
        let a = like(k, "a");
        Term::eq(&slice(&cat([k, &a]), 0, &len(x)), &a)
    }),
    ("x in {\"\", k, a}", |x, _, k| {
        let set = ["", "a"].map(|text| like(k, text)).into_iter().chain([k.clone()]);
        Term::or_all(set.map(|value| Term::eq(x, &value)))
    }),
    ("x starts with k, and is before y", |x, y, k| Term::and(&starts(x, k), &Term::less(x, y))),
    ("x starts with k or is before k", |x, _, k| Term::or(&starts(x, k), &Term::less(x, k))),
    ("x ends with k and contains a", |x, _, k| Term::and(&ends(x, k), &contains(x, &like(k, "a")))),
    ("x starts with k and with a", |x, _, k| Term::and(&starts(x, k), &starts(x, &like(k, "a")))),
    ("x starts with k, not with a", |x, _, k| Term::and(&starts(x, k), &starts(x, &like(k, "a")).not())),
    ("x between a and k", |x, _, k| Term::and(&Term::less(&like(k, "a"), x), &Term::less(x, k))),
    ("x outside of a and k", |x, _, k| Term::or(&Term::less(x, &like(k, "a")), &Term::less(k, x))),
    ("x starts with k, after a", |x, _, k| Term::and(&starts(x, k), &Term::less(&like(k, "a"), x))),
    ("x starts with k, before a", |x, _, k| Term::and(&starts(x, k), &Term::less(x, &like(k, "a")))),
];

/// For strings only.
const STRINGS: &[Relation] = &[
    ("x is a number", |x, _, _| op(TextOp::IsInt, [x])),
    ("x + k is a number", |x, _, k| op(TextOp::IsInt, [&cat([x, k])])),
    ("int(x) == int(k)", |x, _, k| Term::eq(&op(TextOp::ToInt, [x]), &op(TextOp::ToInt, [k]))),
    ("x prints as k", |x, _, k| Term::eq(&printed(&len(x).sub(&int(1))), k)),
    ("-1, x times, with k", |x, y, k| Term::eq(&cat([&printed(&len(x).sub(&int(2))), k]), y)),
    ("printed len(x) contains k", |x, _, k| contains(&printed(&len(x).sub(&int(12))), k)),
    ("printed len(x) starts with k", |x, _, k| starts(&printed(&len(x).sub(&int(2))), k)),
    ("x is what is printed, and of length 2", |x, _, k| {
        let read = printed(&op(TextOp::ToInt, [&cat([k, x])]));
        Term::and(&Term::eq(&cat([k, x]), &read), &Term::eq(&len(x), &int(2)))
    }),
    ("x is read, printed, and starts with k", |x, _, k| {
        Term::and(&Term::eq(x, &printed(&op(TextOp::ToInt, [x]))), &starts(x, k))
    }),
    ("printed len(x) ends with k", |x, _, k| ends(&printed(&len(x).sub(&int(12))), k)),
    ("x has len(k) pieces", |x, _, k| Term::eq(&op(TextOp::Pieces, [x, &like(k, "a")]), &len(k))),
    ("x has more pieces than y, split at k", |x, y, k| {
        Term::lt(&op(TextOp::Pieces, [y, k]), &op(TextOp::Pieces, [x, k]))
    }),
    ("k + x has 2 pieces", |x, _, k| Term::eq(&op(TextOp::Pieces, [&cat([k, x]), &like(k, "a")]), &int(2))),
    ("the second piece of k + x is y", |x, y, k| {
        Term::eq(&op(TextOp::Piece, [&cat([k, x]), &like(k, "aa"), &int(1)]), y)
    }),
    ("x and k, split at k, end in y", |x, y, k| Term::eq(&op(TextOp::Piece, [&cat([x, k]), k, &int(2)]), y)),
    ("3 pieces, the first is k", |x, _, k| {
        let split = [x, &like(k, "aa")];
        Term::and(
            &Term::eq(&op(TextOp::Pieces, split), &int(3)),
            &Term::eq(&op(TextOp::Piece, [split[0], split[1], &int(0)]), k),
        )
    }),
    ("k starts with printed len(x)", |x, _, k| starts(k, &printed(&len(x)))),
    ("int(printed len(x)) == int(k)", |x, _, k| {
        Term::eq(&op(TextOp::ToInt, [&printed(&len(x))]), &op(TextOp::ToInt, [k]))
    }),
];

/// Two letters each.
const ALPHABETS: &[[&str; 2]] =
    &[["a", "A"], ["a", "é"], ["\\", "u"], ["-", "1"], ["0", "1"], ["\u{2ffff}", "\u{30000}"], ["a", "\u{ffff}"]];

/// All texts of at most this many letters.
fn texts(letters: &[&str], most: usize, sort: Sort) -> Vec<Scalar> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..most {
        last = last.iter().flat_map(|text| letters.iter().map(move |letter| format!("{text}{letter}"))).collect();
        all.extend(last.iter().cloned());
    }
    let scalar = |text: &String| match sort {
        Sort::Bytes => Scalar::bytes(&text.bytes().map(|b| if b == b'u' { 0xff } else { b }).collect::<Vec<u8>>()),
        _ => Scalar::str(text),
    };
    all.iter().map(scalar).collect()
}

fn relations(sort: Sort) -> impl Iterator<Item = &'static Relation> {
    BOTH.iter().chain(STRINGS.iter().filter(move |_| sort == Sort::Str))
}

/// What Z3 can do is tested whatever else the machine does.
const PATIENT: std::time::Duration = std::time::Duration::from_secs(5);

/// The variables x and y of a sort.
fn unknowns(sort: Sort) -> [Term; 2] {
    [X, Y].map(|var| Term::var(Var { sort, ..var }))
}

/// Whether the relation holds, by definition: every operation is done on known texts.
fn holds(relation: &Relation, x: &Scalar, y: &Scalar, k: &Term) -> bool {
    let [x, y] = [x, y].map(|text| Term::constant(text.clone()));
    relation.1(&x, &y, k).as_bool().unwrap_or_else(|| panic!("{} of {x}, {y} and {k}", relation.0))
}

#[test]
fn terms_mean_what_their_operations_say() {
    for sort in [Sort::Str, Sort::Bytes] {
        let [x, y] = unknowns(sort);
        for letters in ALPHABETS {
            let all = texts(letters, 3, sort);
            for (relation, k) in relations(sort).flat_map(|relation| all.iter().take(7).map(move |k| (relation, k))) {
                let k = Term::constant(k.clone());
                let term = relation.1(&x, &y, &k);
                for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
                    let value = term.eval(&mut |var| Some(if var.id == X.id { a.clone() } else { b.clone() }));
                    let want = Some(Scalar::Bool(holds(relation, a, b, &k)));
                    assert_eq!(value, want, "{} with {k}: {term} at {a} and {b}", relation.0);
                }
            }
        }
    }
}

/// What stores said, by kind of answer.
#[derive(Debug, Default)]
struct Tally {
    sat: usize,
    unsat: usize,
    unknown: Vec<String>,
}

/// A store of one question. It must not refute what short texts satisfy; where it finds a model, that is one.
fn ask(conditions: &[Term], possible: bool, solver: &mut Solver, tally: &mut Tally) {
    let mut store = Store::default();
    let mut answer = Answer::Sat;
    for condition in conditions {
        answer = store.assume(condition, solver);
    }
    match answer {
        Answer::Sat => {
            tally.sat += 1;
            let model = store.model(conditions, solver, &mut |_| 0);
            let model = model.unwrap_or_else(|answer| panic!("{answer:?}: {conditions:?}"));
            assert!(conditions.iter().all(|condition| model.eval_or_simplest(condition) == Some(Scalar::Bool(true))));
        }
        Answer::Unsat => {
            tally.unsat += 1;
            assert!(!possible, "refuted: {conditions:?}");
        }
        Answer::Unknown(_) => tally.unknown.push(format!("{conditions:?}")),
    }
}

/// The known texts that the questions are asked with.
fn some(all: &[Scalar]) -> impl Iterator<Item = Term> + '_ {
    [0, 1, 2, 4].into_iter().filter_map(|at| all.get(at).cloned().map(Term::constant))
}

/// Asks each relation and its opposite, about each alphabet.
fn ask_all(sort: Sort, alphabets: &[[&str; 2]], solver: &mut Solver) -> Tally {
    let ([x, y], mut tally) = (unknowns(sort), Tally::default());
    for letters in alphabets {
        let all = texts(letters, 3, sort);
        for (relation, k) in relations(sort).flat_map(|relation| some(&all).map(move |k| (relation, k))) {
            let term = relation.1(&x, &y, &k);
            let (mut yes, mut no) = (false, false);
            for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
                let holds = holds(relation, a, b, &k);
                (yes, no) = (yes || holds, no || !holds);
            }
            ask(std::slice::from_ref(&term), yes, solver, &mut tally);
            ask(&[term.not()], no, solver, &mut tally);
        }
    }
    tally
}

#[test]
fn stores_agree_with_short_texts() {
    for sort in [Sort::Str, Sort::Bytes] {
        let mut solver = Solver::default();
        let tally = ask_all(sort, ALPHABETS, &mut solver);
        let few = tally.unknown.len() * 100 < tally.sat + tally.unsat;
        assert!(few && tally.sat > 2_000 && tally.unsat > 200, "{sort}: {tally:#?} {:?}", solver.statistics);
    }
}

#[test]
fn z3_agrees_with_short_texts() {
    let mut solver = Solver::new(Limits { tiers: Tiers::OnlyZ3, time_text: PATIENT, ..Limits::default() });
    let tally = ask_all(Sort::Str, &ALPHABETS[1..4], &mut solver);
    assert!(tally.sat > 100 && tally.unsat > 100, "{tally:#?} {:?}", solver.statistics);
}

#[test]
fn strings_survive_the_way_to_z3_and_back() {
    let mut solver = Solver::new(Limits { tiers: Tiers::OnlyZ3, time_text: PATIENT, ..Limits::default() });
    for text in ["", "plain", "\\u{41}", "é😀", "\0\n\"", "a\\b\\u{e9}é", "\u{2ffff}"] {
        let [s, _] = unknowns(Sort::Str);
        let known = Term::str(&format!("{text}é"));
        let longer = cat([&s, &Term::str("é")]);
        let conditions = [starts(&longer, &known), Term::eq(&len(&longer), &len(&known))];
        let mut store = Store::default();
        for condition in &conditions {
            assert_eq!(store.assume(condition, &mut solver), Answer::Sat, "{text:?}");
        }
        let model = store.model(&[], &mut solver, &mut |_| 0).unwrap();
        assert_eq!(model.get(X), Some(&Scalar::str(text)));
    }
}
