//! Histories that others recorded, in their formats: verdicts that are known, and readers that no bytes confuse.
//!
//! `tests/data/histories/manifest.tsv` has a line for each: its file, the specification, the options, the verdict.

use std::collections::BTreeMap;
use std::fs;
use std::io::BufReader;

use mayhap::trace::{FailRule, JepsenRules, JepsenTrace, NilRule, TraceError, TraceFormat};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::command::run;
use crate::judge::{root, text};

const HISTORIES: &str = "tests/data/histories";

/// A row of the manifest.
struct Recorded {
    file: String,
    spec: String,
    options: String,
    verdict: String,
}

fn manifest() -> Vec<Recorded> {
    let row = |line: &str| {
        let columns: Vec<String> = line.split('\t').map(str::to_owned).collect();
        let [file, spec, options, verdict, _] = columns.try_into().expect("five columns");
        Recorded { file: format!("{HISTORIES}/{file}"), spec: format!("specs/{spec}"), options, verdict }
    };
    text(format!("{HISTORIES}/manifest.tsv")).lines().skip(1).map(row).collect()
}

/// Says of each file what a run over several prints.
fn verdicts(output: &str) -> BTreeMap<String, String> {
    let lines = output.lines().filter_map(|line| line.split_once(": "));
    lines.map(|(file, verdict)| (file.to_owned(), verdict.split(' ').next().unwrap_or_default().to_owned())).collect()
}

