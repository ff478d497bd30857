//! One line of NDJSON as an event; its query and its answer stay JSON texts.
//!
//! A line with `q` is a whole exchange if it also has `a` or `lost`, or has no `c`. `"a": null` is an answer, a missing `a` is not. Keys
//! without a meaning (`"t"`, `"note"`) are notes: they are skipped, and returned on request. No key may occur twice.

use super::event::{EventKind, PeerEvent, PeerMessage, Response, TraceEvent};
use crate::json::{Decoded, JsonError, Scanner, quoted};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::fmt;

/// The version of the format that this program reads and writes.
const VERSION: u64 = 1;

/// The text of a JSON value in a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Raw<'a> {
    /// Its text, checked to be JSON.
    pub text: &'a str,
    /// The byte of the line at which it begins.
    pub offset: usize,
}

impl fmt::Display for Raw<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

/// The optional first line of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// The version of the format.
    pub version: u64,
    /// The name of the specification that the trace was recorded for.
    pub spec: Option<String>,
    /// True if the server may start in any state: `"state": "any"`.
    pub begins_in_any_state: bool,
    /// True if the server may be in any state after each restart: `"restarts": "any"`. A restart then stands for changes that nobody
    /// recorded.
    pub restarts_in_any_state: bool,
}

impl Header {
    /// The header of a trace for a specification, whose server starts in its initial state.
    #[must_use]
    pub fn of(spec: &str) -> Header {
        let spec = Some(spec.to_owned());
        Header { version: VERSION, spec, begins_in_any_state: false, restarts_in_any_state: false }
    }
}

/// Writes the line, without its end.
impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{\"mayhap\": {}", self.version)?;
        if let Some(spec) = &self.spec {
            write!(f, ", \"spec\": {}", quoted(spec))?;
        }
        for (key, is_any) in [("state", self.begins_in_any_state), ("restarts", self.restarts_in_any_state)] {
            if is_any {
                write!(f, ", \"{key}\": \"any\"")?;
            }
        }
        f.write_str("}")
    }
}

/// A line that is an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceLine<'a> {
    /// The event.
    pub event: TraceEvent<Raw<'a>>,
    /// The whole line, without its end.
    pub text: &'a str,
}

impl<'a> TraceLine<'a> {
    /// The notes of the line: the keys without a meaning for a verdict, with the texts of their values.
    #[must_use]
    pub fn notes(&self) -> Vec<(String, &'a str)> {
        let mut notes = Vec::new();
        let read = for_each_key(self.text, |key, value| {
            if EventKeys::default().slot(&key).is_none() {
                notes.push((key.into_owned(), value.text));
            }
            Ok(())
        });
        debug_assert!(read.is_ok(), "an event's line reads twice");
        notes
    }
}

/// A line that was read: an event or the header.
pub(super) enum Record<'a> {
    Event(TraceEvent<Raw<'a>>),
    Header(Header),
}

/// Tests whether a key of a line has a meaning, so that it cannot be a note.
pub(super) fn is_meaningful(key: &str) -> bool {
    EventKeys::default().slot(key).is_some()
}

/// Tests whether a line begins with the key `wait` or `together` and is no event: it only controls how a script is run again.
pub(super) fn is_pause(text: &str) -> bool {
    let mut scanner = Scanner::new(text);
    let opens = scanner.eat(b'{') && scanner.peek() == Some(b'"');
    let begin = &text.as_bytes()[scanner.offset()..];
    let may_be = opens && (begin.starts_with(b"\"wait\"") || begin.starts_with(b"\"together\""));
    may_be && {
        let mut fields = EventKeys::default();
        let read = for_each_key(text, |key, value| {
            fields.slot(&key).map(|slot| slot.replace(value));
            Ok(())
        });
        read.is_ok() && fields.is_empty()
    }
}

/// Reads a line; the offset of an error is in `text`.
pub(super) fn parse(text: &str, line: u64) -> Decoded<Record<'_>> {
    let mut fields = EventKeys::default();
    let mut notes: SmallVec<[(Cow<'_, str>, Raw<'_>); 4]> = SmallVec::new();
    let end = for_each_key(text, |key, value| {
        let is_new = match fields.slot(&key) {
            Some(slot) => slot.replace(value).is_none(),
            None => !notes.iter().any(|(note, _)| *note == key),
        };
        if !is_new {
            return Err(JsonError::new(value.offset, format!("duplicate key {key:?}")));
        }
        if fields.slot(&key).is_none() {
            notes.push((key, value));
        }
        Ok(())
    })?;
    match fields.version {
        Some(version) => fields.header(version, &notes).map(Record::Header),
        None => {
            let is_sent = notes.iter().any(|(key, value)| key == "sent" && value.text == "true");
            fields.event(line, end, is_sent).map(Record::Event)
        }
    }
}

