//! Real servers through the adapters of `examples`: the requests that they understand, and those that they refuse.
//!
//! Where memcached or Redis is not installed the tests say so and do nothing, except with `CI=true`, where they fail.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mayhap::json::{decode, encode};
use mayhap::sut::kinds::request_kinds;
use mayhap::sut::process::StartOptions;
use mayhap::sut::{InProcess, SutEvent, SutEventKind, SutFailureKind, System, open};
use mayhap::trace::{EventKind, TraceEvent};
use mayhap::{Options, Session, SessionProgress, Spec};

use crate::judge::compiled;
use crate::real::{self, memcached, redis};
use crate::recorder::Trouble;
use crate::recorder::server::{Launch, Server};
use crate::shipped;
use crate::sut::outcomes;

#[path = "../../../examples/sut_memcached/memcached.rs"]
mod sut_memcached;
#[path = "../../../examples/sut_redis/redis.rs"]
mod sut_redis;

/// A server, unless it is not installed and that is allowed.
fn started(launch: &Launch) -> Option<Server> {
    match Server::start(launch) {
        Ok(server) => Some(server),
        Err(trouble @ Trouble::Missing(_)) => {
            real::skipped(&trouble.to_string());
            None
        }
        Err(trouble) => panic!("{trouble}"),
    }
}

fn spec(name: &str) -> Arc<Spec> {
    compiled(&shipped::named(name).text)
}

/// What some requests are answered by one client, as texts, after a reset.
fn answers(spec: &Spec, system: &mut dyn System, requests: &[&str]) -> Vec<String> {
    let values = requests.iter().map(|text| decode(&spec.types, spec.program.request, text).expect("a request"));
    let outcomes = outcomes(system, &values.collect::<Vec<_>>(), Duration::from_secs(10));
    let text = |kind: Option<SutEventKind>| match kind {
        Some(SutEventKind::Answer(value)) => encode(&spec.types, spec.program.response, &value),
        other => format!("{other:?}"),
    };
    outcomes.into_iter().map(|outcome| text(outcome.unwrap_or_else(|failure| panic!("{failure}")))).collect()
}

/// Asks what it is shown to ask, from three clients at once, and checks that the specification explains all of it.
fn check_explained(spec: &Arc<Spec>, system: &mut dyn System, rounds: usize) {
    let mut session = Session::tcp(spec, Options::default());
    system.reset(3).expect("it is reset");
    let requests = request_kinds(spec);
    let (mut line, mut asked, mut out) = (0, 0, BTreeMap::new());
    let mut push = |session: &mut Session, client, kind| {
        line += 1;
        session.push(TraceEvent { line, client: Some(client), kind }).expect("an event")
    };
    while asked < rounds || !out.is_empty() {
        for client in 1..=3 {
            if asked < rounds && !out.contains_key(&client) {
                // Each client begins elsewhere.
                let request = requests[(asked + client as usize * 5) % requests.len()].clone();
                system.send(client, &request).expect("it is there");
                push(&mut session, client, EventKind::Request(request));
                out.insert(client, ());
                asked += 1;
            }
        }
        let event = system.next(Instant::now() + Duration::from_secs(10)).expect("it works").expect("it answers");
        out.remove(&event.client);
        let SutEventKind::Answer(value) = event.kind else { panic!("{event:?}") };
        push(&mut session, event.client, EventKind::Answer(value));
    }
    assert_eq!(session.settle(), SessionProgress::Explained);
}

