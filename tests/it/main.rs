//! All tests from outside: one program, as linking the library and Z3 to a program for each file would take most of the time
//! and the disk that building them takes.
//!
//! `cargo test --test it reductions::` runs the tests of `judge/reductions.rs` and `judge/network_reductions.rs`, `cargo test --test it`
//! all. A folder has the tests of one thing, and its `mod.rs` what they share; what several folders share is in the last group. Tests
//! run beside each other in this process: one that needs a process to itself asks [`alone`] for it.

// The adapters of examples share their codecs with the recorders, and each example is a module here.
#![allow(clippy::duplicate_mod)]

// The language, what is read, and what is known of unknown values.
mod language;
mod reading;
mod solve;

// Verdicts: known ones, those of what was simulated, and those that slower ways of judging come to; what is said beside them, at what cost.
mod brute_force;
mod cost;
mod evidence;
mod judge;
mod oracle;
mod paths;
mod schedules;
mod simulated;

// Choices, explored.
mod choice;

// The command.
mod command;
mod http;
mod interface;
mod served;

// Systems under test, live testing, real servers, and servers with planted bugs.
mod files;
mod live;
mod planted;
mod real;
mod sut;

// The pages for readers, the examples, the package and the tree.
mod house;

// What tests share.
mod alone;
#[allow(dead_code, reason = "its `main` is not called")]
#[path = "../../examples/alter_answer.rs"]
mod alter_answer;
mod golden;
mod programs;
mod random;
#[path = "../../examples/recorders/recorder/mod.rs"]
mod recorder;
mod shipped;
#[allow(dead_code, reason = "what only benchmarks use")]
#[path = "../../benches/workload/mod.rs"]
mod workload;
