//! Known verdicts: every trace of the manifests gets the verdict, and each rejection the line, that it is known to have.
//!
//! Five collections have the same form, a `manifest.tsv` beside specifications and traces: the traces of the shipped
//! specifications, what starts unknown (`tests/data/unknown`), the type `json` (`tests/data/json`), a few cases of independent brute-force programs (`tests/data/conformance`), and, where it is at hand,
//! the whole collection that these few are from (`../shared/conformance`). Adding a case is adding its files and a line.

use std::fs;
use std::path::{Path, PathBuf};

use crate::judge::judge;

/// A row of a manifest.
struct Case {
    spec: PathBuf,
    trace: PathBuf,
    verdict: String,
    event: Option<u64>,
}

/// The cases of `directory/manifest.tsv`, whose specifications are in `specs`; none where there is no manifest.
fn cases(directory: &Path, specs: &Path) -> Vec<Case> {
    let Ok(manifest) = fs::read_to_string(directory.join("manifest.tsv")) else { return Vec::new() };
    let rows = manifest.lines().skip(1).map(|row| row.split('\t').collect::<Vec<&str>>());
    rows.map(|row| Case {
        spec: specs.join(row[0]),
        trace: directory.join(row[1]),
        verdict: row[2].to_owned(),
        event: row[3].parse().ok(),
    })
    .collect()
}

/// What is wrong with the verdict, if anything.
fn check(case: &Case) -> Option<String> {
    let found = judge(&case.spec, &case.trace);
    let known = (case.verdict.clone(), case.event);
    (found != known).then(|| format!("{}: known {known:?}, found {found:?}", case.trace.display()))
}

/// Checks all cases and reports all differences at once.
fn check_all(cases: &[Case]) {
    let differences: Vec<String> = cases.iter().filter_map(check).collect();
    assert!(differences.is_empty(), "{} of {}:\n{}", differences.len(), cases.len(), differences.join("\n"));
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The cases of a collection kept here.
fn kept(directory: &str) -> Vec<Case> {
    let directory = root().join("tests/data/conformance").join(directory);
    cases(&directory, &directory)
}

/// The cases of the whole collection, where it is at hand.
fn shared(directory: &str) -> Vec<Case> {
    let directory = root().join("../shared/conformance").join(directory);
    if !directory.exists() {
        println!("{} is not here: the cases kept in tests/data/conformance are judged only", directory.display());
    }
    cases(&directory, &directory)
}

#[test]
fn traces_of_the_shipped_specifications() {
    let all = cases(&root().join("tests/data/traces"), &root().join("specs"));
    assert!(all.len() > 100);
    check_all(&all);
}

/// What started unknown: maps and their copies, lists, trees; and holes.
#[test]
fn what_started_unknown() {
    let directory = root().join("tests/data/unknown");
    let all = cases(&directory, &directory);
    assert!(all.len() > 40);
    check_all(&all);
}

/// The type `json`, and what is passed over in structs with `..`.
#[test]
fn opaque_json() {
    let directory = root().join("tests/data/json");
    let all = cases(&directory, &directory);
    assert!(all.len() > 10);
    check_all(&all);
}

#[test]
fn kept_machines() {
    let cases = kept("machine");
    assert_eq!(cases.len(), 7);
    check_all(&cases);
}

#[test]
fn kept_protocols() {
    let cases = kept("protocol");
    assert_eq!(cases.len(), 13);
    check_all(&cases);
}

#[test]
fn all_machines() {
    check_all(&shared("machine"));
}

#[test]
fn all_protocols() {
    check_all(&shared("protocol"));
}
