//! One trace judged against one specification through the library, and nothing else: what tests that know verdicts use.
//!
//! `judge(specs/cmp_rst.may, …/cmp_rst/reject_between.ndjson)` is `("reject", Some(3))`.

use std::fs;
use std::path::Path;

use mayhap::validate::Exchanges;
use mayhap::{Spec, Validator, Verdict, validate};

/// The verdict's name, as `--format json` has it, and the line it speaks of; an error's text where there is no verdict.
pub fn judge(spec: &Path, trace: &Path) -> (String, Option<u64>) {
    let text = fs::read_to_string(trace).unwrap_or_else(|error| panic!("{}: {error}", trace.display()));
    judge_text(spec, &text)
}

/// The same for a trace that is in no file.
pub fn judge_text(spec: &Path, trace: &str) -> (String, Option<u64>) {
    let text = fs::read_to_string(spec).unwrap_or_else(|error| panic!("{}: {error}", spec.display()));
    let spec = match Spec::from_text(&text) {
        Ok(spec) => spec,
        Err(error) => return (error.to_string(), None),
    };
    let mut validator = Validator::new(&spec);
    match validate::judge(&mut validator, &mut Exchanges::new(&spec, trace.as_bytes())) {
        Ok(()) => name(&validator.verdict()),
        Err(error) => (error.render("trace"), None),
    }
}

fn name(verdict: &Verdict) -> (String, Option<u64>) {
    let (name, event) = match verdict {
        Verdict::Accept { warning: _ } => ("accept", None),
        Verdict::Reject { event, event_from: _ } => ("reject", Some(*event)),
        Verdict::Unknown { .. } => ("unknown", None),
        Verdict::Outside { event, .. } => ("outside", Some(*event)),
        Verdict::Fault(report) => ("fault", Some(report.event)),
    };
    (name.to_owned(), event)
}
