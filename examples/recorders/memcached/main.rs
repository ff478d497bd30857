//! Records the answers of a real memcached, as a trace for `specs/memcached.may`.
//!
//! The program starts its own memcached on the loopback interface, and stops it at its end, however it ends. It sends random
//! commands of the text protocol over one connection, on a few keys.
//!
//! ```text
//! cargo run --features recorders --bin record_memcached -- --out memcached.ndjson --seed 1 --requests 10000
//! mayhap validate specs/memcached.may memcached.ndjson
//! cargo run --features recorders --bin record_memcached -- --out middle.ndjson --skip 5000
//! mayhap validate specs/memcached.may middle.ndjson --set FRESH=false
//! ```
//!
//! Exit codes: 0 recorded, 2 wrong usage or unwritable output, 4 no memcached, or it did not do its part.

mod record;
#[path = "../recorder/mod.rs"]
mod recorder;

use std::process::ExitCode;

use clap::Parser;

use recorder::{Out, Settings};

/// Record what a real memcached answers: a trace for specs/memcached.may.
#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    out: Out,
    #[command(flatten)]
    settings: Settings,
}

fn main() -> ExitCode {
    let Arguments { out, settings } = Arguments::parse();
    recorder::finish::<record::Memcached>("record_memcached", &out.out, &settings)
}
