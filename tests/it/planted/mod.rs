//! Servers with planted bugs, and the manifest that says of each what the shortest requests are that show it.
//!
//! `tests/data/planted/manifest.tsv` has a line for each bug. Its trace is judged, and its requests are asked of the server
//! with the bug, which answers as the trace says, and of the server without it, which answers as the specification allows.

mod aims;
mod bars;
mod deep;
mod live;
mod manifest;
mod paths;
mod second;

use std::collections::{BTreeMap, BTreeSet};
use std::thread;

use crate::command::{file, run};
use crate::judge::root;
use crate::served::{send_signal, wait};
use live::{Live, Running, Step, shows, steps};
use manifest::{Failure, Part, Planted, all};

/// Servers that are started at once: a start takes a core for a tenth of a second, a hang is waited for.
const ABREAST: usize = 4;

/// The bugs whose servers are started: all with `MAYHAP_LONG`, else some of each server.
fn started() -> Vec<Planted> {
    let gap = if std::env::var_os("MAYHAP_LONG").is_some() { 1 } else { 4 };
    all().into_iter().step_by(gap).collect()
}

/// What is said of each bug, several at a time, in the order of the bugs.
fn each<T: Send>(bugs: &[Planted], work: impl Fn(&Planted) -> T + Sync) -> Vec<T> {
    let work = &work;
    thread::scope(|scope| {
        let parts = bugs.chunks(bugs.len().div_ceil(ABREAST));
        let running: Vec<_> =
            parts.map(|part| scope.spawn(move || part.iter().map(work).collect::<Vec<T>>())).collect();
        running.into_iter().flat_map(|part| part.join().unwrap()).collect()
    })
}

/// The first words of the verdict on each trace, by its file.
fn verdicts(spec: &str, options: &str, traces: &[&str]) -> BTreeMap<String, String> {
    let arguments: Vec<&str> = ["validate", spec, "--no-evidence"]
        .into_iter()
        .chain(options.split_whitespace())
        .chain(traces.iter().copied())
        .collect();
    let output = run(&arguments, "");
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(file, verdict)| (file.to_owned(), verdict.to_owned()))
        .collect()
}

/// The verdicts on a trace for each bug, which are judged together where they have a specification in common.
fn judged(bugs: &[Planted], traces: &[String]) -> Vec<String> {
    let mut groups: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for (bug, trace) in bugs.iter().zip(traces) {
        groups.entry((&bug.spec, &bug.options)).or_default().push(trace);
    }
    let found: BTreeMap<String, String> =
        groups.into_iter().flat_map(|((spec, options), traces)| verdicts(spec, options, &traces)).collect();
    traces.iter().map(|trace| found.get(trace).cloned().unwrap_or_else(|| "no verdict".to_owned())).collect()
}

/// Whether a trace has an answer.
fn is_answered(trace: &str) -> bool {
    crate::judge::text(trace).contains("\"a\":")
}

fn check(what: &str, offences: impl Iterator<Item = String>) {
    let offences: Vec<String> = offences.collect();
    assert!(offences.is_empty(), "{what}:\n  {}", offences.join("\n  "));
}

#[test]
fn the_manifest_has_bugs_of_all_kinds_in_many_servers() {
    let first: Vec<Planted> = all().into_iter().filter(|bug| bug.part == Part::First).collect();
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for bug in &first {
        *kinds.entry(&bug.kind).or_default() += 1;
    }
    assert!(kinds.len() >= 16 && kinds.values().all(|bugs| *bugs >= 3), "{kinds:?}");
    let specs: BTreeSet<&str> = first.iter().map(|bug| bug.spec.as_str()).collect();
    assert!(first.len() >= 36 && specs.len() >= 10, "{} bugs of {specs:?}", first.len());
}

#[test]
fn the_shortest_traces_are_rejected_at_their_last_lines() {
    let bugs = all();
    let traces: Vec<String> = bugs.iter().map(|bug| bug.trace.clone()).collect();
    let verdicts = judged(&bugs, &traces);
    let offence = |(bug, verdict): (&Planted, String)| {
        let lines = steps(&bug.trace).1;
        let right = match bug.failure {
            Failure::Violation => verdict == format!("reject at line {lines}"),
            Failure::Crash | Failure::Hang | Failure::Garbage if is_answered(&bug.trace) => {
                verdict.starts_with("accept")
            }
            // Nothing was answered, so nothing was tested.
            Failure::Crash | Failure::Hang | Failure::Garbage => verdict == "no verdict",
        };
        (!right).then(|| format!("{}: {verdict}", bug.name))
    };
    check("traces with other verdicts", bugs.iter().zip(verdicts).filter_map(offence));
    let requests = |bug: &Planted| steps(&bug.trace).0.iter().filter(|step| matches!(step, Step::Ask { .. })).count();
    let counted = bugs.iter().filter(|bug| requests(bug) != bug.requests);
    check("other numbers of requests", counted.map(|bug| format!("{}: {}", bug.name, requests(bug))));
}

#[test]
fn the_servers_answer_as_the_traces_say() {
    let bugs = started();
    let shown = each(&bugs, |bug| shows(bug).err().map(|seen| format!("{}: {seen}", bug.name)));
    check("bugs that do not show", shown.into_iter().flatten());
}

#[test]
fn the_servers_without_bugs_answer_as_the_specifications_allow() {
    let bugs = started();
    let traces = each(&bugs, |bug| {
        let trace = Live::start(&bug.correct()).answers(&steps(&bug.trace).0);
        file(&format!("{}.ndjson", bug.name), trace).to_str().unwrap().to_owned()
    });
    let verdicts = judged(&bugs, &traces);
    let offences = bugs.iter().zip(verdicts).filter(|(_, verdict)| !verdict.starts_with("accept"));
    check("rejected", offences.map(|(bug, verdict)| format!("{}: {verdict}", bug.name)));
}

#[test]
fn a_server_ends_when_it_is_asked_to() {
    let commands: BTreeSet<Vec<String>> = all().iter().map(Planted::correct).collect();
    for command in commands {
        if let Running::Process(child) = &mut Live::start(&command).running {
            send_signal(child, "TERM");
            wait(child);
        }
    }
    assert!(!root().join("tests/data/planted/__pycache__").exists());
}
