//! Traces of networks that are judged while they are read.
//!
//! As long as no two requests are under way together, the network does not matter, and a trace costs as much as one of a single
//! client. If requests overlap, a trace that is still growing is judged event by event, so that a rejection is reported when it
//! happens. A complete trace is judged as a whole, with its later answers known.

use super::concurrent::{HistoryArrival, HistorySource, TraceNotes};
use crate::cli::terminal::progress::ProgressLine;
use mayhap::judge::{Options, Verdict};
use mayhap::network::NetworkChoice;
use mayhap::report::{Stats, TraceReport};
use mayhap::search::OnlineHistory;
use mayhap::session::{EngineKind, is_order};
use mayhap::spec::Spec;
use mayhap::trace::TraceFormat;
use mayhap::validate::{Events, each_happening};
use std::io::BufRead;
use std::sync::Arc;
use std::time::Instant;

/// The outcome of judging a trace while it is read.
pub enum Streamed {
    /// The trace was judged up to its end, or to a rejection.
    Judged(Box<StreamedReport>),
    /// The trace was judged up to the event with this number, which is too hard to judge by itself.
    TooHard(usize),
    /// The trace must be judged as a whole, as requests overlap, or something is wrong.
    Whole,
}

/// The report of a trace that was judged while it was read, without evidence.
pub struct StreamedReport {
    /// The report.
    pub report: TraceReport,
    /// The verdict.
    pub verdict: Verdict,
    /// The notes on the trace.
    pub notes: TraceNotes,
    /// The number of events up to the rejected one, if one was rejected.
    pub rejected: Option<usize>,
}

/// The way of judging a trace while it is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Streaming {
    /// One exchange after another, as long as no requests overlap.
    Alone,
    /// Event by event.
    AtOnce,
}

/// The way of judging a trace of a network while it is read; `None` if it must be judged as a whole.
pub fn streaming(spec: &Arc<Spec>, net: NetworkChoice, source: &HistorySource<'_>) -> Option<Streaming> {
    if source.arrival == HistoryArrival::EventByEvent && EngineKind::of(spec, net) == EngineKind::Order {
        return Some(Streaming::AtOnce);
    }
    let is_same = net.is_like_tcp(1) && net.connections().is_none() && is_order(&spec.for_networks());
    (source.format == TraceFormat::Ndjson && is_same).then_some(Streaming::Alone)
}

/// Judges a trace while it is read.
///
/// # Errors
/// A line is no event; the message is ready to be shown.
pub fn judge(
    spec: &Arc<Spec>,
    streaming: Streaming,
    input: &mut impl BufRead,
    source: &HistorySource<'_>,
    options: &Options,
    progress: &ProgressLine,
) -> Result<Streamed, String> {
    let started = Instant::now();
    let mut events = Events::open(spec, input, source.format, source.recorded.rules(Some(spec))?);
    let mut session = OnlineHistory::new(spec, options.clone());
    let (mut count, mut recorded, mut last) = (0, 0, 0);
    let mut verdict = Some(Verdict::Accept { warning: None });
    let read = each_happening(&mut events, &mut |line, happened| {
        count += 1;
        // A request and its answer may be one event.
        recorded += u64::from(line > last);
        last = line;
        progress.tick(count as u64);
        verdict = session.push(line, happened);
        let goes_on = streaming == Streaming::AtOnce || session.is_alone();
        goes_on && verdict.as_ref().is_some_and(Verdict::is_accept)
    });
    let is_explained = verdict == Some(Verdict::Accept { warning: None });
    if streaming == Streaming::Alone && !(read.is_ok() && count > 0 && session.is_alone() && is_explained) {
        // The error in the trace is found again when it is judged as a whole.
        return Ok(Streamed::Whole);
    }
    read.map_err(|error| error.render(source.name))?;
    let notes = TraceNotes::of(&events, source.name, count == 0)?;
    let rejected = matches!(verdict, Some(Verdict::Reject { .. })).then_some(count);
    if !is_explained && rejected.is_none() {
        return Ok(Streamed::TooHard(count));
    }
    let judge = session.into_judge();
    let elapsed_ms = started.elapsed().as_millis() as u64;
    let stats = Stats { elapsed_ms, events: recorded, ..Stats::of(&judge) };
    let report = TraceReport::new(spec, source.name.to_owned(), &judge, stats).named(&events.places());
    let streamed = StreamedReport { report, verdict: judge.verdict(), notes, rejected };
    Ok(Streamed::Judged(Box::new(streamed)))
}
