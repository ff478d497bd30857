//! Programs that hold a string which nobody knows, judged by the oracle and by the product; and what is too hard, in bounded time.
//!
//! A case is a verdict with its event (0: none), the handlers of a protocol with `var s: string = choose;`, and its trace, in
//! which each word is a request and its answer. Example: a server that appends `x` and answers `ax` held `a`.

use crate::oracle::json::read_trace;
use crate::oracle::{self, Domains};
use crate::random::judge::{Exactness, Kind, Tally, errors, expected};
use mayhap::{Spec, Validator, Verdict, validate};
use std::time::{Duration, Instant};

type Case = (&'static str, usize, &'static str, &'static [(&'static str, &'static str)]);

const APPEND: &str = "on q { s := s + q; reply s; }";
const PREPEND: &str = "on q { s := q + \"-\" + s; reply s; }";
const PREFIX: &str = "on q { reply if s.starts_with(q) { \"yes\" } else { \"no\" }; }";
const SUFFIX: &str = "on q { if s.ends_with(q) { reply \"yes\"; } reply \"no\"; }";
const WITHIN: &str = "on q { if s.contains(q) { reply \"yes\"; } reply \"no\"; }";
const ORDER: &str = "on q { if s < q { reply \"less\"; } reply if s == q { \"same\" } else { \"more\" }; }";
const LENGTH: &str = "on q { if s.starts_with(q) { reply len(s).to_string(); } reply \"no\"; }";
const COUNTER: &str =
    "on q { match s.to_int() { Some(n) => { s := (n + len(q)).to_string(); reply s; } None => { reply \"no\"; } } }";
const NUMERAL: &str = "on q { if q == \"+\" { match s.to_int() { Some(n) if n.to_string() == s => { \
    s := (n + 1).to_string(); reply s; } _ => { reply \"error\"; } } } s := s + q; reply len(s).to_string(); }";
const CASE: &str = "on q { if q.lower() == s.lower() { reply \"same\"; } reply \"other\"; }";
const NAMES: &str = "var n: int = 0; on q { n := n + 1; reply s + n.to_string() + q; }";
const WORDS: &str = "on q { if len(s) > 3 { reply \"long\"; } match s.split(q) { [_] => { reply \"one\"; } \
    [\"a\", k] => { reply k; } [_, _] => { reply \"two\"; } [_, _, k, ..] => { reply k; } [] => { reply \"none\"; } } }";
const ENDS: &str = "on q { if len(s) < 2 { reply s; } reply s[0..1] + q + s[1..2]; }";

const CASES: &[Case] = &[
    ("accept", 0, APPEND, &[("b", "ab"), ("A", "abA")]),
    ("reject", 2, APPEND, &[("b", "ab"), ("A", "bbA")]),
    ("reject", 1, APPEND, &[("b", "a")]),
    ("accept", 0, PREPEND, &[("b", "b-1"), ("A", "A-b-1")]),
    ("reject", 2, PREPEND, &[("b", "b-1"), ("A", "A-b-a")]),
    ("reject", 1, PREPEND, &[("b", "b1")]),
    ("accept", 0, PREFIX, &[("ab", "yes"), ("a", "yes"), ("b", "no"), ("", "yes")]),
    ("reject", 2, PREFIX, &[("ab", "yes"), ("b", "yes")]),
    ("reject", 2, PREFIX, &[("ab", "yes"), ("a", "no")]),
    ("reject", 2, PREFIX, &[("a", "no"), ("ab", "yes")]),
    ("accept", 0, SUFFIX, &[("ab", "yes"), ("b", "yes"), ("aab", "no")]),
    ("reject", 3, SUFFIX, &[("b", "no"), ("a", "yes"), ("ab", "yes")]),
    ("accept", 0, WITHIN, &[("ab", "yes"), ("aa", "no"), ("b", "yes")]),
    ("reject", 2, WITHIN, &[("b", "no"), ("ab", "yes")]),
    ("accept", 0, ORDER, &[("b", "less"), ("a", "more"), ("a1", "same"), ("a1", "same")]),
    ("reject", 2, ORDER, &[("b", "less"), ("b", "more")]),
    ("reject", 3, ORDER, &[("b", "less"), ("a", "more"), ("A", "same")]),
    ("reject", 3, ORDER, &[("b", "less"), ("ab", "more"), ("aa", "same")]),
    ("accept", 0, LENGTH, &[("ab", "3"), ("aba", "3"), ("a", "3")]),
    ("reject", 2, LENGTH, &[("ab", "2"), ("abA", "2")]),
    ("reject", 1, LENGTH, &[("ab", "1")]),
    ("reject", 1, LENGTH, &[("ab", "03")]),
    ("accept", 0, COUNTER, &[("a", "12"), ("bb", "14")]),
    ("accept", 0, COUNTER, &[("a", "-10"), ("a", "-9"), ("bbb", "-6")]),
    ("accept", 0, COUNTER, &[("a", "no"), ("bb", "no")]),
    ("reject", 2, COUNTER, &[("a", "12"), ("bb", "13")]),
    ("reject", 2, COUNTER, &[("a", "no"), ("bb", "13")]),
    ("reject", 1, COUNTER, &[("a", "-0")]),
    ("reject", 1, COUNTER, &[("a", "01")]),
    ("accept", 0, NUMERAL, &[("1", "3"), ("+", "-10"), ("+", "-9")]),
    ("accept", 0, NUMERAL, &[("1", "2"), ("+", "error"), ("a", "3")]),
    ("accept", 0, NUMERAL, &[("+", "error"), ("+", "error"), ("1", "4")]),
    ("reject", 2, NUMERAL, &[("1", "3"), ("+", "12")]),
    ("reject", 3, NUMERAL, &[("1", "2"), ("+", "12"), ("+", "12")]),
    ("reject", 3, NUMERAL, &[("1", "2"), ("+", "error"), ("+", "12")]),
    ("accept", 0, CASE, &[("Ab", "same"), ("aB", "same"), ("a", "other")]),
    ("reject", 2, CASE, &[("Ab", "same"), ("aB", "other")]),
    ("reject", 2, CASE, &[("Ab", "same"), ("Aba", "same")]),
    ("accept", 0, NAMES, &[("a", "b1a"), ("a", "b2a")]),
    ("accept", 0, NAMES, &[("", "11"), ("", "12")]),
    ("reject", 2, NAMES, &[("a", "b1a"), ("a", "b1a")]),
    ("accept", 0, WORDS, &[(" ", "b"), (" ", "b"), ("-", "one")]),
    ("accept", 0, WORDS, &[(" ", "two"), (" ", "two")]),
    ("accept", 0, WORDS, &[("aa", "two"), ("a", "1"), ("1", "two")]),
    ("reject", 2, WORDS, &[(" ", "b"), (" ", "a")]),
    ("reject", 2, WORDS, &[(" ", "one"), (" ", "two")]),
    ("reject", 2, WORDS, &[(" ", "b"), ("b", "one")]),
    ("reject", 1, WORDS, &[(" ", "a b")]),
    ("accept", 0, ENDS, &[("-", "a-b"), ("", "ab")]),
    ("accept", 0, ENDS, &[("-", "a"), ("", "a")]),
    ("reject", 2, ENDS, &[("-", "a-b"), ("", "aa")]),
];

fn text(members: &str) -> String {
    format!("protocol p {{ request string; response string; var s: string = choose; {members} }}")
}

fn trace(exchanges: &[(&str, &str)]) -> String {
    let line = |(q, a): &(&str, &str)| serde_json::json!({"q": q, "a": a}).to_string();
    exchanges.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// All strings of up to three of six letters.
fn domains() -> Domains {
    let letters = ["a", "b", "A", " ", "1", "-"];
    let mut strings = vec![String::new()];
    let mut last = strings.clone();
    for _ in 0..3 {
        last = last.iter().flat_map(|text| letters.map(|letter| format!("{text}{letter}"))).collect();
        strings.extend(last.iter().cloned());
    }
    Domains { strings, ..Domains::of(-3..=3, &[]) }
}

#[test]
fn the_oracle_has_these_verdicts() {
    for &(verdict, event, members, exchanges) in CASES {
        assert_eq!(errors(&text(members)), [""; 0]);
        let outcome = expected(&oracle::load(&text(members)), &read_trace(&trace(exchanges)), domains());
        let known = (verdict.to_owned(), (event > 0).then_some(event));
        assert_eq!(outcome, Some(known), "{members}\n{exchanges:?}");
    }
}

#[test]
fn the_validator_has_them_too() {
    let kind = Kind { name: "texts", exactness: Exactness::Exact, domains };
    for (_, _, members, exchanges) in CASES {
        let mut tally = Tally::new();
        kind.compare(&text(members), [&read_trace(&trace(exchanges))], &mut tally);
        assert_eq!(tally.get("unknown by the validator"), None, "{members}\n{exchanges:?}");
    }
}

/// Questions that no tier decides (their two sides have another number of some letter): the members of a protocol, its trace.
const HARD: &[(&str, &[(&str, &str)])] = &[
    (
        "var t: string = choose; on q { if s + \"a\" + t == t + \"b\" + s { reply \"a\"; } reply q; }",
        &[("x", "a"), ("y", "a")],
    ),
    (
        "var t: string = choose; on q { if s.lower() + q + t == t + \"b\" + s.lower() && t.split(\"-\") == [s, s] \
         { reply \"a\"; } reply q; }",
        &[("x", "a"), ("b", "b")],
    ),
    (
        "var t: bytes = choose; var u: bytes = choose; on q { if t + \"a\" + u == u + \"b\" + t { reply \"a\"; } reply q; }",
        &[("x", "a"), ("y", "a")],
    ),
];

#[test]
fn what_is_too_hard_is_unknown_in_bounded_time() {
    for (members, exchanges) in HARD {
        let spec = Spec::from_text(&text(members)).unwrap();
        let start = Instant::now();
        let mut validator = Validator::new(&spec);
        for exchange in validate::Exchanges::new(&spec, trace(exchanges).as_bytes()) {
            validator.observe_exchange(&exchange.unwrap());
        }
        let verdict = validator.verdict();
        let Verdict::Unknown { doubt: why, .. } = &verdict else { panic!("{verdict:?}: {members}") };
        let why = why.to_string();
        assert!(why.contains("unknown strings") || why.contains("time limit"), "{why}");
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    }
}

/// `?b` explains the answer, which no tier knows of octets; that an empty one is sliced is known.
#[test]
fn a_fault_is_a_warning_where_something_else_may_explain_the_trace() {
    let spec =
        Spec::from_text(&text("var y: bytes = choose; on q { if y[1..len(y)] == \"b\" { reply \"b\"; } reply q; }"))
            .unwrap();
    let mut validator = Validator::new(&spec);
    for exchange in validate::Exchanges::new(&spec, trace(&[("x", "b")]).as_bytes()) {
        validator.observe_exchange(&exchange.unwrap());
    }
    let verdict = validator.verdict();
    assert!(matches!(verdict, Verdict::Unknown { warning: Some(_), .. }), "{verdict:?}");
}

/// Whether the empty list is read was not decided, so the answer that nothing else explains is not rejected.
#[test]
fn a_fault_that_was_not_decided_rejects_nothing() {
    let members = "var t: bytes = choose; var u: bytes = choose; \
                   on q { if t + \"a\" + u == u + \"b\" + t { let none: list<string> = []; reply none[0]; } reply q; }";
    let spec = Spec::from_text(&text(members)).unwrap();
    let mut validator = Validator::new(&spec);
    for exchange in validate::Exchanges::new(&spec, trace(&[("x", "b")]).as_bytes()) {
        validator.observe_exchange(&exchange.unwrap());
    }
    let verdict = validator.verdict();
    assert!(matches!(verdict, Verdict::Unknown { warning: None, .. }), "{verdict:?}");
}
