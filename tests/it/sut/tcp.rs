//! Systems at TCP addresses: what they answer, and each way in which they go wrong.
//!
//! `python3 -c COUNTER 7000` is a counter that does something odd when it is asked for it.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

use mayhap::sut::process::StartOptions;
use mayhap::sut::{Leave, SutEvent, SutEventKind, SutFailureKind, System};
use mayhap::value::Value;

use super::{answer, at, check_failure, check_gone, free_port, next, processes, starting};

/// A counter with a thread a client. Requests from 901 on are answered in odd ways.
const COUNTER: &str = r#"
import os, socketserver, sys, time
n = 0
class Client(socketserver.StreamRequestHandler):
    def handle(self):
        global n
        for line in self.rfile:
            q = int(line)
            if q == 901: return
            if q == 902: os.abort()
            if q == 903: self.wfile.write(b"oh\xff\n"); continue
            if q == 904: self.wfile.write(b'{"$error": "stuck", "message": "no run"}\n'); continue
            if q == 905: self.wfile.write(b'{"$error": "busy", "message": "too many"}\n'); continue
            if q == 906: self.wfile.write(b"12"); return
            if q == 907: print("that is all", flush=True); os._exit(3)
            if q == 908: time.sleep(60)
            if q == 909: self.wfile.write(b'{"$any": null}\n'); continue
            n += q
            self.wfile.write(b"%d\n" % n)
socketserver.ThreadingTCPServer.allow_reuse_address = True
server = socketserver.ThreadingTCPServer(("127.0.0.1", int(sys.argv[1])), Client)
print("counting", flush=True)
server.serve_forever()
"#;

/// The command that starts the counter.
fn command(port: u16) -> String {
    format!("exec python3 -c '{}' {port}", COUNTER.replace('\'', r"'\''"))
}

/// A counter that was just started.
fn counter() -> (u16, Box<dyn System>) {
    let port = free_port();
    let mut system = at(port, &starting(&command(port), None, None));
    system.reset(2).unwrap_or_else(|failure| panic!("{failure}: {:?}", system.last_output(None)));
    (port, system)
}

/// Asks a client's request and takes what comes first.
fn asked(system: &mut dyn System, client: u64, request: i64) -> Result<SutEvent, mayhap::sut::SutFailure> {
    system.send(client, &Value::from(request))?;
    next(system)
}

