//! Systems under test: each adapter against good and bad systems, and no process left behind.
//!
//! A bad system is a shell command or a few lines of Python, started as users start theirs.

mod adapters;
mod in_tests;
mod real;
mod rust;
mod stdio;
mod tcp;

use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use mayhap::sut::process::StartOptions;
use mayhap::sut::{SutAddress, SutEvent, SutEventKind, SutFailure, SutFailureKind, System, open};
use mayhap::value::Value;
use mayhap::{Spec, sut};

/// A counter: what was added is answered.
pub const COUNTER: &str =
    "protocol counter { request int; response int; var n: int = 0; on q { n := n + q; reply n; } }";

/// The specification of a counter.
pub fn counter() -> Arc<Spec> {
    Spec::from_text(COUNTER).expect("it is a specification")
}

/// A port that nobody listens at, below those that the kernel gives to connections.
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let own = std::process::id() as u16 % 100 * 100;
    loop {
        let port = 20_000 + (own + NEXT.fetch_add(1, Ordering::Relaxed)) % 10_000;
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return port;
        }
    }
}

/// What starts a system, as on the command line.
pub fn starting(command: &str, ready: Option<&str>, reset: Option<&str>) -> StartOptions {
    let ready = ready.map(|ready| ready.parse().expect("a sign"));
    let reset = reset.map(|reset| reset.parse().expect("a way"));
    let patience = Duration::from_secs(3);
    StartOptions { command: Some(command.to_owned()), ready, reset, patience, ..StartOptions::default() }
}

/// A system at a TCP address that is started here.
pub fn at(port: u16, start: &StartOptions) -> Box<dyn System> {
    let address: SutAddress = format!("127.0.0.1:{port}").parse().expect("an address");
    open(&counter(), &address, start).unwrap_or_else(|failure| panic!("{failure}"))
}

/// The outcome of a request: the first thing that the client sees; `None` if it sees nothing in time.
type Outcome = Result<Option<SutEventKind>, SutFailure>;

/// The outcomes of requests to a fresh system from one client, one after another, up to the first failure.
pub fn outcomes(system: &mut dyn System, requests: &[Value], deadline: Duration) -> Vec<Outcome> {
    system.reset(1).expect("it is reset");
    let mut outcomes: Vec<Outcome> = Vec::new();
    for request in requests {
        let pause = system.paused().map(|until| until.saturating_duration_since(Instant::now()));
        std::thread::sleep(pause.unwrap_or_default());
        let seen = system.send(1, request).and_then(|()| system.next(Instant::now() + deadline));
        if seen == Ok(None) {
            system.close(1).expect("it is closed");
        }
        outcomes.push(seen.map(|event| event.map(|event| event.kind)));
        if outcomes.last().is_some_and(Result::is_err) {
            break;
        }
    }
    outcomes
}

/// The next thing that happens, soon.
pub fn next(system: &mut dyn System) -> Result<SutEvent, SutFailure> {
    let event = system.next(Instant::now() + Duration::from_secs(10))?;
    Ok(event.unwrap_or_else(|| panic!("nothing happens; {:?}", system.last_output(None))))
}

/// The answer of a client.
pub fn answer(client: u64, number: i64) -> SutEvent {
    SutEvent { client, kind: SutEventKind::Answer(Value::from(number)) }
}

/// Checks the kind of a failure, and that its text has this in it.
pub fn check_failure<T: std::fmt::Debug>(found: Result<T, SutFailure>, kind: SutFailureKind, text: &str) {
    let failure = found.expect_err("a failure");
    assert_eq!(failure.kind, kind, "{failure}");
    assert!(failure.what.contains(text), "{failure}");
}

/// The processes whose command line has this text in it.
pub fn processes(mark: &str) -> Vec<String> {
    let commands = std::fs::read_dir("/proc").into_iter().flatten().filter_map(|entry| {
        let command = std::fs::read(entry.ok()?.path().join("cmdline")).ok()?;
        Some(String::from_utf8_lossy(&command).replace('\0', " "))
    });
    commands.filter(|command| command.contains(mark)).collect()
}

/// Sees to it that no process with this text in its command line is left, or will soon be.
pub fn check_gone(mark: &str) {
    let deadline = Instant::now() + Duration::from_secs(2);
    while !processes(mark).is_empty() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(processes(mark), Vec::<String>::new());
}

#[test]
fn an_http_server_needs_an_http_block() {
    let address = "http://127.0.0.1:80".parse().expect("an address");
    let failure = sut::open(&counter(), &address, &StartOptions::default()).map(|_| ());
    check_failure(failure, SutFailureKind::Start, "the specification counter has no http block");
}
