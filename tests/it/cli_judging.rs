//! `mayhap validate` and `mayhap simulate` as a user meets them: exit codes, messages, one line a trace, JSON.

use crate::command::{check, file, mayhap, run};

const SPEC: &str = "specs/cmp_rst.may";
const ACCEPTED: &str = "{\"q\": 5, \"a\": 1}\n{\"q\": 3, \"a\": 0}\n{\"q\": 4, \"a\": 1}\n";
const REJECTED: &str = "{\"q\": 5, \"a\": 1}\n{\"q\": 3, \"a\": 0}\n{\"q\": 2, \"a\": 1}\n";

#[test]
fn a_verdict_has_its_exit_code() {
    check(&["validate", SPEC, "-"], ACCEPTED, 0, &["<stdin>: accept (3 events)"]);
    check(&["validate", SPEC, "-"], REJECTED, 1, &["<stdin>: reject at line 3"]);
    check(&["validate", SPEC, "-", "--stats"], ACCEPTED, 0, &["3 events, at most ", "0 by Z3 in 0 ms, 0 undecided"]);
    check(&["validate", SPEC, "-"], "{\"q\": 0, \"a\": 0}\n\n\r\n{\"q\": 1, \"a\": 0}", 1, &["reject at line 4"]);
}

/// The statement that keeps explanations apart is the one to be written differently.
#[test]
fn the_statistics_name_what_forked() {
    let spec = "protocol p { request int; response int; var n: int = 0;
        on 0 { reply n; }
        on _ {
            either { n := choose x: int where x > n; } or {}
            reply 0;
        }
    }";
    let spec = file("forking.may", spec);
    let trace = "{\"q\": 1, \"a\": 0}\n".repeat(3) + "{\"q\": 0, \"a\": 2}\n";
    let named =
        "forks at ".to_owned() + spec.to_str().unwrap() + ":4: `either { n := choose x: int where x > n; } or {}`";
    check(&["validate", spec.to_str().unwrap(), "-", "--stats"], &trace, 0, &[&named]);
    let json = run(&["validate", spec.to_str().unwrap(), "-", "--format", "json"], &trace);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let most = &json["stats"]["forked"][0];
    assert!(
        most["place"].as_str().unwrap().ends_with("forking.may:4") && most["forks"] == json["stats"]["forks"],
        "{most}"
    );
}

#[test]
fn a_rejection_says_why_at_a_glance() {
    let path = file("between.ndjson", REJECTED);
    let explained = "reject at line 3\n  \
         line 3 answered 1 to 2; only 0 was possible, because\n    \
           line 2 answered 0 to 3, which means n >= 3\n      \
             (specs/cmp_rst.may:16: `if q <= n { reply 0; }";
    check(&["validate", SPEC, path.to_str().unwrap()], "", 1, &[explained]);
    check(&["validate", SPEC, "-"], REJECTED, 1, &[explained]);
    check(&["validate", SPEC, "-", "--check-reason"], REJECTED, 1, &[explained, "judged again: it holds"]);
    let output = run(&["validate", SPEC, "-", "--no-evidence"], REJECTED);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "<stdin>: reject at line 3\n");
    check(&["validate", SPEC, "-", "--format", "json"], REJECTED, 1, &["\"reason\":[2]", "which means n >= 3"]);
}

#[test]
fn a_witness_is_lines_of_json() {
    let path = file("witness.ndjson", "");
    check(&["validate", SPEC, "-", "--witness", path.to_str().unwrap()], ACCEPTED, 0, &["witness.ndjson"]);
    let lines = "{\"line\":1,\"choices\":[3],\"a\":1}\n{\"line\":2,\"choices\":[],\"a\":0}\n";
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(written.starts_with(lines), "{written}");
    check(
        &["validate", SPEC, "-", "--format", "json"],
        ACCEPTED,
        0,
        &["\"witness\":[{\"line\":1,\"choices\":[3],\"a\":1}"],
    );
    check(&["validate", SPEC, "-", "-", "--witness", "w"], ACCEPTED, 2, &["only be read once"]);
    check(&["validate", SPEC, "-", "specs", "--witness", "w"], ACCEPTED, 2, &["--witness is for one trace"]);
    check(&["validate", SPEC, "-", "--witness", "no/such/w"], ACCEPTED, 2, &["no/such/w: cannot write"]);
}

