//! A lookup under a key that is not known costs the same, however long the history is.
//!
//! A blob store shows the id of a blob some requests after it was put, an authorization server hands out a token later than it makes it:
//! until then the id differs from all ids that stand for something else.

use crate::judge::{compiled, exchanges};
use crate::workload::{simulate, workload};
use mayhap::judge::Judge;
use mayhap::term::made;
use mayhap::{Exchange, Options, Spec, Verdict};
use std::sync::Arc;

/// Four times as many exchanges may take this many tenths of the work: now and then a pass goes over the whole state, which grows.
const GROWTH: u64 = 55;
/// The number of exchanges of the shorter recording, about.
const FEW: u64 = 1_000;

const BLOBS: &str = include_str!("../../data/natural/blobs.may");

/// Two blobs are put before the id of the first one is shown; every seventh has a content that others had.
fn blobs(count: u64) -> String {
    let body = |n: u64| if n.is_multiple_of(7) { format!("same {}", n % 5) } else { format!("b{n}") };
    let each = |round: u64| {
        let [one, two, old] = [2 * round, 2 * round + 1, 2 * (round / 2)];
        let stat = |name: &str, n: u64| {
            format!(r#"{{"q":{{"Stat":{{"name":"{name}"}}}},"a":{{"Is":{{"id":"i{n}","size":{}}}}}}}"#, body(n).len())
        };
        [
            format!(r#"{{"q":{{"Put":{{"name":"a","body":"{}"}}}},"a":"Done"}}"#, body(one)),
            format!(r#"{{"q":{{"Put":{{"name":"b","body":"{}"}}}},"a":"Done"}}"#, body(two)),
            stat("a", one),
            format!(r#"{{"q":{{"Get":{{"id":"i{old}"}}}},"a":{{"Content":"{}"}}}}"#, body(old)),
            stat("b", two),
        ]
        .join("\n")
    };
    (0..count / 5).map(each).collect::<Vec<String>>().join("\n")
}

const TOKENS: &str = include_str!("../../data/natural/tokens.may");

/// Two tokens are made before the first one is handed out; now and then one of two users is forgotten while both wait for theirs.
fn tokens(count: u64) -> String {
    let each = |round: u64| {
        let [one, two] = [2 * round, 2 * round + 1];
        let authorize =
            |user: &str, n: u64| format!(r#"{{"q":{{"Authorize":{{"user":"{user}","scope":{}}}}},"a":"Done"}}"#, n % 5);
        let exchange = |user: &str, n: u64| {
            let granted = format!(r#"{{"Granted":{{"token":"t{n}","scope":{}}}}}"#, n % 5);
            format!(r#"{{"q":{{"Exchange":{{"user":"{user}"}}}},"a":{granted}}}"#)
        };
        let check = |n: u64, user: &str| {
            let is = format!(r#"{{"Is":{{"user":"{user}","scope":{}}}}}"#, n % 5);
            format!(r#"{{"q":{{"Check":{{"token":"t{n}"}}}},"a":{is}}}"#)
        };
        let mut lines = vec![authorize("a", one), authorize("b", two)];
        if round % 20 == 19 {
            lines.push(r#"{"q":{"Revoke":{"user":"a"}},"a":"Done"}"#.to_owned());
            lines.push(r#"{"q":{"Exchange":{"user":"a"}},"a":"Denied"}"#.to_owned());
        } else {
            lines.extend([exchange("a", one), check(one, "a")]);
        }
        lines.push(exchange("b", two));
        if round % 20 == 9 {
            lines.push(r#"{"q":{"Revoke":{"user":"b"}},"a":"Done"}"#.to_owned());
        }
        lines.join("\n")
    };
    (0..count / 5).map(each).collect::<Vec<String>>().join("\n")
}

const PAIRS: &str = include_str!("../../data/natural/pairs.may");

/// Three files are put, and then read in another order.
fn pairs(count: u64) -> String {
    let each = |round: u64| {
        let put = |n: u64| format!(r#"{{"q":{{"Put":{{"path":"p{n}","body":"b{round}"}}}},"a":"Done"}}"#);
        let get = |n: u64| {
            format!(r#"{{"q":{{"Get":{{"path":"p{n}"}}}},"a":{{"Is":{{"tag":"t{round}","body":"b{round}"}}}}}}"#)
        };
        [put(0), put(1), put(2), get(1), get(0), get(2)].join("\n")
    };
    (0..count / 6).map(each).collect::<Vec<String>>().join("\n")
}

/// A file has a tag or none, and no strong tag stands for two contents of a path: whether a new content makes a strong one is not shown
/// before the file is read.
const TAGS: &str = include_str!("../../data/natural/tags.may");

/// Three files are put, and then read in another order; every fifth has no tag, every third a weak one.
fn tags(count: u64) -> String {
    let put =
        |n: u64, round: u64| format!(r#"{{"q":{{"Put":{{"path":"p{n}","body":"b{}"}}}},"a":"Done"}}"#, round * 3 + n);
    let get = |n: u64, round: u64| {
        let number = round * 3 + n;
        let tag = match number {
            _ if number.is_multiple_of(5) => "null".to_owned(),
            _ => format!(r#"{{"weak":{},"opaque":"t{number}"}}"#, (round + n) % 3 == 1),
        };
        let is = format!(r#"{{"Is":{{"tag":{tag},"body":"b{number}"}}}}"#);
        format!(r#"{{"q":{{"Get":{{"path":"p{n}"}}}},"a":{is}}}"#)
    };
    let each = |round: u64| {
        [put(0, round), put(1, round), put(2, round), get(1, round), get(0, round), get(2, round)].join("\n")
    };
    (0..count / 6).map(each).collect::<Vec<String>>().join("\n")
}

/// The verdict on exchanges, and the work in made terms.
fn judged(spec: &Arc<Spec>, exchanges: &[Exchange]) -> (Verdict, u64) {
    let mut judge = Judge::new(spec.clone(), Options::default());
    let before = made();
    exchanges.iter().all(|exchange| judge.observe(exchange));
    (judge.verdict(), made() - before)
}

/// Checks that the work grows as the recording does, and that one wrong answer at the end is rejected.
fn check(text: &str, lines: fn(u64) -> String, wrong: &str) {
    let spec = compiled(text);
    let [few, many] = [FEW, 4 * FEW].map(|count| judged(&spec, &exchanges(&spec, &lines(count))));
    assert!(few.0.is_accept() && many.0.is_accept(), "{:?} {:?}", few.0, many.0);
    assert!(
        many.1 * 10 <= few.1 * GROWTH,
        "{} made terms for {FEW} exchanges, {} for four times as many",
        few.1,
        many.1
    );
    let with_mistake = format!("{}\n{wrong}", lines(FEW));
    let (verdict, _) = judged(&spec, &exchanges(&spec, &with_mistake));
    assert!(matches!(verdict, Verdict::Reject { .. }), "{verdict:?} after {wrong}");
}

#[test]
fn ids_that_are_shown_late_cost_the_same_after_a_long_history() {
    check(BLOBS, blobs, r#"{"q":{"Get":{"id":"i8"}},"a":{"Content":"another"}}"#);
    check(TOKENS, tokens, r#"{"q":{"Check":{"token":"t0"}},"a":{"Is":{"user":"a","scope":0}}}"#);
    check(PAIRS, pairs, r#"{"q":{"Get":{"path":"p0"}},"a":{"Is":{"tag":"t9","body":"b9"}}}"#);
    check(TAGS, tags, r#"{"q":{"Get":{"path":"p2"}},"a":{"Is":{"tag":{"weak":false,"opaque":"t11"},"body":"b11"}}}"#);
}

#[test]
fn the_tags_of_http_cost_the_same_after_a_long_history() {
    let judged = |count| {
        let recording = simulate(&workload("http", "specs/http.may"), count, 4);
        judged(&recording.spec, &recording.exchanges)
    };
    let [few, many] = [FEW, 4 * FEW].map(judged);
    assert!(few.0.is_accept() && many.0.is_accept());
    assert!(
        many.1 * 10 <= few.1 * GROWTH,
        "{} made terms for {FEW} exchanges, {} for four times as many",
        few.1,
        many.1
    );
}
