//! The library as its users meet it: types of their own in, verdicts and errors as values out.

use std::collections::BTreeMap;
use std::thread;

use mayhap::details::{Doubt, Observed};
use mayhap::{Options, Spec, Trace, Validator, Verdict, evidence, validate};
use serde::Serialize;

const GUESS: &str = include_str!("../../../specs/cmp_rst.may");
const KV: &str = include_str!("../../../specs/kv_etag.may");

fn validator(text: &str) -> Validator {
    Validator::new(&Spec::from_text(text).unwrap())
}

/// A hole, as it stands in a trace.
#[derive(Serialize)]
struct Any {
    #[serde(rename = "$any")]
    any: (),
}

const ANY: Any = Any { any: () };

#[derive(Serialize)]
struct Tag {
    weak: bool,
    opaque: &'static str,
}

#[derive(Serialize)]
enum Request {
    Get { key: &'static str, if_none_match: Option<Tag> },
    Put { key: &'static str, value: &'static str, if_match: Option<Tag> },
}

#[derive(Serialize)]
enum Response {
    Ok { value: &'static str, tag: Option<Tag> },
    NotModified,
    NoContent,
}

#[test]
fn own_types_are_queries_and_answers() {
    let mut validator = validator(KV);
    let tag = |opaque| Some(Tag { weak: false, opaque });
    let get = |if_none_match| Request::Get { key: "k", if_none_match };
    assert!(validator.observe(&Request::Put { key: "k", value: "v", if_match: None }, &Response::NoContent).unwrap());
    assert!(validator.observe(&get(None), &Response::Ok { value: "v", tag: tag("t") }).unwrap());
    assert!(validator.observe(&get(tag("t")), &Response::NotModified).unwrap());
    assert!(!validator.observe(&get(tag("u")), &Response::NotModified).unwrap());
    assert_eq!(validator.verdict(), Verdict::Reject { event: 4, event_from: None });
}

#[test]
fn what_an_answer_told_of_an_entry_is_known_at_once() {
    let mut validator = validator(KV);
    let is_known = |validator: &Validator| validator.judge().candidates()[0].process.memory[0].is_known();
    let get = |if_none_match| Request::Get { key: "k", if_none_match };
    let tag = || Some(Tag { weak: false, opaque: "t" });
    assert!(validator.observe(&Request::Put { key: "k", value: "v", if_match: None }, &Response::NoContent).unwrap());
    assert!(!is_known(&validator), "the tag was not told yet");
    assert!(validator.observe(&get(tag()), &Response::NotModified).unwrap());
    assert!(!is_known(&validator), "whether the tag is weak was not told yet");
    assert!(validator.observe(&get(None), &Response::Ok { value: "v", tag: tag() }).unwrap());
    assert!(is_known(&validator));
    assert!(!validator.observe(&get(None), &Response::Ok { value: "v", tag: None }).unwrap());
}

#[test]
fn maps_tuples_and_missing_options_are_as_serde_writes_them() {
    let spec = "struct Q { m: map<string, int>, pair: (int, bool), note: option<string> }
        protocol p { request Q; response list<int>; on q { reply [q.m.get_or(\"a\", 0), q.pair.0]; } }";
    let spec = spec.replace("q.pair.0", "if q.pair is (x, true) { x } else { 0 }");
    #[derive(Serialize)]
    struct Q {
        m: BTreeMap<&'static str, u8>,
        pair: (i8, bool),
    }
    let mut validator = validator(&spec);
    let q = Q { m: BTreeMap::from([("a", 7)]), pair: (-1, true) };
    assert!(validator.observe(&q, &[7, -1]).unwrap());
    assert!(!validator.observe(&q, &[7, 0]).unwrap());
}

#[test]
fn a_value_of_another_type_is_an_error_and_nothing_is_observed() {
    let mut validator = validator(GUESS);
    for error in [
        validator.observe("five", &1).unwrap_err(),
        validator.observe(&5, &None::<i32>).unwrap_err(),
        validator.observe(&5.5, &1).unwrap_err(),
        validator.observe(&vec![5], &1).unwrap_err(),
        validator.observe_unanswered(&true, Observed::Lost).unwrap_err(),
    ] {
        let message = &error.message;
        assert!(message.contains("expected int") || message.contains("whole number"), "{message}");
        let _: &dyn std::error::Error = &error;
    }
    assert_eq!(validator.counts().events, 0);
    assert!(validator.verdict().is_accept());
    let error = self::validator(KV).observe(&BTreeMap::from([("Gte", 1)]), &"NotFound").unwrap_err();
    assert!(error.message.contains("Get"), "{error}");
}

#[test]
fn what_is_wrong_with_a_specification_is_told() {
    let error = Spec::from_text("protocol p { request int; response int; on q { reply qq; } }").unwrap_err();
    assert_eq!(error.diagnostics.len(), 1);
    assert!(error.to_string().contains("qq") && error.to_string().contains('^'), "{error}");
    let _: &dyn std::error::Error = &error;
    assert!(Spec::from_text("use other;").unwrap_err().to_string().contains("other"));
    assert!(Spec::from_text("").is_err());
}

#[test]
fn a_hole_in_an_answer_fits_everything() {
    let mut validator = validator(GUESS);
    assert!(validator.observe_unanswered(&5, Observed::Any).unwrap());
    assert!(validator.observe(&3, &0).unwrap());
    assert!(validator.observe(&1_000_000, &0).unwrap());
    assert!(!validator.observe(&1_000_000, &1).unwrap());
}

#[test]
fn a_hole_in_json_is_one_too() {
    let trace = "{\"q\": 5, \"a\": {\"$any\": null}}\n{\"q\": 3, \"a\": 0}\n{\"q\": 2, \"a\": 1}\n";
    let spec = Spec::from_text(GUESS).unwrap();
    let mut validator = Validator::new(&spec);
    validate::judge(&mut validator, &mut mayhap::reading::Exchanges::new(&spec, trace.as_bytes())).unwrap();
    assert_eq!(validator.verdict(), Verdict::Reject { event: 3, event_from: None });
    assert!(serde_json::to_string(&ANY).unwrap() == "{\"$any\":null}");
}

#[test]
fn a_lost_request_may_have_had_its_effect_or_not() {
    for (answer, accepted) in [(0, true), (1, true)] {
        let mut validator = validator(GUESS);
        validator.observe_unanswered(&5, Observed::Lost).unwrap();
        assert_eq!(validator.observe(&3, &answer).unwrap(), accepted);
    }
    let mut validator = validator(include_str!("../../../specs/cmp_set.may"));
    validator.observe_unanswered(&5, Observed::Lost).unwrap();
    assert!(validator.observe(&5, &1).unwrap());
    assert!(!validator.observe(&5, &1).unwrap());
}

#[test]
fn no_answer_is_owed_or_is_an_event() {
    let silent = "protocol p { request int; response int; on q { if q > 0 { reply q; } } }";
    let mut validator = validator(silent);
    assert!(validator.observe_unanswered(&0, Observed::Nothing).unwrap());
    assert!(!validator.observe_unanswered(&1, Observed::Nothing).unwrap());
    assert_eq!(validator.verdict(), Verdict::Reject { event: 2, event_from: None });
}

#[test]
fn a_rejection_stays() {
    let mut validator = validator(GUESS);
    for (query, answer) in [(5, 1), (3, 0), (2, 1)] {
        validator.observe(&query, &answer).unwrap();
    }
    let rejected = Verdict::Reject { event: 3, event_from: None };
    assert_eq!(validator.verdict(), rejected);
    for query in 0..5 {
        assert!(!validator.observe(&query, &0).unwrap());
        assert_eq!(validator.verdict(), rejected);
    }
}

#[test]
fn integers_are_unbounded() {
    let mut validator = validator("protocol p { request int; response int; on q { reply q + 1; } }");
    assert!(validator.observe(&u64::MAX, &18_446_744_073_709_551_616_u128).unwrap());
    assert!(validator.observe("-99999999999999999999999999", "-99999999999999999999999998").unwrap());
    let (nines, power) = ("9".repeat(10_000), format!("1{}", "0".repeat(10_000)));
    assert!(validator.observe(nines.as_str(), power.as_str()).unwrap());
    assert!(!validator.observe(power.as_str(), nines.as_str()).unwrap());
}

#[test]
fn validators_work_in_threads() {
    fn is_send<T: Send>(_: &T) {}
    let spec = Spec::from_text(GUESS).unwrap();
    let judged = |answer: i32| {
        let mut validator = Validator::new(&spec);
        is_send(&validator);
        thread::scope(|scope| {
            scope
                .spawn(move || {
                    validator.observe(&5, &1).unwrap();
                    validator.observe(&3, &0).unwrap();
                    validator
                })
                .join()
                .unwrap()
        })
        .observe(&2, &answer)
        .unwrap()
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|at| scope.spawn(move || (at, judged(at % 2)))).collect();
        for thread in threads {
            let (at, accepted) = thread.join().unwrap();
            assert_eq!(accepted, at % 2 == 0);
        }
    });
}

#[test]
fn evidence_is_data() {
    let spec = Spec::from_text(GUESS).unwrap();
    let trace = |answers: &[(i32, i32)]| {
        let mut trace = Trace::new(&spec);
        answers.iter().for_each(|(query, answer)| trace.push(query, answer).unwrap());
        trace
    };
    let rejected = trace(&[(5, 1), (3, 0), (2, 1), (7, 7)]);
    assert_eq!(rejected.judge(), Verdict::Reject { event: 3, event_from: None });
    let why = rejected.reason().unwrap();
    assert_eq!(why.because, [2]);
    let again = evidence::check_reason(&spec, &Options::default(), &rejected.exchanges()[..3], &why.reason);
    assert_eq!(again, evidence::Rechecked::Holds);
    assert_eq!(rejected.witness().unwrap_err(), evidence::WitnessError::NotAccepted);
    let accepted = trace(&[(5, 1), (3, 0)]);
    assert!(accepted.judge().is_accept());
    assert_eq!(accepted.witness().unwrap().steps.len(), 2);
    assert!(accepted.reason().is_none());
}

#[test]
fn a_trace_is_read_or_gathered() {
    let spec = Spec::from_text(GUESS).unwrap();
    let read = Trace::read(&spec, "{\"q\": 5, \"a\": 1}\n\n{\"q\": 4, \"lost\": true}\n".as_bytes()).unwrap();
    let mut gathered = Trace::new(&spec);
    gathered.push(&5, &1).unwrap();
    gathered.push_unanswered(&4, Observed::Lost).unwrap();
    let seen =
        |trace: &Trace| trace.exchanges().iter().map(|e| (e.request.clone(), e.observed.clone())).collect::<Vec<_>>();
    assert_eq!(seen(&read), seen(&gathered));
    assert!(gathered.push(&"five", &1).unwrap_err().message.contains("int"));
    assert_eq!(gathered.exchanges().len(), 2);
    let error = Trace::read(&spec, "{\"q\": 5, \"a\": 1}\n{\"q\": 5, \"a\": \"one\"}\n".as_bytes()).unwrap_err();
    assert!(error.render("trace").contains("trace:2"), "{}", error.render("trace"));
    assert!(Trace::new(&spec).judge().is_accept());
}

#[test]
fn doubt_says_why() {
    let product = "protocol p { request int; response bool;
        var x: int = choose; var y: int = choose; var z: int = choose;
        on q { reply x * x * x + y * y * y + z * z * z == q; } }";
    let Ok(spec) = Spec::from_text(product) else { return };
    let mut validator = Validator::new(&spec);
    validator.observe(&114, &true).unwrap();
    match validator.verdict() {
        Verdict::Unknown { doubt: Doubt::Solver(why), .. } => assert!(why.to_string().contains("condition"), "{why}"),
        other => panic!("{other:?}"),
    }
}

/// Cubes of unknown numbers are too hard; once one of them is known, they are not.
#[test]
fn doubt_goes_where_a_later_answer_decides() {
    let cubes = "enum Request { Sum, A, B }
        protocol cubes { request Request; response int; var a: int = choose; var b: int = choose;
            on Sum { assume a * a * a + b * b * b == 15170835645; reply 0; }
            on A { reply a; }
            on B { reply b; }
        }";
    let spec = Spec::from_text(cubes).unwrap();
    let judged = |b: i64| {
        let mut validator = Validator::new(&spec);
        validator.observe("Sum", &0).unwrap();
        assert!(matches!(validator.verdict(), Verdict::Unknown { doubt: Doubt::Solver(_), .. }));
        validator.observe("A", &2468).unwrap();
        assert!(validator.verdict().is_accept(), "{:?}", validator.verdict());
        validator.observe("B", &b).unwrap();
        validator.verdict()
    };
    assert!(judged(517).is_accept());
    assert_eq!(judged(518), Verdict::Reject { event: 3, event_from: None });
}
