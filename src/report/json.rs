//! A report as one JSON object on one line: schema, specification, trace, verdict, event, explanation, witness, statistics.
//!
//! `{"schema":1,"spec":"cmp_rst","trace":"t.ndjson","verdict":"reject","event":3, …}`

use super::{SCHEMA, TraceReport};
use crate::json;
use crate::spec::Spec;
use serde::Serialize;
use std::collections::BTreeMap;

/// The report as one line with its end.
#[must_use]
pub fn report(report: &TraceReport) -> String {
    let named = NamedReport { report, places: report.named_events() };
    // Plain data with string keys can always be written.
    json::line(&named).unwrap_or_default() + "\n"
}

/// A report with the names of its events.
#[derive(Serialize)]
struct NamedReport<'r> {
    #[serde(flatten)]
    report: &'r TraceReport,
    /// The names of the events whose numbers the report has; left out if the numbers are lines.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    places: BTreeMap<u64, String>,
}

/// The report on a trace that could not be judged.
#[derive(Serialize)]
struct Unjudged<'f> {
    schema: u32,
    spec: &'f str,
    trace: &'f str,
    verdict: Option<&'static str>,
    error: &'f str,
}

/// The report on a trace that could not be judged, as one line with its end. So each trace has its line.
#[must_use]
pub fn failure(spec: &Spec, trace: &str, error: &str) -> String {
    let error = error.trim_end();
    let error = error.strip_prefix("error: ").unwrap_or(error);
    let failure = Unjudged { schema: SCHEMA, spec: &spec.program.name, trace, verdict: None, error };
    json::line(&failure).unwrap_or_default() + "\n"
}