#[test]
fn nothing_that_is_read_is_written_over() {
    let spec = std::fs::read_to_string(SPEC).unwrap();
    let (spec_file, trace_file) = (file("kept.may", &spec), file("kept.ndjson", ACCEPTED));
    let (spec_path, trace_path) = (spec_file.to_str().unwrap(), trace_file.to_str().unwrap());
    for out in [spec_path, trace_path] {
        check(&["validate", spec_path, trace_path, "--witness", out], "", 2, &["refusing to overwrite this file"]);
    }
    check(&["simulate", spec_path, "--out", spec_path], "", 2, &["refusing to overwrite this file"]);
    check(&["serve", spec_path, "--stdio", "--trace", spec_path], "", 2, &["refusing to overwrite this file"]);
    assert_eq!(std::fs::read_to_string(&spec_file).unwrap(), spec);
    assert_eq!(std::fs::read_to_string(&trace_file).unwrap(), ACCEPTED);
}

/// A report carries a witness of a thousand values; of a longer one it says how to get it.
#[test]
fn a_report_carries_a_short_witness_only() {
    let line = "{\"q\": 0, \"a\": 0}\n";
    let told = |length: usize| {
        let output = run(&["validate", SPEC, "-", "--format", "json"], &line.repeat(length));
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).unwrap()
    };
    let (short, long) = (told(1_000), told(1_001));
    assert!(short.contains("\"witness\":[{\"line\":1,\"choices\":[],\"a\":0}"), "{short}");
    assert!(short.contains("{\"line\":1000,") && !short.contains("--witness FILE"), "{short}");
    assert!(!long.contains("\"witness\":[") && long.contains("--witness FILE writes it"), "{long}");
    // A step by itself and what it chose are values, too.
    let text =
        "protocol p { request int; response int; on q { let a: int = choose; let b: int = choose; reply a + b; } }";
    let spec = file("chooses_twice.may", text);
    let told = |length: usize| {
        let args = ["validate", spec.to_str().unwrap(), "-", "--format", "json"];
        String::from_utf8(run(&args, &line.repeat(length)).stdout).unwrap()
    };
    let (short, long) = (told(500), told(501));
    assert!(short.contains("\"witness\":["), "{short}");
    assert!(!long.contains("\"witness\":[") && long.contains("--witness FILE writes it"), "{long}");
}

#[test]
fn several_traces_have_one_line_each_and_the_worst_code() {
    let (good, bad) = (file("good.ndjson", ACCEPTED), file("bad.ndjson", REJECTED));
    let (good, bad) = (good.to_str().unwrap(), bad.to_str().unwrap());
    check(&["validate", SPEC, good, good], "", 0, &["good.ndjson: accept"]);
    let output = run(&["validate", SPEC, good, bad, good], "");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stdout).lines().count()), (Some(1), 3));
    check(&["validate", SPEC, bad, "no/such.ndjson", good], "", 2, &["bad.ndjson: reject", "good.ndjson: accept"]);
}

/// The second trace is standard input, which does not end: the line of the first one is there all the same, and stays.
#[test]
fn a_trace_that_was_judged_keeps_its_line_though_the_next_one_is_interrupted() {
    use std::io::{BufRead, BufReader};
    let good = file("before_interrupt.ndjson", ACCEPTED);
    for (format, code) in [("text", 2), ("json", 130)] {
        let arguments = ["validate", SPEC, good.to_str().unwrap(), "-", "--format", format];
        let mut child = mayhap(&arguments).stdin(std::process::Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.contains("before_interrupt.ndjson") && line.contains("accept"), "{line}");
        let mut input = child.stdin.take();
        if format == "json" {
            let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
            assert!(sent.success());
        } else {
            input = None; // it ends, empty
        }
        assert_eq!(child.wait().unwrap().code(), Some(code), "{format}");
        drop(input);
    }
}

#[test]
fn traces_that_are_judged_at_once_are_told_in_order() {
    let trace = |at: usize| {
        // The first ones take longest; every third is rejected, every seventh is no trace.
        let line = "{\"q\": 0, \"a\": 0}\n".repeat(10 + 300 * (24 - at));
        let last = if at.is_multiple_of(3) { REJECTED } else { ACCEPTED };
        file(&format!("at_once_{at}.ndjson"), &if at.is_multiple_of(7) { String::from("{") } else { line + last })
    };
    let paths: Vec<String> = (0..24).map(|at| trace(at).to_str().unwrap().to_owned()).collect();
    let told = |jobs: &'static str| {
        let fixed = ["validate", SPEC, "--jobs", jobs, "--format", "text"];
        let args: Vec<&str> = fixed.into_iter().chain(paths.iter().map(String::as_str)).collect();
        let output = run(&args, "");
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let one_by_one = told("1");
    assert_eq!((one_by_one.0, one_by_one.1.lines().count()), (Some(2), 20));
    assert!(one_by_one.1.contains("at_once_3.ndjson: reject at line"), "{}", one_by_one.1);
    for jobs in ["0", "2", "5", "100"] {
        assert_eq!(told(jobs), one_by_one, "{jobs} at once");
    }
    check(&["validate", SPEC, "--jobs", "-1", &paths[1]], "", 2, &["-1"]);
}

