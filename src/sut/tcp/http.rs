//! Requests and answers of HTTP/1.1 on a connection, by the `http` block of a specification.
//!
//! A connection that the server ends between two requests is not noticed: the next request makes another one. A request that is under way
//! then is lost.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use super::dialect::{Dialect, SeenThings};
use crate::http::{
    Framing, HttpHead, HttpMessage, MalformedMessage, MessageBuffer, answer_of, is_header_said, is_refusal,
    message_of_request, retry_after, says_all_headers,
};
use crate::spec::Spec;
use crate::sut::{SutEventKind, SutFailure, SutFailureKind};
use crate::value::Value;

/// The time to wait after a refusal (429) that does not say how long.
const PAUSE: Duration = Duration::from_secs(1);
/// The longest time to wait after a refusal.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// The requests and answers of a specification as HTTP.
pub(crate) struct HttpDialect {
    spec: Arc<Spec>,
    /// The path that stands before that of each request.
    prefix: String,
    /// The headers of every request: those that a client has, and those that the user wants.
    own: Vec<(String, Vec<u8>)>,
    given: Vec<(String, Vec<u8>)>,
    /// The moment before which nothing is asked, after a refusal.
    paused: Option<Instant>,
}

/// A connection.
#[derive(Default)]
pub(crate) struct HttpLink {
    buffer: MessageBuffer,
    /// The requests without an answer, in their order; none for one that has no form on the wire.
    asked: VecDeque<Option<AskedRequest>>,
    is_over: bool,
}

/// A request that was sent.
struct AskedRequest {
    request: Value,
    framing: Framing,
}

impl HttpDialect {
    /// The requests of a specification to this host, each with these headers besides.
    pub(crate) fn new(spec: &Arc<Spec>, host: &str, prefix: &str, headers: &[(String, String)]) -> HttpDialect {
        let own = [("Host", host), ("User-Agent", "mayhap"), ("Accept", "*/*")];
        let is_given = |name: &str| headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
        let own = own.into_iter().filter(|(name, _)| !is_given(name));
        let own = own.map(|(name, value)| (name.to_owned(), value.as_bytes().to_vec()));
        let given = headers.iter().map(|(name, value)| (name.clone(), value.as_bytes().to_vec()));
        HttpDialect {
            spec: spec.clone(),
            prefix: prefix.trim_end_matches('/').to_owned(),
            own: own.collect(),
            given: given.collect(),
            paused: None,
        }
    }

    /// The message of a request, with the headers that each has and its line says nothing of.
    fn message(&self, request: &Value) -> Option<HttpMessage> {
        let mut message = message_of_request(&self.spec, request)?;
        if let HttpHead::Request { target, .. } = &mut message.head
            && target.starts_with('/')
        {
            target.insert_str(0, &self.prefix);
        }
        let is_said = |name: &str| is_header_said(&self.spec, request, name);
        let (says_all, has_host) = (says_all_headers(&self.spec, request), message.header("Host").is_some());
        let is_needed = |name: &str| if name == "Host" { !has_host } else { !says_all };
        let own = self.own.iter().filter(|(name, _)| is_needed(name));
        let mut headers: Vec<_> = own.chain(&self.given).filter(|(name, _)| !is_said(name)).cloned().collect();
        // The type of the content is only a guess if the line says nothing of it.
        let is_given = |name: &str| headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
        message.headers.retain(|(name, _)| !is_given(name));
        headers.append(&mut message.headers);
        Some(HttpMessage { headers, ..message })
    }

    /// The meaning of an answer.
    fn meaning(&mut self, request: &Value, message: &HttpMessage, shown: &str) -> Result<SutEventKind, SutFailure> {
        let why = match answer_of(&self.spec, request, message) {
            Ok(answer) => return Ok(SutEventKind::Answer(answer)),
            Err(why) => why,
        };
        if is_refusal(&self.spec, message) {
            let pause = retry_after(message, SystemTime::now()).unwrap_or(PAUSE).min(LONGEST_PAUSE);
            self.paused = self.paused.max(Some(Instant::now() + pause));
            return Ok(SutEventKind::Refused);
        }
        let what = format!("{shown} is no answer of the specification: {why}");
        Err(SutFailure::new(SutFailureKind::Violation, what))
    }

    /// The next thing that the client of a connection sees, if it is there.
    fn next(&mut self, link: &mut HttpLink) -> Option<Result<SutEventKind, SutFailure>> {
        let Some(AskedRequest { request, framing }) = link.asked.front()?.as_ref() else {
            link.asked.pop_front();
            return Some(Ok(SutEventKind::Refused));
        };
        if link.is_over {
            // The others are lost with it.
            link.asked.clear();
            return Some(Ok(SutEventKind::Lost));
        }
        let found = match link.buffer.answer(*framing) {
            Ok(message) => {
                let message = message?;
                link.is_over = !message.keeps_alive;
                self.meaning(request, &message, &link.buffer.shown())
            }
            Err(malformed) => {
                link.is_over = true;
                Err(not_http(&malformed))
            }
        };
        link.asked.pop_front();
        Some(found)
    }

    fn take_all(&mut self, link: &mut HttpLink, seen: &mut SeenThings) {
        while let Some(found) = self.next(link) {
            seen.push_back(found);
        }
    }
}

impl Dialect for HttpDialect {
    type Link = HttpLink;

    fn ask(&mut self, link: &mut HttpLink, request: &Value, out: &mut Vec<u8>, seen: &mut SeenThings) {
        let asked = self.message(request).map(|message| {
            message.write_to(out);
            let framing = if message.is_head() { Framing::HeadersOnly } else { Framing::Whole };
            AskedRequest { request: request.clone(), framing }
        });
        link.asked.push_back(asked);
        self.take_all(link, seen);
    }

    fn take(&mut self, link: &mut HttpLink, bytes: &[u8], seen: &mut SeenThings) {
        link.buffer.push(bytes);
        self.take_all(link, seen);
        if link.asked.is_empty() && !link.buffer.rest().is_empty() {
            link.is_over = true;
            // A server may say that it has waited long enough, and ends the connection.
            if !link.buffer.rest().starts_with(b"HTTP/1.1 408") {
                let why = "nobody asked for this".to_owned();
                let malformed = MalformedMessage { why, bytes: link.buffer.rest().to_vec() };
                seen.push_back(Err(not_http(&malformed)));
            }
        }
    }

    fn is_end_seen(&self, link: &HttpLink) -> bool {
        !link.asked.is_empty()
    }

    fn is_over(&self, link: &HttpLink) -> bool {
        link.is_over
    }

    fn paused(&self) -> Option<Instant> {
        self.paused
    }

    fn end(&mut self, link: &mut HttpLink, seen: &mut SeenThings) {
        link.buffer.end();
        self.take_all(link, seen);
        link.is_over = true;
        self.take_all(link, seen);
    }
}

fn not_http(malformed: &MalformedMessage) -> SutFailure {
    SutFailure::new(SutFailureKind::Violation, malformed.to_string())
}
