//! Systems behind adapters: Python and shell ones, good and bad, and those of the library.

use std::time::{Duration, Instant};

use mayhap::sut::kinds::request_kinds;
use mayhap::sut::process::StartOptions;
use mayhap::sut::{SutEvent, SutEventKind, SutFailure, SutFailureKind, System, open};
use mayhap::value::Value;

use super::{answer, check_failure, check_gone, counter, next, outcomes, processes, starting};

/// A counter. Requests from 901 on are answered in odd ways.
const COUNTER: &str = r#"
import json, sys
def say(line): print(line, flush=True)
n = 0
for line in sys.stdin:
    m = json.loads(line)
    if "spec" in m: print("I count for", m["clients"], file=sys.stderr, flush=True); say('{"ready": true}')
    elif "reset" in m: n = 0; say('{"ready": true}')
    elif "end" in m: break
    elif "close" in m: print("closed", m["c"], file=sys.stderr, flush=True)
    elif m["q"] == 901: say('{"c": %d, "lost": true}' % m["c"])
    elif m["q"] == 902: say('{"c": %d, "refused": true}' % m["c"])
    elif m["q"] == 903: say('{"c": %d, "closed": true}' % m["c"])
    elif m["q"] == 904: say("debug: it is asked")
    elif m["q"] == 905: say('{"c": %d, "a": "five"}' % m["c"])
    elif m["q"] == 906: print("I give up", file=sys.stderr); sys.exit(7)
    elif m["q"] == 907: pass
    elif m["q"] == 908: say('{"level": "info"}')
    elif m["q"] == 909: say('{"c": 71, "a": 5}')
    elif m["q"] == 910: say('{"c": 1, "a": 5}'); say('{"c": 1, "a": 6}')
    else: n += m["q"]; say(json.dumps({"c": m["c"], "a": n}))
"#;

/// The command that starts such a program.
fn python(program: &str) -> String {
    format!("exec python3 -c '{}'", program.replace('\'', r"'\''"))
}

/// A system behind an adapter.
fn behind(command: &str) -> Box<dyn System> {
    let address = format!("stdio:{command}").parse().expect("an address");
    let start = StartOptions { patience: Duration::from_secs(5), ..StartOptions::default() };
    open(&counter(), &address, &start).unwrap_or_else(|failure| panic!("{failure}"))
}

fn adapter() -> Box<dyn System> {
    let mut system = behind(&python(COUNTER));
    system.reset(3).unwrap_or_else(|failure| panic!("{failure}: {:?}", system.last_output(None)));
    system
}

/// Asks a client's request and takes what comes first.
fn asked(system: &mut dyn System, client: u64, request: i64) -> Result<SutEvent, SutFailure> {
    system.send(client, &Value::from(request))?;
    next(system)
}

#[test]
fn all_clients_go_through_one_adapter() {
    let mut system = adapter();
    for _ in 0..3 {
        for client in [1, 2, 3, 1] {
            system.send(client, &Value::from(2)).expect("sent");
        }
        let events: Vec<_> = (0..4).map(|_| next(&mut *system)).collect();
        assert_eq!(events, [(1, 2), (2, 4), (3, 6), (1, 8)].map(|(client, n)| Ok(answer(client, n))));
        assert_eq!(system.next(Instant::now() + Duration::from_millis(20)), Ok(None));
        system.reset(3).expect("reset");
    }
    assert_eq!(system.last_output(None), ["I count for 3"]);
}

/// A program that an adapter has started may hold the adapter's output.
#[test]
fn an_adapter_that_ends_is_noticed_although_its_output_stays_open() {
    let mut system = behind(&python(
        r#"
import os, subprocess, sys
sys.stdin.readline(); print('{"ready": true}', flush=True)
sys.stdin.readline(); print('{"ready": true}', flush=True)
subprocess.Popen(["sleep", "45"])
sys.stdin.readline(); print('{"c": 1, "a": 5}', flush=True); os._exit(3)
"#,
    ));
    system.reset(1).unwrap_or_else(|failure| panic!("{failure}: {:?}", system.last_output(None)));
    assert_eq!(asked(&mut *system, 1, 5), Ok(answer(1, 5)));
    let began = Instant::now();
    let failure = asked(&mut *system, 1, 5).expect_err("it has ended");
    assert!(failure.what.contains("ended (exit status: 3)"), "{failure}");
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
}

