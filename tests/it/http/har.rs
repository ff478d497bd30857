//! HAR files, as browsers and proxies write them, judged by the `http` block of a specification.

use crate::command::run;
use crate::http::testing::said;

const SPEC: &str = "examples/service/notes.may";

/// An entry of a HAR file.
fn entry(started: &str, time: f64, method: &str, path: &str, asked: &str, status: u16, content: &str) -> String {
    let post = if asked.is_empty() { String::new() } else { format!(r#", "postData": {{"text": {asked:?}}}"#) };
    format!(
        r#"{{"startedDateTime": "{started}", "time": {time},
            "request": {{"method": "{method}", "url": "http://localhost:8080{path}", "headers": []{post}}},
            "response": {{"status": {status}, "headers": [], "content": {content}}}}}"#
    )
}

fn har(entries: &[String]) -> String {
    format!("{{\n  \"log\": {{\"version\": \"1.2\", \"entries\": [{}]}}}}\n", entries.join(",\n"))
}

fn text(content: &str) -> String {
    format!(r#"{{"size": {}, "text": {content:?}}}"#, content.len())
}

fn created(started: &str, time: f64) -> String {
    let note = text(r#"{"id": "x", "text": "a", "version": 1}"#);
    entry(started, time, "POST", "/notes", r#"{"text": "a"}"#, 201, &note)
}

fn validated(har: &str, more: &[&str]) -> (Option<i32>, String) {
    let mut arguments = vec!["validate", SPEC, "-"];
    arguments.extend(more);
    let output = run(&arguments, har);
    (output.status.code(), said(&output).replace("<stdin>", "HAR"))
}

#[test]
fn a_browser_s_recording_is_judged() {
    let deleted = entry("2026-01-02T11:00:01+01:00", 20.0, "DELETE", "/notes/x", "", 204, r#"{"size": 0}"#);
    let gone = entry("2026-01-02T10:00:02.5Z", 1.0, "GET", "/notes/x#top", "", 404, r#"{"size": 0}"#);
    let other = entry("2026-01-02T10:00:03Z", 1.0, "GET", "/favicon.ico", "", 404, r#"{"size": 0}"#);
    let all = [created("2026-01-02T10:00:00.120Z", 35.5), deleted, gone, other];
    let (code, said) = validated(&har(&all), &[]);
    assert_eq!(code, Some(0), "{said}");
    let note = "passed over 1 entry that is no request of the specification (GET http://localhost:8080/favicon.ico";
    assert!(said.contains("HAR: accept") && said.contains(note), "{said}");
    // What is read is what `convert` writes.
    let output = run(&["convert", "-", "--for", SPEC], &har(&all));
    let lines = String::from_utf8_lossy(&output.stdout);
    let expected = "{\"mayhap\": 1, \"spec\": \"notes\", \"state\": \"any\", \"restarts\": \"any\"}\n\
        {\"c\": 1, \"q\": {\"Create\": {\"text\": \"a\"}}}\n\
        {\"c\": 1, \"a\": {\"Created\": {\"id\": \"x\", \"text\": \"a\", \"version\": 1}}}\n\
        {\"c\": 1, \"q\": {\"Delete\": {\"id\": \"x\"}}}\n{\"c\": 1, \"a\": \"Deleted\"}\n\
        {\"c\": 1, \"q\": {\"Read\": {\"id\": \"x\"}}}\n{\"c\": 1, \"a\": \"Missing\"}\n";
    assert_eq!(lines, expected);
}

#[test]
fn a_service_may_have_been_in_use_before() {
    let found = text(r#"{"id": "x", "text": "a", "version": 7}"#);
    let read = |started: &str, content: &str| entry(started, 5.0, "GET", "/notes/x", "", 200, content);
    let all = [read("2026-01-02T10:00:00Z", &found), read("2026-01-02T10:00:01Z", &found)];
    assert_eq!(validated(&har(&all), &[]).0, Some(0));
    let (code, said) = validated(&har(&all), &["--start", "fresh"]);
    assert!(code == Some(1) && said.contains("only \"Missing\" was possible"), "{said}");
    // What it then is has to stay.
    let changed = text(r#"{"id": "x", "text": "a", "version": 8}"#);
    let (code, said) = validated(&har(&[all[0].clone(), read("2026-01-02T10:00:01Z", &changed)]), &[]);
    assert_eq!(code, Some(1), "{said}");
    // What `convert` writes says so, too.
    let converted = run(&["convert", "-", "--for", SPEC], &har(&all));
    let judged = run(&["validate", SPEC, "-"], &String::from_utf8_lossy(&converted.stdout));
    assert_eq!(judged.status.code(), Some(0), "{}", crate::http::testing::said(&judged));
}

#[test]
fn what_others_may_have_changed_is_not_known() {
    let gone = |started: &str| entry(started, 5.0, "GET", "/notes/x", "", 404, r#"{"size": 0}"#);
    let found = text(r#"{"id": "x", "text": "a", "version": 1}"#);
    let read = |started: &str| entry(started, 5.0, "GET", "/notes/x", "", 200, &found);
    // From 1.000 to 1.051, this may do anything.
    let emptied = |method: &str| entry("2026-01-02T10:00:01Z", 50.0, method, "/trash", "", 200, r#"{"size": 0}"#);
    let base = created("2026-01-02T10:00:00Z", 5.0);
    for (all, code) in [
        (vec![base.clone(), emptied("POST"), gone("2026-01-02T10:00:02Z")], 0),
        (vec![base.clone(), emptied("GET"), gone("2026-01-02T10:00:02Z")], 1),
        // Meanwhile both are seen; afterwards only one.
        (vec![base.clone(), emptied("POST"), gone("2026-01-02T10:00:01.010Z"), read("2026-01-02T10:00:01.040Z")], 0),
        (vec![base.clone(), emptied("POST"), gone("2026-01-02T10:00:02Z"), read("2026-01-02T10:00:03Z")], 1),
        (vec![base.clone(), gone("2026-01-02T10:00:00.990Z"), emptied("POST")], 1),
    ] {
        let (found, said) = validated(&har(&all), &[]);
        assert_eq!(found, Some(code), "{said}\n{all:#?}");
    }
    // One that was cut off before it may be done later, too, and one that was answered may not.
    let cut = entry("2026-01-02T10:00:00.500Z", 5.0, "DELETE", "/notes/x", "", 0, r#"{"size": 0}"#);
    let overlapping = entry("2026-01-02T10:00:01.020Z", 100.0, "DELETE", "/notes/x", "", 204, r#"{"size": 0}"#);
    let later = [read("2026-01-02T10:00:02Z"), gone("2026-01-02T10:00:03Z")];
    for (first, code) in [(cut, 0), (overlapping, 1)] {
        let (found, said) = validated(&har(&[&[base.clone(), first, emptied("POST")], &later[..]].concat()), &[]);
        assert_eq!(found, Some(code), "{said}");
    }
    // A deletion that is under way then may be done later.
    let deleted = entry("2026-01-02T10:00:01.010Z", 2_000.0, "DELETE", "/notes/x", "", 204, r#"{"size": 0}"#);
    let seen = [read("2026-01-02T10:00:01.200Z"), gone("2026-01-02T10:00:01.300Z")];
    let all = |rest: Vec<String>| har(&[vec![base.clone(), emptied("POST")], rest].concat());
    let (code, said) = validated(&all(seen.to_vec()), &[]);
    assert_eq!(code, Some(1), "{said}");
    let (code, said) = validated(&all([&seen[..], &[deleted]].concat()), &[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("what comes after is judged from any state"), "{said}");
}

#[test]
fn requests_that_overlap_are_of_different_clients() {
    let found = text(r#"{"id": "x", "text": "a", "version": 1}"#);
    let read = |started: &str, time| entry(started, time, "GET", "/notes/x", "", 200, &found);
    let deleted = |started: &str| entry(started, 10.0, "DELETE", "/notes/x", "", 204, r#"{"size": 0}"#);
    let base = created("2026-01-02T10:00:00Z", 5.0);
    // The note is read while it is deleted; or later.
    let (code, said) = validated(
        &har(&[base.clone(), deleted("2026-01-02T10:00:01.000Z"), read("2026-01-02T10:00:01.010Z", 5.0)]),
        &[],
    );
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = validated(
        &har(&[base.clone(), deleted("2026-01-02T10:00:01.000Z"), read("2026-01-02T10:00:01.012Z", 5.0)]),
        &[],
    );
    assert!(code == Some(1) && said.contains("only \"Missing\" was possible"), "{said}");
    // The order of the entries does not matter, their times do.
    let (code, said) =
        validated(&har(&[read("2026-01-02T10:00:00.500Z", 5.0), deleted("2026-01-02T10:00:01.000Z"), base]), &[]);
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn what_was_not_recorded_is_not_known() {
    let base = created("2026-01-02T10:00:00Z", 5.0);
    let at = "2026-01-02T10:00:01Z";
    // No answer; one without its content; one in base64; one from a cache; one that was refused.
    let aborted = entry(at, -1.0, "DELETE", "/notes/x", "", 0, r#"{"size": 0}"#);
    let bare = entry(at, 1.0, "GET", "/notes/x", "", 200, r#"{"size": 43}"#);
    let coded = r#"{"size": 38, "encoding": "base64", "text": "eyJpZCI6ICJ4IiwgInRleHQiOiAiYSIsICJ2ZXJzaW9uIjogMX0="}"#;
    let coded = entry(at, 1.0, "GET", "/notes/x", "", 200, coded);
    let cached = entry(at, 1.0, "GET", "/notes/x", "", 404, r#"{"size": 0}"#);
    let cached = cached.replacen("\"request\"", "\"_fromCache\": \"disk\", \"request\"", 1);
    let refused = entry(at, 1.0, "DELETE", "/notes/x", "", 429, r#"{"size": 0}"#);
    let missed = entry(at, 1.0, "DELETE", "/notes/x", "", 204, r#"{"size": 0}"#);
    let missed = missed.replacen("\"request\"", "\"_fromCache\": false, \"request\"", 1);
    let timeless = missed.replacen("\"time\": 1,", "\"time\": null,", 1).replacen("204", "204.0", 1);
    assert!(timeless.contains("null") && timeless.contains("204.0"));
    // What is passed over needs no time.
    let elsewhere = entry("noon", 1.0, "GET", "/favicon.ico", "", 404, r#"{"size": 0}"#);
    for (second, note) in [
        (elsewhere, "passed over 1 entry that is no request of the specification"),
        (aborted, "accept"),
        (missed, "accept"),
        (timeless, "accept"),
        (bare, "the answers of 1 entry have no content and are not known"),
        (coded, "accept"),
        (cached, "passed over 1 entry from a cache"),
        (refused, "passed over 1 entry refused with 429"),
    ] {
        let (code, said) = validated(&har(&[base.clone(), second]), &[]);
        assert!(code == Some(0) && said.contains(note), "{said}");
    }
}

#[test]
fn only_one_server_is_meant() {
    let other = created("2026-01-02T10:00:05Z", 1.0).replace("http://localhost:8080", "https://cdn.example");
    let both = har(&[created("2026-01-02T10:00:00Z", 5.0), other]);
    let (code, said) = validated(&both, &[]);
    let why = "there are requests to 2 servers (http://localhost:8080, https://cdn.example): --url says which one";
    assert!(code == Some(2) && said.contains(why), "{said}");
    let (code, said) = validated(&both, &["--url", "https://cdn.example/"]);
    assert!(code == Some(0) && said.contains("passed over 1 entry at other URLs"), "{said}");
    let (code, said) = validated(&both.replace("cdn.e", "CDN.E"), &["--url", "https://Cdn.example"]);
    assert!(code == Some(0) && said.contains("passed over 1 entry at other URLs"), "{said}");
    let (code, said) = validated(&both, &["--url", "http://localhost"]);
    assert!(code == Some(2) && said.contains("no events, so nothing was tested (passed over 2 entries"), "{said}");
}

#[test]
fn files_that_are_broken_say_where() {
    let base = created("2026-01-02T10:00:00Z", 5.0);
    let good = har(std::slice::from_ref(&base));
    for (bad, why) in [
        (good[..120].to_owned(), "this is no HAR file: EOF while parsing"),
        (good.replace("entries", "entry"), "this is no HAR file: missing field `entries`"),
    ] {
        let (code, said) = validated(&bad, &[]);
        assert!(code == Some(2) && said.contains(why) && said.contains("--> HAR:"), "{said}");
    }
    for (bad, why, started) in [
        (
            good.replace("10:00:00Z", "noon"),
            "POST http://localhost:8080/notes: expected a time such as",
            "2026-01-02Tnoon",
        ),
        (
            good.replace("\"status\": 201", "\"status\": {}"),
            "this is no entry of a HAR file: invalid type",
            "2026-01-02T10:00:00Z",
        ),
    ] {
        let (code, said) = validated(&bad, &[]);
        let place = format!("--> HAR, entry 1 ({started})");
        assert!(code == Some(2) && said.contains(why) && said.contains(&place), "{said}");
    }
    let output = run(&["validate", "specs/kv.may", "-"], &good);
    assert!(said(&output).contains("the specification kv has no http block"), "{}", said(&output));
    let output = run(&["convert", "-"], &good);
    assert!(said(&output).contains("--for says by which specification a HAR file is read"), "{}", said(&output));
}

/// An answer that the specification does not have says nothing of its request, and the other entries are judged.
#[test]
fn an_answer_that_is_none_of_the_specification_leaves_the_rest() {
    let base = created("2026-01-02T10:00:00Z", 5.0);
    let found = text(r#"{"id": "x", "text": "a", "version": 1}"#);
    let failed = entry("2026-01-02T10:00:01Z", 1.0, "GET", "/notes/x", "", 500, &text("oops"));
    let garbled = entry("2026-01-02T10:00:01Z", 1.0, "GET", "/notes/x", "", 200, &text("<html>"));
    let deleted = entry("2026-01-02T10:00:01Z", 1.0, "DELETE", "/notes/x", "", 500, &text("oops"));
    let read = |status| entry("2026-01-02T10:00:02Z", 1.0, "GET", "/notes/x", "", status, &found);
    for (odd, status, code, why) in [
        (&failed, 200, 0, "no line of the http block is about the status 500"),
        (&failed, 404, 1, "entry 3 (2026-01-02T10:00:02Z) answered \"Missing\""),
        (&garbled, 200, 0, "the content is not"),
        (&deleted, 200, 0, "the answers of 1 entry are none of the specification"),
        (&deleted, 404, 0, "(entry 2 (2026-01-02T10:00:01Z): DELETE http://localhost:8080/notes/x: no line"),
    ] {
        let (found, said) = validated(&har(&[base.clone(), odd.clone(), read(status)]), &[]);
        assert!(found == Some(code) && said.contains(why), "{said}");
    }
    // Nothing is tested if no answer can be judged.
    let (code, said) = validated(&har(&[failed]), &[]);
    assert!(code == Some(2) && said.contains("nothing was answered, so nothing was tested"), "{said}");
}

/// Reports name the entries of the file, in every format.
#[test]
fn a_rejection_names_entries() {
    let other = entry("2026-01-02T09:00:00Z", 5.0, "GET", "/style.css", "", 200, r#"{"size": 0}"#);
    let gone = entry("2026-01-02T10:00:01Z", 5.0, "GET", "/notes/x", "", 404, r#"{"size": 0}"#);
    let all = har(&[gone, other, created("2026-01-02T10:00:00Z", 5.0)]);
    let (code, said) = validated(&all, &[]);
    let expected = [
        "HAR: reject at entry 1 (2026-01-02T10:00:01Z)\n",
        "no ordering of the requests explains that entry 1 (2026-01-02T10:00:01Z) answered \"Missing\" to",
        "    entry 3 (2026-01-02T10:00:00Z): client 1 asked {\"Create\"",
    ];
    assert!(code == Some(1) && expected.iter().all(|part| said.contains(part)) && !said.contains("at line"), "{said}");
    let (_, said) = validated(&all, &["--format", "json"]);
    let expected =
        ["\"places\":{\"2\":\"entry 3 (2026-01-02T10:00:00Z)\",", "\"5\":\"entry 1 (2026-01-02T10:00:01Z)\"}"];
    assert!(expected.iter().all(|part| said.contains(part)), "{said}");
}
