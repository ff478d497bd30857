//! An adapter for a real memcached: what `mayhap test specs/memcached.may` asks, it is asked, and what it answers is judged.
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
