//! `mayhap validate` and `mayhap simulate` as a user meets them: exit codes, messages, one line a trace, JSON.

use std::path::Path;

use crate::command::{check, file, mayhap, run, simulated};
use crate::served::send_signal;

const SPEC: &str = "specs/cmp_rst.may";
const ACCEPTED: &str = "{\"q\": 5, \"a\": 1}\n{\"q\": 3, \"a\": 0}\n{\"q\": 4, \"a\": 1}\n";
const REJECTED: &str = "{\"q\": 5, \"a\": 1}\n{\"q\": 3, \"a\": 0}\n{\"q\": 2, \"a\": 1}\n";

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
    let json = run(&["validate", spec.to_str().unwrap(), "-", "--format", "json"], &trace);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let most = &json["stats"]["forked"][0];
    assert!(
        most["place"].as_str().unwrap().ends_with("forking.may:4") && most["forks"] == json["stats"]["forks"],
        "{most}"
    );
}

#[test]
fn a_witness_is_lines_of_json() {
    let path = file("witness.ndjson", "");
    check(&["validate", SPEC, "-", "--witness", path.to_str().unwrap()], ACCEPTED, 0, &["witness.ndjson"]);
    let lines = "{\"line\":1,\"choices\":[3],\"a\":1}\n{\"line\":2,\"choices\":[],\"a\":0}\n";
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(written.starts_with(lines), "{written}");
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
    let printed = |length: usize| {
        let output = run(&["validate", SPEC, "-", "--format", "json"], &line.repeat(length));
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).unwrap()
    };
    let (short, long) = (printed(1_000), printed(1_001));
    assert!(short.contains("\"witness\":[{\"line\":1,\"choices\":[],\"a\":0}"), "{short}");
    assert!(short.contains("{\"line\":1000,") && !short.contains("--witness FILE"), "{short}");
    assert!(!long.contains("\"witness\":[") && long.contains("--witness FILE writes it"), "{long}");
    // A step by itself and what it chose are values, too.
    let text =
        "protocol p { request int; response int; on q { let a: int = choose; let b: int = choose; reply a + b; } }";
    let spec = file("chooses_twice.may", text);
    let printed = |length: usize| {
        let args = ["validate", spec.to_str().unwrap(), "-", "--format", "json"];
        String::from_utf8(run(&args, &line.repeat(length)).stdout).unwrap()
    };
    let (short, long) = (printed(500), printed(501));
    assert!(short.contains("\"witness\":["), "{short}");
    assert!(!long.contains("\"witness\":[") && long.contains("--witness FILE writes it"), "{long}");
}

#[test]
fn several_traces_have_one_line_each_and_the_worst_code() {
    let (good, bad) = (file("good.ndjson", ACCEPTED), file("bad.ndjson", REJECTED));
    let (good, bad) = (good.to_str().unwrap(), bad.to_str().unwrap());
    let output = run(&["validate", SPEC, good, bad, good], "");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stdout).lines().count()), (Some(1), 3));
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
            send_signal(&child, "INT");
        } else {
            input = None; // it ends, empty
        }
        assert_eq!(child.wait().unwrap().code(), Some(code), "{format}");
        drop(input);
    }
}

/// The pipe stays open: nobody waits for its end.
#[test]
fn a_rejection_of_concurrent_clients_is_told_when_it_happens() {
    use std::io::{BufRead, BufReader, Write};
    let arguments = ["validate", "specs/cmp_set.may", "-", "--net", "tcp", "--no-evidence"];
    let mut child = mayhap(&arguments).stdin(std::process::Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let events = "{\"c\": 1, \"q\": 5}\n{\"c\": 2, \"q\": 3}\n{\"c\": 1, \"a\": 1}\n{\"c\": 1, \"q\": 4}\n{\"c\": 1, \"a\": 1}\n";
    input.write_all(events.as_bytes()).unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("reject at line 5"), "{line}");
    assert_eq!(child.wait().unwrap().code(), Some(1));
    drop(input);
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
    let printed = |jobs: &'static str| {
        let fixed = ["validate", SPEC, "--jobs", jobs, "--format", "text"];
        let args: Vec<&str> = fixed.into_iter().chain(paths.iter().map(String::as_str)).collect();
        let output = run(&args, "");
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let one_by_one = printed("1");
    assert_eq!((one_by_one.0, one_by_one.1.lines().count()), (Some(2), 20));
    assert!(one_by_one.1.contains("at_once_3.ndjson: reject at line"), "{}", one_by_one.1);
    for jobs in ["0", "2", "5", "100"] {
        assert_eq!(printed(jobs), one_by_one, "{jobs} at once");
    }
    check(&["validate", SPEC, "--jobs", "-1", &paths[1]], "", 2, &["-1"]);
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
}

#[test]
fn simulate_obeys_the_clients_duty() {
    let duty = file("obeyed.may", "protocol p { request bool; response bool; on q { expects q; reply q; } }");
    let output = run(&["simulate", duty.to_str().unwrap()], "");
    assert_eq!(String::from_utf8_lossy(&output.stdout).matches("{\"q\": true, \"a\": true}").count(), 20);
}

#[test]
fn a_reader_that_goes_away_ends_a_long_simulation() {
    let mut child = mayhap(&["simulate", SPEC, "--steps", "1000000000"]).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
}

#[test]
fn whole_exchanges_are_the_same_over_connections_from_a_file_and_from_a_pipe() {
    for name in ["register", "kv_etag", "bank"] {
        let spec = format!("specs/{name}.may");
        let whole = simulated(Path::new(&spec), "--steps 60 --seed 4 --range request=0..4");
        let lines: Vec<&str> = whole.lines().collect();
        let answer = |line: usize| lines[line].split_once("\"a\": ").map(|(_, answer)| answer);
        // The answer of one line is that of another one.
        let altered = (0..lines.len()).filter_map(|at| {
            let (own, other) = (answer(at)?, answer((at * 7 + 3) % lines.len())?);
            let mut changed: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            changed[at] = lines[at].replace(own, other);
            (own != other).then(|| changed.join("\n") + "\n")
        });
        let traces: Vec<String> = altered.take(10).chain([whole.clone()]).collect();
        assert!(traces.len() > 5, "{name}: {whole}");
        for trace in traces {
            let path = file("alone.ndjson", &trace);
            for net in ["tcp", "udp", "tcp,connections=4"] {
                let judged = |trace_name: &str, input: &str| {
                    let output = run(&["validate", &spec, trace_name, "--net", net], input);
                    let text = String::from_utf8(output.stdout).unwrap();
                    (output.status.code(), text.split_once(": ").map(|(_, report)| report.to_owned()))
                };
                assert_eq!(judged(path.to_str().unwrap(), ""), judged("-", &trace), "{name} over {net}:\n{trace}");
            }
        }
    }
}
