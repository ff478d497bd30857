//! Judging histories while they happen: after each event there is a verdict on the events so far.
//!
//! ```
//! use mayhap::network::Observation::{Answer, Request};
//! use mayhap::process::Port;
//! use mayhap::search::OnlineHistory;
//! use mayhap::value::Value;
//! use mayhap::{Options, Spec, Verdict};
//! let spec = Spec::from_text("protocol p { request int; response int; var n: int = 0; on q { n := n + q; reply n; } }")?;
//! let mut session = OnlineHistory::new(&spec, Options::default());
//! let seen = |n: i64| Some(Value::from(n));
//! assert_eq!(session.push(1, Request(Port(1), Value::from(2))), Some(Verdict::Accept { warning: None }));
//! assert_eq!(session.push(2, Request(Port(2), Value::from(3))), Some(Verdict::Accept { warning: None }));
//! assert_eq!(session.push(3, Answer(Port(2), seen(5))), Some(Verdict::Accept { warning: None }));
//! assert_eq!(session.push(4, Answer(Port(1), seen(5))), Some(Verdict::Reject { event: 4, event_from: None }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::sequential::Alone;
use super::{OnlineOptions, OnlinePart, PrefixVerdict};
use crate::judge::{Candidate, Doubt, Exchange, Judge, Options, Place, Verdict};
use crate::network::Observation;
use crate::process::{Limit, Port};
use crate::search::history::Building;
use crate::spec::Spec;
use crate::spec::analysis::partition::RequestKeys;
use crate::value::{Entry, Value};

/// The candidates of at most this many keys are shown.
const SHOWN: usize = 16;

/// A history that is judged event by event. It remembers only what the verdicts on later events may depend on.
///
/// Invariants:
/// 1. `verdict` is that of [`judge`](crate::search::judge()) on the events so far, unless they were too hard.
/// 2. While `verdict` is `Accept`, `clients` explains the events so far; if it has the histories of keys, each explains its own events.
pub struct OnlineHistory {
    spec: Arc<Spec>,
    pub(crate) options: Options,
    /// At least this many events are kept.
    kept: usize,
    pub(crate) keys: Option<RequestKeys>,
    pub(crate) clients: OnlineClients,
    pub(crate) verdict: Verdict,
    /// The line of the last event.
    pub(crate) line: u64,
}

/// The clients so far.
pub(crate) enum OnlineClients {
    /// Clients that wait for each other.
    Alone(Box<Alone>),
    /// Clients that do not wait for each other.
    AtOnce(Box<AtOnce>),
    /// Clients whose history was too hard to judge event by event, with the doubt if the judge has none.
    TooHard(Box<Judge>, Option<Doubt>),
}

/// The histories of the keys, since two requests were first under way at once.
pub(crate) struct AtOnce {
    /// The judge as it was before these two requests.
    pub(crate) start: Judge,
    pub(crate) parts: FxHashMap<Option<Value>, OnlinePart>,
    /// The key of the request under way on each connection.
    pub(crate) under_way: FxHashMap<u64, Option<Value>>,
}

impl OnlineHistory {
    /// A history in which nothing has happened.
    #[must_use]
    pub fn new(spec: &Arc<Spec>, options: Options) -> OnlineHistory {
        // A client has one name for all keys, so keys are not independent if the specification asks for it.
        let keys = RequestKeys::of(&spec.program).filter(|_| options.reduces() && !spec.program.names_clients);
        let keys = keys.filter(|keys| !keys.meet_at_restarts());
        let judge = Judge::new(spec.clone(), options.clone());
        let alone = Alone::new(judge, Building::new(spec.program.names_clients));
        let (clients, verdict) = (OnlineClients::Alone(Box::new(alone)), Verdict::Accept { warning: None });
        OnlineHistory { spec: spec.clone(), options, kept: 0, keys, clients, verdict, line: 0 }
    }

    /// Keeps at least this many events from here on; nothing must have happened yet.
    pub fn remember(&mut self, events: usize) {
        self.kept = events;
    }

    /// The least number of events that are kept.
    #[must_use]
    pub fn remembered(&self) -> usize {
        self.kept
    }

