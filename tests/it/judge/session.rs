//! Sessions: the one judge from the outside.

use std::sync::Arc;

use mayhap::evidence::Budget;
use mayhap::network::NetworkChoice;
use mayhap::session::SessionEvidence;
use mayhap::{Options, Session, SessionProgress, Spec, Verdict};

fn spec(text: &str) -> Arc<Spec> {
    Spec::from_text(text).unwrap_or_else(|error| panic!("{error}"))
}

const REGISTER: &str = "enum Q { R, W(int) } enum A { V(int), Ok }
    protocol p { request Q; response A; var n: int = 0;
        on R { reply V(n); }
        on W(x) { n := x; reply Ok; } }";

/// A server that is called, so that it is judged event by event.
const PAIRED: &str = "protocol p { request int; response int; var n: int = 0;
    on q { n := n + q; yield; reply n; } }";

fn judged(spec: &Arc<Spec>, net: &str, trace: &[&str]) -> (SessionProgress, Session) {
    let net: NetworkChoice = net.parse().unwrap_or_else(|error| panic!("{error}"));
    let mut session = Session::new(spec, net, Options::default());
    for line in trace {
        session.push_line(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    }
    (session.settle(), session)
}

/// The evidence of a trace that is rejected on its last line.
fn evidence(text: &str, net: &str, trace: &[&str]) -> SessionEvidence {
    let (progress, mut session) = judged(&spec(text), net, trace);
    assert_eq!(progress, SessionProgress::Rejected(trace.len() as u64));
    let evidence = session.evidence(Budget::seconds(1.0));
    assert_eq!(evidence.line, Some(trace.len() as u64));
    evidence
}

#[test]
fn a_rejection_has_its_reason_whichever_engine_judges() {
    let sync = [r#"{"q": {"W": 5}, "a": "Ok"}"#, r#"{"q": "R", "a": {"V": 5}}"#, r#"{"q": "R", "a": {"V": 4}}"#];
    let found = evidence(REGISTER, "sync", &sync);
    assert_eq!((&found.reason[..], found.minimal), (&[1][..], true));
    assert_eq!(found.possible, [r#"{"V": 5}"#]);
    assert!(found.explanation[0].contains("line 3 answered"), "{:?}", found.explanation);
    assert!(found.places.iter().any(|place| place.text.contains("n := x")), "{:?}", found.places);
    let clients = [
        r#"{"c": 1, "q": {"W": 5}}"#,
        r#"{"c": 2, "q": "R"}"#,
        r#"{"c": 1, "a": "Ok"}"#,
        r#"{"c": 1, "q": {"W": 6}}"#,
        r#"{"c": 2, "a": {"V": 7}}"#,
    ];
    let found = evidence(REGISTER, "tcp", &clients);
    assert_eq!((&found.reason[..], found.minimal), (&[][..], true));
    assert_eq!(found.possible, [r#"{"V": 0}"#, r#"{"V": 5}"#, r#"{"V": 6}"#]);
    let tasks = [r#"{"c": 1, "q": 1}"#, r#"{"c": 2, "q": 2}"#, r#"{"c": 1, "a": 1}"#, r#"{"c": 2, "a": 1}"#];
    let found = evidence(PAIRED, "tcp", &tasks);
    assert!(found.explanation[0].contains("no run of the server"), "{:?}", found.explanation);
}

#[test]
fn the_states_of_a_session_are_those_that_explain_it() {
    for (net, trace) in [
        ("sync", &[r#"{"q": {"W": 5}, "a": "Ok"}"#][..]),
        ("tcp", &[r#"{"c": 1, "q": {"W": 5}}"#, r#"{"c": 1, "a": "Ok"}"#][..]),
        ("tcp", &[r#"{"c": 2, "q": "R"}"#, r#"{"c": 1, "q": {"W": 5}}"#, r#"{"c": 1, "a": "Ok"}"#][..]),
        ("fifo", &[r#"{"c": 1, "q": {"W": 5}}"#, r#"{"c": 1, "a": "Ok"}"#][..]),
    ] {
        let (_, session) = judged(&spec(REGISTER), net, trace);
        let states = session.states();
        assert!(states.iter().any(|state| *state == [mayhap::value::Value::from(5)]), "{net}: {states:?}");
    }
}

/// Where keys have histories of their own, the state has the entries of all keys, and of each as it is behind its last answer.
#[test]
fn the_state_of_a_session_is_one_that_its_explanation_leaves() {
    let store = "enum Q { Put { key: string, value: int }, Drop { key: string } } enum A { Ok }
        protocol p { request Q; response A; var data: map<string, int> = {};
            on Put { key, value } { data[key] := value; reply Ok; }
            on Drop { key } { data := data.remove(key); reply Ok; } }";
    let put = |client: u64, key: &str, value: u64| {
        format!(r#"{{"c": {client}, "q": {{"Put": {{"key": "{key}", "value": {value}}}}}}}"#)
    };
    let drop = |client: u64, key: &str| format!(r#"{{"c": {client}, "q": {{"Drop": {{"key": "{key}"}}}}}}"#);
    let ok = |client: u64| format!(r#"{{"c": {client}, "a": "Ok"}}"#);
    let alone = vec![put(1, "a", 1), ok(1), put(2, "b", 2), ok(2)];
    let at_once = vec![put(1, "a", 3), put(2, "c", 4), ok(2), ok(1), drop(1, "b"), ok(1)];
    for (trace, state) in [(alone.clone(), r#"{"a": 1, "b": 2}"#), ([alone, at_once].concat(), r#"{"a": 3, "c": 4}"#)] {
        let spec = spec(store);
        let trace: Vec<&str> = trace.iter().map(String::as_str).collect();
        let (progress, session) = judged(&spec, "tcp", &trace);
        assert_eq!(progress, SessionProgress::Explained);
        let known = session.state().unwrap_or_default();
        assert_eq!(mayhap::json::encode(&spec.types, spec.program.slots[0].ty, &known[0]), state);
    }
}

/// Many requests at once are too hard for small limits; behind them the state is any, and one that was under way may be served later.
#[test]
fn a_session_goes_on_behind_what_is_too_hard() {
    let spec = spec(REGISTER);
    let options = Options { effort: 400, ..Options::default() };
    for is_under_way in [false, true] {
        let mut session = Session::tcp(&spec, options.clone());
        let mut push = |line: String| session.push_line(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
        let mut progress = Vec::new();
        for client in 1..=9 {
            progress.push(push(format!(r#"{{"c": {client}, "q": {{"W": {client}}}}}"#)));
            progress.push(push(format!(r#"{{"c": {}, "q": "R"}}"#, client + 20)));
        }
        if is_under_way {
            push(r#"{"c": 40, "q": {"W": 40}}"#.to_owned());
        }
        for client in 1..=9 {
            progress.push(push(format!(r#"{{"c": {client}, "a": "Ok"}}"#)));
            progress.push(push(format!(r#"{{"c": {}, "a": {{"V": {}}}}}"#, client + 20, 10 - client)));
        }
        assert!(progress.iter().any(|progress| matches!(progress, SessionProgress::Unknown(_))), "{progress:?}");
        // It waits for a while where something is always under way.
        let mut line = |request: &str, answer: &str| {
            push(format!(r#"{{"c": 1, "q": {request}}}"#));
            push(format!(r#"{{"c": 1, "a": {answer}}}"#))
        };
        (0..40).for_each(|_| _ = line(r#"{"W": 3}"#, r#""Ok""#));
        assert_eq!(line(r#""R""#, r#"{"V": 3}"#), SessionProgress::Explained);
        let late = line(r#""R""#, r#"{"V": 40}"#);
        assert_eq!(matches!(late, SessionProgress::Rejected(_)), !is_under_way, "{late:?}");
        if is_under_way {
            assert_eq!(late, SessionProgress::Explained);
            // It was served, so that it is served no more, whatever its client sees.
            line(r#"{"W": 3}"#, r#""Ok""#);
            assert!(matches!(line(r#""R""#, r#"{"V": 40}"#), SessionProgress::Rejected(_)));
        }
        assert!(!session.unknown_parts().is_empty());
        let evidence = session.evidence(Budget::seconds(1.0));
        assert!(evidence.explanation[0].contains("whatever the state was"), "{:?}", evidence.explanation);
    }
}

/// With one request after the other there is one order, so a fault and a broken duty are known at once, and stay.
#[test]
fn a_fault_or_a_broken_duty_is_no_explanation() {
    let duty = "protocol p { request int; response int; on q { expects q >= 0; reply q; } }";
    let fault = "protocol p { request int; response int; var m: map<int, int> = {1: 1}; on q { reply m[q]; } }";
    for net in ["sync", "tcp", "fifo"] {
        let trace = |asked: i64| {
            let lines = [(1, 1), (asked, 5), (3, 0)];
            let of = |(q, a): (i64, i64)| [format!(r#"{{"c": 1, "q": {q}}}"#), format!(r#"{{"c": 1, "a": {a}}}"#)];
            lines.map(of).concat()
        };
        for (text, asked) in [(duty, -1), (fault, 2)] {
            let spec = spec(text);
            let mut session =
                Session::new(&spec, net.parse().unwrap_or_else(|error| panic!("{error}")), Options::default());
            for (at, line) in trace(asked).iter().enumerate() {
                let progress = session.push_line(line).unwrap_or_else(|error| panic!("{line}: {error}"));
                let is_over = at >= 3;
                assert_eq!(progress == SessionProgress::Explained, !is_over, "{net}, {text}, {line}: {progress:?}");
            }
            let progress = session.settle();
            match session.verdict() {
                Verdict::Outside { event, .. } if text == duty => assert_eq!(progress, SessionProgress::Outside(event)),
                Verdict::Fault(report) if text == fault => {
                    assert_eq!(progress, SessionProgress::Faulty(report.event));
                }
                verdict => panic!("{net}, {text}: {verdict:?}"),
            }
        }
    }
}

/// With one client a question that was too hard is none about orders of requests, and its place is named.
#[test]
fn what_is_too_hard_is_named_with_its_place() {
    let text = "protocol p { request int; response int; on q { let l = choose list<int>; var n = 0;
        for x in l { n := n + x; }
        assume len(l) > 20 && n != q; reply 0; } }";
    let spec = spec(text);
    for net in ["sync", "tcp"] {
        let (progress, session) = judged(&spec, net, &[r#"{"c": 1, "q": 3}"#, r#"{"c": 1, "a": 1}"#]);
        assert_eq!(progress, SessionProgress::Rejected(2));
        let (progress, session_of_0) = judged(&spec, net, &[r#"{"c": 1, "q": 3}"#, r#"{"c": 1, "a": 0}"#]);
        assert!(matches!(progress, SessionProgress::Unknown(_)), "{net}: {progress:?}");
        let said = session_of_0.too_hard().unwrap_or_default();
        assert!(!said.contains("orders") && said.contains(":2: `for x in l"), "{net}: {said}");
        assert_eq!(session.too_hard(), None);
    }
}

/// Sessions that may expire at any time, of five clients at once.
const LOGINS: [&str; 22] = [
    r#"{"c": 1, "q": {"Logout": {"token": "t1"}}}"#,
    r#"{"c": 1, "a": "Denied"}"#,
    r#"{"c": 1, "q": {"Login": {"user": "a"}}}"#,
    r#"{"c": 1, "a": {"Welcome": {"token": "t4"}}}"#,
    r#"{"c": 1, "q": {"Login": {"user": "b"}}}"#,
    r#"{"c": 2, "q": {"Login": {"user": "a"}}}"#,
    r#"{"c": 3, "q": {"Login": {"user": "a"}}}"#,
    r#"{"c": 4, "q": {"Use": {"token": "t1"}}}"#,
    r#"{"c": 1, "a": {"Welcome": {"token": "t5"}}}"#,
    r#"{"c": 3, "a": {"Welcome": {"token": "t6"}}}"#,
    r#"{"c": 4, "a": "Denied"}"#,
    r#"{"c": 2, "a": {"Welcome": {"token": "t7"}}}"#,
    r#"{"c": 2, "q": {"Use": {"token": "b"}}}"#,
    r#"{"c": 3, "q": {"Use": {"token": "b"}}}"#,
    r#"{"c": 4, "q": {"Login": {"user": "ab"}}}"#,
    r#"{"c": 5, "q": {"Logout": {"token": "t2"}}}"#,
    r#"{"c": 6, "q": {"Login": {"user": "c"}}}"#,
    r#"{"c": 3, "a": "Denied"}"#,
    r#"{"c": 4, "a": {"Welcome": {"token": "t9"}}}"#,
    r#"{"c": 6, "a": {"Welcome": {"token": "t8"}}}"#,
    r#"{"c": 2, "a": "Denied"}"#,
    r#"{"c": 5, "a": "Denied"}"#,
];

/// The answers to come tell which of the many orders a server took; event by event they are not known.
#[test]
fn all_events_together_decide_what_one_by_one_is_too_hard() {
    let spec = spec(&std::fs::read_to_string("specs/sessions.may").unwrap());
    let judged = |trace: &[String]| {
        let options = Options { effort: 20_000, ..Options::default() };
        let mut session = Session::tcp(&spec, options);
        let progress: Vec<SessionProgress> = trace.iter().map(|line| session.push_line(line).unwrap()).collect();
        let is_too_hard = progress.iter().any(|progress| matches!(progress, SessionProgress::Unknown(_)));
        (is_too_hard, session.settle(), session.verdict().is_accept())
    };
    let trace = LOGINS.map(str::to_owned);
    assert_eq!(judged(&trace), (true, SessionProgress::Explained, true));
    // One token is given twice.
    let twice = trace.map(|line| line.replace("\"t8\"", "\"t9\""));
    let (_, progress, is_accepted) = judged(&twice);
    assert!(!is_accepted && progress != SessionProgress::Explained, "{progress:?}");
}
