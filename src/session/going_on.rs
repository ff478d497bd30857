//! Going on after events that are too hard to judge: they are unknown, and after them the server may be in any state.
//!
//! ```text
//! judged │ lines 812 to 840: unknown │ judged from any state on        what no state explains is rejected, all else stays unknown
//! ```
//!
//! From the first moment at which nothing is under way, the state may be any. If the engine looks for an order of service, requests may be
//! under way: a request may have been served in the unknown part, or be served later, so it counts as given up, and its answer is not
//! looked at. An event that is rejected after an unknown part is rejected in every state that the variables may hold. A run in which the
//! specification was faulty before, or the client broke its duty, may still explain it; if some request may do that, nothing is rejected.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::judge::Doubt;
use crate::search::Happened;
use crate::spec::Spec;
use crate::spec::analysis::pure::RequestFacts;
use crate::value::Value;

/// More parts than this are told as one.
const PARTS: usize = 256;
/// With more requests that may still be served at any time than this, nothing is judged until there are fewer.
const MOST: usize = 64;
/// The most events that are waited for; and the factor if something is under way.
const LATE: usize = 1 << 12;
const BUSY: usize = 16;
/// A part begins soon after another one if at most this many times the events of waiting are between them.
const SOON: usize = 8;

/// Events that were too hard to judge, one after another.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct UnknownPart {
    /// The line of the first one.
    pub from: u64,
    /// The line of the last one so far.
    pub to: u64,
    /// The reason why it is not known whether they are explained.
    pub doubt: Doubt,
}

/// The parts of what is noted, while no part is open.
#[derive(Clone, Debug)]
pub(super) struct NotedParts {
    pub(super) parts: Vec<UnknownPart>,
    pub(super) since: usize,
    pub(super) patience: usize,
    pub(super) restarted: bool,
    pub(super) began: Option<u64>,
    pub(super) asked: Vec<Value>,
    /// By connection: each request, and whether its answer is not looked at.
    pub(super) under_way: Vec<(u64, Vec<(Value, bool)>)>,
    pub(super) lost: Vec<Value>,
}

/// A request that has no answer yet.
#[derive(Clone, Debug)]
struct WaitingRequest {
    request: Value,
    /// Set if it was sent before the state became any: its answer is not looked at.
    is_before: bool,
}

/// The unknown parts of a session, and the things that what comes after one depends on.
#[derive(Clone)]
pub(super) struct GoingOn {
    spec: Arc<Spec>,
    parts: Vec<UnknownPart>,
    /// Set if the last part has not ended.
    is_open: bool,
    /// The number of events since the part began or ended, and the number that is waited for.
    since: usize,
    patience: usize,
    /// One request of each kind so far.
    asked: FxHashMap<Option<u32>, Value>,
    restarted: bool,
    /// Set if something was rejected: what comes later changes nothing.
    is_decided: bool,
    /// The requests without an answer, by connection.
    under_way: FxHashMap<u64, VecDeque<WaitingRequest>>,
    /// The requests that were given up since the last restart.
    lost: Vec<Value>,
    /// The specification of a server in any state, once it was asked for; and the line after which one was last.
    any: Option<Arc<Spec>>,
    began: Option<u64>,
}

impl GoingOn {
    /// Nothing was too hard so far, and nothing is under way.
    pub(super) fn new(spec: &Arc<Spec>) -> GoingOn {
        GoingOn {
            spec: spec.clone(),
            parts: Vec::new(),
            is_open: false,
            since: 0,
            patience: 1,
            asked: FxHashMap::default(),
            restarted: false,
            is_decided: false,
            under_way: FxHashMap::default(),
            lost: Vec::new(),
            any: None,
            began: None,
        }
    }

    /// The parts that were too hard.
    pub(super) fn parts(&self) -> &[UnknownPart] {
        &self.parts
    }

    /// Tests whether the last event belongs to a part that is too hard.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Notes that a request is served, or a restart happens.
    pub(super) fn note_request(&mut self, request: Option<&Value>) {
        if self.is_decided {
            return;
        }
        self.since += usize::from(!self.is_open);
        let Some(request) = request else {
            self.restarted = true;
            return;
        };
        self.asked.entry(variant(request)).or_insert_with(|| request.clone());
    }

    /// Notes what happened. Tests whether the judge is to look at it: not at the answer to what was sent before the state became any.
    pub(super) fn note(&mut self, happened: &Happened) -> bool {
        match happened {
            Happened::Sent(connection, request) => {
                self.note_request(Some(request));
                let sent = WaitingRequest { request: request.clone(), is_before: false };
                self.under_way.entry(*connection).or_default().push_back(sent);
            }
            Happened::Answered(connection, _) => {
                let Some(waiting) = self.under_way.get_mut(connection) else { return true };
                let answered = waiting.pop_front();
                if waiting.is_empty() {
                    self.under_way.remove(connection);
                }
                return answered.is_none_or(|answered| !answered.is_before);
            }
            Happened::Lost(connection) | Happened::Closed(connection) => {
                let lost = self.under_way.remove(connection).into_iter().flatten().map(|lost| lost.request);
                if self.lost.len() <= MOST {
                    self.lost.extend(lost);
                }
            }
            Happened::Restarted => {
                self.note_request(None);
                self.under_way.clear();
                self.lost.clear();
            }
        }
        true
    }

    /// Tests whether nothing is under way: each request has its answer.
    pub(super) fn is_idle(&self) -> bool {
        self.under_way.is_empty() && self.lost.is_empty()
    }

