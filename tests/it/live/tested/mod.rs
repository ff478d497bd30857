//! How much was tested: the counts of answers and branches, what came seldom, and campaigns of refusals.

mod coverage;

use std::fs;

use serde_json::Value as Json;

use super::testing::{empty_directory, has_python};
use crate::command::{file, place, run};

/// A store of which a client may hold a key; only the holder may change it.
const STORE: &str = "enum Request { Hold(int), Put { key: int, value: int }, Get(int), Drop(int) }
enum Answer { Held, NotHeld, Stored, Is(option<int>), Dropped, Missing }
protocol store {
    request Request;
    response Answer;
    var held: set<int> = {};
    var data: map<int, int> = {};
    on Hold(key) { held := held + {key}; reply Held; }
    on Put { key, value } {
        if !(key in held) { reply NotHeld; }
        data[key] := value;
        reply Stored;
    }
    on Get(key) { if !(key in held) { reply NotHeld; } reply Is(data.get(key)); }
    on Drop(key) {
        if !data.contains(key) { reply Missing; }
        data := data.remove(key);
        reply Dropped;
    }
}";

/// The store, which may forget at once what is held.
const DEAF: &str = "enum Request { Hold(int), Put { key: int, value: int }, Get(int), Drop(int) }
enum Answer { Held, NotHeld, Stored, Is(option<int>), Dropped, Missing }
protocol deaf {
    request Request;
    response Answer;
    var held: set<int> = {};
    var data: map<int, int> = {};
    on Hold(key) { held := either held or held + {key}; reply Held; }
    on Put { key, value } {
        if !(key in held) { reply NotHeld; }
        data[key] := value;
        reply Stored;
    }
    on Get(key) { if !(key in held) { reply NotHeld; } reply Is(data.get(key)); }
    on Drop(key) {
        if !data.contains(key) { reply Missing; }
        data := data.remove(key);
        reply Dropped;
    }
}";

/// The store, which counts its answers in a file. With `deaf`, it holds nothing.
const SYSTEM: &str = r#"import collections, json, sys
counts, held, data = collections.Counter(), set(), {}
for m in map(json.loads, sys.stdin):
    if "spec" in m or "reset" in m:
        held, data = set(), {}
        print('{"ready": true}', flush=True)
    elif "q" in m:
        (name, of), = m["q"].items()
        key = of["key"] if name == "Put" else of
        if name == "Hold": a = "Held"
        elif name == "Drop": a = "Missing" if data.pop(key, None) is None else "Dropped"
        elif key not in held: a = "NotHeld"
        elif name == "Put": data[key] = of["value"]; a = "Stored"
        else: a = {"Is": data.get(key)}
        if name == "Hold" and not "deaf" in sys.argv: held.add(key)
        counts[name + " " + (a if isinstance(a, str) else "Is")] += 1
        print(json.dumps({"c": m["c"], "a": a}), flush=True)
open(sys.argv[1], "w").write(json.dumps(counts))
"#;

/// What a test says, and its report as JSON.
struct Tested {
    text: String,
    report: Json,
    /// What the system counted itself.
    counts: Json,
}

/// A specification, and a system that is started with an option.
struct Live {
    spec: &'static str,
    system: &'static str,
    option: &'static str,
}

const PLAIN: Live = Live { spec: STORE, system: SYSTEM, option: "" };

impl Live {
    /// Tests the system, which finds no violation.
    fn tested(&self, name: &str, more: &[&str]) -> Tested {
        let spec = file(&format!("{name}.may"), self.spec);
        let system = file(&format!("{name}.py"), self.system);
        let [counts, report] = ["counts", "json"].map(|end| place(&format!("{name}.{end}")));
        let regressions = empty_directory(&format!("{name}-regressions"));
        let sut = format!("stdio:python3 -SB {} {} {}", system.display(), counts.display(), self.option);
        let json = format!("json:{}", report.display());
        let mut arguments = vec!["test", spec.to_str().unwrap(), "--sut", &sut, "--report", &json, "--regressions"];
        arguments.push(regressions.to_str().unwrap());
        arguments.extend_from_slice(more);
        let output = run(&arguments, "");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{text}{said}");
        let [report, counts] = [report, counts]
            .map(|path| fs::read_to_string(path).map_or(Json::Null, |text| serde_json::from_str(&text).unwrap()));
        Tested { text, report, counts }
    }
}

/// The answers that a report counts, as the system counts them.
fn answers(report: &Json) -> serde_json::Map<String, Json> {
    let of = |request: &Json| {
        let name = request["request"].as_str().unwrap().to_owned();
        let answers = request["answers"].as_array().unwrap().clone();
        answers
            .into_iter()
            .map(move |answer| (format!("{name} {}", answer["answer"].as_str().unwrap()), answer["count"].clone()))
    };
    report["answers"].as_array().unwrap().iter().flat_map(of).collect()
}

/// The requests and answers that a report calls refusals.
fn refusals(report: &Json) -> Vec<String> {
    let requests = report["answers"].as_array().unwrap().iter();
    let of = |request: &Json| {
        let refused = request["answers"].as_array().unwrap().iter().filter(|answer| answer["refusal"] == true);
        refused
            .map(|answer| format!("{} {}", request["request"], answer["answer"]).replace('"', ""))
            .collect::<Vec<_>>()
    };
    requests.flat_map(of).collect()
}

