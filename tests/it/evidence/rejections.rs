//! What is said beside a rejection: minimal means minimal, nothing false follows, requests are reasons, and the verdict comes
//! first. The protocols are such as users write, whose answers hide what the server did.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;
use std::time::Duration;

use crate::command::{file, mayhap, run};
use crate::served::send_signal;

/// Numbers are added, unless the server is busy, which it may be at any time.
const BUSY: &str = "enum Q { Add(int), All }
enum A { Done, Busy, Items(list<int>) }
protocol p {
    request Q;
    response A;
    var xs: list<int> = [];
    on Add(x) {
        either { reply Busy; } or {}
        xs := xs + [x];
        reply Done;
    }
    on All { reply Items(xs); }
}
";

/// So many numbers are added, the last ones refused; then the list is told wrongly.
fn busy(adds: usize, refused: usize, all: &str) -> String {
    let mut trace = String::new();
    for x in 1..=adds {
        let answer = if x > adds - refused { "Busy" } else { "Done" };
        let _ = writeln!(trace, "{{\"q\": {{\"Add\": {x}}}, \"a\": \"{answer}\"}}");
    }
    trace + &format!("{{\"q\": \"All\", \"a\": {{\"Items\": {all}}}}}\n")
}

/// The text that `validate --check-reason` prints for a rejected trace.
fn rejected(name: &str, spec: &str, trace: &str) -> String {
    let spec = file(&format!("rejections_{name}.may"), spec);
    let trace = file(&format!("rejections_{name}.ndjson"), trace);
    let output = run(&["validate", spec.to_str().unwrap(), trace.to_str().unwrap(), "--check-reason"], "");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A long way back only what has something in common with the rejected exchange is looked at, whatever the state was before.
#[test]
fn a_related_exchange_is_enough() {
    let said = rejected("busy_long", BUSY, &busy(200, 60, "[1, 99]"));
    assert!(said.contains("whatever the state was before line 99,\n"), "{said}");
    assert!(said.contains("….Items: [1, 99]; possible: [1, 2, 3,"), "{said}");
    assert!(said.contains("line 99 answered") && said.contains("all answers in lines 100 to 200"), "{said}");
}

/// Of a long text, what is shown is the part in which it differs.
#[test]
fn a_long_text_that_differs_in_the_middle_shows_the_difference() {
    let spec = "protocol echo { request string; response string; on q { reply q; } }";
    let (before, after) = ("x".repeat(400), "y".repeat(400));
    let trace = format!("{{\"q\": \"{before}a{after}\", \"a\": \"{before}b{after}\"}}\n");
    let said = rejected("long_text", spec, &trace);
    let part = |middle| format!("…{}{middle}{}…", "x".repeat(30), "y".repeat(69));
    assert!(said.contains(&format!("at {}; possible: {}", part("b"), part("a"))), "{said}");
}

/// Where finding out takes too long, that is said.
#[test]
fn what_was_cut_off_is_not_called_minimal() {
    let spec = file("rejections_cut_off.may", BUSY);
    let trace = file("rejections_cut_off.ndjson", busy(200, 60, "[1, 99]"));
    let arguments = ["validate", spec.to_str().unwrap(), trace.to_str().unwrap(), "--reason-time", "0.001"];
    let said = String::from_utf8(run(&arguments, "").stdout).unwrap();
    assert!(said.contains("no short reason was found: the answers before line"), "{said}");
    assert!(!said.contains("can be left out") && !said.contains("because"), "{said}");
}

/// The verdict is in the pipe before its reason is looked for, and an interrupt keeps it.
#[cfg(unix)]
#[test]
fn the_verdict_comes_first_and_stays() {
    let spec = file("rejections_first.may", BUSY);
    let trace = file("rejections_first.ndjson", busy(300, 150, "[1, 99]"));
    let arguments = ["validate", spec.to_str().unwrap(), trace.to_str().unwrap(), "--reason-time", "100"];
    let mut child = mayhap(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    out.read_line(&mut first).unwrap();
    assert!(first.contains("reject at line 301"), "{first}");
    assert!(child.try_wait().unwrap().is_none(), "the reason was found at once: this test needs a longer search");
    std::thread::sleep(Duration::from_millis(100));
    send_signal(&child, "INT");
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{rest}");
}

#[test]
fn a_trace_that_cannot_be_judged_has_its_line_in_json() {
    let good = file("rejections_good.ndjson", "{\"q\": 5, \"a\": 1}\n");
    let bad = file("rejections_bad.ndjson", "{\"q\": 5, \"a\": }\n");
    let missing = bad.with_file_name("rejections_missing.ndjson");
    let traces = [&bad, &good, &missing].map(|path| path.to_str().unwrap());
    let output = run(&[&["validate", "specs/cmp_rst.may", "--format", "json"], &traces[..]].concat(), "");
    let lines: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    assert_eq!((lines.len(), output.status.code()), (3, Some(2)), "{lines:?}");
    for (line, (trace, verdict)) in lines.iter().zip(traces.iter().zip(["null", "\"accept\"", "null"])) {
        assert!(line.contains(trace) && line.contains(&format!("\"verdict\":{verdict}")), "{line}");
    }
    assert!(lines[0].contains("\"error\":\"expected a value"), "{}", lines[0]);
}

/// Hidden replicas: what is computed from what is hidden is listed, and each answer that is listed would have been accepted.
#[test]
fn what_was_possible_is_listed_one_by_one() {
    let spec = "enum Q { Put(int), Swap, Get }
protocol replicas {
    request Q;
    response int;
    var log: list<int> = [];
    var at: int = 0;
    var n: int = 1;
    on Put(x) { log := log + [x]; either { n := n * 2; } or { n := n + 1; } reply 0; }
    on Swap { at := choose p: int where at <= p && p < len(log); reply 0; }
    on Get { reply log[at] * n; }
}
";
    let before = "{\"q\": {\"Put\": 5}, \"a\": 0}\n{\"q\": {\"Put\": 6}, \"a\": 0}\n{\"q\": {\"Put\": 5}, \"a\": 0}\n{\"q\": \"Swap\", \"a\": 0}\n";
    let get = |answer: i64| format!("{before}{{\"q\": \"Get\", \"a\": {answer}}}\n");
    let said = rejected("listed", spec, &get(7));
    let (_, listed) = said.split_once("only ").expect("what was possible");
    let (listed, _) = listed.split_once(" was possible").expect("what was possible");
    let mut answers: Vec<i64> =
        listed.replace(" or ", ", ").split(", ").map(|answer| answer.parse().expect("an answer")).collect();
    answers.sort_unstable();
    // n is 4, 5, 6 or 8 after three writes: doubled, or one more, each time.
    let all = [4, 5, 6, 8].iter().flat_map(|n| [5 * n, 6 * n]).collect::<std::collections::BTreeSet<i64>>();
    assert_eq!(answers, all.into_iter().collect::<Vec<_>>(), "{said}");
    let spec = file("rejections_listed.may", spec);
    for answer in answers {
        let trace = file("rejections_listed_one.ndjson", get(answer));
        let output = run(&["validate", spec.to_str().unwrap(), trace.to_str().unwrap(), "--no-evidence"], "");
        assert_eq!(output.status.code(), Some(0), "{answer}");
    }
}
