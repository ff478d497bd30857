//! `mayhap serve --tcp` for specifications that do more than answering: they tell clients what these did not ask for, end connections, take
//! notice of them, and call peers.
//!
//! Whatever happens, the trace is accepted by the specification that was served.

use crate::command::{check, file, place};
use crate::random::Rng;
use crate::served::{Client, Served};
use std::path::Path;
use std::time::{Duration, Instant};

const ROOM: &str = "tests/data/served/room.may";
const CACHE: &str = "tests/data/served/cache.may";

/// Ends a server, whose trace is accepted; its lines.
fn ended(server: Served, specification: &str, trace: &Path) -> Vec<String> {
    let (code, stderr) = server.stop("TERM");
    assert!(code == Some(130) && !stderr.contains("error"), "{code:?} {stderr}");
    check(&["validate", specification, trace.to_str().unwrap()], "", 0, &["accept"]);
    std::fs::read_to_string(trace).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn a_room_tells_its_clients_what_happens() {
    let trace = place("room.ndjson");
    let server = Served::start(ROOM, &["--trace", trace.to_str().unwrap()]);
    let [mut ann, mut bob, mut cid] = [(); 3].map(|()| server.client());
    for client in [&mut ann, &mut bob, &mut cid] {
        assert_eq!(client.hear(), r#"{"Welcome": 0}"#, "the banner comes before anything is asked");
    }
    assert_eq!(ann.ask(r#"{"Join": "ann"}"#), r#""Done""#);
    assert_eq!(bob.ask(r#"{"Join": "bob"}"#), r#""Done""#);
    assert_eq!(cid.ask(r#"{"Join": "ann"}"#), r#""Taken""#);
    assert_eq!(ann.ask(r#"{"Say": "hello"}"#), r#""Done""#);
    assert_eq!(bob.hear(), r#"{"Said": ["ann", "hello"]}"#);
    assert!(cid.ask(r#"{"Say": "hello"}"#).contains(r#""$error": "outside""#));
    assert_eq!(cid.ask(r#"{"Join": "cid"}"#), r#""Done""#);
    drop(bob);
    assert_eq!((ann.hear(), cid.hear()), (r#"{"Gone": "bob"}"#.to_owned(), r#"{"Gone": "bob"}"#.to_owned()));
    assert_eq!(ann.ask(r#"{"Kick": "cid"}"#), r#""Done""#);
    assert_eq!((cid.hear(), ann.hear()), (String::new(), r#"{"Gone": "cid"}"#.to_owned()));
    assert_eq!(ann.ask(r#""Leave""#), "", "nothing comes behind the end of a connection");
    let lines = ended(server, ROOM, &trace);
    for line in [r#"{"c": 2, "lost": true}"#, r#"{"c": 3, "closed": true}"#, r#"{"c": 1, "closed": true}"#] {
        assert!(lines.iter().any(|written| written == line), "{line}: {lines:?}");
    }
}

#[test]
fn clients_that_talk_at_random_leave_a_trace_that_is_accepted() {
    let trace = place("crowd.ndjson");
    let server = Served::start(ROOM, &["--trace", trace.to_str().unwrap()]);
    std::thread::scope(|scope| {
        for number in 0..6 {
            let server = &server;
            scope.spawn(move || {
                let mut rng = Rng::new(number);
                let mut client = server.client();
                for round in 0..12 {
                    let names = ["a", "b", "c"];
                    let request = match rng.below(8) {
                        0 | 1 => format!(r#"{{"Join": "{}"}}"#, rng.pick(&names)),
                        2 if round > 4 => r#""Leave""#.to_owned(),
                        3 => format!(r#"{{"Kick": "{}"}}"#, rng.pick(&names)),
                        _ => r#"{"Say": "x"}"#.to_owned(),
                    };
                    client.say(format!("{request}\n"));
                    if rng.percent(15) {
                        client = server.client();
                    }
                }
                client.finish();
                while !client.hear().is_empty() {}
            });
        }
    });
    let lines = ended(server, ROOM, &trace);
    assert!(lines.len() > 40, "{lines:?}");
}

/// The peers of a cache: a clock that counts, and two shards that answer with what they were asked for.
struct CachePeers {
    clock: Served,
    shards: Served,
}

impl CachePeers {
    fn start() -> CachePeers {
        let start = |name: &str, text: &str| Served::start(file(name, text).to_str().unwrap(), &[]);
        let clock = "protocol clock { request bool; response int; var n: int = 0; on _ { n := n + 1; reply n; } }";
        let shards = "protocol shards { request string; response string; on s { reply s + \"!\"; } }";
        CachePeers { clock: start("clock.may", clock), shards: start("shards.may", shards) }
    }
}

#[test]
fn a_cache_calls_its_peers_while_others_are_served() {
    let (trace, peers) = (place("cache.ndjson"), CachePeers::start());
    // Nobody listens where the other shard should be.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let clock = format!("clock={}", peers.clock.address);
    let (even, odd) = (format!("origin(0)={}", peers.shards.address), format!("origin={free}"));
    let options = ["--trace", trace.to_str().unwrap(), "--peer", &clock, "--peer", &even, "--peer", &odd];
    let server = Served::start(CACHE, &options);
    let (mut one, mut other) = (server.client(), server.client());
    one.say("{\"Get\": \"ab\"}\n");
    assert_eq!(other.ask(r#""Ping""#), r#""Pong""#);
    assert_eq!(one.hear(), r#"{"Value": ["ab!", 1]}"#);
    assert_eq!(other.ask(r#"{"Get": "ab"}"#), r#"{"Value": ["ab!", 1]}"#, "it is in the cache");
    assert_eq!(other.ask(r#"{"Get": "abc"}"#), r#""Gone""#);
    let (code, stderr) = server.stop("TERM");
    assert!(code == Some(130) && stderr.contains("warning: the peer `origin` failed: "), "{stderr}");
    check(&["validate", CACHE, trace.to_str().unwrap()], "", 0, &["accept (16 events)"]);
    let written = std::fs::read_to_string(&trace).unwrap();
    for part in [r#"{"peer": "origin", "key": 0, "c": 2, "q": "ab"}"#, r#""c": 4, "lost": true}"#] {
        assert!(written.contains(part), "{part}: {written}");
    }
}

#[test]
fn a_peer_that_is_slow_holds_up_nobody_else() {
    let slow = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = slow.local_addr().unwrap();
    let options = [format!("clock={address}"), format!("origin={address}")];
    let server = Served::start(CACHE, &["--peer", &options[0], "--peer", &options[1]]);
    let (mut waiting, mut other) = (server.client(), server.client());
    waiting.say("{\"Get\": \"ab\"}\n");
    let begun = Instant::now();
    assert_eq!(other.ask(r#""Ping""#), r#""Pong""#);
    let (mut called, _) = slow.accept().unwrap();
    assert_eq!(other.ask(r#""Ping""#), r#""Pong""#);
    assert!(begun.elapsed() < Duration::from_secs(5));
    std::io::Write::write_all(&mut called, b"no number\n").unwrap();
    let (called, _) = slow.accept().unwrap();
    drop(called);
    assert_eq!(waiting.hear(), r#""Gone""#);
    let (_, stderr) = server.stop("TERM");
    assert!(stderr.contains("expected int") && stderr.contains("the peer `origin` failed: "), "{stderr}");
}

#[test]
fn a_client_that_takes_nothing_is_cut_off_and_harms_nobody() {
    let server = Served::start(ROOM, &[]);
    let (mut ann, mut deaf) = (server.client(), server.client());
    assert_eq!((ann.hear(), deaf.hear()), (r#"{"Welcome": 0}"#.to_owned(), r#"{"Welcome": 0}"#.to_owned()));
    assert_eq!(deaf.ask(r#"{"Join": "deaf"}"#), r#""Done""#);
    assert_eq!(ann.ask(r#"{"Join": "ann"}"#), r#""Done""#);
    let long = format!("{{\"Say\": \"{}\"}}", "x".repeat(10_000));
    let mut heard = String::new();
    for _ in 0..20_000 {
        heard = ann.ask(&long);
        if heard.contains("Gone") {
            break;
        }
        assert_eq!(heard, r#""Done""#);
    }
    assert_eq!(heard, r#"{"Gone": "deaf"}"#);
}

/// A notice of a connection for which nothing is said to its client comes with its first request.
#[test]
fn a_connection_is_taken_notice_of_before_its_first_request() {
    let text =
        "protocol count { request int; response int; var n: int = 0; on open { n := n + 1; } on close { n := n - 1; }
         on _ { reply n; } }";
    let (path, trace) = (file("count.may", text), place("count.ndjson"));
    let server = Served::start(path.to_str().unwrap(), &["--trace", trace.to_str().unwrap()]);
    let (mut one, mut other): (Client, Client) = (server.client(), server.client());
    assert_eq!((one.ask("0").as_str(), other.ask("0").as_str(), one.ask("0").as_str()), ("1", "2", "2"));
    drop(other);
    let ended_soon = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        one.ask("0") == "1"
    });
    assert!(ended_soon);
    ended(server, path.to_str().unwrap(), &trace);
}
