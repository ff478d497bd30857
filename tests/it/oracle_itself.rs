//! The oracle against verdicts that it did not compute: the traces of the shipped specifications, and a conformance suite.
//!
//! The suite lies beside the checkout (`../shared/conformance`); where it does not, its tests say so and pass.
//!
//! Example: `bag.may` with `bag_07.ndjson` is rejected at event 6, says `manifest.tsv`; brute force must say the same.

use crate::oracle::json::read_trace;
use crate::oracle::{self, Domains, Oracle, Outcome};
use num_bigint::BigInt;
use std::collections::BTreeSet;
use std::fs::read_to_string;
use std::path::Path;

/// A line of a manifest.
struct Case {
    name: String,
    spec: String,
    trace: String,
    verdict: String,
    event: Option<usize>,
}

fn cases(specs: &Path, traces: &Path) -> Vec<Case> {
    let Ok(manifest) = read_to_string(traces.join("manifest.tsv")) else {
        eprintln!("skipped: there is no {}", traces.display());
        return Vec::new();
    };
    let case = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        Case {
            name: columns[1].to_owned(),
            spec: read_to_string(specs.join(columns[0])).expect("a specification"),
            trace: read_to_string(traces.join(columns[1])).expect("a trace"),
            verdict: columns[2].to_owned(),
            event: columns[3].parse().ok(),
        }
    };
    manifest.lines().skip(1).map(case).collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn suite(folder: &str) -> Vec<Case> {
    let suite = root().join("../shared/conformance").join(folder);
    cases(&suite, &suite)
}

fn judge(case: &Case, domains: Domains) -> Outcome {
    let file = oracle::load(&case.spec);
    Oracle::new(&file, None, domains).brute_force(&read_trace(&case.trace))
}

fn check(case: &Case, domains: Domains) {
    let outcome = judge(case, domains);
    // A manifest counts lines, the oracle exchanges.
    let header = usize::from(case.trace.starts_with("{\"mayhap\""));
    let same = match outcome {
        Outcome::Accept { .. } => case.verdict == "accept",
        Outcome::Reject { event } => case.verdict == "reject" && case.event == Some(event + header),
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
    for case in suite("protocol") {
        check(&case, Domains::of(ints(&case), &["x", "y", "z"]));
    }
}

/// The smallest integers, those that a trace mentions and their neighbours: a choice that is only compared needs no others,
/// unless requests are counted.
fn mentioned(case: &Case) -> Vec<BigInt> {
    let counted = if case.name.starts_with("sessions/") { case.trace.lines().count() + 1 } else { 2 };
    let numbers = case.trace.split(|c: char| !c.is_ascii_digit() && c != '-').filter_map(|n| n.parse::<BigInt>().ok());
    let near: BTreeSet<BigInt> = numbers.flat_map(|n| [&n - 1, n.clone(), n + 1]).collect();
    near.into_iter().chain((0..=counted).map(BigInt::from)).collect::<BTreeSet<_>>().into_iter().collect()
}

#[test]
fn shipped_specifications_get_their_verdicts() {
    let all = cases(&root().join("specs"), &root().join("tests/data/traces"));
    assert!(all.len() > 60);
    // Brute force is no match for hundreds of exchanges, each of which may have changed a file, nor for the numbers that
    // memcached gives to all changes, in which there must be room for those between two that a trace mentions.
    let small = |case: &Case| case.trace.lines().count() < 100 && !case.name.starts_with("memcached/");
    for case in all.into_iter().filter(small) {
        check(&case, Domains { ints: mentioned(&case), ..Domains::default() });
    }
}

#[test]
fn opaque_json_gets_its_verdicts() {
    let directory = root().join("tests/data/json");
    let all = cases(&directory, &directory);
    assert!(all.len() > 10);
    for case in all {
        check(&case, Domains::default());
    }
}

/// Choices of machines are unbounded, so that a finite domain may reject too much or too early, never too little.
#[test]
fn machines_never_contradict_their_known_verdicts() {
    let (mut decided, all) = (0, suite("machine"));
    for case in &all {
        let outcome = judge(case, Domains::of(-12..=12, &[]));
        let (possible, exact) = match outcome {
            Outcome::Accept { .. } => (case.verdict == "accept", true),
            Outcome::Reject { event } => (case.event.is_none_or(|known| event <= known), case.event == Some(event)),
            Outcome::TooLarge => (true, false),
            Outcome::Outside { .. } | Outcome::Fault { .. } => (false, false),
        };
        assert!(possible, "{}: {outcome:?}, but known to be {} {:?}", case.name, case.verdict, case.event);
        decided += usize::from(exact);
    }
    eprintln!("{decided} of {} machines decided exactly", all.len());
    assert!(decided * 10 >= all.len() * 8, "only {decided} machines decided exactly");
}