#[test]
fn clients_have_connections_of_their_own_and_a_reset_is_a_new_start() {
    let (_, mut system) = counter();
    for _ in 0..3 {
        for request in 1..=50 {
            system.send(1, &Value::from(request)).expect("sent");
        }
        let mut last = 0;
        for request in 1..=50 {
            last += request;
            assert_eq!(next(&mut *system), Ok(answer(1, last)));
        }
        assert_eq!(asked(&mut *system, 2, 1), Ok(answer(2, 1276)));
        assert_eq!(asked(&mut *system, 1, 1), Ok(answer(1, 1277)));
        assert_eq!(system.next(Instant::now() + Duration::from_millis(20)), Ok(None));
        system.reset(2).expect("a new start");
    }
    // What the new process prints is read beside everything else.
    let until = Instant::now() + Duration::from_secs(10);
    while system.last_output(None).is_empty() && Instant::now() < until {
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(system.last_output(None), ["counting"]);
}

#[test]
fn a_connection_that_was_closed_is_made_again() {
    let (_, mut system) = counter();
    assert_eq!(asked(&mut *system, 1, 5), Ok(answer(1, 5)));
    assert_eq!(asked(&mut *system, 1, 901), Ok(SutEvent { client: 1, kind: SutEventKind::Closed }));
    assert_eq!(asked(&mut *system, 1, 1), Ok(answer(1, 6)));
    system.send(1, &Value::from(908)).expect("sent");
    assert_eq!(system.next(Instant::now() + Duration::from_millis(50)), Ok(None));
    system.close(1).expect("closed");
    assert_eq!(asked(&mut *system, 1, 1), Ok(answer(1, 7)));
}

#[test]
fn a_system_that_goes_wrong_is_told_from_one_that_answers_wrong() {
    use SutFailureKind::{Crash, Garbage, Refused};
    for (request, kind, text) in [
        (902, Crash, "the system ended by itself (signal: 6"),
        (903, Garbage, r"`oh\xff` is no answer: it is not UTF-8"),
        (904, Garbage, "the system answered with an error (stuck): no run"),
        (905, Refused, "the system refuses clients (busy): too many"),
        (906, Garbage, "`12` is no answer: the connection ended in the middle of this line"),
        (907, Crash, "(exit status: 3); it printed last: that is all"),
        (909, Garbage, "only a recording may have holes"),
    ] {
        let (_, mut system) = counter();
        assert_eq!(asked(&mut *system, 2, 5), Ok(answer(2, 5)));
        let found = asked(&mut *system, 1, request);
        let client = if kind == Crash { None } else { Some(1) };
        assert_eq!(found.as_ref().map_err(|failure| failure.client), Err(client), "{request}");
        check_failure(found, kind, text);
    }
}

#[test]
fn a_system_that_was_killed_starts_again() {
    let (_, mut system) = counter();
    assert_eq!(asked(&mut *system, 1, 5), Ok(answer(1, 5)));
    system.crash().expect("it starts again");
    assert_eq!(asked(&mut *system, 1, 7), Ok(answer(1, 7)));
}

#[test]
fn a_system_that_is_not_there_refuses() {
    let port = free_port();
    let mut system = at(port, &StartOptions::default());
    system.reset(1).expect("nothing to do");
    check_failure(system.send(1, &Value::from(1)), SutFailureKind::Refused, "takes no connection: Connection refused");
    check_failure(system.crash(), SutFailureKind::Start, "--start");
}

#[test]
fn a_system_that_others_started_and_that_dies_has_crashed() {
    let (port, mut owner) = counter();
    let mut system = at(port, &StartOptions::default());
    system.reset(1).expect("nothing to do");
    assert_eq!(asked(&mut *system, 1, 5), Ok(answer(1, 5)));
    check_failure(asked(&mut *system, 1, 907), SutFailureKind::Crash, "ended a connection and takes no more");
    check_failure(asked(&mut *owner, 1, 5), SutFailureKind::Crash, "exit status: 3");
}

#[test]
fn a_system_that_does_not_start_says_why() {
    let port = free_port();
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let in_use = taken.local_addr().expect("an address").port();
    let hasty = |command: &str, ready: Option<&str>| {
        let patience = Duration::from_millis(300);
        StartOptions { patience, ..starting(command, ready, None) }
    };
    for (port, start, text) in [
        (
            port,
            hasty("no-such-command 7", None),
            "(exit status: 127, no such command); it printed last: sh: 1: no-such",
        ),
        (
            port,
            hasty("echo oops >&2; exit 5", None),
            "ended before it was ready (exit status: 5); it printed last: oops",
        ),
        (port, hasty("sleep 60", None), "was not ready after 0.3 s: nothing listened at 127.0.0.1:"),
        (port, hasty("echo hi; sleep 60", Some("line:^ready")), "matched \"^ready\"; it printed last: hi"),
        (port, hasty("exit 0", Some("0.1")), "(exit status: 0: it has to stay in the foreground); it printed nothing"),
        (in_use, hasty("sleep 60", None), "is in use: something listens there before `sleep 60` is started"),
        (
            port,
            StartOptions { reset: Some("exit 7".parse().expect("a way")), ..StartOptions::default() },
            "`exit 7`, which resets",
        ),
    ] {
        let mut system = at(port, &start);
        check_failure(system.reset(1), SutFailureKind::Start, text);
    }
}

#[test]
fn nothing_of_a_system_is_left_behind() {
    // Children that do not end when they are asked to, and hold what they were given.
    let mark = format!("{}.7", 1_000_000 + std::process::id());
    let command = format!("trap '' TERM; (trap '' TERM; sleep {mark}) & echo up; sleep {mark}; sleep {mark}");
    for kill in [false, true] {
        let mut system = at(free_port(), &starting(&command, Some("line:^up$"), None));
        system.reset(1).expect("it starts");
        assert!(processes(&mark).len() >= 2);
        if kill {
            system.crash().expect("it starts again");
            assert!(processes(&mark).len() <= 3);
        }
        drop(system);
        check_gone(&mark);
    }
}

#[test]
fn a_client_ends_its_connection_and_the_system_takes_notice_or_not() {
    for ends in [true, false] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            let mut kept = Vec::new();
            for stream in listener.incoming().map_while(Result::ok) {
                for line in BufReader::new(&stream).lines().map_while(Result::ok) {
                    writeln!(&stream, "{line}").unwrap();
                }
                kept.extend((!ends).then_some(stream));
            }
        });
        let mut system = at(port, &StartOptions::default());
        system.reset(1).expect("it is reset");
        assert!(system.can_leave());
        assert_eq!(system.leave(1, Duration::from_secs(10)), Ok(Leave::NotThere));
        assert_eq!(asked(&mut *system, 1, 5), Ok(answer(1, 5)));
        let left = if ends { Leave::Noticed } else { Leave::Unnoticed };
        assert_eq!(system.leave(1, Duration::from_millis(300)), Ok(left));
        assert_eq!(asked(&mut *system, 1, 6), Ok(answer(1, 6)));
        // A system that does not end its side is not asked again.
        assert_eq!(system.can_leave(), ends);
    }
}
