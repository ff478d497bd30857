//! Limits of time, and signals: whatever is being done, it ends within a moment, and what was found is kept.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use mayhap::evidence::Budget;
use mayhap::{Options, Session, SessionProgress, Spec};

use crate::command::{check, file, mayhap, place};
use crate::served::{send_signal, wait};

/// The time by which a limit may be exceeded, and in which a signal ends a command: one second, and another one as the commands
/// under test are not optimized, and run beside other tests.
const MOMENT: Duration = Duration::from_secs(2);

const ECHO: &str = "protocol p { request int; response int; on q { expects 0 <= q && q <= 9; reply q; } }";
/// A handler with eight million steps.
const LONG: &str = "protocol p { request int; response int;
    on q { reply len({(a, b, c) for a in 0..200 for b in 0..200 for c in 0..200}); } }";
/// It answers nothing, or each 30th request wrong, after a pause.
const ADAPTER: &str = r#"import json, sys, time
n = 0
for m in map(json.loads, sys.stdin):
    n = 0 if "reset" in m else n + 1
    if "spec" in m or "reset" in m: print('{"ready": true}', flush=True)
    elif "q" in m and sys.argv[1] == "wrong":
        time.sleep(0.02)
        print(json.dumps({"c": m["c"], "a": m["q"] + 100 * (n == 30)}), flush=True)
"#;

/// A command for each thing that takes long, with the time after which it must end.
fn limited() -> Vec<(Vec<String>, f64)> {
    let [echo, long] = [file("echo.may", ECHO), file("long.may", LONG)].map(|path| path.display().to_string());
    let adapter = file("adapter.py", ADAPTER);
    let adapter = |what: &str| format!("stdio:python3 -SB {} {what}", adapter.display());
    let one = file("one.ndjson", "{\"q\": 1, \"a\": 2}\n").display().to_string();
    let mut number = 0;
    let mut test = |time: &str, sut: &str, more: &[&str]| {
        number += 1;
        let regressions = place(&format!("limited-{number}")).display().to_string();
        let base = ["test", &echo, "--sut", sut, "--time", time, "--deadline", "60", "--regressions", &regressions];
        base.into_iter().chain(more.iter().copied()).map(str::to_owned).collect::<Vec<_>>()
    };
    let validate = |arguments: &[&str]| ["validate"].iter().chain(arguments).map(|text| (*text).to_owned()).collect();
    let streams = ["tests/data/ends/streams.may", "tests/data/ends/autoclaim-outofrange.ndjson"];
    // One path through its handler asks questions without end.
    let mut doubles = test("1", &adapter("silent"), &[]);
    doubles[1] = "tests/data/cost/doubles.may".to_owned();
    vec![
        (doubles, 1.0),
        (test("1", &adapter("silent"), &[]), 1.0),
        (test("1", "stdio:sleep 60", &[]), 1.0),
        (test("1", "127.0.0.1:1", &["--start", "sleep 60", "--ready", "tcp:127.0.0.1:1"]), 1.0),
        (test("1", "127.0.0.1:1", &["--start", "trap '' TERM; sleep 60", "--ready", "0", "--reset", "sleep 60"]), 1.0),
        (test("1", &adapter("wrong"), &["--rate", "0.1"]), 1.0),
        // The time is over while a failure is made smaller.
        (test("3", &adapter("wrong"), &["--clients", "1", "--shrink-time", "60"]), 3.0),
        // The clock is ten times as slow for unoptimized code.
        (validate(&[streams[0], streams[1], "--reason-time", "0.2"]), 2.0),
        (validate(&[long.as_str(), &one, "--exchange-time", "0.1", "--no-evidence"]), 6.0),
    ]
}

