//! One verdict for one recording, whoever judges it: the command, a session that gets the events one by one, and a trace as a value.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use mayhap::evidence::Budget;
use mayhap::network::NetworkChoice;
use mayhap::reading::{Events, FormatRules};
use mayhap::spec::load::Text;
use mayhap::spec::{Selection, Tasks};
use mayhap::trace::{FailRule, JepsenRules, TraceFormat};
use mayhap::{Options, Session, Spec, Trace};

use super::{Case, cases, named, root, text};
use crate::command::{file, run};

/// The recordings with known verdicts, and the specifications that judge them.
const COLLECTIONS: [(&str, &str); 7] = [
    ("tests/data/traces", "specs"),
    ("tests/data/traces/network", "specs/network"),
    ("tests/data/traces/systems", "specs/systems"),
    ("tests/data/unknown", "tests/data/unknown"),
    ("tests/data/json", "tests/data/json"),
    ("tests/data/conformance/machine", "tests/data/conformance/machine"),
    ("tests/data/conformance/protocol", "tests/data/conformance/protocol"),
];

/// What is said of a recording: the verdict and its line, or an error; and the lines of the reason of a rejection.
type Said = (String, Option<u64>, Vec<u64>);

/// The network that a recording without `--net` is taken to be of: the first event that is no restart decides.
fn network(trace: &str) -> NetworkChoice {
    let events = trace.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap_or_default());
    let first = events.into_iter().find(|event| event.get("q").is_some());
    match first {
        Some(event) if event.get("a").is_none() && event.get("c").is_some() => NetworkChoice::TCP,
        _ => NetworkChoice::SYNC,
    }
}

fn by_session(
    spec: &Arc<Spec>,
    net: NetworkChoice,
    recorded: &[u8],
    (format, rules): (TraceFormat, FormatRules),
) -> Said {
    let mut session = Session::new(spec, net, Options::default());
    let mut events = Events::open(spec, recorded, format, rules);
    loop {
        match events.next_event() {
            Ok(Some(event)) => {
                let line = event.line;
                if let Err(why) = session.push(event) {
                    return (why.to_string(), Some(line), Vec::new());
                }
            }
            Ok(None) => break,
            Err(error) => return (error.render("trace"), None, Vec::new()),
        }
    }
    session.settle();
    let (name, line) = named(&session.verdict());
    let reason = if name == "reject" { session.evidence(Budget::seconds(1.0)).reason } else { Vec::new() };
    (name.to_owned(), line, reason)
}

fn by_trace(spec: &Arc<Spec>, recorded: &str) -> Said {
    match Trace::read(spec, recorded.as_bytes()) {
        Ok(trace) => {
            let (name, line) = named(&trace.judge());
            let found = trace.reason().map(|found| found.because.into_iter().chain(found.requests));
            let reason = if name == "reject" { sorted(found.into_iter().flatten()) } else { Vec::new() };
            (name.to_owned(), line, reason)
        }
        Err(error) => (error.render("trace"), None, Vec::new()),
    }
}

fn sorted(lines: impl Iterator<Item = u64>) -> Vec<u64> {
    lines.collect::<BTreeSet<u64>>().into_iter().collect()
}

/// The verdict of the command, its line, and its reason; for an error the exit code.
fn by_command(spec: &Path, trace: &Path) -> Said {
    let arguments = ["validate", spec.to_str().unwrap(), trace.to_str().unwrap(), "--format", "json"];
    let report = |more: &[&str]| -> serde_json::Value {
        serde_json::from_slice(&run(&[&arguments[..], more].concat(), "").stdout).unwrap_or_default()
    };
    let judged = report(&["--no-evidence"]);
    let name = judged["verdict"].as_str().unwrap_or_default().to_owned();
    let explained = if name == "reject" { report(&[]) } else { serde_json::Value::Null };
    let of = |key: &str| explained[key].as_array().cloned().unwrap_or_default();
    let lines = of("reason").into_iter().chain(of("requests"));
    (name, judged["event"].as_u64(), sorted(lines.filter_map(|line| line.as_u64())))
}

