//! An adapter for a real memcached, which passes on the requests of `mayhap test specs/memcached.may`, and the answers to them.
//!
//! ```text
//! memcached -p 11211 &
//! cargo build --release --example sut_memcached
//! mayhap test specs/memcached.may --sut 'stdio:target/release/examples/sut_memcached 11211'
//! ```

mod memcached;
#[path = "../recorders/recorder/mod.rs"]
mod recorder;

use std::process::ExitCode;

fn main() -> ExitCode {
    mayhap::sut::serve_stdio(|clients| memcached::Emptied::at(recorder::clients::address()?, clients))
}
