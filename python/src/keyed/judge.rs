//! The judge of the keys of a bucket, each by a session of its own.

use super::merging::Merging;
use super::packing::{Time, Unpacking, time, width};
use super::reading::RowReader;
use super::router::at_the_same_time;
use super::{Keyed, Keys, Refused, request};
use crate::cli::validate::limits_of;
use crate::errors::Kind;
use crate::judged::kind;
use crate::session::evidence;
use mayhap::details::Observed;
use mayhap::judge::Options;
use mayhap::trace::{EventKind, Response, TraceEvent};
use mayhap::value::Value;
use mayhap::{Exchange, Session, SessionProgress, Validator, Verdict};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The bytes of exchanges of a key that are kept for the reason of its verdict.
const KEPT: usize = 1 << 23;
/// The events of a key with concurrent clients that are kept for that, and the times of last events.
const KEPT_EVENTS: usize = 1 << 14;

/// A verdict: the key, a word, the number of the event that decided and its time, the number of all events, and the reason.
type Row<'py> = (Option<String>, &'static str, Option<u64>, Option<Bound<'py, PyBytes>>, u64, Option<String>);

/// A judge of packed rows.
#[pyclass(module = "mayhap._mayhap")]
pub struct Judge {
    known: Arc<Keyed>,
    options: Options,
    /// The seconds in which the reason of a verdict is looked for.
    reason_time: f64,
    /// The number of bytes of a time.
    width: usize,
    bucket: Option<u32>,
    merging: Merging,
    reader: RowReader,
    /// The keys, which one thread uses.
    judged: Mutex<Bucket>,
}

/// The keys of a bucket so far.
#[derive(Default)]
struct Bucket {
    keys: FxHashMap<Option<Value>, JudgedKey>,
    /// The key of the request under way of each client.
    under_way: FxHashMap<u64, Option<Value>>,
    /// The restarts so far, with their times.
    restarts: Vec<Time>,
}

/// A key, with what was observed of it.
struct JudgedKey {
    name: Option<String>,
    /// The judge; none any more if the verdict is there.
    judge: Option<KeyJudge>,
    verdict: Option<KeyVerdict>,
    /// The number of its events.
    count: u64,
    /// The times of its last events.
    times: VecDeque<Time>,
}

/// A judge of one key.
enum KeyJudge {
    /// For whole exchanges, with their lines one after another; none if they were too long to be kept.
    Exchanges(Box<Validator>, Option<Vec<u8>>),
    /// For concurrent clients.
    Clients(Box<Session>),
}

/// The judges' specification and limits.
struct Judging<'j> {
    known: &'j Keyed,
    options: &'j Options,
    reason_time: f64,
}

struct KeyVerdict {
    kind: &'static str,
    event: Option<u64>,
    time: Option<Time>,
    reason: Option<String>,
}

#[pymethods]
impl Judge {
    /// A judge of rows whose times have some columns, with limits in seconds and MiB.
    #[new]
    fn new(py: Python<'_>, keys: &Keys, columns: usize, limits: (f64, usize, f64)) -> PyResult<Judge> {
        let (exchange_time, memory, reason_time) = limits;
        let time = |seconds: f64| {
            let found = Duration::try_from_secs_f64(seconds);
            found.map_err(|_| Kind::Usage.error(py, &format!("error: {seconds} is no time in seconds")))
        };
        time(reason_time)?;
        Ok(Judge {
            known: keys.known.clone(),
            options: limits_of(time(exchange_time)?, memory),
            reason_time,
            width: width(columns),
            bucket: None,
            merging: Merging::default(),
            reader: RowReader::new(&keys.known.spec),
            judged: Mutex::default(),
        })
    }