/// The error of a file whose events are the elements of one array.
const ARRAY: &str = "expected an event, found an array: a recording has one event a line, and `jq -c '.[]' FILE` writes an array of events so";

/// Calls `found` for each key of the object in `text`; returns the offset of its end.
fn for_each_key<'a>(text: &'a str, mut found: impl FnMut(Cow<'a, str>, Raw<'a>) -> Decoded<()>) -> Decoded<usize> {
    let mut scanner = Scanner::new(text);
    if scanner.peek() == Some(b'[') {
        return Err(JsonError::new(scanner.offset(), ARRAY));
    }
    if !scanner.eat(b'{') {
        return Err(scanner.expected("an event: an object on one line, such as {\"q\": 5, \"a\": 1}"));
    }
    if scanner.eat(b'}') {
        return finish(scanner);
    }
    loop {
        if scanner.peek().is_none() {
            return Err(scanner.expected("the rest of the event on the same line"));
        }
        let key = scanner.string()?;
        scanner.expect(b':')?;
        let value = scanner.skip()?;
        found(key, Raw { text: value, offset: scanner.offset() - value.len() })?;
        if !scanner.eat(b',') {
            break;
        }
    }
    if !scanner.eat(b'}') {
        return Err(scanner.expected("`,` or `}` on the same line"));
    }
    finish(scanner)
}

fn finish(mut scanner: Scanner<'_>) -> Decoded<usize> {
    let end = scanner.offset();
    if scanner.peek().is_some() {
        return Err(scanner.expected("the end of the line after the event"));
    }
    Ok(end - 1)
}

/// The values of the keys with a meaning.
#[derive(Default)]
struct EventKeys<'a> {
    query: Option<Raw<'a>>,
    answer: Option<Raw<'a>>,
    client: Option<Raw<'a>>,
    lost: Option<Raw<'a>>,
    closed: Option<Raw<'a>>,
    left: Option<Raw<'a>>,
    restart: Option<Raw<'a>>,
    peer: Option<Raw<'a>>,
    key: Option<Raw<'a>>,
    version: Option<Raw<'a>>,
    spec: Option<Raw<'a>>,
}

