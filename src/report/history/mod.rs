//! Histories as pictures: a page in one file that shows who asked what at which time, and when each request takes effect.
//!
//! ```text
//! client 1   5 → 1 ├──────(1)───────────┤      a bar from request to answer; (1) and (2) are the moments at which the requests take
//! client 2        3 → 0 ├────────(2)──┤        effect, in their order; of a rejection the event and its lines are marked
//! ```
//!
//! A [`DrawnTrace`] is the content of the page for one trace, and [`page::page`] writes it together with the script that draws
//! it.

mod networked;
pub mod page;
mod request;
mod served;

pub use served::ServedRequests;

use super::TraceReport;
use crate::choice::counted;
use crate::judge::{Exchange, Observed};
use crate::search::Timeline;
use crate::spec::Spec;
use request::{DrawnRequest, RequestTexts};
use serde::Serialize;
use std::collections::BTreeMap;

/// The most requests of a trace that are drawn, as a browser needs a second for them.
pub const MOST_DRAWN: usize = 100_000;

/// The text at a restart.
const RESTARTED: &str = "the system was killed and started again";

/// The content of the page for one trace.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DrawnTrace {
    /// The trace, as the user named it.
    trace: String,
    /// The verdict in one word; `None` if the trace could not be judged.
    verdict: Option<&'static str>,
    /// The event of the verdict and the name of the trace, in words.
    #[serde(rename = "where")]
    place: String,
    /// The network over which the trace was judged.
    network: String,
    /// The specification, the network and the number of events and clients, in words.
    judged: String,
    /// The explanation of the verdict, line by line.
    explanation: Vec<String>,
    /// The line of the event that decided.
    event: Option<u64>,
    /// Set if the requests are placed in an order that explains the trace.
    ordered: bool,
    /// The lines that contradict the event together, in order.
    conflict: Vec<u64>,
    /// The requests in the order in which they were sent.
    requests: Vec<DrawnRequest>,
    /// The events that belong to no request.
    marks: Vec<StrayEvent>,
    /// The names of the events by their numbers, if these are no lines.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    places: BTreeMap<u64, String>,
}

/// An event that belongs to no request: the end of a connection, or an answer that nobody asked for.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct StrayEvent {
    line: u64,
    /// The words for the event.
    what: &'static str,
}

impl DrawnTrace {
    /// The picture of a trace of concurrent clients, judged over a network of this name, with the choices of a witness.
    #[must_use]
    pub fn concurrent(
        spec: &Spec,
        report: &TraceReport,
        network: &str,
        timeline: &Timeline,
        served: &ServedRequests,
    ) -> DrawnTrace {
        let texts = RequestTexts::new(spec, served);
        let requests = timeline.requests.iter().take(MOST_DRAWN + 1).map(|span| texts.concurrent(span)).collect();
        let drawn = DrawnTrace { conflict: timeline.conflict.clone(), ..DrawnTrace::new(report, network, requests) };
        let restarts = timeline.restarts.iter().map(|line| StrayEvent { line: *line, what: RESTARTED });
        drawn.marking(restarts.collect()).noting(served).limited(timeline.requests.len())
    }

    /// The picture of a trace of clients that wait for each other, with the choices of a witness: each request takes effect at
    /// its own line.
    #[must_use]
    pub fn synchronous(
        spec: &Spec,
        report: &TraceReport,
        exchanges: &[Exchange],
        served: &ServedRequests,
    ) -> DrawnTrace {
        let texts = RequestTexts::new(spec, served);
        let mut places = 1..;
        let (restarts, asked): (Vec<&Exchange>, Vec<&Exchange>) = exchanges.iter().partition(|one| one.is_restart());
        let requests = asked.iter().take(MOST_DRAWN + 1).map(|exchange| {
            let is_lost = matches!(exchange.observed, Observed::Lost);
            let is_served = report.verdict == "accept" && (!is_lost || served.is_served(exchange.line));
            texts.synchronous(exchange, is_served.then(|| places.next()).flatten())
        });
        let drawn = DrawnTrace::new(report, "sync", requests.collect());
        let mut conflict: Vec<u64> =
            [&report.reason, &report.requests].into_iter().flatten().flatten().copied().collect();
        conflict.sort_unstable();
        conflict.dedup();
        let restarts = restarts.into_iter().map(|restart| StrayEvent { line: restart.line, what: RESTARTED });
        DrawnTrace { conflict, ..drawn }.marking(restarts.collect()).noting(served).limited(asked.len())
    }