#[test]
fn each_history_has_its_known_verdict() {
    let mut groups: BTreeMap<(String, String), Vec<Recorded>> = BTreeMap::new();
    for recorded in manifest() {
        groups.entry((recorded.spec.clone(), recorded.options.clone())).or_default().push(recorded);
    }
    for ((spec, options), histories) in groups {
        let files = histories.iter().map(|recorded| recorded.file.as_str());
        let arguments: Vec<&str> =
            ["validate", &spec].into_iter().chain(options.split_whitespace()).chain(files).collect();
        let output = run(&arguments, "");
        let judged = verdicts(&String::from_utf8_lossy(&output.stdout));
        for recorded in &histories {
            assert_eq!(judged.get(&recorded.file), Some(&recorded.verdict), "{}", recorded.file);
        }
        let worst = i32::from(histories.iter().any(|recorded| recorded.verdict == "reject"));
        assert_eq!(output.status.code(), Some(worst), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// The trace that a history is converted to has its verdict.
#[test]
fn what_is_converted_is_judged_the_same() {
    for recorded in manifest().iter().filter(|recorded| !recorded.file.contains("etcd_0")) {
        let options = recorded.options.split_whitespace();
        let arguments: Vec<&str> =
            ["convert", &recorded.file, "--for", &recorded.spec].into_iter().chain(options).collect();
        let converted = run(&arguments, "");
        assert!(converted.status.success(), "{}", String::from_utf8_lossy(&converted.stderr));
        let trace = String::from_utf8(converted.stdout).unwrap();
        if trace.lines().count() < 2 {
            assert!(recorded.verdict == "accept" && !converted.stderr.is_empty(), "{}", recorded.file);
            continue;
        }
        let output = run(&["validate", &recorded.spec, "-"], &trace);
        let judged = verdicts(&String::from_utf8_lossy(&output.stdout));
        assert_eq!(judged.get("<stdin>"), Some(&recorded.verdict), "{}", recorded.file);
    }
}

/// Every format is known by its first bytes.
#[test]
fn each_history_is_of_the_format_that_its_bytes_say() {
    for recorded in manifest() {
        let expected = if recorded.file.contains("/etcd/") { TraceFormat::JepsenLog } else { TraceFormat::JepsenEdn };
        assert_eq!(
            TraceFormat::sniffed(&fs::read(root().join(&recorded.file)).unwrap()),
            expected,
            "{}",
            recorded.file
        );
    }
    let ours = text("tests/data/traces/register/accept_nil.ndjson");
    assert_eq!(TraceFormat::sniffed(ours.as_bytes()), TraceFormat::Ndjson);
}

/// The lines that bytes are converted to, and the error that ends them.
fn converted(bytes: &[u8], format: TraceFormat, fail: FailRule, capacity: usize) -> (Vec<String>, Option<TraceError>) {
    let rules = JepsenRules { fail, nil: Some(NilRule::Any), ..JepsenRules::default() };
    let mut trace = JepsenTrace::texts(BufReader::with_capacity(capacity, bytes), format, rules);
    let mut lines = Vec::new();
    loop {
        match trace.next_event() {
            Ok(Some(event)) => lines.push(event.to_string()),
            Ok(None) => return (lines, None),
            Err(error) => return (lines, Some(error)),
        }
    }
}

/// Some bytes of each kind of file, small enough to be read very often.
fn samples() -> Vec<(Vec<u8>, TraceFormat)> {
    let begin = |file: &str, bytes: usize| {
        let mut text = fs::read(root().join(HISTORIES).join(file)).unwrap();
        text.truncate(bytes);
        text
    };
    let tagged = "#jepsen.history.Op{:index 0, :process 0 :type :invoke :f :put, :key #{1} :value {:a [nil \\a 1/2 0x1F 2.50M]}}\n";
    let odd = "{:process 0, :type :info #_ [1 2], :f :put, ; é \\\" }\n :value \"é \\\"}\\n\" :time 123456789012345678901234567890}";
    let object = "{\"process\": 0, \"type\": \"invoke\", \"f\": \"txn\", \"value\": [[\"r\", \"\\u00e9\\\"}\", null], {\"a\": -1.5e3}]},\n";
    let end =
        "{\"process\": 0, \"type\": \"ok\", \"value\": [[\"r\", \"é\", [1, true]]], \"time\": 12345678901234567890}]";
    let alone = "{:type :ok, :value [[:r :x [1 2]]]}\n{:type :fail, :value [[:w y 2]]}\n{:type :info}";
    vec![
        (("[".to_owned() + object + end).into_bytes(), TraceFormat::JepsenJson),
        (alone.into(), TraceFormat::JepsenEdn),
        (begin("etcd/etcd_002.log", 2_000), TraceFormat::JepsenLog),
        (begin("kv/c10-ok.txt", 2_000), TraceFormat::JepsenEdn),
        (begin("knossos/bad-analysis.edn", 2_000), TraceFormat::JepsenEdn),
        (begin("knossos/rethink-fail-minimal.edn", 2_000), TraceFormat::JepsenEdn),
        (begin("knossos/multi-register.edn", 2_000), TraceFormat::JepsenEdn),
        ((tagged.to_owned() + odd).into_bytes(), TraceFormat::JepsenEdn),
    ]
}

/// A change of bytes: what stands at a place is replaced, doubled or left out.
#[derive(Clone, Debug)]
struct Change {
    at: prop::sample::Index,
    length: usize,
    with: Vec<u8>,
}

/// Pieces that mean something to a reader.
const PIECES: &[&str] = &[
    "",
    "",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "#",
    "#_",
    "#{",
    ";",
    "\"",
    "\\",
    ":",
    "\t",
    "\n",
    "\r\n",
    "nil",
    "-",
    "1/0",
    "1e9",
    "\u{feff}",
    "é",
    ":process",
    "\"type\":",
    "\\u12",
    ",",
    ":nemesis",
    ":timed-out",
    ":invoke",
    ":info",
    ":f",
    "9999999999999999999999N",
];

fn change() -> impl Strategy<Value = Change> {
    let piece = proptest::sample::select(PIECES).prop_map(|piece| piece.as_bytes().to_vec());
    let with = prop_oneof![4 => piece, 1 => vec(any::<u8>(), 0..4)];
    (any::<prop::sample::Index>(), 0usize..12, with).prop_map(|(at, length, with)| Change { at, length, with })
}

fn changed(bytes: &[u8], changes: &[Change]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for change in changes {
        let from = change.at.index(bytes.len() + 1);
        let to = (from + change.length).min(bytes.len());
        bytes.splice(from..to, change.with.iter().copied());
    }
    bytes
}

/// The number of cases: as many as `MAYHAP_LONG` says, or a few.
fn cases() -> ProptestConfig {
    let cases = std::env::var("MAYHAP_LONG").map_or(400, |text| text.parse().expect("a number"));
    ProptestConfig::with_cases(cases)
}

proptest! {
    #![proptest_config(cases())]

    /// Whatever is broken, there is an error with its place, the same however the bytes arrive; and all before it was read.
    #[test]
    fn broken_histories_have_an_error_with_its_place(
        sample in 0usize..8, changes in vec(change(), 0..4), drops in any::<bool>(), capacity in 1usize..200,
    ) {
        let (bytes, format) = &samples()[sample];
        let bytes = changed(bytes, &changes);
        let fail = if drops { FailRule::Drop } else { FailRule::Answer };
        let (lines, error) = converted(&bytes, *format, fail, 1 << 20);
        if let Some(error) = &error {
            let count = bytes.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
            prop_assert!((1..=count).contains(&error.line) && error.column >= 1, "{error:?}");
            let shown = error.render("h");
            prop_assert!(shown.ends_with("^\n") && shown.len() < 1_000, "{}", shown);
        }
        let (others, other) = converted(&bytes, *format, fail, capacity);
        prop_assert_eq!(lines, others);
        let place = |error: &Option<TraceError>| error.as_ref().map(|e| (e.line, e.column, e.message.clone()));
        prop_assert_eq!(place(&error), place(&other));
    }
}

/// A converted history is a trace: each line reads as an event with its notes.
#[test]
fn what_is_written_is_a_trace_of_ours() {
    for (bytes, format) in samples() {
        let (lines, _) = converted(&bytes, format, FailRule::Answer, 100);
        assert!(!lines.is_empty());
        for line in lines {
            let mut reader = mayhap::trace::TraceReader::new(line.as_bytes());
            let read = reader.next_line().unwrap_or_else(|error| panic!("{}", error.render("line")));
            assert!(read.is_some_and(|read| read.event.client.is_some()), "{line}");
        }
    }
}
