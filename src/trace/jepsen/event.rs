//! The result of reading a history: events, and the numbers of records without an event.
//!
//! `{"c": 0, "q": "Read", "time": 5}` is an event with a note; "passed over 3 records that no client made" reports other records.

use super::super::event::TraceEvent;
use super::super::places::EventPlace;
use std::fmt;

/// The part of an exchange that a text belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExchangePart {
    /// The request.
    Request,
    /// Its answer.
    Answer,
}

/// An event of a history, with the other keys of its operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JepsenEvent<V> {
    /// The event.
    pub event: TraceEvent<V>,
    /// The place of its operation in the file.
    pub(super) place: EventPlace,
    /// The other keys of the operation, as text that follows the event on its line: `, "time": 5`.
    pub(super) notes: String,
}

/// The numbers of records that were read from a history.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct JepsenCounts {
    /// Operations of clients.
    pub operations: u64,
    /// Records that no client made.
    pub no_client: u64,
    /// Lines of a log without an operation.
    pub other_lines: u64,
    /// Requests that failed and were dropped.
    pub dropped: u64,
}

impl JepsenCounts {
    /// Tests whether nothing was recorded, so that nothing can be tested.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.operations + self.no_client == 0
    }

    /// A sentence about the records without an event, if there are any.
    #[must_use]
    pub fn passed_over(&self) -> Option<String> {
        let counted = |n: u64, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let records = |n| format!("{} that no client made (such as :nemesis)", counted(n, "record"));
        let lines = |n| format!("{} without an operation", counted(n, "line"));
        let dropped = |n| format!("{} that failed", counted(n, "request"));
        let all_dropped = self.dropped > 0 && 2 * self.dropped == self.operations;
        let parts = [
            (self.no_client > 0).then(|| records(self.no_client)),
            (self.other_lines > 0).then(|| lines(self.other_lines)),
            all_dropped.then(|| dropped(self.dropped)),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let nothing_left = if self.operations == 2 * self.dropped { "; nothing is left to judge" } else { "" };
        (!parts.is_empty()).then(|| format!("passed over {}{nothing_left}", parts.join(", ")))
    }
}

/// The line in this program's format, without its end; `V` displays as JSON.
impl<V: fmt::Display> fmt::Display for JepsenEvent<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.event.to_string();
        write!(f, "{}{}}}", line.strip_suffix('}').unwrap_or(&line), self.notes)
    }
}
