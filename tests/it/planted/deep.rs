//! Bugs that need depth: several steps before a wrong answer can show, a long value, a header field of one name, two waits, or a second client
//! that holds something. Each is in a small server with a specification of its own. The correct servers are not accused.
//!
//! `MAYHAP_LONG=1 cargo test --release --test it planted::deep:: -- --nocapture` tests each bug with five seeds, and prints a line for each.

use std::fs;
use std::path::Path;
use std::time::Instant;

use serde_json::Value;

use super::bars::median;
use crate::http::testing::said;
use crate::live::testing::{empty_directory, has_python, test};
use crate::sut::free_port;

/// The requests in which a bug is to be found.
const REQUESTS: &str = "3000";
/// The requests that each correct server is asked.
const REQUESTS_OF_CORRECT: &str = "1000";
/// The seeds of the long test, and how many of the bugs each of them has to find.
const SEEDS: u64 = 5;
const TO_FIND: usize = 15;

/// A server, its specification and how it is tested.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Server {
    Queue,
    Cache,
    Objects,
}

use Server::{Cache, Objects, Queue};

impl Server {
    fn name(self) -> &'static str {
        match self {
            Queue => "queue",
            Cache => "cache",
            Objects => "objects",
        }
    }

    /// How the server is reached and started, without a bug or with one.
    fn started(self, bug: Option<&str>) -> (String, String) {
        let (port, name) = (free_port(), self.name());
        let address = if self == Objects { format!("http://127.0.0.1:{port}") } else { format!("127.0.0.1:{port}") };
        let bug = bug.map_or(String::new(), |bug| format!(" --bug {bug}"));
        (address, format!("python3 -SB tests/data/deep/{name}.py --port {port}{bug}"))
    }
}

/// What a bug needs.
#[derive(Clone, Copy, Debug)]
enum Depth {
    Steps,
    LongValue,
    HeaderField,
    TwoWaits,
    SecondClient,
}

use Depth::{HeaderField, LongValue, SecondClient, Steps, TwoWaits};

