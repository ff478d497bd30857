//! Connections that a server ends, answers without end, and bytes that belong to no answer: what the tester sends, and whom it blames.
//!
//! After `HTTP/1.1 200 OK`, `Connection: close`, the next request goes out on another connection.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use mayhap::Spec;
use mayhap::http::{HttpMessage, MessageBuffer};
use mayhap::sut::process::StartOptions;
use mayhap::sut::{SutAddress, SutEventKind, System, open};
use mayhap::value::Value;

use crate::command::{file, run};
use crate::http::testing::{empty_directory, said};

/// A page that never changes.
const PAGE: &str = r#"
enum Request { Get, Peek }
enum Response { Page { text: string }, There }
protocol page {
    request Request;
    response Response;
    http {
        Get => GET "/";
        Peek => HEAD "/";
        200 => Page { text: body text };
        200 to Peek => There;
    }
    on Get { reply Page { text: "a" }; }
    on Peek { reply There; }
}
"#;

/// What a server knows of a request: the request, the connection, and whether the next request has come already.
type Answering = dyn Fn(&HttpMessage, &mut TcpStream, bool) -> std::io::Result<()> + Send + Sync;

/// A server on a free port, which runs until the tests end; returns its address.
fn serving(answer: Arc<Answering>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = answer.clone();
            // A client that leaves early ends the connection.
            thread::spawn(move || serve(stream, &*answer));
        }
    });
    address
}

fn serve(mut stream: TcpStream, answer: &Answering) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let (mut buffer, mut chunk) = (MessageBuffer::default(), [0; 4096]);
    loop {
        match buffer.request().map_err(std::io::Error::other)? {
            Some(request) => answer(&request, &mut stream, !buffer.rest().is_empty())?,
            None => match stream.read(&mut chunk)? {
                0 => return Ok(()),
                length => buffer.push(&chunk[..length]),
            },
        }
    }
}

/// The page as it should be answered.
fn page(request: &HttpMessage, stream: &mut TcpStream) -> std::io::Result<()> {
    let text = if request.is_head() { "" } else { "a" };
    write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{text}")
}

/// Tests a server of the page.
fn tested(address: &str, name: &str, more: &[&str]) -> (Option<i32>, String) {
    let (spec, regressions) = (file(&format!("{name}.may"), PAGE), empty_directory(&format!("connections {name}")));
    let fixed = ["test", spec.to_str().unwrap(), "--sut", address, "--seed", "1", "--reset", "none"];
    let output = run(&[&fixed[..], more, &["--regressions", regressions.to_str().unwrap()]].concat(), "");
    (output.status.code(), said(&output))
}

#[test]
fn requests_behind_an_answer_that_closes_are_lost_with_its_connection() {
    let close = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\na";
    let address = serving(Arc::new(move |_, stream, _| stream.write_all(close.as_bytes())));
    let spec = Spec::from_text(PAGE).expect("it is a specification");
    let address: SutAddress = address.parse().expect("an address");
    let mut system = open(&spec, &address, &StartOptions::default()).expect("a system");
    let soon = || Instant::now() + Duration::from_secs(10);
    let next = |system: &mut dyn System, until| system.next(until).expect("no failure").map(|event| event.kind);
    system.reset(1).expect("a reset");
    let get = Value::unit(0);
    for _ in 0..3 {
        system.send(1, &get).expect("sent");
        system.send(1, &get).expect("sent");
        assert!(matches!(next(&mut *system, soon()), Some(SutEventKind::Answer(_))));
        // The client does not know yet that its second request is lost.
        system.send(1, &get).expect("sent");
        assert_eq!(next(&mut *system, soon()), Some(SutEventKind::Lost));
        assert_eq!(next(&mut *system, Instant::now() + Duration::from_millis(50)), None);
        system.send(1, &get).expect("sent");
        assert!(matches!(next(&mut *system, soon()), Some(SutEventKind::Answer(_))));
    }
}

#[test]
fn clients_over_http_wait_for_their_answers_unless_they_are_told_not_to() {
    let cases: [(&[&str], bool); 3] = [(&[], true), (&["--net", "sync", "--pipeline"], true), (&["--pipeline"], false)];
    for (more, waits) in cases {
        let pipelined = Arc::new(AtomicUsize::new(0));
        let counted = pipelined.clone();
        let address = serving(Arc::new(move |request, stream, has_more| {
            counted.fetch_add(usize::from(has_more), Ordering::Relaxed);
            page(request, stream)
        }));
        let more = [&["--requests", "1000", "--clients", "3"][..], more].concat();
        let (code, said) = tested(&address, "waiting", &more);
        assert!(code == Some(0) && !said.contains("too hard"), "{more:?}: {said}");
        let pipelined = pipelined.load(Ordering::Relaxed);
        assert_eq!(pipelined == 0, waits, "{more:?}: {pipelined} requests came before an answer");
    }
}

