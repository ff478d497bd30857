//! The specifications in `specs/systems/`, of real programs: each opens with words, has no finding, and has recordings with verdicts.
//!
//! A new one is a file there, a directory in `tests/data/traces/systems`, its lines in the manifest there, and a section of
//! `docs/SYSTEMS.md`. That the programs behave so is seen by `make systems`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use mayhap::diagnostic::Sources;
use mayhap::syntax::ast::NodeId;
use mayhap::syntax::{parse, print};

use super::text;
use crate::command::run;
use crate::golden::files;
use crate::judge::{Case, cases};

const SPECS: &str = "specs/systems";
const TRACES: &str = "tests/data/traces/systems";

fn specifications() -> Vec<(PathBuf, String)> {
    files(SPECS, "may")
}

#[test]
fn each_opens_with_words_and_is_in_the_one_layout() {
    for (path, text) in specifications() {
        assert!(text.lines().take_while(|line| line.starts_with("//")).count() > 10, "{}", path.display());
        let says_so =
            text.contains("\nconst STRICT: bool = false;") || text.contains("\n// No sentence was found that ");
        assert!(says_so, "{}", path.display());
        let file = Sources::default().add(&path.to_string_lossy(), &text);
        assert_eq!(print(&parse(&text, file, NodeId(0)).file, &text), text, "{}", path.display());
    }
}

#[test]
fn each_passes_check_without_a_finding() {
    for (path, _) in specifications() {
        let output = run(&["check", "--deny-warnings", path.to_str().unwrap()], "");
        let findings = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && findings.is_empty(), "{}: {findings}", path.display());
    }
}

#[test]
fn each_recording_has_its_known_verdict() {
    let all = cases(TRACES, SPECS);
    for Case { name, spec, trace, verdict, event } in &all {
        let output = run(&["validate", "--no-evidence", spec.to_str().unwrap(), trace.to_str().unwrap()], "");
        let said = String::from_utf8(output.stdout).unwrap();
        let expected = event.map_or(format!(": {verdict} ("), |line| format!(": {verdict} at line {line}"));
        assert!(said.lines().next().is_some_and(|line| line.contains(&expected)), "{name}: {said}");
    }
    let listed: BTreeSet<PathBuf> = all.iter().map(|case| case.trace.clone()).collect();
    let there: BTreeSet<PathBuf> = files(TRACES, "ndjson").into_iter().map(|(path, _)| path).collect();
    assert_eq!(listed, there);
    for (path, _) in specifications() {
        let own = |verdict: &str| all.iter().filter(|case| case.spec == path && case.verdict == verdict).count();
        assert!(own("accept") >= 2 && own("reject") >= 2, "{}", path.display());
    }
}

/// One recording of each shows what the release does against its documentation.
#[test]
fn each_deviation_is_kept() {
    let all = cases(TRACES, SPECS);
    for (path, _) in specifications().into_iter().filter(|(_, text)| text.contains("\nconst STRICT: ")) {
        let accepted = all.iter().filter(|case| case.spec == path && case.verdict == "accept");
        let is_rejected = |case: &Case| {
            let (spec, trace) = (case.spec.to_str().unwrap(), case.trace.to_str().unwrap());
            run(&["validate", "--no-evidence", "--set", "STRICT=true", spec, trace], "").status.code() == Some(1)
        };
        assert!(accepted.clone().any(is_rejected), "{}: nothing breaks STRICT", path.display());
    }
}

#[test]
fn each_has_its_section() {
    let page = text("docs/SYSTEMS.md");
    for (path, _) in specifications() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(page.contains(&format!("mayhap test specs/systems/{name} ")), "{name}");
    }
}
