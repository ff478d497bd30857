//! A server that was not reset, and a recording with gaps: every accepted trace is still accepted when nothing is known of
//! how it began, and when answers are missing; and the candidates stay few.
//!
//! `lease/accept_expired.ndjson` with `FRESH` set to false, and its second answer a hole, is still accepted: the missing
//! answer is one that the server gave.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::judge::{compiled, exchanges, judged, named, verdict, with_holes};
use crate::shipped::{self, Shipped};
use mayhap::judge::Options;
use mayhap::{Exchange, Spec, Verdict};

/// One answer in so many is replaced by a hole.
const GAP: usize = 10;
/// A short trace needs no more candidates than this, whatever is unknown.
const CANDIDATES: usize = 24;

/// Judges exchanges that must be accepted, with few candidates.
fn accepted(spec: &Arc<Spec>, exchanges: &[Exchange], what: &str) {
    let validator = judged(spec, Options::default(), exchanges);
    assert!(validator.verdict().is_accept(), "{what}: {:?}", validator.verdict());
    let most = validator.counts().candidates_max;
    assert!(most <= CANDIDATES, "{what}: {most} candidates");
}

/// Those that can start unknown, each compiled so.
fn unreset() -> Vec<(Shipped, Arc<Spec>)> {
    let unknown = |shipped: Shipped| {
        let spec = shipped.unknown()?.unwrap_or_else(|error| panic!("{}: {error}", shipped.name));
        Some((shipped, spec))
    };
    shipped::all().into_iter().filter(|shipped| !LISTED.contains(&shipped.name.as_str())).filter_map(unknown).collect()
}

/// What goes through a whole collection, which an unknown one does not allow: it cannot start unknown.
const LISTED: [&str; 1] = ["pages"];

#[test]
fn accepted_traces_stay_accepted() {
    let mut judged = 0;
    for (shipped, spec) in unreset() {
        for (name, trace) in shipped.traces("accept") {
            let whole = exchanges(&spec, &trace);
            accepted(&spec, &whole, &name);
            for first in 0..GAP.min(whole.len()) {
                let what = format!("{name}, holes from {first}");
                accepted(&spec, &with_holes(whole.clone(), first, GAP), &what);
                judged += 1;
            }
        }
    }
    assert!(judged > 200, "only {judged} traces were judged");
}

#[test]
fn holes_alone_change_nothing() {
    for shipped in shipped::all() {
        let spec = shipped.compile().unwrap_or_else(|error| panic!("{}: {error}", shipped.name));
        for (name, trace) in shipped.traces("accept") {
            let whole = exchanges(&spec, &trace);
            for first in 0..GAP.min(whole.len()) {
                let what = format!("{name}, holes from {first}");
                accepted(&spec, &with_holes(whole.clone(), first, GAP), &what);
            }
        }
    }
}

#[test]
fn a_long_unknown_list_is_shown_whole() {
    let text = "protocol p { request int; response list<int>; var l: list<int> = choose; on q { reply l; } }";
    let spec = compiled(text);
    let shown: Vec<i64> = (0..1_000).collect();
    let line = |list: &[i64]| format!("{{\"q\":1,\"a\":{list:?}}}\n");
    accepted(&spec, &exchanges(&spec, &line(&shown).repeat(3)), "the same list each time");
    let mut other = shown.clone();
    other[999] = 0;
    let two = verdict(&spec, &(line(&shown) + &line(&other)));
    assert!(matches!(two, Verdict::Reject { .. }), "two lists: {two:?}");
}

/// What started unknown may not be counted. What a lost request, a step or a choice may have put in its place may be: that
/// run explains the answer, and the fault of the other one is a warning.
#[test]
fn what_may_have_been_replaced_may_be_counted() {
    const COUNTED: &str = "var u: set<int> = choose; on 0 { CHANGE reply 7; } on 1 { reply len(u); }";
    let (first, second) = ("{\"q\":0,\"a\":7}\n", "{\"q\":1,\"a\":1}\n");
    for (members, trace) in [
        (COUNTED.replace("CHANGE", "u := {5};"), "{\"q\":0,\"lost\":true}\n".to_owned() + second),
        (COUNTED.replace("CHANGE", "") + " step { u := {5}; }", second.to_owned()),
        (COUNTED.replace("CHANGE", "either { u := {5}; } or {}"), first.to_owned() + second),
        (COUNTED.replace("CHANGE", "u := either u or {5};"), first.to_owned() + second),
        (COUNTED.replace("CHANGE", "if choose bool { u := {5}; }"), first.to_owned() + second),
        (
            "var u: set<int> = choose; on _ { let d = either u or {5}; reply if u == d { 1 } else { 0 }; }".to_owned(),
            second.to_owned(),
        ),
        (
            "var m: map<bool, set<int>> = choose; on 0 { m[true] := {5}; reply 7; } on _ { reply len(m[true]); }"
                .to_owned(),
            "{\"q\":0,\"lost\":true}\n".to_owned() + second,
        ),
    ] {
        let spec = compiled(&format!("protocol p {{ request int; response int; {members} }}"));
        let said = verdict(&spec, &trace);
        assert!(matches!(said, Verdict::Accept { warning: Some(_) }), "{members}: {said:?}");
        let said = verdict(&spec, &trace.replace("\"q\":1,\"a\":1", "\"q\":1,\"a\":4"));
        assert!(matches!(said, Verdict::Fault(_)), "{members}: {said:?}");
    }
}

/// Orders with records in lists and maps, of which nothing is known at first.
const ORDERS: &str = "
    struct Line { sku: string, n: int, tags: map<string, string>, note: option<json> }
    struct Order { lines: list<Line>, by_name: map<string, option<Line>> }
    protocol orders {
        request string;
        response Order;
        var orders: map<string, Order> = choose;
        on name { assume orders.contains(name); reply orders[name]; }
    }";

/// The answer has many parts, each of which is looked at before all are compared once.
#[test]
fn a_large_answer_from_an_unknown_state_is_judged_at_once() {
    let spec = Spec::from_text(ORDERS).unwrap();
    let line = |n: i32| format!(r#"{{"sku": "s{n}", "n": {n}, "tags": {{"a": "b", "c": "d"}}, "note": null}}"#);
    let lines = (0..160).map(line).collect::<Vec<_>>().join(", ");
    let by_name = (0..160).map(|n| format!(r#""m{n}": {}"#, line(n))).collect::<Vec<_>>().join(", ");
    let answered = format!(r#"{{"q": "x", "a": {{"lines": [{lines}], "by_name": {{{by_name}}}}}}}"#);
    let again = answered.replace(r#""sku": "s159""#, r#""sku": "s160""#);
    let began = Instant::now();
    for (second, expected) in [(&answered, ("accept", None)), (&again, ("reject", Some(2)))] {
        let said = verdict(&spec, &format!("{answered}\n{second}\n"));
        assert_eq!(named(&said), expected);
    }
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
}
