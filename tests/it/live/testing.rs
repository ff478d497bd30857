//! `mayhap test` and `mayhap replay` against live servers: what is found, how it is told, and what is left behind.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::thread;
use std::time::{Duration, Instant};

use crate::command::{check, file, mayhap, place, run};
use crate::random::is_long;
use crate::real::skipped;
use crate::recorder::Program;

/// The server of a specification in `tests/data/planted`, at a port that was free a moment ago.
fn server(name: &str, options: &str) -> (String, String) {
    let port = crate::sut::free_port();
    (format!("127.0.0.1:{port}"), format!("python3 -SB tests/data/planted/{name}.py --port {port} {options}"))
}

pub fn has_python() -> bool {
    let has = std::process::Command::new("python3").arg("--version").output().is_ok();
    if !has {
        skipped("python3 is not installed");
    }
    has
}

/// A directory for regressions in which nothing is yet.
pub fn empty_directory(name: &str) -> PathBuf {
    let directory = place(name);
    _ = fs::remove_dir_all(&directory);
    directory
}

/// Tests a server by its specification.
pub fn test(spec: &str, (address, start): &(String, String), regressions: &Path, more: &[&str]) -> Output {
    let regressions = regressions.to_str().unwrap();
    let mut arguments = vec!["test", spec, "--sut", address, "--start", start, "--regressions", regressions];
    arguments.extend_from_slice(more);
    run(&arguments, "")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn said(output: &Output) -> String {
    out(output) + &String::from_utf8_lossy(&output.stderr)
}

const REDIS: Program = Program { name: "redis-server", package: "redis-server" };

/// A bug, the requests that it is shrunk to, and a part of what is said.
struct Found {
    server: &'static str,
    bug: &'static str,
    clients: &'static str,
    code: i32,
    shrunk: u64,
    said: &'static str,
}

#[test]
fn bugs_are_found_shrunk_and_kept() {
    if !has_python() {
        return;
    }
    let bugs = [
        Found { server: "kv", bug: "stale", clients: "1", code: 1, shrunk: 3, said: "violation after" },
        Found { server: "kv_etag", bug: "weak-if-match", clients: "1", code: 1, shrunk: 3, said: "PreconditionFailed" },
        Found { server: "counter", bug: "lost-add", clients: "4", code: 1, shrunk: 3, said: "violation after" },
        Found { server: "register", bug: "cas-on-nil", clients: "1", code: 4, shrunk: 1, said: "crash after" },
        Found { server: "counter", bug: "endless-borrow", clients: "1", code: 4, shrunk: 1, said: "hang after" },
        Found { server: "kv_etag", bug: "unquoted", clients: "1", code: 4, shrunk: 1, said: "garbled answer after" },
    ];
    thread::scope(|scope| {
        for bug in &bugs {
            scope.spawn(|| found(bug));
        }
    });
}

fn found(bug: &Found) {
    let name = format!("{}-{}", bug.server, bug.bug);
    let (regressions, spec) = (empty_directory(&name), format!("specs/{}.may", bug.server));
    let live = server(bug.server, &format!("--bug {}", bug.bug));
    let report = place(&format!("{name}.json"));
    let json = format!("json:{}", report.display());
    // Only a hang has to wait for its deadline; a busy machine answers the others late.
    let deadline = if bug.said == "hang after" { "0.5" } else { "5" };
    let more =
        ["--seed", "7", "--requests", "20000", "--clients", bug.clients, "--deadline", deadline, "--report", &json];
    let output = test(&spec, &live, &regressions, &more);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(bug.code), "{name}: {text}");
    assert!(text.contains(bug.said), "{name}: {text}");
    let report = fs::read_to_string(report).unwrap();
    assert!(report.contains(&format!("\"shrunk_requests\":{}", bug.shrunk)), "{name}: {text}");
    let files: Vec<PathBuf> = fs::read_dir(&regressions).unwrap().map(|entry| entry.unwrap().path()).collect();
    let [script] = &files[..] else { panic!("{name}: {files:?}") };
    let script = script.to_str().unwrap();
    // It fails again by the line that is printed, and passes once the bug is gone.
    let line = text.lines().find_map(|line| line.strip_prefix("again:  mayhap ")).expect(&text);
    let times = if bug.clients == "1" { 3 } else { 20 };
    let shell = format!("'{}' {line} --times {times}", env!("CARGO_BIN_EXE_mayhap"));
    let again =
        std::process::Command::new("sh").args(["-c", &shell]).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    // Two requests of a script meet nearly always, but not on a machine that is busy for a moment.
    let fails = if bug.clients == "1" { ": fails 3 of 3" } else { ": fails" };
    assert!(out(&again).contains(fails), "{name}: {}", said(&again));
    assert_eq!(again.status.code(), Some(1), "{name}");
    let (address, start) = server(bug.server, "");
    let fixed = run(&["replay", script, "--times", "2", "--sut", &address, "--start", &start], "");
    assert!(out(&fixed).contains(": fixed"), "{name}: {}", said(&fixed));
    assert_eq!(fixed.status.code(), Some(0), "{name}");
    if bug.code == 1 {
        // A script is a trace.
        check(&["validate", &spec, script], "", 1, &["reject"]);
    }
}

