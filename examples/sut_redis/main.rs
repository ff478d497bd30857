//! An adapter for a real Redis: what `mayhap test specs/redis_strings.may` asks, it is asked, and what it answers is judged.
//!
//! ```text
//! redis-server --port 6379 &
//! cargo build --release --example sut_redis
//! mayhap test specs/redis_strings.may --sut 'stdio:target/release/examples/sut_redis 6379'
//! ```
//!
//! `examples/sut_redis.py` is the same in Python.

#[path = "../recorders/recorder/mod.rs"]
mod recorder;
mod redis;

use std::process::ExitCode;

fn main() -> ExitCode {
    mayhap::sut::serve_stdio(|_clients| redis::Emptied::at(recorder::clients::address()?))
}
