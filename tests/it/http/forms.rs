//! What is written as HTTP is read as the same value, and what cannot be is not written.
//!
//! A text with a blank at its end is no header, and 204 has no content.

use std::sync::Arc;

use mayhap::Spec;
use mayhap::http::{Framing, HttpMessage, MessageBuffer, answer_of, message_of_answer, message_of_request, request_of};
use mayhap::json::{decode, encode};
use mayhap::value::Value;

const FORMS: &str = r#"
    token Id;
    enum Request {
        Plain,
        Head,
        Get { id: Id, words: option<list<string>> },
        All,
        Put { id: Id, note: option<string> },
        Send { what: option<int> },
        Count { number: option<int> },
    }
    enum Response {
        Text { title: string, text: option<string> },
        Gone { text: option<string> },
        Number { number: option<int> },
        Sized { length: option<int>, text: option<string> },
        Typed { kind: string, text: option<string> },
        Known { id: Id, same: Id },
        Failed,
        Other,
        Said { status: int },
    }
    protocol forms {
        request Request;
        response Response;
        http {
            Plain => GET "/";
            Head => HEAD "/";
            Get { id, words } => GET "/of/{id}?a%20word={words}&just%20this&x%2By=%3D=";
            All => GET "/of/all";
            Put { id, note } => PUT "/of/{id}" { "X-Note": note };
            Send { what } => POST "/" body json(what);
            Count { number } => GET "/count" { "X-Number": json(number) };
            200 => Text { title: header "X-Title", text: body text };
            204 => Gone { text: body text };
            201, 205 => Number { number: body json };
            202 => Sized { length: header "Content-Length", text: body text };
            203 => Typed { kind: header "Content-Type", text: body text };
            207 => Known { id: header "X-Id" as json, same: header "X-Same" };
            500 => Failed;
            501, 500 to Plain => Said { status: status };
            _ => Other;
        }
        on _ { reply choose; }
    }"#;

fn forms() -> Arc<Spec> {
    Spec::from_text(FORMS).unwrap_or_else(|error| panic!("{error}"))
}

fn bytes(message: &HttpMessage) -> String {
    let mut bytes = Vec::new();
    message.write_to(&mut bytes);
    String::from_utf8(bytes).unwrap()
}

