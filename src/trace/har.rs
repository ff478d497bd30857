//! A HAR file, as browsers and proxies write it, read as the events of a trace by the `http` block of a specification.
//!
//! ```text
//! {"log": {"entries": [{"startedDateTime": "2026-01-02T10:00:00.120Z", "time": 35.5,
//!     "request": {"method": "GET", "url": "http://localhost:8080/kv/a", "headers": []},
//!     "response": {"status": 200, "headers": [], "content": {"text": "5"}}}]}}
//! ```
//!
//! The events are in the order of their times. Requests that overlap are sent by different clients. Times are rounded to milliseconds, so
//! an answer may have arrived a millisecond later than its time. The line of an event is its number, counted after a header.
//!
//! A request may be foreign to the specification. If it also may have changed something, it becomes a restart after which the server is in
//! any state. Other requests that were under way then are sent once before and once after this restart, and their answers become unknown:
//!
//! ```text
//! c1 ├── Put ─────────┤                {"c": 1, "q": Put}  {"restart": true}  {"c": 1, "q": Put}  {"c": 1, "a": {"$any": null}}
//!       ├─ a login ─┤
//! ```

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::BufRead;
use std::ops::RangeInclusive;
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::error::TraceError;
use super::event::{EventKind, TraceEvent};
use crate::http::{HttpHead, HttpMessage, answer_of, is_refusal, request_of};
use crate::json;
use crate::spec::Spec;
use crate::value::Value;

/// The time by which an answer may have arrived later than the file says, since times are rounded to milliseconds.
const ROUNDED: SignedDuration = SignedDuration::from_millis(1);

/// A reader of the events of a HAR file.
#[derive(Debug)]
pub struct HarTrace<R> {
    spec: Arc<Spec>,
    /// The prefix of the URLs of the entries to read; all entries are read if there is none.
    url: Option<String>,
    input: Option<R>,
    events: VecDeque<TraceEvent<Value>>,
    counts: HarCounts,
    /// The times of foreign requests that may have changed something.
    changes: Vec<EntryTime>,
}

/// The time from a request to its answer.
type EntryTime = RangeInclusive<Timestamp>;

/// The numbers of entries of a HAR file that were read, and that were skipped, by reason.
#[derive(Clone, Default, Debug)]
pub struct HarCounts {
    /// All entries.
    pub entries: u64,
    /// Entries at other URLs.
    pub elsewhere: u64,
    /// Entries that were answered from a cache.
    pub cached: u64,
    /// Entries that the server refused for now (429).
    pub refused: u64,
    /// Entries whose content was not recorded, so that the answer is unknown.
    pub without_content: u64,
    /// Foreign entries, which match no line of the `http` block.
    pub foreign: u64,
    /// Foreign entries that may have changed the state of the service.
    pub changing: u64,
    first_foreign: Option<String>,
}

#[derive(Deserialize)]
struct Har {
    log: HarLog,
}

#[derive(Deserialize)]
struct HarLog {
    entries: Vec<HarEntry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HarEntry {
    started_date_time: String,
    /// The time from the request to its answer, in milliseconds.
    time: Option<f64>,
    request: HarRequest,
    response: HarResponse,
    /// The mark of an answer from a cache, as Chrome writes it.
    #[serde(rename = "_fromCache")]
    from_cache: Option<CacheMark>,
}

/// The mark of an answer from a cache: a boolean, or the name of the cache.
#[derive(Deserialize)]
#[serde(untagged)]
enum CacheMark {
    Is(bool),
    Named(IgnoredAny),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HarRequest {
    method: String,
    url: String,
    #[serde(default)]
    headers: Vec<HarHeader>,
    post_data: Option<HarContent>,
}

#[derive(Deserialize)]
struct HarResponse {
    #[serde(default)]
    status: f64,
    #[serde(default)]
    headers: Vec<HarHeader>,
    content: Option<HarContent>,
}

#[derive(Deserialize)]
struct HarHeader {
    name: String,
    value: String,
}

#[derive(Deserialize)]
struct HarContent {
    text: Option<String>,
    encoding: Option<String>,
    #[serde(default)]
    size: i64,
}

/// An exchange of the specification, with its times.
struct TimedExchange {
    time: EntryTime,
    request: Value,
    /// The answer, which may be unknown; none if no answer came, so that the request may still be served later.
    answer: Option<Value>,
    /// True if its method changes nothing.
    is_safe: bool,
}

impl<R: BufRead> HarTrace<R> {
    /// A reader that reads the file when the first event is asked for. Only entries whose URL begins with `url` are read; the rest of the
    /// URL is the path.
    pub fn open(spec: &Arc<Spec>, input: R, url: Option<String>) -> HarTrace<R> {
        let (events, counts) = (VecDeque::new(), HarCounts::default());
        HarTrace { spec: spec.clone(), url, input: Some(input), events, counts, changes: Vec::new() }
    }

