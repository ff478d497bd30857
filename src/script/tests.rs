//! Cases of scripts as data: what is read and written, what is refused at which place, and what references become.

use std::sync::Arc;

use super::*;
use crate::reading::Events;
use crate::spec::Spec;

const KV: &str = r#"
    token Opaque;
    struct KvTag { weak: bool, opaque: Opaque }
    enum KvQuery {
        Get { key: string, if_none_match: option<KvTag> },
        Put { key: string, value: string, if_match: option<KvTag> },
        Many(list<string>),
        Raw(json),
        Keys(set<string>),
        Map(map<string, string>),
        Add(int),
        Ping,
    }
    enum KvAnswer { Ok { value: string, tag: option<KvTag> }, NotFound, NoContent, Sum(int), All(list<string>) }
    fn next(n: int): int = n + 1;
    fn both(a: int, b: int): int = a + b;
    fn twice(s: string): string = s + s;
    fn strong(t: option<KvTag>): option<KvTag> = match t { Some(x) => Some(KvTag { weak: false, opaque: x.opaque }), _ => None };
    def drawn(n: int): int = choose;
    protocol kv { request KvQuery; response KvAnswer; on Ping { reply NoContent; } }
"#;

fn spec() -> Arc<Spec> {
    Spec::from_text(KV).unwrap()
}

const HEADER: &str =
    r#"{"mayhap": 1, "spec": "kv", "set": {"FRESH": true}, "cause": "kv.may:48", "failed": [7, 20], "by": ["x"]}"#;

const GET: &str = r#"{"Get": {"key": "a", "if_none_match": null}}"#;
const OK: &str = r#"{"Ok": {"value": "x", "tag": {"weak": true, "opaque": "33f"}}}"#;

/// The text of a script, with a header.
fn text(lines: &[String]) -> String {
    format!("{HEADER}\n{}\n", lines.join("\n"))
}

fn line(pattern: &str) -> String {
    pattern.replace("GET", GET).replace("OK", OK)
}