#[track_caller]
fn request(spec: &Spec, text: &str) -> Value {
    decode(&spec.types, spec.program.request, text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The bytes of an answer, or `unwritten`; they are read as the same answer.
#[track_caller]
fn answered(spec: &Spec, asked: &str, answer: &str) -> String {
    let framing = if asked.contains("Head") { Framing::HeadersOnly } else { Framing::Whole };
    let asked = request(spec, asked);
    let value = decode(&spec.types, spec.program.response, answer).unwrap_or_else(|error| panic!("{answer}: {error}"));
    let Some(message) = message_of_answer(spec, &asked, &value) else { return "unwritten".to_owned() };
    let (text, mut buffer) = (bytes(&message), MessageBuffer::default());
    buffer.push(text.as_bytes());
    let read = buffer.answer(framing).unwrap().unwrap();
    assert_eq!((answer_of(spec, &asked, &read), buffer.rest()), (Ok(value), &b""[..]), "{text}");
    text
}

#[test]
fn marks_of_recordings_mean_nothing_in_content() {
    let text = r#"enum Q { Send { what: json } } struct A { what: json }
        protocol p { request Q; response A; on Send { what } { reply A { what: what }; }
            http { Send { what } => POST "/" body json(what); 200 => A { what: body json }; } }"#;
    let spec = Spec::from_text(text).unwrap_or_else(|error| panic!("{error}"));
    for content in [r#"{"$any": null}"#, r#"{"$lit": 5}"#, r#"[{"$ref": "1", "was": 2}]"#] {
        let head = format!("POST / HTTP/1.1\r\nContent-Length: {}\r\n\r\n", content.len());
        let mut buffer = MessageBuffer::default();
        buffer.push(format!("{head}{content}").as_bytes());
        let asked = request_of(&spec, &buffer.request().unwrap().unwrap()).unwrap();
        assert!(bytes(&message_of_request(&spec, &asked).unwrap()).ends_with(content), "{content}");
        buffer = MessageBuffer::default();
        buffer.push(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{content}", content.len()).as_bytes());
        let answer = answer_of(&spec, &asked, &buffer.answer(Framing::Whole).unwrap().unwrap()).unwrap();
        assert!(bytes(&message_of_answer(&spec, &asked, &answer).unwrap()).ends_with(content), "{content}");
    }
}

#[test]
fn constant_headers_tell_lines_apart() {
    let text = r#"enum Q { Delete { name: string }, Get { name: string }, Text { name: string }, Any { name: string } } struct A { what: json }
        protocol p { request Q; response A; on _ { reply choose; }
            http { Delete { name } => POST "/" { "X-Do": "delete", "Accept": "text/plain" } body json { name };
                Get { name } => POST "/" { "X-Do": "get" } body json { name };
                Text { name } => POST "/" { "Content-Type": "text/plain" } body raw(name);
                Any { name } => POST "/" body json { name };
                200 => A { what: body json }; } }"#;
    let spec = Spec::from_text(text).unwrap_or_else(|error| panic!("{error}"));
    for kind in ["Delete", "Get", "Text", "Any"] {
        let asked = request(&spec, &format!(r#"{{"{kind}": {{"name": "a"}}}}"#));
        let message = message_of_request(&spec, &asked).unwrap_or_else(|| panic!("{kind}"));
        assert_eq!(request_of(&spec, &message), Ok(asked), "{kind}");
    }
    let read = |headers: &str| {
        let mut buffer = MessageBuffer::default();
        buffer.push(format!("POST / HTTP/1.1\r\n{headers}Content-Length: 13\r\n\r\n{{\"name\": \"a\"}}").as_bytes());
        let read = request_of(&spec, &buffer.request().unwrap().unwrap());
        read.map(|request| encode(&spec.types, spec.program.request, &request))
    };
    for (headers, expected) in [
        ("X-Do: delete\r\nAccept: */*\r\n", r#"{"Delete": {"name": "a"}}"#),
        ("X-Do: delete\r\nAccept: text/plain\r\n", r#"{"Delete": {"name": "a"}}"#),
        ("x-do:  get \r\n", r#"{"Get": {"name": "a"}}"#),
        ("X-Do: other\r\n", r#"{"Any": {"name": "a"}}"#),
        ("Content-Type: Text/Plain; charset=utf-8\r\n", r#"{"Text": {"name": "{\"name\": \"a\"}"}}"#),
    ] {
        assert_eq!(read(headers).as_deref(), Ok(expected), "{headers}");
    }
}

#[test]
fn an_answer_that_would_be_read_as_another_one_is_not_written() {
    let spec = forms();
    for (answer, expected) in [
        (r#"{"Text": {"title": "a b", "text": "x"}}"#, "HTTP/1.1 200 OK\r\nX-Title: a b\r\n"),
        (r#"{"Text": {"title": " a", "text": "x"}}"#, "unwritten"),
        (r#"{"Text": {"title": "a\t", "text": "x"}}"#, "unwritten"),
        (r#"{"Text": {"title": "a\nb", "text": "x"}}"#, "unwritten"),
        (r#"{"Text": {"title": "", "text": "x"}}"#, "HTTP/1.1 200 OK\r\nX-Title: \r\n"),
        (r#"{"Text": {"title": "é", "text": ""}}"#, "HTTP/1.1 200 OK\r\nX-Title: é\r\n"),
        (r#"{"Text": {"title": "a"}}"#, "unwritten"),
        (r#"{"Gone": {"text": "x"}}"#, "unwritten"),
        (r#"{"Gone": {}}"#, "HTTP/1.1 204 No Content\r\n\r\n"),
        (
            r#"{"Number": {"number": 5}}"#,
            "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n5",
        ),
        (r#"{"Number": {}}"#, "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"),
        (
            r#"{"Sized": {"length": 2, "text": "ab"}}"#,
            "HTTP/1.1 202 Accepted\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 2\r\n\r\nab",
        ),
        (r#"{"Sized": {"length": 3, "text": "ab"}}"#, "unwritten"),
        (
            r#"{"Sized": {"text": "ab"}}"#,
            "HTTP/1.1 202 Accepted\r\nContent-Type: text/plain; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
        ),
        (
            r#"{"Typed": {"kind": "a/b", "text": "x"}}"#,
            "HTTP/1.1 203 \r\nContent-Type: a/b\r\nContent-Length: 1\r\n\r\nx",
        ),
        (r#"{"Known": {"id": 5, "same": "5"}}"#, "HTTP/1.1 207 \r\nX-Id: 5\r\nX-Same: 5\r\n"),
        (r#"{"Known": {"id": "5", "same": "5"}}"#, "HTTP/1.1 207 \r\nX-Id: \"5\"\r\nX-Same: 5\r\n"),
        (r#"{"Known": {"id": 5, "same": 5}}"#, "unwritten"),
        (r#""Failed""#, "unwritten"),
        (r#""Other""#, "HTTP/1.1 502 "),
        (r#"{"Said": {"status": 500}}"#, "HTTP/1.1 500 "),
        (r#"{"Said": {"status": 502}}"#, "unwritten"),
        (r#"{"Said": {"status": -1}}"#, "unwritten"),
    ] {
        let written = answered(&spec, r#""Plain""#, answer);
        assert!(written.starts_with(expected), "{answer}: {written}");
    }
    for (answer, expected) in [
        (r#"{"Text": {"title": "a"}}"#, "HTTP/1.1 200 OK\r\nX-Title: a\r\n\r\n"),
        (r#"{"Text": {"title": "a", "text": "x"}}"#, "unwritten"),
        (r#"{"Sized": {"length": 5}}"#, "HTTP/1.1 202 Accepted\r\nContent-Length: 5\r\n\r\n"),
        (r#"{"Sized": {}}"#, "HTTP/1.1 202 Accepted\r\n\r\n"),
    ] {
        let written = answered(&spec, r#""Head""#, answer);
        assert_eq!(written, expected, "{answer}");
    }
    for (answer, expected) in [
        (r#""Failed""#, "HTTP/1.1 500 "),
        (r#""Other""#, "HTTP/1.1 501 "),
        (r#"{"Said": {"status": 500}}"#, "unwritten"),
    ] {
        let written = answered(&spec, r#""All""#, answer);
        assert!(written.starts_with(expected), "{answer}: {written}");
    }
}

#[test]
fn content_and_headers_that_are_null_are_nothing() {
    let spec = forms();
    let mut buffer = MessageBuffer::default();
    buffer.push(b"HTTP/1.1 201 Created\r\nContent-Length: 6\r\n\r\n null ");
    let message = buffer.answer(Framing::Whole).unwrap().unwrap();
    let read = answer_of(&spec, &request(&spec, r#""Plain""#), &message);
    assert_eq!(
        read.map(|read| encode(&spec.types, spec.program.response, &read)),
        Ok(r#"{"Number": {"number": null}}"#.into())
    );
    for (text, expected) in [
        ("POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\nnull", r#"{"Send": {"what": null}}"#),
        ("POST / HTTP/1.1\r\n\r\n", r#"{"Send": {"what": null}}"#),
        ("POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\n5", r#"{"Send": {"what": 5}}"#),
        ("GET /count HTTP/1.1\r\nX-Number: null\r\n\r\n", r#"{"Count": {"number": null}}"#),
        ("GET /count HTTP/1.1\r\nX-Number: 5\r\n\r\n", r#"{"Count": {"number": 5}}"#),
    ] {
        let mut buffer = MessageBuffer::default();
        buffer.push(text.as_bytes());
        let read = request_of(&spec, &buffer.request().unwrap().unwrap());
        assert_eq!(read.map(|read| encode(&spec.types, spec.program.request, &read)), Ok(expected.into()), "{text}");
    }
}

#[test]
fn a_request_that_would_be_read_as_another_one_is_not_written() {
    let spec = forms();
    let written = |text: &str| message_of_request(&spec, &request(&spec, text)).map(|message| bytes(&message));
    for (text, expected) in [
        (r#"{"Get": {"id": "a"}}"#, Some("GET /of/a?just%20this&x%2By=%3D= HTTP/1.1")),
        (
            r#"{"Get": {"id": "a", "words": ["b c", ""]}}"#,
            Some("GET /of/a?a+word=b+c&a+word=&just%20this&x%2By=%3D= HTTP/1.1"),
        ),
        // It would be read as one without words.
        (r#"{"Get": {"id": "a", "words": []}}"#, None),
        // A number stands in a path as a text does.
        (r#"{"Get": {"id": 5}}"#, Some("GET /of/5?just%20this&x%2By=%3D= HTTP/1.1")),
        (r#"{"Put": {"id": 5, "note": ""}}"#, Some("PUT /of/5 HTTP/1.1\r\nX-Note: \r\n")),
        (r#"{"Put": {"id": "a", "note": " "}}"#, None),
        (r#""All""#, Some("GET /of/all HTTP/1.1")),
    ] {
        let found = written(text);
        assert_eq!(found.is_some(), expected.is_some(), "{text}: {found:?}");
        assert!(found.unwrap_or_default().starts_with(expected.unwrap_or_default()), "{text}: {:?}", written(text));
    }
}

/// A specification of a cache or a proxy has one line for every path and every query.
#[test]
fn the_rest_of_a_path_and_the_query_stand_as_they_are() {
    let forms = |lines: &str| {
        format!(
            "enum Request {{ In {{ bucket: string, key: string }}, All {{ method: string, path: string, query: string }} }}
            protocol p {{ request Request; response int; http {{ {lines} _ => status; }} on _ {{ reply choose; }} }}"
        )
    };
    let lines = r#"In { bucket, key } => GET "/of/{bucket}/{key..}"; All { method, path, query } => {method} "/{path..}?{query..}";"#;
    let spec = Spec::from_text(&forms(lines)).unwrap_or_else(|error| panic!("{error}"));
    for (line, request) in [
        ("GET /of/a%20b/c/d%2Fe/ HTTP/1.1", r#"{"In": {"bucket": "a b", "key": "c/d%2Fe/"}}"#),
        ("GET /of/a/ HTTP/1.1", r#"{"In": {"bucket": "a", "key": ""}}"#),
        ("GET / HTTP/1.1", r#"{"All": {"method": "GET", "path": "", "query": ""}}"#),
        (
            "PUT /a//b/%C3%BC?x=1&y=?/%20 HTTP/1.1",
            r#"{"All": {"method": "PUT", "path": "a//b/%C3%BC", "query": "x=1&y=?/%20"}}"#,
        ),
    ] {
        let expected = decode(&spec.types, spec.program.request, request).unwrap();
        let message = message_of_request(&spec, &expected).unwrap_or_else(|| panic!("{request} is written"));
        let mut bytes = Vec::new();
        message.write_to(&mut bytes);
        let written = String::from_utf8_lossy(&bytes).into_owned();
        assert!(written.starts_with(line), "{written}");
        let mut buffer = MessageBuffer::default();
        buffer.push(&bytes);
        let read = buffer.request().unwrap().expect("a whole request");
        assert_eq!(request_of(&spec, &read), Ok(expected), "{written}");
    }
    // What cannot stand there as it is, or would be read as another request, is not written.
    for request in [
        r#"{"All": {"method": "GET", "path": "a b", "query": ""}}"#,
        r#"{"All": {"method": "GET", "path": "a?b", "query": ""}}"#,
        r#"{"All": {"method": "GET", "path": "a", "query": "b#c"}}"#,
        r#"{"All": {"method": "GET", "path": "../a", "query": ""}}"#,
        r#"{"All": {"method": "GET", "path": "of/a/b", "query": ""}}"#,
    ] {
        let request = decode(&spec.types, spec.program.request, request).unwrap();
        assert_eq!(message_of_request(&spec, &request), None, "{request:?}");
    }
    let all = r#"In { bucket, key } => GET "/{bucket}/{key}"; All { method, path, query } => {method} "#;
    for (target, why) in [
        (r#""/{path..}/end?{query..}";"#, "no field `path..`"),
        (r#""/{path..}?a=1&{query..}";"#, "a parameter stands beside the whole query"),
    ] {
        let error = Spec::from_text(&forms(&format!("{all}{target}"))).expect_err("a flaw").to_string();
        assert!(error.contains(why), "{error}");
    }
}
