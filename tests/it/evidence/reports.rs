//! What `mayhap validate` says, whole: text and JSON for each verdict, with its exit code, against the files in
//! `tests/data/reports`. `BLESS=1 cargo test --test it reports::` writes them anew.
//!
//! A case is a specification, a trace and a name; the counts of work are masked.

use crate::command::{file, place, run};
use crate::golden::golden;
use crate::judge::{root, text};

const ACCEPTED: &str = "{\"q\": 5, \"a\": 1}\n{\"q\": 3, \"a\": 0}\n{\"q\": 4, \"a\": 1}\n";
const REJECTED: &str = "{\"q\": 5, \"a\": 1}\n{\"q\": 3, \"a\": 0}\n{\"q\": 2, \"a\": 1}\n";

/// Lists to which clients append at once; the last reads less than was read before.
const LISTS: &str = "{\"c\": 1, \"q\": {\"ops\": [{\"Append\": {\"key\": \"180\", \"value\": 15}}]}}\n\
    {\"c\": 1, \"a\": {\"ops\": [{\"Append\": {\"key\": \"180\", \"value\": 15}}]}}\n\
    {\"c\": 3, \"q\": {\"ops\": [{\"Append\": {\"key\": \"180\", \"value\": 16}}]}}\n\
    {\"c\": 4, \"q\": {\"ops\": [{\"Read\": {\"key\": \"180\"}}]}}\n\
    {\"c\": 3, \"lost\": true}\n\
    {\"c\": 4, \"a\": {\"ops\": [{\"Read\": {\"key\": \"180\", \"value\": [15, 16]}}]}}\n\
    {\"c\": 2, \"q\": {\"ops\": [{\"Read\": {\"key\": \"180\"}}, {\"Append\": {\"key\": \"181\", \"value\": 1}}]}}\n\
    {\"c\": 2, \"a\": {\"ops\": [{\"Read\": {\"key\": \"180\", \"value\": [15]}}, {\"Append\": {\"key\": \"181\", \"value\": 1}}]}}\n";
/// Batches of ids, of which two have one in common.
const BATCHES: &str = "{\"c\": 1, \"q\": {\"Batch\": {\"member\": \"a\", \"size\": 2}}}\n\
    {\"c\": 2, \"q\": {\"Batch\": {\"member\": \"d\", \"size\": 2}}}\n\
    {\"c\": 1, \"a\": {\"Ids\": [1001, 1002]}}\n\
    {\"c\": 2, \"a\": {\"Ids\": [2001, 2002]}}\n\
    {\"c\": 1, \"q\": {\"Batch\": {\"member\": \"a\", \"size\": 2}}}\n\
    {\"c\": 2, \"q\": {\"Batch\": {\"member\": \"d\", \"size\": 2}}}\n\
    {\"c\": 2, \"a\": {\"Ids\": [2003, 2004]}}\n\
    {\"c\": 1, \"a\": {\"Ids\": [1003, 2003]}}\n";
/// A transaction that was refused, and whose effect is read.
const REFUSED: &str = "{\"c\": 3, \"q\": {\"Txn\": [{\"Append\": {\"key\": 7, \"value\": 41}}]}}\n\
    {\"c\": 3, \"a\": \"Fail\"}\n\
    {\"c\": 4, \"q\": {\"Txn\": [{\"Read\": {\"key\": 9}}, {\"Append\": {\"key\": 7, \"value\": 42}}, {\"Read\": {\"key\": 7}}]}}\n\
    {\"c\": 4, \"a\": {\"Txn\": [{\"Read\": {\"key\": 9, \"value\": null}}, {\"Append\": {\"key\": 7, \"value\": 42}}, {\"Read\": {\"key\": 7, \"value\": [41, 42]}}]}}\n";

