//! A relaxed history: a history of which less is known, as some answers were not seen, or it begins in any state.
//!
//! ```text
//! known    c1 ├── Write(1) ──┤ Ok       ├── Read ──┤ 1
//!          c2          ├─ Write(2) ┤ Ok
//! relaxed  c1 ├── Write(1) ─ ─ ─ ─      ├── Read ──┤ 1      as though its client had given up
//!          c2          ├─ Write(2) ┤ Ok
//! ```
//!
//! Whatever explains the history explains the relaxed one, so a relaxed history that is rejected is a reason for the rejection. Requests
//! keep the numbers of their kinds, and so the facts about these.

use std::ops::Range;

use crate::search::bits::PlaceSet;
use crate::search::history::{History, HistoryEvent, Request};

/// The beginning of a relaxed history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RelaxedStart {
    /// An initial state, before the first event.
    Initial,
    /// Any state, before this event; each request under way then may have been served.
    AnyState(usize),
}

/// The outcome of judging a relaxed history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RelaxedOutcome {
    /// No order explains it.
    Rejected,
    /// Some order explains it.
    Explained,
    /// Unknown: a limit was exceeded, or a question was too hard.
    Undecided,
}

/// A relaxed history.
pub(crate) struct RelaxedHistory {
    pub(crate) history: History,
    /// The number of its first events, which stand for requests that were under way before it begins.
    pub(crate) begins: usize,
    /// The places of these requests, if it matters that they may have been served before.
    pub(crate) perhaps: PlaceSet,
}

impl History {
    /// The history of these events, if only the answers at some of them were seen. Requests that were answered before are left
    /// out; any of those that were under way may have been served.
    pub(crate) fn relaxed(&self, events: Range<usize>, is_seen: &dyn Fn(usize) -> bool) -> RelaxedHistory {
        let mut numbers: Vec<Option<usize>> = vec![None; self.requests.len()];
        let mut history = History { kinds: self.kinds, ..History::default() };
        let mut begins = 0;
        // Requests that were sent before an earlier restart are no longer under way.
        let first =
            self.events[..events.start].iter().rposition(|event| *event == HistoryEvent::Restarted).unwrap_or(0);
        for (at, (event, line)) in self.events.iter().zip(&self.lines).enumerate().take(events.end).skip(first) {
            match event {
                HistoryEvent::Sent(request) => {
                    let is_over = |answered: usize| answered < events.start;
                    if self.requests[*request].answered.is_some_and(is_over) {
                        continue;
                    }
                    begins += usize::from(at < events.start);
                    numbers[*request] = Some(history.requests.len());
                    history.add(HistoryEvent::Sent(history.requests.len()), *line);
                    let before = self.requests[*request].before.and_then(|before| numbers[before]);
                    history.requests.push(Request { before, answered: None, ..self.requests[*request].clone() });
                }
                HistoryEvent::Answered(request) if at >= events.start && is_seen(at) => {
                    let Some(number) = numbers[*request] else { continue };
                    history.requests[number].answered = Some(history.events.len());
                    history.add(HistoryEvent::Answered(number), *line);
                }
                HistoryEvent::Restarted if at >= events.start => {
                    history.add(*event, *line);
                    history.restarts.push(*line);
                }
                HistoryEvent::Impossible if at >= events.start => history.add(*event, *line),
                HistoryEvent::Answered(_)
                | HistoryEvent::GaveUp
                | HistoryEvent::Restarted
                | HistoryEvent::Impossible
                | HistoryEvent::Open => {}
            }
        }
        let history = history.with_places();
        let mut perhaps = PlaceSet::default();
        // For a request without an answer it matters only if others of its connection wait for it.
        let matters = |request: &&Request| request.answered.is_some() || request.chained;
        history.requests[..begins].iter().filter(matters).for_each(|request| perhaps.insert(request.place));
        RelaxedHistory { history, begins, perhaps }
    }

    fn add(&mut self, event: HistoryEvent, line: u64) {
        self.events.push(event);
        self.lines.push(line);
    }
}