/// Requests to memcached, with their answers.
#[rustfmt::skip]
const MEMCACHED: &[(&str, &str)] = &[
    (r#"{"Get": ["a"]}"#, r#"{"Values": []}"#),
    (r#"{"Set": {"key": "a", "flags": 4294967295, "exptime": 0, "data": "5\r\n"}}"#, "\"Stored\""),
    (r#"{"Get": ["a", "b"]}"#, r#"{"Values": [{"key": "a", "flags": 4294967295, "data": "5\r\n", "unique": null}]}"#),
    (r#"{"Incr": {"key": "b", "delta": 18446744073709551616}}"#, "\"BadDelta\""),
    (r#"{"Get": []}"#, "Some(Refused)"),
    (r#"{"Get": ["a b"]}"#, "Some(Refused)"),
    (r#"{"Delete": {"key": ""}}"#, "Some(Refused)"),
    (r#"{"Delete": {"key": "a\u0000"}}"#, "Some(Refused)"),
    (r#"{"Set": {"key": "a", "flags": 4294967296, "exptime": 0, "data": ""}}"#, "Some(Refused)"),
    (r#"{"Set": {"key": "a", "flags": 0, "exptime": 2147483648, "data": ""}}"#, "Some(Refused)"),
    (r#"{"Append": {"key": "a", "data": "é"}}"#, "Some(Refused)"),
    (r#"{"Incr": {"key": "a", "delta": 999999999999999999999999999999999999999999}}"#, "Some(Refused)"),
    (r#"{"Set": {"key": "é", "flags": 0, "exptime": 0, "data": ""}}"#, "\"Stored\""),
    (r#""FlushAll""#, "\"Ok\""),
];

#[test]
fn a_real_memcached_is_asked_and_what_its_protocol_cannot_carry_is_refused() {
    let Some(server) = started(&memcached::record::LAUNCH) else { return };
    let (spec, address) = (spec("memcached"), server.address());
    let fresh = move || sut_memcached::Emptied::at(address, 1).expect("it is emptied");
    let mut system = InProcess::new(&spec, fresh).expect("the types fit");
    let (requests, expected): (Vec<_>, Vec<_>) = MEMCACHED.iter().copied().unzip();
    assert_eq!(answers(&spec, &mut system, &requests), expected);
    let long = format!(r#"{{"Delete": {{"key": "{}"}}}}"#, "k".repeat(251));
    assert_eq!(answers(&spec, &mut system, &[&long, r#"{"Get": ["a"]}"#]), ["Some(Refused)", r#"{"Values": []}"#]);
    check_explained(&spec, &mut system, 600);
}

/// Requests to Redis, with their answers.
#[rustfmt::skip]
const REDIS: &[(&str, &str)] = &[
    (r#"{"Get": {"key": "a"}}"#, r#"{"Text": null}"#),
    (r#"{"Set": {"key": "a", "value": "x\r\n\u0000"}}"#, "\"Ok\""),
    (r#"{"Get": {"key": "a"}}"#, r#"{"Text": "x\r\n\u0000"}"#),
    (r#"{"Incr": {"key": "a"}}"#, "\"NotAnInteger\""),
    (r#"{"Set": {"key": "", "value": "9223372036854775807"}}"#, "\"Ok\""),
    (r#"{"Incr": {"key": ""}}"#, "\"Overflow\""),
    (r#"{"Append": {"key": "é", "value": "12"}}"#, r#"{"Number": 2}"#),
    (r#"{"Append": {"key": "é", "value": "é"}}"#, "Some(Refused)"),
    (r#"{"Del": []}"#, "Some(Refused)"),
    (r#"{"Exists": []}"#, "Some(Refused)"),
    (r#"{"Del": ["é", "a"]}"#, r#"{"Number": 2}"#),
    (r#"{"Ttl": {"key": "a"}}"#, r#"{"Number": -2}"#),
    (r#""FlushAll""#, "\"Ok\""),
];

#[test]
fn a_real_redis_is_asked_by_either_adapter() {
    let Some(server) = started(&redis::record::LAUNCH) else { return };
    let (spec, address) = (spec("redis_strings"), server.address());
    let fresh = move || sut_redis::Emptied::at(address).expect("it is emptied");
    let in_rust = InProcess::new(&spec, fresh).expect("the types fit");
    let command = format!("stdio:exec python3 examples/sut_redis.py {}", address.port());
    let in_python = open(&spec, &command.parse().expect("an address"), &StartOptions::default()).expect("a system");
    for mut system in [Box::new(in_rust) as Box<dyn System>, in_python] {
        let (requests, expected): (Vec<_>, Vec<_>) = REDIS.iter().copied().unzip();
        assert_eq!(answers(&spec, &mut *system, &requests), expected);
        check_explained(&spec, &mut *system, 600);
    }
}

#[test]
fn the_adapters_are_short_and_shown_as_they_are() {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let page = read("docs/TESTING.md");
    let shown = ["examples/sut_redis.py", "examples/adapters/store.py", "examples/adapters/store.mjs"];
    for (path, most) in shown.into_iter().zip([25, 11, 11]) {
        let (adapter, language) = (read(path), if path.ends_with(".py") { "python" } else { "javascript" });
        assert!(page.contains(&format!("```{language}\n{adapter}```\n")), "docs/TESTING.md shows another {path}");
        let lines = adapter.lines().filter(|line| !line.trim().is_empty()).count();
        assert!(lines <= most, "{path} has {lines} lines");
    }
}

#[test]
fn an_adapter_in_python_reaches_a_redis_that_was_started_anew() {
    let Some(server) = started(&redis::record::LAUNCH) else { return };
    drop(server);
    // Below those that the system gives out by itself.
    let port = 20_000 + std::process::id() % 10_000;
    let spec = spec("redis_strings");
    let start = StartOptions {
        command: Some(format!("exec redis-server --port {port} --save ''")),
        ready: Some(format!("tcp:127.0.0.1:{port}").parse().expect("a sign")),
        ..StartOptions::default()
    };
    let command = format!("stdio:exec python3 examples/sut_redis.py {port}").parse().expect("an address");
    let mut system = open(&spec, &command, &start).expect("a system");
    for _ in 0..2 {
        let requests = [r#"{"SetNx": {"key": "a", "value": "x"}}"#, r#"{"Get": {"key": "a"}}"#];
        assert_eq!(answers(&spec, &mut *system, &requests), [r#"{"Number": 1}"#, r#"{"Text": "x"}"#]);
    }
}

#[test]
fn a_redis_that_dies_is_no_violation() {
    let Some(server) = started(&redis::record::LAUNCH) else { return };
    let (spec, address) = (spec("redis_strings"), server.address());
    let fresh = move || sut_redis::Emptied::at(address).expect("it is emptied");
    let in_rust = InProcess::new(&spec, fresh).expect("the types fit");
    let command = format!("stdio:exec python3 examples/sut_redis.py {}", address.port());
    let in_python = open(&spec, &command.parse().expect("an address"), &StartOptions::default()).expect("a system");
    let mut systems = [Box::new(in_rust) as Box<dyn System>, in_python];
    for system in &mut systems {
        system.reset(1).expect("it is there");
        answers(&spec, &mut **system, &[r#"{"Get": {"key": "a"}}"#]);
    }
    drop(server);
    let request = decode(&spec.types, spec.program.request, r#"{"Get": {"key": "a"}}"#).expect("a request");
    for (mut system, kind) in systems.into_iter().zip([SutFailureKind::Crash, SutFailureKind::Adapter]) {
        let mut seen = || {
            system.send(1, &request)?;
            system.next(Instant::now() + Duration::from_secs(10))
        };
        // An adapter may say first that the connection has ended.
        let closed = Ok(Some(SutEvent { client: 1, kind: SutEventKind::Closed }));
        let seen = (0..3).map(|_| seen()).find(|seen| *seen != closed);
        assert_eq!(
            seen.as_ref().map(|seen| seen.as_ref().map_err(|failure| failure.kind)),
            Some(Err(kind)),
            "{seen:?}"
        );
    }
}
