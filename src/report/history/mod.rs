//! Histories as pictures: a page, in one file, that draws who asked what when, and where each request takes effect.
//!
//! ```text
//! client 1   5 → 1 ├──────(1)───────────┤      a bar from request to answer, the point at which it takes effect with
//! client 2        3 → 0 ├────────(2)──┤        its place in the order, and the event and the lines of a rejection
//! ```
//!
//! A [`DrawnTrace`] is what the page knows of one trace; [`page::page`] writes it down with the script that draws it.

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

/// The most requests of a trace that are drawn, which takes a browser a second.
pub const MOST_DRAWN: usize = 100_000;

/// The mark of a restart.
const RESTARTED: &str = "the system was killed and started again";

/// All that the page knows of one trace.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DrawnTrace {
    /// The trace, as it was named.
    trace: String,
    /// The verdict in one word; nothing if it could not be judged.
    verdict: Option<&'static str>,
    /// The event of the verdict and the name of the trace, in words.
    #[serde(rename = "where")]
    place: String,
    /// The network over which it was judged.
    network: String,
    /// The specification, the network and what the clients did, in words.
    judged: String,
    /// Why, line by line.
    explanation: Vec<String>,
    /// The line of the event that decided.
    event: Option<u64>,
    /// Set if the requests have their moments in an order that explains the trace.
    ordered: bool,
    /// The lines that contradict that of the event, in order.
    conflict: Vec<u64>,
    /// The requests in the order in which they were sent.
    requests: Vec<DrawnRequest>,
    /// The events that belong to no request.
    marks: Vec<StrayEvent>,
}

/// Something that was seen and belongs to no request: the end of a connection, or an answer that nobody asked for.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct StrayEvent {
    line: u64,
    /// The word for it.
    what: &'static str,
}

impl DrawnTrace {
    /// A trace of concurrent clients, judged over a network of this name, with what a witness says of them.
    #[must_use]
    pub fn concurrent(
        spec: &Spec,
        report: &TraceReport,
        (network, timeline): (&str, &Timeline),
        served: &ServedRequests,
    ) -> DrawnTrace {
        let texts = RequestTexts::new(spec, served);
        let requests = timeline.requests.iter().take(MOST_DRAWN + 1).map(|span| texts.concurrent(span)).collect();
        let drawn = DrawnTrace { conflict: timeline.conflict.clone(), ..DrawnTrace::new(report, network, requests) };
        let restarts = timeline.restarts.iter().map(|line| StrayEvent { line: *line, what: RESTARTED });
        drawn.marking(restarts.collect()).noting(served).limited(timeline.requests.len())
    }

    /// A trace of clients that wait for each other, with what a witness says of them: each request takes effect where it stands.
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

    /// A trace that could not be judged, and why.
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
            requests,
            ..DrawnTrace::unjudged(&report.trace, "")
        }
    }

    /// The trace with these marks, in the place of others on their lines.
    fn marking(self, mut marks: Vec<StrayEvent>) -> DrawnTrace {
        let is_known = |line: u64| marks.iter().any(|mark| mark.line == line);
        let others: Vec<StrayEvent> = self.marks.iter().filter(|mark| !is_known(mark.line)).cloned().collect();
        marks.extend(others);
        DrawnTrace { marks, ..self }
    }

    /// Says why a witness tells nothing, if one was looked for.
    #[must_use]
    pub fn noting(mut self, served: &ServedRequests) -> DrawnTrace {
        let note = |why: &String| format!("what the server chose is not known: {why}");
        self.explanation.extend(served.missing.as_ref().map(note));
        self
    }

    /// The trace without its requests if they are too many, which it says.
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
    let TraceReport { trace, verdict, event, event_from, .. } = report;
    match (*verdict, event, event_from.filter(|from| Some(*from) < *event)) {
        ("accept", ..) | (_, None, _) => trace.clone(),
        ("outside", Some(line), _) => format!("from line {line} of {trace} on"),
        (_, Some(line), Some(from)) => format!("at line {line} of {trace}, perhaps from line {from} on"),
        (_, Some(line), None) => format!("at line {line} of {trace}"),
    }
}

/// The specification, the network, the events, the clients and the requests that were judged, with what became of them.
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
