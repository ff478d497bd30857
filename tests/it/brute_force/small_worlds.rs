//! The validator against the oracle on *all* programs of small grammars and *all* short traces over small values.
//!
//! Example: of the machines `!0 := !0 % 2; A if C { A } else { A }` with seven assignments A and four conditions C there
//! are 1,372; each is judged on all traces of two exchanges with queries 0, 1 and answers 0, 1, 2.

use crate::oracle::{Answer, Domains};
use crate::random::is_long;
use crate::random::judge::{Exactness, Kind, Tally};
use crate::random::traces::Trace;
use serde_json::json;

const CONDITIONS: [&str; 4] = ["!1 <= !2", "!0 == !1", "!2 < 1", "!0 > !2"];

const ASSIGNMENTS: [&str; 7] =
    ["!1 := 0;", "!1 := 1;", "!1 := !0;", "!1 := !2;", "!2 := !0;", "!2 := !1;", "!2 := !2 + 1;"];

/// What handlers of `on q` are put together from; `n` is the state.
const STATEMENTS: [&str; 11] = [
    "n := q;",
    "n := choose x: int where 0 <= x && x <= 1;",
    "either { n := n + 1; } or {}",
    "assume n <= q;",
    "expects q > 0;",
    "if q <= n { reply 0; }",
    "n := pick 0..q;",
    "n := n - either q or 1;",
    "if (choose bool) { n := 2; } else { reply n; }",
    "n := [1, 2][n];",
    "match (n, q) { (0, _) => { n := 1; } (x, 1) if x > 0 => { reply x; } }",
];

/// All traces of that length over queries 0, 1 and these answers.
fn traces(length: usize, answers: &[Answer]) -> Vec<Trace> {
    let events = (0..2).flat_map(|q| answers.iter().map(move |answer| (json!(q), answer.clone())));
    let events: Vec<_> = events.collect();
    let extend = |all: Vec<Trace>, _| {
        all.iter()
            .flat_map(|trace| events.iter().map(|event| [&trace[..], std::slice::from_ref(event)].concat()))
            .collect()
    };
    (0..length).fold(vec![Trace::new()], extend)
}

/// All pairs, by their texts.
fn pairs<'t>(first: &'t [String], second: &'t [String]) -> impl Iterator<Item = String> + 't {
    first.iter().flat_map(move |a| second.iter().map(move |b| format!("{a} {b}")))
}

fn integers(answers: std::ops::Range<i64>) -> Vec<Answer> {
    answers.map(|a| Answer::Is(json!(a))).collect()
}

#[test]
fn all_small_machines_agree_with_brute_force() {
    let assignments = ASSIGNMENTS.map(str::to_owned);
    let branches: Vec<String> =
        pairs(&assignments, &assignments).map(|pair| pair.replacen("; ", "; } else { ", 1)).collect();
    let conditionals = CONDITIONS.iter().flat_map(|c| branches.iter().map(move |b| format!("if {c} {{ {b} }}")));
    let conditionals: Vec<String> = conditionals.collect();
    let domains = || Domains::of(0..=1, &[]);
    let kind = Kind { name: "small machines", exactness: Exactness::Exact, domains };
    let mut tally = Tally::new();
    let after = is_long().then(|| pairs(&assignments, &conditionals)).into_iter().flatten();
    let programs = pairs(&conditionals, &assignments).chain(after);
    let traces = traces(2, &integers(0..3));
    // No factor of the number of programs: each part stands with each other one in some.
    for body in programs.step_by(if is_long() { 1 } else { 3 }) {
        let text = format!("machine m {{ !0 := !0 % 2; {body} }}");
        kind.compare(&text, &traces, &mut tally);
    }
    eprintln!("{tally:?}");
}

#[test]
fn all_small_handlers_agree_with_brute_force() {
    let statements = STATEMENTS.map(str::to_owned);
    let twos: Vec<String> = pairs(&statements, &statements).collect();
    let traces = traces(2, &[integers(0..3), vec![Answer::Nothing, Answer::Hole, Answer::Lost]].concat());
    let domains = || Domains::of(0..=1, &[]);
    let kind = Kind { name: "small handlers", exactness: Exactness::Exact, domains };
    let mut tally = Tally::new();
    let threes = is_long().then(|| pairs(&statements, &twos)).into_iter().flatten();
    for body in twos.iter().cloned().chain(threes).step_by(if is_long() { 1 } else { 3 }) {
        let text = format!("protocol p {{ request int; response int; var n: int = 0; on q {{ {body} reply n; }} }}");
        kind.compare(&text, &traces, &mut tally);
    }
    eprintln!("{tally:?}");
}

