//! Judging a history event by event, where the search for an order does not say whether a duty was broken, or the specification is faulty.
//!
//! The search knows all answers, so that it drops a way that a later one contradicts, though on it the client may have broken its duty
//! before: from there on anything is explained. Event by event such a way is met before it is contradicted.

use std::sync::Arc;

use super::history::{History, HistoryEvent};
use crate::dualize::{Judge, Options};
use crate::network::{Observation, Tcp};
use crate::process::Port;
use crate::spec::Spec;

/// The work on a history, as a multiple of that which one event may take.
const EFFORT: u64 = 4;
/// The connection of what no request led to.
const NOBODY: Port = Port(u64::MAX);

/// The judge that has seen the events of a history one after another; nothing where that took too much, or was cut off.
pub(super) fn judged(spec: &Arc<Spec>, history: &History, options: &Options) -> Option<Judge> {
    let mut judge = Judge::new(spec.clone(), options.clone());
    let last = judge.worked().saturating_add(options.effort.saturating_mul(EFFORT));
    for (event, line) in history.events.iter().zip(&history.lines) {
        for observation in history.observed(*event, *line) {
            let is_explained = judge.observe_over(&Tcp, *line, &observation);
            if judge.is_cut() {
                return None;
            }
            if !is_explained {
                return Some(judge);
            }
        }
        if judge.worked() > last {
            return None;
        }
    }
    Some(judge)
}

impl History {
    /// The observations that an event is, each on the connection of its request.
    fn observed(&self, event: HistoryEvent, line: u64) -> Vec<Observation> {
        let port = |request: usize| Port(self.requests[request].exchange.client);
        match event {
            HistoryEvent::Sent(request) => {
                vec![Observation::Request(port(request), self.requests[request].exchange.request.clone())]
            }
            HistoryEvent::Answered(request) => {
                let answer = self.requests[request].exchange.observed.answer();
                vec![Observation::Answer(port(request), answer.cloned())]
            }
            HistoryEvent::GaveUp => {
                let given_up = (0..self.requests.len()).find(|request| self.requests[*request].lost == Some(line));
                given_up.map(|request| Observation::Lost(port(request))).into_iter().collect()
            }
            HistoryEvent::Restarted => vec![Observation::Restart],
            HistoryEvent::Impossible => vec![Observation::Closed(NOBODY)],
        }
    }
}
