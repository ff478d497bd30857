//! What RFC 9110 leaves to a server is no violation, and what it only recommends is one if a constant demands it.
//!
//! `tests/data/http/files.py` is a server that takes the freedoms that it is given: `untagged` files, say.

use std::process::Output;

use crate::command::{place, run};
use crate::http::testing::{empty_directory, has, said};
use crate::sut::free_port;

/// Servers that follow the RFC, by their freedoms.
const SERVERS: [&str; 10] = [
    "weak page",
    "untagged",
    "undated gone",
    "untagged undated",
    "late content exact",
    "aging created bare",
    "content lazy idempotent future",
    "always head",
    "old lazy",
    "head bare created aging idempotent page",
];

/// A test of the server with these freedoms.
fn tested(freedoms: &str, more: &[&str]) -> Output {
    // Tests with the same freedoms run at the same time.
    let port = free_port();
    let own = format!("{freedoms} {port}");
    let mark = place(&format!("{own} mark"));
    let address = format!("http://127.0.0.1:{port}");
    let start = format!("exec python3 tests/data/http/files.py {port} '{}' {freedoms}", mark.display());
    let (reset, regressions) = (format!("rm -f '{}'", mark.display()), empty_directory(&format!("{own} kept")));
    let regressions = regressions.to_str().unwrap();
    let about = ["test", "specs/http.may", "--sut", &address, "--start", &start, "--reset", &reset];
    let options =
        ["--clients", "1", "--seed", "1", "--shrink-time", "1", "--waits", "0.03", "--regressions", regressions];
    run(&[&about[..], &options, more].concat(), "")
}

#[test]
fn what_the_rfc_leaves_open_is_no_violation() {
    if !has("python3") {
        return;
    }
    for freedoms in SERVERS {
        let output = tested(freedoms, &["--requests", "120"]);
        assert_eq!(output.status.code(), Some(0), "{freedoms}: {}", said(&output));
    }
}

#[test]
fn what_the_rfc_recommends_is_demanded_by_a_constant() {
    if !has("python3") {
        return;
    }
    for (freedoms, constant) in [
        ("untagged", "TAGGED=true"),
        ("undated", "DATED=true"),
        ("head", "HEAD_AS_GET=true"),
        ("always", "NOT_MODIFIED=true"),
        ("change", "STEADY=true"),
    ] {
        let output = tested(freedoms, &["--requests", "2000", "--set", constant]);
        assert_eq!(output.status.code(), Some(1), "{freedoms}: {}", said(&output));
    }
    let output = tested("change", &["--requests", "100", "--set", "STEADY=false"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

#[test]
fn methods_that_a_server_has_not_are_left_out() {
    if !has("python3") {
        return;
    }
    let output = tested("readonly", &["--requests", "120", "--set", "FRESH=false"]);
    assert!(said(&output).contains("501"), "{}", said(&output));
    let more = ["--requests", "120", "--set", "FRESH=false", "--set", "PUTS=false", "--set", "DELETES=false"];
    let output = tested("readonly", &more);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}
