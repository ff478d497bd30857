//! The reports on verdicts: their content as data, and one file for each format.
//!
//! A [`TraceReport`] is serialisable. [`text::report`] writes it for people, and [`json::report`] as one JSON object on one line.

pub mod campaign;
pub mod conflict;
mod difference;
pub mod dualized;
pub mod history;
pub mod json;
mod partition;
pub mod reason;
pub mod rust_types;
pub mod sections;
mod stats;
pub mod text;
pub mod trouble;
pub mod values;
pub mod witness;

pub use partition::partition;
pub use stats::{Forked, Stats};

use crate::diagnostic::{Diagnostic, Severity, Span};
use crate::json::RawJson;
use crate::judge::{Judge, Verdict};
use crate::process::Fault;
use crate::spec::code::FaultKind;
use crate::spec::{Site, Spec};
use crate::syntax::ast::File;
use crate::syntax::{quoted_head, quoted_line};
use crate::trace::Places;
use serde::Serialize;
use std::collections::BTreeMap;

/// The version of the JSON format of a report.
pub const SCHEMA: u32 = 1;

/// The most steps and values of a witness that a report contains in full.
pub const INLINE: usize = 1_000;

/// The report on one trace.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TraceReport {
    /// The version of the format: [`SCHEMA`].
    pub schema: u32,
    /// The name of the machine or protocol.
    pub spec: String,
    /// The trace, as the user named it.
    pub trace: String,
    /// The verdict in one word: `accept`, `reject`, `unknown`, `outside` or `fault`.
    pub verdict: &'static str,
    /// The line of the event that decided: the first event that nothing explains (reject), the event after which the trace is
    /// outside (outside), the event that shows a fault of the specification (fault), or the first event that was too hard
    /// (unknown).
    pub event: Option<u64>,
    /// The first line on which that event may be, if only a range is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_from: Option<u64>,
    /// The explanation for people, line by line.
    pub explanation: Vec<String>,
    /// The rejected answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<RawJson>,
    /// The answers that were possible instead of the rejected one, as far as they are known in full. For concurrent clients they
    /// are in [`ConcurrentReason::possible`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub possible: Vec<RawJson>,
    /// The lines whose answers rule out the rejected event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Vec<u64>>,
    /// The lines whose requests set the state that matters, whatever their answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<Vec<u64>>,
    /// The line before which all answers belong to `reason`, if the search for them was cut off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason_before: Option<u64>,
    /// The additional parts for a rejected history of concurrent clients.
    #[serde(flatten)]
    pub concurrent: Option<ConcurrentReason>,
    /// The run that explains an accepted trace, if it has at most [`INLINE`] steps and values.
    pub witness: Option<sections::WitnessLines>,
    /// The work that the verdict took.
    pub stats: Stats,
    /// The names of the events for people.
    #[serde(skip)]
    pub places: Places,
}

/// The additional parts of the report on a rejected history of concurrent clients. The answers on the lines in
/// [`TraceReport::reason`] cannot all be true together with the rejected one, even if nobody had seen any other answer, or any
/// other one since [`Self::any_state_before`].
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct ConcurrentReason {
    /// The lines of the requests that were under way at the rejected event.
    pub under_way: Vec<u64>,
    /// The line before which the state may be any, with every request that was answered by then served; `None` if the reason
    /// begins in an initial state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub any_state_before: Option<u64>,
    /// The line from which on all answers belong to the reason, if the search for a smaller one was cut off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason_from: Option<u64>,
    /// True if without any one of these answers some order explains the others; false if this is not certain for all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimal: Option<bool>,
    /// The answers, or calls of the peer, that some order or run explains instead of the rejected one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub possible: Vec<RawJson>,
    /// Set if there are no others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub possible_are_all: Option<bool>,
}

impl TraceReport {
    /// The report of a verdict without evidence.
    #[must_use]
    pub fn new(spec: &Spec, trace: String, judge: &Judge, stats: Stats) -> TraceReport {
        let (word, event, event_from) = judgement(judge);
        TraceReport {
            schema: SCHEMA,
            spec: spec.program.name.clone(),
            trace,
            verdict: word,
            event,
            event_from,
            explanation: Vec::new(),
            answer: None,
            possible: Vec::new(),
            reason: None,
            requests: None,
            reason_before: None,
            concurrent: None,
            witness: None,
            stats,
            places: Places::default(),
        }
    }

    /// The report with the names of the events.
    #[must_use]
    pub fn named(self, places: &Places) -> TraceReport {
        TraceReport { places: places.clone(), ..self }
    }

    /// The names of the events whose numbers the report has, by their numbers; empty if all are lines.
    fn named_events(&self) -> BTreeMap<u64, String> {
        if self.places.are_lines() {
            return BTreeMap::new();
        }
        let concurrent = self.concurrent.as_ref();
        let one = [self.event, self.event_from, self.reason_before];
        let of_clients = concurrent.into_iter().flat_map(|reason| [reason.any_state_before, reason.reason_from]);
        let under_way = concurrent.into_iter().flat_map(|reason| &reason.under_way);
        let several = self.reason.iter().chain(&self.requests).flatten().chain(under_way);
        let numbers = one.into_iter().chain(of_clients).flatten().chain(several.copied());
        numbers.map(|number| (number, self.places.at(number))).collect()
    }
}

