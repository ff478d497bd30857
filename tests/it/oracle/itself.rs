//! The oracle against verdicts that it did not compute: the traces of the shipped specifications, and those of independent programs.
//!
//! Example: `bag.may` with `bag_07.ndjson` is rejected at event 6, says `manifest.tsv`; brute force must say the same.

use crate::judge::{Case, cases, text};
use crate::oracle::json::read_trace;
use crate::oracle::{self, Domains, Oracle, Outcome};
use num_bigint::BigInt;
use std::collections::BTreeSet;

/// The verdict of brute force on a case, whose event is a line of the trace, as in a manifest.
fn judge(case: &Case, domains: Domains) -> Outcome {
    let (file, trace) = (oracle::load(&text(&case.spec)), text(&case.trace));
    // The oracle counts exchanges.
    let header = usize::from(trace.starts_with("{\"mayhap\""));
    match Oracle::new(&file, None, domains).brute_force(&read_trace(&trace)) {
        Outcome::Reject { event } => Outcome::Reject { event: event + header },
        other => other,
    }
}

fn check(case: &Case, domains: Domains) {
    let outcome = judge(case, domains);
    let same = match outcome {
        Outcome::Accept { .. } => case.verdict == "accept",
        Outcome::Reject { event } => case.verdict == "reject" && case.event == Some(event as u64),
        Outcome::Outside { .. } | Outcome::Fault { .. } | Outcome::TooLarge => false,
    };
    assert!(same, "{}: {outcome:?}, but known to be {} {:?}", case.name, case.verdict, case.event);
}

/// Integers that suffice for the protocols of the suite, whose states are integers near those of the trace.
fn ints(case: &Case) -> Vec<i64> {
    // Whole maps are enumerated here: as few integers as the trace mentions, and one more.
    if case.name.starts_with("two_maps") { (0..=5).chain([99]).collect() } else { (-15..=30).collect() }
}

#[test]
fn protocols_get_their_known_verdicts() {
    for case in cases("tests/data/conformance/protocol", "tests/data/conformance/protocol") {
        check(&case, Domains::of(ints(&case), &["x", "y", "z"]));
    }
}

/// The smallest integers, those that a trace mentions and their neighbours: a choice that is only compared needs no others,
/// unless requests are counted.
fn mentioned(case: &Case) -> Vec<BigInt> {
    let trace = text(&case.trace);
    let counted = if case.name.starts_with("sessions/") { trace.lines().count() + 1 } else { 2 };
    let numbers = trace.split(|c: char| !c.is_ascii_digit() && c != '-').filter_map(|n| n.parse::<BigInt>().ok());
    let near: BTreeSet<BigInt> = numbers.flat_map(|n| [&n - 1, n.clone(), n + 1]).collect();
    near.into_iter().chain((0..=counted).map(BigInt::from)).collect::<BTreeSet<_>>().into_iter().collect()
}

#[test]
fn shipped_specifications_get_their_verdicts() {
    let all = cases("tests/data/traces", "specs");
    assert!(all.len() > 60);
    // Brute force is no match for hundreds of exchanges, each of which may have changed a file, nor for the numbers that
    // memcached gives to all changes, in which there must be room for those between two that a trace mentions; nor for the tags and
    // dates of web servers.
    let is_large = |case: &Case| ["memcached/", "http/"].iter().any(|name| case.name.starts_with(name));
    let small = |case: &Case| text(&case.trace).lines().count() < 100 && !is_large(case);
    for case in all.into_iter().filter(small) {
        check(&case, Domains { ints: mentioned(&case), ..Domains::default() });
    }
}

#[test]
fn opaque_json_gets_its_verdicts() {
    let all = cases("tests/data/json", "tests/data/json");
    assert!(all.len() > 10);
    for case in all {
        check(&case, Domains::default());
    }
}

/// Choices of machines are unbounded, so that a finite domain may reject too much or too early, never too little.
#[test]
fn machines_never_contradict_their_known_verdicts() {
    let (mut decided, all) = (0, cases("tests/data/conformance/machine", "tests/data/conformance/machine"));
    for case in &all {
        let outcome = judge(case, Domains::of(-12..=12, &[]));
        let (possible, exact) = match outcome {
            Outcome::Accept { .. } => (case.verdict == "accept", true),
            Outcome::Reject { event } => {
                let event = event as u64;
                (case.event.is_none_or(|known| event <= known), case.event == Some(event))
            }
            Outcome::TooLarge => (true, false),
            Outcome::Outside { .. } | Outcome::Fault { .. } => (false, false),
        };
        assert!(possible, "{}: {outcome:?}, but known to be {} {:?}", case.name, case.verdict, case.event);
        decided += usize::from(exact);
    }
    eprintln!("{decided} of {} machines decided exactly", all.len());
    assert!(decided * 10 >= all.len() * 8, "only {decided} machines decided exactly");
}