/// A server with a bug, what the bug needs, and options of the test.
type Planted = (Server, &'static str, Depth, &'static [&'static str]);

const DEFAULT: &[&str] = &[];
const WAITS: &[&str] = &["--waits", "0.3"];
const CLIENTS: &[&str] = &["--clients", "4"];

const PLANTED: [Planted; 20] = [
    (Queue, "kept-releases", Steps, DEFAULT),
    (Queue, "newest-kicked", Steps, DEFAULT),
    (Objects, "first-deleted", Steps, DEFAULT),
    (Objects, "unamended", Steps, DEFAULT),
    (Cache, "cut", LongValue, DEFAULT),
    (Cache, "two-stores", LongValue, DEFAULT),
    (Cache, "full-page", LongValue, DEFAULT),
    (Objects, "short-block", LongValue, DEFAULT),
    (Objects, "language", HeaderField, DEFAULT),
    (Objects, "parameters", HeaderField, DEFAULT),
    (Objects, "no-store", HeaderField, DEFAULT),
    (Objects, "expires", HeaderField, DEFAULT),
    (Cache, "kept-deadline", TwoWaits, WAITS),
    (Cache, "touch-in-vain", TwoWaits, WAITS),
    (Cache, "reads-renew", TwoWaits, WAITS),
    (Cache, "old-timer", TwoWaits, WAITS),
    (Queue, "deletes-held", SecondClient, CLIENTS),
    (Queue, "kicks-held", SecondClient, CLIENTS),
    (Queue, "passed-on", SecondClient, CLIENTS),
    (Queue, "unburied", SecondClient, CLIENTS),
];

/// Those that take a second or two, each with a seed.
const QUICK: [(&str, u64); 3] = [("deletes-held", 1), ("kicks-held", 5), ("language", 5)];

/// Tests a server with these options; returns the exit code, and what was said.
fn tested(server: Server, bug: Option<&str>, options: &[&str], seed: u64, kept: &Path) -> (Option<i32>, String) {
    let (spec, seed) = (format!("tests/data/deep/{}.may", server.name()), seed.to_string());
    let requests = if bug.is_some() { REQUESTS } else { REQUESTS_OF_CORRECT };
    let more = [&["--requests", requests, "--seed", &seed], options].concat();
    let output = test(&spec, &server.started(bug), kept, &more);
    (output.status.code(), said(&output))
}

/// The requests until the bug was found, and those of the shrunk script; none if it was not found.
fn found(&(server, bug, _, options): &Planted, seed: u64) -> Option<(u64, usize)> {
    let kept = empty_directory(&format!("deep-{bug}-{seed}"));
    let (code, text) = tested(server, Some(bug), options, seed, &kept);
    assert!(matches!(code, Some(0 | 1)), "{bug}, seed {seed}: {text}");
    if code == Some(0) {
        return None;
    }
    let line = text.lines().find_map(|line| line.strip_prefix("violation after ")).expect("a violation is reported");
    let requests = line.split(' ').next().unwrap().parse().expect("a number of requests");
    let script = fs::read_dir(&kept).unwrap().next().expect("a script is kept").unwrap().path();
    Some((requests, fs::read_to_string(script).unwrap().matches("\"q\": ").count()))
}

#[test]
fn correct_servers_are_not_accused() {
    if !has_python() {
        return;
    }
    for (server, options) in [(Queue, CLIENTS), (Cache, WAITS), (Objects, DEFAULT)] {
        let kept = empty_directory(&format!("deep-{}", server.name()));
        let (code, text) = tested(server, None, options, 1, &kept);
        assert_eq!(code, Some(0), "{}: {text}", server.name());
    }
}

#[test]
fn many_requests_name_a_job_that_their_client_holds() {
    if !has_python() {
        return;
    }
    let kept = empty_directory("deep-held");
    let report = kept.with_extension("json");
    let written = format!("json:{}", report.display());
    let (code, text) = tested(Queue, None, &["--clients", "4", "--report", &written], 1, &kept);
    assert_eq!(code, Some(0), "{text}");
    let report: Value = serde_json::from_str(&fs::read_to_string(report).unwrap()).unwrap();
    for name in ["Release", "Bury"] {
        let counted = report["answers"].as_array().unwrap().iter().find(|counted| counted["request"] == name).unwrap();
        let times = |of: &dyn Fn(&Value) -> bool| -> u64 {
            let answers = counted["answers"].as_array().unwrap().iter();
            answers.filter(|answer| of(answer)).map(|answer| answer["count"].as_u64().unwrap()).sum()
        };
        let (all, held) = (times(&|_| true), times(&|answer| answer["answer"] != "NotFound"));
        assert!(held * 5 >= all && held > 0, "{held} of {all} {name}");
    }
}

#[test]
fn some_bugs_are_found_with_one_seed() {
    if !has_python() {
        return;
    }
    for (name, seed) in QUICK {
        let planted = PLANTED.iter().find(|(_, bug, _, _)| *bug == name).unwrap();
        assert!(found(planted, seed).is_some(), "{name}, seed {seed}");
    }
}

#[test]
fn each_seed_finds_nearly_all_bugs() {
    if std::env::var_os("MAYHAP_LONG").is_none() || !has_python() {
        return;
    }
    let mut of_seeds = [0; SEEDS as usize];
    println!("bug | needs | found | requests until then (median) | requests of the script (least)");
    for planted in &PLANTED {
        let began = Instant::now();
        let all: Vec<_> = (1..=SEEDS).map(|seed| found(planted, seed)).collect();
        for (count, found) in of_seeds.iter_mut().zip(&all) {
            *count += usize::from(found.is_some());
        }
        let requests: Vec<f64> = all.iter().flatten().map(|(requests, _)| *requests as f64).collect();
        let least = all.iter().flatten().map(|(_, asks)| *asks).min().map_or("–".to_owned(), |asks| asks.to_string());
        let (server, bug, depth, _) = planted;
        let (of, seconds) = (requests.len(), began.elapsed().as_secs());
        let median = median(requests);
        println!("{} {bug} | {depth:?} | {of} of {SEEDS} | {median} | {least} | {seconds} s", server.name());
    }
    println!("found by each seed: {of_seeds:?}");
    assert!(of_seeds.iter().all(|count| *count >= TO_FIND), "of {} bugs: {of_seeds:?}", PLANTED.len());
}
