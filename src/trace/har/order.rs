//! The order of the events of a HAR file, by the times of its entries.
//!
//! Requests that overlap are sent by different clients; a foreign change makes the requests that are under way then unknown.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::super::event::{EventKind, TraceEvent};
use super::file::HarEntry;
use crate::value::Value;

/// The time by which an answer may have arrived later than the file says, since times are rounded to milliseconds.
const ROUNDED: SignedDuration = SignedDuration::from_millis(1);

/// The time from a request to its answer.
pub(super) type EntryTime = RangeInclusive<Timestamp>;

/// An entry, as people find it in a file.
#[derive(Clone, Debug)]
pub(super) struct NamedEntry {
    /// Its number, from 1.
    pub(super) number: u64,
    /// The time at which it started, as the file writes it.
    pub(super) started: Arc<str>,
}

impl fmt::Display for NamedEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "entry {} ({})", self.number, self.started)
    }
}

/// An exchange of the specification, with its times.
pub(super) struct TimedExchange {
    pub(super) entry: NamedEntry,
    pub(super) time: EntryTime,
    pub(super) request: Value,
    /// The answer, which may be unknown; none if no answer came, so that the request may still be served later.
    pub(super) answer: Option<Value>,
    /// True if its method changes nothing.
    pub(super) is_safe: bool,
}

/// The order of events at one time, such that requests overlap.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum EventRank {
    Asked,
    Answered,
    /// A foreign change has ended.
    Changed,
    AskedAgain,
    /// The end of a request whose answer is unknown.
    Unknown,
}

/// An event before it has a number: its time, its rank among events at this time, its client, its content, and its entry.
type TimedEvent = (Timestamp, EventRank, Option<u64>, EventKind<Value>, NamedEntry);

/// The time of the request of an entry, to the time of its answer.
///
/// # Errors
/// The time of the entry is none.
pub(super) fn time(entry: &HarEntry) -> Result<EntryTime, String> {
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
pub(super) fn in_order(
    mut exchanges: Vec<TimedExchange>,
    changes: &[(EntryTime, NamedEntry)],
) -> Vec<(TraceEvent<Value>, NamedEntry)> {
    exchanges.sort_by_key(|exchange| *exchange.time.start());
    let mut moments: Vec<TimedEvent> = Vec::with_capacity(2 * exchanges.len());
    // The time at which each client has its answer.
    let mut busy: BTreeMap<u64, Timestamp> = BTreeMap::new();
    for TimedExchange { entry, time, request, answer, is_safe } in exchanges {
        let (asked, answered) = time.into_inner();
        let number = (1..).find(|client| busy.get(client).is_none_or(|until| *until < asked)).unwrap_or_default();
        // A request without an answer may be served at any later time, unless its method changes nothing.
        let is_over = answer.is_some() || is_safe;
        busy.insert(number, if is_over { answered } else { Timestamp::MAX });
        let client = Some(number);
        let is_under_way_in = |change: &&EntryTime| asked <= *change.end() && (!is_over || *change.start() <= answered);
        let meanwhile: Vec<&EntryTime> = changes.iter().map(|(time, _)| time).filter(is_under_way_in).collect();
        moments.push((asked, EventRank::Asked, client, EventKind::Request(request.clone()), entry.clone()));
        for change in &meanwhile {
            let end = *change.end();
            if !is_over || end <= answered {
                moments.push((end, EventRank::AskedAgain, client, EventKind::Request(request.clone()), entry.clone()));
            }
            if !is_over && end > answered {
                moments.push((end, EventRank::Unknown, client, EventKind::Lost, entry.clone()));
            }
        }
        let (rank, kind) = match answer {
            Some(answer) if meanwhile.is_empty() => (EventRank::Answered, EventKind::Answer(answer)),
            Some(_) => (EventRank::Unknown, EventKind::Answer(Value::Any)),
            None => (EventRank::Unknown, EventKind::Lost),
        };
        moments.push((answered, rank, client, kind, entry));
    }
    let changed = |(time, entry): &(EntryTime, NamedEntry)| {
        (*time.end(), EventRank::Changed, None, EventKind::Restart, entry.clone())
    };
    moments.extend(changes.iter().map(changed));
    moments.sort_by_key(|(time, rank, ..)| (*time, *rank));
    let numbered = (2..).zip(moments);
    numbered.map(|(line, (_, _, client, kind, entry))| (TraceEvent { line, client, kind }, entry)).collect()
}