    /// Begins a part with what stands on a line. The sooner that comes after another one, the longer the state is not judged.
    pub(super) fn begin(&mut self, line: u64, doubt: Doubt) {
        let is_soon = !self.parts.is_empty() && self.since < SOON * self.patience;
        self.patience = if is_soon { LATE.min(2 * self.patience) } else { 1 };
        (self.is_open, self.since) = (true, 0);
        let is_full = self.parts.len() == PARTS;
        match self.parts.last_mut() {
            Some(last) if is_full || last.to >= line => last.to = line,
            _ => self.parts.push(UnknownPart { from: line, to: line, doubt }),
        }
    }

    /// Adds what stands on a line to the part. Tests whether it was waited for long enough.
    pub(super) fn extend(&mut self, line: u64, is_idle: bool) -> bool {
        self.since += 1;
        self.parts.iter_mut().next_back().into_iter().for_each(|last| last.to = line);
        let wanted = if is_idle { self.patience } else { BUSY * self.patience };
        self.since >= wanted
    }

    /// Ends the part after what stands on a line; the specification of a server that is in any state there. Nothing if there is none.
    pub(super) fn end(&mut self, line: u64) -> Option<Arc<Spec>> {
        if self.any.is_none() {
            self.any = self.spec.in_any_state().ok();
        }
        let any = self.any.clone()?;
        (self.is_open, self.since, self.began) = (false, 0, self.is_idle().then_some(line));
        Some(any)
    }

    /// The requests that may be served after the part, though they were sent before; nothing if these are too many, or it matters who
    /// sent them. What is answered later is not looked at.
    pub(super) fn perhaps_served(&mut self) -> Option<Vec<Value>> {
        let waiting = self.under_way.values().flatten().map(|waiting| &waiting.request);
        let mut facts = RequestFacts::new(&self.spec.program);
        let all = waiting.chain(&self.lost).filter(|request| !facts.changes_nothing(request, None));
        let all: Vec<Value> = all.cloned().collect();
        if all.len() > MOST || self.lost.len() > MOST || (self.spec.program.names_clients && !self.is_idle()) {
            return None;
        }
        self.under_way.values_mut().flatten().for_each(|waiting| waiting.is_before = true);
        Some(all)
    }

    /// Takes it up that nothing explains the last event. Tests whether that is a rejection: after an unknown part nothing before may have
    /// been faulty, or have broken the client's duty.
    pub(super) fn reject(&mut self) -> bool {
        let mut facts = RequestFacts::new(&self.spec.program);
        let mut may_fail = || {
            let asked = self.asked.values().any(|request| facts.may_fail(request));
            asked || self.spec.program.may_fail_unasked() || self.restarted && facts.restart_may_fail()
        };
        self.is_decided = self.is_decided || self.parts.is_empty() || !may_fail();
        self.is_decided
    }

    /// Tests whether an event was rejected.
    pub(super) fn is_decided(&self) -> bool {
        self.is_decided
    }

    /// The doubt about the first part.
    pub(super) fn doubt(&self) -> Option<&Doubt> {
        self.parts.first().map(|part| &part.doubt)
    }

    /// The specification of a server in any state, if events are judged by it.
    pub(super) fn any(&self) -> Option<&Arc<Spec>> {
        self.any.as_ref().filter(|_| !self.parts.is_empty())
    }

    /// The parts of what is noted.
    pub(super) fn noted(&self) -> NotedParts {
        let mut asked: Vec<Value> = self.asked.values().cloned().collect();
        asked.sort();
        let all = |waiting: &VecDeque<WaitingRequest>| {
            waiting.iter().map(|waiting| (waiting.request.clone(), waiting.is_before)).collect()
        };
        let under_way = self.under_way.iter().map(|(connection, waiting)| (*connection, all(waiting)));
        let mut under_way: Vec<(u64, Vec<(Value, bool)>)> = under_way.collect();
        under_way.sort();
        let GoingOn { since, patience, restarted, began, .. } = *self;
        NotedParts {
            parts: self.parts.clone(),
            since,
            patience,
            restarted,
            began,
            asked,
            under_way,
            lost: self.lost.clone(),
        }
    }

    /// These with what was noted elsewhere; nothing if no server of the specification can be in any state.
    pub(super) fn noting(self, noted: NotedParts) -> Option<GoingOn> {
        let NotedParts { parts, since, patience, restarted, began, asked, under_way, lost } = noted;
        let all = |waiting: Vec<(Value, bool)>| {
            waiting.into_iter().map(|(request, is_before)| WaitingRequest { request, is_before }).collect()
        };
        let any = if parts.is_empty() { None } else { Some(self.spec.in_any_state().ok()?) };
        let asked = asked.into_iter().map(|request| (variant(&request), request)).collect();
        let under_way = under_way.into_iter().map(|(connection, waiting)| (connection, all(waiting))).collect();
        Some(GoingOn { parts, since, patience, restarted, began, asked, under_way, lost, any, ..self })
    }

    /// The specification that is judged by, if nothing was under way when its server was in any state, and the line after which that was.
    pub(super) fn judged_from(&self) -> Option<(&Arc<Spec>, u64)> {
        self.any.as_ref().zip(self.began)
    }
}

/// The kind of a request, as far as it decides what serving it may do.
fn variant(request: &Value) -> Option<u32> {
    if let Value::Data { tag, .. } = request { Some(*tag) } else { None }
}