#[test]
fn one_seed_is_one_test() {
    if !has_python() {
        return;
    }
    let regressions = empty_directory("one-seed");
    let tested = |live: &(String, String)| {
        let more = ["--seed", "11", "--requests", if is_long() { "400" } else { "150" }, "--clients", "1"];
        let output = test("specs/kv.may", live, &regressions, &more);
        assert!(matches!(output.status.code(), Some(0 | 3)), "{}", said(&output));
        out(&output)
    };
    let live = server("kv", "");
    let first = tested(&live);
    assert_eq!(first, tested(&live));
    assert!(first.starts_with("seed 11 · 1 client · tcp"), "{first}");
    assert!(!regressions.exists(), "a test that finds nothing leaves nothing");
}

#[test]
fn correct_servers_pass_with_many_clients() {
    if !has_python() {
        return;
    }
    let names = ["kv", "kv_etag", "register", "counter", "idgen"];
    let servers = fs::read_dir("tests/data/planted").unwrap();
    let there: Vec<String> = servers.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    thread::scope(|scope| {
        for name in names.into_iter().filter(|name| there.contains(&format!("{name}.py"))) {
            scope.spawn(move || {
                let regressions = empty_directory(&format!("correct-{name}"));
                let more = ["--seed", "3", "--requests", if is_long() { "300" } else { "100" }, "--clients", "4"];
                let output = test(&format!("specs/{name}.may"), &server(name, ""), &regressions, &more);
                let code = output.status.code();
                assert!(matches!(code, Some(0 | 3)), "{name}: {code:?} {}", said(&output));
                assert!(out(&output).contains("no violation"), "{name}: {}", said(&output));
            });
        }
    });
}

#[test]
fn bad_usage_has_a_clear_message() {
    let spec = "specs/kv.may";
    let nowhere = place("no/such/directory");
    let report = format!("json:{}", nowhere.join("r.json").display());
    let old = file(
        "old.ndjson",
        "{\"mayhap\": 1, \"spec\": \"kv\", \"file\": \"specs/kv.may\"}\n{\"n\": 1, \"c\": 1, \"q\": {\"Gone\": {}}, \"a\": null}\n",
    );
    let free = "127.0.0.1:1";
    let cases: &[(&[&str], i32, &[&str])] = &[
        (&["test", spec], 2, &["--sut says which system is tested"]),
        (&["test", spec, "--sut", "udp:x"], 2, &["stdio:COMMAND"]),
        (&["test", spec, "--sut", free, "--report", "pdf:x"], 2, &["json"]),
        (&["test", spec, "--sut", free, "--report", &report], 2, &["r.json"]),
        (&["test", spec, "--sut", free, "--regressions", "/proc/no"], 2, &["/proc/no"]),
        (&["test", spec, "--sut", free, "--crash", "0.1"], 2, &["--start"]),
        (&["test", spec, "--sut", free, "--reset", "restart"], 2, &["--start COMMAND"]),
        (&["test", spec, "--sut", free, "--ready", "1"], 2, &["--ready"]),
        (&["test", spec, "--sut", free], 4, &["127.0.0.1:1"]),
        (&["test", spec, "--sut", free, "--start", "exit 3"], 4, &["ended before it was ready"]),
        (&["test", spec, "--sut", "stdio:echo hello"], 4, &["hello"]),
        (&["test", spec, "--sut", "stdio:exit 5"], 4, &["5"]),
        (&["test", "specs/network/quorum_register.may", "--sut", free], 2, &["calls the peer `replica`"]),
        (&["replay", old.to_str().unwrap(), "--sut", free], 2, &["old.ndjson:2"]),
        (&["replay", "no-such-file", "--sut", free], 2, &["no-such-file"]),
    ];
    let regressions = empty_directory("bad-usage");
    for (arguments, code, parts) in cases {
        let has_own = arguments[0] != "test" || arguments.contains(&"--regressions");
        let own = ["--regressions", regressions.to_str().unwrap()];
        let own: &[&str] = if has_own { &[] } else { &own };
        let arguments = [*arguments, own].concat();
        check(&arguments, "", *code, parts);
    }
}