#[test]
fn a_recording_has_one_verdict_whoever_judges_it() {
    let mut differences = Vec::new();
    let mut compared = 0;
    for (traces, specs) in COLLECTIONS {
        for Case { name, spec: path, trace, .. } in cases(traces, specs) {
            let selection = Selection { tasks: Tasks::Either, ..Selection::default() };
            let file = Text { name: path.display().to_string(), text: text(&path) };
            let spec = Spec::compile(file, &mut |name| Err(name.to_owned()), &selection)
                .unwrap_or_else(|error| panic!("{error}"));
            let recorded = text(&trace);
            let net = network(&recorded);
            let known = by_command(&path, &trace);
            let mut ways = vec![(
                "session",
                by_session(&spec, net, recorded.as_bytes(), (TraceFormat::Ndjson, FormatRules::default())),
            )];
            if net.is_sync() {
                ways.push(("trace", by_trace(&spec, &recorded)));
            }
            for (way, said) in ways {
                compared += 1;
                if said != known {
                    differences.push(format!("{name}: command {known:?}, {way} {said:?}"));
                }
            }
        }
    }
    println!("{compared} compared");
    assert!(differences.is_empty(), "{} of {compared}:\n{}", differences.len(), differences.join("\n"));
}

/// Histories of others, in the formats of Jepsen, event by event.
#[test]
fn a_history_has_its_known_verdict_event_by_event() {
    let manifest = text("tests/data/histories/manifest.tsv");
    for row in manifest.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let [file, spec, options, verdict, _] = columns[..] else { panic!("{row}") };
        let path = root().join("specs").join(spec);
        let spec = Spec::from_text(&text(&path)).unwrap();
        let recorded = fs::read(root().join("tests/data/histories").join(file)).unwrap();
        let fail = if options == "--fail drop" { FailRule::Drop } else { FailRule::Answer };
        let rules = FormatRules { jepsen: JepsenRules { fail, ..JepsenRules::default() }, url: None };
        let format = TraceFormat::sniffed(&recorded);
        let by_session = by_session(&spec, NetworkChoice::TCP, &recorded, (format, rules));
        assert_eq!(by_session.0, verdict, "{file}");
    }
}

/// Rows that are deleted at any time after this was accepted. Later answers say which were.
const LATER: &str = "token Id;
enum Request { Create, Delete(Id), Get(Id) }
enum Response { Created(Id), Accepted, Found, NotFound }
protocol later {
    request Request;
    response Response;
    var rows: list<Id> = [];
    var used: set<Id> = {};
    var deleting: set<Id> = {};
    on Create {
        let id = choose i: Id where !(i in used);
        used := used + {id};
        rows := rows + [id];
        reply Created(id);
    }
    on Delete(id) {
        deleting := deleting + {id};
        reply Accepted;
    }
    on Get(id) {
        for r in rows { if r == id { reply Found; } }
        reply NotFound;
    }
    step {
        let gone = pick deleting;
        rows := [r for r in rows if r != gone];
        deleting := deleting - {gone};
    }
}
";

/// There are too many states step by step, and one run that explains the whole.
#[test]
fn what_is_too_hard_step_by_step_is_judged_as_a_whole() {
    let spec = Spec::from_text(LATER).unwrap();
    let create = |n: usize| format!("{{\"q\": \"Create\", \"a\": {{\"Created\": \"t{n}\"}}}}\n");
    let delete = |n: usize| format!("{{\"q\": {{\"Delete\": \"t{n}\"}}, \"a\": \"Accepted\"}}\n");
    let got = |n: usize, answer: &str| format!("{{\"q\": {{\"Get\": \"t{n}\"}}, \"a\": \"{answer}\"}}\n");
    let get = |n: usize| got(n, ["Found", "NotFound"][n % 2]);
    let recorded: String = (0..40).map(create).chain((0..40).map(delete)).chain((0..40).map(get)).collect();
    let mut session = Session::new(&spec, NetworkChoice::SYNC, Options::default());
    for line in recorded.lines() {
        session.push_line(line).unwrap();
    }
    assert_eq!(named(&session.verdict()).0, "unknown");
    session.settle();
    assert_eq!(named(&session.verdict()).0, "accept");
    assert_eq!(by_trace(&spec, &recorded).0, "accept");
    let path = file("later.may", LATER);
    assert_eq!(by_command(&path, &file("later.ndjson", &recorded)).0, "accept");
    // What is gone does not come back.
    let back = recorded + &got(1, "Found");
    assert_ne!(by_command(&path, &file("back.ndjson", &back)).0, "accept");
    assert_ne!(by_trace(&spec, &back).0, "accept");
}
