//! Choices, explored: in Rust, and by the command in any language.

mod behaviours;
mod bugs;
mod children;
mod every_run;
mod examples;
mod explore;
mod failures;
mod panic_hook;
mod paths;
mod planted_bugs;
mod samples;
mod shrinking;