#[test]
fn each_answer_of_a_campaign_is_counted() {
    if !has_python() {
        return;
    }
    for clients in ["1", "3"] {
        let name = format!("counted-{clients}");
        let Tested { report, counts, text } =
            PLAIN.tested(&name, &["--requests", "700", "--seed", "5", "--clients", clients]);
        assert_eq!(Json::Object(answers(&report)), counts, "{text}");
        let sum: u64 = answers(&report).values().map(|count| count.as_u64().unwrap()).sum();
        assert_eq!((sum, report["requests"].as_u64()), (700, Some(700)), "{text}");
        assert!(!text.contains("most answers were refusals"), "{text}");
        assert_eq!(refusals(&report), ["Put NotHeld", "Get NotHeld", "Drop Missing"], "{text}");
    }
}

/// Each request but `Hold` is refused unless something is held.
#[test]
fn a_campaign_of_refusals_says_so_first() {
    if !has_python() {
        return;
    }
    let deaf = Live { spec: DEAF, system: SYSTEM, option: "deaf" };
    let Tested { text, report, .. } = deaf.tested("refused", &["--requests", "400", "--seed", "1", "--clients", "1"]);
    let line = text.lines().nth(1).unwrap();
    assert!(
        line.starts_with("400 requests in ") && line.contains(": no violation; most answers were refusals, "),
        "{text}"
    );
    assert!(line.contains(": look at ") && line.ends_with(" times"), "{text}");
    assert_eq!(report["refusals"].as_array().unwrap().len(), 3, "{text}");
}

/// The counts of the branches of a report, by line.
fn branches(report: &Json) -> Vec<(u64, u64)> {
    let line = |place: &str| place.rsplit(':').next().unwrap().parse().unwrap();
    let counts = report["coverage"]["counts"].as_array().unwrap().iter();
    counts.map(|branch| (line(branch["place"].as_str().unwrap()), branch["count"].as_u64().unwrap())).collect()
}

/// A branch of a counter that only the 900th request takes, in a run of its own: `Late` is answered once.
const LATE: &str = "enum Request { Add, Clear }
enum Answer { Is(int), Late, Done }
protocol late {
    request Request;
    response Answer;
    var n: int = 0;
    on Add {
        if either true or false { n := 0; reply Late; }
        n := n + 1;
        reply Is(n);
    }
    on Clear { n := 0; reply Done; }
}";

const LATE_SYSTEM: &str = r#"import json, sys
all, n = 0, 0
for m in map(json.loads, sys.stdin):
    if "spec" in m or "reset" in m:
        n = 0
        print('{"ready": true}', flush=True)
    elif "q" in m:
        all += 1
        if m["q"] == "Clear": n = 0; a = "Done"
        elif all > 900 and not "late" in sys.argv: n = 0; a = "Late"; sys.argv.append("late")
        else: n += 1; a = {"Is": n}
        print(json.dumps({"c": m["c"], "a": a}), flush=True)
"#;

#[test]
fn a_branch_that_one_late_run_takes_was_reached() {
    if !has_python() {
        return;
    }
    for clients in ["1", "3"] {
        let name = format!("late-{clients}");
        let live = Live { spec: LATE, system: LATE_SYSTEM, option: "" };
        let Tested { text, report, .. } =
            live.tested(&name, &["--requests", "1500", "--seed", "2", "--clients", clients]);
        assert!(!text.contains("never") && !text.contains("not reached"), "{text}");
        assert!(text.contains("  taken 1 time: ") && text.contains(".may:8 (if either true or false)"), "{text}");
        assert!(!text.contains("answered 1 time"), "the branch was named: {text}");
        assert_eq!(report["coverage"]["runs"], report["runs"], "{text}");
        assert!(branches(&report).contains(&(8, 1)), "{text}");
    }
}

#[test]
fn a_test_ends_as_soon_as_all_is_covered() {
    if !has_python() {
        return;
    }
    let more = ["--until", "covered=3", "--seed", "4", "--clients", "1"];
    let Tested { text, report, .. } = PLAIN.tested("until", &more);
    assert!(text.contains("\n  until covered=3: every branch was taken so often\n"), "{text}");
    assert!(branches(&report).iter().all(|(_, count)| *count >= 3), "{text}");
    assert!(report["requests"].as_u64().unwrap() < 1_000, "{text}");
    assert!(report["until"].as_str().unwrap().starts_with("covered=3: every"), "{text}");
}

/// Nothing is ever held, so two branches are never taken.
#[test]
fn a_test_of_branches_that_are_never_taken_ends_by_its_time_or_its_requests() {
    if !has_python() {
        return;
    }
    let deaf = Live { spec: DEAF, system: SYSTEM, option: "deaf" };
    let limits = [
        ("--time 1 --rate 200", "the time is over"),
        ("--requests 300", "all requests were sent"),
        ("--seed 4", "10000 requests in a row took none of those that are left"),
    ];
    for (at, (limit, why)) in limits.into_iter().enumerate() {
        let limit: Vec<&str> = limit.split(' ').collect();
        let more = [&["--until", "covered", "--clients", "1"], &limit[..]].concat();
        let Tested { text, .. } = deaf.tested(&format!("until-never-{at}"), &more);
        let line = text.lines().find(|line| line.starts_with("  until covered=10: ")).expect(&text);
        assert!(line.contains(" branches were not taken so often, but ") && line.ends_with(why), "{text}");
        // The last run may be cut off by the time.
        assert!(
            text.contains("  never reached: ") || limit[0] == "--time" && text.contains("  not reached in "),
            "{text}"
        );
    }
}
