//! Requests and answers of HTTP/1.1 on a connection, by the `http` block of a specification.
//!
//! If the server ends a connection between two requests, the client does not notice, and its next request gets another
//! connection. A request under way at the end of a connection is lost.

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

/// The wait after a refusal (429) that gives no time.
const PAUSE: Duration = Duration::from_secs(1);
/// The longest wait after a refusal.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// The requests and answers of a specification, in HTTP.
pub(crate) struct HttpDialect {
    spec: Arc<Spec>,
    /// The beginning of the path of each request.
    prefix: String,
    /// The headers of each request: the usual ones of a client, and the user's own.
    own: Vec<(String, Vec<u8>)>,
    given: Vec<(String, Vec<u8>)>,
    /// The moment before which nothing is sent, after a refusal.
    paused: Option<Instant>,
}

/// The state of a connection.
#[derive(Default)]
pub(crate) struct HttpLink {
    buffer: MessageBuffer,
    /// The requests without an answer so far, in order; `None` for a request that has no form in HTTP.
    asked: VecDeque<Option<AskedRequest>>,
    is_over: bool,
}

/// A request that was sent.
struct AskedRequest {
    request: Value,
    framing: Framing,
}

impl HttpDialect {
    /// The form of requests to this host, with these additional headers.
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

    /// The message of a request, with the headers that all requests have, unless the specification's line gives them.
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
        // If the specification gives no type for the content, the type is only a guess, which the user's header replaces.
        let is_given = |name: &str| headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
        message.headers.retain(|(name, _)| !is_given(name));
        headers.append(&mut message.headers);
        Some(HttpMessage { headers, ..message })
    }

    /// The event that an answer stands for.
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

    /// The next event of the client, if it can be read yet.
    fn next(&mut self, link: &mut HttpLink) -> Option<Result<SutEventKind, SutFailure>> {
        let Some(AskedRequest { request, framing }) = link.asked.front()?.as_ref() else {
            link.asked.pop_front();
            return Some(Ok(SutEventKind::Refused));
        };
        if link.is_over {
            // The other requests of the connection are lost, too.
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
            // A server may end an idle connection with the status 408.
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
