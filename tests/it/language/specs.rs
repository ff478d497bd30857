//! The specifications in `specs/`: each opens with its protocol in words, can be read, and has traces with verdicts.
//!
//! A new one is a file in `specs/`, a directory in `tests/data/traces` and its lines in the manifest there; nothing is
//! added here.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mayhap::diagnostic::Sources;
use mayhap::syntax::ast::NodeId;
use mayhap::syntax::{parse, print};
use mayhap::trace::TraceReader;

/// How many lines of words are the least that explain a protocol.
const WORDS: usize = 4;

fn files(directory: &Path, extension: &str) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn specifications() -> BTreeSet<PathBuf> {
    files(&root().join("specs"), "may")
}

fn name(path: &Path) -> String {
    path.file_stem().expect("a name").to_string_lossy().into_owned()
}

/// The rows of the manifest of traces: specification, trace, verdict, event, reason.
fn manifest() -> Vec<Vec<String>> {
    let text = fs::read_to_string(root().join("tests/data/traces/manifest.tsv")).expect("the manifest");
    text.lines().skip(1).map(|row| row.split('\t').map(str::to_owned).collect()).collect()
}

#[test]
fn each_opens_with_the_protocol_in_words() {
    for path in specifications() {
        let text = fs::read_to_string(&path).expect("text");
        let words = text.lines().take_while(|line| line.starts_with("//")).count();
        assert!(words >= WORDS, "{}: only {words} lines of words", path.display());
    }
}

#[test]
fn each_can_be_read_and_is_in_the_one_layout() {
    for path in specifications() {
        let text = fs::read_to_string(&path).expect("text");
        let file = Sources::default().add(&path.to_string_lossy(), &text);
        let parsed = parse(&text, file, NodeId(0));
        assert!(parsed.diagnostics.is_empty(), "{}: {:#?}", path.display(), parsed.diagnostics);
        assert_eq!(print(&parsed.file, &text), text, "{} is not in the one layout", path.display());
    }
}

#[test]
fn each_passes_check_without_a_finding() {
    let output = Command::new(env!("CARGO_BIN_EXE_mayhap")).arg("check").args(specifications()).output().expect("runs");
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn each_has_accepted_and_rejected_traces() {
    let rows = manifest();
    for path in specifications() {
        for verdict in ["accept", "reject"] {
            let spec = format!("{}.may", name(&path));
            let count = rows.iter().filter(|row| row[0] == spec && row[2] == verdict).count();
            assert!(count >= 2, "{spec}: {count} traces with verdict {verdict}");
        }
    }
}

#[test]
fn the_manifest_lists_the_traces_that_are_there() {
    let traces = root().join("tests/data/traces");
    let there: BTreeSet<String> = specifications()
        .iter()
        .flat_map(|spec| files(&traces.join(name(spec)), "ndjson"))
        .map(|path| path.strip_prefix(&traces).expect("inside").to_string_lossy().into_owned())
        .collect();
    let listed: BTreeSet<String> = manifest().into_iter().map(|row| row[1].clone()).collect();
    assert_eq!(there, listed);
}

#[test]
fn each_verdict_has_its_event_and_its_reason() {
    for row in manifest() {
        let [_, trace, verdict, event, reason] = &row[..] else { panic!("not five columns: {row:?}") };
        let text = fs::read_to_string(root().join("tests/data/traces").join(trace)).expect("the trace");
        let mut reader = TraceReader::new(text.as_bytes());
        while reader.next_line().unwrap_or_else(|error| panic!("{}", error.render(trace))).is_some() {}
        let in_range = event.parse().is_ok_and(|event: u64| (1..=reader.position().lines).contains(&event));
        assert_eq!(verdict == "reject", in_range, "{trace}: verdict {verdict}, event {event:?}");
        assert!(!reason.is_empty(), "{trace}: no reason");
    }
}
