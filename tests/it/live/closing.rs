//! Connections that clients end: the handler `on close` is reached, a server that forgets what its clients held is found, and no correct
//! server is accused.

use std::fs;
use std::path::{Path, PathBuf};

use super::testing::{empty_directory, has_python};
use crate::command::run;
use crate::http::testing::said;
use crate::real::skipped;
use crate::sut::free_port;

const SPEC: &str = "tests/data/closing/jobs.may";

/// How a server is reached and started.
struct Jobs {
    sut: String,
    start: Option<String>,
}

impl Jobs {
    /// The server in Python, which makes this mistake.
    fn with(mistake: &str) -> Jobs {
        let port = free_port();
        let start = format!("python3 -SB tests/data/closing/server.py {port} {mistake}");
        Jobs { sut: format!("127.0.0.1:{port}"), start: Some(start) }
    }

    fn behind(adapter: &str) -> Jobs {
        Jobs { sut: format!("stdio:{adapter}"), start: None }
    }

    fn arguments(&self) -> Vec<&str> {
        let start = self.start.as_ref().map(|start| ["--start", start]);
        ["--sut", &self.sut].into_iter().chain(start.into_iter().flatten()).collect()
    }

    /// Tests the server; returns the exit code, and what was said.
    fn tested(&self, kept: &Path, clients: &str, seed: u64, requests: &str) -> (Option<i32>, String) {
        let (seed, kept) = (seed.to_string(), kept.to_str().unwrap());
        let fixed =
            ["test", SPEC, "--clients", clients, "--seed", &seed, "--requests", requests, "--regressions", kept];
        let output = run(&[&fixed[..], &self.arguments()].concat(), "");
        (output.status.code(), said(&output))
    }

    /// Tests the server, which is correct: it is accused of nothing, and `on close` is reached.
    fn check_correct(&self, name: &str, clients: &str, seed: u64, requests: &str) {
        let (code, text) = self.tested(&empty_directory(name), clients, seed, requests);
        assert_eq!(code, Some(0), "{name}, {clients} clients, seed {seed}: {text}");
        assert!(!text.contains("never reached: tests/data/closing/jobs.may:5"), "{text}");
    }
}

/// The only script of a directory.
fn script(kept: &Path) -> (PathBuf, String) {
    let files: Vec<PathBuf> = fs::read_dir(kept).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    let text = fs::read_to_string(&files[0]).unwrap();
    (files[0].clone(), text)
}

#[test]
fn a_correct_server_is_not_accused_when_clients_leave() {
    if !has_python() {
        return;
    }
    for clients in ["1", "3"] {
        Jobs::with("").check_correct("closing-correct", clients, 4, "4000");
    }
}

#[test]
fn a_server_that_keeps_what_a_gone_client_held_is_found_and_shrunk() {
    if !has_python() {
        return;
    }
    for seed in 1..=5 {
        let (jobs, kept) = (Jobs::with("keeps"), empty_directory("closing-keeps"));
        let (code, text) = jobs.tested(&kept, "1", seed, "3000");
        assert_eq!(code, Some(1), "seed {seed}: {text}");
        assert!(text.contains("c1 ends its connection"), "{text}");
        let (path, script) = script(&kept);
        let requests = script.matches("\"q\": ").count();
        let closes = script.matches("{\"c\": 1, \"left\": true}").count();
        assert!(requests <= 4 && closes == 1, "a Put, a Reserve, the end and a request are enough:\n{script}");
        let path = path.to_str().unwrap();
        let replayed = run(&[&["replay", path, "--times", "3", "--for", SPEC], &jobs.arguments()[..]].concat(), "");
        assert_eq!(replayed.status.code(), Some(1), "{}", said(&replayed));
        // As a recording it is wrong, too; with a server that frees the job it is not.
        assert_eq!(run(&["validate", SPEC, path], "").status.code(), Some(1));
        let correct = Jobs::with("");
        let replayed = run(&[&["replay", path, "--times", "3", "--for", SPEC], &correct.arguments()[..]].concat(), "");
        assert_eq!(replayed.status.code(), Some(0), "{}", said(&replayed));
    }
}

#[test]
fn a_server_that_frees_what_others_hold_is_found() {
    if !has_python() {
        return;
    }
    let (jobs, kept) = (Jobs::with("'frees all'"), empty_directory("closing-all"));
    let (code, text) = jobs.tested(&kept, "3", 1, "6000");
    assert_eq!(code, Some(1), "{text}");
    let (_, script) = script(&kept);
    assert!(script.contains("\"left\": true"), "{script}");
}

#[test]
fn a_real_beanstalkd_is_not_accused() {
    if !has_python() {
        return;
    }
    if std::process::Command::new("beanstalkd").arg("-v").output().is_err() {
        skipped("beanstalkd is not installed");
        return;
    }
    for clients in ["1", "4"] {
        let adapter = format!("python3 -B tests/data/closing/beanstalkd.py {}", free_port());
        Jobs::behind(&adapter).check_correct("closing-beanstalkd", clients, 2, "4000");
    }
}

/// An adapter with one state for all clients, which overhears `close`, as those do that say nothing about it.
const DEAF: &str = r#"
import json, sys
jobs, last = {}, 0
for m in map(json.loads, sys.stdin):
    if "spec" in m or "reset" in m:
        jobs, last = {}, 0
        print('{"ready": true}', flush=True)
    elif "close" in m:
        sys.exit("nobody asked for this")
    elif "q" in m:
        name, id = next(iter(m["q"].items())) if isinstance(m["q"], dict) else (m["q"], None)
        ready = sorted(id for id in jobs if jobs[id] is None)
        if name == "Put": last += 1; jobs[last] = None; a = {"Inserted": last}
        elif name in ("Reserve", "PeekReady"):
            a = {"Job": ready[0]} if ready else "Nothing"
            if ready and name == "Reserve": jobs[ready[0]] = m["c"]
        elif id not in jobs or jobs[id] != m["c"] and not (name == "Delete" and jobs[id] is None): a = "NotFound"
        else:
            jobs[id] = None
            if name == "Delete": del jobs[id]
            a = "Done"
        print(json.dumps({"c": m["c"], "a": a}), flush=True)
"#;

#[test]
fn an_adapter_that_does_not_say_that_it_closes_is_never_asked_to() {
    if !has_python() {
        return;
    }
    let program = crate::command::file("deaf_jobs.py", DEAF);
    let jobs = Jobs::behind(&format!("python3 -SB {}", program.display()));
    let (code, text) = jobs.tested(&empty_directory("closing-deaf"), "2", 1, "2000");
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("never reached: tests/data/closing/jobs.may:50 (on close"), "{text}");
}
