//! A HAR file, as browsers and proxies write it, read as the events of a trace by the `http` block of a specification.
//!
//! ```text
//! {"log": {"entries": [{"startedDateTime": "2026-01-02T10:00:00.120Z", "time": 35.5,
//!     "request": {"method": "GET", "url": "http://localhost:8080/kv/a", "headers": []},
//!     "response": {"status": 200, "headers": [], "content": {"text": "5"}}}]}}
//! ```
//!
//! The events are in the order of their times. Requests that overlap are sent by different clients. Times are rounded to milliseconds, so
//! an answer may have arrived a millisecond later than its time. The number of an event is the line that `mayhap convert` writes it on;
//! reports name the entry.
//!
//! An answer that the specification does not have leaves open what its request did, as if it had been lost.
//!
//! A request may be foreign to the specification. If it also may have changed something, it becomes a restart after which the server is in
//! any state. Other requests that were under way then are sent once before and once after this restart, and their answers become unknown:
//!
//! ```text
//! c1 ├── Put ─────────┤                {"c": 1, "q": Put}  {"restart": true}  {"c": 1, "q": Put}  {"c": 1, "a": {"$any": null}}
//!       ├─ a login ─┤
//! ```

mod content;
mod counts;
mod file;
mod order;

pub use counts::HarCounts;

use std::collections::{BTreeSet, VecDeque};
use std::io::BufRead;
use std::sync::Arc;

use super::error::TraceError;
use super::event::TraceEvent;
use super::places::{EventPlace, Places};
use crate::http::{HttpHead, HttpMessage, answer_of, is_refusal, request_of, requests_of_unknown_content};
use crate::json;
use crate::spec::Spec;
use crate::value::Value;
use content::KnownContent;
use file::{CacheMark, HarAddress, HarEntry, HarFile, HarResponse, headers};
use order::{EntryTime, NamedEntry, TimedExchange, in_order};

/// A reader of the events of a HAR file.
#[derive(Debug)]
pub struct HarTrace<R> {
    spec: Arc<Spec>,
    /// The prefix of the URLs of the entries to read; all entries are read if there is none.
    url: Option<String>,
    input: Option<R>,
    events: VecDeque<TraceEvent<Value>>,
    places: Places,
    counts: HarCounts,
    /// The times of foreign requests that may have changed something.
    changes: Vec<(EntryTime, NamedEntry)>,
}

/// An answer, as far as a file shows it.
enum ShownAnswer {
    /// No answer came.
    Lost,
    /// Some answer of the server, which is not known.
    Unknown,
    /// This answer.
    Message(HttpMessage),
}

impl<R: BufRead> HarTrace<R> {
    /// A reader that reads the file when the first event is asked for. Only entries whose URL begins with `url` are read; the rest of the
    /// URL is the path.
    pub fn open(spec: &Arc<Spec>, input: R, url: Option<String>) -> HarTrace<R> {
        let (events, places, counts) = (VecDeque::new(), Places::default(), HarCounts::default());
        HarTrace { spec: spec.clone(), url, input: Some(input), events, places, counts, changes: Vec::new() }
    }

    /// The next event; none after the last.
    ///
    /// # Errors
    /// The file cannot be read, or is no HAR file; or an entry of the service cannot be read.
    pub fn next_event(&mut self) -> Result<Option<TraceEvent<Value>>, TraceError> {
        if let Some(mut input) = self.input.take() {
            let mut bytes = Vec::new();
            input.read_to_end(&mut bytes).map_err(|cause| TraceError::unreadable(1, &cause))?;
            self.read(&bytes)?;
        }
        Ok(self.events.pop_front())
    }

    /// The numbers of entries so far.
    pub fn counts(&self) -> &HarCounts {
        &self.counts
    }

    /// The places of the events.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// Reads the events of a file, with their places.
    fn read(&mut self, bytes: &[u8]) -> Result<(), TraceError> {
        let entries = self.entries(bytes)?;
        self.is_of_one_host(&entries).map_err(|why| TraceError::in_all(1, why))?;
        let mut exchanges = Vec::new();
        for (named, entry) in &entries {
            let Some(entry) = entry else { continue };
            let HarEntry { request, .. } = entry;
            let method = request.method.as_deref().unwrap_or("?");
            let exchange = self.exchange(entry, named).map_err(|why| {
                let message = format!("{method} {}: {why}", request.url);
                TraceError::in_all(1, message).in_place(named.to_string())
            });
            exchanges.extend(exchange?);
        }
        for (event, NamedEntry { number, started }) in in_order(exchanges, &self.changes) {
            self.places.note(event.line, EventPlace::Entry { entry: number, started });
            self.events.push_back(event);
        }
        Ok(())
    }

