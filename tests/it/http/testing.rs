//! Services and web servers that are tested over HTTP, by the `http` block of their specification.
//!
//! The small service of `examples/service` has a mistake that is found. A specification that is served has none. Real web servers deviate
//! from RFC 9110, and each deviation that is looked for here is found.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use mayhap::Spec;
use mayhap::choice::Random;
use mayhap::generate::{GenerateSettings, Generator};
use mayhap::http::{Framing, HttpMessage, MessageBuffer, answer_of, message_of_answer, message_of_request, request_of};
use mayhap::json::encode;
use mayhap::server::{Ranges, Reply, Server};
use mayhap::value::Value;

use crate::command::{file, place, run};
use crate::random::is_long;
use crate::real::skipped;
use crate::sut::free_port;

const NOTES: &str = "examples/service/notes.may";

/// An empty directory for what a test writes.
pub fn empty_directory(name: &str) -> PathBuf {
    let directory = place(name);
    _ = std::fs::remove_dir_all(&directory);
    directory
}

/// A new directory that every user of this machine may enter: a web server that root starts runs as another user, and the clone may lie
/// where only root may look. It is removed when this is dropped.
pub struct OpenDirectory(pub PathBuf);

impl OpenDirectory {
    pub fn new(name: &str) -> OpenDirectory {
        let directory = std::env::temp_dir().join(format!("mayhap-{name}-{}", std::process::id()));
        _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir_all(&directory).unwrap();
        OpenDirectory(directory)
    }
}