#[test]
fn what_is_no_trace_is_2() {
    for (trace, parts) in [
        ("", &["<stdin>: no events, so nothing was tested"] as &[&str]),
        ("\n \r\n\n", &["nothing was tested"]),
        ("{\"mayhap\": 1, \"spec\": \"cmp_rst\"}\n", &["nothing was tested"]),
        ("{\"q\": 5, \"a\": 1}\n{\"q\": 5, \"a\": ", &["<stdin>:2:15", "expected a value, found the end", "^"]),
        ("{\"q\": true, \"a\": 1}", &["<stdin>:1:7", "expected int, found `true`"]),
        ("{\"q\": 5, \"a\": [1]}", &["<stdin>:1:15", "expected int, found an array"]),
        ("{\"c\": 1, \"q\": 5}", &["--net tcp"]),
        ("{\"mayhap\": 2}\n{\"q\": 5, \"a\": 1}", &["version 2"]),
        ("hello", &["<stdin>:1:1", "expected an event"]),
    ] {
        check(&["validate", SPEC, "-"], trace, 2, parts);
    }
    check(&["validate", SPEC, "src"], "", 2, &["src: this is a directory"]);
    check(&["validate", SPEC, "-", "--net", "tcp"], ACCEPTED, 2, &["not supported yet"]);
    let latin = file("latin.ndjson", b"{\"q\": 5, \"a\": 1}\n{\"q\": \"\xe9\"}\n");
    check(&["validate", SPEC, latin.to_str().unwrap()], "", 2, &["latin.ndjson:2:8", "not valid UTF-8"]);
}

#[test]
fn a_malformed_line_behind_the_verdict_changes_nothing() {
    check(&["validate", SPEC, "-"], &format!("{REJECTED}hello\n"), 1, &["reject at line 3"]);
}

#[test]
fn a_truncated_line_90_000_is_told() {
    let trace = "{\"q\": 0, \"a\": 0}\n".repeat(89_999) + "{\"q\": 5, \"a\": {";
    check(&["validate", SPEC, "-"], &trace, 2, &["<stdin>:90000:16", "found the end"]);
}

#[test]
fn a_trace_of_another_specification_is_noted() {
    let trace = format!("{{\"mayhap\": 1, \"spec\": \"kv\"}}\n{ACCEPTED}");
    check(&["validate", SPEC, "-"], &trace, 0, &["<stdin> says that it is of \"kv\"; judged by `cmp_rst`", "accept"]);
}

#[test]
fn json_is_one_object_a_trace() {
    let output = run(&["validate", SPEC, "-", "--format", "json"], REJECTED);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!((output.status.code(), text.lines().count()), (Some(1), 1));
    let object: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&object["schema"], &object["spec"], &object["trace"]),
        (&1.into(), &"cmp_rst".into(), &"<stdin>".into())
    );
    assert_eq!((&object["verdict"], &object["event"]), (&"reject".into(), &3.into()));
    assert!(object["explanation"].is_array() && object.get("witness").is_some());
    for count in ["events", "candidates_max", "z3_checks", "elapsed_ms"] {
        assert!(object["stats"][count].is_u64(), "{count}: {text}");
    }
}

#[test]
fn a_broken_specification_gives_no_verdict() {
    let broken = file("broken.may", "protocol p { request int; response int; on q { reply x; } }");
    check(&["validate", broken.to_str().unwrap(), "-"], ACCEPTED, 2, &["broken.may:1:54", "broken.may: 1 error"]);
    let two = "protocol a { request int; response int; on q { reply q; } }\n".to_string();
    let two = file("two.may", two.clone() + &two.replace("protocol a", "protocol b").replace("reply q", "reply q + 1"));
    let path = two.to_str().unwrap();
    check(&["validate", path, "-"], "{\"q\": 1, \"a\": 2}", 2, &["--spec"]);
    check(&["validate", path, "-", "--spec", "b"], "{\"q\": 1, \"a\": 2}", 0, &["accept"]);
    check(&["validate", path, "-", "--spec", "c"], "{\"q\": 1, \"a\": 2}", 2, &["no machine or protocol `c`"]);
    let limit = "const LIMIT: int = 3;\nprotocol p { request int; response bool; on q { reply q < LIMIT; } }\n";
    let limit = file("limit.may", limit);
    let path = limit.to_str().unwrap();
    check(&["validate", path, "-"], "{\"q\": 5, \"a\": true}", 1, &["reject at line 1"]);
    check(&["validate", path, "-", "--set", "LIMIT=9"], "{\"q\": 5, \"a\": true}", 0, &["accept"]);
    check(&["validate", path, "-", "--set", "LIMI=9"], "{\"q\": 5, \"a\": true}", 2, &["LIMIT"]);
}