#[test]
fn a_script_that_cannot_be_read_stops_no_other() {
    if !has_python() {
        return;
    }
    let header = "{\"mayhap\": 1, \"spec\": \"kv\", \"file\": \"specs/kv.may\"}";
    let old = file(
        "unreadable.ndjson",
        format!("{header}\n{{\"n\": 1, \"c\": 1, \"q\": {{\"Gone\": {{}}}}, \"a\": null}}\n"),
    );
    let empty = file("stepless.ndjson", format!("{header}\n"));
    let one = r#"{"n": 1, "c": 1, "q": {"Get": "a"}, "a": {"Get": ["a", ""]}}"#;
    let good = file("readable.ndjson", format!("{header}\n{one}\n"));
    let (old, empty, good) = (old.to_str().unwrap(), empty.to_str().unwrap(), good.to_str().unwrap());
    let (address, start) = server("kv", "");
    let arguments = ["replay", "no-such-file", old, empty, good, "--times", "1", "--sut", &address, "--start", &start];
    let output = run(&arguments, "");
    let text = out(&output);
    for part in [
        "no-such-file: error: ",
        "unreadable.ndjson: error: ",
        "unreadable.ndjson:2:",
        "stepless.ndjson: error: the script has no steps, so nothing would be tested\n",
        "readable.ndjson: passes\n",
    ] {
        assert!(text.contains(part), "{part}: {}", said(&output));
    }
    assert!(!text.contains("error: error: "), "{text}");
    assert_eq!(output.status.code(), Some(2), "{text}");
}

