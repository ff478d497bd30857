//! A relaxed history: a history of which less is known, as some answers were not seen, or the state at some line is any.
//!
//! ```text
//! known    c1 ├── Write(1) ──┤ Ok       ├── Read ──┤ 1
//!          c2          ├─ Write(2) ┤ Ok
//! relaxed  c1 ├── Write(1) ─ ─ ─ ─      ├── Read ──┤ 1      as though its client had given up
//!          c2          ├─ Write(2) ┤ Ok
//! ```
//!
//! Whatever explains the history explains the relaxed one, so a rejection of that says why the history is rejected. Requests keep the
//! numbers of their kinds, so that what is known of these is known of them.

use std::ops::Range;

use crate::search::bits::PlaceSet;
use crate::search::history::{History, HistoryEvent, Request};

/// The beginning of a relaxed history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RelaxedStart {
    /// An initial state, before the first event.
    Initial,
    /// Any state, before this event; of the requests under way there each may have been served.
    AnyState(usize),
}

/// The outcome of judging a relaxed history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RelaxedOutcome {
    /// No order explains it.
    Rejected,
    /// Some order does.
    Explained,
    /// It was not found out.
    Undecided,
}

/// A relaxed history.
pub(crate) struct RelaxedHistory {
    pub(crate) history: History,
    /// The number of events with which it begins that stand for requests under way before its first one.
    pub(crate) begins: usize,
    /// The places of those among them of which it matters that they may have been served before.
    pub(crate) perhaps: PlaceSet,
}

impl History {
    /// The history of these events, if only the answers at some of them were seen. Requests that were answered before are left
    /// out; of those that were under way any may have been served.
    pub(crate) fn relaxed(&self, events: Range<usize>, is_seen: &dyn Fn(usize) -> bool) -> RelaxedHistory {
        let mut numbers: Vec<Option<usize>> = vec![None; self.requests.len()];
        let mut history = History { kinds: self.kinds, ..History::default() };
        let mut begins = 0;
        // What was under way at an earlier restart is so no more.
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
        // Of those that nobody waits for it matters only if others wait after them.
        let matters = |request: &&Request| request.answered.is_some() || request.chained;
        history.requests[..begins].iter().filter(matters).for_each(|request| perhaps.insert(request.place));
        RelaxedHistory { history, begins, perhaps }
    }

    fn add(&mut self, event: HistoryEvent, line: u64) {
        self.events.push(event);
        self.lines.push(line);
    }
}
