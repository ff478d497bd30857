//! What `mayhap validate` says, whole: text and JSON for each verdict, with its exit code, against the files in
//! `tests/data/reports`. `BLESS=1 cargo test --test it reports::` writes them anew.
//!
//! A case is a specification, a trace and a name; the counts of work are masked.

use std::fs;
use std::path::PathBuf;

use crate::command::{file, place, run};

const CMP_RST: &str = "specs/cmp_rst.may";
const BETWEEN: &str = "{\"q\": 5, \"a\": 1}\n{\"q\": 3, \"a\": 0}\n{\"q\": 4, \"a\": 1}\n";
const REJECTED: &str = "{\"q\": 5, \"a\": 1}\n{\"q\": 3, \"a\": 0}\n{\"q\": 2, \"a\": 1}\n";

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
    compare(name, &said);
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

fn compare(name: &str, said: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/reports/{name}.txt"));
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, said).unwrap();
    }
    let known = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(said, known, "{}: BLESS=1 writes it anew", path.display());
}

/// A specification in the tests' own directory.
fn spec(name: &str, text: &str) -> String {
    file(name, text).to_str().unwrap().to_owned()
}

#[test]
fn accept() {
    check("accept", CMP_RST, BETWEEN, &[]);
}

#[test]
fn accept_with_a_warning() {
    check("accept_warning", &faulty(), "{\"q\": 5, \"a\": 1}\n", &[]);
}

#[test]
fn reject() {
    check("reject", CMP_RST, REJECTED, &[]);
    check("reject_checked", CMP_RST, REJECTED, &["--check-reason"]);
    check("reject_no_evidence", CMP_RST, REJECTED, &["--no-evidence"]);
}

/// Shipped traces, one of each kind of answer.
#[test]
fn reject_shipped() {
    for (spec, trace) in [
        ("cmp_rst_machine", "reject_between"),
        ("counter", "reject_lost_late"),
        ("idgen", "reject_repeated"),
        ("kv_etag", "reject_tag_changed"),
        ("kv_etag", "reject_strong_after_failure"),
        ("register", "reject_stale_read"),
        ("static_etag", "nginx_flipped"),
        ("static_etag", "reject_third_tag"),
    ] {
        let text = fs::read_to_string(format!("tests/data/traces/{spec}/{trace}.ndjson")).unwrap();
        check(&format!("{spec}_{trace}"), &format!("specs/{spec}.may"), &text, &[]);
    }
}

fn faulty() -> String {
    spec(
        "report_faulty.may",
        "protocol p {
    request int;
    response int;
    var m: map<int, int> = {3: 4};
    var n: int = 0;
    on q {
        n := choose int;
        if n > q { reply m[q]; }
        reply 1;
    }
}
",
    )
}

#[test]
fn fault() {
    check("fault", &faulty(), "{\"q\": 3, \"a\": 4}\n{\"q\": 5, \"a\": 9}\n", &[]);
}

#[test]
fn outside() {
    let duty = spec(
        "report_duty.may",
        "protocol p {
    request int;
    response int;
    on q if q < 9 {
        expects q > 0;
        reply q;
    }
}
",
    );
    check("outside_duty", &duty, "{\"q\": 1, \"a\": 1}\n{\"q\": 0, \"a\": 0}\n", &[]);
    check("outside_no_handler", &duty, "{\"q\": 1, \"a\": 1}\n{\"q\": 9, \"a\": 9}\n", &[]);
}

/// A state is named in which the client broke its duty, if it depends on what is not known.
#[test]
fn outside_in_some_states() {
    let duty = spec(
        "report_duty_of_unknown.may",
        "protocol p {
    request int;
    response int;
    var limit: int = choose x: int where 2 <= x && x <= 10;
    on q {
        expects q <= limit;
        reply limit;
    }
}
",
    );
    check("outside_in_some_states", &duty, "{\"q\": 5, \"a\": 7}\n{\"q\": 1, \"a\": 3}\n", &[]);
    let both = spec(
        "report_two_duties.may",
        "protocol p { request int; response int; var limit: int = choose;
    on q { expects q <= limit; expects q >= 0; reply q; } }
",
    );
    // Up to line 1 another run explains the trace.
    check("outside_for_sure_later", &both, "{\"q\": 3, \"a\": 3}\n{\"q\": -1, \"a\": 0}\n", &[]);
}

#[test]
fn unknown() {
    let hard = spec(
        "report_hard.may",
        "protocol p {
    request int;
    response int;
    var x: int = 0;
    var y: int = 0;
    var z: int = 0;
    on q {
        x := choose int;
        y := choose int;
        z := choose int;
        assume x * x * x + y * y * y == z * z * z + q;
        reply 1;
    }
}
",
    );
    check("unknown", &hard, "{\"q\": 33, \"a\": 1}\n", &[]);
}
