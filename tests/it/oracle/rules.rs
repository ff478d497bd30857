//! The finer rules of the semantics, each by the smallest program that shows it, and programs that hold a string which nobody
//! knows, judged by the oracle and by the product.
//!
//! Example: in `on q { expects q > 0; reply 1; }` a query 0 is the client's fault: outside. A server that appends `x` and answers
//! `ax` held `a`.

use crate::judge::{compiled, verdict};
use crate::oracle::json::read_trace;
use crate::oracle::{self, Domains};
use crate::programs;
use crate::random::judge::{Exactness, Kind, Tally, errors, expected};
use mayhap::Verdict;

/// A file of programs, what each is a part of, and what `choose` ranges over for the oracle.
type File = (&'static str, &'static str, fn() -> Domains);

const FILES: [File; 3] = [
    ("rules", INTEGERS, || Domains { inside: 2, ..Domains::of(-3..=3, &[]) }),
    ("whole", INTEGERS, || Domains { inside: 3, ..Domains::of([1, 2, 3, 0, -1, -2, -3], &[]) }),
    ("texts", TEXTS, short_strings),
];

const INTEGERS: &str = "request int; response int; var n: int = 0; var m: map<int, int> = {};";
const TEXTS: &str = "request string; response string; var s: string = choose;";

/// All strings of up to three of six letters.
fn short_strings() -> Domains {
    let letters = ["a", "b", "A", " ", "1", "-"];
    let mut strings = vec![String::new()];
    let mut last = strings.clone();
    for _ in 0..3 {
        last = last.iter().flat_map(|text| letters.map(|letter| format!("{text}{letter}"))).collect();
        strings.extend(last.iter().cloned());
    }
    Domains { strings, ..Domains::of(-3..=3, &[]) }
}

fn protocol(head: &str, members: &str) -> String {
    let is_item = |line: &&str| line.starts_with("fn ");
    let (items, members): (Vec<&str>, Vec<&str>) = members.lines().partition(is_item);
    format!("{} protocol p {{ {head} {} }}", items.concat(), members.join(" "))
}

#[test]
fn the_oracle_has_these_verdicts() {
    for (file, head, domains) in FILES {
        for program in programs::read(file) {
            let text = protocol(head, &program.members);
            assert_eq!(errors(&text), [""; 0]);
            for case in program.cases {
                let found = expected(&oracle::load(&text), &read_trace(&case.trace), domains());
                assert_eq!(found, Some((case.verdict.as_str(), case.event)), "{text}\n{}", case.trace);
            }
        }
    }
}

#[test]
fn the_validator_has_them_too() {
    for (file, head, domains) in FILES {
        let (kind, mut tally) = (Kind { name: file, exactness: Exactness::Exact, domains }, Tally::new());
        for program in programs::read(file) {
            let traces: Vec<_> = program.cases.iter().map(|case| read_trace(&case.trace)).collect();
            kind.compare(&protocol(head, &program.members), &traces, &mut tally);
            assert_eq!(tally.get("unknown by the validator"), None, "{}", program.members);
        }
    }
}

/// The loop runs over the list that was seen: over one of unknown length it has no end.
#[test]
fn what_follows_an_answer_is_told_of_what_was_seen() {
    let sums = "request int; response list<int>;
        on q { let l = choose list<int>; reply l then { var n = 0; for x in l { n := n + x; } assume n == q; } }";
    let spec = compiled(&protocol(sums, ""));
    let of = |sum: usize| verdict(&spec, &format!("{{\"q\":{sum},\"a\":{:?}}}\n", vec![2; 100]));
    assert!(of(200).is_accept(), "{:?}", of(200));
    assert!(matches!(of(199), Verdict::Reject { .. }), "{:?}", of(199));
}

/// A fault of a run that may not be is a warning where something else may explain the trace: `?b` explains the answer, which no
/// tier knows of octets; that an empty one is sliced is known. Where whether there is a fault was not decided, it is none.
#[test]
fn a_fault_that_was_not_decided_rejects_nothing() {
    let sliced = "var y: bytes = choose; on q { if y[1..len(y)] == \"b\" { reply \"b\"; } reply q; }";
    let undecided = "var t: bytes = choose; var u: bytes = choose;
        on q { if t + \"a\" + u == u + \"b\" + t { let none: list<string> = []; reply none[0]; } reply q; }";
    for (members, is_warned) in [(sliced, true), (undecided, false)] {
        let said = verdict(&compiled(&protocol(TEXTS, members)), "{\"q\":\"x\",\"a\":\"b\"}\n");
        assert!(matches!(&said, Verdict::Unknown { warning, .. } if warning.is_some() == is_warned), "{said:?}");
    }
}
