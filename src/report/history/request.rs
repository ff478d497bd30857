//! A request as the page draws it: its client, its texts, its lines, and its moment in the order.
//!
//! `{"client":"1","request":"5","answer":"1","outcome":"answered","sent":1,"end":4,"behind":2,"place":1,"chosen":null,"key":null}`

use std::collections::BTreeSet;

use super::super::shortened;
use super::served::ServedRequests;
use crate::json::encode;
use crate::judge::{Exchange, Observed};
use crate::search::RequestSpan;
use crate::spec::Spec;
use crate::spec::analysis::entries::RequestKeys;
use crate::value::Value;
use serde::Serialize;

/// Longer requests and answers are cut.
pub(super) const LONGEST: usize = 2_000;

/// A request with its place in time.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct DrawnRequest {
    /// The number of the client: a text, as it may be larger than what a script counts with.
    client: String,
    request: String,
    /// The answer, if it was seen and is known.
    answer: Option<String>,
    outcome: RequestEnd,
    sent: u64,
    /// The line of the answer, or of where the client gave up.
    end: Option<u64>,
    /// The line of the event after which it takes effect.
    behind: Option<u64>,
    /// Its place among those that take effect, from 1.
    place: Option<usize>,
    /// The choices of the server while it handled the request, if a witness tells some.
    chosen: Option<String>,
    /// The key of all that it touches, if the specification keeps its keys apart.
    pub(super) key: Option<String>,
    /// The sections in which it takes effect, if it is judged event by event.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) parts: Vec<DrawnPart>,
}

/// A section of the server that serves a request.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct DrawnPart {
    /// The line of the event after which it runs.
    pub(super) behind: u64,
    /// Its place among all sections, from 1.
    pub(super) place: usize,
    /// The choices of the server, if there are some.
    pub(super) chosen: Option<String>,
    /// The end of it, and what it sends, in words.
    pub(super) did: String,
}

/// The end that a request had, as its client saw it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum RequestEnd {
    /// It was answered.
    Answered,
    /// The client gave up.
    Lost,
    /// There was neither before the trace ended.
    Open,
    /// No answer was owed, and there was none.
    Unowed,
    /// The server ended the connection.
    Closed,
    /// A peer failed to answer a call.
    Failed,
    /// No request: the server sent a message.
    Message,
    /// No request: the server did something by itself.
    Step,
}

/// The ends of requests, with the words that follow their number.
pub(super) const OUTCOMES: &[(RequestEnd, &str)] = &[
    (RequestEnd::Answered, "answered"),
    (RequestEnd::Unowed, "without an answer, as none was owed"),
    (RequestEnd::Lost, "given up"),
    (RequestEnd::Open, "never answered"),
    (RequestEnd::Closed, "left without an answer as the server ended the connection"),
];

impl DrawnRequest {
    /// Tests whether it was sent on a line, or ended there.
    pub(super) fn has(&self, line: u64) -> bool {
        self.sent == line || self.end == Some(line)
    }

    pub(super) fn is(&self, outcome: RequestEnd) -> bool {
        self.outcome == outcome
    }

    /// Tests whether it has a place in an order.
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

    /// It ends so on a line.
    pub(super) fn ends(&mut self, (outcome, answer): (RequestEnd, Option<String>), line: u64) {
        (self.outcome, self.answer, self.end) = (outcome, answer, Some(line));
    }

    /// Tests whether a client asked it.
    fn is_asked(&self) -> bool {
        !matches!(self.outcome, RequestEnd::Message | RequestEnd::Step) && self.client.parse::<u64>().is_ok()
    }
}

/// Those that clients asked.
pub(super) fn asked(requests: &[DrawnRequest]) -> impl Iterator<Item = &DrawnRequest> {
    requests.iter().filter(|request| request.is_asked())
}

/// The number of different clients.
pub(super) fn clients(requests: &[DrawnRequest]) -> usize {
    asked(requests).map(|request| request.client.as_str()).collect::<BTreeSet<_>>().len()
}

/// Writes values of a specification as texts.
pub(super) struct RequestTexts<'s> {
    spec: &'s Spec,
    served: &'s ServedRequests,
    keys: Option<RequestKeys>,
}

impl<'s> RequestTexts<'s> {
    pub(super) fn new(spec: &'s Spec, served: &'s ServedRequests) -> RequestTexts<'s> {
        RequestTexts { spec, served, keys: RequestKeys::of(&spec.program) }
    }

    /// A request of concurrent clients.
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

    /// A request that was answered before the next one was sent.
    pub(super) fn synchronous(&self, exchange: &Exchange, place: Option<usize>) -> DrawnRequest {
        let (outcome, answer) = match &exchange.observed {
            Observed::Answer(answer) => (RequestEnd::Answered, Some(self.answer(answer))),
            Observed::Any => (RequestEnd::Answered, None),
            Observed::Nothing => (RequestEnd::Unowed, None),
            Observed::Lost => (RequestEnd::Lost, None),
            // It is a mark, and no request.
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
