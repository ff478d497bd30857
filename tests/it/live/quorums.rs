//! Live systems that call several peers at once: only the system knows in which order it gets their answers, and calls for which nobody
//! waits come late.
//!
//! Served specifications are tested against themselves, and a quorum in Python takes the answers as `select` shows them.

use std::path::PathBuf;
use std::process::Output;

use crate::command::{check, place, run};
use crate::http::testing::{empty_directory, has, said};
use crate::sut::free_port;

const QUORUM: &str = "specs/network/quorum_register.may";

/// One answer of three replicas.
const ONE: &str = "protocol quorum {
    request int;
    response set<int>;
    peer s(k: int): int -> int;
    on q {
        let seen = call any 1 of s(k) for k in [0, 1, 2], q;
        reply {seen[k] for k in seen.keys()};
    }
}
";

/// Two answers of three are waited for, or none.
const MAJORITY: &str = "protocol majority {
    request int;
    response map<int, int>;
    peer s(k: int): int -> int;
    on q { let a = call any 2 of s(k) for k in [0, 1, 2], q; reply {len(a): 0}; }
}
";
const NOBODY: &str = "protocol nobody {
    request int;
    response map<int, int>;
    peer s(k: int): int -> int;
    on q { let a = call any 0 of s(k) for k in [0, 1, 2], q; reply a; }
}
";

/// The source never answers 0, and must not fail twice for one request.
const RELAY: &str = "protocol relay {
    request int;
    response int;
    peer source: int -> int;
    peer s(k: int): int -> int;
    on q {
        let a = call source, q;
        expects a != Some(0);
        let read = call all s(k) for k in [0, 1, 2], q;
        expects len(read) == 3 && read[1] > 0;
        reply match a { Some(n) => n + read[1], None => 0 };
    }
}
";

/// Asks all peers over new connections, and answers with what it reads first.
const QUORUM_IN_PYTHON: &str = r#"
import json, random, select, socket, sys, threading
port, peers = int(sys.argv[1]), [int(peer) for peer in sys.argv[2].split(",")]
def serve(client):
    for line in client.makefile("rb"):
        calls = [socket.create_connection(("127.0.0.1", peer)) for peer in peers]
        for call in calls: call.sendall(line)
        answer, left = None, list(calls)
        while left and answer is None:
            call = random.choice(select.select(left, [], [])[0])
            said = call.recv(1000)
            if said.endswith(b"\n"): answer = [json.loads(said) + WRONG]
            else: left.remove(call)
        client.sendall((json.dumps(answer or []) + "\n").encode())
        for call in calls: call.close()
listener = socket.create_server(("127.0.0.1", port))
while True: threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
"#;

/// Answers with the source's last answer; all calls are equal.
const LAST: &str = "protocol last {
    request int;
    response int;
    peer source: int -> int;
    var last: int = 0;
    on q {
        let a = call source, 0;
        if a is Some(n) { last := n; }
        reply last;
    }
}
";

/// This one is wrong if the source answers 2.
const LAST_IN_PYTHON: &str = r#"
import json, socket, sys
last = 0
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
while True:
    client = listener.accept()[0]
    for line in client.makefile("rb"):
        with socket.create_connection(("127.0.0.1", int(sys.argv[2]))) as source:
            source.sendall(b"0\n")
            said = source.makefile().readline()
        last = json.loads(said) if said else last
        client.sendall(b"%d\n" % (7 if said and last == 2 else last))
"#;

