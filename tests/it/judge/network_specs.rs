//! The specifications in `specs/network/`, of servers that do more than answering: each opens with its protocol in words, and has
//! recordings with verdicts.
//!
//! A new one is a file there, a directory in `tests/data/traces/network` and its lines in the manifest there.

use std::collections::BTreeSet;
use std::path::PathBuf;

use mayhap::diagnostic::Sources;
use mayhap::syntax::ast::NodeId;
use mayhap::syntax::{parse, print};

use crate::command::run;
use crate::golden::files;
use crate::judge::{Case, cases, root};

const SPECS: &str = "specs/network";
const TRACES: &str = "tests/data/traces/network";

fn specifications() -> Vec<(PathBuf, String)> {
    files(SPECS, "may")
}

#[test]
fn each_opens_with_words_and_is_in_the_one_layout() {
    for (path, text) in specifications() {
        assert!(text.lines().take_while(|line| line.starts_with("//")).count() > 4, "{}", path.display());
        let file = Sources::default().add(&path.to_string_lossy(), &text);
        assert_eq!(print(&parse(&text, file, NodeId(0)).file, &text), text, "{}", path.display());
    }
}

/// Nothing is found but what clients that wait for each answer cannot see.
#[test]
fn each_is_refused_over_the_synchronous_network_only() {
    for (path, _) in specifications() {
        let output = run(&["check", "--deny-warnings", path.to_str().unwrap()], "");
        let findings = String::from_utf8(output.stderr).unwrap();
        assert!(
            output.status.success() && findings.starts_with("note: calling ") && findings.contains("is not possible"),
            "{findings}"
        );
        assert!(!findings.contains("warning") && !findings.contains("error"), "{findings}");
    }
}

#[test]
fn each_recording_has_its_known_verdict() {
    let all = cases(TRACES, SPECS);
    for Case { name, spec, trace, verdict, event } in &all {
        let output = run(&["validate", "--net", "tcp", spec.to_str().unwrap(), trace.to_str().unwrap()], "");
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
    assert!(root().join(SPECS).is_dir());
}
