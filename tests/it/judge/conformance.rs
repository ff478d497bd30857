//! Known verdicts: every trace of the manifests gets the verdict, and each rejection the line, that it is known to have.
//!
//! The collections have the same form, a `manifest.tsv` beside specifications and traces. Adding a case is adding its files and
//! a line.

use crate::judge::{Case, cases, judge};

/// The traces, where their specifications are, and how many there are at least.
const COLLECTIONS: [(&str, &str, usize); 5] = [
    ("tests/data/traces", "specs", 100),
    // What started unknown: maps and their copies, lists, trees; and holes.
    ("tests/data/unknown", "tests/data/unknown", 40),
    // The type `json`, and what is passed over in structs with `..`.
    ("tests/data/json", "tests/data/json", 10),
    // Verdicts of independent brute-force programs.
    ("tests/data/conformance/machine", "tests/data/conformance/machine", 150),
    ("tests/data/conformance/protocol", "tests/data/conformance/protocol", 182),
];

/// The difference from the verdict that is known, if there is one.
fn check(case: &Case) -> Option<String> {
    let found = judge(&case.spec, &case.trace);
    let known = (case.verdict.clone(), case.event);
    (found != known).then(|| format!("{}: known {known:?}, found {found:?}", case.name))
}

#[test]
fn every_trace_has_its_known_verdict() {
    for (traces, specs, least) in COLLECTIONS {
        let all = cases(traces, specs);
        assert!(all.len() >= least, "{traces}: {}", all.len());
        let differences: Vec<String> = all.iter().filter_map(check).collect();
        assert!(differences.is_empty(), "{} of {}:\n{}", differences.len(), all.len(), differences.join("\n"));
    }
}