/// What begins unknown in a program whose answers are an expression: two integers from 0 to 2.
fn of_unknown_integers(body: &str) -> String {
    let unknown = "choose x: int where 0 <= x && x <= 2";
    format!(
        "protocol p {{ request int; response int; var n: int = {unknown}; var m: int = {unknown}; on q {{ {body} }} }}"
    )
}

/// Judges each program on all traces of two exchanges; no verdict is unknown.
fn compare_all(name: &'static str, bodies: impl Iterator<Item = String>) {
    let domains = || Domains::of(0..=2, &[]);
    let kind = Kind { name, exactness: Exactness::Exact, domains };
    let mut tally = Tally::new();
    let traces = traces(2, &integers(0..4));
    for body in bodies {
        kind.compare(&of_unknown_integers(&body), &traces, &mut tally);
        assert_eq!(tally.get("unknown by the validator"), None, "{body}");
    }
    eprintln!("{tally:?}");
}

/// A range with an unknown bound is what it is for each value of the bound.
#[test]
fn ranges_with_unknown_bounds_agree_with_brute_force() {
    const BOUNDS: [&str; 4] = ["n", "n + 1", "1", "m - n + q"];
    const USES: [&str; 8] = [
        "len(RANGE)",
        "{ let r = RANGE; len(r) + len(r) / 3 }",
        "if RANGE is [x] { x } else { 3 }",
        "match RANGE { [] => 3, [x] => x, [_, x] => x, [_, ..r] => len(r) + 1 }",
        "if RANGE == [1, 2] { 1 } else { 0 }",
        "if q in RANGE { 1 } else { 0 }",
        "{ let r = RANGE + [n]; r[0] }",
        "if n == 1 { len([x for x in RANGE if x != q]) } else { if any x in RANGE: x == m { 2 } else { 3 } }",
    ];
    let ranges = BOUNDS.iter().flat_map(|a| BOUNDS.iter().map(move |b| format!("({a}..{b})")));
    let ranges: Vec<String> = ranges.collect();
    let uses = USES.iter().flat_map(|used| ranges.iter().map(|range| used.replace("RANGE", range)));
    // Every ninth stands with each use and with each bound.
    compare_all("ranges", uses.step_by(if is_long() { 1 } else { 9 }).map(|value| format!("reply {value};")));
}

/// What stands at an unknown position of a list is what stands at each of its positions; outside of it there is a fault.
#[test]
fn lists_at_unknown_positions_agree_with_brute_force() {
    const AT: [&str; 6] = ["n", "n + 1", "1 - n", "n + m", "m - n + q", "[2, 0, 1][n]"];
    const USES: [&str; 16] = [
        "reply [0, 3, 1, 3][AT];",
        "reply if [2, 2, 0][AT] <= q { 1 } else { 2 };",
        "reply if [1, 0, 2][AT] > 0 && [0, 0, 1][n] != 1 { n } else { m };",
        "let l = [1, 0, 2, 1]; reply l[AT] * l[n] - l[n] % 2;",
        "let l = [1, 0, 2]; reply if l[AT] < l[m] { 1 } else { l[n] / 2 };",
        "reply match [None, Some(1), None, Some(3)][AT] { None => 0, Some(x) => x };",
        "let (a, b) = [(0, q), (1, 2), (m, 0)][AT]; reply a + b;",
        "let l = [[0, 1], [2], [1, 1], []][AT]; reply if q == 0 { len(l) } else { l[n] };",
        "reply [0, m, 2, q][AT];",
        "reply len([\"a\", \"\", \"bb\"][AT] + \"c\");",
        "reply if [\"a\", \"\", \"bb\"][AT] < \"aa\" { 1 } else { 0 };",
        "reply [{0: 1}, {1: 2, 0: 3}, {}][AT].get_or(m, 3);",
        "n := [1, 2, 0][AT]; reply m;",
        "m := [0, 2, 2][AT]; n := [0, 1, 1][m]; reply n + m;",
        "assume [true, false, true][AT]; reply n;",
        "assume [0, 1, 0][AT] == [1, 1, 0][n]; reply m + n;",
    ];
    let bodies = USES.iter().flat_map(|used| AT.iter().map(|at| used.replace("AT", at)));
    compare_all("positions", bodies);
}

