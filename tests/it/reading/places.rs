//! The events of a history, wherever they stand in a file: several on a line, all on one, on lines far apart. Verdicts and reasons depend
//! on the order of the events alone, and name the places where people find them.

use std::io::BufReader;
use std::sync::Arc;

use mayhap::evidence::Budget;
use mayhap::json::decode;
use mayhap::network::NetworkChoice;
use mayhap::reading::{Events, FormatRules, history};
use mayhap::session::{ConcurrentEvidence, Recheck};
use mayhap::trace::{EventKind, TraceEvent, TraceFormat};
use mayhap::value::Value;
use mayhap::{Options, Session, SessionProgress, Spec, Verdict};

use crate::command::run;
use crate::judge::root;
use crate::random::{Rng, rounds};

const REGISTER: &str = "enum Q { Read, Write(int) } enum A { Read(int), Write(int) }
    protocol p { request Q; response A; var n: int = 0;
        on Read { reply Read(n); }
        on Write(x) { n := x; reply Write(x); } }";

/// The work for a reason; the tests need no good one.
const SECONDS: f64 = 0.02;

/// An operation of a history: its process, its type, its function and its value.
type Operation = (usize, &'static str, &'static str, Option<usize>);

/// The operations of processes that read and write, not always as a register does.
fn operations(rng: &mut Rng, length: usize) -> Vec<Operation> {
    let processes = 1 + rng.below(4);
    let mut open: Vec<Option<(&'static str, Option<usize>)>> = vec![None; processes];
    let (mut made, mut last) = (Vec::new(), 0);
    while made.len() < length {
        let process = rng.below(processes);
        match open[process].take() {
            None => {
                let asked = if rng.percent(50) { ("read", None) } else { ("write", Some(rng.below(3))) };
                open[process] = Some(asked);
                made.push((process, "invoke", asked.0, asked.1));
            }
            Some((function, value)) => {
                let value = value.or_else(|| Some(if rng.percent(70) { last } else { rng.below(3) }));
                last = value.unwrap_or_default();
                let kind = if rng.percent(90) { "ok" } else { "info" };
                made.push((process, kind, function, value));
            }
        }
    }
    made
}

/// A file of a history, with the line of each operation and its number among those of the line.
struct Layout {
    text: String,
    format: TraceFormat,
    places: Vec<(u64, u64)>,
}

impl Layout {
    /// The operations, each after some line breaks, which may be none.
    fn of(operations: &[Operation], format: TraceFormat, mut breaks: impl FnMut(usize) -> usize) -> Layout {
        let (mut text, mut places, mut line) = (String::from("["), Vec::new(), 1);
        for (at, (process, kind, function, value)) in operations.iter().enumerate() {
            let broken = breaks(at);
            text += &"\n".repeat(broken);
            line += broken as u64;
            let nth = places.last().filter(|(last, _)| *last == line).map_or(1, |(_, nth)| nth + 1);
            places.push((line, nth));
            text += &if format == TraceFormat::JepsenEdn {
                let value = value.map_or("nil".to_owned(), |value| value.to_string());
                format!("{{:process {process}, :type :{kind}, :f :{function}, :value {value}}} ")
            } else {
                let value = value.map_or("null".to_owned(), |value| value.to_string());
                let comma = if at == 0 { "" } else { ", " };
                let names = format!("\"type\": \"{kind}\", \"f\": \"{function}\"");
                format!("{comma}{{\"process\": {process}, {names}, \"value\": {value}}}")
            };
        }
        Layout { text: text + "]", format, places }
    }

    /// The name of the place of an operation.
    fn name(&self, at: usize) -> String {
        let (line, nth) = self.places[at];
        match self.places.iter().filter(|(own, _)| *own == line).count() {
            1 => format!("line {line}"),
            _ => format!("operation {nth} of line {line}"),
        }
    }

    /// The rejected event and those of the reason, by their names; none if the history is accepted.
    fn rejected(&self, spec: &Arc<Spec>) -> Option<(String, Vec<String>)> {
        let input = BufReader::new(self.text.as_bytes());
        let mut events = Events::open(spec, input, self.format, FormatRules::default());
        let history = history(spec, &mut events, None).unwrap_or_else(|error| panic!("{error}: {}", self.text));
        let places = history.places().clone();
        let mut evidence = ConcurrentEvidence::of(spec, NetworkChoice::TCP, history, &Options::default());
        let Verdict::Reject { event, .. } = evidence.judged.verdict else { return None };
        let found = evidence.rejection(event, Recheck::No, Budget::seconds(SECONDS)).expect("a reason that holds");
        let name = places.at(event);
        assert!(found.explanation[0].contains(&name), "{:?} names another event than {name}", found.explanation);
        Some((name, found.because.unwrap_or_default().iter().map(|event| places.at(*event)).collect()))
    }
}

#[test]
fn a_verdict_does_not_depend_on_lines() {
    let spec = Spec::from_text(REGISTER).unwrap();
    let (mut rng, mut rejected) = (Rng::new(53), 0);
    for _ in 0..rounds(60) {
        let length = 2 + rng.below(14);
        let operations = operations(&mut rng, length);
        let plain = Layout::of(&operations, TraceFormat::JepsenEdn, |_| 1);
        let expected = plain.rejected(&spec);
        rejected += usize::from(expected.is_some());
        let at = |name: &String| (0..operations.len()).find(|at| plain.name(*at) == *name).expect("an operation");
        for format in [TraceFormat::JepsenEdn, TraceFormat::JepsenJson] {
            let random = |_| rng.below(3) * rng.below(3);
            let random = Layout::of(&operations, format, random);
            let far = Layout::of(&operations, format, |at| if at % 3 == 0 { 1000 } else { 0 });
            for layout in [Layout::of(&operations, format, |_| 0), random, far] {
                let named = expected.as_ref().map(|(event, reason)| {
                    (layout.name(at(event)), reason.iter().map(|event| layout.name(at(event))).collect())
                });
                assert_eq!(layout.rejected(&spec), named, "{}\nand one a line: {}", layout.text, plain.text);
            }
        }
    }
    assert!(rejected > 5, "only {rejected} histories were rejected");
}

/// A program may give its events any lines: equal ones, smaller ones, huge ones.
#[test]
fn the_lines_of_a_session_are_only_names() {
    let spec = Spec::from_text(REGISTER).unwrap();
    let mut rng = Rng::new(54);
    for _ in 0..rounds(60) {
        let length = 2 + rng.below(14);
        let operations = operations(&mut rng, length);
        for net in ["tcp", "udp"] {
            let session = || Session::new(&spec, net.parse().expect("a network"), Options::default());
            let (mut plain, mut odd) = (session(), session());
            let mut lines = Vec::new();
            for (at, operation) in operations.iter().enumerate() {
                let line = [0, 1, 7, at as u64, u64::MAX, u64::MAX - at as u64, 1 << 62, rng.below(20) as u64];
                lines.push(line[rng.below(line.len())]);
                let event = |line| TraceEvent { line, client: Some(operation.0 as u64), kind: kind(&spec, operation) };
                let expected = plain.push(event(at as u64 + 1)).expect("an event");
                let progress = odd.push(event(lines[at])).expect("an event");
                match (expected, progress) {
                    (SessionProgress::Rejected(event), SessionProgress::Rejected(line)) => {
                        assert_eq!(line, lines[event as usize - 1], "{lines:?}");
                        let [expected, found] =
                            [&mut plain, &mut odd].map(|session| session.evidence(Budget::seconds(SECONDS)));
                        let mut named: Vec<u64> = expected.reason.iter().map(|at| lines[*at as usize - 1]).collect();
                        named.sort_unstable();
                        named.dedup();
                        assert_eq!(
                            (found.line, found.reason),
                            (Some(line), named),
                            "{lines:?}: {:?}",
                            found.explanation
                        );
                        break;
                    }
                    (expected, progress) => assert_eq!(expected, progress, "{lines:?}"),
                }
            }
        }
    }
}

/// The event of an operation.
fn kind(spec: &Spec, (_, kind, function, value): &Operation) -> EventKind<Value> {
    let name = if *function == "read" { "Read" } else { "Write" };
    let with_value = format!("{{\"{name}\": {}}}", value.unwrap_or_default());
    let request = if name == "Read" { "\"Read\"" } else { &with_value };
    let value = |ty, text: &str| decode(&spec.types, ty, text).expect("a value");
    match *kind {
        "invoke" => EventKind::Request(value(spec.program.request, request)),
        "ok" => EventKind::Answer(value(spec.program.response, &with_value)),
        _ => EventKind::Lost,
    }
}

/// The lock is taken twice: the eighth event is blamed wherever it stands, also with everything on one line, as Python writes it.
#[test]
fn a_history_on_one_line_names_its_operation() {
    let operation = |kind: &str, function: &str, process: usize| {
        format!(r#"{{"type": "{kind}", "f": "{function}", "process": {process}, "value": null}}"#)
    };
    let both = |function: &str| [operation("invoke", function, 0), operation("ok", function, 0)];
    let taken = [
        operation("invoke", "acquire", 0),
        operation("invoke", "acquire", 1),
        operation("ok", "acquire", 0),
        operation("ok", "acquire", 1),
    ];
    let all = [&both("acquire")[..], &both("release")[..], &taken[..]].concat();
    for (text, place) in [
        (format!("[{}]", all.join(", ")), "operation 8 of line 1"),
        (format!("[\n{}\n]\n", all.join(",\n")), "line 9"),
        (all.join("\n"), "line 8"),
    ] {
        let output = run(&["validate", "specs/mutex.may", "-"], &text);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(said.starts_with(&format!("<stdin>: reject at {place}\n")), "{said}");
        assert!(said.contains(&format!("{place}: client 1 was answered")), "{said}");
    }
}

/// A reason is looked for in the events up to the rejected one; answers that come later are of no use there.
#[test]
fn fifty_clients_are_rejected_with_a_reason() {
    let trace = root().join("tests/data/recorded/fifty_clients.ndjson");
    let output = run(&["validate", "specs/cmp_set.may", &trace.to_string_lossy(), "--net", "tcp"], "");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("reject at line 183"), "{said}");
}
