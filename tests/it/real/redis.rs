//! A real Redis is recorded: what it answered is accepted from an empty and from an unknown start, and with one answer
//! altered it is rejected, but for a few copies of which a witness says why they are allowed.
//!
//! The recorder is the one in `examples/recorders/redis`, called as a function. Where Redis is not installed the tests
//! say so and do nothing, except with `CI=true`, where they fail.

#[path = "../../../examples/recorders/redis/record/mod.rs"]
pub mod record;

use crate::real::Server;
use record::Redis;

/// The kept recording is `record_redis --seed 2 --requests 1500 --waits 0`.
#[rustfmt::skip]
const SERVER: Server = Server {
    spec: "redis_strings",
    kept: include_str!("../../data/recorded/redis.ndjson"),
    kinds: &[
        "Get Text", "Set Ok", "SetNx Number", "GetSet Text", "Incr Number", "Incr NotAnInteger", "Incr Overflow",
        "Decr Number", "Decr NotAnInteger", "Append Number", "Strlen Number", "Del Number", "Exists Number",
        "Expire Number", "Persist Number", "Ttl Number", "FlushAll Ok",
    ],
    altered: 10_000,
};

#[test]
fn ten_thousand_commands_are_accepted_and_altered_answers_are_rejected() {
    SERVER.check_whole::<Redis>();
}

#[test]
fn a_recording_that_begins_in_the_middle_is_judged_from_an_unknown_start() {
    SERVER.check_middle::<Redis>();
}

#[test]
fn the_kept_recording_is_accepted_from_either_start() {
    SERVER.check_kept();
}
