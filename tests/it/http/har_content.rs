//! What HAR files say of the content of messages: as text, as bytes that stand for characters, as form fields, or not at all.

use crate::command::run;
use crate::http::testing::said;

const SPEC: &str = "tests/data/har/kv.may";

/// An entry, with the members of its request and of its response besides the first ones.
fn entry(second: usize, method: &str, request: &str, status: u16, response: &str) -> String {
    format!(
        r#"{{"startedDateTime": "2026-01-02T10:00:0{second}Z", "time": 5,
            "request": {{"method": {method}, "url": "http://localhost:8080/b"{request}}},
            "response": {{"status": {status}{response}}}}}"#
    )
}

fn put(request: &str) -> String {
    entry(0, "\"PUT\"", request, 204, "")
}

fn got(response: &str) -> String {
    entry(1, "\"GET\"", "", 200, response)
}

fn validated(spec: &str, entries: &[String]) -> (Option<i32>, String) {
    let har = format!(r#"{{"log": {{"entries": [{}]}}}}"#, entries.join(","));
    let output = run(&["validate", spec, "-", "--start", "fresh"], &har);
    (output.status.code(), said(&output))
}

/// Each case: the request as a file has it, the content that is read afterwards, and whether that is accepted.
#[test]
fn the_content_of_a_request_is_what_was_sent() {
    let header = |name: &str, value: &str| format!(r#""headers": [{{"name": "{name}", "value": "{value}"}}]"#);
    let (three, five) = (header("Content-Length", "3"), header("content-length", "5"));
    let gzipped = header("Content-Encoding", "gzip");
    let form = r#""mimeType": "application/x-www-form-urlencoded""#;
    for (request, read, code) in [
        // The text, in UTF-8.
        (r#", "postData": {"text": "x"}"#.to_owned(), "x", 0),
        (r#", "postData": {"text": "x"}"#.to_owned(), "y", 1),
        (format!(r#", {three}, "bodySize": 3, "postData": {{"text": "x\u00fc"}}"#), "xü", 0),
        (format!(r#", {three}, "postData": {{"text": "x\u00fc"}}"#), "y", 1),
        // The text has a character for each byte.
        (format!(r#", {three}, "bodySize": 3, "postData": {{"text": "x\u00c3\u00bc", "params": []}}"#), "xü", 0),
        (format!(r#", {three}, "bodySize": 3, "postData": {{"text": "x\u00c3\u00bc", "params": []}}"#), "y", 1),
        // Nothing was sent.
        (r#", "bodySize": 0"#.to_owned(), "", 0),
        (r#", "headers": null, "postData": null"#.to_owned(), "x", 1),
        (format!(r#", {}, "postData": {{"text": ""}}"#, header("Content-Length", "0")), "x", 1),
        // Something was sent that the file does not have.
        (r#", "bodySize": 5"#.to_owned(), "hello", 0),
        (format!(", {five}"), "hello", 0),
        (format!(r#", {five}, "bodySize": -1, "postData": {{"text": "", "params": []}}"#), "hello", 0),
        (format!(r#", {five}, "postData": {{"text": "ab\ufffd"}}"#), "hello", 0),
        (r#", "postData": {"text": "ab\ufffd"}"#.to_owned(), "hello", 0),
        (format!(r#", {}"#, header("Transfer-Encoding", "chunked")), "hello", 0),
        (format!(r#", {}, "postData": {{"text": "partial"}}"#, header("Content-Length", "700")), "hello", 0),
        // Compressed content: its length is not that of the text.
        (format!(r#", {gzipped}, "bodySize": 5, "postData": {{"text": "hello"}}"#), "hello", 0),
        (format!(r#", {gzipped}, "bodySize": 25, "postData": {{"text": "\u001f\u008b"}}"#), "hello", 0),
        (format!(r#", {gzipped}, "bodySize": 25"#), "hello", 0),
        // Form fields, as they were sent or decoded.
        (format!(r#", "bodySize": 3, "postData": {{{form}, "params": [{{"name": "a", "value": "1"}}]}}"#), "a=1", 0),
        (format!(r#", "bodySize": 3, "postData": {{{form}, "params": [{{"name": "a", "value": "1"}}]}}"#), "a=2", 1),
        (
            format!(r#", "bodySize": 5, "postData": {{{form}, "params": [{{"name": "a", "value": "%20"}}]}}"#),
            "a=%20",
            0,
        ),
        (format!(r#", "bodySize": 3, "postData": {{{form}, "params": [{{"name": "a", "value": " "}}]}}"#), "a=+", 0),
        (r#", "bodySize": 90, "postData": {"mimeType": "multipart/form-data", "params": []}"#.to_owned(), "hello", 0),
    ] {
        let content = format!(r#", "content": {{"size": {}, "text": "{read}"}}"#, read.len());
        let (found, said) = validated(SPEC, &[put(&request), got(&content)]);
        assert_eq!(found, Some(code), "{request} {read}: {said}");
    }
    // A note tells what is not known; something has to have been sent.
    let unknown = || put(r#", "bodySize": 5"#);
    let (code, said) = validated(SPEC, &[unknown(), got(r#", "content": {"size": 1, "text": "x"}"#)]);
    assert!(code == Some(0) && said.contains("the content of the requests of 1 entry is not known"), "{said}");
    let (code, said) = validated(SPEC, &[unknown(), entry(1, "\"GET\"", "", 404, "")]);
    assert!(code == Some(1) && said.contains("entry 2 (2026-01-02T10:00:01Z) answered \"Missing\""), "{said}");
}

#[test]
fn the_content_of_an_answer_is_what_was_sent() {
    let known = put(r#", "postData": {"text": "x\u00fc"}"#);
    for (response, code) in [
        (r#", "content": {"size": 3, "text": "x\u00fc"}"#, 0),
        (r#", "content": {"text": "x\u00fc"}"#, 0),
        (r#", "content": {"size": 3, "text": "x\u00c3\u00bc"}"#, 0),
        (r#", "content": {"size": 2, "text": "x\u00fc"}"#, 1),
        (r#", "content": {"size": 4, "text": "eMO8", "encoding": "base64"}"#, 0),
        (r#", "content": {"size": 1, "text": "y"}"#, 1),
        (r#", "content": {"size": 0, "text": ""}"#, 1),
        ("", 1),
        // Not recorded, or only in part.
        (r#", "content": {"size": 3}"#, 0),
        (r#", "content": {"size": -1}"#, 0),
        (r#", "content": {"size": 3, "text": ""}"#, 0),
        (r#", "content": {"text": ""}, "bodySize": 3"#, 0),
        (r#", "content": {"text": ""}, "headers": [{"name": "Content-Length", "value": "3"}]"#, 0),
        (r#", "content": {"size": 900, "text": "x"}"#, 0),
        (r#", "content": {"text": "x\ufffd"}"#, 0),
    ] {
        let (found, said) = validated(SPEC, &[known.clone(), got(response)]);
        assert_eq!(found, Some(code), "{response}: {said}");
    }
}

/// A browser shows the content of its cache where a server answered 304.
#[test]
fn an_answer_from_a_validated_cache_is_not_known() {
    let asked = r#", "headers": [{"name": "If-None-Match", "value": "\"v1\""}]"#;
    for (request, response, code) in [
        (asked, r#", "bodySize": 0, "content": {"size": 5, "text": "hello"}"#, 0),
        (asked, r#", "_transferSize": 0, "content": {"size": 5, "text": "hello"}"#, 0),
        (asked, r#", "bodySize": 5, "content": {"size": 5, "text": "hello"}"#, 1),
        ("", r#", "bodySize": 0, "content": {"size": 5, "text": "hello"}"#, 1),
    ] {
        let (found, said) =
            validated(SPEC, &[put(r#", "postData": {"text": "x"}"#), entry(1, "\"GET\"", request, 200, response)]);
        assert_eq!(found, Some(code), "{response}: {said}");
        assert_eq!(said.contains("a cache that was validated (304)"), code == 0, "{said}");
    }
}

/// Tools join the values of a header that stands several times by line breaks.
#[test]
fn headers_of_one_name_are_several() {
    let header = |name: &str, value: &str| format!(r#"{{"name": "{name}", "value": "{value}"}}"#);
    let joined = [header("Vary", "Accept\\nOrigin"), header("X-Tag", "a\\nb")];
    let apart = [header("Vary", "Accept"), header("Vary", "Origin"), header("X-Tag", "a"), header("X-Tag", "b")];
    let other = [header("Vary", "Accept"), header("X-Tag", "a")];
    for (headers, code) in [(&joined[..], 0), (&apart[..], 0), (&other[..], 1)] {
        let response = format!(r#", "headers": [{}], "content": {{"text": "x"}}"#, headers.join(","));
        let (found, said) = validated("tests/data/har/repeated.may", &[got(&response)]);
        assert_eq!(found, Some(code), "{said}");
    }
}

/// An entry of another site may be odd in every way.
#[test]
fn odd_entries_of_other_sites_are_passed_over() {
    let known = [put(r#", "postData": {"text": "x"}"#), got(r#", "content": {"text": "x"}"#)];
    let elsewhere = |entry: String| entry.replace("localhost:8080", "cdn.example");
    for odd in [
        elsewhere(entry(0, "null", "", 200, "")),
        elsewhere(entry(0, "7", "", 200, "")),
        elsewhere(got(r#", "content": "text""#)),
        elsewhere(got("")).replace("2026-01-02T10:00:01Z", "noon"),
        entry(0, "\"GET\"", "", 200, "").replace("http://localhost:8080/b", "data:image/png;base64,AAAA"),
        entry(0, "\"GET\"", "", 101, "").replace("http://localhost:8080/b", "wss://localhost:8080/b"),
    ] {
        let har = format!(r#"{{"log": {{"entries": [{}, {odd}]}}}}"#, known.join(","));
        let output = run(&["validate", SPEC, "-", "--url", "http://localhost:8080"], &har);
        let said = said(&output);
        assert!(output.status.code() == Some(0) && said.contains("passed over 1 entry at other URLs"), "{said}");
    }
    // One of the service is named.
    let (code, said) = validated(SPEC, &[known[0].clone(), got(r#", "content": "text""#)]);
    assert!(code == Some(2) && said.contains("--> <stdin>, entry 2 (2026-01-02T10:00:01Z)"), "{said}");
}
