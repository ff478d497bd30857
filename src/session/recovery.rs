//! The continuation after events that are too hard to judge. These events are unknown, and after them the server may be in any
//! state.
//!
//! ```text
//! judged │ lines 812 to 840: unknown │ judged from any state        rejected if no state explains it; else it stays unknown
//! ```
//!
//! An unknown part ends at the first moment at which nothing is under way. In the search for an order of service it may end
//! earlier. A request that is under way then may have been served in the part, or may be served later. So it counts as given up,
//! and its answer is not judged. After an unknown part, an event is rejected only if no state of the variables explains it. A run
//! in which the specification was at fault earlier, or the client broke its duty, may still explain the event. So nothing is
//! rejected if a request may have caused that.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::judge::{Doubt, Place};
use crate::network::Observation;
use crate::process::Port;
use crate::report;
use crate::spec::Spec;
use crate::spec::analysis::pure::RequestFacts;
use crate::value::Value;

/// The requests that were given up and may still be served; with more, an unknown part does not end.
const LOST: usize = 64;
/// An unknown part comes soon after another one if fewer events than this many times its length are between them.
const SOON: usize = 8;
/// The unknown parts that are named one by one.
const PARTS: usize = 256;
/// The most events for which an unknown part lasts if nothing is under way, and the factor by which it lasts longer if something
/// is.
const LATE: usize = 4096;
const BUSY: usize = 16;

/// Events in a row that were too hard to judge.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct UnknownPart {
    /// The line of the first event.
    pub from: u64,
    /// The line of the last event so far.
    pub to: u64,
    /// The reason why these events could not be judged.
    pub doubt: Doubt,
    /// The place in the specification at which the question was asked, in words, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

impl fmt::Display for UnknownPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{}: {place}", self.doubt),
            None => write!(f, "{}", self.doubt),
        }
    }
}

/// The content of [`Recovery`] in a form that can be saved, while no unknown part is open.
#[derive(Clone, Debug)]
pub(super) struct NotedParts {
    pub(super) parts: Vec<UnknownPart>,
    pub(super) since: usize,
    pub(super) patience: usize,
    pub(super) restarted: bool,
    pub(super) began: Option<u64>,
    pub(super) asked: Vec<Value>,
    /// The requests under way, by connection, each with a mark if its answer is not judged.
    pub(super) under_way: Vec<(u64, Vec<(Value, bool)>)>,
    pub(super) lost: Vec<Value>,
}

/// A request without an answer so far.
#[derive(Clone, Debug)]
struct WaitingRequest {
    request: Value,
    /// Set if the request was sent before the end of an unknown part, so that its answer is not judged.
    is_before: bool,
}

/// The unknown parts of a session, and everything that the judgement after them depends on.
#[derive(Clone)]
pub(super) struct Recovery {
    spec: Arc<Spec>,
    parts: Vec<UnknownPart>,
    /// Set if the last unknown part has not ended.
    is_open: bool,
    /// The number of events since the last part began or ended, and the number of events after which a part may end.
    since: usize,
    patience: usize,
    /// One request of each variant that was sent so far.
    asked: FxHashMap<Option<u32>, Value>,
    restarted: bool,
    /// Set if an event was rejected, so that later events change nothing.
    is_decided: bool,
    /// The requests without an answer so far, by connection.
    under_way: FxHashMap<u64, VecDeque<WaitingRequest>>,
    /// The requests that were given up since the last restart.
    lost: Vec<Value>,
    /// The specification of a server in any state, after it was first needed; and the line after which such a server was last
    /// begun.
    any: Option<Arc<Spec>>,
    began: Option<u64>,
}

