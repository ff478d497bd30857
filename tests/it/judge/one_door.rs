//! One verdict for one recording, whoever judges it: the command, a session that gets the events one by one, and a trace as a value.

use std::path::Path;
use std::sync::Arc;

use mayhap::network::NetworkChoice;
use mayhap::spec::load::Text;
use mayhap::spec::{Selection, Tasks};
use mayhap::trace::TraceFormat;
use mayhap::validate::Events;
use mayhap::{Options, Session, Spec, Trace};

use super::{Case, cases, named, text};
use crate::command::{file, run};

/// The recordings with known verdicts, and the specifications that judge them.
const COLLECTIONS: [(&str, &str); 6] = [
    ("tests/data/traces", "specs"),
    ("tests/data/traces/network", "specs/network"),
    ("tests/data/unknown", "tests/data/unknown"),
    ("tests/data/json", "tests/data/json"),
    ("tests/data/conformance/machine", "tests/data/conformance/machine"),
    ("tests/data/conformance/protocol", "tests/data/conformance/protocol"),
];

/// What is said of a recording: the verdict and its line, or an error.
type Said = (String, Option<u64>);

/// The network that a recording without `--net` is taken to be of: the first event that is no restart decides.
fn network(trace: &str) -> NetworkChoice {
    let events = trace.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap_or_default());
    let first = events.into_iter().find(|event| event.get("q").is_some());
    match first {
        Some(event) if event.get("a").is_none() && event.get("c").is_some() => NetworkChoice::TCP,
        _ => NetworkChoice::SYNC,
    }
}

fn by_session(spec: &Arc<Spec>, net: NetworkChoice, recorded: &[u8], format: TraceFormat) -> Said {
    let mut session = Session::new(spec, net, Options::default());
    let mut events = Events::open(spec, recorded, format, Default::default());
    loop {
        match events.next_event() {
            Ok(Some(event)) => {
                let line = event.line;
                if let Err(why) = session.push(event) {
                    return (why, Some(line));
                }
            }
            Ok(None) => break,
            Err(error) => return (error.render("trace"), None),
        }
    }
    session.settle();
    let (name, line) = named(&session.verdict());
    (name.to_owned(), line)
}

fn by_trace(spec: &Arc<Spec>, recorded: &str) -> Said {
    match Trace::read(spec, recorded.as_bytes()) {
        Ok(trace) => {
            let (name, line) = named(&trace.judge());
            (name.to_owned(), line)
        }
        Err(error) => (error.render("trace"), None),
    }
}

/// The verdict of the command, and its line; for an error the exit code.
fn by_command(spec: &Path, trace: &Path) -> Said {
    let output =
        run(&["validate", spec.to_str().unwrap(), trace.to_str().unwrap(), "--format", "json", "--no-evidence"], "");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let line = report["event"].as_u64();
    (report["verdict"].as_str().unwrap_or_default().to_owned(), line)
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
            let mut ways = vec![("session", by_session(&spec, net, recorded.as_bytes(), TraceFormat::Ndjson))];
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
