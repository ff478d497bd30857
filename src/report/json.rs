//! A report as one JSON object on a line: schema, specification, trace, verdict, event, explanation, witness, statistics.
//!
//! `{"schema":1,"spec":"cmp_rst","trace":"t.ndjson","verdict":"reject","event":3, …}`

use super::Report;
use crate::json;

/// The report on one line, ended.
#[must_use]
pub fn report(report: &Report) -> String {
    // Plain data with string keys: there is nothing in it that could not be written.
    json::line(report).unwrap_or_default() + "\n"
}
