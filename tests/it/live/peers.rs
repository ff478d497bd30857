//! Live systems that call peers: the tester plays the clients and the peers.
//!
//! A served specification calls shards, one JSON value a line. A forward proxy in Python has bugs, and Apache's has none; they call their
//! origin over HTTP.

use std::path::Path;
use std::process::Output;
use std::time::{Duration, Instant};

use mayhap::Spec;
use mayhap::http::{
    Framing, MessageBuffer, answer_of, is_status_asked_for, message_of_answer, message_of_request, request_of,
};
use mayhap::json::{decode, encode};
use mayhap::script::Script;
use mayhap::spec::load::Text;
use mayhap::spec::{Selection, Tasks};

use crate::command::{check, run};
use crate::http::testing::{OpenDirectory, empty_directory, has, said};
use crate::sut::free_port;

const SEARCH: &str = "specs/network/sharded_search.may";
const PROXY: &str = "specs/network/forward_proxy.may";

/// Three addresses of shards, and the options that give them.
fn shards() -> (Vec<String>, String) {
    let places: Vec<String> = (0..3).map(|shard| format!("shard({shard})=127.0.0.1:{}", free_port())).collect();
    let options = places.iter().map(|place| format!(" --peer '{place}'")).collect();
    (places, options)
}

/// Tests a search that is served, with this option.
fn search(regressions: &Path, served: &str, more: &[&str]) -> Output {
    let (places, peers) = shards();
    let address = format!("127.0.0.1:{}", free_port());
    let command = env!("CARGO_BIN_EXE_mayhap");
    let start = format!("{command} serve {SEARCH} --tcp {address}{peers} {served}");
    let regressions = regressions.to_str().unwrap();
    let mut arguments = vec!["test", SEARCH, "--sut", &address, "--start", &start, "--regressions", regressions];
    arguments.extend(places.iter().flat_map(|place| ["--peer", place]));
    arguments.extend_from_slice(more);
    run(&arguments, "")
}