#[test]
fn every_limit_of_time_is_kept() {
    let late: Vec<String> = thread::scope(|scope| {
        let running: Vec<_> = limited()
            .into_iter()
            .map(|(arguments, seconds)| {
                scope.spawn(move || {
                    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
                    let began = Instant::now();
                    let mut child = mayhap(&arguments).spawn().unwrap();
                    _ = wait(&mut child);
                    let over = began.elapsed().saturating_sub(Duration::from_secs_f64(seconds));
                    (over > MOMENT).then(|| format!("{arguments:?}: {over:?} late"))
                })
            })
            .collect();
        running.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(late.is_empty(), "{late:#?}");
}

/// A command for each phase in which a signal may come, and what it must have written before the signal comes.
fn interrupted(silent_server: SocketAddr) -> Vec<(Vec<String>, Option<&'static str>, i32)> {
    let [echo, long] = [file("echo2.may", ECHO), file("long2.may", LONG)].map(|path| path.display().to_string());
    let adapter = file("adapter2.py", ADAPTER);
    let adapter = |what: &str| format!("stdio:python3 -SB {} {what}", adapter.display());
    let header = format!("{{\"mayhap\": 1, \"spec\": \"p\", \"file\": {echo:?}}}");
    let script = file("script.ndjson", format!("{header}\n{{\"n\": 1, \"c\": 1, \"q\": 1, \"a\": 1}}\n"));
    let script = script.display().to_string();
    let command = |arguments: &[&str]| arguments.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let test = |spec: &str, sut: &str, more: &[&str]| {
        let regressions = place(if more.contains(&"--shrink-time") { "interrupted" } else { "none" });
        let regressions = regressions.display().to_string();
        let base = ["test", spec, "--sut", sut, "--seed", "1", "--regressions", &regressions, "--deadline", "60"];
        command(&[&base[..], more].concat())
    };
    let (silent, wrong) = (adapter("silent"), adapter("wrong"));
    vec![
        // Looking for the first requests or waiting, starting, resetting, waiting, waiting for the next request, shrinking.
        (test("specs/http.may", &format!("http://{silent_server}"), &[]), None, 130),
        (test(&echo, "stdio:sleep 60", &[]), None, 130),
        (test(&echo, "127.0.0.1:1", &["--start", "sleep 60", "--ready", "0", "--reset", "sleep 60"]), None, 130),
        (test(&echo, &silent, &[]), None, 130),
        (test(&echo, &wrong, &["--rate", "0.1"]), None, 130),
        (test(&echo, &wrong, &["--clients", "1", "--shrink-time", "60"]), Some("to be shrunk"), 1),
        (command(&["replay", &script, "--sut", &silent, "--deadline", "60"]), None, 130),
        (command(&["test", &echo, "--sut", &silent, "--check-adapter", "--deadline", "60"]), None, 130),
        (command(&["watch", &echo, "--listen", "127.0.0.1:0", "--upstream", "127.0.0.1:1"]), None, 0),
        (command(&["serve", &long, "--tcp", "127.0.0.1:0"]), Some("listening on "), 130),
    ]
}

/// The line with a text that a child writes, and the stream, which nobody may close before the child ends.
fn until_said(child: &mut Child, text: &str) -> (String, BufReader<Box<dyn Read>>) {
    let stream: Box<dyn Read> = match text.starts_with("listening") {
        true => Box::new(child.stdout.take().unwrap()),
        false => Box::new(child.stderr.take().unwrap()),
    };
    let (mut lines, mut line) = (BufReader::new(stream), String::new());
    while !line.contains(text) {
        line.clear();
        assert!(lines.read_line(&mut line).unwrap() > 0, "{text} was not said");
    }
    (line, lines)
}

/// A client of a server that says where it listens, whose request takes long.
fn asking(said: &str) -> Option<TcpStream> {
    let mut client = TcpStream::connect(said.trim().strip_prefix("listening on ")?).unwrap();
    client.write_all(b"{\"q\": 1}\n").unwrap();
    Some(client)
}

/// Sends a signal to a command after it has said something; the complaint if it does not end within a moment, with this exit code.
fn signalled(words: &[&str], awaited: Option<&str>, code: i32) -> Option<String> {
    let mut child = mayhap(words).spawn().unwrap();
    let said = awaited.map(|text| until_said(&mut child, text));
    let _client = said.as_ref().and_then(|(line, _)| asking(line));
    thread::sleep(Duration::from_millis(700));
    let asked = Instant::now();
    send_signal(&child, "TERM");
    let ended = wait(&mut child);
    let is_fine = ended == Some(code) && asked.elapsed() < MOMENT;
    (!is_fine).then(|| format!("{words:?}: {ended:?} after {:?}", asked.elapsed()))
}

#[test]
fn a_signal_ends_every_phase_within_a_moment() {
    _ = fs::remove_dir_all(place("interrupted"));
    // Nobody accepts its connections, so nothing is answered.
    let silent_server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent_server.local_addr().unwrap();
    let wrong: Vec<String> = thread::scope(|scope| {
        let running: Vec<_> = interrupted(address)
            .into_iter()
            .map(|(arguments, awaited, code)| {
                scope.spawn(move || {
                    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
                    signalled(&words, awaited, code)
                })
            })
            .collect();
        running.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
    // The failure that was being shrunk is kept.
    assert_eq!(fs::read_dir(place("interrupted")).unwrap().count(), 1);
}

/// Commands that compute from files alone.
#[test]
fn a_signal_ends_what_computes_within_a_moment() {
    let long = file("long3.may", LONG).display().to_string();
    let one = file("one3.ndjson", "{\"q\": 1, \"a\": 2}\n").display().to_string();
    let commands = [
        &["validate", &long, &one, "--exchange-time", "60"][..],
        &["validate", &long, &one, &one, "--exchange-time", "60"][..],
        &["mutate", "specs/sessions.may", "--score", "--requests", "100000"][..],
        &["simulate", &long, "--steps", "1000"][..],
        &["simulate", "specs/kv.may", "--steps", "1000000000", "--out", "/dev/null"][..],
        &["check", &long, "--cost", "--steps", "1000"][..],
        &["explore", &long, "--steps", "4"][..],
        &["explore", "specs/kv.may", "--steps", "40"][..],
        &["explore", "--cmd", "sleep 60"][..],
    ];
    let wrong: Vec<String> = commands.iter().filter_map(|words| signalled(words, None, 130)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn an_answer_that_no_state_gives_is_told_so_at_once() {
    let text = fs::read_to_string("specs/sessions.may").unwrap();
    let spec = Spec::from_text(&text).unwrap().in_any_state().unwrap();
    let mut session = Session::tcp(&spec, Options::default());
    let recorded = fs::read_to_string("tests/data/ends/login-denied.ndjson").unwrap();
    let lines = recorded.lines().filter(|line| line.contains("\"q\"") || line.contains("\"a\""));
    let mut last = SessionProgress::Explained;
    for line in lines {
        last = session.push_line(line).unwrap();
    }
    assert!(matches!(last, SessionProgress::Rejected(_)), "{last:?}");
    let began = Instant::now();
    let said = session.evidence(Budget::seconds(1.0)).explanation.join("\n");
    assert!(said.contains("whatever the values of all other answers were"), "{said}");
    assert!(began.elapsed() < MOMENT, "{:?}", began.elapsed());
}

/// Eight puts that nobody saw answered share a counter: their orders end in states that differ in the places of the same values.
#[test]
fn orders_that_end_in_different_states_take_no_time() {
    let began = Instant::now();
    let arguments = ["validate", "tests/data/ends/revisions.may", "tests/data/ends/revisions.ndjson", "--net", "tcp"];
    check(&arguments, "", 0, &["accept (18 events)"]);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}