#[test]
fn an_answer_for_a_client_that_never_asked_is_a_failure_of_the_adapter() {
    let mut system = adapter();
    let failure = asked(&mut *system, 1, 909).expect_err("nobody asked");
    assert_eq!(failure.kind, SutFailureKind::Adapter);
    assert!(failure.what.ends_with("it answers client 71, which was never asked anything"), "{failure}");
    // One who asked may be answered twice: that is to be judged.
    system.reset(3).expect("reset");
    assert_eq!(asked(&mut *system, 1, 910), Ok(answer(1, 5)));
    assert_eq!(next(&mut *system), Ok(answer(1, 6)));
}

#[test]
fn everything_that_a_client_can_see_is_seen() {
    let mut system = adapter();
    for (request, kind) in [(901, SutEventKind::Lost), (902, SutEventKind::Refused), (903, SutEventKind::Closed)] {
        assert_eq!(asked(&mut *system, 2, request), Ok(SutEvent { client: 2, kind }));
        assert!(asked(&mut *system, 2, 1).is_ok_and(|event| matches!(event.kind, SutEventKind::Answer(_))));
    }
}

#[test]
fn what_was_sent_before_a_connection_ended_is_lost_with_it() {
    let mut system = adapter();
    for request in [903, 10, 20] {
        system.send(1, &Value::from(request)).expect("sent");
    }
    assert_eq!(next(&mut *system), Ok(SutEvent { client: 1, kind: SutEventKind::Closed }));
    // The adapter has done both, and says so.
    assert_eq!(asked(&mut *system, 1, 1), Ok(answer(1, 31)));
    // It says nothing of what is not answered.
    system.send(1, &Value::from(907)).expect("sent");
    assert_eq!(system.next(Instant::now() + Duration::from_millis(20)), Ok(None));
    system.close(1).expect("closed");
    assert_eq!(asked(&mut *system, 2, 1), Ok(answer(2, 32)));
    assert_eq!(asked(&mut *system, 1, 1), Ok(answer(1, 33)));
    assert_eq!(system.last_output(None), ["I count for 3", "closed 1"]);
}