#[test]
fn a_served_search_asks_the_shards_that_are_played() {
    let regressions = empty_directory("peers-search");
    let output = search(&regressions, "", &["--requests", "120", "--clients", "3", "--seed", "2"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    // `complete` says the contrary.
    let output = search(&regressions, "--mutant 2", &["--requests", "50", "--clients", "1", "--seed", "2"]);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    let parts = ["shrunk from", "the system calls shard(0): \"a\"", "shard(0) answers", "← Found", "✗"];
    assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    // The script has the calls, so that it is a recording, too, and says where the peers are.
    let script = regressions.join("search-found.ndjson");
    let kept = std::fs::read_to_string(&script).unwrap();
    assert!(kept.contains("{\"peer\": \"shard\", \"key\": 0, ") && kept.contains("\"peers\": \"shard(0)="), "{kept}");
    let script = script.to_str().unwrap();
    check(&["validate", SEARCH, script], "", 1, &["reject at line"]);
    let again = run(&["replay", script, "--times", "3", "--trust-script"], "");
    assert_eq!(String::from_utf8_lossy(&again.stdout), format!("{script}: fails 3 of 3\n"), "{}", said(&again));
}

#[test]
fn peers_are_where_the_options_say() {
    let free = "127.0.0.1:1";
    let at = format!("127.0.0.1:{}", free_port());
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = format!("shard(0)={}", taken.local_addr().unwrap());
    let (own, twice) = (format!("shard(0)={at}"), format!("shard(0)=tcp:{at}"));
    let (other, keyless) = (format!("shards(0)={at}"), format!("shard={at}"));
    let (wrong, web) = (format!("shard(x)={at}"), format!("shard(0)=http://{at}"));
    let cases: &[(&[&str], &str)] = &[
        (&[], "the specification calls the peer `shard`: --peer 'shard(KEY)=HOST:PORT'"),
        (&["--peer", &own, "--peer", &twice], "this peer has an address already"),
        (&["--peer", &other], "has no peer \"shards\"; did you mean \"shard\"?"),
        (&["--peer", &keyless], "the peer `shard` has a key of type int"),
        (&["--peer", &wrong], "its key: expected int"),
        (&["--peer", &web], "has no http block"),
        (&["--peer", &taken], "nobody can listen there"),
        (&["--peer", "shard"], "expected NAME=HOST:PORT"),
    ];
    for (more, part) in cases {
        let arguments = [&["test", SEARCH, "--sut", free][..], more].concat();
        check(&arguments, "", 2, &[part]);
    }
    check(&["test", SEARCH, "--sut", "stdio:cat"], "", 2, &["calls peers, and an adapter has no words for that"]);
    check(&["test", "specs/kv.may", "--sut", free, "--peer", &own], "", 2, &["calls no peer"]);
}

/// The options that test a proxy, with an origin of its own.
fn proxy(start: &str, regressions: &Path, more: &[&str]) -> Output {
    let (own, origin) = (free_port(), format!("127.0.0.1:{}", free_port()));
    let (sut, peer) = (format!("http://127.0.0.1:{own}"), format!("origin=http://{origin}"));
    let (start, set) = (start.replace("PORT", &own.to_string()), format!("ORIGIN={origin:?}"));
    let regressions = regressions.to_str().unwrap();
    let mut arguments = vec!["test", PROXY, "--sut", &sut, "--start", &start, "--reset", "none", "--peer", &peer];
    arguments.extend(["--set", &set, "--regressions", regressions]);
    arguments.extend_from_slice(more);
    run(&arguments, "")
}

const PLANTED: &str = "python3 -SB tests/data/planted/proxy.py --port PORT";

#[test]
fn bugs_of_a_proxy_are_found() {
    if !has("python3") {
        return;
    }
    let regressions = empty_directory("peers-proxy");
    let output = proxy(PLANTED, &regressions, &["--requests", "100", "--clients", "3", "--seed", "1"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    for (bug, part) in [
        ("altered-header", "the system calls origin"),
        ("lost-header", "the system calls origin"),
        ("lost-byte", "the system calls origin"),
        ("passed-on", "\"te\""),
        ("named", "connection: [\"a\"], headers: {\"a\""),
        ("no-via", "the system calls origin"),
        ("host", "host: \"a\", connection: [\"close\"]"),
        ("answer-byte", "origin answers"),
        ("answer-header", "origin answers"),
        ("status", "c1 ← {status: 502"),
        // These need a known name, a value that fits it, or a status.
        ("directive", "\"cache-control\""),
        ("range", "\"range\": \""),
        ("hops", "\"max-forwards\": \"0\""),
        ("condition", "\"if-none-match\": \"*\""),
        ("gone", "c1 ← {status: 404"),
        ("weak", "\"etag\": \"W/"),
    ] {
        let start = format!("{PLANTED} --bug {bug}");
        let began = Instant::now();
        let more = ["--requests", "1500", "--clients", "1", "--seed", "1", "--shrink-time", "4"];
        let text = said(&proxy(&start, &empty_directory(&format!("peers-{bug}")), &more));
        assert!(text.contains("violation after") && text.contains(part), "{bug}: {text}");
        assert!(text.contains(" to 1 request in"), "{bug}: {text}");
        assert!(began.elapsed() < Duration::from_secs(60), "{bug}: {text}");
    }
}

#[test]
fn a_real_forward_proxy_is_tested() {
    if !has("apache2") {
        return;
    }
    let directory = OpenDirectory::new("proxy");
    let start = format!("examples/http/serve proxy PORT {}", directory.0.display());
    let more = ["--requests", "300", "--clients", "2", "--seed", "1"];
    let regressions = empty_directory("peers-apache-scripts");
    let output = proxy(&start, &regressions, &[&more[..], &["--set", "PARTS_FOR_ALL=true"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    // Apache 2.4 takes a part of what the origin answers to a `POST`, which RFC 9110 does not allow (section 14.2).
    let output = proxy(&start, &regressions, &["--requests", "3000", "--clients", "1", "--seed", "1"]);
    let text = said(&output);
    assert!(text.contains("\"range\": \"bytes=") && text.contains("status: 206"), "{text}");
}

/// A forward proxy's specification.
fn forward_proxy() -> std::sync::Arc<Spec> {
    let text = std::fs::read_to_string(PROXY).unwrap();
    let text = Text { name: PROXY.to_owned(), text };
    let selection = Selection { tasks: Tasks::Either, ..Selection::default() };
    Spec::compile(text, &mut |name| Err(name.to_owned()), &selection).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn requests_to_a_proxy_name_the_server() {
    let spec = forward_proxy();
    let request = |text: &str| decode(&spec.types, spec.program.request, text).unwrap();
    let plain = r#"{"method": "PUT", "path": "a b", "query": "x", "host": null, "connection": ["te", "x-a"],
        "headers": {"te": "trailers", "x-a": "1"}, "body": "hi"}"#;
    let mut bytes = Vec::new();
    message_of_request(&spec, &request(plain)).unwrap().write_to(&mut bytes);
    let said = "PUT http://127.0.0.1:8085/a%20b?q=x HTTP/1.1\r\nHost: 127.0.0.1:8085\r\nte: trailers\r\nx-a: 1\r\n\
        Connection: te, x-a\r\nContent-Length: 2\r\n\r\nhi";
    assert_eq!(String::from_utf8_lossy(&bytes), said);
    // What has no form is not sent.
    for (part, other) in [
        ("\"x-a\": \"1\"", "\"X-a\": \"1\""),
        ("\"x-a\": \"1\"", "\"x a\": \"1\""),
        ("\"x-a\": \"1\"", "\"host\": \"1\""),
        ("\"x-a\": \"1\"", "\"connection\": \"close\""),
        ("\"x-a\": \"1\"", "\"content-length\": \"1\""),
        ("\"x-a\": \"1\"", "\"x-a\": \"1\\n\""),
        ("[\"te\", \"x-a\"]", "[\"te x-a\"]"),
        ("\"a b\"", "\"\""),
    ] {
        let altered = plain.replace(part, other);
        assert!(altered != plain && message_of_request(&spec, &request(&altered)).is_none(), "{altered}");
    }
}

#[test]
fn the_origin_is_asked_for_a_path() {
    let spec = forward_proxy();
    let read = |bytes: &str| {
        let mut buffer = MessageBuffer::default();
        buffer.push(bytes.as_bytes());
        request_of(&spec, &buffer.request().unwrap().unwrap())
            .map(|request| encode(&spec.types, spec.program.request, &request))
    };
    let asked = "GET /a%20b?q=x HTTP/1.1\r\nHost: o:80\r\nX-A: 1\r\nVia: 1.1 p\r\nx-a: 2\r\nConnection: close\r\n\r\n";
    let value = r#"{"method": "GET", "path": "a b", "query": "x", "host": "o:80", "connection": ["close"], "headers": {"via": "1.1 p", "x-a": "1, 2"}, "body": ""}"#;
    assert_eq!(read(asked), Ok(value.to_owned()));
    assert_eq!(read(&asked.replace("/a", "http://o:80/a")), Ok(value.to_owned()));
    let error = read(&asked.replace("GET", "PATCH")).unwrap_err();
    assert_eq!(error, (400, "expected one of GET, HEAD, POST, PUT, DELETE as the method, found \"PATCH\"".to_owned()));
}

#[test]
fn answers_of_the_origin_are_what_is_read() {
    let spec = forward_proxy();
    let value = |ty, text: &str| decode(&spec.types, ty, text).unwrap();
    let request = |method: &str| {
        let rest = r#""path": "a", "query": null, "host": null, "connection": null, "headers": {}, "body": """#;
        value(spec.program.request, &format!("{{\"method\": \"{method}\", {rest}}}"))
    };
    for (method, answer, written) in [
        ("GET", r#"{"status": 200, "connection": ["close"], "headers": {"etag": "\"t\""}, "body": "a"}"#, true),
        ("GET", r#"{"status": 204, "connection": null, "headers": {}, "body": null}"#, true),
        ("HEAD", r#"{"status": 200, "connection": null, "headers": {"a": "1"}, "body": null}"#, true),
        ("GET", r#"{"status": 200, "connection": null, "headers": {"A": "1"}, "body": "a"}"#, false),
        ("GET", r#"{"status": 100, "connection": null, "headers": {}, "body": null}"#, false),
        ("GET", r#"{"status": 200, "connection": ["a b"], "headers": {}, "body": "a"}"#, false),
    ] {
        let (request, answer) = (request(method), value(spec.program.response, answer));
        let message = message_of_answer(&spec, &request, &answer);
        assert_eq!(message.is_some(), written, "{answer:?}");
        let Some(message) = message else { continue };
        let (mut bytes, mut buffer) = (Vec::new(), MessageBuffer::default());
        message.write_to(&mut bytes);
        buffer.push(&bytes);
        let framing = if method == "HEAD" { Framing::HeadersOnly } else { Framing::Whole };
        let read = buffer.answer(framing).unwrap().unwrap();
        assert_eq!(answer_of(&spec, &request, &read), Ok(answer), "{}", String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn an_origin_answers_what_it_is_asked() {
    let spec = forward_proxy();
    let value = |ty, text: &str| decode(&spec.types, ty, text).unwrap();
    for (method, headers, status, more, is_asked_for) in [
        ("GET", "{}", 200, "{}", true),
        ("GET", "{}", 304, "{}", false),
        ("GET", r#"{"if-none-match": "*"}"#, 304, "{}", true),
        ("GET", r#"{"if-none-match": "*"}"#, 412, "{}", false),
        ("PUT", r#"{"if-none-match": "*"}"#, 304, "{}", false),
        ("PUT", r#"{"if-none-match": "*"}"#, 412, "{}", true),
        ("DELETE", r#"{"if-modified-since": "Sun, 06 Nov 1994 08:49:37 GMT"}"#, 412, "{}", false),
        ("GET", r#"{"if-match": "*"}"#, 412, "{}", true),
        ("GET", r#"{"range": "bytes=0-0"}"#, 416, "{}", true),
        ("POST", r#"{"range": "bytes=0-0"}"#, 416, "{}", false),
        ("GET", r#"{"range": "bytes=0-0"}"#, 206, "{}", false),
        ("GET", r#"{"range": "bytes=0-0"}"#, 206, r#"{"content-range": "bytes 0-0/2"}"#, true),
    ] {
        let rest = r#""path": "a", "query": null, "host": null, "connection": null, "body": """#;
        let asked = format!("{{\"method\": \"{method}\", \"headers\": {headers}, {rest}}}");
        let request = value(spec.program.request, &asked);
        let content = if status == 304 { "null" } else { "\"a\"" };
        let rest = format!("\"connection\": null, \"headers\": {more}, \"body\": {content}");
        let answer = value(spec.program.response, &format!("{{\"status\": {status}, {rest}}}"));
        assert_eq!(is_status_asked_for(&spec, &request, &answer), is_asked_for, "{asked} {status}");
    }
}

#[test]
fn scripts_have_the_calls_of_peers() {
    let text = "protocol p { request int; response int; peer store(key: string): int -> int;
        on q { let a = call store(\"a\"), q; reply a.or(0); } }";
    let selection = Selection { tasks: Tasks::Either, ..Selection::default() };
    let text = Text { name: "p".to_owned(), text: text.to_owned() };
    let spec = Spec::compile(text, &mut |name| Err(name.to_owned()), &selection).unwrap();
    let script = "{\"mayhap\": 1, \"spec\": \"p\"}\n{\"n\": 1, \"c\": 1, \"q\": 5}\n\
        {\"peer\": \"store\", \"key\": \"a\", \"c\": 7, \"q\": 5}\n{\"peer\": \"store\", \"c\": 7, \"a\": 6}\n\
        {\"n\": 2, \"c\": 1, \"a\": 6}\n{\"n\": 3, \"c\": 1, \"q\": 8}\n\
        {\"peer\": \"store\", \"key\": \"a\", \"c\": 8, \"q\": 8}\n{\"peer\": \"store\", \"c\": 8, \"lost\": true}\n\
        {\"n\": 4, \"c\": 1, \"a\": 0}\n";
    let read = Script::read(&spec, script).unwrap_or_else(|error| panic!("{}", error.render("script")));
    assert_eq!(read.write(&spec), script);
    let plan = read.plan();
    let answers: Vec<_> = plan.answers.iter().map(|planned| planned.answer.as_ref().and_then(|a| a.as_int())).collect();
    assert_eq!(answers, [Some(&6.into()), None]);
    for (line, message) in [
        (r#"{"peer": "store", "c": 9, "a": 6}"#, "no call of \"store\" has the number 9"),
        (r#"{"peer": "store", "c": 8, "a": 6}"#, "the call 8 of \"store\" has ended already"),
        (r#"{"peer": "store", "key": "a", "c": 8, "q": 6}"#, "a second call of \"store\" with the number 8"),
        (r#"{"peer": "store", "c": 9, "q": 6}"#, "\"key\" is missing: which \"store\" is called?"),
        (r#"{"peer": "stores", "c": 9, "q": 6}"#, "the specification has no peer \"stores\"; did you mean \"store\"?"),
    ] {
        let error = Script::read(&spec, &format!("{script}{line}\n")).unwrap_err();
        assert_eq!((error.line, error.message.as_str()), (10, message), "{line}");
    }
}
