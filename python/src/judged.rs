//! Recordings that are judged as `mayhap validate` does, from a file or from events in memory.
//!
//! The options are those of the command: `["--net", "tcp"]`.

use crate::cli::arguments::{Arguments, Command, Validate};
use crate::cli::terminal::progress::ProgressLine;
use crate::cli::validate::Judged as JudgedTrace;
use crate::errors::Kind;
use crate::text;
use crate::working;
use clap::Parser;
use indicatif::ProgressDrawTarget;
use mayhap::Spec;
use mayhap::diagnostic::Colour;
use mayhap::judge::Verdict;
use mayhap::limits::end;
use mayhap::report::history::page::page;
use mayhap::report::{self, text as words};
use mayhap::session::{OpenAt, RecordingSource, TracePart};
use pyo3::prelude::*;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::PathBuf;
use std::sync::Arc;

/// The name of events in memory.
const EVENTS: &str = "events";

/// A recording with its verdict.
#[pyclass(frozen, get_all, module = "mayhap._mayhap")]
pub struct Judged {
    /// `accept`, `reject`, `unknown`, `outside` or `fault`.
    kind: &'static str,
    /// The line that decided.
    line: Option<u64>,
    /// What the command prints.
    text: String,
    /// The explanation, line by line.
    explanation: Vec<String>,
    /// The report in JSON.
    json: String,
    /// The page, if it was asked for.
    html: Option<String>,
}

/// A recording to be judged.
pub enum Source {
    /// A file, or `-`.
    File(PathBuf),
    /// Lines in memory.
    Lines(Arc<[u8]>),
}

/// Judges a recording.
///
/// # Errors
/// The recording cannot be judged, or the options are none.
pub fn judge(py: Python<'_>, spec: &Arc<Spec>, source: Source, options: &[String]) -> PyResult<Judged> {
    let options = parsed(options).map_err(|why| Kind::Usage.error(py, &why))?;
    let spec = spec.clone();
    let judged = working::run(py, move || judged(&spec, &source, &options))?;
    judged.map_err(|why| Kind::Trace.error(py, &why))
}

/// The options of `mayhap validate`.
fn parsed(options: &[String]) -> Result<Validate, String> {
    let words = ["mayhap", "validate", "SPEC", "RECORDING"].into_iter().chain(options.iter().map(String::as_str));
    match Arguments::try_parse_from(words).map_err(|error| complaint(&error))?.command {
        Command::Validate(options) => Ok(options),
        _ => Err("these are no options of validate".to_owned()),
    }
}

/// What is wrong with the options, without the ways to the command's help.
fn complaint(error: &clap::Error) -> String {
    let said = error.to_string();
    let is_of_command = |part: &&str| part.starts_with("Usage:") || part.contains("'--help'");
    said.split("\n\n").filter(|part| !is_of_command(part)).collect::<Vec<_>>().join("\n\n")
}

fn judged(spec: &Arc<Spec>, source: &Source, options: &Validate) -> Result<Judged, String> {
    let progress = ProgressLine::on(ProgressDrawTarget::hidden(), &[]);
    let (mut judged, proof) = match source {
        Source::File(path) => JudgedTrace::of(spec, path, options, &progress).map_err(with_array)?,
        Source::Lines(lines) => {
            let memory = Box::new(MemorySource::new(lines.clone()));
            let judged = JudgedTrace::of_source(spec, (EVENTS, memory), false, options, &progress);
            judged.map_err(|why| in_events(&why, lines))?
        }
    };
    judged.find_evidence(proof, options, None)?;
    let report = &judged.recording.report;
    let fault = report::fault(spec, &report.places, &judged.recording.verdict);
    let fault = fault.map(|fault| spec.sources.render(&fault, Colour::Never) + "\n").unwrap_or_default();
    let note = judged.note.as_deref().unwrap_or_default();
    let stats = if options.stats { format!("  {}\n", words::stats(&report.stats)) } else { String::new() };
    Ok(Judged {
        kind: kind(&judged.recording.verdict),
        line: report.event.map(|event| report.places.line(event)),
        text: format!("{note}{}{}{stats}{fault}", words::verdict(report), words::explanation(report)),
        explanation: report.explanation.clone(),
        json: report::json::report(report),
        html: judged.drawn.take().map(|drawn| page(&[drawn])),
    })
}

/// The verdict as a word.
pub fn kind(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Accept { .. } => "accept",
        Verdict::Reject { .. } => "reject",
        Verdict::Unknown { .. } => "unknown",
        Verdict::Outside { .. } => "outside",
        Verdict::Fault(_) => "fault",
    }
}

/// The error on a line, as one of the event that the line stands for.
fn in_events(why: &str, lines: &[u8]) -> String {
    let place = why.split_once("--> events:").and_then(|(_, rest)| rest.lines().next());
    let Some(place) = place else { return why.to_owned() };
    let mut numbers = place.split(':').map(|number| number.parse::<usize>().unwrap_or_default());
    let (line, column) = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
    let text = lines.split(|byte| *byte == b'\n').nth(line.saturating_sub(1)).unwrap_or_default();
    let text = String::from_utf8_lossy(text);
    let (way, found) = text::at(&text, column.saturating_sub(1));
    let named = format!("--> events[{}]{way}", line.saturating_sub(1));
    why.replace(&format!("--> events:{place}"), &named) + &text::hint(found)
}

/// The error of a file; if it has an array of events, with the way to give them.
fn with_array(mut why: String) -> String {
    if why.contains("expected an event, found an array") {
        why.push_str("help: or give the events themselves, spec.validate(json.load(file))\n");
    }
    why
}

/// Events in memory as the source of a recording.
struct MemorySource {
    lines: Arc<[u8]>,
    input: BufReader<Interruptible>,
}

/// Bytes whose reading ends when the work is to end.
struct Interruptible(Cursor<Arc<[u8]>>);

/// The number of bytes that are read at once.
const AT_ONCE: usize = 1 << 16;

impl MemorySource {
    fn new(lines: Arc<[u8]>) -> MemorySource {
        MemorySource { input: reader(&lines, 0), lines }
    }
}

fn reader(lines: &Arc<[u8]>, from: u64) -> BufReader<Interruptible> {
    let mut bytes = Cursor::new(lines.clone());
    bytes.set_position(from);
    BufReader::with_capacity(AT_ONCE, Interruptible(bytes))
}

impl Read for Interruptible {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if end::is_stopped() { Err(io::Error::other("interrupted")) } else { self.0.read(buffer) }
    }
}

impl RecordingSource for MemorySource {
    fn input(&mut self) -> &mut dyn BufRead {
        &mut self.input
    }

    fn forget(&mut self) {}

    fn size(&self) -> Option<u64> {
        Some(self.lines.len() as u64)
    }

    fn anew(&mut self, _: TracePart) -> Result<Box<dyn BufRead>, String> {
        Ok(Box::new(reader(&self.lines, 0)))
    }

    fn reopened(self: Box<Self>) -> OpenAt {
        Box::new(move |bytes| Ok(Box::new(reader(&self.lines, bytes))))
    }
}