/// A file in a directory of this test.
fn written(name: &str, text: &str) -> PathBuf {
    let directory = place("quorums");
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// Tests a system. In the command that starts it, PORT is its own port, PEERS are those of the peers, and PLACES the options that
/// say where they are.
fn tested(spec: &str, peers: &[&str], start: &str, more: &str) -> Output {
    let port = free_port();
    let ports: Vec<u16> = peers.iter().map(|_| free_port()).collect();
    let places: Vec<String> = peers.iter().zip(&ports).map(|(peer, port)| format!("{peer}=127.0.0.1:{port}")).collect();
    let options: String = places.iter().map(|place| format!(" --peer '{place}'")).collect();
    let ports: Vec<String> = ports.iter().map(u16::to_string).collect();
    let start = start.replace("PORT", &port.to_string()).replace("PEERS", &ports.join(",")).replace("PLACES", &options);
    let regressions = empty_directory(&format!("quorums-{port}"));
    let address = format!("127.0.0.1:{port}");
    let mut arguments = vec!["test", spec, "--sut", &address, "--start", &start, "--shrink-time", "2"];
    arguments.extend(["--regressions", regressions.to_str().unwrap()]);
    arguments.extend(places.iter().flat_map(|place| ["--peer", place]));
    arguments.extend(more.split(' '));
    run(&arguments, "")
}

/// Tests a specification that is served, and perhaps changed, against itself.
fn against_itself(spec: &str, peers: &[&str], served: &str, more: &str) -> Output {
    let start = format!("exec {} serve {spec} --tcp 127.0.0.1:PORT PLACES {served}", env!("CARGO_BIN_EXE_mayhap"));
    tested(spec, peers, &start, more)
}

const SHARDS: [&str; 3] = ["s(0)", "s(1)", "s(2)"];
const REPLICAS: [&str; 3] = ["replica(\"a\")", "replica(\"b\")", "replica(\"c\")"];

#[test]
fn served_quorums_are_explained_by_themselves() {
    let [one, majority, nobody] =
        [("one.may", ONE), ("majority.may", MAJORITY), ("nobody.may", NOBODY)].map(|(name, text)| {
            let path = written(name, text);
            path.to_str().unwrap().to_owned()
        });
    for (spec, peers) in [(QUORUM, REPLICAS), (&one, SHARDS), (&majority, SHARDS), (&nobody, SHARDS)] {
        // Two rounds of calls of several clients at once have too many orders for a short test.
        let clients = if spec == QUORUM { 1 } else { 3 };
        for (reset, clients, seed) in [("none", 1, 1), ("restart", clients, 3)] {
            let more = format!("--reset {reset} --clients {clients} --seed {seed}");
            let output = against_itself(spec, &peers, "", &format!("--requests 80 {more}"));
            // Whether a run of several clients is too hard to decide depends on what arrives when; none is a violation.
            let is_explained =
                matches!(output.status.code(), Some(0)) || clients > 1 && output.status.code() == Some(3);
            assert!(is_explained, "{spec} {more}: {}", said(&output));
        }
    }
}

#[test]
fn a_wrong_quorum_is_found() {
    // The first mutants write to fewer replicas, or read from fewer, than a majority.
    for mutant in ["1", "2"] {
        let more = "--requests 400 --reset none --clients 1 --seed 1";
        let output = against_itself(QUORUM, &REPLICAS, &format!("--mutant {mutant}"), more);
        assert_eq!(output.status.code(), Some(1), "{mutant}: {}", said(&output));
    }
}

#[test]
fn a_quorum_may_take_the_answers_in_any_order() {
    if !has("python3") {
        return;
    }
    let spec = written("python.may", ONE);
    for (wrong, code) in [("0", 0), ("1", 1)] {
        let program = written(&format!("quorum{wrong}.py"), &QUORUM_IN_PYTHON.replace("WRONG", wrong));
        let start = format!("exec python3 {} PORT PEERS", program.display());
        let more = "--requests 300 --reset none --clients 2 --seed 1";
        let output = tested(spec.to_str().unwrap(), &SHARDS, &start, more);
        assert_eq!(output.status.code(), Some(code), "{}", said(&output));
    }
}

#[test]
fn the_peers_keep_the_duty() {
    let spec = written("relay.may", RELAY);
    let peers = ["source", "s(0)", "s(1)", "s(2)"];
    let output = against_itself(spec.to_str().unwrap(), &peers, "", "--requests 60 --clients 2 --seed 1");
    let text = said(&output);
    assert!(output.status.code() == Some(0) && !text.contains("duty"), "{text}");
    // The report has the branches, and the share of answers that were forced.
    assert!(text.contains("covered 3 of 3 branches") && text.contains("of the answers were forced"), "{text}");
}

/// A request that is left out takes its calls with it: the other calls get the answers that they had.
#[test]
fn a_script_with_calls_shrinks_to_one_request() {
    if !has("python3") {
        return;
    }
    let (spec, program) = (written("last.may", LAST), written("last.py", LAST_IN_PYTHON));
    let start = format!("exec python3 {} PORT PEERS", program.display());
    let more = "--requests 400 --clients 1 --seed 2";
    let text = said(&tested(spec.to_str().unwrap(), &["source"], &start, more));
    assert!(text.contains(" to 1 request in") && text.contains("✗ only 2 was possible"), "{text}");
}

/// An answer that was sent may arrive after one that was sent later; one that the server got does not.
#[test]
fn answers_that_were_sent_arrive_in_any_order() {
    let spec = written("sent.may", ONE);
    let spec = spec.to_str().unwrap();
    let recording = |sent: &str, seen: &str| {
        let calls: String =
            (0..3).map(|k| format!("{{\"peer\": \"s\", \"key\": {k}, \"c\": {k}, \"q\": 5}}\n")).collect();
        let answer = |k: u32| format!("{{\"peer\": \"s\", \"c\": {k}, \"a\": {k}{sent}}}\n");
        format!("{{\"c\": 1, \"q\": 5}}\n{calls}{}{}{{\"c\": 1, \"a\": [{seen}]}}\n", answer(2), answer(0))
    };
    let of_sent = |seen: &str| recording(", \"sent\": true", seen);
    let witness = place("quorums").join("witness");
    for seen in ["2", "0"] {
        let arguments = ["validate", spec, "-", "--witness", witness.to_str().unwrap()];
        check(&arguments, &of_sent(seen), 0, &["accept (7 events)"]);
    }
    check(&["validate", spec, "-"], &of_sent("1"), 1, &["reject at line 7", "only [0] or [2] was possible"]);
    check(&["validate", spec, "-"], &recording("", "2"), 0, &["accept (7 events)"]);
    check(&["validate", spec, "-"], &recording("", "0"), 1, &["reject at line 7", "only [2] was possible"]);
}
