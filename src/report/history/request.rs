//! A request in the picture of a history: its client, its texts, its lines, and its place in the order.
//!
//! `{"client":"1","request":"5","answer":"1","outcome":"answered","sent":1,"end":4,"behind":2,"place":1,"chosen":null,"key":null}`

use std::collections::BTreeSet;

use super::super::shortened;
use super::served::ServedRequests;
use crate::json::encode;
use crate::judge::{Exchange, Observed};
use crate::search::RequestSpan;
use crate::spec::Spec;
use crate::spec::analysis::partition::RequestKeys;
use crate::value::Value;
use serde::Serialize;

/// The most characters of a request or answer; longer ones are cut.
pub(super) const LONGEST: usize = 2_000;

/// A request with its place in time.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct DrawnRequest {
    /// The number of the client, as a text, since it may be larger than the numbers of JavaScript.
    client: String,
    request: String,
    /// The answer, if it was seen and is known.
    answer: Option<String>,
    outcome: RequestEnd,
    sent: u64,
    /// The line of the answer, or the line on which the client gave up.
    end: Option<u64>,
    /// The line of the event after which the request takes effect.
    behind: Option<u64>,
    /// The position of the request in the order in which requests take effect, from 1.
    place: Option<usize>,
    /// The choices of the server while it handled the request, if a witness has some.
    chosen: Option<String>,
    /// The key of everything that the request touches, if the specification can be judged key by key.
    pub(super) key: Option<String>,
    /// The sections in which the request takes effect, if the trace is judged event by event.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) parts: Vec<DrawnPart>,
}

/// A section of the server that serves a request.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct DrawnPart {
    /// The line of the event after which the section runs.
    pub(super) behind: u64,
    /// The position of the section among all sections, from 1.
    pub(super) place: usize,
    /// The choices of the server, if there are any.
    pub(super) chosen: Option<String>,
    /// The way in which the section ends, and what it sends, in words.
    pub(super) did: String,
}

/// The outcome of a request, as its client saw it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum RequestEnd {
    /// The server answered.
    Answered,
    /// The client gave up.
    Lost,
    /// The trace ended before an answer came.
    Open,
    /// No answer was owed, and there was none.
    Unowed,
    /// The server ended the connection.
    Closed,
    /// A peer failed to answer a call.
    Failed,
    /// No request: the server sent a message.
    Message,
    /// No request: the server took an internal step.
    Step,
}

/// The outcomes of requests, with the words that follow their number.
pub(super) const OUTCOMES: &[(RequestEnd, &str)] = &[
    (RequestEnd::Answered, "answered"),
    (RequestEnd::Unowed, "without an answer, as none was owed"),
    (RequestEnd::Lost, "given up"),
    (RequestEnd::Open, "never answered"),
    (RequestEnd::Closed, "left without an answer as the server ended the connection"),
];

impl DrawnRequest {
    /// The numbers of the events at which the request was sent, ended and took effect.
    pub(super) fn events(&self) -> impl Iterator<Item = u64> {
        [Some(self.sent), self.end, self.behind].into_iter().flatten()
    }

    /// Tests whether the request was sent or ended on a line.
    pub(super) fn has(&self, line: u64) -> bool {
        self.sent == line || self.end == Some(line)
    }

    pub(super) fn is(&self, outcome: RequestEnd) -> bool {
        self.outcome == outcome
    }

    /// Tests whether the request has a place in an order.
    pub(super) fn is_placed(&self) -> bool {
        self.place.is_some() || !self.parts.is_empty()
    }

    /// A request that is not answered yet.
    pub(super) fn open(client: String, request: String, sent: u64) -> DrawnRequest {
        DrawnRequest {
            client,
            request,
            answer: None,
            outcome: RequestEnd::Open,
            sent,
            end: None,
            behind: None,
            place: None,
            chosen: None,
            key: None,
            parts: Vec::new(),
        }
    }

    /// Ends the request on a line.
    pub(super) fn ends(&mut self, outcome: RequestEnd, answer: Option<String>, line: u64) {
        (self.outcome, self.answer, self.end) = (outcome, answer, Some(line));
    }

