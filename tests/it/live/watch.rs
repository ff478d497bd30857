//! `mayhap watch` between clients and servers: nothing is changed, what is wrong is reported, and what is right is not.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::command::{mayhap, run};
use crate::http::testing::{Served, empty_directory, said};

const NOTES: &str = "examples/service/notes.may";

/// A command that listens, a watcher most often; it is killed when this is dropped.
struct Watching {
    child: Child,
    out: BufReader<ChildStdout>,
    /// The address where it listens.
    address: String,
}

impl Watching {
    fn start(spec: &str, server: &str, more: &[&str]) -> Watching {
        let mut arguments = vec!["watch", spec, "--listen", "127.0.0.1:0", "--upstream", server];
        arguments.extend(more);
        let mut child = mayhap(&arguments).stderr(Stdio::piped()).spawn().unwrap();
        let (mut out, mut line) = (BufReader::new(child.stdout.take().unwrap()), String::new());
        out.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on ").unwrap_or_default().to_owned();
        Watching { child, out, address }
    }

    /// The next line that it prints.
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        line
    }

    /// Ends it in good order; the exit code, and the rest that it says.
    fn end(mut self) -> (Option<i32>, String) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        kill_process(pid, Signal::TERM).unwrap();
        let mut said = String::new();
        self.out.read_to_string(&mut said).unwrap();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap().code(), said)
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// A server that answers each connection by what it is given: it reads until a piece of bytes has come, and sends bytes.
fn server(answers: &'static [(&'static [u8], &'static [u8])]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            thread::spawn(move || {
                for (asked, answer) in answers {
                    let (mut heard, mut byte) = (Vec::new(), [0]);
                    while !heard.ends_with(asked) && stream.read(&mut byte).unwrap_or(0) > 0 {
                        heard.push(byte[0]);
                    }
                    stream.write_all(answer).unwrap();
                }
                _ = stream.shutdown(Shutdown::Write);
            });
        }
    });
    address
}

fn asked(address: &str, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(bytes).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    answer
}

const CREATED: &[u8] =
    b"HTTP/1.1 201 Created\r\nContent-Length: 38\r\n\r\n{\"id\": \"x\", \"text\": \"a\", \"version\": 1}";
const CREATE: &[u8] = b"POST /notes HTTP/1.1\r\nContent-Length: 13\r\n\r\n{\"text\": \"a\"}";
const READ: &[u8] = b"GET /notes/x HTTP/1.1\r\n\r\n";

