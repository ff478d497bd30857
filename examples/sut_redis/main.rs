//! An adapter for a real Redis, which passes on the requests of `mayhap test specs/redis_strings.may`, and the answers to them.
//!
//! ```text
//! redis-server --port 6379 &
//! cargo build --release --example sut_redis
//! mayhap test specs/redis_strings.may --sut 'stdio:target/release/examples/sut_redis 6379'
//! ```
//!
//! `examples/sut_redis.py` is an equivalent adapter in Python.

#[path = "../recorders/recorder/mod.rs"]
mod recorder;
mod redis;

use std::process::ExitCode;

fn main() -> ExitCode {
    mayhap::sut::serve_stdio(|_clients| redis::Emptied::at(recorder::clients::address()?))
}
