//! `mayhap validate --net tcp`: traces of concurrent clients.
//!
//! Without `--net`, a recording is taken to be of this network if its first event is no whole exchange: `{"c": 1, "q": 5}`.

use super::evidence::{self, WantedEvidence};
use super::html;
use crate::cli::arguments::recording::RecordedAs;
use mayhap::evidence::{Budget, witness_of_order};
use mayhap::judge::{Options, Verdict};
use mayhap::network::NetworkChoice;
use mayhap::report::history::DrawnTrace;
use mayhap::report::{Stats, TraceReport};
use mayhap::script::JsonTree;
use mayhap::search::History;
use mayhap::session::ConcurrentEvidence;
use mayhap::spec::Spec;
use mayhap::trace::{EventKind, Header, TraceFormat, TraceReader};
use mayhap::validate::{Events, history};
use std::io::BufRead;
use std::sync::Arc;
use std::time::Instant;

/// The format of a trace, judged by the bytes that have arrived.
pub fn sniffed_format(input: &mut impl BufRead) -> TraceFormat {
    TraceFormat::sniffed(input.fill_buf().unwrap_or_default())
}

/// The network of a trace, judged by the lines that have arrived. Scripts have TCP, as their requests may overlap later. For
/// other traces the first event that is no restart decides.
pub fn sniffed_network(input: &mut impl BufRead, format: TraceFormat) -> NetworkChoice {
    if format != TraceFormat::Ndjson {
        return NetworkChoice::TCP;
    }
    let arrived = input.fill_buf().unwrap_or_default();
    if is_script(arrived) {
        return NetworkChoice::TCP;
    }
    let mut reader = TraceReader::new(arrived);
    loop {
        return match reader.next_line() {
            Ok(Some(line)) if matches!(line.event.kind, EventKind::Restart) => continue,
            Ok(Some(line)) if !matches!(line.event.kind, EventKind::Exchange { .. }) => NetworkChoice::TCP,
            Ok(_) | Err(_) => NetworkChoice::SYNC,
        };
    }
}

/// The first line of a trace, which names its specification, judged by the bytes that have arrived.
pub fn sniffed_header(input: &mut impl BufRead, format: TraceFormat) -> Option<Header> {
    if format != TraceFormat::Ndjson {
        return None;
    }
    let mut reader = TraceReader::new(input.fill_buf().unwrap_or_default());
    // An error in this line, or after it, is reported when the trace is read.
    _ = reader.next_line();
    reader.header().cloned()
}

/// Tests whether the first line is the header of a script, as it names a cause or a system.
fn is_script(arrived: &[u8]) -> bool {
    let begin = arrived.trim_ascii_start();
    let line = begin.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let Ok(JsonTree::Object(members)) = JsonTree::read(str::from_utf8(line).unwrap_or_default()) else { return false };
    let has = |key: &str| members.iter().any(|(name, _)| name == key);
    has("mayhap") && (has("cause") || has("sut"))
}

/// The way in which a trace arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HistoryArrival {
    /// The whole trace is there.
    Whole,
    /// The trace may still be growing, so a rejection is reported as soon as it happens.
    EventByEvent,
}

/// A trace that is being read.
pub struct HistorySource<'t> {
    /// The name of the trace in messages.
    pub name: &'t str,
    /// The way in which the history arrives.
    pub arrival: HistoryArrival,
    /// The format of the trace.
    pub format: TraceFormat,
    /// The options of the format.
    pub recorded: &'t RecordedAs,
}

/// The information that comes with a trace besides its events.
pub struct TraceNotes {
    /// The first line, which names the specification, if there is one.
    pub header: Option<Header>,
    /// A note on entries that the reader skipped, if any.
    pub passed_over: Option<String>,
    /// Set if something was answered, or if the trace has no events after the rules of its format.
    pub is_tested: bool,
}

impl TraceNotes {
    /// The notes on a trace that was read. It is an error if there is nothing to judge; the error is ready to be shown.
    pub fn of<R: BufRead>(events: &Events<R>, name: &str, is_empty: bool) -> Result<TraceNotes, String> {
        let passed_over = events.passed_over();
        if is_empty && events.is_blank() {
            let passed_over = passed_over.map(|what| format!(" ({what})")).unwrap_or_default();
            return Err(format!("error: {name}: no events, so nothing was tested{passed_over}\n"));
        }
        let passed_over = passed_over.map(|what| format!("note: {name}: {what}\n"));
        let is_tested = is_empty || events.is_answered();
        Ok(TraceNotes { header: events.header().cloned(), passed_over, is_tested })
    }
}

/// Reads a trace of concurrent clients, all of it or its first events. An error is ready to be shown.
pub fn read(
    spec: &Arc<Spec>,
    input: &mut impl BufRead,
    source: &HistorySource<'_>,
    first: Option<usize>,
) -> Result<(History, TraceNotes), String> {
    let HistorySource { name, format, recorded, .. } = *source;
    let mut events = Events::open(spec, input, format, recorded.rules(Some(spec))?);
    let history = history(spec, &mut events, first).map_err(|error| error.render(name))?;
    let notes = TraceNotes::of(&events, name, history.is_empty())?;
    Ok((history, notes))
}

/// The report, without evidence, of a history that was judged from this moment on.
pub fn report(spec: &Arc<Spec>, evidence: &ConcurrentEvidence, name: &str, started: Instant) -> TraceReport {
    let elapsed_ms = started.elapsed().as_millis() as u64;
    let judge = &evidence.judged.judge;
    let stats = Stats { elapsed_ms, events: evidence.history.recorded(), ..Stats::of(judge) };
    TraceReport::new(spec, name.to_owned(), judge, stats).named(evidence.history.places())
}

/// Draws a history.
///
/// # Errors
/// The witness does not replay.
pub fn draw(evidence: &ConcurrentEvidence, spec: &Arc<Spec>, report: &TraceReport) -> Result<DrawnTrace, String> {
    let ConcurrentEvidence { judged, history, net, .. } = evidence;
    let served =
        html::served(report, &mut |give| witness_of_order(spec, &Options::default(), history, &judged.order, give))?;
    Ok(DrawnTrace::concurrent(spec, report, &net.to_string(), &evidence.timeline(), &served))
}

/// Adds evidence to a report.
///
/// # Errors
/// The witness could not be written, or evidence did not hold in a second judgement.
pub fn add(
    evidence: &mut ConcurrentEvidence,
    report: &mut TraceReport,
    spec: &Arc<Spec>,
    wanted: WantedEvidence<'_>,
    budget: Budget<'_>,
) -> Result<(), String> {
    match evidence.judged.verdict.clone() {
        Verdict::Reject { event, .. } => {
            evidence.rejection(spec, event, wanted.recheck, budget)?.add_to(report);
            Ok(())
        }
        Verdict::Accept { .. } => {
            let ConcurrentEvidence { judged, history, .. } = evidence;
            evidence::acceptance(report, spec, judged.order.len(), wanted.witness, &mut |give| {
                witness_of_order(spec, &Options::default(), history, &judged.order, give)
            })
        }
        Verdict::Unknown { .. } | Verdict::Outside { .. } | Verdict::Fault(_) => {
            let ConcurrentEvidence { judged, history, .. } = evidence;
            evidence::add(report, judged.judge.clone(), spec, &history.exchanges(), wanted, budget)
        }
    }
}