impl<'a> EventKeys<'a> {
    fn slot(&mut self, key: &str) -> Option<&mut Option<Raw<'a>>> {
        match key {
            "q" => Some(&mut self.query),
            "a" => Some(&mut self.answer),
            "c" => Some(&mut self.client),
            "lost" => Some(&mut self.lost),
            "closed" => Some(&mut self.closed),
            "left" => Some(&mut self.left),
            "restart" => Some(&mut self.restart),
            "peer" => Some(&mut self.peer),
            "key" => Some(&mut self.key),
            "mayhap" => Some(&mut self.version),
            "spec" => Some(&mut self.spec),
            _ => None,
        }
    }

    fn is_empty(&self) -> bool {
        let EventKeys { query, answer, client, lost, closed, left, restart, peer, key, version, spec } = self;
        [query, answer, client, lost, closed, left, restart, peer, key, version, spec].iter().all(|slot| slot.is_none())
    }

    /// The event of a line; `is_sent` is set if the line says when the answer of a peer was sent.
    fn event(&self, line: u64, end: usize, is_sent: bool) -> Decoded<TraceEvent<Raw<'a>>> {
        for flag in [self.lost, self.closed, self.left, self.restart].into_iter().flatten() {
            is_true(flag)?;
        }
        if let Some(restart) = self.restart {
            self.alone(restart, &[self.query, self.answer, self.client, self.lost, self.closed, self.left, self.peer])?;
            return Ok(TraceEvent { line, client: None, kind: EventKind::Restart });
        }
        let number = self.client.map(natural).transpose()?;
        if self.peer.is_some() {
            let kind = self.peer_event(number, end, is_sent).map(EventKind::Peer)?;
            return Ok(TraceEvent { line, client: None, kind });
        }
        Ok(TraceEvent { line, client: number, kind: self.kind(end)? })
    }

    fn kind(&self, end: usize) -> Decoded<EventKind<Raw<'a>>> {
        if let Some(closed) = self.closed {
            self.alone(closed, &[self.query, self.answer, self.lost, self.left])?;
            self.needs_client(end, "the end of a connection")?;
            return Ok(EventKind::Closed);
        }
        if let Some(left) = self.left {
            self.alone(left, &[self.query, self.answer, self.lost])?;
            self.needs_client(end, "a client that ended its connection")?;
            return Ok(EventKind::Left);
        }
        if let (Some(_), Some(lost)) = (self.answer, self.lost) {
            return Err(JsonError::new(lost.offset, "an event cannot both have an answer (\"a\") and be \"lost\""));
        }
        match (self.query, self.answer) {
            (Some(query), Some(answer)) => Ok(EventKind::Exchange { query, reply: Response::Answer(answer) }),
            (Some(query), None) if self.lost.is_some() => Ok(EventKind::Exchange { query, reply: Response::Lost }),
            (Some(query), None) if self.client.is_none() => Ok(EventKind::Exchange { query, reply: Response::NotOwed }),
            (Some(query), None) => Ok(EventKind::Request(query)),
            (None, Some(answer)) => {
                self.needs_client(end, "an answer without its request").map(|()| EventKind::Answer(answer))
            }
            (None, None) if self.lost.is_some() => {
                self.needs_client(end, "a client that gave up").map(|()| EventKind::Lost)
            }
            (None, None) => Err(JsonError::new(
                end,
                "expected one of the keys \"q\" (a request), \"a\" (its answer), \"lost\", \"closed\", \"left\" and \"restart\"",
            )),
        }
    }

    fn peer_event(&self, exchange: Option<u64>, end: usize, is_sent: bool) -> Decoded<PeerEvent<Raw<'a>>> {
        let peer = self.peer.map(text).transpose()?.unwrap_or_default();
        let exchange =
            exchange.ok_or_else(|| JsonError::new(end, "a call to a peer needs its number: the key \"c\""))?;
        let message = match (self.query, self.answer, self.lost, self.closed) {
            (Some(query), None, None, None) => PeerMessage::Call(query),
            (None, Some(answer), None, None) if is_sent => PeerMessage::Sent(answer),
            (None, Some(answer), None, None) => PeerMessage::Answer(answer),
            (None, None, Some(_), None) => PeerMessage::Lost,
            _ => return Err(JsonError::new(end, "expected exactly one of \"q\", \"a\" and \"lost\" beside \"peer\"")),
        };
        Ok(PeerEvent { peer, key: self.key, exchange, message })
    }

    fn header(&self, version: Raw<'a>, notes: &[(Cow<'a, str>, Raw<'a>)]) -> Decoded<Header> {
        let others = [self.query, self.answer, self.client, self.lost, self.closed, self.restart, self.peer];
        self.alone(version, &others)?;
        let number = natural(version)?;
        if number != VERSION {
            let message =
                format!("unsupported version {number} of the trace format; this program reads version {VERSION}");
            return Err(JsonError::new(version.offset, message));
        }
        let is_any = |key: &str| match notes.iter().find(|(note, _)| note == key) {
            Some((_, value)) if value.text != "\"any\"" => Err(JsonError::new(value.offset, "expected \"any\"")),
            found => Ok(found.is_some()),
        };
        Ok(Header {
            version: number,
            spec: self.spec.map(text).transpose()?,
            begins_in_any_state: is_any("state")?,
            restarts_in_any_state: is_any("restarts")?,
        })
    }

    /// Checks that none of `others` is on the same line as `this`.
    fn alone(&self, this: Raw<'a>, others: &[Option<Raw<'a>>]) -> Decoded<()> {
        match others.iter().flatten().next() {
            None => Ok(()),
            Some(other) => {
                Err(JsonError::new(other.offset.max(this.offset), "these keys cannot be combined on one line"))
            }
        }
    }

    fn needs_client(&self, end: usize, what: &str) -> Decoded<()> {
        match self.client {
            Some(_) => Ok(()),
            None => Err(JsonError::new(end, format!("{what} needs its connection: the key \"c\""))),
        }
    }
}

fn is_true(flag: Raw<'_>) -> Decoded<()> {
    if flag.text == "true" { Ok(()) } else { Err(JsonError::new(flag.offset, "expected `true`")) }
}

fn natural(number: Raw<'_>) -> Decoded<u64> {
    let error = || JsonError::new(number.offset, format!("expected a number from 0 to {}", u64::MAX));
    number.text.parse().map_err(|_| error())
}

fn text(value: Raw<'_>) -> Decoded<String> {
    let string = Scanner::new(value.text).string();
    string.map(Cow::into_owned).map_err(|error| error.shifted_by(value.offset))
}