    /// The entries of a file with their names; one of another site that cannot be read is none.
    fn entries(&mut self, bytes: &[u8]) -> Result<Vec<(NamedEntry, Option<HarEntry>)>, TraceError> {
        let wrong = |line, message: String| TraceError::in_all(line, message);
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let text = str::from_utf8(bytes).map_err(|error| {
            let line = memchr::memchr_iter(b'\n', &bytes[..error.valid_up_to()]).count() as u64 + 1;
            wrong(line, "this is not UTF-8".to_owned())
        })?;
        if self.spec.http.is_none() {
            let name = &self.spec.program.name;
            return Err(wrong(1, format!("a HAR file is of HTTP, and the specification {name} has no http block")));
        }
        let file: HarFile = json::from_text(text).map_err(|error| {
            let (before, _) = text.split_at(error.offset);
            let line = before.rfind('\n').map_or(0, |at| at + 1);
            let whole = text[line..].lines().next().unwrap_or_default().as_bytes();
            let number = memchr::memchr_iter(b'\n', before.as_bytes()).count() as u64 + 1;
            TraceError::in_line(number, whole, error.offset - line, format!("this is no HAR file: {}", error.message))
        })?;
        (1..).zip(&file.log.entries).map(|(number, raw)| self.entry(number, &raw.0)).collect()
    }

    fn entry(&mut self, number: u64, text: &str) -> Result<(NamedEntry, Option<HarEntry>), TraceError> {
        let why = match json::from_text::<HarEntry>(text) {
            Ok(entry) => return Ok((NamedEntry { number, started: (*entry.started_date_time).into() }, Some(entry))),
            Err(error) => error.message.clone(),
        };
        let (url, started) = match json::from_text::<HarAddress>(text) {
            Ok(address) => (Some(address.request.url), address.started_date_time),
            Err(_) => (None, None),
        };
        let started = started.unwrap_or_else(|| "at an unknown time".to_owned());
        let named = NamedEntry { number, started: started.into() };
        if url.is_some_and(|url| self.target(&url).is_none()) {
            self.counts.entries += 1;
            self.counts.elsewhere += 1;
            return Ok((named, None));
        }
        let message = format!("this is no entry of a HAR file: {why}");
        Err(TraceError::in_all(1, message).in_place(named.to_string()))
    }

