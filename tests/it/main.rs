//! All tests from outside: one program, as linking the library and Z3 to a program for each file would take most of the time
//! and the disk that building them takes.
//!
//! `cargo test --test it reductions::` runs the tests of `reductions.rs`, `cargo test --test it` all. What several files share is
//! in the last group. Tests run beside each other in this process: one that needs a process to itself asks [`alone`] for it.

// The adapters of examples share their codecs with the recorders, and each example is a module here.
#![allow(clippy::duplicate_mod)]

// The language: what is read, checked, printed and said of it.
mod check;
mod diagnostic;
mod language_doc;
mod passes;
mod specs;
mod syntax;

// Traces and values, as bytes.
mod bytes;
mod plain_lines;

// Terms, and the solver of what is not known.
mod sets;
mod solve;
mod term;
mod text;

// Verdicts that are known.
mod conformance;
mod histories;
mod library;
mod mutate;
mod network_specs;
mod session;
mod session_random;
mod simulated;
mod simulated_clients;
mod simulated_networks;
mod simulated_tasks;
mod unknown_start;

// Verdicts, compared with those of a slow judge that tries all choices, and with those of the plain algorithm.
mod altered_answers;
mod hidden_states;
mod network_reductions;
mod optional_elements;
mod oracle_itself;
mod oracle_rules;
mod random_evidence;
mod random_programs;
mod random_restarts;
mod random_served;
mod random_tasks;
mod random_worlds;
mod reductions;
mod schedules;
mod small_worlds;

// What a verdict says for itself.
mod conflicts;
mod eliminated_variables;
mod evidence;
mod rejections;
mod reports;

// What it costs, counted.
mod cost;
mod words;

// Choices, explored.
mod choice;
mod choice_bugs;
mod choice_examples;
mod choice_failures;
mod choice_hook;
mod choice_sampled;
mod choice_shrink;

// The command.
mod bad_input;
mod behaviours;
mod campaign_reports;
mod cli;
mod cli_judging;
mod compressed;
mod dualize;
mod explore;
mod explore_children;
mod har;
mod history_page;
mod http_forms;
mod http_planted;
mod http_testing;
mod http_wire;
mod openapi;
mod peers_testing;
mod serve;
mod serve_talking;
mod transcripts;
mod watch;

// Systems under test.
mod sut;
mod tls;
mod waits;
// Live testing.
mod coverage;
mod formulations;
mod generate;
mod requests;

// Real servers, recorded.
mod memcached;
mod nginx;
mod redis;
mod redis_crash;

// Servers with planted bugs.
mod live_testing;
mod planted;

// The pages for readers, the examples, the package and the tree.
mod examples;
mod house;
mod package;
mod tutorial;

// What tests share.
mod alone;
#[allow(dead_code, reason = "its `main` is not called")]
#[path = "../../examples/alter_answer.rs"]
mod alter_answer;
mod asynchronous;
mod bugs;
mod command;
mod golden;
mod http;
mod judge;
mod oracle;
mod programs;
mod random;
mod real;
#[path = "../../examples/recorders/recorder/mod.rs"]
mod recorder;
mod served;
mod shipped;
#[allow(dead_code, reason = "what only benchmarks use")]
#[path = "../../benches/workload/mod.rs"]
mod workload;