impl Recovery {
    /// A session without unknown parts, in which nothing is under way.
    pub(super) fn new(spec: &Arc<Spec>) -> Recovery {
        Recovery {
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

    /// The unknown parts.
    pub(super) fn parts(&self) -> &[UnknownPart] {
        &self.parts
    }

    /// Tests whether the last event belongs to an unknown part.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Notes that a request is sent, or, if there is none, that a restart happens.
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

    /// Notes an event. Returns whether the judge must see it: it must not see the answer to a request from before the end of an
    /// unknown part.
    pub(super) fn note(&mut self, happened: &Observation) -> bool {
        match happened {
            Observation::Request(Port(connection), request) => {
                self.note_request(Some(request));
                let sent = WaitingRequest { request: request.clone(), is_before: false };
                self.under_way.entry(*connection).or_default().push_back(sent);
            }
            Observation::Answer(Port(connection), _) => {
                let Some(waiting) = self.under_way.get_mut(connection) else { return true };
                let answered = waiting.pop_front();
                if waiting.is_empty() {
                    self.under_way.remove(connection);
                }
                return answered.is_none_or(|answered| !answered.is_before);
            }
            Observation::Lost(Port(connection)) | Observation::Closed(Port(connection)) => {
                let lost = self.under_way.remove(connection).into_iter().flatten().map(|lost| lost.request);
                if self.lost.len() <= LOST {
                    self.lost.extend(lost);
                }
            }
            Observation::Restart => {
                self.note_request(None);
                self.under_way.clear();
                self.lost.clear();
            }
            _ => {}
        }
        true
    }

    /// Tests whether nothing is under way: each request was answered, and none was given up.
    pub(super) fn is_idle(&self) -> bool {
        self.under_way.is_empty() && self.lost.is_empty()
    }

    /// Begins an unknown part on a line. If it comes soon after another one, it lasts twice as long.
    pub(super) fn begin(&mut self, line: u64, (doubt, at): (Doubt, Option<Place>)) {
        let is_soon = !self.parts.is_empty() && self.since < SOON * self.patience;
        self.patience = if is_soon { LATE.min(2 * self.patience) } else { 1 };
        (self.is_open, self.since) = (true, 0);
        let is_full = self.parts.len() == PARTS;
        match self.parts.last_mut() {
            Some(last) if is_full || last.to >= line => last.to = line,
            _ => {
                let place = at.map(|at| report::named_place(&self.spec, at.site));
                self.parts.push(UnknownPart { from: line, to: line, doubt, place });
            }
        }
    }

    /// Adds the event on a line to the open part. Returns whether the part has lasted long enough.
    pub(super) fn extend(&mut self, line: u64, is_idle: bool) -> bool {
        self.since += 1;
        self.parts.iter_mut().next_back().into_iter().for_each(|last| last.to = line);
        let wanted = if is_idle { self.patience } else { BUSY * self.patience };
        self.since >= wanted
    }

    /// Ends the open part on a line, and returns the specification of a server that may be in any state; `None` if there is none.
    pub(super) fn end(&mut self, line: u64) -> Option<Arc<Spec>> {
        if self.any.is_none() {
            self.any = self.spec.in_any_state().ok();
        }
        let any = self.any.clone()?;
        (self.is_open, self.since, self.began) = (false, 0, self.is_idle().then_some(line));
        Some(any)
    }

    /// The requests from before the end of the part that may be served after it. From here on their answers are not judged.
    /// `None` if there are too many, or it matters who sent them.
    pub(super) fn may_still_be_served(&mut self) -> Option<Vec<Value>> {
        let waiting = self.under_way.values().flatten().map(|waiting| &waiting.request);
        let mut facts = RequestFacts::new(&self.spec.program);
        let all = waiting.chain(&self.lost).filter(|request| !facts.changes_nothing(request, None));
        let all: Vec<Value> = all.cloned().collect();
        if all.len() > LOST || self.lost.len() > LOST || (self.spec.program.names_clients && !self.is_idle()) {
            return None;
        }
        self.under_way.values_mut().flatten().for_each(|waiting| waiting.is_before = true);
        Some(all)
    }

    /// Notes that nothing explains the last event, and returns whether this is a rejection. After an unknown part it is a rejection
    /// only if no earlier request may have met a fault or broken the client's duty.
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

    /// The doubt about the first unknown part.
    pub(super) fn doubt(&self) -> Option<&Doubt> {
        self.parts.first().map(|part| &part.doubt)
    }

    /// The specification of a server in any state, if there was an unknown part.
    pub(super) fn any(&self) -> Option<&Arc<Spec>> {
        self.any.as_ref().filter(|_| !self.parts.is_empty())
    }

    /// The notes in a form that can be saved.
    pub(super) fn noted(&self) -> NotedParts {
        let mut asked: Vec<Value> = self.asked.values().cloned().collect();
        asked.sort();
        let all = |waiting: &VecDeque<WaitingRequest>| {
            waiting.iter().map(|waiting| (waiting.request.clone(), waiting.is_before)).collect()
        };
        let under_way = self.under_way.iter().map(|(connection, waiting)| (*connection, all(waiting)));
        let mut under_way: Vec<(u64, Vec<(Value, bool)>)> = under_way.collect();
        under_way.sort();
        let Recovery { since, patience, restarted, began, .. } = *self;
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

    /// The notes with saved ones put in; `None` if there is no server of the specification in any state.
    pub(super) fn noting(self, noted: NotedParts) -> Option<Recovery> {
        let NotedParts { parts, since, patience, restarted, began, asked, under_way, lost } = noted;
        let all = |waiting: Vec<(Value, bool)>| {
            waiting.into_iter().map(|(request, is_before)| WaitingRequest { request, is_before }).collect()
        };
        let any = if parts.is_empty() { None } else { Some(self.spec.in_any_state().ok()?) };
        let asked = asked.into_iter().map(|request| (variant(&request), request)).collect();
        let under_way = under_way.into_iter().map(|(connection, waiting)| (connection, all(waiting))).collect();
        Some(Recovery { parts, since, patience, restarted, began, asked, under_way, lost, any, ..self })
    }

    /// The specification by which events are judged since the last unknown part, and the line of its end. `None` if something was
    /// under way there.
    pub(super) fn judged_from(&self) -> Option<(&Arc<Spec>, u64)> {
        self.any.as_ref().zip(self.began)
    }
}

/// The variant of a request, which mostly decides what serving it may do.
fn variant(request: &Value) -> Option<u32> {
    if let Value::Data { tag, .. } = request { Some(*tag) } else { None }
}
