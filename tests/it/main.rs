//! All tests from outside: one program, as linking the library and Z3 to a program for each file would take most of the time
//! and the disk that building them takes.
//!
//! `cargo test --test it switches::` runs the tests of `switches.rs`, `cargo test --test it` all. What several files share is
//! in the last group. Tests run beside each other in this process: one that needs a process to itself asks [`alone`] for it.

// The language: what is read, checked, printed and said of it.
mod check;
mod diagnostic;
mod language_doc;
mod specs;
mod syntax;

// Traces and values, as bytes.
mod bytes;
mod plain_lines;

// Terms, and the solver of what is not known.
mod beyond;
mod names;
mod solve;
mod term;
mod text;

// Verdicts that are known.
mod conformance;
mod library;
mod long_traces;
mod simulated;
mod unknown_start;

// Verdicts, compared with those of a slow judge that tries all choices, and with those of the plain algorithm.
mod hidden_states;
mod optional_elements;
mod oracle_itself;
mod oracle_rules;
mod random_programs;
mod random_served;
mod random_steps;
mod random_tasks;
mod random_worlds;
mod small_worlds;
mod switches;
mod text_programs;

// What a verdict says for itself.
mod evidence;
mod rejections;
mod reports;

// What it costs, counted.
mod effort;
mod hidden;
mod holes;
mod many_keys;
mod witness_cost;
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
mod cli;
mod cli_judging;
mod dualize;
mod explore;
mod explore_children;
mod serve;

// Real servers, recorded.
mod memcached;
mod nginx;
mod redis;

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
mod bugs;
mod command;
mod http;
mod judge;
mod oracle;
mod random;
mod real;
#[path = "../../examples/recorder/mod.rs"]
mod recorder;
mod served;
mod shipped;