    /// Adds an event, on a line of a trace, and returns the verdict so far. A verdict that is no acceptance stays. `None` from the event on
    /// at which judging event by event is too hard, or at which a connection has several requests under way while keys are judged apart.
    pub fn push(&mut self, line: u64, happened: Observation) -> Option<Verdict> {
        if !self.verdict.is_accept() {
            return Some(self.verdict.clone());
        }
        self.line = line;
        let overlaps = match &mut self.clients {
            OnlineClients::TooHard(..) => return None,
            OnlineClients::AtOnce(_) => None,
            OnlineClients::Alone(alone) => match alone.push(&self.spec, line, &happened) {
                Err(waiting) => waiting,
                Ok(()) => {
                    self.verdict = alone.judge.verdict();
                    // There is one order only, so the judge is right about it.
                    let is_hard =
                        matches!(self.verdict, Verdict::Unknown { .. } | Verdict::Reject { event_from: Some(_), .. });
                    if is_hard {
                        self.clients = OnlineClients::TooHard(Box::new(alone.judge.clone()), None);
                        self.verdict = Verdict::Accept { warning: None };
                        return None;
                    }
                    return Some(self.verdict.clone());
                }
            },
        };
        self.go_on_at_once();
        if let Some((line, sent)) = overlaps {
            self.judge(line, sent)?;
        }
        self.judge(line, happened)
    }

    /// Tests whether no two requests were under way at once since the last time that none was.
    #[must_use]
    pub fn is_alone(&self) -> bool {
        matches!(self.clients, OnlineClients::Alone(_))
    }

    /// The doubt from which on judging event by event was too hard. If each request was answered before the next one was sent, it has the
    /// place of the question that was too hard.
    #[must_use]
    pub fn doubt(&self) -> Option<(Doubt, Option<Place>)> {
        let OnlineClients::TooHard(judge, doubt) = &self.clients else { return None };
        judge.doubt().or_else(|| Some((doubt.clone()?, None)))
    }

    /// The candidates of one explanation of the events so far; of a few keys, if keys are judged apart. Empty if no explanation is known.
    #[must_use]
    pub fn candidates(&self) -> Vec<&Candidate> {
        match &self.clients {
            OnlineClients::Alone(alone) => alone.judge.candidates().iter().collect(),
            OnlineClients::AtOnce(at_once) => {
                let of_parts = at_once.parts.values().take(SHOWN).flat_map(OnlinePart::candidates);
                at_once.start.candidates().iter().take(1).chain(of_parts).collect()
            }
            OnlineClients::TooHard(..) => Vec::new(),
        }
    }

    /// The memory after one explanation of the events so far, variable by variable; `None` if no explanation is known. If keys are judged
    /// apart, it has the entries of all of them.
    #[must_use]
    pub fn memory(&self) -> Option<Vec<Value>> {
        let of = |candidate: &Candidate| candidate.process.memory.to_vec();
        let at_once = match &self.clients {
            OnlineClients::Alone(alone) => return alone.judge.candidates().first().map(of),
            OnlineClients::TooHard(..) => return None,
            OnlineClients::AtOnce(at_once) => at_once,
        };
        if let Some(whole) = at_once.parts.get(&None) {
            return whole.candidates().first().map(of);
        }
        let mut memory = of(at_once.start.candidates().first()?);
        for (key, part) in &at_once.parts {
            let part = part.candidates().first()?;
            for (cell, own) in memory.iter_mut().zip(part.process.memory.iter()) {
                if let (Value::Map(map), Value::Map(own), Some(key)) = (cell, own, key) {
                    let unknown = || Some(Entry::always(Value::Absent));
                    map.set_in_place(key, own.certain_entry(key).map_or_else(unknown, |entry| entry.cloned()));
                }
            }
        }
        Some(memory)
    }

    /// The number by which the specification knows a client of a connection.
    #[must_use]
    pub fn number(&self, connection: u64) -> u64 {
        match &self.clients {
            OnlineClients::Alone(alone) => alone.building.named(connection),
            OnlineClients::AtOnce(_) | OnlineClients::TooHard(..) => connection,
        }
    }

    /// The judge of a request of a connection that is sent now, with the number of its client: its candidates are all states that the
    /// request may meet. `None` if another request is under way, or was given up and may still be served, or if not all states are known.
    #[must_use]
    pub fn at_rest(&self, connection: u64, request: &Value) -> Option<(u64, Judge)> {
        if !self.verdict.is_accept() {
            return None;
        }
        match &self.clients {
            OnlineClients::Alone(alone) if alone.is_idle() => Some((self.number(connection), alone.judge.clone())),
            OnlineClients::AtOnce(at_once) if at_once.under_way.is_empty() => {
                // Keys are judged apart only if no client has a name.
                let key = self.keys.as_ref()?.key(request).ok()?;
                let of_part = at_once.parts.get(&key).map(OnlinePart::at_rest);
                Some((self.number(connection), of_part.unwrap_or_else(|| Some(at_once.start.clone()))?))
            }
            OnlineClients::Alone(_) | OnlineClients::AtOnce(_) | OnlineClients::TooHard(..) => None,
        }
    }