impl Drop for OpenDirectory {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

pub fn has(program: &str) -> bool {
    let path = std::env::var("PATH").unwrap_or_default() + ":/usr/sbin:/sbin";
    let has = path.split(':').any(|directory| Path::new(directory).join(program).exists());
    if !has {
        skipped(&format!("{program} is not installed"));
    }
    has
}

/// A specification that is served over HTTP until this is dropped.
pub struct Served(Child, pub String);

impl Served {
    pub fn start(spec: &str, more: &[&str]) -> Served {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mayhap"));
        command.args(["serve", spec, "--http", "127.0.0.1:0"]).args(more).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = Vec::new();
        let output = child.stdout.as_mut().unwrap();
        while !line.ends_with(b"\n") {
            let mut byte = [0];
            output.read_exact(&mut byte).unwrap();
            line.push(byte[0]);
        }
        let line = String::from_utf8(line).unwrap();
        let address = line.trim().strip_prefix("listening on ").unwrap().to_owned();
        Served(child, format!("http://{address}"))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

/// Of the answer the specification says only the status; 502 has content, so that an answer without it has no form.
#[test]
fn parts_of_an_answer_that_nothing_says_have_a_form() {
    let spec = "struct Response { status: int, headers: map<string, string>, body: option<bytes> }
        enum Request { Get }
        protocol p {
            request Request;
            response Response;
            http { Get => GET \"/\"; _ => Response { status: status, headers: headers, body: body }; }
            on Get { reply Response { status: choose s: int where s >= 502 && s <= 504, ..choose }; }
        }";
    let served = Served::start(file("http unsaid.may", spec).to_str().unwrap(), &["--seed", "3"]);
    for _ in 0..5 {
        let mut client = std::net::TcpStream::connect(served.1.trim_start_matches("http://")).unwrap();
        client.write_all(b"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        client.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer);
        assert!(
            ["502", "503", "504"].iter().any(|status| answer.starts_with(&format!("HTTP/1.1 {status} "))),
            "{answer}"
        );
    }
}

#[test]
fn the_mistake_of_the_service_is_found() {
    if !has("python3") {
        return;
    }
    let port = free_port();
    let (address, start) = (format!("http://127.0.0.1:{port}"), format!("python3 examples/service/notes.py {port}"));
    let regressions = empty_directory("http notes");
    for seed in ["1", "2", "4"].into_iter().take(if is_long() { 3 } else { 1 }) {
        let output = run(
            &[
                "test",
                NOTES,
                "--sut",
                &address,
                "--start",
                &start,
                "--seed",
                seed,
                // On a busy machine as well.
                "--shrink-time",
                "120",
                "--regressions",
                regressions.to_str().unwrap(),
            ],
            "",
        );
        let said = said(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("to 3 requests") && said.contains("✗ only \"Missing\" was possible"), "{said}");
        _ = std::fs::remove_dir_all(&regressions);
    }
}

#[test]
fn a_served_specification_follows_itself() {
    let served = Served::start(NOTES, &["--seed", "5"]);
    for clients in ["1", "4"] {
        let regressions = empty_directory("http served");
        let output = run(
            &[
                "test",
                NOTES,
                "--sut",
                &served.1,
                "--requests",
                "600",
                "--seed",
                "1",
                "--clients",
                clients,
                "--regressions",
                regressions.to_str().unwrap(),
            ],
            "",
        );
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    }
}

#[test]
fn a_mutant_that_is_served_is_found() {
    let served = Served::start(NOTES, &["--seed", "5", "--mutant", "1"]);
    let regressions = empty_directory("http mutant");
    let output =
        run(&["test", NOTES, "--sut", &served.1, "--seed", "1", "--regressions", regressions.to_str().unwrap()], "");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
}

#[test]
fn an_answer_without_a_form_is_not_chosen() {
    let spec = place("http chosen.may");
    let text = r#"
        enum Request { Get, Stop }
        enum Response { Page { length: option<int>, text: option<bytes> }, Done { why: option<bytes> } }
        protocol pages {
            request Request;
            response Response;
            http {
                Get => GET "/";
                Stop => POST "/stop";
                200 => Page { length: header "Content-Length", text: body };
                204 => Done { why: body };
            }
            on Get { reply Page { length: choose, text: choose }; }
            on Stop { reply Done { why: Some("no content says why") }; }
        }"#;
    std::fs::write(&spec, text).unwrap();
    let served = Served::start(spec.to_str().unwrap(), &["--seed", "1"]);
    let pages = "GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(30);
    let said = asked(&served.1, format!("{pages}POST /stop HTTP/1.1\r\nConnection: close\r\n\r\n").as_bytes());
    assert_eq!(said.matches("HTTP/1.1 200 OK").count(), 30, "{said}");
    assert!(said.contains("Transfer-Encoding: chunked") && said.contains("Content-Length: "), "{said}");
    assert!(said.contains("HTTP/1.1 500 ") && said.contains("no line of the http block writes the answer"), "{said}");
}

/// Asks a server, and returns all that it says until it ends the connection.
fn asked(address: &str, bytes: &[u8]) -> String {
    let mut stream = std::net::TcpStream::connect(address.trim_start_matches("http://")).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(bytes).unwrap();
    let mut text = Vec::new();
    stream.read_to_end(&mut text).unwrap();
    String::from_utf8_lossy(&text).into_owned()
}

#[test]
fn what_is_no_request_is_answered_with_a_status() {
    let served = Served::start(NOTES, &["--seed", "5"]);
    let close = "Host: x\r\nConnection: close\r\n";
    for (request, status, words) in [
        (format!("GET /notes/none HTTP/1.1\r\n{close}\r\n"), "404", ""),
        (
            format!("GET /nowhere HTTP/1.1\r\n{close}\r\n"),
            "404",
            "no line of the http block is about the path /nowhere",
        ),
        (format!("PATCH /notes/a HTTP/1.1\r\n{close}\r\n"), "405", "no line of the http block is about PATCH /notes/a"),
        (
            format!("POST /notes HTTP/1.1\r\n{close}Content-Length: 2\r\n\r\n{{}}"),
            "400",
            r#"the member \"text\" is missing"#,
        ),
        (
            format!("POST /notes HTTP/1.1\r\n{close}Content-Length: 12\r\n\r\n{{\"text\": 5}} "),
            "400",
            "expected string, found a number",
        ),
        ("NONSENSE\r\n\r\n".to_owned(), "400", "this is no request of HTTP/1.1"),
        // Two requests at once, the first one in chunks.
        (
            format!(
                "POST /notes HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\ne\r\n{{\"text\": \"hi\"}}\r\n0\r\n\r\nGET /notes/none HTTP/1.1\r\n{close}\r\n"
            ),
            "201",
            "HTTP/1.1 404",
        ),
    ] {
        let said = asked(&served.1, request.as_bytes());
        assert!(said.starts_with(&format!("HTTP/1.1 {status} ")) && said.contains(words), "{request}\n{said}");
    }
}

/// Serves the same bytes to every request, and ends the connection.
fn saying(bytes: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut request = [0; 4096];
            _ = stream.read(&mut request);
            _ = stream.write_all(bytes);
        }
    });
    address
}

#[test]
fn an_answer_that_is_none_is_a_violation_with_its_bytes() {
    for (bytes, words) in [
        (
            &b"HTTP/1.1 500 Oops\r\nContent-Length: 4\r\n\r\nboom"[..],
            "boom` is no answer of the specification: no line of the http block is about the status 500",
        ),
        (b"HELLO\r\n\r\n", "this is no answer of HTTP/1.1 (invalid HTTP version): `HELLO\\r\\n\\r\\n`"),
        (
            b"HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\n{\"id\"",
            "the connection ended in the middle of the content of a message",
        ),
        (b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}", "the content is not `Note` as json"),
    ] {
        let (address, regressions) = (saying(bytes), empty_directory("http garbage"));
        let output = run(
            &[
                "test",
                NOTES,
                "--sut",
                &address,
                "--seed",
                "1",
                "--clients",
                "1",
                "--shrink-time",
                "2",
                "--regressions",
                regressions.to_str().unwrap(),
            ],
            "",
        );
        let said = said(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(words), "{words}\n{said}");
    }
}

#[test]
fn a_pause_that_a_server_asks_for_ends_with_the_test() {
    let address = saying(b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 50\r\nContent-Length: 0\r\n\r\n");
    let regressions = empty_directory("http paused");
    let options = ["--seed", "1", "--clients", "3", "--regressions", regressions.to_str().unwrap()];
    let begun = Instant::now();
    let output = run(&[&["test", NOTES, "--sut", &address, "--time", "1"], &options[..]].concat(), "");
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    let mut child = Command::new(env!("CARGO_BIN_EXE_mayhap"));
    child.args(["test", NOTES, "--sut", &address]).args(options).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = child.spawn().unwrap();
    thread::sleep(Duration::from_secs(2));
    // A process that is our own.
    assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", said(&output));
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
}

/// The causes that are found in a real server.
fn causes(server: &str, program: &str, seed: u64) -> Option<String> {
    if !has(program) {
        return None;
    }
    let (port, directory) = (free_port(), OpenDirectory::new(server));
    let (address, files) = (format!("http://127.0.0.1:{port}"), directory.0.display().to_string());
    let start = format!("examples/http/serve {server} {port} '{files}'");
    let reset = format!("rm -f '{files}'/www/*");
    let regressions = empty_directory(&format!("http regressions of {server}"));
    let seed = seed.to_string();
    let begun = Instant::now();
    let output = run(
        &[
            "test",
            "specs/http.may",
            "--sut",
            &address,
            "--start",
            &start,
            "--reset",
            &reset,
            "--seed",
            &seed,
            "--clients",
            "1",
            "--requests",
            "600",
            "--max-failures",
            "2",
            "--shrink-time",
            "1",
            "--regressions",
            regressions.to_str().unwrap(),
        ],
        "",
    );
    let said = said(&output);
    assert_eq!(output.status.code(), Some(1), "{server} after {:?}: {said}", begun.elapsed());
    Some(said)
}

#[test]
fn deviations_of_real_web_servers_are_found() {
    for (server, program) in [("apache", "apache2"), ("nginx", "nginx"), ("lighttpd", "lighttpd")] {
        let Some(said) = causes(server, program, 1) else { continue };
        assert!(said.contains(": 2 violations"), "{server}: {said}");
    }
}

const SHOP: &str = r#"
    struct Tag { weak: bool, opaque: string }
    enum Tags { Any, Of(list<Tag>) }
    enum Size { Small, Large }
    struct Order { name: string, count: int, size: option<Size>, words: list<string> }
    enum Request {
        Get { key: string, tags: option<Tags>, since: option<int> },
        Put { key: string, text: string, price: option<int>, sizes: list<Size> },
        Find { word: option<string>, sizes: list<Size>, limit: int },
        Send { to: string, order: Order },
        Raw { size: Size, content: option<bytes> },
        Clear,
    }
    enum Response { Value { text: json, tag: option<Tag>, sizes: list<Size>, date: option<int> }, Text(string), Bytes(option<bytes>), Other { status: int } }
    protocol shop {
        request Request;
        response Response;
        http {
            Get { key, tags, since } => GET "/items/{key}.json" { "If-None-Match": etags(tags), "If-Modified-Since": date(since) };
            Put { key, text, price, sizes } => PUT "/items/{key}" { "X-Sizes": sizes } body json { text, price };
            Find { word, sizes, limit } => GET "/find?word={word}&size={sizes}&limit={limit}&all";
            Send { to, order } => POST "/{to}/orders" body form(order);
            Raw { size, content } => POST "/raw-{size}" body raw(content);
            Clear => DELETE "/items";
            200 => Value { text: body json, tag: header "ETag" as etag, sizes: header "X-Sizes", date: header "Last-Modified" as date };
            200 to Find => Text(body text);
            200 to Raw => Bytes(body raw);
            _ => Other { status: status };
        }
        on _ { reply choose; }
    }"#;

/// A message as it comes to the other side.
fn received(message: &HttpMessage, take: impl Fn(&mut MessageBuffer) -> Option<HttpMessage>) -> HttpMessage {
    let (mut bytes, mut buffer) = (Vec::new(), MessageBuffer::default());
    message.write_to(&mut bytes);
    buffer.push(&bytes);
    let received = take(&mut buffer).expect("a whole message");
    assert_eq!(buffer.rest(), b"", "{}", String::from_utf8_lossy(&bytes));
    received
}

/// Whatever can be written as HTTP is read as the same value on the other side.
#[test]
fn messages_mean_what_they_were_written_from() {
    let spec = Spec::from_text(SHOP).unwrap_or_else(|error| panic!("{error}"));
    let (mut choices, mut generator) = (Random::new(7), Generator::new(&spec, GenerateSettings::default()));
    let (mut sent, mut answered) = (BTreeMap::new(), BTreeMap::new());
    for _ in 0..60 {
        let mut server = Server::new(spec.clone(), Ranges::default(), &mut choices).expect("a server");
        generator.begin_run(&mut choices).expect("a run");
        for wave in 0..30 {
            for ask in generator.wave(&[], 1_000 * wave + 1, &mut choices).expect("a plan").asks {
                let request = ask.request.value;
                let Some(message) = message_of_request(&spec, &request) else { continue };
                let message = received(&message, |buffer| buffer.request().expect("a request"));
                assert_eq!(request_of(&spec, &message).as_ref(), Ok(&request), "{message:?}");
                *sent.entry(constructor(&request)).or_insert(0) += 1;
                let Ok(Reply::Answer(answer)) = server.handle(&request, 1, &mut choices) else { continue };
                let Some(message) = message_of_answer(&spec, &request, &answer) else { continue };
                let message = received(&message, |buffer| buffer.answer(Framing::Whole).expect("an answer"));
                assert_eq!(answer_of(&spec, &request, &message).as_ref(), Ok(&answer), "{message:?}");
                *answered.entry(constructor(&answer)).or_insert(0) += 1;
            }
        }
    }
    assert!(sent.len() == 6 && sent.values().all(|count| *count > 20), "{sent:?}");
    assert!(answered.len() == 4 && answered.values().all(|count| *count > 5), "{answered:?}");
}

/// What a specification takes a request for, as JSON; or the status that tells that it is none.
fn meant(spec: &Arc<Spec>, target: &str) -> Result<String, u16> {
    let bytes = format!("GET {target} HTTP/1.1\r\nHost: x\r\nIf-Match: \"t\"\r\n\r\n");
    let mut buffer = MessageBuffer::default();
    buffer.push(bytes.as_bytes());
    let message = buffer.request().expect("a request").expect("a whole one");
    let request = request_of(spec, &message).map_err(|(status, _)| status)?;
    Ok(encode(&spec.types, spec.program.request, &request))
}

#[test]
fn paths_queries_and_tags_are_told_apart() {
    let spec = Spec::from_text(
        r#"enum Request { Dashed { z: string }, Json { k: string, tag: string }, A { q: int }, B { q: int } }
        protocol p {
            request Request;
            response int;
            http {
                Dashed { z } => GET "/o/{z}--/b";
                Json { k, tag } => GET "/j/{k}.json" { "If-Match": etag(tag) };
                A { q } => GET "/m?mode=a&q={q}";
                B { q } => GET "/m?mode=b&q={q}";
                200 => body json;
            }
            on _ { reply 1; }
        }"#,
    )
    .unwrap_or_else(|error| panic!("{error}"));
    for (target, expected) in [
        ("/o/zz--/b", Ok(r#"{"Dashed": {"z": "zz"}}"#)),
        ("/o/zz/\u{e9}\u{e9}", Err(404)),
        ("/o/zz\u{e9}\u{e9}", Err(404)),
        ("/j/x.json.json", Ok(r#"{"Json": {"k": "x.json", "tag": "t"}}"#)),
        ("/m?mode=b&q=1", Ok(r#"{"B": {"q": 1}}"#)),
        ("/m?q=1&mode=a", Ok(r#"{"A": {"q": 1}}"#)),
        ("/m?q=1", Err(400)),
    ] {
        assert_eq!(meant(&spec, target), expected.map(str::to_owned), "{target}");
    }
}

fn constructor(value: &Value) -> u32 {
    if let Value::Data { tag, .. } = value { *tag } else { 0 }
}