#[test]
fn what_a_server_of_the_specification_cannot_answer_is_reported_at_once() {
    // The note that was created is missing afterwards.
    let server = server(&[(b"}", CREATED), (b"\r\n\r\n", b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")]);
    let directory = empty_directory("watch reject");
    let record = directory.with_extension("ndjson");
    let mut watching = Watching::start(NOTES, &server, &["--record", record.to_str().unwrap()]);
    let mut stream = TcpStream::connect(&watching.address).unwrap();
    stream.write_all(CREATE).unwrap();
    let mut answer = vec![0; CREATED.len()];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(answer, CREATED);
    stream.write_all(READ).unwrap();
    assert_eq!(watching.line(), "rejection 1 at line 5:\n");
    assert!(watching.line().contains("line 5 answered \"Missing\" to {\"Read\": {\"id\": \"x\"}}"));
    let (code, said) = watching.end();
    assert!(code == Some(1) && said.contains("4 events, 1 rejection"), "{said}");
    let judged = run(&["validate", NOTES, record.to_str().unwrap()], "");
    assert_eq!(judged.status.code(), Some(1), "{}", crate::http::testing::said(&judged));
}

#[test]
fn bytes_are_passed_on_as_they_are() {
    // Whatever is said: no HTTP, no lines, nothing after the end of one side.
    let server = server(&[(b"\0\xff", b"\x01\x02GARBAGE\r\n\r\n\xfe"), (b"more", b"the end\n")]);
    for spec in [NOTES, "specs/kv.may"] {
        let watching = Watching::start(spec, &server, &[]);
        let answer = asked(&watching.address, b"\r\n\r\nNo protocol\0\xffand more");
        assert_eq!(answer, b"\x01\x02GARBAGE\r\n\r\n\xfethe end\n");
        let (code, said) = watching.end();
        // What has no end is no line, and no request; the first line of the server is no answer.
        let expected = if spec == NOTES { 0 } else { 1 };
        assert!(code == Some(expected) && said.contains("nothing is judged until this connection ends"), "{said}");
    }
}

#[test]
fn the_recording_says_what_nobody_saw() {
    // The note was there before; after a request that the specification says nothing of, it is not.
    let note: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 38\r\n\r\n{\"id\": \"x\", \"text\": \"a\", \"version\": 5}";
    let done: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    let gone: &[u8] = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
    let server = server(Box::leak(Box::new([(&b"\r\n\r\n"[..], note), (b"\r\n\r\n", done), (b"\r\n\r\n", gone)])));
    let directory = empty_directory("watch unseen");
    let record = directory.with_extension("ndjson");
    let watching = Watching::start(NOTES, &server, &["--record", record.to_str().unwrap()]);
    let mut stream = TcpStream::connect(&watching.address).unwrap();
    for (asked, answered) in [(READ, note), (b"POST /trash HTTP/1.1\r\nContent-Length: 0\r\n\r\n", done), (READ, gone)]
    {
        stream.write_all(asked).unwrap();
        let mut answer = vec![0; answered.len()];
        stream.read_exact(&mut answer).unwrap();
    }
    drop(stream);
    let (code, said) = watching.end();
    assert!(code == Some(0) && said.contains(" 0 rejections"), "{said}");
    let recorded = std::fs::read_to_string(&record).unwrap();
    assert!(recorded.starts_with(r#"{"mayhap": 1, "spec": "notes", "state": "any", "restarts": "any"}"#), "{recorded}");
    let judge = |recorded: &str, more: &[&str]| {
        let judged = run(&[&["validate", NOTES, "-"], more].concat(), recorded);
        (judged.status.code(), crate::http::testing::said(&judged))
    };
    let (code, said) = judge(&recorded, &[]);
    assert_eq!(code, Some(0), "{said}\n{recorded}");
    let (code, said) = judge(&recorded, &["--start", "fresh"]);
    assert!(code == Some(1) && said.contains("only \"Missing\" was possible"), "{said}\n{recorded}");
    // A restart of which the first line does not say so changes nothing.
    let (code, said) = judge(&recorded.replacen(r#", "restarts": "any""#, "", 1), &[]);
    assert_eq!(code, Some(1), "{said}\n{recorded}");
}

/// A server that answers each request, one a connection, by its method and the number of requests before; without an answer it ends the
/// connection.
fn by_method(answer: fn(&str, usize) -> Option<&'static [u8]>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let (mut stream, mut heard, mut byte) = (stream.unwrap(), Vec::new(), [0]);
            while !heard.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) > 0 {
                heard.push(byte[0]);
            }
            let asked = String::from_utf8_lossy(&heard);
            let method = asked.split(' ').next().unwrap_or_default();
            stream.write_all(answer(method, number).unwrap_or_default()).unwrap();
        }
    });
    address
}

#[test]
fn what_was_given_up_may_be_done_after_what_nobody_saw() {
    // The deletion has no answer. It is done after the request that the specification says nothing of, and after the note was read.
    let server = by_method(|method, number| {
        match (method, number) {
        ("DELETE", _) => None,
        ("POST", _) => Some(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"),
        (_, 2) => Some(
            b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 38\r\n\r\n{\"id\": \"x\", \"text\": \"a\", \"version\": 1}",
        ),
        _ => Some(b"HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"),
    }
    });
    let directory = empty_directory("watch given up");
    let record = directory.with_extension("ndjson");
    let watching = Watching::start(NOTES, &server, &["--record", record.to_str().unwrap()]);
    let lines = ["DELETE /notes/x", "POST /trash", "GET /notes/x", "GET /notes/x"];
    for line in lines {
        asked(&watching.address, format!("{line} HTTP/1.1\r\n\r\n").as_bytes());
    }
    let (code, said) = watching.end();
    assert!(code == Some(0) && said.contains(" 0 rejections"), "{said}");
    let judged = run(&["validate", NOTES, record.to_str().unwrap()], "");
    assert_eq!(judged.status.code(), Some(0), "{}", crate::http::testing::said(&judged));
}

#[test]
fn another_protocol_is_spoken_once_the_server_says_so() {
    let asking: &[u8] = b"GET /notes/x HTTP/1.1\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n";
    for (answer, said_of_it) in [
        // A server may go on as if nothing had been asked.
        (&b"HTTP/1.1 299 Odd\r\nContent-Length: 0\r\n\r\n"[..], "1 rejection"),
        (
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\nHTTP/1.1 299 Odd\r\n\r\n",
            "another protocol is spoken",
        ),
    ] {
        let server = server(Box::leak(Box::new([(&b"\r\n\r\n"[..], answer)])));
        let watching = Watching::start(NOTES, &server, &[]);
        asked(&watching.address, asking);
        let (code, said) = watching.end();
        assert!(said.contains(said_of_it) && code == Some(i32::from(said_of_it.contains("rejection"))), "{said}");
    }
}

#[test]
fn what_is_no_answer_of_the_specification_is_reported() {
    for (answer, why) in [
        (&b"HTTP/1.1 299 Odd\r\nContent-Length: 0\r\n\r\n"[..], "no line of the http block is about the status 299"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "the content is not"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort", "the connection ended in the middle"),
        (b"HELLO\r\n\r\n", "this is no answer of HTTP/1.1"),
    ] {
        let answers: &'static [(&'static [u8], &'static [u8])] = Box::leak(Box::new([(&b"\r\n\r\n"[..], answer)]));
        let mut watching = Watching::start(NOTES, &server(answers), &[]);
        asked(&watching.address, READ);
        assert!(watching.line().starts_with("rejection 1 at line"), "{why}");
        let line = watching.line();
        assert!(line.contains(why), "{line}");
        assert_eq!(watching.end().0, Some(1));
    }
}

#[test]
fn what_a_client_or_the_end_of_watching_cuts_is_no_mistake_of_the_server() {
    let half: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 38\r\n\r\n{\"id\": ";
    let server = server(Box::leak(Box::new([(&b"\r\n\r\n"[..], half), (b"never", b"")])));
    for is_client_first in [true, false] {
        let watching = Watching::start(NOTES, &server, &[]);
        let mut stream = TcpStream::connect(&watching.address).unwrap();
        stream.write_all(READ).unwrap();
        stream.read_exact(&mut vec![0; half.len()]).unwrap();
        if is_client_first {
            drop(stream);
            thread::sleep(Duration::from_millis(200));
        }
        let (code, said) = watching.end();
        assert!(code == Some(0) && said.contains("2 events, 0 rejections"), "{said}");
    }
}

#[test]
fn content_that_is_compressed_and_what_is_not_modified_are_not_judged() {
    for head in ["200 OK\r\nContent-Encoding: gzip", "304 Not Modified"] {
        let answer = format!("HTTP/1.1 {head}\r\nContent-Length: 2\r\n\r\n\u{1f}\u{8b}").leak().as_bytes();
        let server = server(Box::leak(Box::new([(&b"\r\n\r\n"[..], answer)])));
        let watching = Watching::start(NOTES, &server, &[]);
        asked(&watching.address, READ);
        let (code, said) = watching.end();
        assert!(code == Some(0) && said.contains("2 events, 0 rejections"), "{said}");
    }
}

/// Tests a served specification through a watcher; the exit codes of both, and what the watcher says.
fn tested(
    (spec, requests): (&str, &str),
    server: &str,
    way: &str,
    more: &[&str],
) -> (Option<i32>, Option<i32>, String) {
    let watching = Watching::start(spec, server, more);
    let directory = empty_directory(&format!("watch {way} {}", Path::new(spec).file_stem().unwrap().display()));
    let address = format!("{way}{}", watching.address);
    let fixed = ["test", spec, "--sut", &address, "--clients", "4", "--requests", requests, "--seed", "1"];
    let arguments: Vec<&str> =
        fixed.into_iter().chain(["--regressions", directory.to_str().unwrap(), "--shrink-time", "0"]).collect();
    let output = run(&arguments, "");
    let (code, text) = watching.end();
    (output.status.code(), code, text + &said(&output))
}

#[test]
fn a_server_of_the_specification_is_never_rejected() {
    let served = Served::start("specs/http.may", &["--seed", "3"]);
    let directory = empty_directory("watch http");
    let record = directory.with_extension("ndjson");
    let more = ["--fresh", "--record", record.to_str().unwrap()];
    let (tested, watched, said) = tested(("specs/http.may", "40"), &served.1, "http://", &more);
    assert!(tested == Some(0) && matches!(watched, Some(0 | 3)) && said.contains(" 0 rejections"), "{said}");
    let judged = run(&["validate", "specs/http.may", record.to_str().unwrap()], "");
    assert_ne!(judged.status.code(), Some(1), "{}", crate::http::testing::said(&judged));
}

#[test]
fn lines_are_watched_as_http_is() {
    let mut command = mayhap(&["serve", "specs/kv.may", "--tcp", "127.0.0.1:0", "--seed", "1"]);
    let mut child = command.spawn().unwrap();
    let (mut out, mut line) = (BufReader::new(child.stdout.take().unwrap()), String::new());
    out.read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("listening on ").unwrap().to_owned();
    let _ended_with_the_test = Watching { child, out, address: address.clone() };
    let (code, watched, said) = tested(("specs/kv.may", "400"), &address, "tcp:", &["--fresh"]);
    assert!(code == Some(0) && watched == Some(0) && said.contains(" 0 rejections"), "{said}");
}

#[test]
fn judging_goes_on_after_a_restart() {
    let gone: &[u8] = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
    let address = server(Box::leak(Box::new([(&b"\n\r\n"[..], gone)])));
    let creating = server(&[(b"}", CREATED)]);
    let directory = empty_directory("watch state");
    let (state, record) = (directory.with_extension("state"), directory.with_extension("ndjson"));
    for file in [&state, &record, &record.with_extension("ndjson.1"), &record.with_extension("ndjson.2")] {
        _ = std::fs::remove_file(file);
    }
    let more = ["--state", state.to_str().unwrap(), "--record", record.to_str().unwrap()];
    let watching = Watching::start(NOTES, &creating, &more);
    asked(&watching.address, CREATE);
    assert_eq!(watching.end().0, Some(0));
    // The next one knows that there is a note.
    let mut watching = Watching::start(NOTES, &address, &more);
    asked(&watching.address, READ);
    assert_eq!(watching.line(), "rejection 1 at line 5:\n");
    assert_eq!(watching.end().0, Some(1));
    // A recording that was not written to meanwhile is not gone on with.
    let watching = Watching::start(NOTES, &creating, &more[..2]);
    asked(&watching.address, CREATE);
    assert_eq!(watching.end().0, Some(0));
    let recorded = std::fs::read(&record).unwrap();
    let watching = Watching::start(NOTES, &address, &more);
    let (_, said) = watching.end();
    assert!(said.contains("the recording before is ") && said.contains(": its line 2 is line 9 in"), "{said}");
    assert_eq!(std::fs::read(record.with_extension("ndjson.1")).unwrap(), recorded);
    // One that was killed leaves nothing to go on from, and the recording is kept.
    let mut watching = Watching::start(NOTES, &creating, &more);
    asked(&watching.address, CREATE);
    watching.child.kill().unwrap();
    drop(watching);
    let watching = Watching::start(NOTES, &address, &more);
    asked(&watching.address, READ);
    let (code, said) = watching.end();
    assert!(code == Some(0) && said.contains("watching did not end in good order"), "{said}");
    assert!(said.contains("the recording before is "), "{said}");
    assert!(record.with_extension("ndjson.2").exists());
}

#[test]
fn what_cannot_be_watched_is_said() {
    let directory = empty_directory("watch bad");
    std::fs::create_dir_all(&directory).unwrap();
    let other = directory.join("other.state");
    std::fs::write(&other, "{}").unwrap();
    for (more, why) in [
        (&["--upstream", "https://localhost:8080"][..], "what is encrypted cannot be watched"),
        (&["--upstream", "localhost"], "expected HOST:PORT"),
        (&["--upstream", "localhost:80", "--listen", "nowhere"], "expected HOST:PORT"),
        (&["--upstream", "localhost:80", "--state", other.to_str().unwrap()], "is not a state that `mayhap watch` has"),
        (&["--upstream", "localhost:80", "--record", "/nowhere/f"], "/nowhere/f: cannot write"),
    ] {
        let listen = if more.contains(&"--listen") { &[][..] } else { &["--listen", "127.0.0.1:0"] };
        let arguments: Vec<&str> = ["watch", NOTES].iter().chain(listen).chain(more).copied().collect();
        let output = run(&arguments, "");
        assert!(output.status.code() == Some(2) && said(&output).contains(why), "{more:?}: {}", said(&output));
    }
    let begins = "protocol p { request int; response int; var n: int = 0; on open { n := n + 1; } on q { reply n; } }";
    let file = directory.join("refused.may");
    std::fs::write(&file, begins).unwrap();
    let output = run(&["watch", file.to_str().unwrap(), "--listen", "127.0.0.1:0", "--upstream", "localhost:80"], "");
    let why = "(`on open`, `on close`): that cannot be judged from any state";
    assert!(output.status.code() == Some(2) && said(&output).contains(why), "{}", said(&output));
    let machine = ["watch", "specs/cmp_rst_machine.may", "--listen", "127.0.0.1:0", "--upstream", "localhost:80"];
    assert!(said(&run(&machine, "")).contains("the specification cannot be judged from any state"));
}

#[test]
fn what_is_passed_on_costs_little() {
    let served = Served::start(NOTES, &["--seed", "1"]);
    let server = served.1.trim_start_matches("http://").to_owned();
    let watching = Watching::start(NOTES, &server, &[]);
    // The median of many small exchanges, taken in turns.
    let mut direct = TcpStream::connect(&server).unwrap();
    let mut watched = TcpStream::connect(&watching.address).unwrap();
    let mut times: [Vec<Duration>; 2] = Default::default();
    for _ in 0..300 {
        for (stream, times) in [&mut direct, &mut watched].into_iter().zip(&mut times) {
            let began = Instant::now();
            stream.write_all(READ).unwrap();
            let mut answer = Vec::new();
            while !answer.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                answer.push(byte[0]);
            }
            times.push(began.elapsed());
        }
    }
    let [direct, watched] = times.map(|mut times| {
        times.sort();
        times[times.len() / 2]
    });
    // 0.2 ms on a quiet machine.
    assert!(watched < direct + Duration::from_millis(2), "{direct:?} {watched:?}");
}