    /// Checks that the entries are of one server, or that a URL selects the server.
    fn is_of_one_host(&self, entries: &[(NamedEntry, Option<HarEntry>)]) -> Result<(), String> {
        let entries = entries.iter().filter_map(|(_, entry)| entry.as_ref());
        let hosts = entries.map(|entry| split(&entry.request.url).0.to_ascii_lowercase());
        let hosts: BTreeSet<String> = hosts.filter(|host| host.starts_with("http")).collect();
        match self.url {
            None if hosts.len() > 1 => {
                let listed: Vec<&str> = hosts.iter().map(String::as_str).take(5).collect();
                let more = if hosts.len() > listed.len() { ", …" } else { "" };
                Err(format!(
                    "there are requests to {} servers ({}{more}): --url says which one is meant, as in --url {}",
                    hosts.len(),
                    listed.join(", "),
                    listed.first().unwrap_or(&"http://localhost:8080")
                ))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The path and the query of a URL; none if it is of another server, or of none at all, as that of a `data:` URL.
    fn target(&self, url: &str) -> Option<String> {
        let target = match &self.url {
            None => url.get(..4).filter(|scheme| scheme.eq_ignore_ascii_case("http")).map(|_| split(url).1),
            Some(own) => rest_of(url, own.trim_end_matches('/')).filter(|rest| !rest.starts_with(':')),
        };
        let target = target.filter(|target| target.is_empty() || target.starts_with(['/', '?', '#']))?;
        let target = target.split('#').next().unwrap_or_default();
        Some(if target.starts_with('/') { target.to_owned() } else { format!("/{target}") })
    }

    /// The exchange of an entry; none if the entry is skipped.
    fn exchange(&mut self, entry: &HarEntry, named: &NamedEntry) -> Result<Option<TimedExchange>, String> {
        self.counts.entries += 1;
        let request = &entry.request;
        let Some(target) = self.target(&request.url) else {
            self.counts.elsewhere += 1;
            return Ok(None);
        };
        if entry.from_cache.as_ref().is_some_and(|mark| !matches!(mark, CacheMark::Is(false))) {
            self.counts.cached += 1;
            return Ok(None);
        }
        let head = HttpHead::Request { method: request.method.clone().unwrap_or_default(), target };
        let headers = headers(request.headers.as_ref());
        let mut message = HttpMessage { head, headers, body: None, keeps_alive: true };
        let body = content::of_request(request, &message)?;
        let is_known = body != KnownContent::Unknown;
        message.body = body.bytes();
        let asked = match is_known {
            true => request_of(&self.spec, &message).map_err(|(_, why)| why),
            false => self.request_of_unknown(&message),
        };
        let asked = match asked {
            Ok(asked) => asked,
            Err(why) => return self.foreign(entry, named, &message, &why).map(|()| None),
        };
        self.counts.unknown_requests += u64::from(!is_known);
        let (time, is_safe) = (order::time(entry)?, message.is_safe());
        let exchange =
            |answer| Ok(Some(TimedExchange { entry: named.clone(), time, request: asked.clone(), answer, is_safe }));
        let answer = match self.answer(&message, &entry.response)? {
            ShownAnswer::Lost => return exchange(None),
            ShownAnswer::Unknown => return exchange(Some(Value::Any)),
            ShownAnswer::Message(answer) => answer,
        };
        if is_refusal(&self.spec, &answer) {
            self.counts.refused += 1;
            return Ok(None);
        }
        match answer_of(&self.spec, &asked, &answer) {
            Ok(answer) => exchange(Some(answer)),
            // The client has the answer in its own cache, so it is unknown here.
            Err(_) if answer.status() == Some(304) => exchange(Some(Value::Any)),
            Err(why) => {
                self.counts.unlisted += 1;
                let first = || format!("{named}: {} {}: {why}", request.method.as_deref().unwrap_or("?"), request.url);
                self.counts.first_unlisted.get_or_insert_with(first);
                exchange(None)
            }
        }
    }

    /// The request of a message whose content is not known.
    fn request_of_unknown(&self, message: &HttpMessage) -> Result<Value, String> {
        let mut found = requests_of_unknown_content(&self.spec, message);
        match (found.pop(), found.is_empty()) {
            (Some(only), true) => Ok(only),
            (Some(_), false) => Err("its content is not known, which decides what it asks".to_owned()),
            (None, _) => request_of(&self.spec, message).map_err(|(_, why)| why),
        }
    }

    /// Counts an entry whose request the specification does not describe; it may have changed something.
    fn foreign(
        &mut self,
        entry: &HarEntry,
        named: &NamedEntry,
        message: &HttpMessage,
        why: &str,
    ) -> Result<(), String> {
        self.counts.foreign += 1;
        let method = entry.request.method.as_deref().unwrap_or("?");
        let first = || format!("{method} {}: {why}", entry.request.url);
        self.counts.first_foreign.get_or_insert_with(first);
        if !message.is_safe() {
            self.counts.changing += 1;
            self.changes.push((order::time(entry)?, named.clone()));
        }
        Ok(())
    }

    /// The answer to a request.
    fn answer(&mut self, request: &HttpMessage, response: &HarResponse) -> Result<ShownAnswer, String> {
        let status = response.status.unwrap_or_default();
        if status < 100.0 {
            return Ok(ShownAnswer::Lost);
        }
        let head = HttpHead::Answer { status: status as u16 };
        let headers = headers(response.headers.as_ref());
        let mut message = HttpMessage { head, headers, body: None, keeps_alive: true };
        if request.is_head() || matches!(message.status(), Some(204 | 304)) {
            return Ok(ShownAnswer::Message(message));
        }
        if is_revalidated(request, response) {
            self.counts.revalidated += 1;
            return Ok(ShownAnswer::Unknown);
        }
        match content::of_answer(response, &message)? {
            KnownContent::Unknown => {
                self.counts.without_content += 1;
                Ok(ShownAnswer::Unknown)
            }
            body => {
                message.body = body.bytes();
                Ok(ShownAnswer::Message(message))
            }
        }
    }
}

/// Tests whether a browser shows the content of its cache in the place of a 304: a request with a condition, after which no content was
/// sent.
fn is_revalidated(request: &HttpMessage, response: &HarResponse) -> bool {
    let is_conditional = ["If-None-Match", "If-Modified-Since"].iter().any(|name| request.header(name).is_some());
    let has_content = response.content.as_ref().is_some_and(|content| {
        content.text.as_ref().is_some_and(|text| !text.is_empty()) || content.size.is_some_and(|size| size > 0.0)
    });
    let is_nothing = |size: Option<f64>| size == Some(0.0);
    is_conditional && has_content && (is_nothing(response.body_size) || is_nothing(response.transfer_size))
}

/// A URL in two parts: the server, and the rest.
fn split(url: &str) -> (&str, &str) {
    let host = url.find("://").map_or(0, |at| at + 3);
    url.split_at(url[host..].find(['/', '?', '#']).map_or(url.len(), |at| host + at))
}

/// The rest of a URL after its beginning; the case of the server's name is ignored.
fn rest_of<'u>(url: &'u str, beginning: &str) -> Option<&'u str> {
    let ((host, path), (own_host, own_path)) = (split(url), split(beginning));
    let is_whole = own_path.is_empty();
    match host.get(..own_host.len()) {
        Some(same) if same.eq_ignore_ascii_case(own_host) && (is_whole || host.len() == own_host.len()) => {
            if is_whole {
                url.get(own_host.len()..)
            } else {
                path.strip_prefix(own_path)
            }
        }
        _ => None,
    }
}
