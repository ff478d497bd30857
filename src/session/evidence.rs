//! The evidence for the verdict of a session.
//!
//! ```
//! use mayhap::{Options, Session, Spec};
//! let spec = Spec::from_text("protocol p { request int; response int; var n: int = 0;
//!     on q { if q > 0 { n := q; } reply n; } }")?;
//! let mut session = Session::new(&spec, "sync".parse()?, Options::default());
//! for line in [r#"{"q": 5, "a": 5}"#, r#"{"q": 3, "a": 3}"#, r#"{"q": 0, "a": 5}"#] {
//!     session.push_line(line)?;
//! }
//! let evidence = session.evidence(mayhap::evidence::Budget::seconds(1.0));
//! assert_eq!((evidence.line, &evidence.reason[..]), (Some(3), &[2][..]));
//! assert_eq!(evidence.possible, ["3"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::sync::Arc;

use super::engine::{SessionEngine, seen};
use super::proof::{ConcurrentEvidence, FoundRejection, NamedStatement, NetworkedEvidence, Recheck, stated};
use super::recovery::UnknownPart;
use crate::evidence::Budget;
use crate::json::RawJson;
use crate::judge::{Exchange, Observed, Options, Verdict};
use crate::network::NetworkChoice;
use crate::reading::{Observations, history_of};
use crate::report::values::POSSIBLE;
use crate::spec::Spec;
use crate::trace::{EventKind, Places, TraceEvent};
use crate::value::Value;

/// The evidence for the verdict of a session.
#[derive(Clone, PartialEq, Debug)]
pub struct SessionEvidence {
    /// The verdict.
    pub verdict: Verdict,
    /// The line of the event that decided the verdict.
    pub line: Option<u64>,
    /// The lines of earlier events that matter, in order: answers that rule out the rejected one, and requests that set the state
    /// that matters.
    pub reason: Vec<u64>,
    /// Set if none of these lines can be left out.
    pub minimal: bool,
    /// The explanation for people, line by line.
    pub explanation: Vec<String>,
    /// The answers that were possible instead, as JSON, as far as they are known.
    pub possible: Vec<String>,
    /// The statements of the specification that the reason names.
    pub places: Vec<NamedStatement>,
}

/// A session for which evidence is sought.
pub(super) struct JudgedSession<'s> {
    pub(super) spec: &'s Arc<Spec>,
    pub(super) net: NetworkChoice,
    pub(super) options: &'s Options,
    pub(super) engine: &'s SessionEngine,
    /// The events of the session; `None` if some were not kept.
    pub(super) events: Option<&'s [TraceEvent<Value>]>,
    /// The lines of the events.
    pub(super) places: &'s Places,
    pub(super) verdict: Verdict,
}