/// What is under an unknown key of a map with many entries is what is under each of them.
#[test]
fn lookups_among_many_entries_agree_with_brute_force() {
    const AT: [&str; 4] = ["n", "n + m", "m - n + q", "[2, 0, 1][n]"];
    const USES: [&str; 17] = [
        "reply NUMBERS[AT];",
        "reply NUMBERS.get_or(AT, 3);",
        "reply if NUMBERS.get_or(AT, 1) == 1 { n } else { m };",
        "reply if NUMBERS.get_or(AT, q) <= q { 1 } else { 2 };",
        "reply match NUMBERS.get(AT) { None => 3, Some(x) => x * x };",
        "let w = NUMBERS.with(m, 2); reply w.get_or(AT, 3) + len(w) % 2;",
        "let w = NUMBERS.remove(m); reply if w.contains(AT) { w[AT] } else { 3 };",
        "assume NUMBERS.get_or(AT, 0) == NUMBERS.get_or(n, 1); reply m;",
        "assume NUMBERS.get_or(AT, q) == m; n := 0; reply m;",
        "reply OPEN.get_or(AT, 3);",
        "reply if OPEN.get_or(AT, 1) == 1 { n } else { m };",
        "let (a, b) = STRUCTS.get_or(AT, (q, 2)); reply a + b;",
        "reply match OPTIONS.get_or(AT, None) { None => 0, Some(x) => x };",
        "reply if TEXTS.get_or(AT, \"b\") == \"b\" { n } else { m };",
        "reply PAIRS.get_or((1, AT), 3);",
        "reply PAIRS.get_or((AT, n), q);",
        "let w = PAIRS.with((1, m), 2); reply if w.get_or((1, AT), 1) == 1 { n } else { m };",
    ];
    let many = |first: &str, entry: &dyn Fn(usize) -> String| {
        let entries: Vec<String> = (10..30).map(entry).collect();
        format!("{{{first}, {}}}", entries.join(", "))
    };
    let maps = [
        ("NUMBERS", many("0: 1, 1: 2, 2: 1", &|n| format!("{n}: {}", n % 3))),
        ("OPEN", many("0: q, 1: m, 2: 1", &|n| format!("{n}: {}", n % 3))),
        ("STRUCTS", many("0: (1, 0), 1: (m, 1), 2: (0, 0)", &|n| format!("{n}: ({}, 1)", n % 3))),
        ("OPTIONS", many("0: Some(1), 1: None, 3: Some(q)", &|n| format!("{n}: Some({})", n % 3))),
        ("TEXTS", many("0: \"b\", 2: \"a\"", &|n| format!("{n}: \"{}\"", if n % 3 == 0 { "a" } else { "c" }))),
        ("PAIRS", many("(1, 0): 1, (0, 1): 0, (1, 2): 2, (2, 2): q", &|n| format!("(1, {n}): {}", n % 3))),
    ];
    let bodies = USES.iter().flat_map(|used| AT.iter().map(|at| used.replace("AT", at)));
    compare_all("lookups", bodies.map(|body| maps.iter().fold(body, |body, (name, map)| body.replace(name, map))));
}

/// Sets in a set, in which something is not known, are as many as differ.
#[test]
fn sets_of_unknown_sets_agree_with_brute_force() {
    const ELEMENTS: [&str; 5] = ["{1}", "{n}", "{m}", "{n, m}", "{2, m}"];
    const USES: [&str; 4] = [
        "let x = pick SET; reply if q in x { len(x) } else { 0 };",
        "let x = pick SET; let y = pick x; reply y;",
        "reply len(SET);",
        "let x = pick SET; n := 0; let s = SET - {x}; reply if any y in s: m in y { len(s) } else { 3 };",
    ];
    let pairs = ELEMENTS.iter().flat_map(|a| ELEMENTS.iter().map(move |b| format!("{{{a}, {b}}}")));
    let sets: Vec<String> = pairs.chain(["{{1}, {n}, {2, m}}".to_owned(), "{{n}, {m, q}, {2}}".to_owned()]).collect();
    let bodies = USES.iter().flat_map(|used| sets.iter().map(|set| used.replace("SET", set)));
    // Every fourth stands with each use, and another one of the sets with each.
    compare_all("sets of sets", bodies.step_by(if is_long() { 1 } else { 4 }));
}