    /// The picture of a trace that could not be judged, with the reason.
    #[must_use]
    pub fn unjudged(trace: &str, error: &str) -> DrawnTrace {
        DrawnTrace {
            trace: trace.to_owned(),
            verdict: None,
            place: trace.to_owned(),
            network: String::new(),
            judged: String::new(),
            explanation: error.lines().map(str::to_owned).collect(),
            event: None,
            ordered: false,
            conflict: Vec::new(),
            requests: Vec::new(),
            marks: Vec::new(),
            places: BTreeMap::new(),
        }
    }

    fn new(report: &TraceReport, network: &str, requests: Vec<DrawnRequest>) -> DrawnTrace {
        let is_known = |line: u64| requests.iter().any(|request| request.has(line));
        let unknown = report.event.filter(|line| report.verdict == "reject" && !is_known(*line));
        DrawnTrace {
            verdict: Some(report.verdict),
            place: place(report),
            network: network.to_owned(),
            judged: judged(report, network, &requests),
            explanation: report.explanation.clone(),
            event: report.event,
            ordered: requests.iter().any(DrawnRequest::is_placed),
            marks: unknown.map(|line| StrayEvent { line, what: "no request led to this" }).into_iter().collect(),
            places: names(report, &requests),
            requests,
            ..DrawnTrace::unjudged(&report.trace, "")
        }
    }

    /// The picture with these events, which replace others on the same lines.
    fn marking(self, mut marks: Vec<StrayEvent>) -> DrawnTrace {
        let is_known = |line: u64| marks.iter().any(|mark| mark.line == line);
        let others: Vec<StrayEvent> = self.marks.iter().filter(|mark| !is_known(mark.line)).cloned().collect();
        marks.extend(others);
        DrawnTrace { marks, ..self }
    }

    /// Adds the reason why a witness is missing, if one was looked for.
    #[must_use]
    pub fn noting(mut self, served: &ServedRequests) -> DrawnTrace {
        let note = |why: &String| format!("what the server chose is not known: {why}");
        self.explanation.extend(served.missing.as_ref().map(note));
        self
    }

    /// The picture without its requests, and with a note, if there are too many.
    fn limited(mut self, count: usize) -> DrawnTrace {
        if count > MOST_DRAWN {
            self.requests.clear();
            self.marks.clear();
            self.explanation.push(format!("more than {MOST_DRAWN} requests are not drawn"));
        }
        self
    }

    /// The verdict with the name of the trace, in words.
    fn headline(&self) -> String {
        format!("{} {}", self.verdict.unwrap_or("not judged:"), self.place)
    }
}

/// The event of a verdict and the name of the trace.
fn place(report: &TraceReport) -> String {
    let TraceReport { trace, verdict, event, event_from, places, .. } = report;
    match (*verdict, event, event_from.filter(|from| Some(*from) < *event)) {
        ("accept", ..) | (_, None, _) => trace.clone(),
        ("outside", Some(line), _) => format!("from {} of {trace} on", places.at(*line)),
        (_, Some(line), Some(from)) => {
            format!("at {} of {trace}, perhaps from {} on", places.at(*line), places.at(from))
        }
        (_, Some(line), None) => format!("at {} of {trace}", places.at(*line)),
    }
}

/// The names of the events of requests, if the numbers of events are no lines.
fn names(report: &TraceReport, requests: &[DrawnRequest]) -> BTreeMap<u64, String> {
    if report.places.are_lines() {
        return BTreeMap::new();
    }
    let numbers = requests.iter().flat_map(DrawnRequest::events).chain(report.event);
    numbers.map(|number| (number, report.places.at(number))).collect()
}

/// The specification, the network, and the number of events, clients and requests with their outcomes, in words.
fn judged(report: &TraceReport, network: &str, requests: &[DrawnRequest]) -> String {
    let mut outcomes: Vec<String> = Vec::new();
    for (outcome, words) in request::OUTCOMES {
        let count = request::asked(requests).filter(|request| request.is(*outcome)).count();
        if count > 0 {
            outcomes.push(format!("{count} {words}"));
        }
    }
    let events = counted(report.stats.events, "event");
    let clients = request::clients(requests);
    let asked = format!(
        "{} of {}",
        counted(request::asked(requests).count() as u64, "request"),
        counted(clients as u64, "client")
    );
    format!("judged by {} over {network}: {events}, {asked}: {}", report.spec, outcomes.join(", "))
}