#[test]
fn a_system_that_is_not_there_is_no_failing_script() {
    let header = r#"{"mayhap": 1, "spec": "register", "file": "specs/register.may""#;
    let one = r#"{"n": 1, "c": 1, "q": "Read", "a": {"Read": null}}"#;
    for (name, cause) in [("without.ndjson", ""), ("with.ndjson", r#", "cause": "Read Read""#)] {
        let script = file(name, format!("{header}{cause}}}\n{one}\n"));
        let output = run(&["replay", script.to_str().unwrap(), "--sut", "127.0.0.1:1"], "");
        assert!(out(&output).contains("error: "), "{}", said(&output));
        assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    }
}

#[test]
fn an_interrupted_test_leaves_no_process_and_keeps_what_it_found() {
    if !has_python() {
        return;
    }
    let regressions = empty_directory("interrupted");
    let (address, start) = server("kv", "");
    let arguments = ["test", "specs/kv.may", "--sut", &address, "--start", &start, "--regressions"];
    let mut child = mayhap(&[&arguments[..], &[regressions.to_str().unwrap(), "--requests", "100000000"]].concat())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while std::net::TcpStream::connect(&address).is_err() && begun.elapsed() < Duration::from_secs(60) {
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(Duration::from_millis(300));
    crate::served::send_signal(&child, "INT");
    let code = crate::served::wait(&mut child);
    _ = child.kill();
    assert_eq!(code, Some(130));
    assert!(std::net::TcpStream::connect(&address).is_err(), "the server is still there");
}

#[test]
fn a_test_is_interrupted_while_its_system_starts() {
    let regressions = empty_directory("starting");
    let begun = place("starting-begun");
    for sut in ["127.0.0.1:1", "stdio:sleep 60"] {
        _ = fs::remove_file(&begun);
        let start = format!("touch {}; exec sleep 60", begun.display());
        let ready = if sut.starts_with("stdio") { "0" } else { "tcp:127.0.0.1:1" };
        let arguments = ["test", "specs/kv.may", "--sut", sut, "--start", &start, "--ready", ready, "--regressions"];
        let mut child = mayhap(&[&arguments[..], &[regressions.to_str().unwrap()]].concat()).spawn().unwrap();
        let waiting = Instant::now();
        while !begun.exists() && waiting.elapsed() < Duration::from_secs(60) {
            thread::sleep(Duration::from_millis(5));
        }
        let asked = Instant::now();
        crate::served::send_signal(&child, "INT");
        let code = crate::served::wait(&mut child);
        _ = child.kill();
        assert_eq!(code, Some(130), "{sut}");
        assert!(asked.elapsed() < Duration::from_secs(20), "{sut}: {:?}", asked.elapsed());
    }
}

#[test]
fn a_known_cause_fails_no_test_but_another_one_does() {
    if !has_python() {
        return;
    }
    let (baseline, regressions) = (place("known.json"), empty_directory("known"));
    _ = fs::remove_file(&baseline);
    let baseline = baseline.to_str().unwrap();
    let tested = |bug: &str, more: &[&str]| {
        let more = [&["--seed", "2", "--clients", "1", "--requests", "1000", "--baseline", baseline], more].concat();
        test("specs/kv_etag.may", &server("kv_etag", &format!("--bug {bug}")), &regressions, &more)
    };
    let written = tested("missing-304", &["--baseline-update"]);
    assert!(out(&written).contains("violation"), "{}", said(&written));
    // By its regression, and without it.
    let (report, json) = (place("known-report.json"), |path: &Path| format!("json:{}", path.display()));
    for (part, verdict) in [("as is known", "pass"), ("known violation", "pass")] {
        let known = tested("missing-304", &["--report", &json(&report)]);
        assert!(out(&known).contains(part) && out(&known).contains("1 known, 0 new, 0 unseen"), "{}", said(&known));
        assert_eq!(known.status.code(), Some(0), "{}", said(&known));
        let written: serde_json::Value = serde_json::from_str(&fs::read_to_string(&report).unwrap()).unwrap();
        assert_eq!(written["verdict"], verdict);
        _ = fs::remove_dir_all(&regressions);
    }
    let other = tested("weak-if-match", &[]);
    assert_eq!(other.status.code(), Some(1), "{}", said(&other));
}

/// A real Redis that stores what it is told, in a directory.
fn storing_redis(directory: &Path) -> Option<(String, String, String)> {
    let program = match crate::recorder::server::find(REDIS) {
        Ok(program) => program.display().to_string(),
        Err(missing) => {
            skipped(&missing.to_string());
            return None;
        }
    };
    let port = crate::sut::free_port();
    fs::create_dir(directory).unwrap();
    let kept = format!("--save '' --appendonly yes --appendfsync always --dir {}", directory.display());
    let start = format!("exec {program} --port {port} {kept}");
    Some((format!("stdio:exec python3 examples/sut_redis.py {port}"), start, format!("tcp:127.0.0.1:{port}")))
}

#[test]
fn what_a_system_has_stored_is_taken_away_before_it_is_started_again() {
    if !has_python() {
        return;
    }
    let (regressions, directory) = (empty_directory("emptied"), empty_directory("emptied-redis"));
    let Some((sut, start, ready)) = storing_redis(&directory) else { return };
    let reset = format!("restart: rm -rf {0}; mkdir {0}; echo emptied >> {0}.log", directory.display());
    let log = PathBuf::from(format!("{}.log", directory.display()));
    _ = fs::remove_file(&log);
    let more = ["--ready", &ready, "--reset", &reset, "--requests", "60", "--steps", "20", "--seed", "3"];
    let output = test("specs/redis_strings.may", &(sut, start), &regressions, &more);
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", said(&output));
    assert!(out(&output).contains("no violation"), "{}", said(&output));
    let times = fs::read_to_string(&log).unwrap_or_default().lines().count();
    assert!(times > 1, "emptied {times} times: {}", said(&output));
    _ = fs::remove_dir_all(directory);
}

#[test]
fn a_real_redis_that_is_killed_loses_nothing_that_it_had_written() {
    if !has_python() {
        return;
    }
    let (regressions, directory) = (empty_directory("killed"), empty_directory("killed-redis"));
    let Some((sut, start, ready)) = storing_redis(&directory) else { return };
    let more =
        ["--ready", &ready, "--reset", "none", "--crash", "0.1", "--requests", "60", "--clients", "2", "--seed", "3"];
    let output = test("specs/redis_strings.may", &(sut, start), &regressions, &more);
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", said(&output));
    assert!(out(&output).contains("60 requests in") && out(&output).contains("no violation"), "{}", said(&output));
    _ = fs::remove_dir_all(directory);
}

#[test]
fn a_request_at_a_barrier_with_one_that_it_waits_for_is_sent_all_the_same() {
    if !has_python() {
        return;
    }
    let (address, start) = server("register", "");
    let lines = [
        r#"{"mayhap": 1, "spec": "register"}"#,
        r#"{"together": [1, 3]}"#,
        r#"{"n": 1, "c": 1, "q": {"Write": 1}}"#,
        r#"{"n": 2, "c": 1, "a": {"Write": 1}}"#,
        r#"{"n": 3, "c": 2, "q": "Read"}"#,
        r#"{"n": 4, "c": 2, "a": {"Read": 1}}"#,
    ];
    let script = file("barrier.ndjson", lines.join("\n"));
    let arguments =
        ["replay", script.to_str().unwrap(), "--for", "specs/register.may", "--sut", &address, "--start", &start];
    check(&[&arguments[..], &["--times", "3"]].concat(), "", 0, &[": passes"]);
}

/// A counter that greets each connection with its number.
const GREETING: &str = "
    enum Request { Add { n: int }, Get }
    enum Response { Hello(int), Sum(int) }
    protocol greeting {
        request Request;
        response Response;
        var sum: int = 0;
        on open from c { send c, Hello(sum); }
        on Add { n } { expects 0 <= n && n < 100; sum := sum + n; reply Sum(sum); }
        on Get { reply Sum(sum); }
    }";

/// Its server, which forgets to add 1 if it is started with an argument.
const FORGETFUL: &str = r#"import json, socketserver, sys, threading
total, lock = 0, threading.Lock()
class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        global total
        def say(message): self.wfile.write((json.dumps(message) + "\n").encode())
        with lock: say({"Hello": total})
        for line in self.rfile:
            asked = json.loads(line)
            added = asked["Add"]["n"] if isinstance(asked, dict) else 0
            with lock:
                total += 0 if added == 1 and sys.argv[2:] else added
                say({"Sum": total})
class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address, daemon_threads = True, True
Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"#;

/// The greeting comes after the first request was sent, and is no answer to it.
#[test]
fn a_greeting_answers_no_request() {
    if !has_python() {
        return;
    }
    let (spec, program) = (file("greeting.may", GREETING), file("greeting.py", FORGETFUL));
    let spec = spec.display().to_string();
    for (bug, code, clients) in [("", 0, "1"), ("", 0, "3"), (" bug", 1, "1")] {
        let port = crate::sut::free_port();
        let system = (format!("127.0.0.1:{port}"), format!("python3 -SB {} {port}{bug}", program.display()));
        let kept = empty_directory(&format!("greeting{code}{clients}"));
        let output = test(&spec, &system, &kept, &["--clients", clients, "--requests", "200", "--seed", "3"]);
        assert_eq!(output.status.code(), Some(code), "{bug}, {clients}: {}", said(&output));
        if code == 1 {
            let text = out(&output);
            assert!(text.contains("to 1 request in ") && text.contains("c1 ← Sum 0"), "{text}");
            assert!(!text.contains("step 2") && !text.contains("answer to no request"), "{text}");
        }
    }
}
