//! A real memcached is recorded: what it answered is accepted from an empty and from an unknown start, and with one answer
//! altered it is rejected, but for a few copies of which a witness says why they are allowed.
//!
//! The recorder is the one in `examples/record_memcached`, called as a function. Where memcached is not installed the tests
//! say so and do nothing, except with `CI=true`, where they fail.

#[path = "../../examples/record_memcached/record/mod.rs"]
mod record;

use crate::real::{Start, accepted, first_lines, judge_altered, last_lines, recording, spec};
use crate::recorder::Settings;
use record::Memcached;

const SPEC: &str = "memcached.may";
/// The recording that is kept: `record_memcached --seed 2 --requests 1500 --waits 0`.
const KEPT: &str = include_str!("../data/recorded/memcached.ndjson");
/// Settings of the recorder, but for the seed.
const SETTINGS: Settings = Settings { seed: 1, requests: 10_000, skip: 0, keys: 8, waits: 1 };

/// Each command with an answer that is often told of it, and with one that is not.
const KINDS: [(&str, &str); 24] = [
    ("Get", "Values"),
    ("Gets", "Values"),
    ("Set", "Stored"),
    ("Set", "unseen"),
    ("Add", "Stored"),
    ("Add", "NotStored"),
    ("Replace", "Stored"),
    ("Replace", "NotStored"),
    ("Append", "Stored"),
    ("Append", "NotStored"),
    ("Prepend", "Stored"),
    ("Prepend", "NotStored"),
    ("Cas", "Stored"),
    ("Cas", "Exists"),
    ("Cas", "NotFound"),
    ("Delete", "Deleted"),
    ("Delete", "NotFound"),
    ("Incr", "Number"),
    ("Incr", "NotANumber"),
    ("Incr", "BadDelta"),
    ("Decr", "Number"),
    ("Touch", "Touched"),
    ("Touch", "NotFound"),
    ("FlushAll", "Ok"),
];

#[test]
fn ten_thousand_commands_are_accepted_and_altered_answers_are_rejected() {
    let Some((trace, summary)) = recording::<Memcached>(&SETTINGS) else { return };
    assert_eq!(summary.exchanges(), SETTINGS.requests);
    for (request, answer) in KINDS {
        let count = summary.kinds.get(&(request.to_owned(), answer.to_owned()));
        assert!(count.is_some(), "no {request} was answered {answer}");
    }
    let empty = spec(SPEC, Start::Empty);
    assert!(accepted(&empty, &trace) <= 8);
    let rejected = judge_altered(&empty, &trace, 100, 1);
    assert!(rejected >= 90, "only {rejected} of 100 altered copies are rejected");
}

#[test]
fn a_recording_that_begins_in_the_middle_is_judged_from_an_unknown_start() {
    let Some((trace, _)) = recording::<Memcached>(&Settings { seed: 3, skip: 5_000, ..SETTINGS }) else { return };
    let unknown = spec(SPEC, Start::Unknown);
    assert!(accepted(&unknown, &trace) <= 8);
    // What an altered answer leaves open may stay open for long: a part of the recording will do.
    let rejected = judge_altered(&unknown, &first_lines(&trace, 3_000), 100, 2);
    assert!(rejected >= 90, "only {rejected} of 100 altered copies are rejected");
}

#[test]
fn the_kept_recording_is_accepted_from_either_start() {
    accepted(&spec(SPEC, Start::Empty), KEPT);
    accepted(&spec(SPEC, Start::Unknown), KEPT);
    accepted(&spec(SPEC, Start::Unknown), &last_lines(KEPT, 1000));
}