    /// The judge after the last event; that of one key, if keys are judged apart.
    #[must_use]
    pub fn into_judge(self) -> Judge {
        match self.clients {
            OnlineClients::Alone(alone) => alone.judge,
            OnlineClients::TooHard(judge, _) => *judge,
            OnlineClients::AtOnce(at_once) => {
                let mut parts = at_once.parts.into_values();
                let decides = |part: &OnlinePart| self.verdict.is_accept() || !part.is_explained();
                parts.find(decides).map_or(at_once.start, |part| part.into_judge(self.line))
            }
        }
    }

    /// Begins to follow clients that do not wait for each other, unless it has begun.
    fn go_on_at_once(&mut self) {
        let OnlineClients::Alone(alone) = &mut self.clients else { return };
        let start = alone.judge.clone();
        let mut parts = FxHashMap::default();
        if self.keys.is_none() {
            let building = alone.building.connections();
            let by = OnlineOptions { options: &self.options, kept: self.kept };
            parts.insert(None, OnlinePart::new(start.clone(), building, by));
        }
        self.clients = OnlineClients::AtOnce(Box::new(AtOnce { start, parts, under_way: FxHashMap::default() }));
    }

    /// Judges an event of clients that do not wait for each other.
    fn judge(&mut self, line: u64, happened: Observation) -> Option<Verdict> {
        let OnlineClients::AtOnce(at_once) = &mut self.clients else { return None };
        let by = OnlineOptions { options: &self.options, kept: self.kept };
        match at_once.push(self.keys.as_ref(), by, line, happened) {
            Some(PrefixVerdict::Explained) => {}
            Some(PrefixVerdict::Rejected) => self.verdict = Verdict::Reject { event: line, event_from: None },
            doubtful => {
                let doubt = if let Some(PrefixVerdict::Doubtful(doubt)) = doubtful { Some(doubt) } else { None };
                self.clients = OnlineClients::TooHard(Box::new(at_once.start.clone()), doubt);
                return None;
            }
        }
        if self.keys.is_none()
            && let Some(alone) = at_once.parts.get_mut(&None).and_then(OnlinePart::take_alone)
        {
            self.clients = OnlineClients::Alone(Box::new(alone));
        }
        Some(self.verdict.clone())
    }
}

impl AtOnce {
    /// Judges an event in the history of its key; `None` if the key is not known, or a connection has more than one request under way.
    fn push(
        &mut self,
        keys: Option<&RequestKeys>,
        by: OnlineOptions<'_>,
        line: u64,
        happened: Observation,
    ) -> Option<PrefixVerdict> {
        let Some(keys) = keys else { return self.parts.get_mut(&None).map(|part| part.push(line, happened)) };
        let key = match &happened {
            Observation::Request(Port(connection), request) => {
                let key = keys.key(request).ok()?;
                if self.under_way.insert(*connection, key.clone()).is_some() {
                    return None;
                }
                key
            }
            Observation::Answer(Port(connection), _) => self.under_way.remove(connection)?,
            Observation::Lost(Port(connection)) => match self.under_way.remove(connection) {
                Some(key) => key,
                None => return Some(PrefixVerdict::Explained),
            },
            Observation::Restart => return Some(self.restart(line)),
            _ => return None,
        };
        let new = || OnlinePart::new(self.start.clone(), Building::new(false), by);
        Some(self.parts.entry(key).or_insert_with(new).push(line, happened))
    }

    /// Judges a restart in the history of each key.
    fn restart(&mut self, line: u64) -> PrefixVerdict {
        self.under_way.clear();
        // Keys that are first met after the restart begin as it has left them.
        let spec = self.start.spec().clone();
        if spec.program.restarts.is_some() {
            self.start.observe_by(&spec, &Exchange::restart(line));
        }
        if !self.start.verdict().is_accept() {
            return PrefixVerdict::Doubtful(Doubt::Limit(Limit::Orders));
        }
        let verdicts = self.parts.values_mut().map(|part| part.push(line, Observation::Restart));
        let other = verdicts.into_iter().find(|verdict| *verdict != PrefixVerdict::Explained);
        other.unwrap_or(PrefixVerdict::Explained)
    }
}