#[test]
fn an_answer_without_end_ends_a_test() {
    let endless = [
        ("content", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", "a"),
        ("chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n"),
        ("interim answers", "", "HTTP/1.1 100 Continue\r\n\r\n"),
        ("headers", "HTTP/1.1 200 OK\r\n", "X: a\r\n"),
        ("answers", "", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"),
    ];
    let began = Instant::now();
    thread::scope(|scope| {
        for (name, first, then) in endless {
            scope.spawn(move || {
                let then = then.repeat(10_000);
                let address = serving(Arc::new(move |_, stream, _| {
                    stream.write_all(first.as_bytes())?;
                    loop {
                        stream.write_all(then.as_bytes())?;
                    }
                }));
                let more = ["--requests", "5", "--clients", "1", "--deadline", "0.5", "--shrink-time", "0"];
                let (code, said) = tested(&address, name, &more);
                assert!(matches!(code, Some(1 | 4)), "{name}: {said}");
            });
        }
    });
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}

#[test]
fn messages_without_end_that_nobody_asked_for_end_a_test() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            thread::spawn(move || while stream.write_all("5\n".repeat(1_000).as_bytes()).is_ok() {});
        }
    });
    let spec =
        file("endless lines.may", "protocol p { request int; response int; on q from c { send c, 1; reply choose; } }");
    let regressions = empty_directory("connections lines");
    let more = ["--seed", "1", "--requests", "5", "--clients", "1", "--deadline", "0.5", "--shrink-time", "0"];
    let fixed = ["test", spec.to_str().unwrap(), "--sut", &address, "--reset", "none"];
    let output = run(&[&fixed[..], &more, &["--regressions", regressions.to_str().unwrap()]].concat(), "");
    assert!(matches!(output.status.code(), Some(1 | 4)), "{}", said(&output));
}

#[test]
fn content_that_must_not_be_there_is_a_mistake_of_the_answer_before_it() {
    let late = |content: &'static str| -> Arc<Answering> {
        Arc::new(move |request, stream, _| {
            if !request.is_head() {
                return page(request, stream);
            }
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n")?;
            thread::sleep(Duration::from_millis(2));
            stream.write_all(content.as_bytes())
        })
    };
    let more = ["--requests", "300", "--clients", "1", "--max-failures", "0"];
    let (code, said) = tested(&serving(late("a")), "late", &more);
    assert_eq!(code, Some(1), "{said}");
    assert_eq!(
        said.lines().filter(|line| line.starts_with("violation after") && line.contains("shrunk from")).count(),
        1
    );
    assert!(said.contains("to 1 request") && said.contains("c1 ← There"), "{said}");
    assert!(said.contains("must have no content, and is followed by `a`"), "{said}");
    assert!(said.contains("300 requests in"), "{said}");
    let (code, said) = tested(&serving(late("")), "silent", &more);
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn lines_that_differ_in_a_constant_header_are_told_apart() {
    let text = r#"
        enum Name { a, b }
        enum Request { Get { name: Name }, Delete { name: Name, only: option<bool> } }
        enum Response { Done }
        protocol rpc {
            request Request;
            response Response;
            http {
                Delete { name, only } => POST "/" { "X-Do": "delete" } body json { name, only };
                Get { name } => POST "/" { "X-Do": "get" } body json { name };
                200 => Done;
            }
            on _ { reply Done; }
        }"#;
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let all = seen.clone();
    let address = serving(Arc::new(move |request, stream, _| {
        all.lock().unwrap().extend(request.header("X-Do"));
        write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    }));
    let (spec, regressions) = (file("rpc.may", text), empty_directory("connections rpc"));
    let fixed = ["test", spec.to_str().unwrap(), "--sut", &address, "--seed", "1", "--reset", "none"];
    let more = ["--requests", "400", "--clients", "1", "--regressions", regressions.to_str().unwrap()];
    _ = run(&[&fixed[..], &more].concat(), "");
    let seen = seen.lock().unwrap();
    let count = |what: &str| seen.iter().filter(|own| *own == what).count();
    assert!(count("get") > 20 && count("delete") > 20, "{seen:?}");
}

#[test]
fn no_connection_is_made_for_a_request_that_is_not_sent() {
    // A server that serves one connection at a time waits for the request on each.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let close = |_: &HttpMessage, stream: &mut TcpStream, _: bool| -> std::io::Result<()> {
                stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")?;
                Err(std::io::ErrorKind::ConnectionAborted.into())
            };
            _ = serve(stream, &close);
        }
    });
    let text = r#"
        enum Request { Get { name: string } }
        protocol some {
            request Request;
            response string;
            http { Get { name } => GET "/{name}"; 200 => body text; }
            on Get { .. } { reply ""; }
        }"#;
    let (spec, regressions) = (file("some.may", text), empty_directory("connections some"));
    let fixed = ["test", spec.to_str().unwrap(), "--sut", &address, "--seed", "1", "--reset", "none"];
    let more = ["--requests", "500", "--clients", "4", "--deadline", "5", "--regressions"];
    let output = run(&[&fixed[..], &more, &[regressions.to_str().unwrap()]].concat(), "");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

#[test]
fn a_system_that_saw_no_request_has_refused_none() {
    let text = r#"
        enum Request { Get { name: string } }
        protocol none {
            request Request;
            response string;
            http { Get { name } => GET "/{name}"; 200 => body text; }
            on Get { name } { expects name == ""; reply ""; }
        }"#;
    let address = serving(Arc::new(|request, stream, _| page(request, stream)));
    let (spec, regressions) = (file("unsent.may", text), empty_directory("connections unsent"));
    let fixed = ["test", spec.to_str().unwrap(), "--sut", &address, "--seed", "1", "--reset", "none"];
    let output = run(&[&fixed[..], &["--regressions", regressions.to_str().unwrap()]].concat(), "");
    let said = said(&output);
    assert!(said.contains("no request of 1000 waves could be sent"), "{said}");
    assert!(said.contains(r#"{"Get": {"name": ""}} cannot be written as a message of HTTP"#), "{said}");
}