impl JudgedSession<'_> {
    /// Finds the evidence, within a budget.
    pub(super) fn evidence(self, budget: Budget<'_>) -> SessionEvidence {
        let line = match &self.verdict {
            Verdict::Reject { event, .. } | Verdict::Outside { event, .. } => Some(*event),
            Verdict::Fault(fault) => Some(fault.event),
            Verdict::Accept { .. } | Verdict::Unknown { .. } => None,
        };
        let found = match (self.events, line, &self.verdict) {
            (Some(events), Some(line), Verdict::Reject { .. }) => self.rejection(events, line, budget),
            (None, _, Verdict::Reject { .. }) => {
                let explanation = vec!["the events are not kept any more, so no reason was looked for".to_owned()];
                FoundRejection::stating(explanation)
            }
            _ => FoundRejection::stating(self.stated()),
        };
        let of_reason = found.because.into_iter().chain(found.requests).flatten();
        let mut reason: Vec<u64> = of_reason.map(|number| self.places.line(number)).collect();
        reason.sort_unstable();
        reason.dedup();
        let FoundRejection { explanation, is_minimal: minimal, mut possible, places, concurrent, .. } = found;
        if let (SessionEngine::Network(_), Some(concurrent)) = (self.engine, concurrent) {
            possible.extend(concurrent.possible.into_iter().map(|RawJson(json)| json));
            // Of more, a few would be no more than examples.
            possible.truncate(if possible.len() > POSSIBLE { 0 } else { POSSIBLE });
        }
        let line = line.map(|line| self.places.line(line));
        let verdict = self.verdict.with_events(&|event| self.places.line(event));
        SessionEvidence { verdict, line, reason, minimal, explanation, possible, places }
    }

    fn stated(&self) -> Vec<String> {
        if matches!(self.verdict, Verdict::Unknown { .. }) && !self.engine.recovery().parts().is_empty() {
            return self.unknown();
        }
        match (&self.verdict, self.engine.judge()) {
            // One run was found for events that were too hard one by one.
            (Verdict::Accept { .. }, Some(judge)) if !judge.verdict().is_accept() => Vec::new(),
            (_, Some(judge)) => stated(judge, self.spec, self.places, &|line| self.asked(line)),
            (Verdict::Unknown { doubt, .. }, None) => vec![doubt.to_string()],
            (_, None) => Vec::new(),
        }
    }

    /// The unknown parts, in words.
    fn unknown(&self) -> Vec<String> {
        let parts = self.engine.recovery().parts().iter();
        let said = |part: &UnknownPart| format!("{}: {}", self.places.between(part.from, part.to), part);
        parts.map(said).collect()
    }

    /// The exchange on a line.
    fn asked(&self, line: u64) -> Option<Exchange> {
        let event = self.events?.iter().find(|event| event.line == line)?.clone();
        let client = event.client.unwrap_or(1);
        match event.kind {
            EventKind::Exchange { query, reply } => {
                Some(Exchange { line, client, request: query, observed: seen(reply) })
            }
            _ => None,
        }
    }

    fn rejection(&self, events: &[TraceEvent<Value>], line: u64, budget: Budget<'_>) -> FoundRejection {
        let recovery = self.engine.recovery();
        let mut explanation = Vec::new();
        // A rejection that is not the engine's came from judging all events as a whole.
        let is_whole = recovery.parts().is_empty() || !recovery.is_decided();
        let (spec, from) = match (is_whole, recovery.judged_from()) {
            (true, _) => (self.spec, 0),
            (false, from) => {
                explanation.push("whatever the state was after what is unknown:".to_owned());
                explanation.extend(self.unknown().into_iter().map(|part| format!("  {part}")));
                let Some(from) = from else { return FoundRejection::stating(explanation) };
                from
            }
        };
        let events = events.iter().skip_while(|event| event.line <= from).take_while(|event| event.line <= line);
        let events = events.cloned();
        let found = match self.engine {
            SessionEngine::Exchanges(_) => {
                FoundRejection::of_exchanges(spec, &exchanges(events), self.places, Recheck::No, budget)
            }
            SessionEngine::Order(_) => {
                let history = history_of(spec, events);
                let mut whole =
                    ConcurrentEvidence::of(spec, self.net, history.named(self.places.clone()), self.options);
                let found = whole.rejection(line, Recheck::No, budget);
                found.map(|found| whole.with_places(line, found))
            }
            SessionEngine::Network(_) => {
                let composed = spec.for_networks();
                let mut observed = Observations::of(&composed, events).unwrap_or_default();
                observed.places = self.places.clone();
                NetworkedEvidence::unjudged(&composed, self.net, observed, self.options).rejection(
                    line,
                    Recheck::No,
                    budget,
                )
            }
        };
        let mut found = found.unwrap_or_else(|why| FoundRejection::stating(vec![why]));
        explanation.append(&mut found.explanation);
        FoundRejection { explanation, ..found }
    }
}

/// The events as a trace of exchanges, one after another.
fn exchanges(events: impl Iterator<Item = TraceEvent<Value>>) -> Vec<Exchange> {
    let mut exchanges = Vec::new();
    let mut waiting: Option<Value> = None;
    for event in events {
        let (line, client) = (event.line, event.client.unwrap_or(1));
        let (request, reply) = match event.kind {
            EventKind::Exchange { query, reply } => (Some(query), reply),
            EventKind::Request(query) => {
                waiting = Some(query);
                continue;
            }
            EventKind::Answer(answer) => (waiting.take(), crate::trace::Response::Answer(answer)),
            EventKind::Lost => (waiting.take(), crate::trace::Response::Lost),
            EventKind::Restart => {
                let lost = waiting.take();
                exchanges.extend(lost.map(|request| Exchange { line, client, request, observed: Observed::Lost }));
                exchanges.push(Exchange::restart(line));
                continue;
            }
            EventKind::Closed | EventKind::Left | EventKind::Peer(_) => continue,
        };
        exchanges.extend(request.map(|request| Exchange { line, client, request, observed: seen(reply) }));
    }
    exchanges
}
