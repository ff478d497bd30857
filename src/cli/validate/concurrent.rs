//! `mayhap validate --net tcp`: traces of concurrent clients.
//!
//! Without `--net`, a recording is of this network if its first event is no whole exchange: `{"c": 1, "q": 5}`.

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

/// The format of a trace, by what of it has arrived.
pub fn sniffed_format(input: &mut impl BufRead) -> TraceFormat {
    TraceFormat::sniffed(input.fill_buf().unwrap_or_default())
}

/// The network that a trace was recorded on, by the lines that have arrived. A script is of TCP, as its requests may overlap later. For other
/// traces the first event decides; restarts are passed over.
pub fn sniffed(input: &mut impl BufRead, format: TraceFormat) -> NetworkChoice {
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

/// The first line of a trace that says what it is of, by what of it has arrived.
pub fn sniffed_header(input: &mut impl BufRead, format: TraceFormat) -> Option<Header> {
    if format != TraceFormat::Ndjson {
        return None;
    }
    let mut reader = TraceReader::new(input.fill_buf().unwrap_or_default());
    // A mistake in it, or in what follows, is reported when the trace is read.
    _ = reader.next_line();
    reader.header().cloned()
}

/// Tests whether the first line is the header of a script: it names a cause or a system.
fn is_script(arrived: &[u8]) -> bool {
    let begin = arrived.trim_ascii_start();
    let line = begin.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let Ok(JsonTree::Object(members)) = JsonTree::read(str::from_utf8(line).unwrap_or_default()) else { return false };
    let has = |key: &str| members.iter().any(|(name, _)| name == key);
    has("mayhap") && (has("cause") || has("sut"))
}

/// The way in which a trace comes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HistoryArrival {
    /// It is all there.
    Whole,
    /// It may still be written: a rejection is reported when it happens.
    EventByEvent,
}

/// A trace that is read.
pub struct HistorySource<'t> {
    /// Its name in messages.
    pub name: &'t str,
    /// The way in which it comes.
    pub arrival: HistoryArrival,
    /// Its format.
    pub format: TraceFormat,
    /// The rules of that.
    pub recorded: &'t RecordedAs,
}

/// The things that a trace says besides its events.
pub struct TraceNotes {
    /// The first line, which says what the trace is of, if it has one.
    pub header: Option<Header>,
    /// A note on what its reader passed over, if it did.
    pub passed_over: Option<String>,
    /// True if something was answered, or nothing is left of the trace by the rules of its format.
    pub is_tested: bool,
}

impl TraceNotes {
    /// Those of a trace that was read; the error, if there is nothing to judge, is ready to be shown.
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

/// Reads a trace of concurrent clients, its first events or all; the error is ready to be shown.
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

/// Judges a history of a network on which nothing overtakes anything on its connection: the report of it, without evidence, and how it
/// was judged.
pub fn judge(
    (spec, net): (&Arc<Spec>, NetworkChoice),
    history: History,
    name: &str,
    options: &Options,
) -> (TraceReport, ConcurrentEvidence) {
    let started = Instant::now();
    let evidence = ConcurrentEvidence::of((spec, net), history, options);
    let elapsed_ms = started.elapsed().as_millis() as u64;
    let judge = &evidence.judged.judge;
    let stats = Stats { elapsed_ms, events: evidence.history.len() as u64, ..Stats::of(judge) };
    (TraceReport::new(spec, name.to_owned(), judge, stats), evidence)
}

/// Draws a history.
///
/// # Errors
/// The order in which it was served does not replay.
pub fn draw(evidence: &ConcurrentEvidence, spec: &Arc<Spec>, report: &TraceReport) -> Result<DrawnTrace, String> {
    let ConcurrentEvidence { judged, history, net, .. } = evidence;
    let served =
        html::served(report, &mut |give| witness_of_order(spec, &Options::default(), (history, &judged.order), give))?;
    Ok(DrawnTrace::concurrent(spec, report, (&net.to_string(), &evidence.timeline()), &served))
}

/// Adds to a report why it is as it is.
///
/// # Errors
/// The witness could not be written, or evidence did not hold when it was checked.
pub fn add(
    evidence: &mut ConcurrentEvidence,
    report: &mut TraceReport,
    spec: &Arc<Spec>,
    wanted: WantedEvidence<'_>,
    budget: Budget<'_>,
) -> Result<(), String> {
    match evidence.judged.verdict.clone() {
        Verdict::Reject { event, .. } => {
            evidence.rejection(spec, (event, wanted.recheck), budget)?.add_to(report);
            Ok(())
        }
        Verdict::Accept { .. } => {
            let ConcurrentEvidence { judged, history, .. } = evidence;
            evidence::acceptance(report, spec, judged.order.len(), wanted.witness, &mut |give| {
                witness_of_order(spec, &Options::default(), (history, &judged.order), give)
            })
        }
        Verdict::Unknown { .. } | Verdict::Outside { .. } | Verdict::Fault(_) => {
            let ConcurrentEvidence { judged, history, .. } = evidence;
            evidence::add(report, judged.judge.clone(), spec, &history.exchanges(), wanted, budget)
        }
    }
}
