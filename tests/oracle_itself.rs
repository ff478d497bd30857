//! The oracle against verdicts that others computed: the conformance suite of machines and protocols.
//!
//! The suite lies beside the checkout (`../shared/conformance`); where it does not, these tests say so and pass.
//!
//! Example: `bag.may` with `bag_07.ndjson` is rejected at event 6, says `manifest.tsv`; brute force must say the same.

#[path = "oracle.rs"]
mod oracle;

use oracle::json::read_trace;
use oracle::{Domains, Oracle, Outcome};
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// A line of a manifest.
struct Case {
    name: String,
    spec: String,
    trace: String,
    verdict: String,
    event: Option<usize>,
}

fn suite(folder: &str) -> Option<PathBuf> {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/conformance").join(folder);
    let there = suite.join("manifest.tsv").is_file();
    if !there {
        eprintln!("skipped: there is no {}", suite.display());
    }
    there.then_some(suite)
}

fn cases(folder: &str) -> Vec<Case> {
    let Some(suite) = suite(folder) else { return Vec::new() };
    let manifest = read_to_string(suite.join("manifest.tsv")).expect("a manifest");
    let case = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        Case {
            name: columns[1].to_owned(),
            spec: read_to_string(suite.join(columns[0])).expect("a specification"),
            trace: read_to_string(suite.join(columns[1])).expect("a trace"),
            verdict: columns[2].to_owned(),
            event: columns[3].parse().ok(),
        }
    };
    manifest.lines().skip(1).map(case).collect()
}

fn judge(case: &Case, domains: Domains) -> Outcome {
    let file = oracle::load(&case.spec);
    Oracle::new(&file, None, domains).brute_force(&read_trace(&case.trace))
}

/// Integers that suffice for the protocols of the suite, whose states are integers near those of the trace.
fn ints(case: &Case) -> Vec<i64> {
    // Whole maps are enumerated here: as few integers as the trace mentions, and one more.
    if case.name.starts_with("two_maps") { (0..=5).chain([99]).collect() } else { (-15..=30).collect() }
}

#[test]
fn protocols_get_their_known_verdicts() {
    for case in cases("protocol") {
        let outcome = judge(&case, Domains::of(ints(&case), &["x", "y", "z"]));
        let same = match outcome {
            Outcome::Accept { .. } => case.verdict == "accept",
            Outcome::Reject { event } => case.verdict == "reject" && case.event == Some(event),
            Outcome::Outside { .. } | Outcome::Fault { .. } | Outcome::TooLarge => false,
        };
        assert!(same, "{}: {outcome:?}, but known to be {} {:?}", case.name, case.verdict, case.event);
    }
}

/// Choices of machines are unbounded, so that a finite domain may reject too much or too early, never too little.
#[test]
fn machines_never_contradict_their_known_verdicts() {
    let (mut decided, all) = (0, cases("machine"));
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