/// The verdict as a word, the line of its event, and the first line on which the event may be.
fn judgement(judge: &Judge) -> (&'static str, Option<u64>, Option<u64>) {
    match &judge.verdict() {
        Verdict::Accept { .. } => ("accept", None, None),
        Verdict::Reject { event, event_from } => ("reject", Some(*event), *event_from),
        Verdict::Unknown { .. } => {
            let asked = judge.doubt().and_then(|(_, at)| at);
            ("unknown", Some(asked.map_or(judge.event(), |at| at.event)).filter(|event| *event > 0), None)
        }
        Verdict::Outside { event, site: _ } => ("outside", Some(*event), None),
        Verdict::Fault(fault) => ("fault", Some(fault.event), None),
    }
}

/// A fault of the specification at its place, with the event of the trace that met it. It is an error if it decides the verdict.
#[must_use]
pub fn fault(spec: &Spec, places: &Places, verdict: &Verdict) -> Option<Diagnostic> {
    fault_met(spec, verdict, |event| format!("{} of the recording", places.at(event)))
}

/// A fault of the specification at its place, with words for the event that met it. It is an error if it decides the verdict.
pub fn fault_met(spec: &Spec, verdict: &Verdict, event: impl FnOnce(u64) -> String) -> Option<Diagnostic> {
    let (report, severity) = match verdict {
        Verdict::Fault(report) => (report, Severity::Error),
        Verdict::Accept { warning } | Verdict::Unknown { warning, .. } => (warning.as_ref()?, Severity::Warning),
        Verdict::Reject { .. } | Verdict::Outside { .. } => return None,
    };
    Some(Diagnostic { severity, ..fault_error(spec, &report.fault, &event(report.event)) })
}

/// A fault of the specification at its place, as an error, with words for the event that met it.
#[must_use]
pub fn fault_error(spec: &Spec, fault: &Fault, met: &str) -> Diagnostic {
    let label = match fault.kind {
        FaultKind::MissingKey => "no such key",
        FaultKind::OutOfRange => "out of range",
        FaultKind::Uncounted => "its elements are not known: it was chosen, or started unknown",
        FaultKind::NoArm => "no pattern fits",
    };
    Diagnostic::error(spec.span(fault.site), format!("{} ({met})", fault.kind)).label(label)
}

/// The most characters of a value in an explanation; longer ones are cut.
const SHOWN: usize = 100;

fn shortened(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        None => text.to_string(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// The statement that the search found no short reason, as all answers before an event together rule the event out.
pub(crate) fn no_short_reason(places: &Places, before: u64) -> String {
    format!("no short reason was found: the answers before {} rule it out together", places.at(before))
}

/// A list of possible answers: `1, 2 or 3`; `None` if there is none.
fn one_of(answers: &[String]) -> Option<String> {
    Some(match answers.split_last()? {
        (only, []) => only.clone(),
        (last, others) => format!("{} or {last}", others.join(", ")),
    })
}

/// The part of a specification that a remark quotes.
#[derive(Clone, Copy)]
enum Quote {
    /// The statement at the place, without blocks.
    Head,
    /// The line of the place.
    Line,
}

/// The code at a place of a file that was parsed, printed on one line, without comments.
fn quoted(spec: &Spec, file: &File, span: Span, quote: Quote) -> String {
    let text = spec.sources.text(span.file);
    match quote {
        Quote::Head => quoted_head(file, text, span),
        Quote::Line => quoted_line(file, text, span),
    }
}

/// The place of a statement with its line: `(specs/cmp_rst.may:16: `if q <= n { reply 0; }`)`.
#[must_use]
pub fn place(spec: &Spec, site: Site) -> String {
    let (place, line) = located(spec, site);
    format!("({place}: `{line}`)")
}

/// The place of an expression with its text: `` `m[k]` (spec.may:5: `reply m[k];`) ``; of a statement its place alone.
#[must_use]
pub fn named_place(spec: &Spec, site: Site) -> String {
    let (span, place) = (spec.span(site), place(spec, site));
    let text = spec.sources.text(span.file).get(span.start as usize..span.end as usize).unwrap_or_default().trim();
    let is_statement = text.is_empty() || text.contains('\n') || text.ends_with([';', '}']) && !text.starts_with('{');
    if is_statement { place } else { format!("`{}` {place}", shortened(text, SHOWN)) }
}

/// The file and line of a statement, and the text of that line.
#[must_use]
pub fn located(spec: &Spec, site: Site) -> (String, String) {
    let (span, sources) = (spec.span(site), &spec.sources);
    let (line, _) = sources.line_column(span);
    let text = sources.text(span.file).lines().nth(line.saturating_sub(1)).unwrap_or_default().trim();
    (format!("{}:{line}", sources.name(span.file)), shortened(text, SHOWN))
}