    /// The next event; none after the last.
    ///
    /// # Errors
    /// The file cannot be read, or is no HAR file; or an answer is not one of the specification.
    pub fn next_event(&mut self) -> Result<Option<TraceEvent<Value>>, TraceError> {
        if let Some(mut input) = self.input.take() {
            let mut bytes = Vec::new();
            input.read_to_end(&mut bytes).map_err(|cause| TraceError::unreadable(1, &cause))?;
            self.events = self.events_of(&bytes)?.into();
        }
        Ok(self.events.pop_front())
    }

    /// The numbers of entries so far.
    pub fn counts(&self) -> &HarCounts {
        &self.counts
    }

    fn events_of(&mut self, bytes: &[u8]) -> Result<Vec<TraceEvent<Value>>, TraceError> {
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
        let har: Har = json::from_text(text).map_err(|error| {
            let (before, _) = text.split_at(error.offset);
            let line = before.rfind('\n').map_or(0, |at| at + 1);
            let whole = text[line..].lines().next().unwrap_or_default().as_bytes();
            let number = memchr::memchr_iter(b'\n', before.as_bytes()).count() as u64 + 1;
            TraceError::in_line(number, whole, error.offset - line, format!("this is no HAR file: {}", error.message))
        })?;
        self.is_of_one_host(&har.log.entries).map_err(|why| wrong(1, why))?;
        let mut exchanges = Vec::new();
        for (at, entry) in har.log.entries.iter().enumerate() {
            let HarRequest { method, url, .. } = &entry.request;
            let exchange = self.exchange(entry);
            let exchange = exchange.map_err(|why| wrong(1, format!("entry {} ({method} {url}): {why}", at + 1)))?;
            exchanges.extend(exchange);
        }
        Ok(in_order(exchanges, &self.changes))
    }

