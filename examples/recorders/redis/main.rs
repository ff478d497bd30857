//! Records the answers of a real Redis, as a trace for `specs/redis_strings.may`.
//!
//! The program starts its own Redis on the loopback interface, and stops it at its end, however it ends. It sends random string
//! commands over one connection, on a few keys.
//!
//! ```text
//! cargo run --features recorders --bin record_redis -- --out redis.ndjson --seed 1 --requests 10000
//! mayhap validate specs/redis_strings.may redis.ndjson
//! cargo run --features recorders --bin record_redis -- --out middle.ndjson --skip 5000
//! mayhap validate specs/redis_strings.may middle.ndjson --set FRESH=false
//! ```
//!
//! Exit codes: 0 recorded, 2 wrong usage or unwritable output, 4 no Redis, or it did not do its part.

mod record;
#[path = "../recorder/mod.rs"]
mod recorder;

use std::process::ExitCode;

use clap::Parser;

use recorder::{Out, Settings};

/// Record what a real Redis answers: a trace for specs/redis_strings.may.
#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    out: Out,
    #[command(flatten)]
    settings: Settings,
}

fn main() -> ExitCode {
    let Arguments { out, settings } = Arguments::parse();
    recorder::finish::<record::Redis>("record_redis", &out.out, &settings)
}
