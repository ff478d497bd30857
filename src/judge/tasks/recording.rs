//! Judging a whole recording of clients that do not wait for each other.
//!
//! The judge knows the answers to come: a candidate is dropped as soon as it sends a message other than the one that is seen in its place.
//! So the judge may give up before the first event that nothing explains. This event is found by judging beginnings of the recording, each
//! as if there were no more events:
//!
//! ```text
//! 1 2 3 4 5 6 7 8 9       the judge, which knows all answers, gives up at event 5
//! 1 2 3 4 5               accepted
//! 1 2 3 4 5 6 7           rejected
//! 1 2 3 4 5 6             rejected: event 6 is the first that nothing explains
//! ```

use std::collections::VecDeque;
use std::convert::Infallible;
use std::slice::Iter;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::composition::{Composition, answers_only};
use super::deepest::{DeepestFirst, Searched};
use super::wire::{Ahead, Lookahead, RecordedEvent};
use crate::judge::Judge;
use crate::judge::options::Options;
use crate::judge::verdict::{Verdict, least_above};
use crate::limits;
use crate::network::{Network, Observation, PacketOrder};
use crate::process::{Limit, Port};
use crate::spec::Spec;
use crate::spec::analysis::partition::RequestKeys;
use crate::value::Value;

/// A recording, with its specification, network and limits.
#[derive(Clone, Copy)]
struct Recordings<'r> {
    spec: &'r Arc<Spec>,
    network: &'r dyn Network,
    events: &'r [RecordedEvent],
    options: &'r Options,
    /// The number of turns after which judging is given up.
    turns: usize,
}

/// Judges a recording over a network, and returns the judge, which has the verdict; its events are lines.
#[must_use]
pub fn judge_recorded(spec: &Arc<Spec>, network: &dyn Network, events: &[RecordedEvent], options: &Options) -> Judge {
    let parts = parts(spec, network, events).unwrap_or_default();
    by_key(spec, network, &parts, options).unwrap_or_else(|| judge_whole(spec, network, events, options))
}

/// Judges the events of each key alone; `None` if the verdict on the whole does not follow from these verdicts.
fn by_key(spec: &Arc<Spec>, network: &dyn Network, parts: &[Vec<RecordedEvent>], options: &Options) -> Option<Judge> {
    let mut first: Option<(u64, Judge)> = None;
    for part in parts {
        let judge = judge_whole(spec, network, part, options);
        let event = match judge.verdict() {
            Verdict::Accept { warning: None } => u64::MAX,
            Verdict::Reject { event, event_from: None } if !spec.program.may_fail => event,
            _ => return None,
        };
        // If all parts are accepted, the judge of the part that ends last is returned.
        if first
            .as_ref()
            .is_none_or(|(earliest, seen)| event < *earliest || event == *earliest && seen.event() < judge.event())
        {
            first = Some((event, judge));
        }
    }
    first.map(|(_, judge)| judge)
}

/// The events of each key, if keys are independent, no connection has two requests under way, and nothing but requests and answers was
/// observed (proofs-notes/schedules.md, *Keys*).
fn parts(spec: &Spec, network: &dyn Network, events: &[RecordedEvent]) -> Option<Vec<Vec<RecordedEvent>>> {
    if network.order() == PacketOrder::Global || network.counts_packets() || !answers_only(&spec.program) {
        return None;
    }
    let program = &spec.program;
    let keys = RequestKeys::of(program).filter(|_| program.opens.is_none() && program.closes.is_none())?;
    let mut parts: FxHashMap<Option<Value>, usize> = FxHashMap::default();
    let mut of_key: Vec<Vec<RecordedEvent>> = Vec::new();
    let mut under_way: FxHashMap<Port, usize> = FxHashMap::default();
    for event in events {
        let part = match &event.1 {
            Observation::Request(port, request) => {
                let part = *parts.entry(keys.key(request).ok()?).or_insert_with(|| {
                    of_key.push(Vec::new());
                    of_key.len() - 1
                });
                if under_way.insert(*port, part).is_some() {
                    return None;
                }
                part
            }
            Observation::Answer(port, _) => under_way.remove(port)?,
            Observation::End => continue,
            _ => return None,
        };
        of_key[part].push(event.clone());
    }
    Some(of_key)
}

fn judge_whole(spec: &Arc<Spec>, network: &dyn Network, events: &[RecordedEvent], options: &Options) -> Judge {
    let recordings = Recordings { spec, network, events, options, turns: usize::MAX };
    let judge = recordings.decided(events.len());
    match judge.verdict() {
        Verdict::Reject { .. } if recordings.looks_ahead() => recordings.first_rejected(judge),
        _ => judge,
    }
}

/// Judges a recording over a network; if it is rejected, the event of the verdict may be earlier than the first one that nothing
/// explains.
#[must_use]
pub fn judge_at_once(spec: &Arc<Spec>, network: &dyn Network, events: &[RecordedEvent], options: &Options) -> Judge {
    judge_within(spec, network, events, u64::MAX, options)
}

/// Judges a recording as [`judge_at_once`] does, but gives up after about this much work on the whole, in made terms.
#[must_use]
pub fn judge_within(
    spec: &Arc<Spec>,
    network: &dyn Network,
    events: &[RecordedEvent],
    work: u64,
    options: &Options,
) -> Judge {
    // Each turn is taken by both judges.
    let turns = usize::try_from(work / (2 * limits::ATTEMPT)).unwrap_or(usize::MAX);
    Recordings { spec, network, events, options, turns }.decided(events.len())
}