    /// Adds packed rows, and returns the verdicts of the bucket before. Packs come in the order of buckets, and of first times in
    /// each. `name` names what is wrong with a row, by its time.
    fn add<'py>(
        &mut self,
        py: Python<'py>,
        bucket: u32,
        first: &[u8],
        packed: &[u8],
        name: &Bound<'py, PyAny>,
    ) -> PyResult<Vec<Row<'py>>> {
        let is_new = self.bucket.replace(bucket) != Some(bucket);
        let ended = if is_new { self.end(py, name)? } else { Vec::new() };
        self.go_on(py, Some(time(first)), name)?;
        self.merging.add(Unpacking::new(packed.to_vec(), self.width));
        Ok(ended)
    }

    /// The verdicts of the last bucket.
    fn end<'py>(&mut self, py: Python<'py>, name: &Bound<'py, PyAny>) -> PyResult<Vec<Row<'py>>> {
        self.go_on(py, None, name)?;
        let by = Judging { known: &self.known, options: &self.options, reason_time: self.reason_time };
        let judged = self.judged.get_mut().unwrap_or_else(PoisonError::into_inner);
        let rows = std::mem::take(judged).keys.into_values().map(|mut key| {
            key.conclude(&by);
            let verdict = key.verdict.unwrap_or(KeyVerdict { kind: "accept", event: None, time: None, reason: None });
            let time = verdict.time.map(|time| PyBytes::new(py, &time[..self.width]));
            (key.name, verdict.kind, verdict.event, time, key.count, verdict.reason)
        });
        Ok(rows.collect())
    }
}

impl Judge {
    /// Judges the rows before a time, or all.
    fn go_on<'py>(&mut self, py: Python<'py>, limit: Option<Time>, name: &Bound<'py, PyAny>) -> PyResult<()> {
        let Judge { known, options, reason_time, width, merging, reader, judged, .. } = self;
        let judged = judged.get_mut().unwrap_or_else(PoisonError::into_inner);
        let by = Judging { known, options, reason_time: *reason_time };
        merging.before(limit, |time, line| {
            let observed = reader.event(line).and_then(|event| Ok(judged.observe(&by, time, line, event)?));
            observed.map_err(|misread| misread.raised(py, name, PyBytes::new(py, &time[..*width])))
        })?;
        py.check_signals()
    }
}

impl Bucket {
    /// Observes an event on a line.
    fn observe(&mut self, by: &Judging<'_>, time: Time, line: &[u8], event: TraceEvent<Value>) -> Result<(), Refused> {
        let known = by.known;
        known.admit(&event)?;
        if let EventKind::Restart = event.kind {
            self.under_way.clear();
            self.restarts.push(time);
            return self.keys.values_mut().try_for_each(|key| key.observe(by, time, RESTART, event.clone()));
        }
        let client = event.client.unwrap_or(1);
        let asked = request(&event);
        let key = match asked {
            Some(request) => known.key(request)?,
            None => self.under_way.remove(&client).flatten(),
        };
        if known.sent(&event).is_some() {
            self.under_way.insert(client, key.clone());
        }
        let judged = match self.keys.get_mut(&key) {
            Some(judged) => judged,
            None => {
                let name = asked.zip(key.as_ref()).map(|(request, key)| known.key_text(request, key));
                let new = JudgedKey::new(by, name, &self.restarts)?;
                self.keys.entry(key).or_insert(new)
            }
        };
        judged.observe(by, time, line, event)
    }
}

/// The line of a restart.
const RESTART: &[u8] = b"{\"restart\": true}";

impl JudgedKey {
    /// A key that is first met after some restarts.
    fn new(by: &Judging<'_>, name: Option<String>, restarts: &[Time]) -> Result<JudgedKey, Refused> {
        let Judging { known: Keyed { spec, net, .. }, options, .. } = by;
        let judge = if net.is_sync() {
            KeyJudge::Exchanges(Box::new(Validator::with_options(spec, (*options).clone())), Some(Vec::new()))
        } else {
            KeyJudge::Clients(Box::new(Session::new(spec, *net, (*options).clone()).keeping(KEPT_EVENTS)))
        };
        let mut key = JudgedKey { name, judge: Some(judge), verdict: None, count: 0, times: VecDeque::new() };
        for time in restarts {
            let restart = TraceEvent { line: 0, client: None, kind: EventKind::Restart };
            key.observe(by, *time, RESTART, restart)?;
        }
        Ok(key)
    }