    /// Checks that the entries are of one server, or that a URL selects the server.
    fn is_of_one_host(&self, entries: &[HarEntry]) -> Result<(), String> {
        let hosts = entries.iter().map(|entry| split(&entry.request.url).0.to_ascii_lowercase());
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

    /// The exchange of an entry; none if the entry is skipped.
    fn exchange(&mut self, entry: &HarEntry) -> Result<Option<TimedExchange>, String> {
        self.counts.entries += 1;
        let request = &entry.request;
        let target = match &self.url {
            None => Some(split(&request.url).1),
            Some(url) => rest_of(&request.url, url.trim_end_matches('/')).filter(|rest| !rest.starts_with(':')),
        };
        let Some(target) = target.filter(|target| target.is_empty() || target.starts_with(['/', '?'])) else {
            self.counts.elsewhere += 1;
            return Ok(None);
        };
        if entry.from_cache.as_ref().is_some_and(|mark| !matches!(mark, CacheMark::Is(false))) {
            self.counts.cached += 1;
            return Ok(None);
        }
        let target = target.split('#').next().unwrap_or_default();
        let target = if target.starts_with('/') { target.to_owned() } else { format!("/{target}") };
        let body = request.post_data.as_ref().map(content).transpose()?.flatten();
        let head = HttpHead::Request { method: request.method.clone(), target };
        let message = HttpMessage { head, headers: headers(&request.headers), body, keeps_alive: true };
        let asked = match request_of(&self.spec, &message) {
            Ok(asked) => asked,
            Err((_, why)) => {
                self.counts.foreign += 1;
                let first = || format!("{} {}: {why}", request.method, request.url);
                self.counts.first_foreign.get_or_insert_with(first);
                if !message.is_safe() {
                    self.counts.changing += 1;
                    self.changes.push(time(entry)?);
                }
                return Ok(None);
            }
        };
        let (time, is_safe) = (time(entry)?, message.is_safe());
        let exchange = |answer| Ok(Some(TimedExchange { time: time.clone(), request: asked.clone(), answer, is_safe }));
        if entry.response.status < 100.0 {
            return exchange(None);
        }
        let Some(answer) = self.answer(&message, &entry.response)? else { return exchange(Some(Value::Any)) };
        if is_refusal(&self.spec, &answer) {
            self.counts.refused += 1;
            return Ok(None);
        }
        match answer_of(&self.spec, &asked, &answer) {
            Ok(answer) => exchange(Some(answer)),
            // The client has the answer in its own cache, so it is unknown here.
            Err(_) if answer.status() == Some(304) => exchange(Some(Value::Any)),
            Err(why) => Err(why),
        }
    }

    /// The message of an answer; none if its content was not recorded.
    fn answer(&mut self, request: &HttpMessage, response: &HarResponse) -> Result<Option<HttpMessage>, String> {
        let status = response.status as u16;
        let has_content = !request.is_head() && !matches!(status, 204 | 304);
        let mut body = None;
        if let Some(own) = response.content.as_ref().filter(|_| has_content) {
            body = content(own)?;
            if body.is_none() && own.size != 0 {
                self.counts.without_content += 1;
                return Ok(None);
            }
        }
        let body = body.or(Some(Vec::new()).filter(|_| has_content));
        let head = HttpHead::Answer { status };
        Ok(Some(HttpMessage { head, headers: headers(&response.headers), body, keeps_alive: true }))
    }
}

impl HarCounts {
    /// A sentence about the skipped entries, if there are any.
    #[must_use]
    pub fn passed_over(&self) -> Option<String> {
        let entries = |n: u64| if n == 1 { "1 entry".to_owned() } else { format!("{n} entries") };
        let none = if self.foreign == 1 { "is no request" } else { "are no requests" };
        let first = self.first_foreign.as_deref().unwrap_or_default();
        let parts = [
            (self.elsewhere, format!("{} at other URLs", entries(self.elsewhere))),
            (self.cached, format!("{} from a cache", entries(self.cached))),
            (self.refused, format!("{} refused with 429", entries(self.refused))),
            (self.foreign, format!("{} that {none} of the specification ({first})", entries(self.foreign))),
        ];
        let mut said: Vec<String> = parts.into_iter().filter(|(n, _)| *n > 0).map(|(_, what)| what).collect();
        if !said.is_empty() {
            said = vec![format!("passed over {}", said.join(", "))];
        }
        if self.changing > 0 {
            let (these, may) =
                (entries(self.changing), "may have changed something that the specification says nothing of");
            said.push(format!("{these} of those {may}: what comes after is judged from any state"));
        }
        if self.without_content > 0 {
            said.push(format!("the answers of {} have no content and are not known", entries(self.without_content)));
        }
        (!said.is_empty()).then(|| said.join("; "))
    }
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

/// The headers, without the pseudo-headers of HTTP/2, which replace the first line.
fn headers(headers: &[HarHeader]) -> Vec<(String, Vec<u8>)> {
    let plain = headers.iter().filter(|header| !header.name.starts_with(':'));
    plain.map(|header| (header.name.clone(), header.value.clone().into_bytes())).collect()
}

fn content(content: &HarContent) -> Result<Option<Vec<u8>>, String> {
    let Some(text) = &content.text else { return Ok(None) };
    match content.encoding.as_deref() {
        Some("base64") => {
            BASE64_STANDARD.decode(text).map(Some).map_err(|error| format!("the content is not base64: {error}"))
        }
        Some("") | None => Ok(Some(text.clone().into_bytes())),
        Some(other) => Err(format!("the encoding {other:?} of the content is not known; expected \"base64\"")),
    }
}

/// The order of events at one time, such that requests overlap.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum MomentRank {
    Asked,
    Answered,
    /// A foreign change has ended.
    Changed,
    AskedAgain,
    /// The end of a request whose answer is unknown.
    Unknown,
}

/// The time of the request of an entry, to the time of its answer.
fn time(entry: &HarEntry) -> Result<EntryTime, String> {
    let asked: Timestamp = entry.started_date_time.parse().map_err(|_| {
        let found = &entry.started_date_time;
        format!("expected a time such as 2026-01-02T10:00:00.120Z as startedDateTime, found {found:?}")
    })?;
    // An answer without a duration may have arrived at any later time.
    let lasted = SignedDuration::try_from_secs_f64(entry.time.unwrap_or(-1.0) / 1_000.0)
        .ok()
        .filter(|lasted| !lasted.is_negative());
    let answered = lasted.and_then(|lasted| asked.checked_add(lasted.saturating_add(ROUNDED)).ok());
    Ok(asked..=answered.unwrap_or(Timestamp::MAX).max(asked))
}

/// The events of exchanges and of foreign changes, in the order of their times. The requests are sent by concurrent clients.
fn in_order(mut exchanges: Vec<TimedExchange>, changes: &[EntryTime]) -> Vec<TraceEvent<Value>> {
    exchanges.sort_by_key(|exchange| *exchange.time.start());
    let mut moments: Vec<(Timestamp, MomentRank, Option<u64>, EventKind<Value>)> =
        Vec::with_capacity(2 * exchanges.len());
    // The time at which each client has its answer.
    let mut busy: BTreeMap<u64, Timestamp> = BTreeMap::new();
    for TimedExchange { time, request, answer, is_safe } in exchanges {
        let (asked, answered) = time.into_inner();
        let number = (1..).find(|client| busy.get(client).is_none_or(|until| *until < asked)).unwrap_or_default();
        // A request without an answer may be served at any later time, unless its method changes nothing.
        let is_over = answer.is_some() || is_safe;
        busy.insert(number, if is_over { answered } else { Timestamp::MAX });
        let client = Some(number);
        let is_under_way_in = |change: &&EntryTime| asked <= *change.end() && (!is_over || *change.start() <= answered);
        let meanwhile: Vec<&EntryTime> = changes.iter().filter(is_under_way_in).collect();
        moments.push((asked, MomentRank::Asked, client, EventKind::Request(request.clone())));
        for change in &meanwhile {
            let end = *change.end();
            if !is_over || end <= answered {
                moments.push((end, MomentRank::AskedAgain, client, EventKind::Request(request.clone())));
            }
            if !is_over && end > answered {
                moments.push((end, MomentRank::Unknown, client, EventKind::Lost));
            }
        }
        let (rank, kind) = match answer {
            Some(answer) if meanwhile.is_empty() => (MomentRank::Answered, EventKind::Answer(answer)),
            Some(_) => (MomentRank::Unknown, EventKind::Answer(Value::Any)),
            None => (MomentRank::Unknown, EventKind::Lost),
        };
        moments.push((answered, rank, client, kind));
    }
    moments.extend(changes.iter().map(|change| (*change.end(), MomentRank::Changed, None, EventKind::Restart)));
    moments.sort_by_key(|(time, rank, ..)| (*time, *rank));
    let event = |(at, (_, _, client, kind))| TraceEvent { line: at as u64 + 2, client, kind };
    moments.into_iter().enumerate().map(event).collect()
}