/// The lines of the requests that were under way at an event: each answer on a connection is for its earliest unanswered request.
#[must_use]
pub fn unanswered(events: &[RecordedEvent], event: u64) -> Vec<u64> {
    let mut waiting: FxHashMap<Port, VecDeque<u64>> = FxHashMap::default();
    for (line, observation) in events.iter().take_while(|(line, _)| *line < event) {
        match observation {
            Observation::Request(port, _) => waiting.entry(*port).or_default().push_back(*line),
            Observation::Answer(port, _) => drop(waiting.entry(*port).or_default().pop_front()),
            Observation::Closed(port) => drop(waiting.remove(port)),
            Observation::Restart => waiting.clear(),
            _ => {}
        }
    }
    let mut lines: Vec<u64> = waiting.into_values().flatten().collect();
    lines.sort_unstable();
    lines
}

impl Recordings<'_> {
    /// The line of the event of this number, from 1.
    fn line(&self, number: usize) -> u64 {
        self.events[number - 1].0
    }

    /// Tests whether a rejection is found by looking ahead, so that its event may be too early. Failing runs explain messages that are
    /// never seen. So for a specification that may fail, the judge looks ahead only if connections keep their order, which says which
    /// messages are seen.
    fn looks_ahead(&self) -> bool {
        !self.spec.program.may_fail || self.network.order() == PacketOrder::Connection
    }

    /// Judges the first events as if there were no more.
    fn decided(&self, count: usize) -> Judge {
        let judge = self.judged(count, Lookahead::All);
        match judge.verdict() {
            Verdict::Accept { .. } | Verdict::Unknown { .. } => judge,
            _ if !self.spec.program.may_fail => judge,
            _ if self.looks_ahead() => self.judged(count, Lookahead::Messages),
            _ => self.judged(count, Lookahead::None),
        }
    }

    /// Judges the first events event by event and deepest first in turns, with equal work.
    fn judged(&self, count: usize, lookahead: Lookahead) -> Judge {
        let events = &self.events[..count];
        let mut judge = Judge::new(self.spec.clone(), self.options.clone());
        if lookahead != Lookahead::None {
            judge.context.wire.look_ahead(
                Ahead::of(events.iter().map(|(_, observation)| observation)),
                lookahead,
                self.network,
            );
        }
        let composed = Composition::new(self.spec, self.network, self.options);
        let counts_requests = composed.counts_requests && lookahead == Lookahead::All;
        let composed = Composition { counts_requests, ..composed };
        let mut deepest = self.options.reduces().then(|| DeepestFirst::new(composed, judge.clone(), events));
        let is_exact = !self.spec.program.may_fail || lookahead == Lookahead::Messages;
        let mut left = events.iter();
        let mut turns = 0;
        loop {
            if let Some(search) = &mut deepest {
                match search.search(limits::ATTEMPT) {
                    Searched::Explained(judge) => return judge,
                    Searched::Nothing(judge) if is_exact => return judge,
                    Searched::Nothing(_) | Searched::Cut => deepest = None,
                    Searched::Unfinished => turns += 1,
                }
            }
            let is_decided = self.observe_for(&mut judge, &mut left, deepest.is_some().then_some(limits::ATTEMPT));
            let may_be_explained = matches!(judge.verdict(), Verdict::Unknown { .. }) && turns < limits::TURNS;
            if is_decided && !(may_be_explained && deepest.is_some()) {
                return judge;
            }
            if turns > self.turns {
                // States that explain the events so far need not explain the events that were not observed.
                judge.frontier.candidates.clear();
                judge.context.event = judge.context.event.max(1);
                judge.context.give_up(Limit::Effort);
                return judge;
            }
        }
    }

    /// Observes events until their end, until nothing explains them, or until this much work was done; returns `false` in the last case.
    fn observe_for(&self, judge: &mut Judge, left: &mut Iter<'_, RecordedEvent>, work: Option<u64>) -> bool {
        let last = work.map(|work| judge.work_done().saturating_add(work));
        while judge.event() == 0 || judge.frontier.is_open(&judge.context) {
            let Some((line, observation)) = left.next() else { return true };
            judge.observe_over(self.network, *line, observation);
            if last.is_some_and(|last| judge.work_done() > last) {
                return false;
            }
        }
        true
    }

    /// The judge of the shortest beginning that is rejected, given one that rejected all events. The event is found by bisection.
    fn first_rejected(&self, given_up: Judge) -> Judge {
        let before = |event: u64| self.events.iter().filter(|(line, _)| *line < event).count();
        // The first `explained` events are accepted, the first `open` are not rejected, and all are.
        let mut explained = before(given_up.frontier.clean_died.unwrap_or(given_up.event()));
        let (open, all, mut last) = (before(given_up.event()), self.events.len(), given_up);
        let is_rejected = |count: usize| {
            if count == all {
                return Ok(true);
            }
            let judge = self.decided(count);
            match judge.verdict() {
                Verdict::Reject { .. } => {
                    last = judge;
                    return Ok(true);
                }
                Verdict::Accept { .. } => explained = count,
                Verdict::Unknown { .. } | Verdict::Outside { .. } | Verdict::Fault(_) => {}
            }
            Ok(false)
        };
        let Ok(rejected) = least_above::<Infallible>(open, all, is_rejected);
        let rejected = rejected.unwrap_or(all);
        let from = (explained + 1 < rejected).then(|| self.line(explained + 1));
        last.died(self.line(rejected), from);
        last
    }
}
