//! A real nginx is recorded: the recording has the right shape, is accepted, says what the kept one says, and is rejected
//! when one of its answers is flipped.
//!
//! The recorder is the one in `examples/recorders/nginx`, called as a function. Where nginx is not installed the tests say
//! so and do nothing, except with `CI=true`, where they fail.

#[allow(dead_code, reason = "its `main` is not called")]
#[path = "../../../examples/recorders/flip_answer.rs"]
mod flip_answer;
#[path = "../../../examples/recorders/nginx/record/mod.rs"]
mod record;

use std::path::Path;

use crate::judge::judge_text;
use crate::real;
use crate::recorder::Settings;
use flip_answer::flip;
use record::Nginx;
use serde_json::Value;

/// The recording that is kept: `record_nginx --seed 2 --requests 343`.
const KEPT: &str = include_str!("../../data/traces/static_etag/nginx.ndjson");
/// The same with one answer changed.
const KEPT_FLIPPED: &str = include_str!("../../data/traces/static_etag/nginx_flipped.ndjson");

/// A recording, unless nginx is missing and that is allowed.
fn recording(seed: u64, requests: u64) -> Option<String> {
    let (trace, summary) = real::recording::<Nginx>(&Settings { seed, requests, ..Settings::default() })?;
    assert_eq!(summary.exchanges(), requests);
    Some(trace)
}

/// All lines but the header, whose note names the version of nginx.
fn exchanges(trace: &str) -> Vec<Value> {
    let events = trace.lines().map(|line| serde_json::from_str(line).expect("a line of a trace is JSON"));
    events.skip(1).collect()
}

/// Whether some exchange has a request or answer with these fields on the way.
fn occurs(exchanges: &[Value], pointer: &str) -> bool {
    exchanges.iter().any(|exchange| exchange.pointer(pointer).is_some_and(|value| !value.is_null()))
}

#[test]
fn a_recording_has_its_shape() {
    let Some(trace) = recording(7, 500) else { return };
    let header: Value = serde_json::from_str(trace.lines().next().expect("a header")).expect("JSON");
    assert_eq!((&header["mayhap"], &header["spec"]), (&Value::from(1), &Value::from("static_etag")));
    let exchanges = exchanges(&trace);
    for exchange in &exchanges {
        let keys: Vec<&String> = exchange.as_object().expect("an object").keys().collect();
        assert_eq!(keys, ["q", "a"], "{exchange}");
    }
    let gets = exchanges.iter().filter(|exchange| exchange["q"].get("Get").is_some()).count();
    assert!(gets > 400, "{gets}");
    let wanted = [
        "/q/Write",
        "/q/Remove",
        "/a/Ok/tag",
        "/a/NotModified/tag",
        "/q/Get/if_none_match/OneOf/0",
        "/q/Get/if_none_match/OneOf/3",
    ];
    for pointer in wanted {
        assert!(occurs(&exchanges, pointer), "no exchange has {pointer}");
    }
    assert!(exchanges.iter().any(|exchange| exchange["q"]["Get"]["if_none_match"] == "Any"));
    assert!(exchanges.iter().any(|exchange| exchange["a"] == "NotFound"));
}

#[test]
fn a_recording_is_accepted_and_rejected_where_an_answer_is_flipped() {
    let Some(trace) = recording(11, 2000) else { return };
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/static_etag.may");
    assert_eq!(judge_text(&spec, &trace), ("accept".to_owned(), None));
    let (flipped, flip) = flip(&trace).expect("an answer fits");
    assert_eq!(judge_text(&spec, &flipped), ("reject".to_owned(), Some(flip.line as u64)));
}

#[test]
fn nginx_still_does_what_the_kept_recording_says() {
    let Some(trace) = recording(2, 343) else { return };
    assert_eq!(exchanges(&trace), exchanges(KEPT));
}

#[test]
fn the_kept_flipped_recording_is_the_flip_of_the_kept_one() {
    let (flipped, flip) = flip(KEPT).expect("an answer fits");
    assert_eq!(flipped, KEPT_FLIPPED);
    assert_eq!((flip.shown, flip.line), (216, 224));
    let changed: Vec<usize> =
        (1..).zip(KEPT.lines().zip(flipped.lines())).filter(|(_, (a, b))| a != b).map(|(line, _)| line).collect();
    assert_eq!(changed, [flip.line]);
}

#[test]
fn a_trace_without_a_fitting_answer_is_not_flipped() {
    assert!(flip("").is_none());
    assert!(flip(r#"{"q":{"Get":{"path":"/a","if_none_match":null}},"a":"NotFound"}"#).is_none());
}
