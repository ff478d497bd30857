//! Records the answers of a real nginx while its files change, as a trace for `specs/static_etag.may`.
//!
//! The program starts its own nginx on the loopback interface, with a scratch directory for its files, logs and configuration,
//! and stops it at its end, however it ends. It asks for files over one persistent HTTP/1.1 connection, with and without
//! `If-None-Match`, and changes them in between; each change is an exchange of its own. The seed drives the clock that gives
//! files their times, so one seed always gives the same trace.
//!
//! ```text
//! cargo run --features recorders --bin record_nginx -- --out nginx.ndjson --seed 1 --requests 5000
//! mayhap validate specs/static_etag.may nginx.ndjson
//! ```
//!
//! Exit codes: 0 recorded, 2 wrong usage or unwritable output, 4 no nginx, or it did not do its part.

mod record;
#[path = "../recorder/mod.rs"]
mod recorder;

use std::process::ExitCode;

use clap::Parser;

use recorder::{Out, Settings};

/// Record what a real nginx answers while its files change: a trace for specs/static_etag.may.
#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    out: Out,
    /// What decides the requests and the changes; the same seed gives the same trace
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// How many exchanges are recorded: requests, and changes of files
    #[arg(long, value_name = "N", default_value_t = 5000)]
    requests: u64,
}

fn main() -> ExitCode {
    let Arguments { out, seed, requests } = Arguments::parse();
    let settings = Settings { seed, requests, ..Settings::default() };
    recorder::finish::<record::Nginx>("record_nginx", &out.out, &settings)
}
