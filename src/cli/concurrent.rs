//! `mayhap validate --net tcp`: traces of concurrent clients.
//!
//! Who does not say which network it is gets this one where the first event is no whole exchange: `{"c": 1, "q": 5}`.

use super::evidence::{self, Recheck, WantedEvidence};
use super::html;
use super::recording::RecordedAs;
use mayhap::dualize::{Options, Verdict};
use mayhap::evidence::{AnswerConflict, Budget, Minimality, OtherAnswers, check_conflict, conflict, witness_of_order};
use mayhap::json::RawJson;
use mayhap::network::NetworkChoice;
use mayhap::report::conflict::{FoundConflict, explain, impossible};
use mayhap::report::history::DrawnTrace;
use mayhap::report::{ConcurrentReason, Stats, TraceReport};
use mayhap::schedule::{self, History, JudgedHistory, Timeline};
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

/// The network of which a trace is, by its first event that is no restart, as far as that has arrived.
pub fn sniffed(input: &mut impl BufRead, format: TraceFormat) -> NetworkChoice {
    if format != TraceFormat::Ndjson {
        return NetworkChoice::TCP;
    }
    let arrived = input.fill_buf().unwrap_or_default();
    let mut reader = TraceReader::new(arrived);
    loop {
        return match reader.next_line() {
            Ok(Some(line)) if matches!(line.event.kind, EventKind::Restart) => continue,
            Ok(Some(line)) if !matches!(line.event.kind, EventKind::Exchange { .. }) => NetworkChoice::TCP,
            Ok(_) | Err(_) => NetworkChoice::SYNC,
        };
    }
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
    /// The first line, which says what the trace is of, where it has one.
    pub header: Option<Header>,
    /// A note on what its reader passed over, where it did.
    pub passed_over: Option<String>,
}

impl TraceNotes {
    /// Those of a trace that was read; the error, where there is nothing to judge, is ready to be shown.
    pub fn of<R: BufRead>(events: &Events<R>, name: &str, is_empty: bool) -> Result<TraceNotes, String> {
        let counts = events.jepsen_counts();
        if is_empty && counts.is_none_or(|counts| counts.is_empty()) {
            return Err(format!("error: {name}: no events, so nothing was tested\n"));
        }
        let passed_over = counts.and_then(|counts| counts.passed_over()).map(|what| format!("note: {name}: {what}\n"));
        Ok(TraceNotes { header: events.header().cloned(), passed_over })
    }
}

/// A judged history, of which evidence is looked for.
pub struct ConcurrentEvidence {
    /// Its judgement.
    pub judged: JudgedHistory,
    history: History,
    net: NetworkChoice,
    /// The lines of the answers that cannot all be true, once they are known.
    conflict: Vec<u64>,
}

/// Reads a trace of concurrent clients, its first events or all; the error is ready to be shown.
pub fn read(
    spec: &Arc<Spec>,
    input: &mut impl BufRead,
    source: &HistorySource<'_>,
    first: Option<usize>,
) -> Result<(History, TraceNotes), String> {
    let HistorySource { name, format, recorded, .. } = *source;
    let mut events = Events::open(spec, input, format, recorded.rules());
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
    let judged = schedule::judge(spec, &history, options);
    let elapsed_ms = started.elapsed().as_millis() as u64;
    let stats = Stats { elapsed_ms, events: history.len() as u64, ..Stats::of(&judged.judge) };
    let report = TraceReport::new(spec, name.to_owned(), &judged.judge, stats);
    (report, ConcurrentEvidence { judged, history, net, conflict: Vec::new() })
}

impl ConcurrentEvidence {
    /// The history as a picture of it needs it, with its conflict where that was found.
    pub fn timeline(&self) -> Timeline {
        Timeline { conflict: self.conflict.clone(), ..self.history.timeline(&self.judged) }
    }

    /// Draws it.
    ///
    /// # Errors
    /// The order in which it was served does not replay.
    pub fn draw(&self, spec: &Arc<Spec>, report: &TraceReport) -> Result<DrawnTrace, String> {
        let served = html::served(report, &mut |give| {
            witness_of_order(spec, &Options::default(), (&self.history, &self.judged.order), give)
        })?;
        Ok(DrawnTrace::concurrent(spec, report, (&self.net.to_string(), &self.timeline()), &served))
    }

    /// Adds to a report why it is as it is.
    ///
    /// # Errors
    /// The witness could not be written, or evidence did not hold when it was checked.
    pub fn add(
        &mut self,
        report: &mut TraceReport,
        spec: &Arc<Spec>,
        wanted: WantedEvidence<'_>,
        budget: Budget<'_>,
    ) -> Result<(), String> {
        match self.judged.verdict.clone() {
            Verdict::Reject { event, .. } => self.rejection(report, spec, (event, wanted.recheck), budget),
            Verdict::Accept { .. } => {
                let order = &self.judged.order;
                evidence::acceptance(report, spec, order.len(), wanted.witness, &mut |give| {
                    witness_of_order(spec, &Options::default(), (&self.history, order), give)
                })
            }
            Verdict::Unknown { .. } | Verdict::Outside { .. } | Verdict::Fault(_) => {
                evidence::add(report, self.judged.judge.clone(), spec, &self.history.exchanges(), wanted, budget)
            }
        }
    }

    fn rejection(
        &mut self,
        report: &mut TraceReport,
        spec: &Arc<Spec>,
        (event, recheck): (u64, Recheck),
        budget: Budget<'_>,
    ) -> Result<(), String> {
        let under_way = self.history.under_way(event);
        let mut reason = ConcurrentReason { under_way: under_way.clone(), ..ConcurrentReason::default() };
        if !self.history.is_answer(event) {
            report.explanation = vec![impossible(&self.history, event)];
            report.concurrent = Some(reason);
            return Ok(());
        }
        let found = conflict(spec, &self.history, &mut self.judged, budget);
        let timeline = self.timeline();
        let said = found.as_ref().map(|(conflict, others)| FoundConflict { conflict, others: others.as_ref() });
        report.explanation = explain(spec, &timeline, said, &under_way);
        if let Some((conflict, others)) = found {
            report.reason = conflict.lines.split_last().map(|(_, others)| others.to_vec());
            fill(&mut reason, &conflict, others);
            if recheck == Recheck::Yes {
                let outcome = check_conflict(spec, &self.history, &conflict);
                report.explanation.push(evidence::judged_again(outcome, conflict.minimal)?.to_owned());
            }
            self.conflict = conflict.lines;
        }
        report.concurrent = Some(reason);
        Ok(())
    }
}

/// Takes up what was found of a conflict.
fn fill(reason: &mut ConcurrentReason, conflict: &AnswerConflict, others: Option<OtherAnswers>) {
    reason.any_state_before = conflict.any_state_before;
    reason.reason_from = conflict.all_from;
    reason.minimal = Some(conflict.minimal == Minimality::Minimal);
    reason.possible_are_all = others.as_ref().map(|others| !others.more);
    reason.possible = others.map(|others| others.json).unwrap_or_default().into_iter().map(RawJson).collect();
}