#[test]
fn what_an_adapter_says_of_a_connection_that_was_given_up_is_not_heard() {
    let says =
        r#"    elif "close" in m: say(json.dumps({"c": m["c"], "a": n})); say('{"c": %d, "closed": true}' % m["c"])"#;
    let lines = COUNTER.lines().map(|line| if line.contains(r#"elif "close""#) { says } else { line });
    let mut system = behind(&python(&lines.collect::<Vec<_>>().join("\n")));
    system.reset(1).expect("reset");
    for _ in 0..2 {
        for _ in 0..3 {
            system.send(1, &Value::from(907)).expect("sent");
        }
        assert_eq!(system.next(Instant::now() + Duration::from_millis(20)), Ok(None));
        let began = Instant::now();
        system.close(1).expect("closed");
        assert_eq!(asked(&mut *system, 1, 1).map(|event| event.client), Ok(1));
        assert!(began.elapsed() < Duration::from_millis(100), "it is waited for more than was said");
    }
}

#[test]
fn a_late_answer_is_none_of_a_later_connection() {
    let late = r#"
import json, sys, threading
def say(line): print(json.dumps(line) + "\n", end="", flush=True)
for m in map(json.loads, sys.stdin):
    if "q" in m:
        line = {"c": m["c"], "connection": m.get("connection", 1) + (m["q"] == 8), "a": m["q"]}
        threading.Timer(0.4 if m["q"] == 7 else 0.0, say, [line]).start()
    elif "close" not in m: say({"ready": True})
"#;
    let mut system = behind(&python(late));
    system.reset(1).expect("reset");
    assert_eq!(asked(&mut *system, 1, 1), Ok(answer(1, 1)));
    for _ in 0..2 {
        system.send(1, &Value::from(7)).expect("sent");
        system.close(1).expect("closed");
        assert_eq!(asked(&mut *system, 1, 2), Ok(answer(1, 2)));
        assert_eq!(system.next(Instant::now() + Duration::from_millis(500)), Ok(None));
        assert_eq!(asked(&mut *system, 1, 3), Ok(answer(1, 3)));
    }
    // Nor is it one after a reset.
    system.send(1, &Value::from(7)).expect("sent");
    assert_eq!(system.next(Instant::now() + Duration::from_millis(20)), Ok(None));
    system.reset(1).expect("reset");
    assert_eq!(asked(&mut *system, 1, 5), Ok(answer(1, 5)));
    assert_eq!(system.next(Instant::now() + Duration::from_millis(500)), Ok(None));
    let why = "it is about connection 5 of client 1, which has made 4";
    check_failure(asked(&mut *system, 1, 8), SutFailureKind::Adapter, why);
}

#[test]
fn an_answer_from_before_a_reset_is_not_one_from_behind_it() {
    let late = r#"
import json, sys, threading
def say(line): print(json.dumps(line) + "\n", end="", flush=True)
for m in map(json.loads, sys.stdin):
    if "q" not in m: say({"ready": True})
    elif m["q"] == 1: threading.Timer(0.05, say, [{"c": m["c"], "a": 1}]).start()
    else: say({"c": m["c"], "a": m["q"]})
"#;
    let mut system = behind(&python(late));
    for _ in 0..2 {
        system.reset(1).expect("reset");
        assert_eq!(asked(&mut *system, 1, 2), Ok(answer(1, 2)));
        system.send(1, &Value::from(1)).expect("sent");
        assert_eq!(system.next(Instant::now() + Duration::from_millis(10)), Ok(None));
    }
}

#[test]
fn an_adapter_that_does_not_keep_to_the_protocol_is_told_from_a_wrong_answer() {
    use SutFailureKind::{Adapter, Garbage};
    for (request, kind, text) in [
        (
            904,
            Adapter,
            "line 3 of the adapter, `debug: it is asked`, is none of the protocol: expected `{`, found `debug`; an adapter prints logs to standard error",
        ),
        (905, Garbage, r#"line 3 of the adapter: `"five"` is no answer: expected int, found the string "five""#),
        (906, Adapter, "ended (exit status: 7); it printed last: I give up"),
        (908, Adapter, "it has none of the keys ready, a, lost, refused, closed"),
    ] {
        let mut system = adapter();
        check_failure(asked(&mut *system, 1, request), kind, text);
        system.reset(1).expect("it begins anew");
        assert_eq!(asked(&mut *system, 1, 1), Ok(answer(1, 1)));
    }
}

#[test]
fn an_adapter_that_does_not_begin_says_why() {
    let hello = r#"read -r hello; echo '{"ready": true, "mayhap": 2}'; read -r more"#;
    for (command, text) in [
        (
            "no-such-adapter",
            "ended (exit status: 127, no such command); it printed last: sh: 1: no-such-adapter: not found",
        ),
        ("echo oops >&2; exit 3", "ended (exit status: 3); it printed last: oops"),
        ("echo listening; sleep 60", "line 1 of the adapter, `listening`, is none of the protocol"),
        (hello, "it speaks version 2 of the protocol, this program version 1"),
        ("exec >&-; sleep 60", "closed its standard output; it printed nothing"),
    ] {
        check_failure(behind(command).reset(1), SutFailureKind::Adapter, text);
    }
    let address = "stdio:echo hm >&2; sleep 60".parse().expect("an address");
    let start = StartOptions { patience: Duration::from_millis(200), ..StartOptions::default() };
    let reset = open(&counter(), &address, &start).and_then(|mut system| system.reset(2));
    let text = r#"did not answer {"mayhap": 1, "spec": "counter", "clients": 2} with {"ready": true} within 0.2 s; it printed last: hm"#;
    check_failure(reset, SutFailureKind::Adapter, text);
}

#[test]
fn an_adapter_and_its_system_end_with_the_tester() {
    let mark = format!("{}.3", 2_000_000 + std::process::id());
    let address = format!("stdio:{} & sleep {mark}; wait", python(COUNTER).replace("exec ", "")).parse();
    let start = starting(&format!("echo up; sleep {mark}"), Some("line:up"), Some("restart"));
    let mut system = open(&counter(), &address.expect("an address"), &start).expect("a system");
    let began = Instant::now();
    // In the background an adapter has no input, which is its end.
    check_failure(system.reset(1), SutFailureKind::Adapter, "did not answer");
    assert!(began.elapsed() < Duration::from_secs(10) && !processes(&mark).is_empty());
    drop(system);
    check_gone(&mark);
}

#[test]
fn each_request_has_its_outcome() {
    let mut system = behind(&python(COUNTER));
    let requests = [1, 902, 907, 5, 905, 6].map(Value::from);
    let outcomes = outcomes(&mut *system, &requests, Duration::from_millis(200)).into_iter();
    let outcomes: Vec<_> = outcomes.map(|outcome| outcome.map_err(|failure| failure.kind)).collect();
    let (refused, answer) = (Ok(Some(SutEventKind::Refused)), |n: i64| Ok(Some(SutEventKind::Answer(Value::from(n)))));
    assert_eq!(outcomes, [answer(1), refused, Ok(None), answer(6), Err(SutFailureKind::Garbage)]);
    assert_eq!(request_kinds(&counter()), [Value::from(1)]);
}