    /// Tests whether a client sent the request.
    fn is_asked(&self) -> bool {
        !matches!(self.outcome, RequestEnd::Message | RequestEnd::Step) && self.client.parse::<u64>().is_ok()
    }
}

/// The requests that clients sent.
pub(super) fn asked(requests: &[DrawnRequest]) -> impl Iterator<Item = &DrawnRequest> {
    requests.iter().filter(|request| request.is_asked())
}

/// The number of different clients.
pub(super) fn clients(requests: &[DrawnRequest]) -> usize {
    asked(requests).map(|request| request.client.as_str()).collect::<BTreeSet<_>>().len()
}

/// The texts of a specification's values.
pub(super) struct RequestTexts<'s> {
    spec: &'s Spec,
    served: &'s ServedRequests,
    keys: Option<RequestKeys>,
}

impl<'s> RequestTexts<'s> {
    pub(super) fn new(spec: &'s Spec, served: &'s ServedRequests) -> RequestTexts<'s> {
        RequestTexts { spec, served, keys: RequestKeys::of(&spec.program) }
    }

    /// The picture of a request of concurrent clients.
    pub(super) fn concurrent(&self, span: &RequestSpan) -> DrawnRequest {
        let outcome = match (span.answered, span.lost) {
            (Some(_), _) => RequestEnd::Answered,
            (None, Some(_)) => RequestEnd::Lost,
            (None, None) => RequestEnd::Open,
        };
        DrawnRequest {
            client: span.connection.to_string(),
            request: self.request(&span.request),
            answer: span.answer.as_ref().map(|answer| self.answer(answer)),
            outcome,
            sent: span.sent,
            end: span.answered.or(span.lost),
            behind: span.served.map(|moment| moment.after),
            place: span.served.map(|moment| moment.place + 1),
            chosen: self.chosen(span.sent),
            key: self.key(&span.request),
            parts: Vec::new(),
        }
    }

    /// The picture of a request that was answered before the next one was sent.
    pub(super) fn synchronous(&self, exchange: &Exchange, place: Option<usize>) -> DrawnRequest {
        let (outcome, answer) = match &exchange.observed {
            Observed::Answer(answer) => (RequestEnd::Answered, Some(self.answer(answer))),
            Observed::Any => (RequestEnd::Answered, None),
            Observed::Nothing => (RequestEnd::Unowed, None),
            Observed::Lost => (RequestEnd::Lost, None),
            // A restart is an event in the picture, and no request.
            Observed::Restarted => (RequestEnd::Unowed, None),
        };
        DrawnRequest {
            client: exchange.client.to_string(),
            request: self.request(&exchange.request),
            answer,
            outcome,
            sent: exchange.line,
            end: Some(exchange.line),
            behind: place.map(|_| exchange.line),
            place,
            chosen: self.chosen(exchange.line),
            key: self.key(&exchange.request),
            parts: Vec::new(),
        }
    }

    fn request(&self, value: &Value) -> String {
        shortened(&encode(&self.spec.types, self.spec.program.request, value), LONGEST)
    }

    fn answer(&self, value: &Value) -> String {
        shortened(&encode(&self.spec.types, self.spec.program.response, value), LONGEST)
    }

    fn chosen(&self, line: u64) -> Option<String> {
        self.served.chosen(line).map(|chosen| shortened(&chosen, LONGEST))
    }

    fn key(&self, request: &Value) -> Option<String> {
        self.keys.as_ref().and_then(|keys| key_of(self.spec, keys, request))
    }
}

/// The key that a request touches, as a text.
pub(super) fn key_of(spec: &Spec, keys: &RequestKeys, request: &Value) -> Option<String> {
    let (types, asked) = (&spec.types, spec.program.request);
    let key = keys.key(request).ok()??;
    let ty = match keys.field(request) {
        Some((variant, field)) => types.fields(asked, variant).get(field as usize)?.1,
        None => asked,
    };
    Some(shortened(&encode(types, ty, &key), LONGEST))
}
