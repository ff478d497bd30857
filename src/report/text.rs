//! A report for people: the verdict on the first line, then its explanation.
//!
//! For example `t.ndjson: reject at line 3`, followed by the possible answers and the reason.

use super::{Forked, Stats, TraceReport};
use crate::choice::counted;

/// The length of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Length {
    /// The verdict, on one line.
    Line,
    /// The verdict and its explanation.
    Whole,
}

/// The report, with the end of its last line.
#[must_use]
pub fn report(report: &TraceReport, length: Length) -> String {
    match length {
        Length::Line => verdict(report),
        Length::Whole => verdict(report) + &explanation(report),
    }
}

/// The verdict, as one line.
#[must_use]
pub fn verdict(report: &TraceReport) -> String {
    format!("{}: {}\n", report.trace, judgement(report))
}

/// The explanation, line by line.
#[must_use]
pub fn explanation(report: &TraceReport) -> String {
    report.explanation.iter().map(|line| format!("  {line}\n")).collect()
}

fn judgement(report: &TraceReport) -> String {
    let line = report.event.unwrap_or_default();
    let place = report.places.at(line);
    match report.verdict {
        "accept" => format!("accept ({})", counted(report.stats.events, "event")),
        "reject" => match report.event_from.filter(|from| *from < line) {
            Some(from) => format!("reject at {place}, perhaps from {} on", report.places.at(from)),
            None => format!("reject at {place}"),
        },
        "outside" => {
            format!("outside the specification from {place} on: only a client that broke its duty explains it")
        }
        "fault" => format!("no verdict: the specification is faulty at {place}"),
        other => other.to_string(),
    }
}

/// The statistics as one line, and a further line for each statement that forked often, and for each group of coupled parts of
/// the state.
#[must_use]
pub fn stats(stats: &Stats) -> String {
    let Stats { by_domain, by_model, by_search, z3_checks, z3_ms, undecided, .. } = stats;
    let counts = [
        counted(stats.events, "event"),
        format!("at most {}", counted(stats.candidates_max, "candidate")),
        counted(stats.forks, "fork"),
        counted(stats.merges, "merge"),
        counted(stats.subsumptions, "subsumption"),
        counted(stats.projections, "projection"),
    ];
    let mut text = format!(
        "{}; answers: {by_domain} by domains, {by_model} by models, {by_search} by case splits, \
         {z3_checks} by Z3 in {z3_ms} ms, {undecided} undecided; {} ms",
        counts.join(", "),
        stats.elapsed_ms
    );
    for Forked { place, line, forks } in &stats.forked {
        text += &format!("\n    {forks} of the forks at {place}: `{line}`");
    }
    for parts in &stats.coupled {
        text += &format!("\n    these depend on each other: {parts}");
    }
    if !stats.differing.is_empty() {
        text += &format!("\n    explanations differ in: {}", stats.differing);
    }
    text
}
