//! Requests and answers of HTTP/1.1 on a connection, by the `http` block of a specification.
//!
//! If the server ends a connection between two requests, the client does not notice, and its next request gets another
//! connection. A request under way at the end of a connection is lost.
//!
//! Bytes after an answer that do not begin another one are a mistake of this answer: content after the answer to a `HEAD` request, or
//! more content than its `Content-Length` says. They may come before or after the client sends its next request.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use super::dialect::{Dialect, SeenThings};
use crate::http::{
    Framing, HttpHead, HttpMessage, MalformedMessage, MessageBuffer, answer_of, is_header_said, is_refusal,
    message_of_request, retry_after, says_all_headers, shown_message,
};
use crate::spec::Spec;
use crate::sut::{SutEventKind, SutFailure, SutFailureKind, UnfitAnswer};
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
    /// Set if no further request can be sent on the connection.
    is_over: bool,
    /// The last answer.
    last: Option<LastAnswer>,
}

/// The last answer on a connection.
struct LastAnswer {
    /// Its first bytes, as they are shown.
    shown: String,
    /// Set if it must have no content, although its headers promise some.
    is_bare: bool,
}

/// A request that was sent.
pub(crate) struct AskedRequest {
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
        let unfit = Some(UnfitAnswer { status: message.status().unwrap_or_default(), why });
        Err(SutFailure { unfit, ..SutFailure::new(SutFailureKind::Violation, what) })
    }

    /// The next event of the client, if it can be read yet.
    fn next(&mut self, link: &mut HttpLink) -> Option<Result<SutEventKind, SutFailure>> {
        let Some(AskedRequest { request, framing }) = link.asked.front()?.as_ref() else {
            link.asked.pop_front();
            return Some(Ok(SutEventKind::Unsent));
        };
        if link.is_over {
            // The other requests of the connection are lost, too, whatever the server still sends.
            link.leave();
            return Some(Ok(SutEventKind::Lost));
        }
        if let Some(last) = link.last.as_ref().filter(|_| !link.buffer.may_begin_message()) {
            let failure = after(last, link.buffer.rest());
            link.leave();
            return Some(Err(failure));
        }
        let found = match link.buffer.answer(*framing) {
            Ok(message) => {
                let message = message?;
                link.is_over = !message.keeps_alive;
                let shown = link.buffer.shown();
                let found = self.meaning(request, &message, &shown);
                link.last = Some(LastAnswer { shown, is_bare: is_bare(*framing, &message) });
                found
            }
            Err(malformed) => {
                link.leave();
                return Some(Err(not_http(&malformed)));
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
    type Asked = AskedRequest;

    fn write(&mut self, request: &Value, out: &mut Vec<u8>) -> Option<AskedRequest> {
        let message = self.message(request)?;
        message.write_to(out);
        let framing = if message.is_head() { Framing::HeadersOnly } else { Framing::Whole };
        Some(AskedRequest { request: request.clone(), framing })
    }

    fn ask(&mut self, link: &mut HttpLink, asked: Option<AskedRequest>, seen: &mut SeenThings) {
        link.asked.push_back(asked);
        self.take_all(link, seen);
    }

    fn take(&mut self, link: &mut HttpLink, bytes: &[u8], seen: &mut SeenThings) {
        if self.is_left(link) {
            return;
        }
        link.buffer.push(bytes);
        self.take_all(link, seen);
        let rest = link.buffer.rest();
        if link.asked.is_empty() && !rest.is_empty() && !self.is_left(link) {
            // A server may end an idle connection with the status 408.
            if !rest.starts_with(b"HTTP/1.1 408") {
                seen.push_back(Err(match &link.last {
                    Some(last) => after(last, rest),
                    None => not_http(&MalformedMessage::of("nobody asked for this", rest)),
                }));
            }
            link.leave();
        }
    }

    fn take_end(&mut self, link: &mut HttpLink, seen: &mut SeenThings) {
        let Some(Some(AskedRequest { framing, .. })) = link.asked.front() else { return };
        if link.buffer.is_whole_at_end(*framing) {
            link.buffer.end();
            self.take_all(link, seen);
        }
    }

    fn is_end_seen(&self, link: &HttpLink) -> bool {
        !link.asked.is_empty()
    }

    fn is_over(&self, link: &HttpLink) -> bool {
        link.is_over
    }

    fn is_left(&self, link: &HttpLink) -> bool {
        // If the server has said that it closes the connection, it is read up to its end, as content may follow that is too much.
        link.is_over && link.asked.is_empty() && link.last.is_none()
    }

    fn is_late(&self, link: &HttpLink) -> bool {
        link.asked.is_empty() && link.last.as_ref().is_some_and(|last| last.is_bare || link.is_over)
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

impl HttpLink {
    /// Notes that the client uses the connection no longer.
    fn leave(&mut self) {
        self.is_over = true;
        self.asked.clear();
        self.last = None;
    }
}

/// Tests whether an answer must have no content, although its headers promise some. Without a promise only the answer to a `HEAD`
/// request is likely to have content.
fn is_bare(framing: Framing, message: &HttpMessage) -> bool {
    let (length, is_head) = (message.header("Content-Length"), framing == Framing::HeadersOnly);
    let is_promised = length.map_or(is_head, |length| length != "0") || message.header("Transfer-Encoding").is_some();
    is_promised && (is_head || matches!(message.status(), Some(204 | 304)))
}

fn not_http(malformed: &MalformedMessage) -> SutFailure {
    SutFailure::new(SutFailureKind::Violation, malformed.to_string())
}

/// The failure that bytes follow an answer which do not belong to it.
fn after(last: &LastAnswer, bytes: &[u8]) -> SutFailure {
    let what = match last.is_bare {
        true => format!("{} must have no content, and is followed by {}", last.shown, shown_message(bytes)),
        false => format!("{} is followed by bytes that nobody asked for: {}", last.shown, shown_message(bytes)),
    };
    SutFailure::new(SutFailureKind::Violation, what).of_last_answer()
}