/// A name, a specification of `specs` or `tests/data/reports/specs`, a trace, and more arguments.
#[rustfmt::skip]
const CASES: [(&str, &str, &str, &[&str]); 14] = [
    ("accept", "specs/cmp_rst.may", ACCEPTED, &[]),
    ("accept_warning", "report_faulty.may", "{\"q\": 5, \"a\": 1}\n", &[]),
    ("reject", "specs/cmp_rst.may", REJECTED, &[]),
    ("reject_checked", "specs/cmp_rst.may", REJECTED, &["--check-reason"]),
    ("reject_no_evidence", "specs/cmp_rst.may", REJECTED, &["--no-evidence"]),
    ("fault", "report_faulty.may", "{\"q\": 3, \"a\": 4}\n{\"q\": 5, \"a\": 9}\n", &[]),
    ("outside_duty", "report_duty.may", "{\"q\": 1, \"a\": 1}\n{\"q\": 0, \"a\": 0}\n", &[]),
    ("outside_no_handler", "report_duty.may", "{\"q\": 1, \"a\": 1}\n{\"q\": 9, \"a\": 9}\n", &[]),
    // A state is named in which the client broke its duty, if it depends on what is not known.
    ("outside_in_some_states", "report_duty_of_unknown.may", "{\"q\": 5, \"a\": 7}\n{\"q\": 1, \"a\": 3}\n", &[]),
    // Up to line 1 another run explains the trace.
    ("outside_for_sure_later", "report_two_duties.may", "{\"q\": 3, \"a\": 3}\n{\"q\": -1, \"a\": 0}\n", &[]),
    // Few answers are named however hard it is to tell what others may have asked in between.
    ("reject_lists", "report_lists.may", LISTS, &["--check-reason"]),
    ("reject_batches", "report_batches.may", BATCHES, &["--check-reason"]),
    // Of long answers that part is shown in which they differ.
    ("reject_refused_lists", "report_refused_lists.may", REFUSED, &["--check-reason"]),
    ("unknown", "report_hard.may", "{\"q\": 33, \"a\": 1}\n", &[]),
];

/// Shipped traces, one of each kind of answer.
const SHIPPED: [(&str, &str); 8] = [
    ("cmp_rst_machine", "reject_between"),
    ("counter", "reject_lost_late"),
    ("idgen", "reject_repeated"),
    ("kv_etag", "reject_tag_changed"),
    ("kv_etag", "reject_strong_after_failure"),
    ("register", "reject_stale_read"),
    ("static_etag", "nginx_flipped"),
    ("static_etag", "reject_third_tag"),
];

/// Runs a case in both formats.
fn check(name: &str, spec: &str, trace: &str, more: &[&str]) {
    let trace = file(&format!("report_{name}.ndjson"), trace);
    let mut said = String::new();
    for format in [&[] as &[&str], &["--format", "json"]] {
        let output = run(&[&["validate", spec, trace.to_str().unwrap()], more, format].concat(), "");
        said += &format!("exit code {}\n", output.status.code().unwrap_or(-1));
        for stream in [&output.stdout, &output.stderr] {
            said += &masked(&String::from_utf8_lossy(stream));
        }
    }
    golden(&root().join(format!("tests/data/reports/{name}.txt")), &said);
}

/// The text without the directory of these tests, and without the counts of work, which speed changes.
fn masked(text: &str) -> String {
    let text = text.replace(place("").to_str().unwrap(), "");
    let lines = text.lines().map(|line| match line.split_once("\"stats\":{") {
        Some((before, _)) => format!("{before}\"stats\":{{..}}}}\n"),
        None => format!("{line}\n"),
    });
    lines.collect()
}

#[test]
fn reports_are_as_reviewed() {
    for (name, spec, trace, more) in CASES {
        match spec.starts_with("specs/") {
            true => check(name, spec, trace, more),
            false => {
                let copy = file(spec, text(format!("tests/data/reports/specs/{spec}")));
                check(name, copy.to_str().unwrap(), trace, more);
            }
        }
    }
    for (spec, trace) in SHIPPED {
        let lines = text(format!("tests/data/traces/{spec}/{trace}.ndjson"));
        check(&format!("{spec}_{trace}"), &format!("specs/{spec}.may"), &lines, &[]);
    }
}
