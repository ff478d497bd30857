//! What is said beside a rejection: minimal means minimal, nothing false follows, requests are reasons, and the verdict comes
//! first. The protocols are such as users write, whose answers hide what the server did.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;
use std::time::Duration;

use crate::command::{check, file, mayhap, run};

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

/// A register a key.
const REGISTERS: &str = "enum Q { Put(string, int), Get(string) }
enum A { Done, Value(option<int>) }
protocol reg {
    request Q;
    response A;
    var m: map<string, int> = {};
    on Put(k, v) {
        m[k] := v;
        reply Done;
    }
    on Get(k) { reply Value(m.get(k)); }
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

/// No list of numbers that were added has 99, whatever was answered: no earlier answer is a reason.
/// A text that looks like the name of something unknown is a text.
#[test]
fn texts_in_reasons_are_those_of_the_trace() {
    let spec = "protocol p { request string; response int; var n: string = choose;
        on q { if n == q { reply 1; } reply 0; } }";
    let trace = "{\"q\": \"#1\", \"a\": 0}\n{\"q\": \"#1\", \"a\": 1}\n";
    let said = rejected("texts", spec, trace);
    assert!(said.contains("line 1 answered 0 to \"#1\", which means n != \"#1\""), "{said}");
}

#[test]
fn an_answer_that_cannot_be_given_needs_no_other() {
    let said = rejected("busy_never", BUSY, &busy(9, 3, "[1, 2, 3, 4, 5, 6, 99]"));
    assert!(!said.contains(" answered \"Done\"") && !said.contains(" answered \"Busy\""), "{said}");
    assert!(said.contains("no answer in it can be left out"), "{said}");
}

/// With the last of the refusals known, and only with it, its number cannot be in the list.
#[test]
fn the_one_answer_that_matters_is_the_reason() {
    let said = rejected("busy_one", BUSY, &busy(9, 3, "[1, 2, 3, 4, 5, 6, 7]"));
    assert_eq!(said.matches(" answered \"Busy\"").count(), 1, "{said}");
    assert!(said.contains("line 7 answered \"Busy\"") && said.contains("no answer in it can be left out"), "{said}");
    assert!(!said.contains("which means xs"), "many lists are possible: {said}");
}

/// Where finding out takes too long, that is said.
#[test]
fn what_was_cut_off_is_not_called_minimal() {
    let said = rejected("busy_long", BUSY, &busy(200, 60, "[1, 99]"));
    assert!(said.contains("perhaps not minimal"), "{said}");
    assert!(!said.contains("can be left out"), "{said}");
}

#[test]
fn a_request_that_set_the_value_is_named_with_its_statement() {
    let trace = r#"{"q": {"Put": ["a", 1]}, "a": "Done"}
{"q": {"Put": ["b", 7]}, "a": "Done"}
{"q": {"Put": ["a", 2]}, "a": "Done"}
{"q": {"Get": "a"}, "a": {"Value": 1}}
"#;
    let said = rejected("reg", REGISTERS, trace);
    let because =
        "only {\"Value\": 2} was possible, because\n    line 3 asked {\"Put\": [\"a\", 2]}, which set m[\"a\"] to 2\n";
    assert!(said.contains(because), "{said}");
    assert!(said.contains("rejections_reg.may:8: `m[k] := v;`"), "{said}");
    assert!(!said.contains("line 2"), "{said}");
}

#[test]
fn what_never_changed_was_so_from_the_beginning() {
    let said = rejected(
        "reg_never",
        REGISTERS,
        "{\"q\": {\"Put\": [\"b\", 7]}, \"a\": \"Done\"}\n{\"q\": {\"Get\": \"a\"}, \"a\": {\"Value\": 7}}\n",
    );
    assert!(said.contains("m had no \"a\" from the beginning"), "{said}");
    assert!(said.contains("var m: map<string, int> = {};"), "{said}");
}

/// A hole is what is not known: it is no reason.
#[test]
fn a_hole_is_never_a_reason() {
    let trace = busy(6, 0, "[7]").replacen("\"Done\"", "{\"$any\": null}", 3);
    let said = rejected("busy_holes", BUSY, &trace);
    assert!(!said.contains("$any") && !said.contains("line 1 answered"), "{said}");
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
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
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

#[test]
fn the_time_for_a_reason_is_a_time() {
    let trace = file("rejections_time.ndjson", "{\"q\": 5, \"a\": 1}\n");
    let trace = trace.to_str().unwrap();
    for time in ["0", "-1", "soon", "inf"] {
        check(&["validate", "specs/cmp_rst.may", trace, &format!("--reason-time={time}")], "", 2, &["--reason-time"]);
    }
}

/// A bound that goes through a variable which the answer does not show is said of one that it does.
#[test]
fn a_bound_through_what_is_not_shown_is_told() {
    let clock = "protocol clock { request int; response int; var now: int = 0;
        on q { now := choose t: int where t >= now; if q == 1 { reply now; } reply 0; } }";
    let said = rejected("clock", clock, "{\"q\":1,\"a\":5}\n{\"q\":0,\"a\":0}\n{\"q\":1,\"a\":4}\n");
    assert!(said.contains("only #1 where #1 >= 5 was possible"), "{said}");
}

/// A request is not said to have set what may have been so before.
#[test]
fn what_may_have_been_so_before_is_not_said_to_be_set() {
    let boxed = "protocol boxed { request int; response int; var box: list<int> = [];
        on q {
            if q == 0 { match box { [x, ..r] => { box := r; reply x; } [] => { reply 0 - 1; } } }
            either { box := box + [q]; } or {}
            reply 0;
        } }";
    let trace = "{\"q\":1,\"a\":0}\n{\"q\":0,\"a\":{\"$any\":null}}\n{\"q\":0,\"a\":1}\n";
    let said = rejected("boxed", boxed, trace);
    assert!(said.contains("line 2 asked 0, which left box at []"), "{said}");
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

/// Without the first answer the client may have broken its duty on line 2, so that answer is part of the reason.
#[test]
fn a_reason_rules_out_that_the_client_broke_its_duty() {
    let spec = "enum Q { Small, Show }
enum A { Done, Shown(int) }
protocol p {
    request Q;
    response A;
    var n: int = choose;
    on Small if n <= 0 { reply Done; }
    on Show { reply Shown(n); }
}
";
    let trace = "{\"q\": \"Show\", \"a\": {\"Shown\": -1}}\n{\"q\": \"Small\", \"a\": \"Done\"}\n{\"q\": \"Show\", \"a\": \"Done\"}\n";
    let said = rejected("duty", spec, trace);
    assert!(said.contains("line 1 answered {\"Shown\": -1}"), "{said}");
    assert!(said.contains("it holds, and no answer in it can be left out"), "{said}");
}

/// Alternatives that one choice decides in two places are not told apart place by place: `(null or 1, null or 2)` would be false.
#[test]
fn what_was_possible_together_is_listed_together() {
    let spec = "enum Q { Set, Get }
protocol together {
    request Q;
    response (option<int>, option<int>);
    var a: option<int> = None;
    var b: option<int> = None;
    on Set { either { a := Some(1); b := Some(2); } or { a := None; b := None; } reply (None, None); }
    on Get { reply (a, b); }
}
";
    let said =
        rejected("together", spec, "{\"q\": \"Set\", \"a\": [null, null]}\n{\"q\": \"Get\", \"a\": [1, null]}\n");
    assert!(said.contains("only [1, 2] or [null, null] was possible"), "{said}");
}
