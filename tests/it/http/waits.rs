//! A system whose mistake shows only after some time: it is found by waiting, and the wait is in the script.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::command::{file, run};
use crate::http::testing::{empty_directory, said};
use crate::sut::free_port;

/// What a store holds: each text with the moment at which it was put.
type Store = HashMap<String, (String, Instant)>;

/// The answer of a store that forgets what is older than this.
fn answer(store: &mut Store, request: &Value, age: Duration) -> Value {
    store.retain(|_, (_, put)| put.elapsed() < age);
    let (name, fields) = request.as_object().unwrap().iter().next().unwrap();
    let text = |at: usize| fields[at].as_str().unwrap().to_owned();
    match name.as_str() {
        "Get" => {
            let key = fields.as_str().unwrap();
            json!({"Get": [key, store.get(key).map_or("", |(text, _)| text)]})
        }
        "Put" => {
            store.insert(text(0), (text(1), Instant::now()));
            json!({"Put": [text(0), text(1)]})
        }
        _ => {
            let before = store.get(&text(0)).map_or(String::new(), |(text, _)| text.clone());
            store.insert(text(0), (before + &text(1), Instant::now()));
            json!({"Append": [text(0), text(1)]})
        }
    }
}

fn forgetful(age: Duration) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let store = Arc::new(Mutex::new(Store::new()));
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, store) = (stream.unwrap(), store.clone());
            thread::spawn(move || {
                for line in BufReader::new(&stream).lines().map_while(Result::ok) {
                    let answer = answer(&mut store.lock().unwrap(), &serde_json::from_str(&line).unwrap(), age);
                    if writeln!(&stream, "{answer}").is_err() {
                        break;
                    }
                }
            });
        }
    });
    address
}

#[test]
fn a_store_that_forgets_is_found_by_waiting() {
    // Longer than any pause of a busy machine.
    let address = forgetful(Duration::from_secs(1));
    let directory = empty_directory("waits");
    let fixed = ["test", "specs/kv.may", "--sut", &address, "--clients", "1", "--seed", "2", "--requests", "8000"];
    let arguments: Vec<&str> = fixed.into_iter().chain(["--regressions", directory.to_str().unwrap()]).collect();
    let output = run(&[&arguments[..], &["--waits", "1"]].concat(), "");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let files: Vec<_> = std::fs::read_dir(&directory).unwrap().map(|file| file.unwrap().path()).collect();
    let script = std::fs::read_to_string(&files[0]).unwrap();
    assert!(files.len() == 1 && script.contains("{\"wait\": "), "{script}");
    let lines = script.lines().count();
    assert!(lines <= 4, "a Put, a wait and a Get are enough:\n{script}");
    // It is the wait that shows it.
    let replayed = run(&["replay", files[0].to_str().unwrap(), "--times", "2", "--sut", &address], "");
    assert_eq!(replayed.status.code(), Some(1), "{}", said(&replayed));
}

/// A store that forgets nothing, unless a text is put again when it is nearly as old as `AGE`: then it keeps the moment at which it was first
/// put, and is forgotten when that is so long ago.
const RENEWING: &str = r#"import json, socketserver, sys, time
AGE, store = 2, {}
class Client(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            (name, of), = json.loads(line).items()
            key, now = of if name == "Get" else of[0], time.monotonic()
            text, first, is_old = store.get(key, ("", now, False))
            if is_old and now - first > AGE:
                text, first, is_old = store[key] = ("", now, False)
            if name != "Get":
                text = of[1] if name == "Put" else text + of[1]
                is_old = AGE / 2 < now - first < AGE * 0.9
                store[key] = (text, first if is_old else now, is_old)
            answer = [key, text] if name == "Get" else of
            self.wfile.write(json.dumps({name: answer}).encode() + b"\n")
socketserver.ThreadingTCPServer.allow_reuse_address = True
socketserver.ThreadingTCPServer.daemon_threads = True
socketserver.ThreadingTCPServer(("127.0.0.1", int(sys.argv[1])), Client).serve_forever()
"#;

/// One wait shows nothing: the text is put, put again after a while, and then forgotten too soon.
#[test]
fn a_store_that_keeps_an_old_deadline_is_found_by_two_waits() {
    let (program, port) = (file("renewing.py", RENEWING), free_port());
    let (address, start) = (format!("127.0.0.1:{port}"), format!("python3 -SB {} {port}", program.display()));
    let directory = empty_directory("two_waits");
    let fixed = ["test", "specs/kv.may", "--sut", &address, "--start", &start, "--clients", "1", "--requests", "4000"];
    // Each run of a smaller script waits for two seconds and more.
    let more = ["--waits", "2", "--seed", "3", "--shrink-time", "150", "--regressions", directory.to_str().unwrap()];
    let output = run(&[&fixed[..], &more].concat(), "");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let files: Vec<_> = std::fs::read_dir(&directory).unwrap().map(|file| file.unwrap().path()).collect();
    let script = std::fs::read_to_string(&files[0]).unwrap();
    assert!(files.len() == 1 && script.matches("{\"wait\": ").count() == 2, "{script}");
    assert!(script.matches("\"q\": ").count() == 3, "a Put, another one and a Get are enough:\n{script}");
}
