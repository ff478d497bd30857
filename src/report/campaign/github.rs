//! The annotations that GitHub's workflows read from standard output: one for each cause, at its line of the specification.
//!
//! `::error file=specs/kv_etag.may,line=48,title=violation of kv_etag::violation after 212 requests …%0Aonly …`

use super::text::{also, headline};
use super::visible::visible;
use super::{CampaignReport, FoundFailure, RegressionOutcome, SpecPlace};

/// The annotations, one a line.
#[must_use]
pub fn annotations(report: &CampaignReport) -> String {
    let failures = report.failures.iter().map(|found| annotation(report, found));
    let regressions = report.regressions.iter().filter_map(|run| {
        let title = match &run.outcome {
            RegressionOutcome::Outside(_) => format!("a regression of {} is outside the specification", report.spec),
            RegressionOutcome::Undecided(_) => format!("a regression of {} is undecided", report.spec),
            RegressionOutcome::Error(_) => format!("a regression of {} cannot be run", report.spec),
            _ => format!("a regression of {} fails", report.spec),
        };
        let message = visible(&format!("{}: {}", run.file, run.outcome.complaint()?));
        let severity = if run.known { "notice" } else { "error" };
        Some(command(severity, &format!("file={}", property(&run.file)), &title, &message))
    });
    regressions.chain(failures).collect()
}

fn annotation(report: &CampaignReport, found: &FoundFailure) -> String {
    let FoundFailure { explanation, again, .. } = found;
    let again = again.iter().map(|again| format!("again: {again}"));
    let lines = [headline(found)].into_iter().chain(explanation.iter().cloned()).chain(also(found)).chain(again);
    let message: Vec<String> = lines.map(|line| visible(&line)).collect();
    let severity = if found.known { "notice" } else { "error" };
    let place = match &found.place {
        Some(SpecPlace { file, line }) => format!("file={},line={line}", property(file)),
        None => format!("file={}", property(&report.file)),
    };
    let title = format!("{} of {}", found.kind.word(), report.spec);
    command(severity, &place, &title, &message.join("\n"))
}

fn command(severity: &str, place: &str, title: &str, message: &str) -> String {
    format!("::{severity} {place},title={}::{}\n", property(title), data(message))
}

/// The text of an annotation: ends of lines, and the character that begins an escape, are escaped.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property: the characters that would end it are escaped, too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
