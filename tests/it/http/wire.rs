//! What stands on the wire besides requests and answers: the headers of a user, the permission to send content, connections that stay.
//!
//! `Expect: 100-continue` is answered before the content has come.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use mayhap::http::{HttpHead, HttpMessage};

use crate::command::{check, place, run};
use crate::http::testing::Served;

const SPEC: &str = r#"
    enum Request { Send { text: string, accept: option<string> } }
    protocol sending {
        request Request;
        response string;
        http {
            Send { text, accept } => POST "/" { "Accept": accept, "X-Own": "own" } body json { text };
            200 => body text;
        }
        on _ { reply choose; }
    }"#;

/// A server that hands out what it is sent, and answers nothing.
fn hearing() -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (sender, heard) = channel();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut request = [0; 4096];
            let length = stream.read(&mut request).unwrap_or_default();
            _ = sender.send(String::from_utf8_lossy(&request[..length]).to_lowercase());
        }
    });
    (address, heard)
}

#[test]
fn headers_of_the_user_stand_beside_those_of_the_line() {
    let spec = place("http headers.may");
    std::fs::write(&spec, SPEC).unwrap();
    let (address, heard) = hearing();
    let headers = ["Content-Type: application/merge-patch+json", "X-Own: other", "Accept: text/plain", "X-More: a"];
    let mut arguments = vec!["test", spec.to_str().unwrap(), "--sut", &address, "--requests", "40", "--seed", "1"];
    headers.iter().for_each(|header| arguments.extend(["--header", header]));
    let regressions = place("http headers");
    arguments.extend(["--clients", "1", "--shrink-time", "0", "--regressions", regressions.to_str().unwrap()]);
    _ = run(&arguments, "");
    // A connection without a request is one by which the command sees that the server is there.
    let requests: Vec<String> = heard.try_iter().filter(|request| !request.is_empty()).collect();
    assert!(requests.len() > 20, "{requests:?}");
    for request in &requests {
        let count = |text: &str| request.matches(text).count();
        assert_eq!((count("content-type: "), count("content-type: application/merge-patch+json")), (1, 1), "{request}");
        assert_eq!((count("x-own: "), count("x-own: own"), count("x-more: a")), (1, 1, 1), "{request}");
        assert_eq!(count("accept: text/plain") + count("accept: */*"), 0, "{request}");
    }
    let has_accept = |request: &&String| request.contains("\r\naccept: ");
    let with = requests.iter().filter(has_accept).count();
    assert!(with > 0 && with < requests.len(), "{with} of {}", requests.len());
}

#[test]
fn headers_that_say_where_a_message_ends_are_refused() {
    for header in ["Content-Length: 5", "transfer-encoding: chunked", "Connection: close"] {
        let name = header.split(':').next().unwrap();
        let expected = format!("the header {name} is written by mayhap itself: it says where a message ends");
        check(&["test", "specs/http.may", "--sut", "http://127.0.0.1:1", "--header", header], "", 2, &[&expected]);
    }
}

/// Reads from a connection until a text has come.
fn heard_until(stream: &mut TcpStream, end: &str) -> String {
    let (mut heard, mut chunk) = (String::new(), [0; 4096]);
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    while !heard.contains(end) {
        let length = stream.read(&mut chunk).unwrap();
        assert!(length > 0, "the end after {heard:?}");
        heard.push_str(&String::from_utf8_lossy(&chunk[..length]));
    }
    heard
}

#[test]
fn content_is_asked_for_and_connections_of_the_old_version_stay() {
    let served = Served::start("examples/service/notes.may", &["--seed", "5"]);
    let mut stream = TcpStream::connect(served.1.trim_start_matches("http://")).unwrap();
    let content = r#"{"text": "hi"}"#;
    for _ in 0..2 {
        let head = format!("POST /notes HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: {}\r\n\r\n", content.len());
        stream.write_all(head.as_bytes()).unwrap();
        assert_eq!(heard_until(&mut stream, "\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
        stream.write_all(content.as_bytes()).unwrap();
        assert!(heard_until(&mut stream, "}").starts_with("HTTP/1.1 201 "));
        // Whoever sends the content at once is not asked for it.
        stream.write_all(format!("{head}{content}").as_bytes()).unwrap();
        assert!(heard_until(&mut stream, "}").starts_with("HTTP/1.1 201 "));
    }
    let mut stream = TcpStream::connect(served.1.trim_start_matches("http://")).unwrap();
    for _ in 0..2 {
        stream.write_all(b"GET /notes/none HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").unwrap();
        assert!(heard_until(&mut stream, "\r\n\r\n").contains("Connection: keep-alive\r\n"));
    }
    stream.write_all(b"GET /notes/none HTTP/1.0\r\n\r\n").unwrap();
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    assert!(rest.starts_with("HTTP/1.1 404 ") && !rest.contains("keep-alive"), "{rest}");
}

#[test]
fn what_a_message_says_of_its_connection_is_left_alone() {
    let answer = |headers: &[(&str, &str)]| {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec())).collect();
        let head = HttpHead::Answer { status: 200 };
        let mut bytes = Vec::new();
        HttpMessage { head, headers, body: Some(b"x".to_vec()), keeps_alive: false }.write_to(&mut bytes);
        String::from_utf8(bytes).unwrap()
    };
    assert!(answer(&[]).contains("\r\nConnection: close\r\n"));
    let said = answer(&[("Connection", "Keep-Alive")]);
    assert!(said.contains("\r\nConnection: Keep-Alive\r\n") && !said.contains("close"), "{said}");
}
