//! Copies a recording for `specs/static_etag.may` with one answer changed, so that it must be rejected.
//!
//! A 200 becomes a 304 although the `If-None-Match` of the request has an old tag and not the current one, as if the server had
//! missed a change. An earlier answer has shown the current tag, and there was no change since. So the answer is wrong, and the
//! rejection has a reason that a reader can follow from line to line.
//!
//! ```text
//! cargo run --features recorders --bin flip_answer -- nginx.ndjson flipped.ndjson
//! ```
//!
//! Exit codes: 0 flipped, 2 wrong usage, an unreadable recording, or none of its answers fits.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use serde_json::{Value, json};

/// Copy a recording for specs/static_etag.may with one answer changed, so that it must be rejected.
#[derive(Parser)]
struct Arguments {
    /// The recording
    recording: PathBuf,
    /// Where the changed copy goes
    copy: PathBuf,
}

/// A changed answer.
pub struct Flip {
    /// The line of the answer in the trace, from 1.
    pub line: usize,
    /// The line whose answer showed the file's current tag.
    pub shown: usize,
}

impl fmt::Display for Flip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Flip { line, shown } = self;
        write!(f, "line {line} now answers NotModified to an old tag; the file's tag is the one on line {shown}")
    }
}

/// The tags that the trace has shown so far.
#[derive(Default)]
struct Shown {
    /// The tag of each file that was shown since its last change, with the line that showed it.
    current: HashMap<String, (Value, usize)>,
    /// All tags that were ever shown.
    tags: HashSet<String>,
}

/// Changes one answer in the middle of `trace`; `None` if no answer fits.
pub fn flip(trace: &str) -> Option<(String, Flip)> {
    let mut flips = possible_flips(trace);
    let middle = flips.len() / 2;
    let chosen = if flips.is_empty() { return None } else { flips.swap_remove(middle) };
    let lines = trace.lines().enumerate().map(|(index, line)| {
        let flipped = if index + 1 == chosen.line { not_modified(line) } else { None };
        flipped.unwrap_or_else(|| line.to_owned()) + "\n"
    });
    Some((lines.collect(), chosen))
}

/// The lines whose answers can be flipped, in order.
fn possible_flips(trace: &str) -> Vec<Flip> {
    let mut shown = Shown::default();
    let mut flips = Vec::new();
    for (index, text) in trace.lines().enumerate() {
        let Ok(event) = serde_json::from_str::<Value>(text) else { continue };
        let line = index + 1;
        if let Some(earlier) = must_not_be_304(&event, &shown) {
            flips.push(Flip { line, shown: earlier });
        }
        follow(&event, line, &mut shown);
    }
    flips
}

/// The line that showed the current tag of a file, for a GET that has only old tags; `None` for any other request.
fn must_not_be_304(event: &Value, shown: &Shown) -> Option<usize> {
    event["a"].get("Ok")?;
    let get = event["q"].get("Get")?;
    let (tag, line) = shown.current.get(get["path"].as_str()?)?;
    let asked = get["if_none_match"].get("OneOf")?.as_array()?;
    let is_old =
        |asked: &Value| asked["opaque"] != *tag && asked["opaque"].as_str().is_some_and(|tag| shown.tags.contains(tag));
    asked.iter().all(is_old).then_some(*line)
}

/// Notes a shown tag, and forgets the tag of a file that changes.
fn follow(event: &Value, line: usize, shown: &mut Shown) {
    let Some((kind, request)) = event["q"].as_object().and_then(|request| request.iter().next()) else { return };
    let Some(path) = request["path"].as_str() else { return };
    if kind != "Get" {
        shown.current.remove(path);
    } else if let Some(tag) = event["a"]["Ok"]["tag"].get("opaque") {
        shown.current.insert(path.to_owned(), (tag.clone(), line));
        shown.tags.extend(tag.as_str().map(str::to_owned));
    }
}

fn not_modified(line: &str) -> Option<String> {
    let mut event: Value = serde_json::from_str(line).ok()?;
    event["a"] = json!({"NotModified": {"tag": null}});
    Some(event.to_string())
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(flip) => {
            eprintln!("flip_answer: {flip}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("flip_answer: {message}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<Flip, String> {
    let Arguments { recording, copy } = arguments;
    let trace = fs::read_to_string(recording).map_err(|error| format!("{}: {error}", recording.display()))?;
    let (flipped, flip) = flip(&trace).ok_or_else(|| format!("{}: no answer fits", recording.display()))?;
    fs::write(copy, flipped).map_err(|error| format!("{}: {error}", copy.display()))?;
    Ok(flip)
}
