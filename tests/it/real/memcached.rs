//! A real memcached is recorded: what it answered is accepted from an empty and from an unknown start, and with one answer
//! altered it is rejected, but for a few copies of which a witness says why they are allowed.
//!
//! The recorder is the one in `examples/recorders/memcached`, called as a function. Where memcached is not installed the tests
//! say so and do nothing, except with `CI=true`, where they fail.

#[path = "../../../examples/recorders/memcached/record/mod.rs"]
pub mod record;

use crate::real::Server;
use record::Memcached;

/// The kept recording is `record_memcached --seed 2 --requests 1500 --waits 0`.
#[rustfmt::skip]
const SERVER: Server = Server {
    spec: "memcached",
    kept: include_str!("../../data/recorded/memcached.ndjson"),
    kinds: &[
        "Get Values", "Gets Values", "Set Stored", "Set unseen", "Add Stored", "Add NotStored", "Replace Stored",
        "Replace NotStored", "Append Stored", "Append NotStored", "Prepend Stored", "Prepend NotStored", "Cas Stored",
        "Cas Exists", "Cas NotFound", "Delete Deleted", "Delete NotFound", "Incr Number", "Incr NotANumber",
        "Incr BadDelta", "Decr Number", "Touch Touched", "Touch NotFound", "FlushAll Ok",
    ],
    altered: 3_000,
};

#[test]
fn ten_thousand_commands_are_accepted_and_altered_answers_are_rejected() {
    SERVER.check_whole::<Memcached>();
}

#[test]
fn a_recording_that_begins_in_the_middle_is_judged_from_an_unknown_start() {
    SERVER.check_middle::<Memcached>();
}

#[test]
fn the_kept_recording_is_accepted_from_either_start() {
    SERVER.check_kept();
}