#[test]
fn outside_and_fault_are_2() {
    let duty = "protocol p { request int; response int; on q { expects q > 0; reply q; } }";
    let duty = file("duty.may", duty);
    check(
        &["validate", duty.to_str().unwrap(), "-"],
        "{\"q\": 0, \"a\": 7}",
        2,
        &["outside the specification", "line 1"],
    );
    let fault = "protocol p { request int; response int; var m: map<int, int> = {}; on q { reply m[q]; } }";
    let fault = file("fault.may", fault);
    check(
        &["validate", fault.to_str().unwrap(), "-"],
        "{\"q\": 0, \"a\": 7}",
        2,
        &["fault.may:1:81", "line 1 of the trace"],
    );
}

#[test]
fn simulate_gives_the_same_bytes_for_the_same_seed() {
    let simulated = |arguments: &[&str]| {
        let output = run(&[&["simulate", "specs/kv_etag.may", "--steps", "200"], arguments].concat(), "");
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let trace = simulated(&["--seed", "7"]);
    assert_eq!((trace.lines().count(), &trace), (200, &simulated(&["--seed", "7"])));
    assert_ne!(trace, simulated(&["--seed", "8"]));
    check(&["validate", "specs/kv_etag.may", "-"], &trace, 0, &["accept (200 events)"]);
    assert!(simulated(&["--clients", "3"]).contains("\"c\": 3"));
}

#[test]
fn simulate_draws_from_ranges_and_writes_files() {
    let out = file("simulated.ndjson", "");
    let path = out.to_str().unwrap();
    let ranges = ["--range", "request=-3..3", "--range", "choose=5..6"];
    check(&[&["simulate", SPEC, "--out", path] as &[&str], &ranges].concat(), "", 0, &["simulated.ndjson: written"]);
    let trace = std::fs::read_to_string(path).unwrap();
    assert_eq!(trace.lines().count(), 20);
    let query = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["q"].as_i64().unwrap();
    assert!(trace.lines().all(|line| (-3..3).contains(&query(line))), "{trace}");
    check(&["validate", SPEC, path], "", 0, &["accept (20 events)"]);
    check(&["simulate", SPEC, "--out", "no/such/dir/t"], "", 2, &["no/such/dir/t: cannot write"]);
}

#[test]
fn simulate_obeys_the_clients_duty_and_tells_when_it_is_stuck() {
    let duty = file("obeyed.may", "protocol p { request bool; response bool; on q { expects q; reply q; } }");
    let output = run(&["simulate", duty.to_str().unwrap()], "");
    assert_eq!(String::from_utf8_lossy(&output.stdout).matches("{\"q\": true, \"a\": true}").count(), 20);
    let stuck = file("stuck.may", "protocol p { request bool; response bool; on q { assume q && !q; reply q; } }");
    check(&["simulate", stuck.to_str().unwrap()], "", 2, &["stuck.may:1:"]);
}

#[test]
fn a_reader_that_goes_away_ends_a_long_simulation() {
    let mut child = mayhap(&["simulate", SPEC, "--steps", "1000000000"]).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
}

#[test]
fn the_order_of_evaluation_decides_between_a_fault_and_a_rejection() {
    for (name, body, code, verdict) in [
        ("fault_first", "reply m[q] + (pick xs);", 2, "faulty at line 1"),
        ("fault_behind", "reply (pick xs) + m[q];", 1, "reject at line 1"),
        ("tuple", "let (a, b) = (m[q], pick xs); reply a + b;", 2, "faulty at line 1"),
        ("argument", "reply sum(pick xs, m[q]);", 1, "reject at line 1"),
        ("place", "n[q][1] := pick xs; reply q;", 1, "reject at line 1"),
        ("guarded", "reply if q == 1 || m[q] == 0 { pick xs } else { 0 };", 1, "reject at line 1"),
    ] {
        let text = format!(
            "fn sum(a: int, b: int): int = a + b;
             protocol p {{ request int; response int; var m: map<int, int> = {{}}; var xs: list<int> = [];
             var n: map<int, map<int, int>> = {{}}; on q {{ {body} }} }}"
        );
        let spec = file(&format!("order_{name}.may"), text).display().to_string();
        check(&["validate", &spec, "-"], "{\"q\": 1, \"a\": 1}\n", code, &[verdict]);
    }
}
