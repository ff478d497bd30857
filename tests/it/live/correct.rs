//! Correct servers of kinds that differ are accused of nothing: those that end connections, that are slow, that answer in chunks or one byte
//! at a time, of HTTP/1.0, with lines, behind an adapter.
//!
//! With `MAYHAP_LONG`, also the servers of Python's and Node's libraries that are installed, each with three seeds, 10,000 requests, and one
//! and four clients.

use std::process::Command;
use std::sync::Mutex;
use std::thread;

use crate::command::{place, run};
use crate::random::is_long;
use crate::real::skipped;
use crate::sut::free_port;

/// The servers that need nothing but Python.
const PYTHON: [&str; 14] = [
    "close",
    "close-some",
    "keep",
    "old",
    "old-slow",
    "old-bare",
    "chunked",
    "slow",
    "pieces",
    "idle",
    "nth",
    "early",
    "raw",
    "lines",
];
/// Those that need nothing but Python, with a specification or an adapter of their own.
const OTHERS: [&str; 6] = ["lines-slow", "closing", "push", "stdio", "stdio-slow", "stdio-lossy"];
/// The servers of Node.
const NODE: [&str; 9] =
    ["node", "node-close", "node-slow", "node-length", "node-stream", "node-idle", "node-nth", "lines", "lines-slow"];
/// The servers of libraries, with the module that each needs.
const LIBRARIES: [(&str, &str); 10] = [
    ("flask", "flask"),
    ("waitress", "waitress"),
    ("gunicorn", "gunicorn"),
    ("gunicorn-threads", "gunicorn"),
    ("uvicorn", "uvicorn, httptools"),
    ("uvicorn-h11", "uvicorn, h11"),
    ("hypercorn", "hypercorn"),
    ("cheroot", "cheroot"),
    ("aiohttp", "aiohttp"),
    ("tornado", "tornado"),
];

/// A server, with the number of clients and the seed of its test.
struct Tested {
    program: &'static str,
    kind: &'static str,
    clients: u64,
    seed: u64,
}

impl Tested {
    /// Tests the server; returns what was said if it is accused of anything.
    fn accused(&self) -> Option<String> {
        let Tested { program, kind, clients, seed } = self;
        let (port, directory) = (free_port(), "tests/data/correct");
        let file = if *program == "node" { "server.js" } else { "server.py" };
        let start = format!("exec {program} {directory}/{file} {kind} {port}");
        let name = match *kind {
            "closing" | "push" => *kind,
            _ if kind.starts_with("lines") || kind.starts_with("stdio") => "lines",
            _ => "kv",
        };
        let (spec, is_http) = (format!("{directory}/{name}.may"), name == "kv");
        let address = if is_http { format!("http://127.0.0.1:{port}") } else { format!("127.0.0.1:{port}") };
        let reset =
            format!("python3 -S {directory}/server.py {} {port}", if is_http { "reset" } else { "reset-lines" });
        let (clients, seed) = (clients.to_string(), seed.to_string());
        let regressions = place(&format!("correct {program} {kind} {clients} {seed}"));
        _ = std::fs::remove_dir_all(&regressions);
        let requests = if is_long() { "10000" } else { "120" };
        let sut = format!("stdio:{start}");
        let mut arguments = match kind.starts_with("stdio") {
            true => vec!["test", &spec, "--sut", &sut],
            false => vec!["test", &spec, "--sut", &address, "--start", &start, "--reset", &reset],
        };
        arguments.extend(["--clients", &clients, "--seed", &seed, "--requests", requests, "--waits", "0.001,0.006"]);
        arguments.extend(["--shrink-time", "5", "--regressions", regressions.to_str().unwrap()]);
        let output = run(&arguments, "");
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        let is_clean = matches!(output.status.code(), Some(0 | 3)) && said.contains("no violation");
        (!is_clean).then(|| format!("{program} {kind}, {clients} clients, seed {seed}: {said}"))
    }
}

fn runs(program: &str, arguments: &[&str]) -> bool {
    let runs = Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success());
    if !runs {
        skipped(&format!("{program} {} does not run", arguments.join(" ")));
    }
    runs
}

/// The kinds of servers that this machine has.
fn kinds() -> Vec<(&'static str, &'static str)> {
    let mut kinds = Vec::new();
    if runs("python3", &["--version"]) {
        kinds.extend(PYTHON.iter().chain(&OTHERS).map(|kind| ("python3", *kind)));
    }
    if runs("node", &["--version"]) {
        kinds.extend(NODE.map(|kind| ("node", kind)));
    }
    if is_long() {
        let has = |(_, module): &(_, &str)| runs("python3", &["-c", &format!("import {module}")]);
        kinds.extend(LIBRARIES.into_iter().filter(has).map(|(kind, _)| ("python3", kind)));
    }
    kinds
}

#[test]
fn correct_servers_of_all_kinds_are_accused_of_nothing() {
    let (seeds, clients) = if is_long() { (1..=3, &[1, 4][..]) } else { (1..=1, &[3][..]) };
    let kinds = kinds();
    let tests = seeds.flat_map(|seed| {
        let of_kind = |(program, kind): &(&'static str, &'static str)| {
            let (program, kind) = (*program, *kind);
            clients.iter().map(move |clients| Tested { program, kind, clients: *clients, seed })
        };
        kinds.iter().flat_map(of_kind).collect::<Vec<Tested>>()
    });
    let (left, accused) = (Mutex::new(tests.collect::<Vec<Tested>>()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let next = || left.lock().unwrap().pop();
                while let Some(tested) = next() {
                    accused.lock().unwrap().extend(tested.accused());
                }
            });
        }
    });
    let accused = accused.into_inner().unwrap();
    assert!(accused.is_empty(), "{}", accused.join("\n"));
}
