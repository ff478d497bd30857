//! The common parts of the recorders and adapters of real servers: the loop, the process of the server, connections, and errors.
//!
//! A recorder is a [`Subject`]: a real server, a connection to it, and a source of requests. [`record`] takes a request from it,
//! lets it send the request and learn from the answer, and writes both down:
//!
//! ```text
//! {"mayhap":1,"spec":"redis_strings","note":"Redis 7.0.15, seed 1"}
//! {"q":{"Incr":{"key":"a"}},"a":{"Number":1}}
//! ```

#![allow(dead_code)] // each recorder uses a part of it

pub mod clients;
pub mod connection;
pub mod keys;
pub mod server;
mod summary;
mod trouble;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

pub use summary::Summary;
pub use trouble::{Program, Trouble};

/// What a recording depends on, besides the server that is installed.
#[derive(Args, Clone, Debug)]
pub struct Settings {
    /// What decides the requests
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// How many exchanges are recorded
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub requests: u64,
    /// How many exchanges happen before, unrecorded: the recording then begins in the middle
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub skip: u64,
    /// How many keys are in use
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub keys: usize,
    /// How often a short time to live is waited for; each takes a second or two
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub waits: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { seed: 1, requests: 10_000, skip: 0, keys: 8, waits: 2 }
    }
}

/// A real server, with a connection to it and the source of requests.
pub trait Subject: Sized {
    /// The request, which serialises to the specification's request.
    type Request: Serialize;
    /// The answer, which serialises to the specification's answer.
    type Answer: Serialize;
    /// The name of the specification.
    const SPEC: &'static str;

    /// Starts a fresh server, and connects to it.
    fn start(settings: &Settings) -> Result<Self, Trouble>;
    /// The version, as the server names it.
    fn version(&self) -> String;
    /// Draws the next request.
    fn next_request(&mut self) -> Result<Self::Request, Trouble>;
    /// Sends the request; `None` if it asks for no answer.
    fn perform(&mut self, request: &Self::Request) -> Result<Option<Self::Answer>, Trouble>;
    /// Remembers what an answer showed, for later requests.
    fn learn(&mut self, request: &Self::Request, answer: &Self::Answer);
}

/// Runs a server, and writes the trace of its answers to `out`.
///
/// # Errors
/// A [`Trouble`]; what was written before is a valid trace. The server does not outlive the call.
pub fn record<S: Subject>(settings: &Settings, out: &mut impl Write) -> Result<Summary, Trouble> {
    let mut subject = S::start(settings)?;
    let mut summary = Summary::default();
    let note = format!("{}, seed {}", subject.version(), settings.seed);
    write_line(out, &json!({"mayhap": 1, "spec": S::SPEC, "note": note}))?;
    for number in 0..settings.skip + settings.requests {
        let request = subject.next_request()?;
        let answer = subject.perform(&request)?;
        if let Some(answer) = &answer {
            subject.learn(&request, answer);
        }
        if number >= settings.skip {
            let exchange = exchange(&request, answer.as_ref())?;
            summary.count(&exchange);
            write_line(out, &exchange)?;
        }
    }
    Ok(summary)
}

/// The line of a trace. An answer that nobody sees is a hole.
fn exchange(request: &impl Serialize, answer: Option<&impl Serialize>) -> Result<Value, Trouble> {
    let value = |result: serde_json::Result<Value>| result.map_err(|error| Trouble::Output(error.into()));
    let answer = answer.map_or(Ok(json!({"$any": null})), |answer| value(serde_json::to_value(answer)))?;
    Ok(json!({"q": value(serde_json::to_value(request))?, "a": answer}))
}

fn write_line(out: &mut impl Write, line: &Value) -> Result<(), Trouble> {
    writeln!(out, "{line}").map_err(Trouble::Output)
}

/// The body of a recorder's `main`: records to a file, or for `-` to standard output, and reports the result.
pub fn finish<S: Subject>(name: &str, out: &Path, settings: &Settings) -> ExitCode {
    let done = open(out).and_then(|mut out| {
        let summary = record::<S>(settings, &mut out)?;
        out.flush().map_err(Trouble::Output)?;
        Ok(summary)
    });
    match done {
        Ok(summary) => {
            eprintln!("{name}: {summary}");
            ExitCode::SUCCESS
        }
        Err(trouble) => {
            eprintln!("{name}: {trouble}");
            ExitCode::from(trouble.exit_code())
        }
    }
}

/// Opens the output of a trace: a file, or for `-` standard output.
///
/// # Errors
/// The file cannot be created.
pub fn open(path: &Path) -> Result<Box<dyn Write>, Trouble> {
    if path == Path::new("-") {
        return Ok(Box::new(BufWriter::new(io::stdout())));
    }
    let file = File::create(path).map_err(Trouble::Output)?;
    Ok(Box::new(BufWriter::new(file)))
}

/// The file of a trace as an argument.
#[derive(Args, Debug)]
pub struct Out {
    /// Where the trace goes; `-` is standard output
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub out: PathBuf,
}