    fn observe(&mut self, by: &Judging<'_>, time: Time, line: &[u8], event: TraceEvent<Value>) -> Result<(), Refused> {
        if self.times.back() == Some(&time) {
            return Err(at_the_same_time(
                &self.name.as_ref().map_or("no key".to_owned(), |key| format!("key {key:?}")),
            ));
        }
        self.count += 1;
        if self.times.len() == KEPT_EVENTS {
            self.times.pop_front();
        }
        self.times.push_back(time);
        let event = TraceEvent { line: self.count, ..event };
        let goes_on = match &mut self.judge {
            None => true,
            Some(KeyJudge::Exchanges(validator, kept)) => {
                if kept.as_ref().is_some_and(|kept| kept.len() + line.len() > KEPT) {
                    *kept = None;
                }
                if let Some(kept) = kept {
                    kept.extend_from_slice(line);
                    kept.push(0);
                }
                exchange(event).is_none_or(|exchange| validator.observe_exchange(&exchange))
            }
            Some(KeyJudge::Clients(session)) => {
                let progress = session.push(event).map_err(|error| error.to_string())?;
                matches!(progress, SessionProgress::Explained | SessionProgress::Unknown(_))
            }
        };
        if !goes_on {
            self.conclude(by);
        }
        Ok(())
    }

    /// The verdict on what was observed, if there is none yet.
    fn conclude(&mut self, by: &Judging<'_>) {
        let mut session = match self.judge.take() {
            None => return,
            Some(KeyJudge::Exchanges(validator, _)) if validator.verdict().is_accept() => return,
            Some(KeyJudge::Exchanges(validator, kept)) => match kept.and_then(|kept| judged_again(by, &kept)) {
                Some(session) => session,
                None => return self.state(&validator.verdict(), None),
            },
            Some(KeyJudge::Clients(session)) => *session,
        };
        session.settle();
        if session.verdict().is_accept() {
            return;
        }
        let found = evidence(&mut session, by.reason_time);
        self.state(&found.verdict, (!found.explanation.is_empty()).then(|| found.explanation.join("\n")));
    }

    /// Sets the verdict and its reason.
    fn state(&mut self, verdict: &Verdict, reason: Option<String>) {
        let event = match verdict {
            Verdict::Reject { event, .. } | Verdict::Outside { event, .. } => Some(*event),
            Verdict::Fault(report) => Some(report.event),
            Verdict::Accept { .. } | Verdict::Unknown { .. } => None,
        };
        let first = self.count - self.times.len() as u64;
        let place = event.and_then(|event| usize::try_from(event.checked_sub(first + 1)?).ok());
        let time = place.and_then(|at| self.times.get(at).copied());
        self.verdict = Some(KeyVerdict { kind: kind(verdict), event, time, reason });
    }
}

/// A session that has observed lines of exchanges, which were read before.
fn judged_again(by: &Judging<'_>, lines: &[u8]) -> Option<Session> {
    let mut session = Session::new(&by.known.spec, by.known.net, by.options.clone());
    let mut reader = RowReader::new(&by.known.spec);
    for (line, number) in lines.split(|byte| *byte == 0).filter(|line| !line.is_empty()).zip(1..) {
        let event = reader.event(line).ok()?;
        session.push(TraceEvent { line: number, ..event }).ok()?;
    }
    Some(session)
}

/// The exchange of an event; nothing if it is none.
fn exchange(event: TraceEvent<Value>) -> Option<Exchange> {
    let TraceEvent { line, client, kind } = event;
    let (request, observed) = match kind {
        EventKind::Restart => return Some(Exchange::restart(line)),
        EventKind::Exchange { query, reply: Response::NotOwed } => (query, Observed::Nothing),
        EventKind::Exchange { query, reply: Response::Lost } => (query, Observed::Lost),
        EventKind::Exchange { query, reply: Response::Answer(Value::Any) } => (query, Observed::Any),
        EventKind::Exchange { query, reply: Response::Answer(answer) } => (query, Observed::Answer(answer)),
        _ => return None,
    };
    Some(Exchange { line, client: client.unwrap_or(1), request, observed })
}