#[test]
fn what_is_read_is_written() {
    let put = r#"{"Put": {"key": "a", "value": "y", "if_match": {"$ref": "2@Ok@tag", "was": {"weak": true, "opaque": "33f"}}}}"#;
    for lines in [
        &[r#"{"n": 1, "c": 1, "q": GET, "a": OK}"#][..],
        &[r#"{"n": 1, "c": 1, "q": GET, "lost": true}"#],
        &[r#"{"n": 1, "q": "Ping"}"#],
        &[r#"{"n": 1, "c": 1, "q": GET}"#, r#"{"n": 3, "c": 2, "q": GET}"#, r#"{"n": 2, "c": 1, "a": OK}"#],
        &[r#"{"n": 1, "c": 1, "q": GET}"#, r#"{"n": 3, "c": 1, "q": GET}"#, r#"{"n": 2, "c": 1, "closed": true}"#],
        &[r#"{"n": 5, "c": 1, "q": GET}"#, r#"{"n": 6, "c": 1, "closed": true}"#, r#"{"c": 1, "a": OK}"#],
        &[r#"{"c": 4, "a": "NoContent"}"#, r#"{"c": 4, "closed": true}"#, r#"{"c": 4, "lost": true}"#],
        &[r#"{"n": 1, "c": 1, "q": GET, "a": OK}"#, r#"{"c": 1, "left": true}"#, r#"{"c": 2, "left": true}"#],
        &[r#"{"wait": 1.1}"#, r#"{"restart": true}"#, r#"{"n": 7, "c": 1, "q": "Ping", "a": "NoContent"}"#],
        &[
            r#"{"together": [1, 3], "offset_ms": [0, 0.4]}"#,
            r#"{"n": 1, "c": 1, "q": "Ping"}"#,
            r#"{"n": 3, "c": 2, "q": "Ping", "a": "NoContent"}"#,
            r#"{"n": 2, "c": 1, "a": "NoContent"}"#,
        ],
        &[r#"{"n": 1, "c": 1, "q": GET, "a": OK}"#, &format!(r#"{{"n": 3, "c": 1, "q": {put}, "a": "NoContent"}}"#)],
        &[
            r#"{"n": 1, "c": 1, "q": {"Many": ["a", "b"]}, "a": {"Sum": 4}}"#,
            r#"{"n": 3, "c": 1, "q": {"Many": ["c", {"$ref": "1@Many#2", "was": "b"}]}, "a": "NoContent"}"#,
            r#"{"n": 5, "c": 1, "q": {"$ref": "3", "was": {"Many": ["c", "b"]}}, "a": "NoContent"}"#,
            r#"{"n": 7, "c": 1, "q": {"Add": {"$ref": "2@Sum", "was": 5, "via": "next"}}, "a": "NoContent"}"#,
            r#"{"n": 9, "c": 1, "q": {"Raw": {"$ref": "1", "was": [1.5]}}, "a": "NoContent"}"#,
            r#"{"n": 11, "c": 1, "q": {"Raw": {"$ref": "\"was\" is missing"}}, "a": "NoContent"}"#,
            r#"{"n": 13, "c": 1, "q": {"Raw": {"$lit": {"$any": null}}}, "a": "NoContent"}"#,
            r#"{"n": 15, "c": 1, "q": {"Map": {"$k": "v", "k": {"$ref": "1@Many#1", "was": "a"}}}, "a": {"$any": null}}"#,
            r#"{"n": 17, "c": 1, "q": {"Add": {"$ref": "2@Sum", "was": 4, "plus": -1}}, "a": "NoContent"}"#,
        ],
    ] {
        let lines: Vec<String> = lines.iter().map(|pattern| line(pattern)).collect();
        let script = Script::read(&spec(), &text(&lines)).unwrap_or_else(|error| panic!("{}", error.render("s")));
        assert_eq!(script.write(&spec()), text(&lines));
    }
    let script =
        Script::read(&spec(), "\u{feff}\r\n{\"q\": \"Ping\", \"a\": \"NoContent\"}\r\n\n{\"q\": \"Ping\"}").unwrap();
    let written =
        "{\"mayhap\": 1}\n{\"n\": 1, \"c\": 1, \"q\": \"Ping\", \"a\": \"NoContent\"}\n{\"n\": 3, \"q\": \"Ping\"}\n";
    assert_eq!(script.write(&spec()), written);
}

/// Lines after `{"n": 1, "c": 1, "q": GET, "a": OK}`, with the column and the message of the error.
const REFUSED: &[(&str, u64, &str)] = &[
    ("5", 1, "expected an event: an object on one line, such as {\"q\": 5, \"a\": 1}, found a number"),
    (
        r#"{"n": 3, "c": 1}"#,
        16,
        "expected one of the keys \"q\" (a request), \"a\" (its answer), \"lost\", \"closed\", \"left\" and \"restart\"",
    ),
    (r#"{"n": 4, "c": 1, "q": "Ping"}"#, 7, "expected an odd number from 3 as the label of a request, found 4"),
    (r#"{"n": 1, "c": 1, "q": "Ping"}"#, 7, "expected an odd number from 3 as the label of a request, found 1"),
    (r#"{"n": "3", "c": 1, "q": "Ping"}"#, 7, "expected a label, a whole number from 1"),
    (r#"{"n": 18446744073709551615, "q": "Ping"}"#, 7, "this label is too large"),
    (r#"{"n": 3, "c": 1, "q": "Pong"}"#, 23, "KvQuery has no variant \"Pong\"; did you mean \"Ping\"?"),
    (r#"{"n": 3, "c": 1, "q": {"Add": "x"}}"#, 31, "at .Add: expected int, found the string \"x\""),
    (
        r#"{"n": 3, "c": 1, "q": {"Add": {"$any": null}}}"#,
        23,
        "a script's request must be known whole: a hole cannot be sent",
    ),
    (r#"{"n": 3, "c": 1, "q": "Ping", "a": "Gone"}"#, 36, "KvAnswer has no variant \"Gone\""),
    (
        r#"{"n": 4, "c": 1, "a": "NoContent"}"#,
        7,
        "message 4 answers nothing: connection 1 has no request without an answer",
    ),
    (r#"{"wait": -1}"#, 10, "expected a number that is not negative"),
    (r#"{"wait": "1"}"#, 10, "expected a number that is not negative"),
    (r#"{"wait": 1, "n": 3}"#, 18, "expected nothing but wait on this line, found \"n\""),
    (r#"{"together": [3, 5]}"#, 15, "request 3 is not there"),
    (r#"{"together": [1, 3]}"#, 14, "expected the labels of requests that come later, found 1"),
    (r#"{"together": 3}"#, 14, "expected `[`, found a number"),
    (r#"{"together": [3, 5], "offset_ms": [0]}"#, 35, "expected 2 offsets, one for each request, found 1"),
    (r#"{"restart": 1}"#, 13, "expected `true`"),
    (r#"{"mayhap": 1}"#, 1, "the line that names the format must be the first line"),
    (r#"{"peer": "p", "c": 1, "q": 1}"#, 1, "the specification calls no peer"),
];

#[test]
fn lines_that_do_not_fit_are_refused() {
    let before = text(&[line(r#"{"n": 1, "c": 1, "q": GET, "a": OK}"#)]);
    for (bad, column, message) in REFUSED {
        let error = Script::read(&spec(), &format!("{before}{bad}\n")).expect_err(bad);
        assert_eq!((error.line, error.column, error.message.as_str()), (3, *column, *message), "{bad}");
    }
    for (header, column, message) in [
        (r#"{"mayhap": 2}"#, 12, "unsupported version 2 of the trace format; this program reads version 1"),
        (r#"{"mayhap": 1, "spec": "vk"}"#, 23, "this script is of the specification `vk`, not of `kv`"),
        (r#"{"mayhap": 1, "set": 3}"#, 22, "expected an object: the constants that were set"),
        (r#"{"mayhap": 1, "cause": {}}"#, 24, "expected a string"),
        (r#"{"mayhap": 1, "cause": 3}"#, 24, "expected a string, found a number"),
        (r#"{"mayhap": 1, "failed": [3, 2]}"#, 25, "expected [k, n]: of n runs, k failed"),
        (r#"{"mayhap": 1, "failed": 3}"#, 25, "expected [k, n]: of n runs, k failed"),
    ] {
        let error = Script::read(&spec(), header).expect_err(header);
        assert_eq!((error.line, error.column, error.message.as_str()), (1, column, message), "{header}");
    }
}

/// References in the place of the number, key or tag of a request, with the message of the error.
const BAD_REFERENCES: &[(&str, &str)] = &[
    (r#"{"Add": {"$ref": "2@Sum", "was": "x"}}"#, "at .Add: expected int, found the string \"x\""),
    (r#"{"Add": {"$ref": "2@Summ", "was": 1}}"#, "KvAnswer has no part 2@Summ"),
    (r#"{"Add": {"$ref": "2@Sum#1", "was": 1}}"#, "KvAnswer has no part 2@Sum#1"),
    (r#"{"Add": {"$ref": "2@Ok@tag", "was": 1}}"#, "2@Ok@tag is of type option<KvTag>, expected int"),
    (r#"{"Add": {"$ref": "4@Sum", "was": 1}}"#, "expected a reference to an earlier message: message 4 comes later"),
    (r#"{"Add": {"$ref": "0@Sum", "was": 1}}"#, "expected a reference to an earlier message: message 0 is not there"),
    (r#"{"Add": {"$ref": "x", "was": 1}}"#, "expected a reference such as \"4@Ok@tag\", found \"x\""),
    (
        r#"{"Keys": {"$ref": "1@Many", "was": [], "plus": 1}}"#,
        "only to an integer a number can be added, and set<string> is none",
    ),
    (r#"{"Add": {"$ref": "2@Sum"}}"#, "at .Add: expected int, found an object"),
    (r#"{"Add": {"$ref": "2@Sum", "was": 1, "now": 2}}"#, "at .Add: expected int, found an object"),
    (
        r#"{"Add": {"$ref": "2@Sum", "was": 1, "via": "both"}}"#,
        "the specification has no function `both` of one parameter that chooses nothing",
    ),
    (
        r#"{"Add": {"$ref": "2@Sum", "was": 1, "via": "drawn"}}"#,
        "the specification has no function `drawn` of one parameter that chooses nothing",
    ),
    (r#"{"Add": {"$ref": "2@Ok@tag", "was": 1, "via": "next"}}"#, "2@Ok@tag is of type option<KvTag>, expected int"),
    (
        r#"{"Add": {"$ref": "2@Ok@tag", "was": 1, "via": "strong"}}"#,
        "the result of strong is of type option<KvTag>, expected int",
    ),
    (
        r#"{"Keys": [{"$ref": "1@Get@key", "was": "a"}]}"#,
        "a reference cannot stand for an element of a set, nor for a key",
    ),
    (
        r#"{"Raw": [{"$ref": "1@Get@key", "was": "a"}]}"#,
        "at .Raw[0]: a reference cannot stand for a part of a `json`: put one in the place of the whole",
    ),
];

#[test]
fn references_that_do_not_fit_are_refused() {
    let before = text(&[line(r#"{"n": 1, "c": 1, "q": GET, "a": OK}"#)]);
    for (request, message) in BAD_REFERENCES {
        let error =
            Script::read(&spec(), &format!("{before}{{\"n\": 3, \"c\": 1, \"q\": {request}}}\n")).expect_err(request);
        assert_eq!((error.line, error.message.as_str()), (3, *message), "{request}");
        assert!(error.column > 20, "{error}");
    }
}

/// The messages of a run; those with odd labels are requests.
fn messages(of: &[(u64, &str)]) -> Messages {
    let spec = spec();
    let mut messages = Messages::new(&spec);
    for (label, text) in of {
        let (kind, ty) = match label % 2 {
            1 => (MessageKind::Request, spec.program.request),
            _ => (MessageKind::Response, spec.program.response),
        };
        messages.push(*label, kind, crate::json::decode(&spec.types, ty, text).unwrap());
    }
    messages
}

#[test]
fn templates_become_requests() {
    let tag = r#"{"Ok": {"value": "x", "tag": {"weak": true, "opaque": "33f"}}}"#;
    let none = r#"{"Ok": {"value": "z", "tag": null}}"#;
    let put = |value: &str, tag: &str| format!(r#"{{"Put": {{"key": "a", "value": {value}, "if_match": {tag}}}}}"#);
    let by_tag = put("\"y\"", r#"{"$ref": "2@Ok@tag", "was": {"weak": false, "opaque": 1}}"#);
    let add = |to: &str| format!(r#"{{"Add": {{"$ref": "{to}", "was": 1}}}}"#);
    for (template, trace, request) in [
        (by_tag.clone(), &[(2, tag)][..], put("\"y\"", r#"{"weak": true, "opaque": "33f"}"#)),
        (by_tag.clone(), &[(2, none), (4, tag)], put("\"y\"", "null")),
        (
            by_tag.clone(),
            &[(1, "\"Ping\""), (2, "\"NotFound\""), (4, tag)],
            put("\"y\"", r#"{"weak": true, "opaque": "33f"}"#),
        ),
        (by_tag, &[(2, "\"NotFound\"")], put("\"y\"", "null")),
        (put(r#"{"$ref": "2@Ok@value", "was": "q"}"#, "null"), &[(2, tag)], put("\"x\"", "null")),
        (put(r#"{"$ref": "2@Ok@value", "was": "q", "via": "twice"}"#, "null"), &[(2, tag)], put("\"xx\"", "null")),
        (put(r#"{"$ref": "2@Ok@value", "was": "q"}"#, "null"), &[(2, "\"NotFound\"")], put("\"\"", "null")),
        (
            put("\"y\"", r#"{"$ref": "2@Ok@tag", "was": null, "via": "strong"}"#),
            &[(2, tag)],
            put("\"y\"", r#"{"weak": false, "opaque": "33f"}"#),
        ),
        (add("2@Sum"), &[(2, r#"{"Sum": 7}"#)], r#"{"Add": 7}"#.into()),
        (add("2@Sum"), &[(4, r#"{"Sum": 7}"#), (6, r#"{"Sum": 8}"#)], r#"{"Add": 7}"#.into()),
        (add("2@Sum"), &[], r#"{"Add": 0}"#.into()),
        (r#"{"Add": {"$ref": "2@Sum", "was": 1, "plus": -2}}"#.into(), &[(2, r#"{"Sum": 7}"#)], r#"{"Add": 5}"#.into()),
        (
            r#"{"Many": [{"$ref": "2@All#3", "was": "q"}, {"$ref": "2@All#1", "was": "q"}]}"#.into(),
            &[(2, r#"{"All": ["a", "b"]}"#)],
            r#"{"Many": ["a", "a"]}"#.into(),
        ),
        (
            r#"{"Raw": {"$ref": "2@Ok@tag", "was": 1}}"#.into(),
            &[(2, tag)],
            r#"{"Raw": {"opaque": "33f", "weak": true}}"#.into(),
        ),
        (r#"{"$ref": "2", "was": "Ping"}"#.into(), &[(2, "\"NotFound\"")], "\"Ping\"".into()),
        (r#"{"$ref": "2", "was": "Ping"}"#.into(), &[(1, "\"Ping\""), (2, "\"NotFound\"")], "\"Ping\"".into()),
        (r#"{"$ref": "1", "was": "Ping"}"#.into(), &[(1, r#"{"Add": 5}"#)], r#"{"Add": 5}"#.into()),
    ] {
        let spec = spec();
        let before = text(&[line(r#"{"n": 1, "c": 1, "q": GET, "a": OK}"#)]);
        let read = format!("{before}{{\"n\": 7, \"c\": 1, \"q\": {template}}}");
        let script = Script::read(&spec, &read).unwrap_or_else(|error| panic!("{}", error.render("s")));
        let Some(ScriptStep::Ask { request: read, .. }) = script.steps.last() else { panic!() };
        let sent = read.instantiate(&messages(trace));
        assert_eq!(crate::json::encode(&spec.types, spec.program.request, &sent), request, "{template} {trace:?}");
        // A sent request keeps its references.
        let recorded = read.sent_as(&spec.types, spec.program.request, sent.clone());
        assert_eq!((&recorded.references, &recorded.value), (&read.references, &sent));
    }
}

#[test]
fn plans_wait_for_the_answers_before() {
    let lines = [
        r#"{"n": 1, "c": 1, "q": "Ping", "a": "NoContent"}"#,
        r#"{"n": 3, "c": 1, "q": "Ping", "a": "NoContent"}"#,
        r#"{"wait": 1}"#,
        r#"{"n": 5, "c": 1, "q": "Ping"}"#,
        r#"{"n": 7, "c": 2, "q": "Ping"}"#,
        r#"{"n": 8, "c": 2, "a": "NoContent"}"#,
        r#"{"wait": 0.5}"#,
        r#"{"together": [9, 11], "offset_ms": [0, 500]}"#,
        r#"{"n": 9, "c": 2, "q": "Ping"}"#,
        r#"{"n": 11, "c": 3, "q": "Ping"}"#,
        r#"{"restart": true}"#,
        r#"{"n": 13, "c": 3, "q": "Ping"}"#,
    ]
    .map(str::to_owned);
    let plan = Script::read(&spec(), &text(&lines)).unwrap().plan();
    let asks = plan.asks.iter().map(|ask| (ask.label, ask.after.clone(), ask.delay, ask.barrier, ask.restart));
    let expected = [
        (1, vec![], 0.0, None, false),
        (3, vec![1], 0.0, None, false),
        (5, vec![3], 1.0, None, false),
        (7, vec![3], 0.0, None, false),
        (9, vec![7], 0.5, Some(1), false),
        (11, vec![7], 1.0, Some(1), false),
        (13, vec![7], 0.0, None, true),
    ];
    assert_eq!(asks.collect::<Vec<_>>(), expected);
}

#[test]
fn a_script_is_a_trace() {
    let lines = [
        r#"{"wait": 1}"#,
        r#"{"n": 1, "c": 1, "q": GET, "a": OK}"#,
        r#" { "together" : [3, 5]}"#,
        r#"{"n": 3, "c": 1, "q": {"Add": {"$ref": "2@Sum", "was": 5, "via": "next"}}}"#,
        r#"{"n": 5, "c": 2, "q": {"Many": ["a", {"$ref": "1@Get@key", "was": "a"}]}}"#,
        r#"{"n": 4, "c": 1, "a": {"Ok": {"$any": null}}}"#,
    ]
    .map(line);
    let spec = spec();
    let script = text(&lines);
    let mut events = Events::open(&spec, script.as_bytes(), crate::trace::TraceFormat::Ndjson, Default::default());
    let mut read = Vec::new();
    while let Some(event) = events.next_event().unwrap_or_else(|error| panic!("{}", error.render("s"))) {
        let mut line = String::new();
        let answer = matches!(event.kind, crate::trace::EventKind::Answer(_));
        let ty = if answer { spec.program.response } else { spec.program.request };
        let mut types = [ty, spec.program.response].into_iter();
        event.write(&mut line, &mut |out, value| {
            crate::json::encode_into(out, &spec.types, types.next().unwrap(), value);
        });
        read.push((event.line, line));
    }
    let expected = [
        (3, line(r#"{"c": 1, "q": GET, "a": OK}"#)),
        (5, r#"{"c": 1, "q": {"Add": 5}}"#.to_owned()),
        (6, r#"{"c": 2, "q": {"Many": ["a", "a"]}}"#.to_owned()),
        (7, r#"{"c": 1, "a": {"Ok": {"value": {"$any": null}, "tag": {"$any": null}}}}"#.to_owned()),
    ];
    assert_eq!(read, expected);
}
